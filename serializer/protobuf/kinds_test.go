package protobuf_test

import (
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/pbwire"
	"github.com/askind/askind/serializer/protobuf"
)

// The kinds of these tests: the types of meta.k8s.io/v1 with the code that a generator writes for them, and a Table, which has no protobuf form.

var (
	metaV1 = schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"}

	partialSpec = runtime.KindSpec[metav1.PartialObjectMetadata]{
		GroupVersionKind: metaV1.WithKind("PartialObjectMetadata"), List: "PartialObjectMetadataList",
		TypeMeta:         func(in *metav1.PartialObjectMetadata) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
		AppendJSONFields: metav1.AppendJSONPartialObjectMetadataFields, DecodeJSON: metav1.DecodeJSONPartialObjectMetadata,
		PrependProto: prependProtoPartial, DecodeProto: decodeProtoPartial,
	}
	partialListSpec = runtime.KindSpec[metav1.PartialObjectMetadataList]{
		GroupVersionKind: metaV1.WithKind("PartialObjectMetadataList"), Item: "PartialObjectMetadata",
		TypeMeta: func(in *metav1.PartialObjectMetadataList) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
		Items: func(in *metav1.PartialObjectMetadataList) runtime.Items {
			return (*runtime.Slice[metav1.PartialObjectMetadata])(&in.Items)
		},
		AppendJSONFields: metav1.AppendJSONPartialObjectMetadataListFields, DecodeJSON: metav1.DecodeJSONPartialObjectMetadataList,
		PrependProto: prependProtoPartialList, DecodeProto: decodeProtoPartialList,
	}
	statusSpec = runtime.KindSpec[metav1.Status]{
		GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Status"}, Shared: true,
		TypeMeta:         func(in *metav1.Status) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
		AppendJSONFields: metav1.AppendJSONStatusFields, DecodeJSON: metav1.DecodeJSONStatus,
		PrependProto: prependProtoStatus, DecodeProto: func(r *pbwire.Reader, _ *metav1.Status) {
			for r.Next() {
				r.Unknown()
			}
		},
	}
	tableSpec = runtime.KindSpec[metav1.Table]{
		GroupVersionKind: metaV1.WithKind("Table"),
		TypeMeta:         func(in *metav1.Table) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
		AppendJSONFields: metav1.AppendJSONTableFields, DecodeJSON: metav1.DecodeJSONTable,
	}
)

func addTo(b *runtime.Builder) {
	runtime.AddKind(b, &partialSpec)
	runtime.AddKind(b, &partialListSpec)
	runtime.AddKind(b, &statusSpec)
	runtime.AddKind(b, &tableSpec)
	runtime.AddAs(b, func(in *metav1.PartialObjectMetadata, out *metav1.Table, _ *conversion.Scope) error {
		out.Rows = append(out.Rows, metav1.TableRow{Cells: []any{in.Name}})
		return nil
	})
}

func newFactory(t testing.TB) *serializer.Factory {
	t.Helper()
	scheme, err := runtime.NewScheme(addTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), protobuf.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func prependProtoPartial(w *pbwire.Writer, in *metav1.PartialObjectMetadata) {
	mark := w.Mark()
	prependProtoObjectMeta(w, &in.ObjectMeta)
	w.Message(1, mark)
}

func decodeProtoPartial(r *pbwire.Reader, out *metav1.PartialObjectMetadata) {
	for r.Next() {
		switch r.Field() {
		case 1:
			saved := r.Message()
			decodeProtoObjectMeta(r, &out.ObjectMeta)
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func prependProtoPartialList(w *pbwire.Writer, in *metav1.PartialObjectMetadataList) {
	for i := len(in.Items) - 1; i >= 0; i-- {
		mark := w.Mark()
		prependProtoPartial(w, &in.Items[i])
		w.Message(2, mark)
	}
	mark := w.Mark()
	prependProtoListMeta(w, &in.ListMeta)
	w.Message(1, mark)
}

func decodeProtoPartialList(r *pbwire.Reader, out *metav1.PartialObjectMetadataList) {
	for r.Next() {
		switch r.Field() {
		case 1:
			saved := r.Message()
			decodeProtoListMeta(r, &out.ListMeta)
			r.EndMessage(saved)
		case 2:
			r.Item()
			out.Items = pbwire.Extend(r, out.Items)
			saved := r.Message()
			decodeProtoPartial(r, &out.Items[len(out.Items)-1])
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func prependProtoListMeta(w *pbwire.Writer, in *metav1.ListMeta) {
	if in.ShardInfo != nil {
		mark := w.Mark()
		w.String(1, in.ShardInfo.Selector)
		w.Message(5, mark)
	}
	if in.RemainingItemCount != nil {
		w.Int64(4, *in.RemainingItemCount)
	}
	w.String(3, in.Continue)
	w.String(2, in.ResourceVersion)
	w.String(1, "") // selfLink, which is deprecated
}

func decodeProtoListMeta(r *pbwire.Reader, out *metav1.ListMeta) {
	for r.Next() {
		switch r.Field() {
		case 1:
			r.Skip()
		case 2:
			out.ResourceVersion = r.String()
		case 3:
			out.Continue = r.String()
		case 4:
			v := r.Int64()
			out.RemainingItemCount = &v
		case 5:
			if out.ShardInfo == nil {
				out.ShardInfo = new(metav1.ShardInfo)
			}
			saved := r.Message()
			for r.Next() {
				switch r.Field() {
				case 1:
					out.ShardInfo.Selector = r.String()
				default:
					r.Unknown()
				}
			}
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func prependProtoObjectMeta(w *pbwire.Writer, in *metav1.ObjectMeta) {
	for i := len(in.ManagedFields) - 1; i >= 0; i-- {
		mark := w.Mark()
		prependProtoManagedFieldsEntry(w, &in.ManagedFields[i])
		w.Message(17, mark)
	}
	w.Strings(14, in.Finalizers)
	for i := len(in.OwnerReferences) - 1; i >= 0; i-- {
		mark := w.Mark()
		prependProtoOwnerReference(w, &in.OwnerReferences[i])
		w.Message(13, mark)
	}
	w.StringMap(12, in.Annotations)
	w.StringMap(11, in.Labels)
	if in.DeletionGracePeriodSeconds != nil {
		w.Int64(10, *in.DeletionGracePeriodSeconds)
	}
	if in.DeletionTimestamp != nil {
		mark := w.Mark()
		metav1.PrependProtoTime(w, in.DeletionTimestamp)
		w.Message(9, mark)
	}
	mark := w.Mark()
	metav1.PrependProtoTime(w, &in.CreationTimestamp)
	w.Message(8, mark)
	w.Int64(7, in.Generation)
	w.String(6, in.ResourceVersion)
	w.String(5, in.UID)
	w.String(4, "") // selfLink, which is deprecated
	w.String(3, in.Namespace)
	w.String(2, in.GenerateName)
	w.String(1, in.Name)
}

func decodeProtoObjectMeta(r *pbwire.Reader, out *metav1.ObjectMeta) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Name = r.String()
		case 2:
			out.GenerateName = r.String()
		case 3:
			out.Namespace = r.String()
		case 4:
			r.Skip()
		case 5:
			out.UID = r.String()
		case 6:
			out.ResourceVersion = r.String()
		case 7:
			out.Generation = r.Int64()
		case 8:
			saved := r.Message()
			metav1.DecodeProtoTime(r, &out.CreationTimestamp)
			r.EndMessage(saved)
		case 9:
			if out.DeletionTimestamp == nil {
				out.DeletionTimestamp = new(metav1.Time)
			}
			saved := r.Message()
			metav1.DecodeProtoTime(r, out.DeletionTimestamp)
			r.EndMessage(saved)
		case 10:
			v := r.Int64()
			out.DeletionGracePeriodSeconds = &v
		case 11:
			r.StringMap(&out.Labels)
		case 12:
			r.StringMap(&out.Annotations)
		case 13:
			out.OwnerReferences = pbwire.Extend(r, out.OwnerReferences)
			saved := r.Message()
			decodeProtoOwnerReference(r, &out.OwnerReferences[len(out.OwnerReferences)-1])
			r.EndMessage(saved)
		case 14:
			out.Finalizers = r.Strings(out.Finalizers)
		case 17:
			out.ManagedFields = pbwire.Extend(r, out.ManagedFields)
			saved := r.Message()
			decodeProtoManagedFieldsEntry(r, &out.ManagedFields[len(out.ManagedFields)-1])
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func prependProtoOwnerReference(w *pbwire.Writer, in *metav1.OwnerReference) {
	if in.BlockOwnerDeletion != nil {
		w.Bool(7, *in.BlockOwnerDeletion)
	}
	if in.Controller != nil {
		w.Bool(6, *in.Controller)
	}
	w.String(5, in.APIVersion)
	w.String(4, in.UID)
	w.String(3, in.Name)
	w.String(1, in.Kind)
}

func decodeProtoOwnerReference(r *pbwire.Reader, out *metav1.OwnerReference) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Kind = r.String()
		case 3:
			out.Name = r.String()
		case 4:
			out.UID = r.String()
		case 5:
			out.APIVersion = r.String()
		case 6:
			v := r.Bool()
			out.Controller = &v
		case 7:
			v := r.Bool()
			out.BlockOwnerDeletion = &v
		default:
			r.Unknown()
		}
	}
}

func prependProtoManagedFieldsEntry(w *pbwire.Writer, in *metav1.ManagedFieldsEntry) {
	w.String(8, in.Subresource)
	if in.FieldsV1 != nil {
		mark := w.Mark()
		metav1.PrependProtoFieldsV1(w, in.FieldsV1)
		w.Message(7, mark)
	}
	w.String(6, in.FieldsType)
	if in.Time != nil {
		mark := w.Mark()
		metav1.PrependProtoTime(w, in.Time)
		w.Message(4, mark)
	}
	w.String(3, in.APIVersion)
	w.String(2, string(in.Operation))
	w.String(1, in.Manager)
}

func decodeProtoManagedFieldsEntry(r *pbwire.Reader, out *metav1.ManagedFieldsEntry) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Manager = r.String()
		case 2:
			out.Operation = metav1.ManagedFieldsOperation(r.String())
		case 3:
			out.APIVersion = r.String()
		case 4:
			if out.Time == nil {
				out.Time = new(metav1.Time)
			}
			saved := r.Message()
			metav1.DecodeProtoTime(r, out.Time)
			r.EndMessage(saved)
		case 6:
			out.FieldsType = r.String()
		case 7:
			if out.FieldsV1 == nil {
				out.FieldsV1 = new(metav1.FieldsV1)
			}
			saved := r.Message()
			metav1.DecodeProtoFieldsV1(r, out.FieldsV1)
			r.EndMessage(saved)
		case 8:
			out.Subresource = r.String()
		default:
			r.Unknown()
		}
	}
}

func prependProtoStatus(w *pbwire.Writer, in *metav1.Status) {
	w.Int32(6, in.Code)
	w.String(4, string(in.Reason))
	w.String(3, in.Message)
	w.String(2, in.Status)
	mark := w.Mark()
	prependProtoListMeta(w, &in.ListMeta)
	w.Message(1, mark)
}

func prependProtoAPIGroup(w *pbwire.Writer, in *metav1.APIGroup) {
	mark := w.Mark()
	w.String(2, in.PreferredVersion.Version)
	w.String(1, in.PreferredVersion.GroupVersion)
	w.Message(3, mark)
	w.String(1, in.Name)
}

func prependProtoAPIResource(w *pbwire.Writer, in *metav1.APIResource) {
	w.String(10, in.StorageVersionHash)
	w.String(9, in.Version)
	w.String(8, in.Group)
	w.Strings(7, in.Categories)
	w.String(6, in.SingularName)
	w.Strings(5, in.ShortNames)
	if in.Verbs != nil {
		mark := w.Mark()
		metav1.PrependProtoVerbs(w, &in.Verbs)
		w.Message(4, mark)
	}
	w.String(3, in.Kind)
	w.Bool(2, in.Namespaced)
	w.String(1, in.Name)
}
