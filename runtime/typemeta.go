package runtime

import (
	"fmt"
	"reflect"
	"strings"
)

// checkTypeMeta reports kinds registered by hand whose type meta has a name in JSON, as in
//
//	metav1.TypeMeta `json:"typeMeta"`
//
// Documents state their kind and apiVersion at the top level, where such a kind would not read
// them. The generator reports this for the types that it processes.
func (w *build) checkTypeMeta() {
	for _, e := range w.kinds {
		if e.spec == nil || e.spec.Source != "" || e.structType().Kind() != reflect.Struct {
			continue
		}
		if field, name := namedTypeMeta(e.structType()); name != "" {
			w.conflict("the kind "+e.spec.GroupVersionKind.String()+" registered at "+e.source(), fmt.Sprintf(
				"its field %s has the name %q in JSON, so documents cannot state their kind and apiVersion; "+
					"change the tag to `json:\",inline\"`", field, name), "")
		}
	}
}

// namedTypeMeta returns the embedded field of a struct type that is or contains its type meta, if
// it has a name in JSON.
func namedTypeMeta(t reflect.Type) (field, name string) {
	for f := range t.Fields() {
		if !f.Anonymous || f.Type.Kind() != reflect.Struct {
			continue
		}
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case name == "-" || name != "" && !holdsTypeMeta(f.Type):
		case name != "":
			return f.Name, name
		case !isTypeMeta(f.Type):
			if field, name := namedTypeMeta(f.Type); name != "" {
				return f.Name + "." + field, name
			}
		}
	}
	return "", ""
}

// holdsTypeMeta reports whether a struct type is a type meta or embeds one.
func holdsTypeMeta(t reflect.Type) bool {
	if isTypeMeta(t) {
		return true
	}
	for f := range t.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Struct && holdsTypeMeta(f.Type) {
			return true
		}
	}
	return false
}

// isTypeMeta recognizes a type meta by its shape, so that those of other libraries are recognized
// too.
func isTypeMeta(t reflect.Type) bool {
	if t.Name() != "TypeMeta" {
		return false
	}
	kind, okKind := t.FieldByName("Kind")
	version, okVersion := t.FieldByName("APIVersion")
	text := reflect.TypeFor[string]()
	return okKind && okVersion && kind.Type == text && version.Type == text
}
