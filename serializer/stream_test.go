package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/fuzz"
	"github.com/askind/askind/internal/race"
	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/text"
	"github.com/askind/askind/serializer/yaml"
)

// newFleet returns a factory for generated kinds.
func newFleet(tb testing.TB, more ...*format.Format) *serializer.Factory {
	tb.Helper()
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, inventoryv1.AddTo, metav1.AddTo, metav1.AddCoreTo,
		metav1.AddViewsTo)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, append([]*format.Format{
		json.Format(), yaml.Format(), protobuf.Format(),
		cbor.Format(),
	}, more...)...)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// sequence yields the items of a list one by one, each in memory of its own that is overwritten
// afterwards.
func sequence(tb testing.TB, k *runtime.Kind, list runtime.Object) iter.Seq2[runtime.Object, error] {
	return func(yield func(runtime.Object, error) bool) {
		copied, err := k.DeepCopy(list)
		if err != nil {
			tb.Error(err)
			return
		}
		for i := range k.Items(copied).Len() {
			if !yield(k.Items(copied).At(i), nil) {
				return
			}
		}
	}
}

// checkStreams compares all ways to write a list.
func checkStreams(t *testing.T, f *serializer.Factory, accept string, offer serializer.Offer, list runtime.Object,
	o conversion.ScopeOptions,
) {
	t.Helper()
	rep, err := f.Negotiate([]string{accept}, offer)
	if err != nil {
		t.Fatalf("%s: %v", accept, err)
	}
	rep = rep.With(o)
	k, err := f.Scheme().KindOf(list)
	if err != nil {
		t.Fatal(err)
	}
	want, wantErr := rep.Append(nil, list)
	var got bytes.Buffer
	err = rep.Encode(&got, list)
	compareStreams(t, accept+": Encode", want, wantErr, got.Bytes(), err)

	if k.Items(list).Len() == 0 {
		return // a sequence without items is an empty list, whatever the list has
	}
	got.Reset()
	err = rep.EncodeItems(&got, list, sequence(t, k, list))
	compareStreams(t, accept+": EncodeItems", want, wantErr, got.Bytes(), err)
}

func compareStreams(t *testing.T, name string, want []byte, wantErr error, got []byte, err error) {
	t.Helper()
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("%s: error %v, buffered %v", name, err, wantErr)
	}
	if wantErr == nil && !bytes.Equal(want, got) {
		t.Errorf("%s writes\n%s\nbuffered it is\n%s", name, got, want)
	}
}

var streamed = []string{
	"application/json", "application/json;pretty=1", "application/yaml",
	"application/json;as=PartialObjectMetadata", "application/yaml;as=PartialObjectMetadata",
	"application/json;as=PartialObjectMetadata;pretty=1",
	"application/json;as=Table", "application/json;as=Table;pretty=1", "application/yaml;as=Table",
	"application/json;v=v1beta1", "application/yaml;v=v1beta1",
}

func TestStreamOfReflectedKinds(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	one, bad := *wantMachine(4), *wantMachine(1)
	one.Metadata.Labels = map[string]string{"l": "v", "<": "multi\nline\n\n", "long": strings.Repeat("words and ", 30)}
	bad.Metadata.Name = "bad"
	lists := map[string]runtime.Object{
		"none":    &machineList{},
		"empty":   &machineList{Metadata: listMeta{"c"}, Items: []machine{}},
		"one":     &machineList{Metadata: listMeta{"c"}, Items: []machine{one}},
		"three":   &machineList{Metadata: listMeta{"items: []"}, Items: []machine{one, {}, one}},
		"bad":     &machineList{Items: []machine{one, one, bad}},
		"another": &machineBetaList{Metadata: listMeta{"c"}, Items: []machineBeta{{CPUs: 3}, {CPUs: 4}}},
		"range":   &machineBetaList{Items: []machineBeta{{CPUs: 3}, {CPUs: 1 << 40}}},
	}
	for name, list := range lists {
		for _, accept := range append([]string{
			"application/json;as=Table;v=v1beta1",
			"application/json;g=assets.example.com",
		}, streamed...) {
			t.Run(name+"/"+accept, func(t *testing.T) {
				t.Parallel()
				checkStreams(t, f, accept, allMachines, list, conversion.ScopeOptions{Options: "opt", Now: noon})
			})
		}
	}
}

func TestStreamEqualsBuffered(t *testing.T) {
	t.Parallel()
	f := newFleet(t, csv.Format(), text.Format())
	yes, no := true, false
	options := []*metav1.TableOptions{
		nil,
		{IncludeObject: metav1.IncludeNone, LabelColumns: []string{"app"}, Wide: &no},
		{IncludeObject: metav1.IncludeObject, NoHeaders: &yes, Wide: &yes},
		{SortBy: []string{"-Age", "Name"}, NoHeaders: &no},
		{SortBy: []string{"nothing"}},
	}
	tables := []string{
		"application/json;as=Table", "application/yaml;as=TabularOutput", "text/csv",
		"text/plain;as=Table", "text/plain;as=TabularOutput",
	}
	targets := append([]string{
		"application/cbor", "application/cbor;as=PartialObjectMetadata", "application/cbor;as=Table",
		"application/cbor;v=v1beta1", "application/cbor;as=Table;includeObject=Object",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata",
		"application/json;g=meta.k8s.io;as=TabularOutput", "application/yaml;as=TabularOutput",
		"application/json;export=1", "application/yaml;as=Table;includeObject=Object",
	}, streamed...)
	for _, name := range []string{"MachineList", "MachinePoolList"} {
		k, err := f.Scheme().Kind(v1.GroupVersion.WithKind(name))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range int64(12) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				t.Parallel()
				list := k.New()
				fuzz.Filler(seed).NumElements(0, 6).Fuzz(list)
				if err := k.SetType(list); err != nil {
					t.Fatal(err)
				}
				for _, accept := range targets {
					checkStreams(t, f, accept, serializer.Offer{Kind: k.GroupVersionKind()}, list,
						conversion.ScopeOptions{Now: noon})
				}
				for _, o := range options {
					for _, accept := range tables {
						checkStreams(t, f, accept, serializer.Offer{Kind: k.GroupVersionKind()}, list,
							conversion.ScopeOptions{Now: noon, Options: o})
					}
				}
			})
		}
	}
}

func TestFactoryStreams(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	metadata := &metav1.PartialObjectMetadataList{
		ListMeta: metav1.ListMeta{ResourceVersion: "7"},
		Items:    []metav1.PartialObjectMetadata{{}, {}},
	}
	metadata.Items[1].Name = "b"
	core := metav1.TypeMeta{Kind: "List", APIVersion: "v1"}
	mixed := &metav1.List{TypeMeta: core, Items: []runtime.RawExtension{{Raw: []byte(`{"a": 1}`)}, {}}}
	for name, list := range map[string]runtime.Object{
		"metadata": metadata, "no items": &metav1.PartialObjectMetadataList{},
		"empty": &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{}},
		"mixed": mixed, "no list": &metav1.Status{Message: "m"},
		"machines": &v1.MachineList{Items: make([]v1.Machine, 3)},
	} {
		for _, o := range []serializer.EncodeOptions{
			{},
			{Pretty: true},
			{MediaType: "application/yaml"},
			{MediaType: "application/cbor"},
			{MediaType: "application/vnd.kubernetes.protobuf"},
		} {
			want, wantErr := f.Append(nil, list, o)
			var got bytes.Buffer
			err := f.Encode(&got, list, o)
			compareStreams(t, name, want, wantErr, got.Bytes(), err)
		}
	}
	var got bytes.Buffer
	machine := &v1.Machine{}
	machine.Name = "a"
	rep, err := f.Negotiate(nil, formatOnly)
	if err != nil {
		t.Fatal(err)
	}
	if err := rep.EncodeItems(&got, &metav1.List{TypeMeta: core}, func(yield func(runtime.Object, error) bool) {
		yield(machine, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.String(),
		`{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a"}`) {
		t.Errorf("objects in a List: %s", &got)
	}
	got.Reset()
	three := &v1.MachineList{Items: make([]v1.Machine, 3)}
	err = rep.EncodeItems(&got, three, func(func(runtime.Object, error) bool) {})
	if err != nil || !strings.HasSuffix(got.String(), `"items":[]}`+"\n") {
		t.Errorf("no items: %s, error %v", &got, err)
	}
}

func TestStreamErrors(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	rep, err := f.Negotiate(nil, serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken store")
	big := new(v1.Machine)
	big.Name = strings.Repeat("x", 40<<10)
	for name, c := range map[string]struct {
		head  runtime.Object
		items []any
		w     io.Writer
		want  string
	}{
		"sequence": {new(v1.MachineList), []any{new(v1.Machine), broken}, nil, "broken store"},
		"writer":   {new(v1.MachineList), []any{big, big}, failingWriter{broken}, "broken store"},
		"no list": {
			new(v1.Machine), nil, nil,
			"serializer: fleet.example.com/v1, Kind=Machine is not a list kind, and only lists are written item by item",
		},
		"another": {
			new(v1.MachineList),
			[]any{new(v1.Machine), new(v1.MachinePool)},
			nil,
			"items[1]: *v1.MachinePool is not an object: the items of fleet.example.com/v1, Kind=MachineList are of type v1.Machine",
		},
		"nil": {
			new(v1.MachineList),
			[]any{new(v1.Machine), nil},
			nil,
			"items[1]: nil is not an object: an object is a non-nil pointer to a struct",
		},
	} {
		var b bytes.Buffer
		if c.w == nil {
			c.w = &b
		}
		err := rep.EncodeItems(c.w, c.head, func(yield func(runtime.Object, error) bool) {
			for _, item := range c.items {
				if err, ok := item.(error); ok {
					yield(nil, err)
					return
				}
				if !yield(item, nil) {
					return
				}
			}
		})
		if err == nil || err.Error() != c.want || b.Len() > 0 {
			t.Errorf("%s: error %v, want %s; %d bytes written", name, err, c.want, b.Len())
		}
	}
}

// shortWriter takes the first bytes of what is written and says nothing of the others.
type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

// TestShortWrites checks that a writer that takes less than it was given is an error wherever
// something is written.
func TestShortWrites(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	rep, err := f.Negotiate([]string{"application/json"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
	if err != nil {
		t.Fatal(err)
	}
	m := named("a", "1")
	list := &v1.MachineList{Items: []v1.Machine{*m, *m}}
	rows := func(yield func([]byte, error) bool) { yield(encoded(t, f, mediaJSON, m), nil) }
	for name, write := range map[string]func() error{
		"EncodeProjected": func() error {
			_, err := rep.EncodeProjected(shortWriter{}, &v1.MachineList{}, rows,
				serializer.DecodeOptions{MediaType: mediaJSON})
			return err
		},
		"Encode":      func() error { return f.Encode(shortWriter{}, m, serializer.EncodeOptions{}) },
		"EncodeList":  func() error { return rep.Encode(shortWriter{}, list) },
		"Events":      func() error { return events(t, f, "application/json", shortWriter{}).Send("ADDED", m) },
		"Events.Fail": func() error { return events(t, f, "application/json", shortWriter{}).Fail(errors.New("gone")) },
	} {
		if err := write(); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestStreamOfKeptItems checks that a store can list what it keeps as [serializer.Lazy] or
// [serializer.Cached].
func TestStreamOfKeptItems(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	a, b := orderWith(func(s *workshop.OrderSpec) { s.Customer = "a" }),
		orderWith(func(s *workshop.OrderSpec) { s.Customer = "b" })
	list := &workshop.OrderList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []workshop.Order{*a, *b, *a}}
	for _, mediaType := range mediaTypes {
		want := encoded(t, f, mediaType, list)
		lazy, err := f.Lazy(encoded(t, f, mediaType, b))
		if err != nil {
			t.Fatal(err)
		}
		items := func(yield func(runtime.Object, error) bool) {
			_ = yield(serializer.NewCached(a), nil) && yield(lazy, nil) && yield(a, nil)
		}
		rep, err := f.Negotiate([]string{mediaType}, formatOnly)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := rep.EncodeItems(&got, list, items); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: error %v,\n%q, want\n%q", mediaType, err, &got, want)
		}
		bad, err := f.Lazy(encoded(t, f, mediaType, b),
			serializer.DecodeOptions{Version: schema.GroupVersion{Group: "workshop.example.com", Version: "v9"}})
		if err != nil {
			t.Fatal(err)
		}
		err = rep.EncodeItems(io.Discard, list, func(yield func(runtime.Object, error) bool) {
			_ = yield(a, nil) && yield(bad, nil)
		})
		if err == nil || !strings.HasPrefix(err.Error(), "items[1]: ") {
			t.Errorf("%s: error %v", mediaType, err)
		}
	}
}

// liveWriter notes how much memory is in use while a list is being written.
type liveWriter struct {
	every, writes, largest int
	most                   uint64
}

func (w *liveWriter) Write(b []byte) (int, error) {
	w.largest = max(w.largest, len(b))
	if w.writes++; w.writes%w.every == 0 || w.writes < 4 || len(b) > 100<<10 {
		w.most = max(w.most, live())
	}
	return len(b), nil
}

func live() uint64 {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestStreamMemory is not parallel, because it looks at the memory of the whole process.
func TestStreamMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the heap of a program without the race detector is what counts")
	}
	item := new(v1.Machine)
	fuzz.Filler(3).NilChance(0).NumElements(2, 4).Fuzz(item)
	item.TypeMeta = metav1.TypeMeta{Kind: "Machine", APIVersion: v1.GroupVersion.String()}
	for _, accept := range []string{
		"application/json", "application/yaml", "application/cbor", "application/json;as=Table",
		"application/cbor;as=Table",
		"application/json;as=PartialObjectMetadata", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata",
		"text/csv", "text/plain;as=Table",
	} {
		large := new(v1.Machine)
		large.Name = strings.Repeat("x", 300<<10)
		if strings.HasPrefix(accept, "text/plain") {
			large.Name = large.Name[:2<<10] // all lines are as long as the longest
		}
		// What is in memory does not depend on the number of items, so one format shows it for
		// many.
		sizes := []int{10, 5_000}
		if accept == "application/json" && !testing.Short() {
			sizes = append(sizes, 100_000)
		}
		for _, n := range sizes {
			f := newFleet(t, csv.Format(), text.Format()) // whose buffers are not there yet
			rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
			if err != nil {
				t.Fatal(err)
			}
			each := item
			if n > 1000 { // so that the test does not take long
				each = named("a", "1")
			}
			w := &liveWriter{every: 1 + n/10}
			live() // the second collection in a row empties pools
			before := live()
			err = rep.EncodeItems(w, new(v1.MachineList), func(yield func(runtime.Object, error) bool) {
				for i := range n {
					obj := each
					if i == n/2 {
						obj = large
					}
					if !yield(obj, nil) {
						return
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			extra := int64(w.most) - int64(before)
			t.Logf("%s, %d items: %d bytes more in use, largest write %d", accept, n, extra, w.largest)
			size, err := rep.Append(nil, large)
			if err != nil {
				t.Fatal(err)
			}
			// Buffers grow by a quarter. YAML and CBOR are made from the JSON text of the item,
			// which is in memory as well.
			most := int64(len(size) + len(size)/4 + 64<<10)
			if strings.Contains(accept, "yaml") || strings.Contains(accept, "cbor") {
				most += int64(len(size) + len(size)/4)
			}
			if extra > most || w.largest > len(size)+64<<10 {
				t.Errorf("%s: %d items need %d bytes more, at most %d are allowed; largest write %d", accept, n, extra,
					most, w.largest)
			}
		}
	}
}

// TestEncodeStreams checks that Encode writes a list in pieces that do not grow with it, and keeps
// little in memory. It is not parallel, because it looks at the memory of the whole process.
func TestEncodeStreams(t *testing.T) {
	if race.Enabled {
		t.Skip("the heap of a program without the race detector is what counts")
	}
	f := newFleet(t)
	list := new(v1.MachineList)
	for i := range 5_000 {
		list.Items = append(list.Items, *named(fmt.Sprint("machine-", i), strings.Repeat("v", i%500)))
	}
	for _, accept := range []string{
		"application/json", "application/yaml", "application/cbor", "application/json;as=Table",
		"application/json;as=PartialObjectMetadata", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata",
	} {
		rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
		if err != nil {
			t.Fatal(err)
		}
		if err := rep.Encode(io.Discard, list); err != nil { // fills the pools
			t.Fatal(err)
		}
		live() // the second collection in a row empties them
		before := live()
		w := &liveWriter{every: 10}
		if err := rep.Encode(w, list); err != nil {
			t.Fatal(err)
		}
		extra := int64(w.most) - int64(before)
		t.Logf("%s: %d writes, the largest of %d bytes, %d bytes more in use", accept, w.writes, w.largest, extra)
		if w.writes < 5 || w.largest > 128<<10 || extra > 512<<10 {
			t.Errorf("%s: %d writes, the largest of %d bytes, %d bytes more in use", accept, w.writes, w.largest, extra)
		}
	}
}

// TestErrorsOfRanges checks that the error of an item is that of the whole list, wherever the item
// stands among those that are encoded at once.
func TestErrorsOfRanges(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, at := range []int{0, 1, 15, 16, 17, 40, 99} {
		list := &v1.MachineList{Items: make([]v1.Machine, 100)}
		list.Items[at].Spec.ProviderConfig = &runtime.RawExtension{Raw: []byte("{no object")}
		var b bytes.Buffer
		err := f.Encode(&b, list, serializer.EncodeOptions{})
		_, whole := f.Append(nil, list, serializer.EncodeOptions{})
		if err == nil || whole == nil || err.Error() != whole.Error() {
			t.Errorf("item %d: %v, want %v", at, err, whole)
		}
	}
}

func BenchmarkEncodeList(b *testing.B) {
	f := newFleet(b)
	item := new(v1.Machine)
	fuzz.Filler(3).NilChance(0).NumElements(2, 4).Fuzz(item)
	for _, accept := range []string{
		"application/json", "application/yaml", "application/json;as=Table",
		"application/json;as=PartialObjectMetadata",
	} {
		rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{10, 10_000, 100_000} {
			list := &v1.MachineList{Items: make([]v1.Machine, n)}
			for i := range list.Items {
				list.Items[i] = *item
			}
			for name, encode := range map[string]func(io.Writer, runtime.Object) error{
				"buffered": rep.Encode,
				"streamed": rep.Encode,
			} {
				if name == "buffered" && n > 10_000 {
					continue
				}
				b.Run(fmt.Sprintf("%s/%d/%s", accept, n, name), func(b *testing.B) {
					b.ReportAllocs()
					w := &countingWriter{}
					for b.Loop() {
						*w = countingWriter{}
						if err := encode(w, list); err != nil {
							b.Fatal(err)
						}
					}
					b.SetBytes(int64(w.n))
					b.ReportMetric(float64(w.largest), "B/write")
				})
			}
		}
	}
}

type countingWriter struct{ n, largest int }

func (w *countingWriter) Write(b []byte) (int, error) {
	w.n, w.largest = w.n+len(b), max(w.largest, len(b))
	return len(b), nil
}
