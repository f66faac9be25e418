package k8s_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/runtime"
)

// TestSchemeBuild builds a scheme of all groups beside Kubernetes' own, in rounds, and holds that
// both know the same kinds. With all packages of k8s.io/api, see TestAllPackages, the peer takes
// four times as long and 7.4 times as many allocations; the budget is about half of that, and less
// for the few groups here.
func TestSchemeBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for a second")
	}
	var scheme *runtime.Scheme
	var peer *kruntime.Scheme
	row := compare.Row{Name: "scheme-build/k8s.io/api", Subjects: []compare.Subject{
		{Name: "askind", Prepare: func() (compare.Work, error) {
			return compare.Work{
				Run: func() (err error) {
					scheme, err = runtime.NewScheme(groups()...)
					return err
				},
				Result: func() ([]byte, error) { return kindNames(scheme), nil },
			}, nil
		}},
		{Name: "apimachinery", Prepare: func() (compare.Work, error) {
			return compare.Work{
				Run: func() error {
					peer = kruntime.NewScheme()
					for _, add := range peerGroups() {
						if err := add(peer); err != nil {
							return err
						}
					}
					return nil
				},
				Result: func() ([]byte, error) { return peerKindNames(peer), nil },
			}, nil
		}},
	}}
	result, err := compare.Measure(&row, compare.Effort{
		Sample: 10 * time.Millisecond, Garbage: 16 << 20,
		Row: time.Second, Passes: 7, MaxRounds: 21,
	})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := result.Subjects[0], result.Subjects[1]
	if theirs.Refused != "" {
		t.Fatal(theirs.Refused)
	}
	t.Logf("%d groups: %.0f µs, %.0f allocations, %.0f bytes; apimachinery %.0f µs, %.0f, %.0f; ratio %.2f, %.2f..%.2f",
		len(groups()),
		ours.Nanoseconds/1e3, ours.Allocations, ours.Bytes, theirs.Nanoseconds/1e3, theirs.Allocations, theirs.Bytes,
		theirs.Ratio.Median, theirs.Ratio.Min, theirs.Ratio.Max)
	if theirs.Ratio.Median < 2 || ours.Allocations > theirs.Allocations/4 {
		t.Error("it takes longer, or allocates more, than the budget has")
	}
}

// kindNames lists the kinds of a scheme, without the List of anything, which package corev1 leaves
// to others.
func kindNames(s *runtime.Scheme) []byte {
	var out []string
	for k := range s.Kinds() {
		if gvk := k.GroupVersionKind(); gvk.Kind != "List" {
			out = append(out, gvk.Group+"/"+gvk.Version+"/"+gvk.Kind)
		}
	}
	slices.Sort(out)
	return []byte(strings.Join(out, "\n"))
}

// peerKindNames lists those of Kubernetes' scheme, without the kinds of apimachinery that it
// registers again under each version, and without List.
func peerKindNames(s *kruntime.Scheme) []byte {
	var out []string
	for gvk, typ := range s.AllKnownTypes() {
		if strings.HasPrefix(typ.PkgPath(), "k8s.io/api/") && gvk.Kind != "List" {
			out = append(out, gvk.Group+"/"+gvk.Version+"/"+gvk.Kind)
		}
	}
	slices.Sort(out)
	return []byte(strings.Join(out, "\n"))
}
