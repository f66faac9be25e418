package cbor_test

import (
	"bytes"
	"strconv"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

// TestPiecesEqualWhole checks that a list which is written some items at a time is what it is when
// it is written as a whole.
func TestPiecesEqualWhole(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	k, err := runtime.KindFor[metav1.PartialObjectMetadataList](s)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 2*cbor.Piece - 1, 2 * cbor.Piece, 2*cbor.Piece + 1, 7 * cbor.Piece, 300} {
		list := k.New().(*metav1.PartialObjectMetadataList)
		list.ResourceVersion = "12"
		for i := range n {
			item := metav1.PartialObjectMetadata{}
			item.Name = "item-" + strconv.Itoa(i)
			item.Labels = map[string]string{"b": "2", "a": "1", strconv.Itoa(i): ""}
			list.Items = append(list.Items, item)
		}
		want, err := cbor.AppendWhole([]byte("before"), k, list)
		if err != nil {
			t.Fatal(err)
		}
		got, err := cbor.Format().Append([]byte("before"), k, list, format.Options{})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d items: %v\n got %x\nwant %x", n, err, got, want)
		}
	}
}
