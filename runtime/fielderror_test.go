package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func TestNotSupported(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		allowed []string
		want    string
	}{
		{nil, `Unsupported value: "roott": no value is supported`},
		{[]string{"data"}, `Unsupported value: "roott": supported values: "data"`},
		{[]string{"data", "root"}, `Unsupported value: "roott": supported values: "data", "root" (did you mean "root"?)`},
	} {
		if got := runtime.NotSupported(nil, "roott", tt.allowed...).Error(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestNilFieldErrors checks that nil elements, which functions make that append the result of
// another, are not violations.
func TestNilFieldErrors(t *testing.T) {
	t.Parallel()
	none := runtime.FieldErrors{nil, nil}
	if err := none.Err(); err != nil {
		t.Errorf("Err of nil elements is %v", err)
	}
	one := runtime.FieldErrors{nil, runtime.Required(schema.NewPath("a"), ""), nil}
	if got, want := one.Error(), "a: Required value"; got != want {
		t.Errorf("Error returns %q, want %q", got, want)
	}
	if got := one.Unwrap(); len(got) != 1 {
		t.Errorf("Unwrap returns %v", got)
	}
	if len(one) != 3 || one[1] == nil {
		t.Errorf("the errors have been changed: %v", one)
	}
	s, err := runtime.NewScheme(append(all[:len(all):len(all)], func(b *runtime.Builder) {
		runtime.AddValidation(b, func(context.Context, *Gadget) runtime.FieldErrors { return none })
	})...)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.KindOf(&Gadget{})
	if err != nil {
		t.Fatal(err)
	}
	if found := k.Validate(t.Context(), &Gadget{}); len(found) != 0 {
		t.Errorf("Validate returns %v", found)
	}
}

// TestFieldErrorValues checks that long values are shortened and those of long texts are not shown.
func TestFieldErrorValues(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	if got := runtime.Invalid(nil, long, "d").Error(); len(got) > 200 {
		t.Errorf("a long value is shown in %d bytes", len(got))
	}
	if got := runtime.TooLong(nil, "secret", 3).Error(); strings.Contains(got, "secret") {
		t.Errorf("a text that is too long is shown: %s", got)
	}
}

// TestManyFieldErrors checks that the message of many violations, with paths that are long, is
// short.
func TestManyFieldErrors(t *testing.T) {
	t.Parallel()
	var errs runtime.FieldErrors
	path := schema.NewPath("spec")
	for range 1000 {
		path = path.Child("nested")
		errs = append(errs, runtime.Required(path, "it is missing"))
	}
	got := errs.Error()
	if !strings.HasSuffix(got, "\nand 900 more problems") || len(got) > 100*400 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if all := errs.Unwrap(); len(all) != 100 || all[99] != error(errs[99]) {
		t.Errorf("%d errors are unwrapped", len(all))
	}
	if got := errs[999].Error(); !strings.HasPrefix(got, "spec.nested.") || !strings.Contains(got, "…") ||
		!strings.HasSuffix(got, ".nested: Required value: it is missing") || len(got) > 400 {
		t.Errorf("got %s", got)
	}
}
