// Package cel evaluates the rules of CustomResourceDefinitions, x-kubernetes-validations, with the
// evaluator of Kubernetes: the same functions, the same limits on cost, and the same messages.
//
//	srv, err := server.New(scheme, db, server.Rules(cel.Compile))
//
// With it, definitions whose rules do not compile or may cost too much are refused, and objects are
// held to the rules, transition rules with oldSelf included. A part of an object that an update
// leaves unchanged is not checked again.
//
// It is a module of its own because it links the libraries of k8s.io/apiextensions-apiserver.
package cel

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Compile is a [dynamic.RuleCompiler]. The errors are those that Kubernetes has for the rules.
func Compile(text []byte) (dynamic.Rules, runtime.FieldErrors) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(text, &v1); err != nil {
		return nil, invalid(err)
	}
	var props apiextensions.JSONSchemaProps
	convert := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps
	if err := convert(&v1, &props, nil); err != nil {
		return nil, invalid(err)
	}
	if errs := check(&props); len(errs) > 0 {
		return nil, errs
	}
	structural, err := structuralschema.NewStructural(&props)
	if err != nil {
		return nil, invalid(err)
	}
	v := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	if v == nil {
		return nil, nil
	}
	return &rules{structural, v}, nil
}

// invalid returns an error about a schema as a whole.
func invalid(err error) runtime.FieldErrors {
	return runtime.FieldErrors{runtime.Invalid(nil, nil, err.Error())}
}

// root is the place of the schema in the definition that [check] makes up.
const root = "spec.validation.openAPIV3Schema"

// check returns what the validation of definitions finds in a schema: mistakes in its rules, with
// their cost taken into account, and defaults that break them. Package dynamic has found everything
// else before.
func check(props *apiextensions.JSONSchemaProps) runtime.FieldErrors {
	names := apiextensions.CustomResourceDefinitionNames{
		Plural: "objects", Singular: "object", Kind: "Object", ListKind: "ObjectList",
	}
	unknown := false
	crd := &apiextensions.CustomResourceDefinition{
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.com", Version: "v1", Names: names, Scope: apiextensions.NamespaceScoped,
			Versions: []apiextensions.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true},
			},
			Conversion:            &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
			PreserveUnknownFields: &unknown,
			Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: props},
		},
	}
	crd.Name = "objects.example.com"
	crd.Status.StoredVersions = []string{"v1"}
	var found field.ErrorList
	for _, e := range validation.ValidateCustomResourceDefinition(context.Background(), crd) {
		if strings.HasPrefix(e.Field, root) {
			found = append(found, e)
		}
	}
	return translate(found)
}

// rules are the rules of one schema.
type rules struct {
	structural *structuralschema.Structural
	validator  *cel.Validator
}

// Validate implements [dynamic.Rules].
func (r *rules) Validate(ctx context.Context, object, old map[string]any) runtime.FieldErrors {
	floats(object)
	floats(old)
	var before any // an untyped nil for a new object
	var options []cel.Option
	if old != nil {
		before = old
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(object, old, &model.Structural{
			Structural: r.structural,
		})))
	}
	errs, _ := r.validator.Validate(ctx, nil, r.structural, object, before, celconfig.RuntimeCELCostBudget, options...)
	return translate(errs)
}

// floats replaces integers above the range of int64, which the evaluator does not know, as API
// servers read them.
func floats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			v[name] = floats(m)
		}
	case []any:
		for i, e := range v {
			v[i] = floats(e)
		}
	case uint64:
		return float64(v)
	}
	return v
}

// translate returns errors of Kubernetes as ours, with paths that begin at the schema or object.
func translate(errs field.ErrorList) (out runtime.FieldErrors) {
	for _, e := range errs {
		path := strings.TrimPrefix(strings.TrimPrefix(e.Field, root), ".")
		at, err := schema.ParsePath(path)
		if path == "" || path == "<nil>" || err != nil {
			at = nil
		}
		out = append(out, one(at, e))
	}
	return out
}

// one returns an error of Kubernetes at a path.
func one(at *schema.Path, e *field.Error) *runtime.FieldError {
	value := e.BadValue
	switch v := value.(type) {
	case field.OmitValueType:
		value = nil
	case apiextensions.ValidationRule:
		value = v.Rule
	}
	switch e.Type {
	case field.ErrorTypeRequired:
		return runtime.Required(at, e.Detail)
	case field.ErrorTypeForbidden:
		return runtime.Forbidden(at, e.Detail)
	case field.ErrorTypeDuplicate:
		return runtime.Duplicate(at, value)
	case field.ErrorTypeInvalid:
		return runtime.Invalid(at, value, e.Detail)
	}
	return runtime.Invalid(at, value, fmt.Sprintf("%s: %s", e.Type, e.Detail))
}
