package dynamic

import (
	"cmp"
	"strings"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/meta/validation"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// embedded checks that a value is an object of some kind, whose metadata follows the rules that all
// kinds have.
func (c *validator) embedded(at *schema.Path, v unstructured.Value) {
	for _, name := range []string{"apiVersion", "kind"} {
		switch s, _, err := v.String(name); {
		case err != nil || s == "":
			c.add(runtime.Required(at.Child(name), "it is an object of some kind"))
		case name == "apiVersion" && strings.Count(s, "/") > 1 || name == "kind" && !kinds.MatchString(s):
			c.add(runtime.Invalid(at.Child(name), s, "no object has it"))
		}
	}
	m, found, _ := v.Get("metadata")
	switch {
	case !found:
	case m.Type() != unstructured.TypeObject:
		c.add(runtime.Invalid(at.Child("metadata"), nil, "must be an object, not "+article(named(m))))
	default:
		c.metadata(at, m)
	}
}

// metadata checks that a value can be the metadata of an object at a path. The name may be missing.
func (c *validator) metadata(of *schema.Path, v unstructured.Value) {
	at := of.Child("metadata")
	encoded, err := v.MarshalJSON()
	if err != nil {
		c.add(runtime.Invalid(at, nil, err.Error()))
		return
	}
	r, m := jsonwire.NewReader(encoded, jsonwire.Options{}), new(metav1.ObjectMeta)
	metav1.DecodeJSONObjectMeta(r, m)
	for _, p := range r.Problems() {
		c.add(runtime.Invalid(at.Join(jsonwire.PathAt(encoded, p.Offset)), nil, p.Message))
	}
	if len(r.Problems()) > 0 {
		return
	}
	m.Name = cmp.Or(m.Name, "any")
	o := validation.Options{Namespaced: m.Namespace != "", Name: validation.PathSegment}
	for _, e := range validation.ObjectMeta(m, o) {
		e.Path = of.Join(e.Path)
		c.add(e)
	}
}
