package protobuf_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/internal/race"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/wire/pbwire"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	f := protobuf.Format()
	if f.Name != "protobuf" || f.Text ||
		!slices.Equal(f.MediaTypes, []string{"application/vnd.kubernetes.protobuf"}) {
		t.Errorf("got %s, text %v, %q", f.Name, f.Text, f.MediaTypes)
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]format.Recognition{
		"": format.No, "k8s": format.No, "k8s\x00": format.Yes,
		"k8s\x00\n": format.Yes, "k8s: 1": format.No, "{}": format.No,
	} {
		if got := protobuf.Format().Recognize([]byte(data)); got != want {
			t.Errorf("%q: got %v, want %v", data, got, want)
		}
	}
}

// TestNegotiate checks that a kind without protobuf functions is not on offer in this format.
func TestNegotiate(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	offer := serializer.Offer{Kind: partialSpec.GroupVersionKind}
	const asTable = ";as=Table;g=meta.k8s.io;v=v1"
	for _, c := range []struct {
		name, accept, want string
	}{
		{"the object", protobuf.MediaType, protobuf.MediaType},
		{"a table, or JSON", protobuf.MediaType + asTable + ",application/json", "application/json"},
		{"a table, or the object", protobuf.MediaType + asTable + "," + protobuf.MediaType, protobuf.MediaType},
		{"a table only", protobuf.MediaType + asTable, ""},
	} {
		rep, err := f.Negotiate([]string{c.accept}, offer)
		if c.want != "" {
			if err != nil || rep.ContentType() != c.want {
				t.Errorf("%s: got %v, %v, want %s", c.name, rep, err, c.want)
			}
			continue
		}
		e, ok := errors.AsType[*serializer.NotAcceptableError](err)
		if !ok {
			t.Errorf("%s: got %v, %v", c.name, rep, err)
			continue
		}
		for _, offered := range e.Offered() {
			if strings.HasPrefix(offered, protobuf.MediaType) && strings.Contains(offered, "Table") {
				t.Errorf("%s: %s is said to be on offer", c.name, offered)
			}
			if _, err := f.Negotiate([]string{offered}, offer); err != nil {
				t.Errorf("%s: %s: %v", c.name, offered, err)
			}
		}
	}
}

func TestAppendErrors(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	o := serializer.EncodeOptions{MediaType: protobuf.MediaType}
	dst := []byte("before")
	got, err := f.Append(dst, &metav1.Table{}, o)
	if no, ok := errors.AsType[*runtime.NoFunctionError](err); !ok || no.Function != "PrependProto" ||
		string(got) != "before" {
		t.Errorf("a kind without functions: %q, %v", got, err)
	}
	k, err := f.Scheme().Kind(partialSpec.GroupVersionKind)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = protobuf.Format().Append(dst, k, &metav1.Table{}, format.Options{}); !errors.Is(err,
		runtime.ErrNotObject) || string(got) != "before" {
		t.Errorf("an object of another kind: %q, %v", got, err)
	}
	if got, err = f.Append(nil, partialA(), o); err != nil || !pbwire.HasMagic(got) {
		t.Errorf("after the errors: %x, %v", got, err)
	}
}

func manyPartials(n int) *metav1.PartialObjectMetadataList {
	yes := true
	list := &metav1.PartialObjectMetadataList{}
	list.ResourceVersion = "12345"
	for i := range n {
		name := "web-7d4b9c6f5-" + strconv.Itoa(i)
		at := metav1.Unix(1577934245, 0)
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "production", UID: "0f8fad5b-d9cb-469f-a165-" +
				strconv.Itoa(70867728+i), ResourceVersion: strconv.Itoa(i), Generation: 3, CreationTimestamp: at,
			Labels: map[string]string{
				"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": name,
				"pod-template-hash": "7d4b9c6f5",
			},
			Annotations: map[string]string{"example.com/checksum": "0123456789abcdef0123456789abcdef"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-7d4b9c6f5",
				UID: "0f8fad5b-d9cb-469f-a165-70867728950e", Controller: &yes, BlockOwnerDeletion: &yes,
			}},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{
					Manager: "kube-controller-manager", Operation: "Update", APIVersion: "v1", Time: &at,
					FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{
						Raw: []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{}}}`),
					},
				},
			},
		}})
	}
	return list
}

// TestAppendSizes writes into buffers that are too small, just right and large, from several
// goroutines.
func TestAppendSizes(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	o := serializer.EncodeOptions{MediaType: protobuf.MediaType}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, n := range []int{0, 1, 50, 3000} {
				list := manyPartials(n)
				want, err := f.Append(nil, list, o)
				if err != nil {
					t.Error(err)
					return
				}
				for _, size := range []int{0, 10, len(want) - 1, len(want), len(want) + 1, 3 * len(want), 4 << 20} {
					dst := append(make([]byte, 0, max(2, size+2)), "ab"...)
					got, err := f.Append(dst, list, o)
					if err != nil || string(got) != "ab"+string(want) {
						t.Errorf("%d items into %d bytes: %d bytes, %v, want %d", n, size, len(got), err, len(want))
					}
				}
				obj, err := f.Decode(want, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
				if err != nil {
					t.Error(err)
					return
				}
				if again, err := f.Append(nil, obj, o); err != nil || string(again) != string(want) {
					t.Errorf("%d items: written %d bytes after reading, %v, want %d", n, len(again), err, len(want))
				}
			}
		})
	}
	wg.Wait()
}

func TestAppendDoesNotAllocate(t *testing.T) {
	if plain.Enabled {
		t.Skip("with the tag, each call of a generated function allocates")
	}
	if race.Enabled {
		t.Skip("the race detector makes pools forget")
	}
	f := newFactory(t)
	k, err := f.Scheme().Kind(partialSpec.GroupVersionKind)
	if err != nil {
		t.Fatal(err)
	}
	obj := &manyPartials(1).Items[0]
	for _, size := range []int{2 << 10, 1 << 20} {
		buf := make([]byte, 0, size)
		if n := testing.AllocsPerRun(200, func() {
			if buf, err = protobuf.Format().Append(buf[:0], k, obj, format.Options{}); err != nil {
				t.Fatal(err)
			}
		}); n >= 1 { // the pool may lose an encoder to the collector
			t.Errorf("%v allocations into a buffer of %d bytes", n, size)
		}
	}
}
