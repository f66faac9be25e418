package protobuf_test

import (
	"encoding/binary"
	"encoding/hex"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/wire/pbwire"
)

// goldenPartial is what a Kubernetes API server writes for the metadata of an object of the name
// "a".
const goldenPartial = "6b3873000a270a0e6d6574612e6b38732e696f2f763112155061727469616c4f626a6563744d6574616461746112130a110a016112001a0022002a003200380042001a002200"

func partialA() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
}

func TestGoldenObject(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	data, err := f.Append([]byte("before "), partialA(), serializer.EncodeOptions{MediaType: protobuf.MediaType})
	if got := hex.EncodeToString(data[len("before "):]); err != nil || got != goldenPartial ||
		string(data[:7]) != "before " {
		t.Errorf("got  %s, %v\nwant %s", got, err, goldenPartial)
	}
	obj, err := f.Decode(data[7:], serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := obj.(*metav1.PartialObjectMetadata); !ok || p.Name != "a" || p.Kind != "PartialObjectMetadata" ||
		p.APIVersion != "meta.k8s.io/v1" {
		t.Errorf("got %+v", obj)
	}
}

// TestGoldenZeros checks that fields which are not pointers are written even when they are zero.
func TestGoldenZeros(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		write      func(w *pbwire.Writer)
	}{
		{"ObjectMeta", "0a0012001a0022002a00320038004200", func(w *pbwire.Writer) {
			metav1.PrependProtoObjectMeta(w,
				&metav1.ObjectMeta{})
		}},
		{"ListMeta", "0a0012001a00", func(w *pbwire.Writer) { metav1.PrependProtoListMeta(w, &metav1.ListMeta{}) }},
		{"OwnerReference", "0a001a0022002a00", func(w *pbwire.Writer) {
			metav1.PrependProtoOwnerReference(w,
				&metav1.OwnerReference{})
		}},
		{"ManagedFieldsEntry", "0a0012001a0032004200", func(w *pbwire.Writer) {
			metav1.PrependProtoManagedFieldsEntry(w,
				&metav1.ManagedFieldsEntry{})
		}},
		{"Status", "0a060a0012001a0012001a0022003000", func(w *pbwire.Writer) {
			metav1.PrependProtoStatus(w,
				&metav1.Status{})
		}},
		{"APIGroup", "0a001a040a001200", func(w *pbwire.Writer) { metav1.PrependProtoAPIGroup(w, &metav1.APIGroup{}) }},
		{"APIResource", "0a0010001a00320042004a005200", func(w *pbwire.Writer) {
			metav1.PrependProtoAPIResource(w,
				&metav1.APIResource{})
		}},
	} {
		var w pbwire.Writer
		c.write(&w)
		if got := hex.EncodeToString(w.Bytes()); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// TestGoldenFrame checks that an embedded object is written in an envelope, as the frames of
// watches have it.
func TestGoldenFrame(t *testing.T) {
	t.Parallel()
	object := runtime.Embed(&partialSpec, partialA())
	var w pbwire.Writer
	mark := w.Mark()
	runtime.PrependProtoRawExtension(&w, &object)
	w.Message(2, mark)
	w.String(1, "ADDED")
	if w.Err() != nil {
		t.Fatal(w.Err())
	}
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(w.Len())), w.Bytes()...)
	if got, want := hex.EncodeToString(frame), "00000051"+"0a0541444445441248"+"0a46"+goldenPartial; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
