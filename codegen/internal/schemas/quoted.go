package schemas

import (
	"slices"

	"github.com/askind/askind/codegen/internal/constraint"
)

// quote changes the schema of a value to that of a string with the JSON of the value, which the
// option string of a json tag asks for. What rules say about the number or the text inside cannot
// be said of the string, except single values and the least length: the text may have escapes.
func (s *Schema) quote() {
	if s.Type == "string" && s.MinLength != nil {
		n := *s.MinLength + int64(len(`""`))
		s.MinLength = &n
	}
	s.Type, s.Format, s.Patterns, s.MaxLength = "string", "", nil, nil
	s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum, s.MultipleOf = "", "", false, false, nil
	for _, list := range []*[]string{&s.Enum, &s.Not} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i] = constraint.Quote((*list)[i])
		}
	}
	for _, value := range []*string{&s.Default, &s.keyDefault, &s.Example} {
		if *value != "" && *value != "null" {
			*value = constraint.Quote(*value)
		}
	}
}
