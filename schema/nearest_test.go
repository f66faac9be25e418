package schema_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	fields := []string{"replicas", "image", "imagePullPolicy", "name", "namespace", "labels", "args", "env", "selector"}
	for _, tt := range []struct {
		name       string
		in         string
		candidates []string
		want       string // blank for none
	}{
		{"missing letter", "replcas", fields, "replicas"},
		{"letter too many", "replicaas", fields, "replicas"},
		{"wrong letter", "replicaz", fields, "replicas"},
		{"swapped letters", "repilcas", fields, "replicas"},
		{"singular", "replica", fields, "replicas"},
		{"case", "IMAGEPULLPOLICY", fields, "imagePullPolicy"},
		{"case and a letter", "ImagePulPolicy", fields, "imagePullPolicy"},
		{"short name", "nv", fields, "env"},
		{"nothing near", "affinity", fields, ""},
		{"blank name", "", fields, ""},
		{"no candidates", "image", nil, ""},
		{"blank candidate", "a", []string{""}, ""},
		{"one letter needs the same letter", "a", []string{"b"}, ""},
		{"one letter in another case", "a", []string{"b", "A"}, "A"},
		{"two letters", "v1", []string{"v2"}, "v2"},
		{"two letters, both wrong", "ab", []string{"cd"}, ""},
		{"three letters, one wrong", "abc", []string{"abd"}, "abd"},
		{"three letters, two wrong", "abc", []string{"ade"}, ""},
		{"fewest edits win", "selectr", []string{"elect", "selected", "selector"}, "selector"},
		{"ties go to the first in lexical order", "bat", []string{"hat", "cat", "rat"}, "cat"},
		{"itself", "image", fields, "image"},
		{"not ASCII", "grösse", []string{"größe", "grüsse"}, "grüsse"},
		{"not ASCII, case", "GRÜSSE", []string{"grüsse"}, "grüsse"},
		{"long names are not compared", strings.Repeat("a", 65), []string{strings.Repeat("a", 64)}, ""},
		{"very long names are not compared", "a", []string{strings.Repeat("a", 1000)}, ""},
		{
			"names of the limit are", strings.Repeat("a", 64),
			[]string{strings.Repeat("a", 65), strings.Repeat("a", 63)},
			strings.Repeat("a", 63),
		},
		{
			"names of the limit in bytes are", strings.Repeat("\U0001F600", 64),
			[]string{strings.Repeat("\U0001F600", 63)},
			strings.Repeat("\U0001F600", 63),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := schema.Nearest(tt.in, tt.candidates)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Nearest(%q) = %q, %v, want %q", tt.in, got, ok, tt.want)
			}
			backwards := slices.Clone(tt.candidates)
			slices.Reverse(backwards)
			if got, _ := schema.Nearest(tt.in, backwards); got != tt.want {
				t.Errorf("with the candidates backwards: %q", got)
			}
		})
	}
}

func TestNearestSeq(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{"Machine": 1, "MachinePool": 2, "Rack": 3}
	if got, ok := schema.NearestSeq("Machin", maps.Keys(kinds)); !ok || got != "Machine" {
		t.Errorf("NearestSeq = %q, %v", got, ok)
	}
	if got, ok := schema.NearestSeq("", maps.Keys(kinds)); ok {
		t.Errorf("NearestSeq of a blank name = %q", got)
	}
}

// Not parallel, because allocations are counted for the whole process.
func TestNearestDoesNotAllocate(t *testing.T) {
	candidates := []string{"replicas", "image", "selector"}
	if n := testing.AllocsPerRun(100, func() { schema.Nearest("selectr", candidates) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkNearest(b *testing.B) {
	candidates := make([]string, 50)
	for i := range candidates {
		candidates[i] = "terminationGracePeriodSecond" + strings.Repeat("s", i%3)
	}
	b.ReportAllocs()
	for b.Loop() {
		schema.Nearest("terminationGracePeriodSecnds", candidates)
	}
}
