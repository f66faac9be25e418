package v1

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/runtime"
)

// large is a valid object of about ten kilobytes of JSON.
func large() *Ruled {
	floors := int32(5)
	in := &Ruled{Spec: Spec{
		Name: "abcä", Owner: "o", City: "c", Floors: &floors, Steps: 6, Size: "large", Wheels: 4, Mode: ModeOpen,
		Rating: 4.5,
		Tags:   []string{"a", "bb", "c"}, Prices: map[string]int64{"a": 1, "b": 2}, Address: "10.0.0.1", Label: "a-1",
		Notes: []string{"a"}, Parts: []string{"a"},
	}}
	for i := range 8 {
		in.Spec.Shelves = append(in.Spec.Shelves, Shelf{
			Name:   string(rune('a'+i%26)) + string(rune('a'+i/26)),
			Boards: 1,
		})
	}
	text := make([]byte, 9500)
	for i := range text {
		text[i] = 'x'
	}
	in.Status.Phase = string(text)
	return in
}

func TestValidObjectAllocatesNothing(t *testing.T) {
	in, old, ctx := large(), large(), context.Background()
	if errs := CheckFieldsRuled(ctx, in, nil); errs != nil {
		t.Fatal(errs)
	}
	text, err := AppendJSONRuled(nil, in)
	if err != nil || len(text) < 9_000 {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	for _, before := range []*Ruled{nil, old} {
		if n := testing.AllocsPerRun(100, func() { CheckFieldsRuled(ctx, in, before) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// TestManyErrors checks that the number of errors does not grow with lists and maps.
func TestManyErrors(t *testing.T) {
	t.Parallel()
	const n = 100_000
	prices := make(map[string]int64, n)
	for i := range n {
		prices[strconv.Itoa(i)] = -1
	}
	more := &More{Numbers: make([]int64, n), Entries: make([][]string, n), Ports: make([]intstr.IntOrString, n)}
	in := &Ruled{Spec: Spec{Tags: make([]string, n), Prices: prices, Shelves: make([]Shelf, n)}}
	for name, errs := range map[string]runtime.FieldErrors{
		"more": CheckFieldsMore(t.Context(), more, nil), "ruled": CheckFieldsRuled(t.Context(), in, nil),
	} {
		if len(errs) < 10_000 || len(errs) > 10_100 {
			t.Errorf("%s: %d errors", name, len(errs))
		}
	}
}

// TestErrorsHideSecrets checks that errors about sensitive fields, and about what they hold, do not
// show values, and that those about other fields do.
func TestErrorsHideSecrets(t *testing.T) {
	t.Parallel()
	in := &Secret{
		Token: "Pa55", Pins: []string{"12345"}, Keys: []Lock{{Number: 1}, {Number: 777}}, Metal: "silver7",
		Hint: "brass",
	}
	errs := CheckFieldsSecret(t.Context(), in, nil)
	want := []string{
		`token: Invalid value: "<redacted>": must be at least 8 characters`,
		`token: Invalid value: "<redacted>": must match ^[a-z0-9]*$`,
		`pins[0]: Too long: may not be more than 4 characters`,
		`keys[0].number: Invalid value: "<redacted>": must be greater than or equal to 1000`,
		`keys[1].number: Invalid value: "<redacted>": must be greater than or equal to 1000`,
		`metal: Unsupported value: "<redacted>": supported values: "copper", "silver"`,
		`hint: Too long: may not be more than 4 characters`,
	}
	if got := errs.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	for _, e := range errs {
		if shown := e.Value == "brass"; shown != (e.Path.String() == "hint") || !shown && e.Value != "<redacted>" {
			t.Errorf("the value of the error %q is %v", e, e.Value)
		}
	}
	if errs := CheckFieldsSecret(t.Context(), in, in); errs != nil {
		t.Errorf("without a change: %v", errs)
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		in         Bounds
	}{
		{"beyond a signed number", "", Bounds{Count: 1 << 63}},
		{"the maximum", "", Bounds{Count: 1<<64 - 2}},
		{
			"above the maximum",
			"count: Invalid value: 18446744073709551615: must be less than or equal to 18446744073709551614",
			Bounds{Count: 1<<64 - 1},
		},
		{
			"no multiple of a number beyond 64 bits",
			"far: Invalid value: 5: must be a multiple of 10000000000000000000",
			Bounds{Far: 5},
		},
		{
			"elements that differ in one key", "",
			Bounds{Ports: []Port{{80, "TCP"}, {81, "TCP"}, {80, "UDP"}}},
		},
		{
			"elements with the same keys", "ports[2]: Duplicate value",
			Bounds{Ports: []Port{{80, "TCP"}, {80, "UDP"}, {80, "TCP"}}},
		},
	} {
		if got := CheckFieldsBounds(t.Context(), &tt.in, nil).Error(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func BenchmarkCheckFields(b *testing.B) {
	in, ctx := large(), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if errs := CheckFieldsRuled(ctx, in, nil); errs != nil {
			b.Fatal(errs)
		}
	}
}
