package patch_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// TestStrategicPatchOfManyOrders asks for the order of so many lists that looking for each among
// all members of the patch takes more work than the limit.
func TestStrategicPatchOfManyOrders(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"x":1`)
	for i := range 20_000 {
		b.WriteString(`,"$setElementOrder/` + strconv.Itoa(i) + `":[]`)
	}
	b.WriteString(`}`)
	p, err := patch.Parse(patch.Strategic, []byte(b.String()), patch.Options{Structure: structure.Deduced})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Append(nil, []byte(`{}`))
	if e, ok := errors.AsType[*patch.Error](err); !ok || !errors.Is(err, schema.ErrLimit) || e.Code() != 413 {
		t.Errorf("got %v", err)
	}
}

// TestStrategicErrorFarDown fails at the end of a deep patch: the place is complete.
func TestStrategicErrorFarDown(t *testing.T) {
	t.Parallel()
	const deep = 5000
	doc := strings.Repeat(`{"a":`, deep) + `{"b":1}` + strings.Repeat(`}`, deep)
	change := strings.Repeat(`{"a":`, deep) + `{"$patch":"x"}` + strings.Repeat(`}`, deep)
	p, err := patch.Parse(patch.Strategic, []byte(change), patch.Options{Structure: structure.Deduced})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Append(nil, []byte(doc))
	e, ok := errors.AsType[*patch.Error](err)
	if !ok || !errors.Is(err, patch.ErrSyntax) || strings.Count(e.Path, "a.") != deep {
		t.Errorf("got %v", err)
	}
}
