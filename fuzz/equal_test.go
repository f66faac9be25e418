package fuzz

import (
	"strings"
	"testing"

	"github.com/askind/askind/runtime"
)

// crate holds a box, which knows its scheme.
type crate struct {
	Kind, APIVersion string
	Labels           map[string]string
	Box              runtime.Embedded[*box]
}

// The scheme that an embedded object knows is full of functions, which are never equal: it is not
// looked into.
func TestEqualOfEmbedded(t *testing.T) {
	t.Parallel()
	spec := boxSpec()
	s, err := runtime.NewScheme(func(b *runtime.Builder) { runtime.AddKind(b, &spec) })
	if err != nil {
		t.Fatal(err)
	}
	in, err := runtime.NewEmbedded(s, &box{})
	if err != nil {
		t.Fatal(err)
	}
	none, empty, other := &crate{Box: in}, &crate{Box: in, Labels: map[string]string{}}, &crate{Box: in, Kind: "Crate"}
	if !equal(none, empty) {
		t.Errorf("no labels and an empty map of labels differ:\n%s", diff(none, empty))
	}
	if text := diff(none, other); equal(none, other) || strings.Contains(text, "AppendJSONFields") {
		t.Errorf("the difference in one field is shown as\n%s", text)
	}
}
