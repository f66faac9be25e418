package discovery

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// bareVersions is an APIVersions that states its kind and no apiVersion, as kube-apiserver writes
// it; only the envelope of protobuf has both. It is a [runtime.Untyped] object, so that the scheme
// accepts it in place of a [metav1.APIVersions]: conversions and formats that need the Go type read
// it into that.
type bareVersions struct{ list *metav1.APIVersions }

func (*bareVersions) APIVersion() string                  { return kindAPIVersions.APIVersion() }
func (*bareVersions) Kind() string                        { return kindAPIVersions.Kind }
func (*bareVersions) RuntimeKind() (*runtime.Kind, error) { return bareVersionsKind, nil }

// SetType does nothing: the kind of the document is fixed.
func (*bareVersions) SetType(string, string) {}

var bareVersionsKind = runtime.NewKind(kindAPIVersions, &runtime.KindSpec[bareVersions]{
	Source:       "github.com/askind/askind/discovery",
	DeepCopyInto: func(in, out *bareVersions) { *out = *in }, // documents never change
	AppendJSONFields: func(dst []byte, in *bareVersions) ([]byte, error) {
		dst = jsonwire.AppendStringMember(dst, `,"kind":`, kindAPIVersions.Kind)
		return metav1.AppendJSONAPIVersionsFields(dst, in.list)
	},
	PrependProto: func(w *pbwire.Writer, in *bareVersions) { metav1.PrependProtoAPIVersions(w, in.list) },
})
