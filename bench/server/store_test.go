package server

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	goruntime "runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/memory"
)

var factory = func() *serializer.Factory {
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), protobuf.Format())
	if err != nil {
		panic(err)
	}
	return f
}()

// machine returns a machine whose JSON has about so many bytes.
func machine(i, size int) *v1.Machine {
	m := &v1.Machine{ObjectMeta: metav1.ObjectMeta{
		Namespace: fmt.Sprint("ns-", i%10), Name: fmt.Sprintf("machine-%07d", i),
		UID: fmt.Sprintf("8f14e45f-ceea-467f-9c39-%012d", i), Generation: 1,
		Labels: map[string]string{"app": fmt.Sprint("app-", i%100), "tier": "web"},
	}}
	m.Spec.Zone = fmt.Sprint("zone-", i%3)
	m.Annotations = map[string]string{"example.com/notes": strings.Repeat("n", max(1, size-560))}
	return m
}

func openStore(tb testing.TB, engine store.Engine) *store.Resource {
	tb.Helper()
	s, err := store.Open(context.Background(), engine, store.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	r, err := s.Add(store.ResourceOptions{Factory: factory, Kind: v1.GroupVersion.WithKind("Machine")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close(); engine.Close() })
	return r
}

func fill(tb testing.TB, r *store.Resource, n, size int) {
	tb.Helper()
	var wg sync.WaitGroup
	for w := range 64 {
		wg.Go(func() {
			for i := w; i < n; i += 64 {
				if _, err := r.Create(context.Background(), machine(i, size), store.WriteOptions{}); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

var engines = []struct {
	name string
	open func(tb testing.TB) store.Engine
}{
	{"memory", func(testing.TB) store.Engine { return memory.New() }},
	{"file", func(tb testing.TB) store.Engine {
		e, err := file.Open(filepath.Join(tb.TempDir(), "db"))
		if err != nil {
			tb.Fatal(err)
		}
		return e
	}},
}

// cpu returns the processor time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportCPU reports the processor time of an operation that ran n times for each b.N. It
// says more than the time on a clock where others use the machine too.
func reportCPU(b *testing.B, before time.Duration, n int) {
	b.Helper()
	b.ReportMetric(float64(cpu()-before)/float64(b.N)/float64(n), "cpu-ns/op")
}

// idle returns how long processors have had nothing to run, and how long there were processors at
// all, both in seconds.
func idle() (unused, total float64) {
	goruntime.GC() // updates the figures
	samples := []metrics.Sample{{Name: "/cpu/classes/idle:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64(), samples[1].Value.Float64()
}

// BenchmarkCreate has writers that create objects of 1 KB. On a machine that does other things too,
// the writes per second of an idle one follow from the processor time, if processors are not idle
// because writers wait for each other.
func BenchmarkCreate(b *testing.B) {
	for _, e := range engines {
		for _, writers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/writers=%d", e.name, writers), func(b *testing.B) {
				r := openStore(b, e.open(b))
				b.ReportAllocs()
				var next atomic.Int64
				var wg sync.WaitGroup
				objects := make([]*v1.Machine, b.N)
				for i := range objects {
					objects[i] = machine(i, 1024)
				}
				unused, total := idle()
				b.ResetTimer()
				before := cpu()
				for range writers {
					wg.Go(func() {
						for {
							i := int(next.Add(1))
							if i > b.N {
								return
							}
							_, err := r.Create(context.Background(), objects[i-1], store.WriteOptions{})
							if err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				reportCPU(b, before, 1)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
				b.StopTimer()
				unusedAfter, totalAfter := idle()
				b.ReportMetric(100*(unusedAfter-unused)/(totalAfter-total), "%idle")
			})
		}
	}
}

// BenchmarkUpdate changes a label of one of 1,000 objects under its resourceVersion.
func BenchmarkUpdate(b *testing.B) {
	r := openStore(b, memory.New())
	fill(b, r, 1000, 1024)
	b.ReportAllocs()
	before := cpu()
	defer func() { reportCPU(b, before, 1) }()
	for i := 0; b.Loop(); i++ {
		m := machine(i%1000, 1024)
		_, err := r.Update(context.Background(), store.Key{Namespace: m.Namespace, Name: m.Name}, store.WriteOptions{},
			func(_ context.Context, current runtime.Object) (runtime.Object, error) {
				current.(*v1.Machine).Labels["n"] = fmt.Sprint(i)
				return current, nil
			})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// forms are representations that are measured.
var forms = []struct{ name, accept string }{
	{"same", "application/json"},
	{"v1beta1", "application/json;v=v1beta1"},
	{"metadata", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"},
	{"table", "application/json;as=Table;g=meta.k8s.io;v=v1"},
}

func negotiate(tb testing.TB, accept string, list bool) *serializer.Representation {
	tb.Helper()
	kind := v1.GroupVersion.WithKind("Machine")
	if list {
		kind.Kind += "List"
	}
	rep, err := factory.Negotiate([]string{accept}, serializer.Offer{Kind: kind})
	if err != nil {
		tb.Fatal(err)
	}
	return rep
}

// BenchmarkGet answers one of 10,000 objects of 1 KB.
func BenchmarkGet(b *testing.B) {
	r := openStore(b, memory.New())
	fill(b, r, 10_000, 1024)
	for _, f := range forms[:3] {
		b.Run(f.name, func(b *testing.B) {
			rep := negotiate(b, f.accept, false)
			var buf []byte
			b.ReportAllocs()
			before := cpu()
			defer func() { reportCPU(b, before, 1) }()
			for i := 0; b.Loop(); i++ {
				key := store.Key{Namespace: fmt.Sprint("ns-", i%10), Name: fmt.Sprintf("machine-%07d", i%10_000)}
				e, err := r.Get(context.Background(), key, store.GetOptions{})
				if err == nil {
					buf, err = e.Append(buf[:0], rep)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkList lists and answers everything. The decoded way is that of a server that decodes what
// it has stored.
func BenchmarkList(b *testing.B) {
	for _, size := range []struct{ n, bytes int }{{5000, 10 << 10}, {10_000, 1 << 10}} {
		r := openStore(b, memory.New())
		fill(b, r, size.n, size.bytes)
		for _, f := range forms {
			rep := negotiate(b, f.accept, true)
			b.Run(fmt.Sprintf("%dx%d/%s", size.n, size.bytes, f.name), func(b *testing.B) {
				b.ReportAllocs()
				before := cpu()
				defer func() { reportCPU(b, before, 1) }()
				for b.Loop() {
					l, err := r.List(context.Background(), store.ListOptions{})
					if err == nil {
						err = l.Encode(io.Discard, rep)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%dx%d/%s/decoded", size.n, size.bytes, f.name), func(b *testing.B) {
				b.ReportAllocs()
				before := cpu()
				defer func() { reportCPU(b, before, 1) }()
				for b.Loop() {
					l, err := r.List(context.Background(), store.ListOptions{})
					if err != nil {
						b.Fatal(err)
					}
					obj, err := l.Object()
					if err == nil {
						err = rep.Encode(io.Discard, obj)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("%dx%d/page of 500 at a past revision", size.n, size.bytes), func(b *testing.B) {
			rep := negotiate(b, forms[0].accept, true)
			first, err := r.List(context.Background(), store.ListOptions{Limit: 500})
			if err != nil {
				b.Fatal(err)
			}
			for i := range 100 {
				if _, err := r.Create(context.Background(), machine(1_000_000+i, 1024),
					store.WriteOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			before := cpu()
			defer func() { reportCPU(b, before, 1) }()
			for b.Loop() {
				l, err := r.List(context.Background(), store.ListOptions{Limit: 500, Continue: first.Continue()})
				if err == nil {
					err = l.Encode(io.Discard, rep)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWatch writes one object of 1 KB and has all watches take and encode the event, each in a
// goroutine of its own, without a transport.
func BenchmarkWatch(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("watchers=%d", n), func(b *testing.B) {
			r := openStore(b, memory.New())
			rep := negotiate(b, "application/json", true)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var delivered atomic.Int64
			arrived := make(chan struct{}, 1)
			var running sync.WaitGroup
			for range n {
				w, err := r.Watch(ctx, store.WatchOptions{})
				if err != nil {
					b.Fatal(err)
				}
				running.Go(func() { follow(ctx, w, rep, &delivered, int64(n), arrived) })
			}
			b.ReportAllocs()
			before := cpu()
			i := 0
			for b.Loop() {
				if _, err := r.Create(ctx, machine(i, 1024), store.WriteOptions{}); err != nil {
					b.Fatal(err)
				}
				i++
				<-arrived
			}
			reportCPU(b, before, n)
			cancel()
			running.Wait()
		})
	}
}

// follow takes the events of a watch. When all watches have taken one, it says so.
func follow(ctx context.Context, w *store.Watch, rep *serializer.Representation, delivered *atomic.Int64, n int64,
	arrived chan<- struct{},
) {
	defer w.Close()
	stream := w.Stream(false)
	out, err := rep.Events(io.Discard)
	if err != nil {
		return
	}
	buf := make([]serializer.Event, 0, 16)
	for {
		events, err := stream.Next(buf[:0])
		if err != nil {
			return
		}
		for _, e := range events {
			if out.Send(e.Type, e.Object) != nil {
				return
			}
			if delivered.Add(1)%n == 0 {
				arrived <- struct{}{}
			}
		}
		if len(events) == 0 && stream.Wait(ctx) != nil {
			return
		}
	}
}

// heap returns the bytes of live objects.
func heap() int64 {
	goruntime.GC()
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkMemory reports what an object and an idle watch keep. It is one measurement, whatever
// b.N is.
func BenchmarkMemory(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("objects=%d", n), func(b *testing.B) {
			if n > 100_000 && testing.Short() {
				b.Skip("a million objects take a gigabyte; run without -short")
			}
			before := heap()
			r := openStore(b, memory.New())
			fill(b, r, n, 1024)
			bytes := int64(len(mustGet(b, r, 0)))
			b.ReportMetric(float64(heap()-before)/float64(n), "B/object")
			b.ReportMetric(float64(bytes), "B/encoded")
			l, err := r.List(context.Background(), store.ListOptions{Limit: 500})
			start := time.Now()
			if err == nil {
				l, err = r.List(context.Background(), store.ListOptions{Limit: 500, Continue: l.Continue()})
			}
			if err == nil {
				err = l.Encode(io.Discard, negotiate(b, "application/json", true))
			}
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(time.Since(start).Microseconds()), "µs/page")
		})
	}
	b.Run("watch", func(b *testing.B) {
		r := openStore(b, memory.New())
		before := heap()
		const n = 10_000
		watches := make([]*store.Watch, n)
		for i := range watches {
			w, err := r.Watch(context.Background(), store.WatchOptions{})
			if err != nil {
				b.Fatal(err)
			}
			w.Ready()
			watches[i] = w
		}
		b.ReportMetric(float64(heap()-before)/n, "B/watch")
		goruntime.KeepAlive(watches)
	})
}

func mustGet(tb testing.TB, r *store.Resource, i int) []byte {
	tb.Helper()
	m := machine(i, 1024)
	e, err := r.Get(context.Background(), store.Key{Namespace: m.Namespace, Name: m.Name}, store.GetOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	out, err := e.Append(nil, negotiate(tb, "application/json", false))
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// BenchmarkStart opens a file with objects of 1 KB, until the first list can be answered.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprintf("objects=%d", n), func(b *testing.B) {
			if n > 100_000 && testing.Short() {
				b.Skip("a million objects take two gigabytes; run without -short")
			}
			path := filepath.Join(b.TempDir(), "db")
			engine, err := file.Open(path, file.Sync(-1))
			if err != nil {
				b.Fatal(err)
			}
			s, err := store.Open(context.Background(), engine, store.Options{HistoryBytes: 1 << 20})
			if err != nil {
				b.Fatal(err)
			}
			r, err := s.Add(store.ResourceOptions{Factory: factory, Kind: v1.GroupVersion.WithKind("Machine")})
			if err != nil {
				b.Fatal(err)
			}
			fill(b, r, n, 1024)
			if err := engine.Compact(context.Background(), s.Revision()); err != nil {
				b.Fatal(err)
			}
			time.Sleep(time.Second)
			s.Close()
			engine.Close()
			b.ResetTimer()
			for b.Loop() {
				start := time.Now()
				engine, err := file.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				opened := time.Since(start)
				s, err := store.Open(context.Background(), engine, store.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(opened.Seconds(), "s/file")
				s.Close()
				engine.Close()
			}
		})
	}
}
