package v1_test

import (
	"encoding/hex"
	"testing"

	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/pbwire"
)

// TestZeroMessages compares zero values with the bytes that Kubernetes writes: what is not a
// pointer is always there.
func TestZeroMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		write func(w *pbwire.Writer)
		want  string
	}{
		{"ObjectMeta", zero(v1.PrependProtoObjectMeta), "0a0012001a0022002a00320038004200"},
		{"ListMeta", zero(v1.PrependProtoListMeta), "0a0012001a00"},
		{"OwnerReference", zero(v1.PrependProtoOwnerReference), "0a001a0022002a00"},
		{"ManagedFieldsEntry", zero(v1.PrependProtoManagedFieldsEntry), "0a0012001a0032004200"},
		{"Status", zero(v1.PrependProtoStatus), "0a060a0012001a0012001a0022003000"},
		{"APIGroup", zero(v1.PrependProtoAPIGroup), "0a001a040a001200"},
		{"APIResource", zero(v1.PrependProtoAPIResource), "0a0010001a00320042004a005200"},
		{"LabelSelector", zero(v1.PrependProtoLabelSelector), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := pbwire.NewWriter(nil)
			tt.write(w)
			if got := hex.EncodeToString(w.Bytes()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func zero[T any](write func(*pbwire.Writer, *T)) func(*pbwire.Writer) {
	return func(w *pbwire.Writer) { write(w, new(T)) }
}

// TestMessagesLeaveTypeMetaOut compares a kind, and one inside a list, with the bytes that
// Kubernetes writes.
func TestMessagesLeaveTypeMetaOut(t *testing.T) {
	t.Parallel()
	typed := v1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"}
	object := v1.PartialObjectMetadata{TypeMeta: typed, ObjectMeta: v1.ObjectMeta{Name: "a"}}
	const want = "0a110a016112001a0022002a00320038004200"
	w := pbwire.NewWriter(nil)
	v1.PrependProtoPartialObjectMetadata(w, &object)
	if got := hex.EncodeToString(w.Bytes()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w.Reset(nil)
	v1.PrependProtoPartialObjectMetadataList(w,
		&v1.PartialObjectMetadataList{Items: []v1.PartialObjectMetadata{object}})
	if got := hex.EncodeToString(w.Bytes()); got != "0a060a0012001a00"+"1213"+want {
		t.Errorf("in a list: %s", got)
	}
	var back v1.PartialObjectMetadataList
	r := pbwire.NewReader(w.Bytes(), pbwire.Options{Strict: true})
	v1.DecodeProtoPartialObjectMetadataList(r, &back)
	if len(r.Problems()) > 0 || len(back.Items) != 1 || back.Items[0].Name != "a" || back.Items[0].Kind != "" {
		t.Errorf("got %+v, %v", back, r.Problems())
	}
}

// TestNilVerbs keeps nothing known and nothing possible apart.
func TestNilVerbs(t *testing.T) {
	t.Parallel()
	for _, verbs := range []v1.Verbs{nil, {}, {"get"}} {
		w := pbwire.NewWriter(nil)
		v1.PrependProtoAPIResource(w, &v1.APIResource{Verbs: verbs})
		var back v1.APIResource
		v1.DecodeProtoAPIResource(pbwire.NewReader(w.Bytes(), pbwire.Options{}), &back)
		if (back.Verbs == nil) != (verbs == nil) || len(back.Verbs) != len(verbs) {
			t.Errorf("got %#v, want %#v", back.Verbs, verbs)
		}
	}
}
