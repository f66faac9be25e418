package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/fuzz"
	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/wire/pbwire"
)

const lazyMachine = `{
  "kind": "Machine", "apiVersion": "fleet.example.com/v1",
  "metadata": {"name": "a", "resourceVersion": "1", "x-unknown": [1.0, 2],
    "labels": {"l": "v"}, "annotations": {"n": "t"}},
  "spec": {"zone": "z",   "unknown": 1e2}
}`

func TestLazy(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	l, err := f.Lazy([]byte(lazyMachine))
	if err != nil {
		t.Fatal(err)
	}
	meta := l.Metadata()
	if meta.Name != "a" || meta.ResourceVersion != "1" || meta.Labels["l"] != "v" || meta.Annotations != nil ||
		l.Kind().Name() != "Machine" || string(l.Bytes()) != lazyMachine {
		t.Errorf("metadata %+v of %s", meta, l.Kind())
	}
	full, err := l.ObjectMeta()
	if err != nil || full.Annotations["n"] != "t" || full.Labels["l"] != "v" {
		t.Errorf("whole metadata: %+v, %v", full, err)
	}
	want, err := f.Decode([]byte(lazyMachine))
	if err != nil {
		t.Fatal(err)
	}
	var objects [8]runtime.Object
	var wg sync.WaitGroup
	for i := range objects {
		wg.Go(func() {
			obj, err := l.Object()
			if err != nil {
				t.Error(err)
			}
			objects[i] = obj
		})
	}
	wg.Wait()
	for _, obj := range objects {
		if obj != objects[0] {
			t.Error("it is decoded more than once")
		}
	}
	if diff := cmp.Diff(want, objects[0]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	plain, err := f.Append(nil, want, serializer.EncodeOptions{Pretty: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Append(nil, l, serializer.EncodeOptions{Pretty: true}); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("Append of a Lazy: %s, %v", got, err)
	}
	var frames frameWriter
	if err := events(t, f, "application/json", &frames).Send("ADDED", serializer.NewCached(l)); err != nil ||
		len(frames) != 1 {
		t.Errorf("an event of a Lazy: %q, %v", frames, err)
	}
}

// lazyYAML is a machine as people write them.
const lazyYAML = `# Our first machine.
---
apiVersion: fleet.example.com/v1
kind: Machine # as it says
metadata:
    annotations:
      text: |
        # no comment

        end
    # Who it is for.
    labels:
      l: v

    name: a # the name
# What it is.
spec:
    image: "debian"  # of course
...
`

func TestLazyWithMetadata(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, c := range []struct {
		name, in string
		change   func(*metav1.ObjectMeta)
		old, new string // what of the text is replaced
	}{
		{"nothing", lazyMachine, func(*metav1.ObjectMeta) {}, "", ""},
		{
			"a value", lazyMachine, func(m *metav1.ObjectMeta) { m.ResourceVersion = "<2>" }, `"resourceVersion": "1"`,
			`"resourceVersion": "\u003c2\u003e"`,
		},
		{"a map", lazyMachine, func(m *metav1.ObjectMeta) { m.Labels["b"] = "c" }, `{"l": "v"}`, `{"b":"c","l":"v"}`},
		{
			"a new member", lazyMachine, func(m *metav1.ObjectMeta) { m.UID = "u" }, `{"name": "a"`,
			`{"uid":"u","name": "a"`,
		},
		{"first removed", lazyMachine, func(m *metav1.ObjectMeta) { m.Name = "" }, `"name": "a", `, ``},
		{
			"last removed", lazyMachine, func(m *metav1.ObjectMeta) { m.Annotations = nil },
			`, "annotations": {"n": "t"}`, ``,
		},
		{"no metadata", `{"kind":"Machine","apiVersion":"fleet.example.com/v1"}`, func(m *metav1.ObjectMeta) {
			m.Name = "a"
		}, `{"kind"`, `{"metadata":{"name":"a"},"kind"`},
		{"only member removed", `{"kind":"Machine","metadata" : { "na\u006de" : "x\"" } ,"apiVersion":"fleet.example.com/v1"}`, func(m *metav1.ObjectMeta) { m.Name = "" }, `"na\u006de" : "x\""`, ``},
		{"twice in the text", `{"kind":"Machine","metadata":{"name":"x","name":"y"},"apiVersion":"fleet.example.com/v1"}`, func(m *metav1.ObjectMeta) { m.Name = "" }, `"name":"x","name":"y"`, ``},
		{"yaml", lazyYAML, func(m *metav1.ObjectMeta) { m.Name = "b" }, "name: a #", "name: b #"},
		{
			"a map in yaml", lazyYAML, func(m *metav1.ObjectMeta) { m.Labels["b"] = "1" }, "      l: v\n",
			"      l: v\n      b: \"1\"\n",
		},
		{
			"a new member in yaml", lazyYAML, func(m *metav1.ObjectMeta) { m.UID = "u" }, "    name: a # the name\n",
			"    name: a # the name\n    uid: u\n",
		},
		{
			"a list in yaml", lazyYAML, func(m *metav1.ObjectMeta) { m.Finalizers = []string{"f"} }, "    name: a # the name\n",
			"    name: a # the name\n    finalizers:\n    - f\n",
		},
		{
			"one removed in yaml", lazyYAML, func(m *metav1.ObjectMeta) { m.Annotations = nil },
			"    annotations:\n      text: |\n        # no comment\n\n        end\n", "",
		},
		{"no metadata in yaml", "kind: Machine\napiVersion: fleet.example.com/v1", func(m *metav1.ObjectMeta) {
			m.Name = "a"
		}, "v1", "v1\nmetadata:\n  name: a\n"},
		{
			"empty metadata in yaml",
			"kind: Machine\nmetadata:\napiVersion: fleet.example.com/v1\n", func(m *metav1.ObjectMeta) { m.Name = "a" },
			"metadata:\n", "metadata:\n  name: a\n",
		},
		{"all removed in yaml", "kind: Machine\nmetadata: # none\n  name: a\napiVersion: fleet.example.com/v1\n", func(m *metav1.ObjectMeta) { m.Name = "" }, "metadata: # none\n  name: a\n", "metadata: {} # none\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in, err := f.Lazy([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			out, err := in.WithMetadata(c.change)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(c.in, c.old, c.new, 1); string(out.Bytes()) != want {
				t.Errorf("got\n%s\nwant\n%s", out.Bytes(), want)
			}
			if string(in.Bytes()) != c.in {
				t.Errorf("the Lazy was changed: %s", in.Bytes())
			}
			// The object is what changing the decoded one gives.
			want, err := serializer.Decode[v1.Machine](f, []byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			c.change(&want.ObjectMeta)
			got, err := out.Object()
			if err != nil {
				t.Fatal(err)
			}
			a, _ := f.Append(nil, want, serializer.EncodeOptions{})
			b, _ := f.Append(nil, got, serializer.EncodeOptions{})
			if !bytes.Equal(a, b) {
				t.Errorf("got\n%s\nwant\n%s", b, a)
			}
		})
	}
	status, err := f.Lazy([]byte(`{"kind":"Status","apiVersion":"v1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := status.WithMetadata(func(*metav1.ObjectMeta) {}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("metadata of a Status: %v", err)
	}
}

// TestLazyMetadataOfAnyFormat checks that what WithMetadata makes of an object that we have written
// is what we write for the changed object.
func TestLazyMetadataOfAnyFormat(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	for seed := range int64(60) {
		o := orderWith(func(s *workshop.OrderSpec) { s.Customer = "c" })
		var after metav1.ObjectMeta
		filler := fuzz.Filler(seed).NilChance(0.4)
		filler.Fuzz(&o.ObjectMeta)
		if metav1.DeepCopyIntoObjectMeta(&o.ObjectMeta, &after); seed%2 == 0 {
			filler.Fuzz(&after)
		} else {
			after.Name, after.Labels, after.UID = "other", nil, ""
		}
		want := *o
		want.ObjectMeta = after
		for _, mediaType := range mediaTypes {
			in, err := f.Lazy(encoded(t, f, mediaType, o), serializer.DecodeOptions{MediaType: mediaType})
			if err != nil {
				t.Fatal(err)
			}
			before := bytes.Clone(in.Bytes())
			out, err := in.WithMetadata(func(m *metav1.ObjectMeta) { metav1.DeepCopyIntoObjectMeta(&after, m) })
			if err != nil {
				t.Fatalf("%s, seed %d: %v", mediaType, seed, err)
			}
			if !bytes.Equal(in.Bytes(), before) {
				t.Errorf("%s, seed %d: the Lazy was changed", mediaType, seed)
			}
			got, wanted := out.Bytes(), encoded(t, f, mediaType, &want)
			if mediaType == mediaJSON || mediaType == mediaYAML { // new members come first or last there
				got, wanted = encoded(t, f, mediaYAML, out), encoded(t, f, mediaYAML, &want)
			}
			if !bytes.Equal(got, wanted) {
				t.Errorf("%s, seed %d: got\n%q\nwant\n%q", mediaType, seed, got, wanted)
			}
		}
	}
}

// TestLazyKeepsWhatIsUnknown checks that fields that the type does not have come through a change
// of the metadata, and are an error where they would not.
func TestLazyKeepsWhatIsUnknown(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	const in = `{"apiVersion":"workshop.example.com/v1","kind":"Order","metadata":{"labels":{"a":"b"},"name":"o","x":[1.5,{"y":null}]},"spec":{"customer":"c","z":1},"u":"v"}`
	const out = `{"apiVersion":"workshop.example.com/v1","kind":"Order","metadata":{"labels":{"a":"b","c":"d"},"name":"o","uid":"1","x":[1.5,{"y":null}]},"spec":{"customer":"c","z":1},"u":"v"}`
	const block = "apiVersion: workshop.example.com/v1\nkind: Order\nmetadata:\n  labels:\n    a: b\n  name: o # it\n  x: [1.5, {y: null}]\nspec: {customer: c, z: 1}\nu: v\n"
	change := func(m *metav1.ObjectMeta) { m.Labels["c"], m.UID = "d", "1" }
	binary, err := cbor.FromJSON(nil, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	message := encoded(t, f, mediaProtobuf,
		&workshop.Order{
			ObjectMeta: metav1.ObjectMeta{Name: "o", Labels: map[string]string{"a": "b"}},
			Spec:       workshop.OrderSpec{Customer: "c"},
		})
	// an envelope whose object, and the metadata in it, have a field more, and come in two pieces
	unknown := func(data []byte) (out []byte) {
		t.Helper()
		e, err := pbwire.ParseEnvelope(data)
		if err != nil {
			t.Fatal(err)
		}
		w := pbwire.NewWriter(nil)
		mark := w.OpenEnvelope()
		w.String(2000, "in the object")
		piece := w.Mark()
		w.Uint64(1000, 7)
		w.String(1, "o")
		w.Message(1, piece)
		w.Raw(e.Raw)
		w.CloseEnvelope(mark, workshop.GroupVersion.WithKind("Order"))
		return w.Bytes()
	}
	plain := func(b []byte) string {
		b, err := cbor.ToJSON(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		name, mediaType string
		in              []byte
		got             func([]byte) string
		want            string
	}{
		{"json", mediaJSON, []byte("\ufeff" + in), func(b []byte) string {
			return strings.Replace(string(b),
				`"uid":"1",`, "", 1)
		}, "\ufeff" + strings.Replace(out, `"uid":"1",`, "", 1)},
		{
			"yaml", mediaYAML, []byte(block), func(b []byte) string { return string(b) },
			strings.NewReplacer("a: b\n", "a: b\n    c: d\n", "null}]\n", "null}]\n  uid: \"1\"\n").Replace(block),
		},
		{"cbor", mediaCBOR, binary, plain, out},
		{"cbor of indefinite lengths", mediaCBOR, slices.Concat([]byte{0xbf}, binary[len("\xd9\xd9\xf7\xa5"):],
			[]byte{0xff}), plain, out},
		{"protobuf", mediaProtobuf, unknown(message), nil, ""},
	} {
		l, err := f.Lazy(c.in, serializer.DecodeOptions{MediaType: c.mediaType})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		changed, err := l.WithMetadata(change)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if m := changed.Metadata(); m.UID != "1" || m.Labels["c"] != "d" || m.Name != "o" {
			t.Errorf("%s: metadata %+v", c.name, m)
		}
		if c.got != nil {
			if got := c.got(changed.Bytes()); got != c.want {
				t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
			}
			continue
		}
		_, err = f.Decode(changed.Bytes(), serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
		if got := problemsOf(err); len(got) != 2 || !strings.Contains(got[0], "1000") ||
			!strings.Contains(got[1], "2000") {
			t.Errorf("%s: the fields that are unknown: %q", c.name, got)
		}
	}
	for name, in := range map[string]string{
		"other breaks":   "kind: Order\rapiVersion: workshop.example.com/v1\nmetadata: {name: a}\nspec:\n  u: 1\n",
		"metadata twice": `{"kind":"Order","apiVersion":"workshop.example.com/v1","metadata":{"name":"a"},"metadata":{"uid":"2"},"spec":{"u":1}}`,
	} {
		l, err := f.Lazy([]byte(in), serializer.DecodeOptions{File: "f"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.WithMetadata(func(m *metav1.ObjectMeta) { m.UID = "3" }); !errors.Is(err,
			runtime.ErrUnknownField) || !strings.HasPrefix(err.Error(), "f:") ||
			!strings.Contains(err.Error(), "spec.u") {
			t.Errorf("%s: error %v", name, err)
		}
		known := strings.NewReplacer("  u: 1", "  customer: c", `"u":1`, `"customer":"c"`).Replace(in)
		if l, err = f.Lazy([]byte(known)); err != nil {
			t.Fatal(err)
		}
		if changed, err := l.WithMetadata(func(m *metav1.ObjectMeta) { m.UID = "3" }); err != nil ||
			changed.Metadata().UID != "3" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLazyErrors(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for in, want := range map[string]string{
		"":                 "f: there is no document in the input",
		lazyMachine[:80]:   "f:3:20: ",
		lazyMachine + "{}": "f:6:2: a second document starts here, but only one can be read at a time",
		`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":1}}`: "f:1:74: metadata.name: expected string, found number",
		`{"kind":"Machine","apiVersion":"fleet.example.com/v1","spec":}`:               "f:1:",
		`{"kind":"X","apiVersion":"v1"}`:                                               "f:1:9: kind: ",
	} {
		if _, err := f.Lazy([]byte(in), serializer.DecodeOptions{
			File:      "f",
			MediaType: "application/json",
		}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", in, err, want)
		}
	}
	l, err := f.Lazy([]byte(`{"kind":"Machine","apiVersion":"fleet.example.com/v1","x":1}`),
		serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if err != nil {
		t.Fatal(err)
	}
	if obj, err := l.Object(); obj == nil || !errors.Is(err, runtime.ErrUnknownField) {
		t.Errorf("an unknown field: %v, %v", obj, err)
	}
}

// TestLazyThatPanics checks that an object whose decoding has panicked is an error for all who ask
// for it later, rather than no object.
func TestLazyThatPanics(t *testing.T) {
	t.Parallel()
	l, err := newFleet(t).Lazy([]byte(`{"kind":"Machine","apiVersion":"fleet.example.com/v1","x":1}`),
		serializer.DecodeOptions{
			Strictness: serializer.WarnAboutProblems, Warn: func(runtime.Problem) { panic("not now") },
		})
	if err != nil {
		t.Fatal(err)
	}
	panicked := func() (out any) {
		defer func() { out = recover() }()
		_, _ = l.Object()
		return nil
	}
	if panicked() != "not now" {
		t.Fatal("the panic did not reach the caller")
	}
	if obj, err := l.Object(); obj != nil || err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("got %v, %v", obj, err)
	}
}

// TestLazyMemory is not parallel, because it looks at the memory of the whole process.
func TestLazyMemory(t *testing.T) {
	f := newFleet(t)
	m := named("machine-with-a-long-name-0123456789", "123456789")
	m.Namespace, m.UID, m.GenerateName, m.Generation = "some-namespace", "01234567-89ab-cdef-0123-456789abcdef",
		"machine-", 3
	m.Labels = map[string]string{
		"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": "web-1",
		"pod-template-hash": "5d4f8c7b9",
	}
	m.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d4f8c7b9",
		UID: "01234567-89ab-cdef-0123-456789abcdef",
	}}
	m.Annotations = map[string]string{"last-applied": strings.Repeat(`{"a":"b"}`, 200)}
	m.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager:  "m",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{` + strings.Repeat(`"f:a":{},`, 300) + `"f:b":{}}}`)},
	}}
	for i := range 60 {
		m.Status.Addresses = append(m.Status.Addresses, v1.Address{Address: fmt.Sprintf("10.0.0.%d", i)})
	}
	text, err := f.Append(nil, m, serializer.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 1000
	kept := make([]*serializer.Lazy, n)
	before := live()
	for i := range kept {
		if kept[i], err = f.Lazy(bytes.Clone(text)); err != nil {
			t.Fatal(err)
		}
	}
	retained := float64(live()-before) / n
	t.Logf("%.0f bytes retained for %d bytes: %.2f times", retained, len(text), retained/float64(len(text)))
	if retained > 1.3*float64(len(text)) {
		t.Errorf("%.0f bytes retained for %d bytes", retained, len(text))
	}
	goruntime.KeepAlive(kept)
}

// TestLazyWithinLimits checks that limits bind what is read at once, whether it is kept as its
// bytes then or not.
func TestLazyWithinLimits(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	object := orderWith(func(s *workshop.OrderSpec) {
		s.Notes = strings.Repeat("x", 40)
		s.Tags = []string{"a", "b", "c", "d"}
	})
	for _, mediaType := range mediaTypes {
		data := encoded(t, f, mediaType, object)
		for limit, fits := range map[string]int{"Size": len(data), "String": 40, "Items": 4, "Depth": 3} {
			for _, most := range []int{fits, fits - 1} {
				t.Run(fmt.Sprintf("%s, %s of %d", mediaType, limit, most), func(t *testing.T) {
					t.Parallel()
					l, err := f.Lazy(data, serializer.DecodeOptions{Limits: limitOf(limit, most)})
					if most < fits {
						exceeded(t, err, limit, most)
					} else if err != nil || l.Metadata().Name != "o" {
						t.Errorf("got %+v, error %v", l, err)
					}
				})
			}
		}
	}
	limited, err := serializer.FactoryOptions{Limits: limitOf("Size", 10)}.NewFactory(f.Scheme(), formatsOf(t, f)...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = limited.Lazy([]byte(lazyMachine))
	exceeded(t, err, "Size", 10)
}
