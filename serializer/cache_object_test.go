package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// counted returns a format that counts how often it encodes an object or an event.
func counted(f *format.Format, n *atomic.Int64) *format.Format {
	out, events := *f, *f.Events
	out.Append = func(dst []byte, k *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error) {
		n.Add(1)
		return f.Append(dst, k, obj, o)
	}
	events.Append = func(dst []byte, eventType string, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
		n.Add(1)
		return f.Events.Append(dst, eventType, k, obj)
	}
	out.Events = &events
	return &out
}

func newCounted(tb testing.TB) (*serializer.Factory, *atomic.Int64) {
	tb.Helper()
	n := new(atomic.Int64)
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		tb.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, counted(json.Format(), n))
	if err != nil {
		tb.Fatal(err)
	}
	return f, n
}

func TestCachedIsEncodedOnceForAllWatchers(t *testing.T) {
	t.Parallel()
	f, n := newCounted(t)
	event := serializer.NewCached(named("a", "1"))
	forms := []string{
		"application/json", "application/json;as=Table", "application/json;as=Table;includeObject=None",
		"application/json;as=PartialObjectMetadata",
	}
	want := make([][]byte, len(forms))
	for i, accept := range forms {
		var b bytes.Buffer
		if err := events(t, f, accept, &b).Send(metav1.WatchAdded, named("a", "1")); err != nil {
			t.Fatal(err)
		}
		want[i] = b.Bytes()
	}
	n.Store(0)
	const watchers = 1000
	var wg sync.WaitGroup
	for i := range watchers {
		// Each watch has a negotiation and options of its own, as requests have.
		rep, err := f.Negotiate([]string{forms[i%len(forms)]}, watchMachines)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			var b bytes.Buffer
			w, err := rep.With(conversion.ScopeOptions{Options: &metav1.TableOptions{}, Now: noon}).Events(&b)
			if err == nil {
				err = w.Send(metav1.WatchAdded, event)
			}
			if err != nil || !bytes.Equal(b.Bytes(), want[i%len(forms)]) {
				t.Errorf("watcher %d: %q, %v", i, &b, err)
			}
		})
	}
	wg.Wait()
	if got := n.Load(); got != int64(len(forms)) {
		t.Errorf("%d encodings for %d watchers in %d forms", got, watchers, len(forms))
	}
	size := 0
	for _, w := range want {
		size += len(w)
	}
	if got := event.Size(); got != int64(size) {
		t.Errorf("size %d, want %d", got, size)
	}
}

// A thousand watchers in all formats, versions and kinds: each representation is encoded exactly
// once.
func TestCachedIsEncodedOnceInEveryFormat(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo, metav1.AddCoreTo, workshop.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	n := new(atomic.Int64)
	f, err := serializer.NewFactory(scheme, counted(json.Format(), n), counted(yaml.Format(), n),
		counted(protobuf.Format(), n), counted(cbor.Format(), n))
	if err != nil {
		t.Fatal(err)
	}
	var forms []string
	for _, format := range []string{mediaJSON, mediaYAML, mediaCBOR, mediaProtobuf} {
		for _, shown := range []string{"", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"} {
			forms = append(forms, format+shown)
		}
	}
	const watchers = 1000
	cached := serializer.NewCached(&workshop.Order{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Spec:       workshop.OrderSpec{Customer: "c"},
	})
	var got [watchers][2]string
	var wg sync.WaitGroup
	for i := range watchers {
		wg.Go(func() {
			rep, err := f.Negotiate([]string{forms[i%len(forms)]},
				serializer.Offer{Kind: workshop.GroupVersion.WithKind("OrderList"), Stream: "watch"})
			if err != nil {
				t.Errorf("%s: %v", forms[i%len(forms)], err)
				return
			}
			var b bytes.Buffer
			w, err := rep.Events(&b)
			if err == nil {
				err = w.Send(metav1.WatchAdded, cached)
			}
			if err != nil {
				t.Errorf("%s: %v", forms[i%len(forms)], err)
			}
			object, err := rep.Append(nil, cached)
			if err != nil {
				t.Errorf("%s: %v", forms[i%len(forms)], err)
			}
			got[i] = [2]string{b.String(), string(object)}
		})
	}
	wg.Wait()
	if want := int64(2 * len(forms)); n.Load() != want { // as an event and alone
		t.Errorf("%d encodings for %d watchers, want %d", n.Load(), watchers, want)
	}
	for i := range got {
		if first := got[i%len(forms)]; got[i] != first || first[0] == "" || first[1] == "" {
			t.Fatalf("watcher %d got %q, the first in its form %q", i, got[i], first)
		}
	}
}

func TestCachedForms(t *testing.T) {
	t.Parallel()
	f, n := newCounted(t)
	offer := serializer.Offer{Kind: v1.GroupVersion.WithKind("Machine")}
	obj := named("a", "1")
	cached := serializer.NewCached(obj)
	for _, accept := range []string{
		"application/json", "application/json;pretty=1",
		"application/json;as=PartialObjectMetadata", "application/json;as=Table", "application/json;export=1",
	} {
		rep, err := f.Negotiate([]string{accept}, offer)
		if err != nil {
			t.Fatal(err)
		}
		rep = rep.With(conversion.ScopeOptions{Now: noon})
		want, err := rep.Append([]byte("> "), obj)
		if err != nil {
			t.Fatal(err)
		}
		n.Store(0)
		for range 3 {
			got, err := rep.Append([]byte("> "), cached)
			if err != nil || string(got) != string(want) {
				t.Errorf("%s: %s, %v, want %s", accept, got, err, want)
			}
			var b strings.Builder
			if err := rep.Encode(&b, cached); err != nil || b.String() != string(want[2:]) {
				t.Errorf("%s: Encode writes %s, %v", accept, &b, err)
			}
		}
		if n.Load() != 1 {
			t.Errorf("%s: encoded %d times", accept, n.Load())
		}
	}
	want, err := f.Append(nil, obj, serializer.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Append(nil, cached, serializer.EncodeOptions{}); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Factory.Append: %s, %v", got, err)
	}
	rep, err := f.Negotiate([]string{"application/json;as=Table"}, offer)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there may be a form with such options
		if out, err := rep.With(conversion.ScopeOptions{Options: []int{1}}).Append(nil, cached); err != nil ||
			len(out) == 0 {
			t.Errorf("options that cannot be compared: %v", err)
		}
	}
	wrong := serializer.NewCached(new(struct{}))
	for range 2 {
		if out, err := rep.Append([]byte("kept"), wrong); err == nil || string(out) != "kept" {
			t.Errorf("an object of no kind: %q, %v", out, err)
		}
	}
	if held, err := cached.Object(); err != nil || held != runtime.Object(obj) {
		t.Error("another object comes out")
	}
	if _, err := f.Scheme().KindOf(cached); !errors.Is(err, runtime.ErrNotObject) ||
		!strings.Contains(err.Error(), "pass the result of its method Object") {
		t.Errorf("the kind of a Cached: %v", err)
	}
}

// TestCachedFormsAreApart checks that an object is not written as it was for something else that
// the same header selects.
func TestCachedFormsAreApart(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate([]string{"application/json"}, serializer.Offer{})
	if err != nil {
		t.Fatal(err)
	}
	ways := []func(runtime.Object) ([]byte, error){
		func(obj runtime.Object) ([]byte, error) { return f.Append(nil, obj, serializer.EncodeOptions{}) },
		func(obj runtime.Object) ([]byte, error) { return rep.Append(nil, obj) },
		func(obj runtime.Object) ([]byte, error) { return rep.ForStatus().Append(nil, obj) },
	}
	for _, obj := range []runtime.Object{&v1.MachineList{}, &metav1.Status{}} {
		for first := range ways {
			cached := serializer.NewCached(obj)
			for i := range ways {
				i = (first + i) % len(ways)
				want, wantErr := ways[i](obj)
				got, err := ways[i](cached)
				if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
					t.Errorf("%T, from way %d on, in way %d: got %s, %v, want %s, %v", obj, first, i, got, err, want, wantErr)
				}
			}
		}
	}
}

// TestCachedTableOptions checks that tables are kept apart by all that their options say, and by
// nothing else.
func TestCachedTableOptions(t *testing.T) {
	t.Parallel()
	f, n := newCounted(t)
	obj := named("a", "1")
	obj.Labels = map[string]string{"app": "web"}
	cached := serializer.NewCached(obj)
	rep, err := f.Negotiate([]string{"application/json;as=Table"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("Machine")})
	if err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	for i, options := range []func() *metav1.TableOptions{
		func() *metav1.TableOptions { return &metav1.TableOptions{} },
		func() *metav1.TableOptions { return &metav1.TableOptions{IncludeObject: metav1.IncludeNone} },
		func() *metav1.TableOptions { return &metav1.TableOptions{NoHeaders: &yes} },
		func() *metav1.TableOptions { return &metav1.TableOptions{Wide: &no} },
		func() *metav1.TableOptions { return &metav1.TableOptions{Wide: &yes} },
		func() *metav1.TableOptions { return &metav1.TableOptions{LabelColumns: []string{"app", "x"}} },
		func() *metav1.TableOptions { return &metav1.TableOptions{LabelColumns: []string{"app,x"}} },
		func() *metav1.TableOptions { return &metav1.TableOptions{SortBy: []string{"Name"}} },
		func() *metav1.TableOptions { return &metav1.TableOptions{SortBy: []string{"-Name"}} },
	} {
		want, err := rep.With(conversion.ScopeOptions{Options: options(), Now: noon}).Append(nil, obj)
		if err != nil {
			t.Fatal(err)
		}
		n.Store(0)
		for range 2 {
			got, err := rep.With(conversion.ScopeOptions{Options: options(), Now: noon}).Append(nil, cached)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d: got %s, %v\nwant %s", i, got, err, want)
			}
		}
		if n.Load() != 1 {
			t.Errorf("%d: encoded %d times", i, n.Load())
		}
	}
}

func BenchmarkWatchers(b *testing.B) {
	f := newFleet(b)
	obj := named("a", "1")
	obj.Annotations = map[string]string{"a": strings.Repeat("text ", 2000)}
	rep, err := f.Negotiate([]string{"application/json"}, watchMachines)
	if err != nil {
		b.Fatal(err)
	}
	watchers := make([]*serializer.EventWriter, 1000)
	for i := range watchers {
		if watchers[i], err = rep.Events(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	for name, wrap := range map[string]func() runtime.Object{
		"plain":  func() runtime.Object { return obj },
		"cached": func() runtime.Object { return serializer.NewCached(obj) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				event := wrap()
				for _, w := range watchers {
					if err := w.Send(metav1.WatchModified, event); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// A store keeps objects encoded, and encodings only as far as they fit into its bounds.
func TestCachedOfAStore(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, accept string
		refuse       bool
		kept         bool
	}{
		{"the object", "application/json", false, true},
		{"its metadata", "application/json;as=PartialObjectMetadata", false, true},
		{"a table, which has ages", "application/json;as=Table", false, false},
		{"beyond the bounds", "application/json", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, _ := newCounted(t)
			obj := named("a", "1")
			kind, err := f.Scheme().KindOf(obj)
			if err != nil {
				t.Fatal(err)
			}
			decoded, asked := 0, 0
			c := serializer.CachedOptions{
				Kind:   func() *runtime.Kind { return kind },
				Object: func() (runtime.Object, error) { decoded++; return obj, nil },
				Keep:   func(size int) bool { asked += size; return !tt.refuse },
			}.NewCached()
			if k, err := c.Kind(f.Scheme()); k != kind || err != nil || decoded != 0 {
				t.Errorf("Kind = %v, %v, decoded %d times for it", k, err, decoded)
			}
			var want bytes.Buffer
			if err := events(t, f, tt.accept, &want).Send(metav1.WatchAdded, obj); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				rep, err := f.Negotiate([]string{tt.accept}, watchMachines)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				// Options that differ each time do not make other forms.
				w, err := rep.With(
					conversion.ScopeOptions{
						Options: &metav1.TableOptions{LabelColumns: []string{strings.Repeat("x", i)}},
						Now:     noon.Add(time.Duration(i)),
					},
				).Events(&b)
				if err == nil {
					err = w.Send(metav1.WatchAdded, c)
				}
				if err != nil || tt.kept && !bytes.Equal(b.Bytes(), want.Bytes()) {
					t.Errorf("%q, %v", &b, err)
				}
			}
			if got := decoded == 1; got != tt.kept {
				t.Errorf("decoded %d times", decoded)
			}
			if got := c.Size() > 0; got != tt.kept {
				t.Errorf("keeps %d bytes", c.Size())
			}
			if want := tt.kept || tt.refuse; (asked > 0) != want {
				t.Errorf("asked for %d bytes", asked)
			}
		})
	}
}

// TestCachedIsBounded checks that clients that invent options do not fill the memory: what they ask
// for is written, and not kept.
func TestCachedIsBounded(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	rep, err := f.Negotiate([]string{"application/json;as=Table"}, watchMachines)
	if err != nil {
		t.Fatal(err)
	}
	c := serializer.NewCached(named("a", "1"))
	var size int64
	for i := range 1000 {
		own := rep.With(
			conversion.ScopeOptions{Options: &metav1.TableOptions{LabelColumns: []string{fmt.Sprint("l", i)}}},
		)
		got, err := own.Append(nil, c)
		if err != nil || !strings.Contains(string(got), fmt.Sprintf(`"name":"l%d"`, i)) {
			t.Fatalf("got %s, %v", got, err)
		}
		switch before := size; {
		case i < 64:
			if size = c.Size(); size <= before {
				t.Fatalf("form %d is not kept", i)
			}
		case c.Size() != size:
			t.Fatalf("%d bytes are kept with form %d, after 64 forms it was %d", c.Size(), i, size)
		}
	}
}

// TestCachedAtPlaces checks that a form which depends on the place of the object is written for
// each place, since it is not part of what tells forms apart.
func TestCachedAtPlaces(t *testing.T) {
	t.Parallel()
	placed := *json.Format()
	placed.Links = true
	placed.Append = func(dst []byte, _ *runtime.Kind, _ runtime.Object, o format.Options) ([]byte, error) {
		return append(dst, o.Place.Path...), nil
	}
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, &placed)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate(nil, serializer.Offer{Kind: v1.GroupVersion.WithKind("Machine")})
	if err != nil {
		t.Fatal(err)
	}
	c := serializer.NewCached(named("a", "1"))
	for _, path := range []string{"/here", "/there", "/here"} {
		if got, err := rep.At(&format.Place{Path: path}).Append(nil, c); err != nil || string(got) != path {
			t.Errorf("at %s: %s, %v", path, got, err)
		}
	}
}

// TestCachedThatPanics checks that a form whose maker has panicked is an error for all who ask for
// it later, rather than an empty answer.
func TestCachedThatPanics(t *testing.T) {
	t.Parallel()
	f, _ := newCounted(t)
	kind, err := f.Scheme().KindOf(named("a", "1"))
	if err != nil {
		t.Fatal(err)
	}
	c := serializer.CachedOptions{
		Kind:   func() *runtime.Kind { return kind },
		Object: func() (runtime.Object, error) { panic("no object") },
	}.NewCached()
	panicked := func() (out any) {
		defer func() { out = recover() }()
		_, _ = f.Append(nil, c, serializer.EncodeOptions{})
		return nil
	}
	if panicked() != "no object" {
		t.Fatal("the panic did not reach the caller")
	}
	if out, err := f.Append(nil, c, serializer.EncodeOptions{}); err == nil || len(out) > 0 ||
		!strings.Contains(err.Error(), "could not be encoded") {
		t.Errorf("got %q, %v", out, err)
	}
	if c.Size() != 0 {
		t.Errorf("%d bytes are kept", c.Size())
	}
}

// TestCachedFormsOfManyFactories checks that a Cached neither keeps the factories in memory by
// which forms of it were requested, as a server makes one whenever its kinds change, nor runs out
// of room by them.
func TestCachedFormsOfManyFactories(t *testing.T) {
	t.Parallel()
	const factories = 100 // more than forms are kept
	c := serializer.NewCached(named("a", "1"))
	var size int64 // of one form
	var all []weak.Pointer[serializer.Factory]
	for range factories {
		f, _ := newCounted(t)
		if _, err := f.Append(nil, c, serializer.EncodeOptions{}); err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			size = c.Size()
		}
		all = append(all, weak.Make(f))
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		goruntime.GC()
		kept := 0
		for _, f := range all {
			if f.Value() != nil {
				kept++
			}
		}
		if kept == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d factories are still in memory", kept)
		}
	}
	f, n := newCounted(t)
	for range 2 {
		if _, err := f.Append(nil, c, serializer.EncodeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if n.Load() != 1 {
		t.Errorf("after %d factories the object is encoded %d times for two requests", factories, n.Load())
	}
	if c.Size() != size {
		t.Errorf("%d bytes are kept, one form has %d", c.Size(), size)
	}
}
