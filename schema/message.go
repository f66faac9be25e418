package schema

import (
	"path"
	"reflect"
	"strings"
)

// MessageOf returns the text of an error without the name of the package that its type belongs to,
// if the text begins with it. Use it in a message that already begins with a package name or with
// the path of a value. The text of any other error is returned unchanged.
func MessageOf(err error) string {
	if err == nil { // in an error that a program has made without a cause
		return "<nil>"
	}
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
