package runtime_test

import (
	"context"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func TestValidateChange(t *testing.T) {
	t.Parallel()
	type thing struct{ Name string }
	type plain struct{}
	rule := func(_ context.Context, in, old *thing) runtime.FieldErrors {
		if in.Name == "" && (old == nil || old.Name != "") {
			return runtime.FieldErrors{runtime.Required(schema.NewPath("name"), "")}
		}
		return nil
	}
	gv := schema.GroupVersion{Group: "a.b", Version: "v1"}
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[thing]{
			GroupVersionKind: gv.WithKind("Thing"), ValidateChange: rule,
			Validate: func(ctx context.Context, in *thing) runtime.FieldErrors { return rule(ctx, in, nil) },
		})
		runtime.AddKind(b, &runtime.KindSpec[plain]{
			GroupVersionKind: gv.WithKind("Plain"),
			Validate: func(context.Context, *plain) runtime.FieldErrors {
				return runtime.FieldErrors{runtime.Forbidden(nil, "always")}
			},
		})
		runtime.AddValidation(b, func(_ context.Context, in *thing) runtime.FieldErrors {
			if in.Name == "refused" {
				return runtime.FieldErrors{runtime.Forbidden(nil, "refused")}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		in, old runtime.Object
		errors  int
	}{
		{"new and valid", &thing{Name: "a"}, nil, 0},
		{"new and invalid", &thing{}, nil, 1},
		{"changed to invalid", &thing{}, &thing{Name: "a"}, 1},
		{"invalid as before", &thing{}, &thing{}, 0},
		{"refused by an added function", &thing{Name: "refused"}, &thing{Name: "refused"}, 1},
		{"kind that cannot compare", &plain{}, &plain{}, 1},
		{"old object of another type", &thing{Name: "a"}, &plain{}, 1},
	} {
		k, err := s.KindOf(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.ValidateChange(t.Context(), c.in, c.old); len(got) != c.errors {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
