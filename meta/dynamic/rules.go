package dynamic

import (
	"context"

	"github.com/askind/askind/runtime"
)

// Rules are the compiled rules of a schema in the Common Expression Language,
// x-kubernetes-validations. They must be safe for concurrent use.
type Rules interface {
	// Validate returns the violations of the rules in an object that the rest of the schema allows.
	// The object has the members of its content, apiVersion and kind, and of the metadata name and
	// generateName. old is the object that it replaces, nil for a new one. Validate may change
	// both.
	Validate(ctx context.Context, object, old map[string]any) runtime.FieldErrors
}

// A RuleCompiler compiles the rules of a schema, which is an OpenAPI 3.0 schema as JSON. It returns
// nil for a schema without rules. The paths of the errors begin at the schema.
type RuleCompiler func(schema []byte) (Rules, runtime.FieldErrors)

// evaluate returns the violations of the rules in an object.
func (s *structure) evaluate(ctx context.Context, o, old *Object) runtime.FieldErrors {
	object, err := o.members()
	if err != nil {
		return runtime.FieldErrors{runtime.Invalid(nil, nil, err.Error())}
	}
	var before map[string]any
	if old != nil {
		if before, err = old.members(); err != nil {
			return runtime.FieldErrors{runtime.Invalid(nil, nil, err.Error())}
		}
	}
	return s.rules.Validate(ctx, object, before)
}

// members returns what rules see of an object.
func (o *Object) members() (map[string]any, error) {
	content, found, err := o.Content.Get()
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if all, ok := content.Any().(map[string]any); found && ok {
		out = all
	}
	metadata := map[string]any{"name": o.Name}
	if o.GenerateName != "" {
		metadata["generateName"] = o.GenerateName
	}
	out["apiVersion"], out["kind"], out["metadata"] = o.apiVersion, o.kind, metadata
	return out, nil
}
