package rows

import (
	"testing"
	"time"

	"github.com/askind/askind/bench/peers/internal/compare"
)

// budgets are what must not be lost again: against the named library, how many times as long as ours it takes at least, and how many
// allocations ours may do at most. Ratios are about 60 % of those measured when the line was written, so that noise does not fail the
// build and a loss of two fifths does; allocations are counted exactly, so one more fails. A better figure is a reason to raise a line.
var budgets = []struct {
	row, peer   string
	ratio       float64
	allocations float64
}{
	{"decode/json/small", kube, 2.8, 8},
	{"decode/json/machine", kube, 5.5, 33},
	{"decode/json/metadata", kube, 5, 16},
	{"decode-strict/json/machine", kube, 5.5, 35},
	{"decode-strict/json/pod", kube, 5, 73},
	{"encode/json/machine", kube, 4, 0},
	{"encode/json/metadata", kube, 4, 0},
	{"encode/json/pod", kube, 3.8, 0},
	{"decode/yaml/machine", kube, 6.5, 89},
	{"encode/yaml/machine", kube, 22, 0},
	{"encode/yaml/pod", kube, 28, 0},
	{"decode/protobuf/pod", kube, 0.9, 93},
	{"decode/protobuf/metadata", kube, 0.8, 19},
	{"decode/protobuf/configmap", kube, 0.7, 7},
	{"encode/protobuf/pod", kube, 1.4, 0},
	{"encode/cbor/pod", kube, 2.7, 0},
	{"encode/cbor/metadata-500", kube, 3.5, 48},
	{"decode/cbor/pod", kube, 2, 76},
	{"project/protobuf-to-protobuf/pods-500", kube, 30, 27},
	{"project/protobuf-to-json/pods-500", kube, 12, 29},
	{"project/json-to-json/pods-500", kube, 17, 28},
	{"deep-copy/machine", kube, 0.6, 38},
	{"convert/copying/machine", kube, 0.75, 36},
	{"negotiate/seen/kubectl", "goautoneg", 10, 0},
	{"negotiate/new/kubectl", "goautoneg", 0.8, 0},
	{"as-metadata/json/pods-500", kube, 3.3, 1},
	{"as-metadata/protobuf/pods-500", kube, 1.1, 1},
	{"scheme-build/fleet", kube, 0.9, 80},
	{"lookup/kind-of-object", kube, 1.8, 0},
	{"lookup/kind-of-resource", kube, 3, 0},
}

// TestBudgets is not parallel, so that it does not measure itself beside the other tests of the package.
func TestBudgets(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for some seconds")
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*compare.Row{}
	for _, r := range all {
		byName[r.Name] = r
	}
	effort := compare.Effort{Sample: 4 * time.Millisecond, Garbage: 8 << 20, Row: 600 * time.Millisecond, MinRounds: 7, MaxRounds: 15}
	for _, b := range budgets {
		t.Run(b.row, func(t *testing.T) {
			r := byName[b.row]
			if r == nil {
				t.Fatal("there is no such row")
			}
			only := *r
			only.Subjects = r.Subjects[:1:1]
			for _, s := range r.Subjects[1:] {
				if s.Name == b.peer {
					only.Subjects = append(only.Subjects, s)
				}
			}
			if len(only.Subjects) != 2 {
				t.Fatalf("the row does not have %s", b.peer)
			}
			result, err := compare.Measure(&only, effort)
			if err != nil {
				t.Fatal(err)
			}
			ours, peer := result.Subjects[0], result.Subjects[1]
			if peer.Refused != "" {
				t.Fatal(peer.Refused)
			}
			t.Logf("%s takes %.2f (%.2f..%.2f) times as long as ours, which allocates %.1f times", b.peer, peer.Ratio.Median, peer.Ratio.Min, peer.Ratio.Max, ours.Allocations)
			if peer.Ratio.Median < b.ratio {
				t.Errorf("%s takes only %.2f times as long as ours, the budget is %.2f", b.peer, peer.Ratio.Median, b.ratio)
			}
			if ours.Allocations > b.allocations+0.5 {
				t.Errorf("ours allocates %.1f times, the budget is %.0f", ours.Allocations, b.allocations)
			}
		})
	}
}

// TestRows prepares every row of a quick run and compares what all libraries make, without measuring anything for long.
func TestRows(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, r := range all {
		if names[r.Name] {
			t.Errorf("two rows are called %s", r.Name)
		}
		names[r.Name] = true
		if r.Heavy {
			continue
		}
		result, err := compare.Measure(r, compare.Effort{MinRounds: 1, MaxRounds: 1})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, m := range result.Subjects {
			if m.Refused != "" {
				t.Error(m.Refused)
			}
		}
	}
}
