package patch_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/patch"
	"github.com/askind/askind/schema"
)

// TestHostileMerge sends merge patches that are deep, wide and large. Those beyond a limit are
// refused with its name, before anything is changed.
func TestHostileMerge(t *testing.T) {
	t.Parallel()
	nested := func(levels int, end string) string {
		return strings.Repeat(`{"a":`, levels) + end + strings.Repeat("}", levels)
	}
	for _, tt := range []struct{ name, doc, patch, limit string }{
		{"a deep patch", `{}`, nested(200_000, "1"), "Depth"},
		{"a large patch", `{}`, `{"a":"` + strings.Repeat("x", 4<<20) + `"}`, "Size"},
		{"as deep as is allowed", nested(9_000, `{"b":1}`), nested(9_000, `{"b":null,"c":1}`), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := patch.Parse(patch.Merge, []byte(tt.patch), patch.Options{Limits: patch.Limits{
				Limits: schema.Limits{Size: 2 << 20},
			}})
			if tt.limit != "" {
				limit, ok := errors.AsType[*schema.LimitError](err)
				e, isPatch := errors.AsType[*patch.Error](err)
				if !ok || !isPatch || limit.Limit != tt.limit || e.Code() != 413 {
					t.Errorf("got %v, want the limit %s", err, tt.limit)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Append(nil, []byte(tt.doc))
			if want := nested(9_000, `{"c":1}`); err != nil || string(got) != want {
				t.Errorf("got %d bytes, %v; want %d", len(got), err, len(want))
			}
		})
	}
}

// TestWidePatches changes objects with many members by merge patches and JSON patches. Looking for
// each member among all of them would take minutes.
func TestWidePatches(t *testing.T) {
	t.Parallel()
	n := 150_000
	if testing.Short() {
		n = 30_000
	}
	members := func(first int, value string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`,"m` + strconv.Itoa(first+n-i) + `":` + value)
		}
		return "{" + b.String()[1:] + "}"
	}
	doc := members(1_000_000, "1")
	took := cputime.Of(func() {
		for _, tt := range []struct {
			name   string
			format patch.Type
			patch  string
			count  int // of members
		}{
			{"others", patch.Merge, members(2_000_000, "2"), 2 * n},
			{"the same", patch.Merge, members(1_000_000, "2"), n},
			{"none", patch.Merge, members(1_000_000, "null"), 0},
			{
				"one after the other", patch.JSON, "[" + strings.Repeat(
					`{"op":"add","path":"/x","value":1},{"op":"move","from":"/x","path":"/y"},{"op":"remove","path":"/y"},`, 3000) +
					`{"op":"test","path":"/m1000001","value":1}]`, n,
			},
		} {
			p, err := patch.Parse(tt.format, []byte(tt.patch), patch.Options{Limits: patch.Limits{
				Limits: schema.Limits{Size: 64 << 20},
			}})
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			got, err := p.Append(nil, []byte(doc))
			count := strings.Count(string(got), ":")
			if err != nil || count != tt.count || len(got) > len(doc)+len(tt.patch) {
				t.Errorf("%s: got %d members in %d bytes, %v; want %d", tt.name, count, len(got), err, tt.count)
			}
		}
	})
	if took > 30*time.Second {
		t.Errorf("%d members took %v", n, took)
	}
}

// TestSelfCopies doubles a document by copies into itself until the limit. The error names the
// operation, and the document that was given is as it was.
func TestSelfCopies(t *testing.T) {
	t.Parallel()
	doc := []byte(`{"a":["` + strings.Repeat("x", 1000) + `"]}`)
	before := string(doc)
	change := "[" + strings.Repeat(`{"op":"copy","from":"/a","path":"/a/-"},`, 100) +
		`{"op":"copy","from":"/a","path":"/a/-"}]`
	p, err := patch.Parse(patch.JSON, []byte(change), patch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	prefix := []byte("kept")
	got, err := p.Append(prefix, doc)
	e, ok := errors.AsType[*patch.Error](err)
	if !ok || !errors.Is(err, schema.ErrLimit) || e.Code() != 413 || e.Op != "copy" || e.Operation < 10 ||
		e.Operation > 12 || !e.Position.IsValid() {
		t.Errorf("got %v", err)
	}
	if string(got) != "kept" || string(doc) != before {
		t.Errorf("got %d bytes; the document has %d", len(got), len(doc))
	}
}
