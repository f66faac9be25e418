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

// TestStrategicPatchOfOneElement names an element with a long list so often that going through the
// list each time takes minutes.
func TestStrategicPatchOfOneElement(t *testing.T) {
	t.Parallel()
	const n = 5000
	list := func(element string) string { return strings.Repeat(","+element, n)[1:] }
	var ports, members strings.Builder
	for i := range n {
		ports.WriteString(`,{"port":` + strconv.Itoa(i) + `}`)
		members.WriteString(`,"m` + strconv.Itoa(i) + `":1`)
	}
	for _, tt := range []struct{ doc, patch string }{
		{`[` + ports.String()[1:] + `]`, `"$setElementOrder/ports":[]`},
		{`[` + ports.String()[1:] + `]`, `"ports":[]`},
		{`[` + ports.String()[1:] + `]`, `"ports":[{"$patch":"delete","port":-1}]`},
		{`[` + list("1") + `]`, `"$deleteFromPrimitiveList/ports":[2]`},
		{`{` + members.String()[1:] + `}`, `"ports":{"$retainKeys":["m0"]}`},
	} {
		o := patch.Options{Structure: web, Limits: patch.Limits{Work: 5_000_000}}
		p, err := patch.Parse(patch.Strategic, []byte(`{"containers":[`+list(`{"name":"a",`+tt.patch+`}`)+`]}`), o)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Append(nil, []byte(`{"containers":[{"name":"a","ports":`+tt.doc+`}]}`))
		if e, ok := errors.AsType[*patch.Error](err); !ok || !errors.Is(err, schema.ErrLimit) || e.Code() != 413 {
			t.Errorf("%s: got %v", tt.patch, err)
		}
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
