package v1

import (
	"context"
	"testing"
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

func BenchmarkCheckFields(b *testing.B) {
	in, ctx := large(), context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if errs := CheckFieldsRuled(ctx, in, nil); errs != nil {
			b.Fatal(errs)
		}
	}
}
