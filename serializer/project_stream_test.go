package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// pieces counts what is written, and in how many pieces.
type pieces struct {
	bytes.Buffer
	writes, longest int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.writes++
	p.longest = max(p.longest, len(b))
	return p.Buffer.Write(b)
}

// longOrders are stored orders whose metadata has about 1 KiB.
func longOrders(tb testing.TB, f *serializer.Factory, n int, mediaType string) (*workshopv1.OrderList, [][]byte) {
	tb.Helper()
	list := &workshopv1.OrderList{ListMeta: metav1.ListMeta{ResourceVersion: "12"}}
	var stored [][]byte
	for i := range n {
		o := workshopv1.Order{ObjectMeta: metav1.ObjectMeta{
			Name:        fmt.Sprintf("order-%d", i),
			Annotations: map[string]string{"note": string(bytes.Repeat([]byte{'a' + byte(i%26)}, 500+i*37%1000))},
		}}
		list.Items = append(list.Items, o)
		b, err := f.Append(nil, &o, serializer.EncodeOptions{MediaType: mediaType})
		if err != nil {
			tb.Fatal(err)
		}
		stored = append(stored, b)
	}
	return list, stored
}

// TestEncodeProjectedStreams checks that long lists are written in pieces, whatever the format,
// with the bytes that Append has for the whole.
func TestEncodeProjectedStreams(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	for _, accept := range []string{
		"application/json" + asMetadata, "application/json;pretty=1" + asMetadata,
		"application/json" + asTable, "application/vnd.kubernetes.protobuf" + asMetadata,
		"application/cbor" + asMetadata, "application/yaml" + asMetadata, "application/json",
		"application/vnd.kubernetes.protobuf",
	} {
		for _, source := range sources {
			list, stored := longOrders(t, f, 400, source)
			rep := represent(t, f, accept, workshopv1.GroupVersion.WithKind("OrderList"))
			want, err := rep.Append(nil, list)
			if err != nil {
				t.Fatal(err)
			}
			var w pieces
			how, err := rep.EncodeProjected(&w, list, blobs(stored), serializer.DecodeOptions{})
			switch {
			case err != nil || !bytes.Equal(w.Bytes(), want):
				t.Errorf("%s from %s: %v, %d bytes, want %d", accept, source, err, w.Len(), len(want))
			case w.writes < 3 || w.longest > 200<<10:
				t.Errorf("%s from %s: %d bytes in %d pieces, the longest of %d", accept, source, len(want), w.writes,
					w.longest)
			case how.Fast+how.Decoded != len(stored):
				t.Errorf("%s from %s: %+v", accept, source, how)
			}
		}
	}
}

// TestEncodeProjectedUncommonMetadata checks that metadata in another order than that in which it
// is written is not copied, in the part of a list that is written in a second pass.
func TestEncodeProjectedUncommonMetadata(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	const media = "application/vnd.kubernetes.protobuf"
	list, stored := longOrders(t, f, 400, media)
	list.Items[399].Labels = map[string]string{"a": "1", "b": "2"}
	last, err := f.Append(nil, &list.Items[399], serializer.EncodeOptions{MediaType: media})
	if err != nil {
		t.Fatal(err)
	}
	const a, b = "\x5a\x06\n\x01a\x12\x011", "\x5a\x06\n\x01b\x12\x012"
	if stored[399] = bytes.Replace(last, []byte(a+b), []byte(b+a), 1); bytes.Equal(stored[399], last) {
		t.Fatalf("%q has no labels", last)
	}
	rep := represent(t, f, media+asMetadata, workshopv1.GroupVersion.WithKind("OrderList"))
	want, err := rep.Append(nil, list)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := rep.EncodeProjected(&got, list, blobs(stored), serializer.DecodeOptions{}); err != nil ||
		!bytes.Equal(got.Bytes(), want) {
		t.Errorf("%v, %d bytes, want %d", err, got.Len(), len(want))
	}
}

// TestEncodeProjectedOtherKinds checks that a list shows only items of its kind.
func TestEncodeProjectedOtherKinds(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	object := func(kind string) []byte {
		return []byte(`{"kind":"` + kind + `","apiVersion":"` + fleetv1.GroupVersion.String() + `","metadata":{"name":"m"}}`)
	}
	items := [][]byte{object("Machine"), object("MachinePool")}
	for _, accept := range []string{"application/json" + asMetadata, "application/json" + asTable} {
		rep := represent(t, f, accept, fleetv1.GroupVersion.WithKind("MachineList"))
		var w bytes.Buffer
		_, err := rep.EncodeProjected(&w, &fleetv1.MachineList{}, blobs(items), serializer.DecodeOptions{})
		if err == nil || !strings.Contains(err.Error(), "items[1]") {
			t.Errorf("%s: %v, %s", accept, err, &w)
		}
	}
}

// TestProjectCanonical checks that metadata which this module has written is shown the same when
// it is not checked, and that it is copied.
func TestProjectCanonical(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	canonical := serializer.DecodeOptions{Canonical: true}
	for _, accept := range []string{asMetadata, asTable} {
		rep := represent(t, f, "application/json"+accept, workshopv1.GroupVersion.WithKind("OrderList"))
		for _, source := range sources {
			list, stored := longOrders(t, f, 20, source)
			var want, got bytes.Buffer
			if _, err := rep.EncodeProjected(&want, list, blobs(stored), serializer.DecodeOptions{}); err != nil {
				t.Fatal(err)
			}
			how, err := rep.EncodeProjected(&got, list, blobs(stored), canonical)
			if err != nil || got.String() != want.String() || how.Fast != len(stored) {
				t.Errorf("%s from %s: %v, %+v\n%s\nwant\n%s", accept, source, err, how, &got, &want)
			}
		}
		other := []byte(`{"kind":"Order","apiVersion":"` + workshopv1.GroupVersion.String() + `","metadata":{"labels":{},"name":"a"}}`)
		one := represent(t, f, "application/json"+accept, workshopv1.GroupVersion.WithKind("Order"))
		out, _, err := one.Project(nil, other, canonical)
		if err != nil || !bytes.Contains(out, []byte(`"metadata":{"labels":{},"name":"a"}`)) {
			t.Errorf("%s of an object that claims to be canonical: %s, %v", accept, out, err)
		}
	}
}

// TestEncodeProjectedChanges checks that a sequence is not believed to be the same the second time.
func TestEncodeProjectedChanges(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	list, stored := longOrders(t, f, 400, "application/vnd.kubernetes.protobuf")
	for _, format := range []string{"application/vnd.kubernetes.protobuf", "application/cbor"} {
		rep := represent(t, f, format+asMetadata, workshopv1.GroupVersion.WithKind("OrderList"))
		for _, second := range [][][]byte{
			stored[:399], append(stored[:400:400], stored[0]), stored[:2], nil,
			append(stored[:399:399], stored[398]), append(stored[:399:399], stored[0]),
		} {
			if format == "application/cbor" && len(second) == 400 {
				continue // only the number of its items is written before them
			}
			runs := [][][]byte{stored, second}
			items := iter.Seq2[[]byte, error](func(yield func([]byte, error) bool) {
				now := runs[0]
				runs = runs[1:]
				for _, data := range now {
					if !yield(data, nil) {
						return
					}
				}
			})
			if _, err := rep.EncodeProjected(io.Discard, list, items, serializer.DecodeOptions{}); !errors.Is(err,
				serializer.ErrListChanged) {
				t.Errorf("%s, then %d items: %v", format, len(second), err)
			}
		}
	}
}

// TestEncodeItemsChanges checks that a sequence is not believed to be the same the second time, so
// that no list states a size that it does not have.
func TestEncodeItemsChanges(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	list, _ := longOrders(t, f, 400, "application/json")
	item := func(change int) workshopv1.Order {
		o := list.Items[399]
		note := o.Annotations["note"]
		o.Annotations = map[string]string{"note": (note + "xx")[:len(note)+change]}
		return o
	}
	for _, format := range []string{"application/vnd.kubernetes.protobuf", "application/cbor"} {
		for _, accept := range []string{format, format + asMetadata} {
			rep := represent(t, f, accept, workshopv1.GroupVersion.WithKind("OrderList"))
			for name, tt := range map[string]struct {
				second  []workshopv1.Order
				counted bool // found where only items are counted
			}{
				"fewer":        {list.Items[:399], true},
				"more":         {append(list.Items[:400:400], list.Items...), true},
				"none":         {nil, true},
				"a longer one": {append(list.Items[:399:399], item(1)), false},
				"a shorter":    {append(list.Items[:399:399], item(-1)), false},
			} {
				runs, taken := [][]workshopv1.Order{list.Items, tt.second}, 0
				items := iter.Seq2[runtime.Object, error](func(yield func(runtime.Object, error) bool) {
					now := runs[0]
					runs = runs[1:]
					for i := range now {
						taken = i + 1
						if !yield(&now[i], nil) {
							return
						}
					}
				})
				err := rep.EncodeItems(io.Discard, &workshopv1.OrderList{}, items)
				want := tt.counted || format != "application/cbor"
				if errors.Is(err, serializer.ErrListChanged) != want || !want && err != nil || taken > 401 {
					t.Errorf("%s, then %s: %v after %d items", accept, name, err, taken)
				}
			}
		}
	}
}

// TestEncodeTableStreams checks that the table of a list with metadata of its own is written in
// pieces.
func TestEncodeTableStreams(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	list, _ := longOrders(t, f, 400, "application/json")
	list.Continue, list.RemainingItemCount = "next", new(int64(7))
	rep := represent(t, f, "application/json"+asTable, workshopv1.GroupVersion.WithKind("OrderList"))
	want, err := rep.Append(nil, list)
	if err != nil {
		t.Fatal(err)
	}
	var w pieces
	if err := rep.Encode(&w, list); err != nil || !bytes.Equal(w.Bytes(), want) {
		t.Errorf("error %v, %d bytes, want %d", err, w.Len(), len(want))
	}
	if w.writes < 3 || w.longest > 100<<10 {
		t.Errorf("%d bytes in %d pieces, the longest of %d", len(want), w.writes, w.longest)
	}
}
