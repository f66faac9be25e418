package store_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// acceptable are the representations that answers are compared in.
var acceptable = []string{
	"application/json", "application/json;pretty=1", "application/json;v=v1beta1", "application/json;v=v1alpha1",
	"application/yaml",
	"application/cbor", "application/json;export=1", "application/json;as=Table",
	"application/json;as=Table;includeObject=None",
	"application/json;as=Table;includeObject=Object", "application/json;as=PartialObjectMetadata",
	"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
	"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", "application/yaml;as=Table",
}

// No answer depends on whether bytes were copied, kept or made anew: each is that of the decoded
// object.
func TestAnswersEqualThoseOfDecodedObjects(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]store.Options{"forms kept": {}, "nothing kept": {CacheBytes: 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := machines(t, o)
			empty, err := r.List(t.Context(), store.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			m := machine("a", "m", "x", "1", "ü", "\"\\")
			m.UID, m.Annotations = "u", map[string]string{"deceptive": `"resourceVersion":"18446744073709551615"`}
			m.Spec.ProviderConfig = &runtime.RawExtension{
				Raw: []byte(`{"metadata":{"resourceVersion":"18446744073709551615"}}`),
			}
			create(t, r, m)
			create(t, r, machine("a", "n"))
			create(t, r, machine("b", "m", "x", "2"))
			list, err := r.List(t.Context(), store.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			page, err := r.List(t.Context(), store.ListOptions{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, accept := range acceptable {
				t.Run(accept, func(t *testing.T) {
					for _, l := range []*store.List{list, page, empty} {
						compareLists(t, l, accept)
					}
					for e := range list.Entries() {
						compareEntries(t, e, accept)
					}
				})
			}
		})
	}
}

// gatherBuffer is a writer that takes slices from where they are.
type gatherBuffer struct {
	bytes.Buffer
	length  int64
	largest int // how many bytes came at once
}

func (b *gatherBuffer) Gather(length int64) func([][]byte) error {
	b.length = length
	return func(slices [][]byte) error {
		from := b.Len()
		for _, p := range slices {
			b.Write(p)
		}
		b.largest = max(b.largest, b.Len()-from)
		return nil
	}
}

func compareLists(t *testing.T, l *store.List, accept string) {
	t.Helper()
	compareListsIn(t, l, l.Resource().ListKind().GroupVersion(), accept)
}

// compareListsIn is compareLists for a list that is served in another version than the stored one.
func compareListsIn(t *testing.T, l *store.List, gv schema.GroupVersion, accept string) {
	t.Helper()
	compareListsOf(t, factory, l, gv, accept)
}

// compareListsOf is compareListsIn for objects of another factory.
func compareListsOf(t *testing.T, f *serializer.Factory, l *store.List, gv schema.GroupVersion, accept string) {
	t.Helper()
	rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: gv.WithKind(l.Resource().ListKind().Name())})
	if err != nil {
		t.Fatal(err)
	}
	obj, err := l.Object()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := rep.Encode(&want, obj); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		var got bytes.Buffer
		if err := l.Encode(&got, rep); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("the list, time %d:\ngot  %s\nwant %s", i, &got, &want)
		}
		gathered := gatherBuffer{length: -1}
		if err := l.Encode(&gathered, rep); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(gathered.Bytes(), want.Bytes()) {
			t.Errorf("the list, gathered:\ngot  %s\nwant %s", &gathered, &want)
		}
		if gathered.length >= 0 && gathered.length != int64(want.Len()) {
			t.Errorf("the list has %d bytes, and %d were announced", want.Len(), gathered.length)
		}
	}
}

func compareEntries(t *testing.T, e *store.Entry, accept string) {
	t.Helper()
	rep, err := factory.Negotiate([]string{accept}, serializer.Offer{Kind: e.Kind().GroupVersionKind()})
	if err != nil {
		t.Fatal(err)
	}
	obj, err := e.Object()
	if err != nil {
		t.Fatal(err)
	}
	want, err := rep.Append(nil, obj)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		got, err := e.Append([]byte("before"), rep)
		if err != nil || string(got) != "before"+string(want) {
			t.Errorf("%s, time %d: %v\ngot  %s\nwant %s", e.Key(), i, err, got, want)
		}
	}
	m, err := e.Metadata()
	if err != nil {
		t.Fatal(err)
	}
	own, err := metav1.AppendJSONObjectMeta(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(mustJSON(t, obj), own) {
		t.Errorf("metadata %s", own)
	}
}

// TestMetadataOfEveryVersion checks that metadata and tables are those of the version that is
// served. The conversion of a pool to v1alpha1 puts what that version lacks into an annotation.
func TestMetadataOfEveryVersion(t *testing.T) {
	t.Parallel()
	r, err := open(t, memory.New(), store.Options{}).Add(store.ResourceOptions{
		Factory: factory, Kind: v1.GroupVersion.WithKind("MachinePool"),
	})
	if err != nil {
		t.Fatal(err)
	}
	cooldown := metav1.Duration{Duration: time.Minute}
	create(t, r, &v1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p"}, Spec: v1.MachinePoolSpec{Cooldown: &cooldown},
	})
	create(t, r, &v1.MachinePool{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "q"}})
	list, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, gv := range []schema.GroupVersion{v1.GroupVersion, v1beta1.GroupVersion, v1alpha1.GroupVersion} {
		for _, accept := range acceptable {
			t.Run(gv.Version+" "+accept, func(t *testing.T) { compareListsIn(t, list, gv, accept) })
		}
	}
}

// TestTablesOfMetadata checks tables whose only column reads metadata, for which the rest of the
// stored objects is left out.
func TestTablesOfMetadata(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(corev1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(t, memory.New(), store.Options{}).Add(store.ResourceOptions{
		Factory: f, Kind: corev1.GroupVersion.WithKind("Namespace"),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		create(t, r, &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{"x": `}}"{`}},
			Spec:       corev1.NamespaceSpec{Finalizers: []string{strings.Repeat("long", 100)}},
		})
	}
	list, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, accept := range []string{
		"application/json;as=Table;g=meta.k8s.io;v=v1", "application/yaml;as=Table;g=meta.k8s.io;v=v1",
		"application/json;as=Table;g=meta.k8s.io;v=v1;includeObject=None",
		"application/json;as=Table;g=meta.k8s.io;v=v1;includeObject=Object",
		"application/yaml;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
	} {
		compareListsOf(t, f, list, corev1.GroupVersion, accept)
	}
}

func mustJSON(t *testing.T, obj runtime.Object) []byte {
	t.Helper()
	out, err := factory.Append(nil, obj, serializer.EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What clients make the store encode stays within its bounds.
func TestKeptFormsAreBounded(t *testing.T) {
	t.Parallel()
	const bound = 256 << 10
	r := machines(t, store.Options{CacheBytes: bound})
	var forms []*serializer.Cached
	for i := range 1000 {
		e := create(t, r, machine("a", fmt.Sprint("m", i)))
		for _, accept := range acceptable {
			rep, err := factory.Negotiate([]string{accept}, serializer.Offer{Kind: machineKind})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Append(nil, rep); err != nil {
				t.Fatal(err)
			}
		}
		forms = append(forms, e.Cached())
	}
	total := int64(0)
	seen := map[*serializer.Cached]bool{}
	l, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for e := range l.Entries() {
		if c := e.Cached(); !seen[c] {
			seen[c] = true
			total += c.Size()
		}
	}
	if total == 0 || total > bound {
		t.Errorf("%d bytes are kept, %d are allowed", total, bound)
	}
	_ = forms
}

// TestGatheredLists checks lists whose bytes are sent from where they are: of large objects, of
// large and small ones, and of one that is larger than what is sent at once.
func TestGatheredLists(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	for i, size := range []int{3 << 10, 0, 60 << 10, 2 << 10, 1200 << 10, 100, 600 << 10, 700 << 10} {
		m := machine("a", fmt.Sprintf("m-%d", i))
		m.Annotations = map[string]string{"example.com/notes": strings.Repeat("x", size)}
		create(t, r, m)
	}
	list, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, accept := range acceptable {
		compareLists(t, list, accept)
	}
	for _, accept := range []string{"application/json", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"} {
		rep, err := factory.Negotiate([]string{accept}, serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
		if err != nil {
			t.Fatal(err)
		}
		got := gatherBuffer{length: -1}
		if err := list.Encode(&got, rep); err != nil {
			t.Fatal(err)
		}
		if got.length != int64(got.Len()) || got.largest > 1202<<10 {
			t.Errorf("%s: %d bytes, %d at once; %d were announced", accept, got.Len(), got.largest, got.length)
		}
	}
}
