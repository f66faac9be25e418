package discovery

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// bare is a document that states its kind and no apiVersion: an APIVersions, as kube-apiserver
// writes it, and the other older documents if [Config].Unversioned is set. Only the envelope of
// protobuf has both. It is a [runtime.Untyped] object, so that the scheme accepts it in place of
// the kind: conversions and formats that need the Go type read it into that.
type bare struct {
	kind *runtime.Kind
	in   runtime.Object
}

func (b *bare) APIVersion() string                  { return b.kind.APIVersion() }
func (b *bare) Kind() string                        { return b.kind.Name() }
func (b *bare) RuntimeKind() (*runtime.Kind, error) { return b.kind, nil }

// SetType does nothing: the kind of the document is fixed.
func (*bare) SetType(string, string) {}

var (
	bareVersions  = bareKind(kindAPIVersions, metav1.AppendJSONAPIVersionsFields, metav1.PrependProtoAPIVersions)
	bareGroups    = bareKind(kindAPIGroupList, metav1.AppendJSONAPIGroupListFields, metav1.PrependProtoAPIGroupList)
	bareGroup     = bareKind(kindAPIGroup, metav1.AppendJSONAPIGroupFields, metav1.PrependProtoAPIGroup)
	bareResources = bareKind(kindAPIResourceList, metav1.AppendJSONAPIResourceListFields,
		metav1.PrependProtoAPIResourceList)
)

// bareKind returns the kind of bare documents that hold a T. They have one type, because the linker
// keeps 10 KB for each type of a kind.
func bareKind[T any](kind schema.GroupVersionKind, appendFields func([]byte, *T) ([]byte, error),
	prepend func(*pbwire.Writer, *T),
) *runtime.Kind {
	return runtime.NewKind(kind, &runtime.KindSpec[bare]{
		Source:       "github.com/askind/askind/discovery",
		DeepCopyInto: func(in, out *bare) { *out = *in }, // documents never change
		AppendJSONFields: func(dst []byte, b *bare) ([]byte, error) {
			dst = jsonwire.AppendStringMember(dst, `,"kind":`, b.Kind())
			return appendFields(dst, b.in.(*T))
		},
		PrependProto: func(w *pbwire.Writer, b *bare) { prepend(w, b.in.(*T)) },
	})
}

// bareIf returns a document without its apiVersion if that is wanted.
func bareIf(wanted bool, kind *runtime.Kind, in runtime.Object) runtime.Object {
	if wanted {
		return &bare{kind, in}
	}
	return in
}
