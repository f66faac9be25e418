//go:build !askind_plain

package runtime

import (
	"reflect"
	"strings"
	"testing"
)

// TestRecordLiesAsSpec checks that a record is what every KindSpec begins with, field by field.
func TestRecordLiesAsSpec(t *testing.T) {
	t.Parallel()
	var fields []reflect.StructField
	r := reflect.TypeFor[record]()
	for i := range r.NumField() {
		f := r.Field(i)
		if !f.Anonymous {
			fields = append(fields, f)
			continue
		}
		for j := range f.Type.NumField() {
			g := f.Type.Field(j)
			g.Offset += f.Offset
			fields = append(fields, g)
		}
	}
	others := map[string]string{"gvk": "GroupVersionKind", "appendJSON": "AppendJSONFields", "setDefaults": "Default"}
	for _, spec := range []reflect.Type{reflect.TypeFor[KindSpec[struct{}]](), reflect.TypeFor[KindSpec[Kind]]()} {
		for i, got := range fields {
			want, name := spec.Field(i), others[got.Name]
			if name == "" {
				name = strings.ToUpper(got.Name[:1]) + got.Name[1:]
			}
			sameType := got.Type == want.Type || got.Type.Kind() == reflect.UnsafePointer &&
				want.Type.Kind() == reflect.Func
			if !strings.EqualFold(name, want.Name) || got.Offset != want.Offset || !sameType {
				t.Errorf("%s %v at %d is %s %v at %d in %v", got.Name, got.Type, got.Offset, want.Name, want.Type,
					want.Offset, spec)
			}
		}
		if rest := spec.NumField() - len(fields); rest != 1 || spec.Field(len(fields)).Name != "Encoded" {
			t.Errorf("%v has %d fields that a record does not have", spec, rest)
		}
	}
}
