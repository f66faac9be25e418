package store_test

import (
	"bytes"
	"fmt"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
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

func compareLists(t *testing.T, l *store.List, accept string) {
	t.Helper()
	rep, err := factory.Negotiate([]string{accept}, serializer.Offer{Kind: l.Resource().ListKind().GroupVersionKind()})
	if err != nil {
		t.Fatal(err)
	}
	obj, err := l.Object()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := rep.EncodeList(&want, obj); err != nil {
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
