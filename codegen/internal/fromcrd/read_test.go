package fromcrd_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/fromcrd"
)

// TestListOfItself reads lists that contain themselves by aliases.
func TestListOfItself(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"&x\nkind: List\nitems: [*x]\n", "&x\nkind: List\nitems: [*x, *x]\n"} {
		var d diag.List
		if got := fromcrd.Read("f.yaml", []byte(text), &d); len(got) > 0 {
			t.Errorf("%q has %d definitions, want none", text, len(got))
		}
		found := d.Sorted()
		if len(found) != 1 || !strings.Contains(found[0].Message, "more than 100000 objects in lists") {
			t.Errorf("%q: %v, want one error about the number of objects", text, found)
		}
	}
}
