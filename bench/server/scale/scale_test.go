// Package scale measures how the cost of a store grows with its objects and watches:
//
//	go test -bench . -run '^$' -benchtime 200x ./scale            # up to 100,000 objects
//	go test -bench . -run '^$' -benchtime 200x ./scale -objects 1000000
//
// BenchmarkHTTPWatches needs 20,000 open files (ulimit -n).
//
// docs/scale.md has the results and what follows from them.
package scale

import (
	"context"
	"flag"
	"fmt"
	goruntime "runtime"
	"syscall"
	"testing"
	"time"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

var objects = flag.Int("objects", 100_000, "the largest number of objects")

// newMachines returns a store of machines with n of them.
func newMachines(b *testing.B, n int) *store.Resource {
	b.Helper()
	scheme, err := runtime.NewScheme(fleetv1.AddTo, metav1.AddTo)
	if err != nil {
		b.Fatal(err)
	}
	factory, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		b.Fatal(err)
	}
	engine := memory.New()
	s, err := store.Open(b.Context(), engine, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close(); engine.Close() })
	r, err := s.Add(store.ResourceOptions{Factory: factory, Kind: fleetv1.GroupVersion.WithKind("Machine")})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if _, err := r.Create(b.Context(), newMachine(i), store.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	return r
}

func newMachine(i int) *fleetv1.Machine {
	return &fleetv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("m%07d", i)},
		Spec: fleetv1.MachineSpec{
			Zone: "fra-1", Hardware: fleetv1.Hardware{Cores: 4, Memory: resource.MustParse("8Gi")},
			Boot: fleetv1.BootSource{Type: fleetv1.BootFromImage, Image: &fleetv1.BootImage{Name: "debian-13"}},
		},
	}
}

// change writes one of n objects.
func change(b *testing.B, r *store.Resource, i, n int) {
	b.Helper()
	key := store.Key{Namespace: "default", Name: fmt.Sprintf("m%07d", i*7919%n)}
	next := func(_ context.Context, obj runtime.Object) (runtime.Object, error) {
		obj.(*fleetv1.Machine).Labels = map[string]string{"n": fmt.Sprint(i)}
		return obj, nil
	}
	_, err := r.Update(b.Context(), key, store.WriteOptions{}, next)
	if err != nil {
		b.Fatal(err)
	}
}

// cpu returns the processor time of the process, which other programs do not disturb.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func heap() uint64 {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkObjects reports the memory for each object, history included, and the processor time of
// a write and of a page of 500.
func BenchmarkObjects(b *testing.B) {
	for n := 1000; n <= *objects; n *= 10 {
		perObject := 0.0
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			before := heap()
			r := newMachines(b, n)
			if perObject == 0 { // what a run leaves behind disturbs the next
				perObject = float64(heap()-before) / float64(n)
			}
			b.ReportMetric(perObject, "B/object")
			begin := cpu(b)
			for i := range b.N {
				change(b, r, i, n)
			}
			written := cpu(b)
			for range b.N {
				if _, err := r.List(b.Context(), store.ListOptions{Limit: 500}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(written-begin)/1e3/float64(b.N), "cpu-µs/write")
			b.ReportMetric(float64(cpu(b)-written)/1e3/float64(b.N), "cpu-µs/page")
		})
	}
}

// BenchmarkWatches reports the memory for each watch, and the processor time of an event for each
// watch that takes it, without a transport.
func BenchmarkWatches(b *testing.B) {
	for _, n := range []int{100, 1000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newMachines(b, 1000)
			before := heap()
			watches := make([]*store.Watch, n)
			for i := range watches {
				w, err := r.Watch(b.Context(), store.WatchOptions{})
				if err != nil {
					b.Fatal(err)
				}
				defer w.Close()
				watches[i] = w
			}
			perWatch := float64(heap()-before) / float64(n)
			var buffer [16]store.Event
			begin := cpu(b)
			for i := range b.N {
				change(b, r, i, 1000)
				for _, w := range watches {
					if events, err := w.Next(buffer[:0]); err != nil || len(events) != 1 {
						b.Fatal(len(events), err)
					}
				}
			}
			b.ReportMetric(perWatch, "B/watch")
			b.ReportMetric(float64(cpu(b)-begin)/1e3/float64(b.N)/float64(n), "cpu-µs/event/watch")
		})
	}
}
