package schema

import (
	"path"
	"reflect"
	"strings"
)

// MessageOf returns what an error says without the name of the package that its type belongs to, if
// the text begins with it, as errors of most packages do: for a message that begins with such a
// name already, or with the place of a value in a document. The text of any other error is returned
// as it is.
func MessageOf(err error) string {
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	text := err.Error()
	if name := t.PkgPath(); name != "" {
		if rest, ok := strings.CutPrefix(text, path.Base(name)+": "); ok {
			return rest
		}
	}
	return text
}
