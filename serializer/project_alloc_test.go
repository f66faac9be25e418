package serializer_test

import (
	"bytes"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/internal/race"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer"
)

// sized returns an order with about so many bytes of what is not metadata.
func sized(n int) *workshopv1.Order {
	o := &workshopv1.Order{ObjectMeta: metav1.ObjectMeta{
		Name: "a", Namespace: "b", UID: "c", ResourceVersion: "1",
		Labels: map[string]string{"team": "x"},
	}}
	for len(o.Spec.Tags)*16 < n {
		o.Spec.Tags = append(o.Spec.Tags, "123456789012")
	}
	o.Status.Log = []string{strings.Repeat("x", n/4)}
	return o
}

// TestProjectAllocations checks that what is allocated does not depend on the size of what is not
// shown.
func TestProjectAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector empties pools at random")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties pools too
	f := projectFactory(t)
	for _, source := range sources {
		for _, accept := range []string{"application/json" + asMetadata, "application/vnd.kubernetes.protobuf" +
			asMetadata, "application/yaml" + asMetadata} {
			rep := represent(t, f, accept, workshopv1.GroupVersion.WithKind("Order"))
			var allocations, allocated []float64
			for _, n := range []int{1 << 10, 1 << 20} {
				src, err := f.Append(nil, sized(n), serializer.EncodeOptions{MediaType: source})
				if err != nil {
					t.Fatal(err)
				}
				o := serializer.DecodeOptions{MediaType: source}
				dst := make([]byte, 0, 4096)
				const runs = 10
				run := func() {
					_, how, err := rep.Project(dst, src, o)
					if err != nil || how.Decoded > 0 {
						t.Fatal(how, err)
					}
				}
				allocations = append(allocations, testing.AllocsPerRun(runs, run))
				var before, after goruntime.MemStats
				goruntime.ReadMemStats(&before)
				for range runs {
					run()
				}
				goruntime.ReadMemStats(&after)
				allocated = append(allocated, float64(after.TotalAlloc-before.TotalAlloc)/runs)
			}
			// Strings are cut from blocks of 4 KiB where that much is left of the document, else
			// smaller ones.
			if allocations[0] != allocations[1] || allocated[1] > allocated[0]+4096 {
				t.Errorf("%s to %s: %v allocations and %v bytes for 1 KiB and 1 MiB", source, accept,
					allocations, allocated)
			}
		}
	}
}

// TestProjectTable checks that a table of stored objects is made without decoding what it does not
// show, where all columns are paths.
func TestProjectTable(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools whose use is counted
	f := projectFactory(t)
	rep := represent(t, f, "application/json"+asTable, workshopv1.GroupVersion.WithKind("Order"))
	for _, source := range sources {
		var allocations []float64
		for _, n := range []int{1 << 10, 1 << 20} {
			o := sized(0)
			o.Spec.Customer, o.Spec.Notes = "c", strings.Repeat("n", n)
			o.Spec.Drawings = map[string]string{}
			for i := range n / 1024 {
				o.Spec.Drawings["d"+strconv.Itoa(i)] = "x"
			}
			src, err := f.Append(nil, o, serializer.EncodeOptions{MediaType: source})
			if err != nil {
				t.Fatal(err)
			}
			if how := compare(t, f, rep, src, serializer.DecodeOptions{MediaType: source}); how.Decoded > 0 {
				t.Errorf("%s: the order was decoded", source)
			}
			dst := make([]byte, 0, 16<<10)
			allocations = append(allocations, testing.AllocsPerRun(50, func() {
				if _, _, err := rep.Project(dst, src, serializer.DecodeOptions{MediaType: source}); err != nil {
					t.Fatal(err)
				}
			}))
			// A default may reach a column, so that nothing is certain with defaults.
			if how := compare(t, f, rep, src, serializer.DecodeOptions{
				MediaType: source,
				Default:   true,
			}); how.Decoded == 0 {
				t.Errorf("%s: an order that is to be defaulted was not decoded", source)
			}
		}
		if allocations[1] != allocations[0] && !race.Enabled {
			t.Errorf("%s: %v allocations for 1 KiB and 1 MiB", source, allocations)
		}
	}
}

// FuzzProject compares the fast path with the slow one for any input.
func FuzzProject(f *testing.F) {
	factory := projectFactory(f)
	offer := workshopv1.GroupVersion.WithKind("Order")
	seeds := []string{
		`{"kind":"Order","apiVersion":"workshop.example.com/v1","metadata":{"name":"a","labels":{"b":"c"},"creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"customer":"x"}}`,
		`{"kind":"OrderList","apiVersion":"workshop.example.com/v1beta1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"a"}},{"metadata":{"finalizers":["x"]}}]}`,
		"kind: Order\napiVersion: workshop.example.com/v1\nmetadata:\n  name: a\n",
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	for _, n := range []int{16, 200} {
		for _, source := range sources {
			src, err := factory.Append(nil, sized(n), serializer.EncodeOptions{MediaType: source})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	var reps []*serializer.Representation
	for _, accept := range accepts {
		reps = append(reps, represent(f, factory, accept, offer))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, rep := range reps {
			compare(t, factory, rep, src, serializer.DecodeOptions{})
		}
	})
}

// BenchmarkProject shows a stored order as metadata, which is a small part of it.
func BenchmarkProject(b *testing.B) {
	f := projectFactory(b)
	for _, source := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		for _, accept := range []string{"application/json" + asMetadata, "application/vnd.kubernetes.protobuf" +
			asMetadata} {
			rep := represent(b, f, accept, workshopv1.GroupVersion.WithKind("Order"))
			src, err := f.Append(nil, sized(8<<10), serializer.EncodeOptions{MediaType: source})
			if err != nil {
				b.Fatal(err)
			}
			name, _, _ := bytes.Cut([]byte(source+" to "+accept), []byte(";"))
			b.Run(string(name), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(src)))
				var dst []byte
				for b.Loop() {
					var err error
					if dst, _, err = rep.Project(dst[:0], src,
						serializer.DecodeOptions{MediaType: source}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
