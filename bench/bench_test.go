package bench

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	goruntime "runtime"
	"testing"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// sized is an object under the name of its sub-benchmark.
type sized struct {
	name string
	obj  runtime.Object
}

// objects returns what a format is measured with. Lists of 5,000 take seconds to read in YAML and
// are left to JSON.
func objects(format string, short bool) []sized {
	out := []sized{{"metadata", Metadata(1)}, {"metadata-500", MetadataList(500)}}
	if format != "protobuf" { // the example's own kinds have no protobuf form
		out = append(out, sized{"small", Small(1)}, sized{"machine", Machine(1)}, sized{"machines-500", Machines(500)})
	}
	if format == "json" && !short {
		out = append(out, sized{"machines-5000", Machines(5000)})
	}
	return out
}

var formats = []struct{ name, mediaType string }{
	{"json", "application/json"},
	{"yaml", "application/yaml"},
	{"protobuf", "application/vnd.kubernetes.protobuf"},
	{"cbor", "application/cbor"},
}

// each runs a sub-benchmark for each format and object.
func each(b *testing.B, run func(b *testing.B, f *serializer.Factory, mediaType string, obj runtime.Object)) {
	f := newFactory(b)
	for _, format := range formats {
		b.Run(format.name, func(b *testing.B) {
			for _, o := range objects(format.name, testing.Short()) {
				b.Run(o.name, func(b *testing.B) { run(b, f, format.mediaType, o.obj) })
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	each(b, func(b *testing.B, f *serializer.Factory, mediaType string, obj runtime.Object) {
		decode(b, f, encode(b, f, obj, mediaType), serializer.DecodeOptions{MediaType: mediaType})
	})
}

// BenchmarkDecodeStrict looks for unknown and duplicate fields where there are none.
func BenchmarkDecodeStrict(b *testing.B) {
	each(b, func(b *testing.B, f *serializer.Factory, mediaType string, obj runtime.Object) {
		decode(b, f, encode(b, f, obj, mediaType), serializer.DecodeOptions{
			MediaType:  mediaType,
			Strictness: serializer.FailOnProblems,
		})
	})
}

func decode(b *testing.B, f *serializer.Factory, text []byte, o serializer.DecodeOptions) {
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := f.Decode(text, o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode writes into a buffer that is large enough.
func BenchmarkEncode(b *testing.B) {
	each(b, func(b *testing.B, f *serializer.Factory, mediaType string, obj runtime.Object) {
		buf := encode(b, f, obj, mediaType)
		b.ReportAllocs()
		b.SetBytes(int64(len(buf)))
		for b.Loop() {
			var err error
			if buf, err = f.Append(buf[:0], obj, serializer.EncodeOptions{MediaType: mediaType}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkStream writes and reads lists item by item. Beside the time it tells how much more
// memory is in use on the way than before, as peak-B: it does not grow with the list.
func BenchmarkStream(b *testing.B) {
	counts := []int{10, 10_000, 100_000}
	if testing.Short() {
		counts = counts[:2]
	}
	f := newFactory(b)
	for _, format := range formats {
		name, kind, item := "small", MachineListKind, runtime.Object(Small(1))
		if format.name == "protobuf" {
			name, kind, item = "metadata", MetadataListKind, Metadata(1)
		}
		list, err := f.Scheme().Kind(kind)
		if err != nil {
			b.Fatal(err)
		}
		rep, err := f.Negotiate([]string{format.mediaType}, serializer.Offer{Kind: kind})
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range counts {
			encode := func(w io.Writer) {
				if err := rep.EncodeItems(w, list.New(), repeated(item, n)); err != nil {
					b.Fatal(err)
				}
			}
			var text bytes.Buffer
			encode(&text)
			b.Run(fmt.Sprintf("encode/%s/%s-%d", format.name, name, n), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(text.Len()))
				for b.Loop() {
					encode(io.Discard)
				}
				peak := newPeak()
				w := &everyWrite{do: peak.sample, every: 1 + n/10}
				encode(w)
				b.ReportMetric(peak.more(), "peak-B")
			})
			decode := func(each func()) {
				// CBOR has the version of a list behind its items, and YAML the kind, so they are
				// read with the kind that is expected.
				o := serializer.DecodeOptions{MediaType: format.mediaType, DefaultKind: kind}
				for _, err := range f.ReadList(bytes.NewReader(text.Bytes()), o).Items() {
					if err != nil {
						b.Fatal(err)
					}
					each()
				}
			}
			b.Run(fmt.Sprintf("decode/%s/%s-%d", format.name, name, n), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(text.Len()))
				for b.Loop() {
					decode(func() {})
				}
				peak := newPeak()
				i := 0
				decode(func() {
					if i++; i%(1+n/10) == 0 {
						peak.sample()
					}
				})
				b.ReportMetric(peak.more(), "peak-B")
			})
		}
	}
}

// repeated yields an object n times.
func repeated(obj runtime.Object, n int) iter.Seq2[runtime.Object, error] {
	return func(yield func(runtime.Object, error) bool) {
		for range n {
			if !yield(obj, nil) {
				return
			}
		}
	}
}

// peak is the most memory that was in use when it was looked at.
type peak struct{ before, most uint64 }

func newPeak() *peak {
	goruntime.GC() // the second collection in a row empties pools
	now := inUse()
	return &peak{before: now, most: now}
}

func (p *peak) sample() { p.most = max(p.most, inUse()) }

func (p *peak) more() float64 { return float64(p.most - p.before) }

// inUse is how much memory is reachable, in bytes.
func inUse() uint64 {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// everyWrite does something at the first writes and then now and again.
type everyWrite struct {
	do        func()
	every, at int
}

func (w *everyWrite) Write(b []byte) (int, error) {
	if w.at++; w.at < 4 || w.at%w.every == 0 {
		w.do()
	}
	return len(b), nil
}

// BenchmarkConvert goes to the previous version, one hop, and from the oldest to that, two hops
// over the hub. The difference to the generated function of the same conversion is what looking up
// and following the route costs.
func BenchmarkConvert(b *testing.B) {
	scheme := newFactory(b).Scheme()
	machine, list := Machine(1), Machines(500)
	oldest, err := scheme.ConvertTo(machine, v1alpha1.GroupVersion)
	if err != nil {
		b.Fatal(err)
	}
	convert := func(name string, to schema.GroupVersion, obj runtime.Object) {
		b.Run("copying/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := scheme.ConvertTo(obj, to); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("sharing/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := scheme.ConvertSharing(obj, to); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	convert("one-hop/machine", v1beta1.GroupVersion, machine)
	convert("two-hops/machine", v1beta1.GroupVersion, oldest)
	convert("no-hop/machine", v1.GroupVersion, machine)
	convert("one-hop/machines-500", v1beta1.GroupVersion, list)
	function := func(name string, scope *conversion.Scope) {
		b.Run(name+"/one-hop/function", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := v1beta1.ConvertMachineFromV1(machine, new(v1beta1.Machine), scope); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	function("copying", nil)
	function("sharing", conversion.NewScope(conversion.ScopeOptions{Sharing: true}))
}

// BenchmarkDefault fills in the defaults of an object that has them already, as nearly every object
// has that a server reads.
func BenchmarkDefault(b *testing.B) {
	scheme := newFactory(b).Scheme()
	for _, o := range []sized{{"machine", Machine(1)}, {"small", Small(1)}} {
		b.Run("scheme/"+o.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := scheme.Default(o.obj); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	machine := Machine(1)
	b.Run("function/machine", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := v1.DefaultMachine(machine); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDeepCopy(b *testing.B) {
	scheme := newFactory(b).Scheme()
	for _, o := range []sized{
		{"small", Small(1)},
		{"machine", Machine(1)},
		{"metadata", Metadata(1)},
		{"machines-500", Machines(500)},
	} {
		b.Run("scheme/"+o.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := scheme.DeepCopy(o.obj); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	machine := Machine(1)
	b.Run("function/machine", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			v1.DeepCopyMachine(machine)
		}
	})
}

// BenchmarkAs shows objects as other kinds, and writes what is shown.
func BenchmarkAs(b *testing.B) {
	f := newFactory(b)
	views := []struct {
		name, accept string
		target       schema.GroupVersionKind
	}{
		{"metadata", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", MetadataKind},
		{"table", "application/json;as=Table;g=meta.k8s.io;v=v1", metav1.GroupVersion.WithKind("Table")},
	}
	for _, o := range []sized{
		{"machine", Machine(1)},
		{"machines-500", Machines(500)},
		{"machines-5000", Machines(5000)},
	} {
		if testing.Short() && o.name == "machines-5000" {
			continue
		}
		kind, err := f.Scheme().KindOf(o.obj)
		if err != nil {
			b.Fatal(err)
		}
		for _, view := range views {
			target := view.target
			if view.name == "metadata" && kind.IsList() {
				target = MetadataListKind
			}
			b.Run(view.name+"/show/"+o.name, func(b *testing.B) {
				scope := conversion.NewScope(conversion.ScopeOptions{Sharing: true})
				b.ReportAllocs()
				for b.Loop() {
					if _, err := f.Scheme().AsWith(o.obj, target, scope); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(view.name+"/json/"+o.name, func(b *testing.B) {
				rep, err := f.Negotiate([]string{view.accept}, serializer.Offer{Kind: kind.GroupVersionKind()})
				if err != nil {
					b.Fatal(err)
				}
				buf, err := rep.Append(nil, o.obj)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				b.SetBytes(int64(len(buf)))
				for b.Loop() {
					if buf, err = rep.Append(buf[:0], o.obj); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkNegotiate measures headers that were seen before and headers that were not.
func BenchmarkNegotiate(b *testing.B) {
	offer := serializer.Offer{Kind: MachineListKind}
	for _, h := range Headers {
		b.Run("seen/"+h.Name, func(b *testing.B) {
			endpoint, err := newFactory(b).Endpoint(offer)
			if err != nil {
				b.Fatal(err)
			}
			accept := []string{h.Accept}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := endpoint.Negotiate(accept); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("new/"+h.Name, func(b *testing.B) {
			endpoint, err := newFactory(b).Endpoint(offer)
			if err != nil {
				b.Fatal(err)
			}
			headers, i := h.New(), 0
			b.ReportAllocs()
			for b.Loop() {
				if _, err := endpoint.Negotiate(headers[i]); err != nil {
					b.Fatal(err)
				}
				i = (i + 1) % len(headers)
			}
		})
	}
}

// BenchmarkScheme builds a scheme, and adds a group to one.
func BenchmarkScheme(b *testing.B) {
	b.Run("build/fleet", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := NewScheme(); err != nil {
				b.Fatal(err)
			}
		}
	})
	base, err := runtime.NewScheme(v1.AddTo, metav1.AddTo)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("with/one-version", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := base.With(v1beta1.AddTo); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkLookup finds kinds by all that they are known by.
func BenchmarkLookup(b *testing.B) {
	scheme := newFactory(b).Scheme()
	machine := runtime.Object(Machine(1))
	resource := v1.GroupVersion.WithResource("machines")
	lookup := func(name string, f func() bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !f() {
					b.Fatal("not found")
				}
			}
		})
	}
	lookup("kind/name", func() bool { k, err := scheme.Kind(MachineKind); return err == nil && k != nil })
	lookup("kind/object", func() bool { k, err := scheme.KindOf(machine); return err == nil && k != nil })
	lookup("kind/resource", func() bool { k, err := scheme.Resource(resource); return err == nil && k != nil })
	lookup("versions/kind", func() bool { return len(scheme.VersionsOf(MachineKind.GroupKind())) > 0 })
	lookup("versions/group", func() bool { return len(scheme.Versions(MachineKind.Group)) > 0 })
	mapper, err := restmapper.FromScheme(scheme, MachineKind.Group)
	if err != nil {
		b.Fatal(err)
	}
	lookup("mapper/full", func() bool { _, err := mapper.ForResource(b.Context(), resource); return err == nil })
	lookup("mapper/bare", func() bool {
		_, err := mapper.ForResource(b.Context(), schema.GroupVersionResource{Resource: "machines"})
		return err == nil
	})
	lookup("storage/kind", func() bool {
		k, err := scheme.StorageVersion(MachineKind.GroupKind())
		return err == nil && k != nil
	})
}

// BenchmarkProject makes lists of stored objects and shows them as metadata or as a table, from
// bytes to bytes.
func BenchmarkProject(b *testing.B) {
	f := newFactory(b)
	counts := []int{500, 5000}
	if testing.Short() {
		counts = counts[:1]
	}
	for _, as := range []struct{ name, accept string }{
		{"metadata", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
		{"table", "application/json;as=Table;g=meta.k8s.io;v=v1"},
	} {
		rep, err := f.Negotiate([]string{as.accept}, serializer.Offer{Kind: MachineListKind})
		if err != nil {
			b.Fatal(err)
		}
		for _, format := range formats {
			if format.name == "protobuf" { // the example's own kinds have no protobuf form
				continue
			}
			for _, n := range counts {
				b.Run(fmt.Sprintf("%s/%s-to-json/machines-%d", as.name, format.name, n), func(b *testing.B) {
					stored := make([][]byte, n)
					for i := range stored {
						stored[i] = encode(b, f, Machine(i), format.mediaType)
					}
					o := serializer.DecodeOptions{MediaType: format.mediaType}
					var out bytes.Buffer
					if _, err := rep.EncodeProjected(&out, &v1.MachineList{}, documents(stored), o); err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					b.SetBytes(int64(out.Len()))
					for b.Loop() {
						if _, err := rep.EncodeProjected(io.Discard, &v1.MachineList{}, documents(stored),
							o); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// documents yields encoded objects.
func documents(stored [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, data := range stored {
			if !yield(data, nil) {
				return
			}
		}
	}
}
