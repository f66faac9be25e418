package yaml

import (
	"bytes"
	"errors"

	"github.com/askind/askind/serializer/internal/members"
)

// splice returns a copy of the text of an object in which the value of a field, a map, is changed
// by the differences between two JSON texts of it, before and after. Everything else is preserved,
// see [Edit], including entries in neither text and all comments outside of changed values.
func splice(text []byte, field string, before, after []byte) ([]byte, error) {
	object, err := ToJSON(text)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(object, []byte("{")) {
		return nil, errors.New("yaml: the text is not an object")
	}
	value := members.Of(members.Of(object).Value(field))
	removed, changed := members.Changes(before, after)
	for _, name := range removed {
		value = value.Without(name)
	}
	for _, m := range changed {
		value = append(value.Without(m.Name), m)
	}
	return Edit(text, Change{Path: field, Value: value.JSON(), DropComments: true})
}
