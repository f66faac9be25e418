package v1

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server/apiextensions/internal/stored"
	"github.com/askind/askind/server/internal/replaced"
)

// SetDefaultsCustomResourceDefinitionSpec sets the names that follow from the kind.
func SetDefaultsCustomResourceDefinitionSpec(in *CustomResourceDefinitionSpec) {
	if in.Names.Kind == "" {
		return
	}
	if in.Names.Singular == "" {
		in.Names.Singular = strings.ToLower(in.Names.Kind)
	}
	if in.Names.ListKind == "" {
		in.Names.ListKind = in.Names.Kind + "List"
	}
}

// Definition returns what a definition describes, see [dynamic.FromCRD].
func (in *CustomResourceDefinition) Definition() (d dynamic.Definition, err error) {
	typed := CustomResourceDefinition{Spec: in.Spec}
	typed.APIVersion, typed.Kind, typed.Name = GroupVersion.String(), "CustomResourceDefinition", in.Name
	typed.Spec.Versions = slices.Clone(in.Spec.Versions)
	for i := range typed.Spec.Versions { // schemas are long
		typed.Spec.Versions[i].Schema = nil
	}
	text, err := AppendJSONCustomResourceDefinition(nil, &typed)
	if err != nil {
		return d, err
	}
	o := new(unstructured.Object)
	if err := o.UnmarshalJSON(text); err != nil {
		return d, err
	}
	d, err = dynamic.FromCRD(o)
	for i := range d.Versions {
		if s := in.Spec.Versions[i].Schema; s != nil {
			d.Versions[i].Schema = s.OpenAPIV3Schema
		}
	}
	return d, err
}

// ValidateCustomResourceDefinition checks that a definition describes a kind. A server does not
// check a spec again that is in force and that a write leaves as it is.
func ValidateCustomResourceDefinition(ctx context.Context, in *CustomResourceDefinition) runtime.FieldErrors {
	if old := replaced.Old[CustomResourceDefinition](ctx); stored.Marked(ctx) || old != nil && in.Keeps(old) {
		return nil
	}
	var errs runtime.FieldErrors
	spec := schema.NewPath("spec")
	if in.Spec.PreserveUnknownFields {
		errs = append(errs, runtime.Invalid(spec.Child("preserveUnknownFields"), true,
			"must be false; set x-kubernetes-preserve-unknown-fields in the schema instead"))
	}
	for i := range in.Spec.Versions {
		v := &in.Spec.Versions[i]
		if v.Schema == nil || len(v.Schema.OpenAPIV3Schema) == 0 {
			errs = append(errs, runtime.Required(
				spec.Child("versions").Index(i).Child("schema").Child("openAPIV3Schema"), "schemas are required"))
		}
	}
	if in.Spec.Group != "" && !strings.Contains(in.Spec.Group, ".") {
		errs = append(errs, runtime.Invalid(spec.Child("group"), in.Spec.Group, "must be a domain with at least one dot"))
	}
	for i := range in.Spec.Versions {
		errs = append(errs, in.Spec.Versions[i].problems(spec.Child("versions").Index(i))...)
	}
	c := in.Spec.Conversion
	if c != nil && c.Strategy == NoneConverter && len(c.Webhook) > 0 && string(c.Webhook) != "null" {
		errs = append(errs, runtime.Forbidden(spec.Child("conversion").Child("webhook"), "the strategy None calls none"))
	}
	known := *in
	if s := in.Spec.Scope; s != ClusterScoped && s != NamespaceScoped {
		known.Spec.Scope = NamespaceScoped // the generated rules refuse it
	}
	d, err := known.Definition()
	if err == nil {
		err = dynamic.Check(d)
	}
	if found, ok := errors.AsType[runtime.FieldErrors](err); ok {
		return append(errs, found...)
	}
	if err != nil {
		errs = append(errs, runtime.Invalid(spec, nil, err.Error()))
	}
	return errs
}

// Keeps reports whether a definition has the spec of the one that it is to replace, and that is in
// force. So it is right.
func (in *CustomResourceDefinition) Keeps(old *CustomResourceDefinition) bool {
	inForce := func(c metav1.Condition) bool {
		return c.Type == Established && c.Status == metav1.ConditionTrue && c.ObservedGeneration == old.Generation
	}
	return slices.ContainsFunc(old.Status.Conditions, inForce) && reflect.DeepEqual(in.Spec, old.Spec)
}

// HasServed reports whether there may be objects of a definition: it is served, or has been.
func (in *CustomResourceDefinition) HasServed() bool {
	return slices.ContainsFunc(in.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == Established && (c.Status == metav1.ConditionTrue || c.Reason == Withdrawn)
	})
}

// formats are the formats of columns.
var formats = []string{"int32", "int64", "float", "double", "byte", "date", "date-time", "password"}

// problems returns what is wrong with a version besides what [dynamic.New] finds.
func (v *CustomResourceDefinitionVersion) problems(at *schema.Path) (errs runtime.FieldErrors) {
	for i, c := range v.AdditionalPrinterColumns {
		at := at.Child("additionalPrinterColumns").Index(i)
		if c.Format != "" && !slices.Contains(formats, c.Format) {
			errs = append(errs, runtime.NotSupported(at.Child("format"), c.Format, formats...))
		}
		if c.JSONPath != "" && c.JSONPath[0] != '.' {
			errs = append(errs, runtime.Invalid(at.Child("jsonPath"), c.JSONPath, "must begin with a dot"))
		}
	}
	if v.DeprecationWarning == nil {
		return errs
	}
	at = at.Child("deprecationWarning")
	switch text := *v.DeprecationWarning; {
	case !v.Deprecated:
		errs = append(errs, runtime.Invalid(at, text, "only a deprecated version has a warning"))
	case text == "":
		errs = append(errs, runtime.Invalid(at, text, "must not be empty"))
	case len(text) > mostWarning:
		errs = append(errs, runtime.Invalid(at, text, fmt.Sprintf("must not have more than %d bytes", mostWarning)))
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		errs = append(errs, runtime.Invalid(at, text, "must consist of printable characters, because it is sent as a header"))
	}
	return errs
}

// mostWarning bounds the length of a warning.
const mostWarning = 256

// ValidateChangeCustomResourceDefinition refuses changes that would make stored objects unreadable.
func ValidateChangeCustomResourceDefinition(
	_ context.Context, in, old *CustomResourceDefinition,
) runtime.FieldErrors {
	var errs runtime.FieldErrors
	spec := schema.NewPath("spec")
	names := spec.Child("names")
	served := old.HasServed()
	for _, f := range []struct {
		at      *schema.Path
		now, is string
		free    bool // there are no objects
	}{
		{spec.Child("group"), in.Spec.Group, old.Spec.Group, false},
		{spec.Child("scope"), string(in.Spec.Scope), string(old.Spec.Scope), !served},
		{names.Child("plural"), in.Spec.Names.Plural, old.Spec.Names.Plural, false},
		{names.Child("kind"), in.Spec.Names.Kind, old.Spec.Names.Kind, !served},
	} {
		if f.now != f.is && !f.free {
			errs = append(errs, runtime.Invalid(f.at, f.now, "field is immutable"))
		}
	}
	for i, version := range in.Status.StoredVersions {
		named := func(v CustomResourceDefinitionVersion) bool { return v.Name == version }
		if !slices.ContainsFunc(in.Spec.Versions, named) {
			errs = append(errs, runtime.Invalid(schema.NewPath("status", "storedVersions").Index(i), version,
				"must appear in spec.versions, because objects may be stored in this version"))
		}
	}
	for _, v := range in.Spec.Versions {
		if v.Storage && slices.Contains(old.Status.StoredVersions, v.Name) &&
			!slices.Contains(in.Status.StoredVersions, v.Name) {
			errs = append(errs, runtime.Required(schema.NewPath("status", "storedVersions"),
				"objects are stored in the version "+v.Name))
		}
	}
	return errs
}
