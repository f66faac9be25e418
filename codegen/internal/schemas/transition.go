package schemas

import (
	"slices"
	"strings"
)

const immutable = "field is immutable"

// transitions adds rules for immutable values, which compare with the old object. An API server
// matches an element of a list with its old value only in lists of type map, by their keys, and
// accepts no such rules below other lists.
func (s *Schema) transitions() {
	if s == nil {
		return
	}
	// A rule cannot apply to a value of any type.
	if s.Immutable && (s.Type != "" || len(s.Union) > 0) {
		s.CEL = append(slices.Clip(s.CEL), CEL{Rule: "self == oldSelf", Message: immutable})
	}
	for _, p := range s.Properties {
		// A rule of a value is not evaluated when the value is set or removed.
		if p.Schema.Immutable && p.Schema.Default == "" && !slices.Contains(s.Required, p.Name) {
			name := identifier(p.Name)
			s.CEL = append(slices.Clip(s.CEL), CEL{
				Rule: "has(self." + name + ") == has(oldSelf." + name + ")", Message: immutable,
				FieldPath: fieldPath(p.Name),
			})
		}
		p.Schema.transitions()
	}
	s.Values.transitions()
	if s.ListType == "map" {
		s.Items.transitions()
	}
}

// reserved has the words that are not identifiers in the common expression language.
var reserved = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
	"let", "loop", "package", "namespace", "return", "var", "void", "while",
}

// identifier returns the name that a property has in rules.
func identifier(name string) string {
	if slices.Contains(reserved, name) {
		return "__" + name + "__"
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(name)
}

// fieldPath returns the path of a property for the errors of a rule.
func fieldPath(name string) string {
	if strings.ContainsAny(name, ".-/") {
		return "['" + name + "']"
	}
	return "." + name
}
