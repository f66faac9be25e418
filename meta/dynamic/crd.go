package dynamic

import (
	"strings"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// IsCRD reports whether an object is a CustomResourceDefinition of apiextensions.k8s.io/v1.
func IsCRD(o *unstructured.Object) bool {
	return o.Kind() == "CustomResourceDefinition" && o.APIVersion() == "apiextensions.k8s.io/v1"
}

// FromCRD returns what a CustomResourceDefinition of apiextensions.k8s.io/v1 describes. Conversion
// by a webhook is rejected. The error is a [runtime.FieldErrors] for values that are missing or
// have the wrong type; [New] checks everything else.
func FromCRD(o *unstructured.Object) (Definition, error) {
	var d Definition
	if o == nil {
		o = new(unstructured.Object)
	}
	if !IsCRD(o) {
		return d, runtime.FieldErrors{runtime.Invalid(schema.NewPath("kind"), o.Kind(),
			"only CustomResourceDefinition of apiextensions.k8s.io/v1 is supported")}
	}
	var errs runtime.FieldErrors
	c := reader{at: schema.NewPath("spec"), errs: &errs}
	if spec, found, err := o.Get("spec"); err == nil && found {
		c.v = spec
	}
	d.Source = "CustomResourceDefinition " + o.Name()
	if d.Group = c.text("group"); d.Group == "" && len(errs) == 0 {
		c.add(runtime.Required(c.at.Child("group"), domainDetail))
	}
	names := c.child("names")
	d.Kind, d.ListKind, d.Resource, d.Singular = names.text("kind"), names.text("listKind"), names.text("plural"),
		names.text("singular")
	d.ShortNames, d.Categories = names.texts("shortNames"), names.texts("categories")
	switch scope := c.text("scope"); scope {
	case "Namespaced":
	case "Cluster":
		d.Scope = runtime.Cluster
	default:
		c.add(runtime.NotSupported(c.at.Child("scope"), scope, "Namespaced", "Cluster"))
	}
	conversion := c.child("conversion")
	if strategy := conversion.text("strategy"); strategy != "" && strategy != "None" {
		c.add(runtime.NotSupported(c.at.Child("conversion").Child("strategy"), strategy, "None"))
	}
	if want := d.Resource + "." + d.Group; o.Name() != "" && o.Name() != want && d.Resource != "" && d.Group != "" {
		c.add(runtime.Invalid(schema.NewPath("metadata", "name"), o.Name(), "the name of this definition must be "+want))
	}
	c.each("versions", func(v reader) { d.Versions = append(d.Versions, v.version(d.Group, d.Kind)) })
	if len(errs) > 0 {
		return d, errs
	}
	return d, nil
}

// version reads an element of spec.versions of a group and kind.
func (c *reader) version(group, kind string) Version {
	v := Version{Name: c.text("name"), Storage: c.flag("storage"), Unserved: !c.flag("served")}
	if c.flag("deprecated") {
		if v.Deprecated = c.text("deprecationWarning"); v.Deprecated == "" {
			v.Deprecated = schema.GroupVersion{Group: group, Version: v.Name}.String() + " " + kind + " is deprecated"
		}
	}
	if s := c.child("subresources"); s.v.Type() == unstructured.TypeObject {
		v.Status = s.v.Has("status")
		if scale := s.child("scale"); s.v.Has("scale") {
			v.Scale = &Scale{
				SpecReplicas: scale.text("specReplicasPath"), StatusReplicas: scale.text("statusReplicasPath"),
				LabelSelector: scale.text("labelSelectorPath"),
			}
		}
	}
	c.each("additionalPrinterColumns", func(col reader) {
		v.Columns = append(v.Columns, Column{
			Name: col.text("name"), Description: col.text("description"), Type: col.text("type"),
			Format: col.text("format"), Priority: col.number("priority"), JSONPath: col.text("jsonPath"),
		})
	})
	c.each("selectableFields", func(f reader) { v.SelectableFields = append(v.SelectableFields, f.text("jsonPath")) })
	if s, found, err := c.v.Get("schema", "openAPIV3Schema"); found && err == nil {
		text, err := s.MarshalJSON()
		if err != nil {
			c.add(runtime.Invalid(c.at.Child("schema").Child("openAPIV3Schema"), nil, err.Error()))
		}
		v.Schema = text
	}
	return v
}

// reader reads the members of an object and collects problems.
type reader struct {
	v    unstructured.Value
	at   *schema.Path
	errs *runtime.FieldErrors
}

func (c *reader) add(e *runtime.FieldError) { *c.errs = append(*c.errs, e) }

// wrong reports a member of the wrong type.
func (c *reader) wrong(name string, err error) {
	if err != nil {
		c.add(runtime.Invalid(c.at.Child(name), nil, strings.TrimPrefix(err.Error(), "unstructured: ")))
	}
}

// under returns a reader of a nested value.
func (c *reader) under(v unstructured.Value, at *schema.Path) reader {
	return reader{v: v, at: at, errs: c.errs}
}

func (c *reader) child(name string) reader {
	v, _, err := c.v.Get(name)
	c.wrong(name, err)
	return c.under(v, c.at.Child(name))
}

func (c *reader) text(name string) string {
	s, _, err := c.v.String(name)
	c.wrong(name, err)
	return s
}

func (c *reader) texts(name string) []string {
	s, _, err := c.v.Strings(name)
	c.wrong(name, err)
	return s
}

func (c *reader) flag(name string) bool {
	b, _, err := c.v.Bool(name)
	c.wrong(name, err)
	return b
}

func (c *reader) number(name string) int32 {
	n, _, err := c.v.Int64(name)
	if int64(int32(n)) != n {
		c.add(runtime.Invalid(c.at.Child(name), n, "must be a 32-bit integer"))
	}
	c.wrong(name, err)
	return int32(n)
}

// each calls a function for the elements of a list.
func (c *reader) each(name string, f func(reader)) {
	elements, err := c.v.Elements(name)
	if err != nil {
		c.wrong(name, err)
		return
	}
	for i, v := range elements {
		f(c.under(v, c.at.Child(name).Index(i)))
	}
}
