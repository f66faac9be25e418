package protobuf_test

import (
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
)

// The kinds of these tests: some of meta.k8s.io/v1, one of them a Table, which has no protobuf
// form.

var (
	metaV1 = schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"}

	partialSpec = runtime.KindSpec[metav1.PartialObjectMetadata]{
		GroupVersionKind: metaV1.WithKind("PartialObjectMetadata"), List: "PartialObjectMetadataList",
		TypeMeta: func(in *metav1.PartialObjectMetadata) (apiVersion, kind *string) {
			return &in.APIVersion,
				&in.Kind
		},
		AppendJSONFields: metav1.AppendJSONPartialObjectMetadataFields,
		DecodeJSON:       metav1.DecodeJSONPartialObjectMetadata,
		PrependProto:     metav1.PrependProtoPartialObjectMetadata,
		DecodeProto:      metav1.DecodeProtoPartialObjectMetadata,
	}
	partialListSpec = runtime.KindSpec[metav1.PartialObjectMetadataList]{
		GroupVersionKind: metaV1.WithKind("PartialObjectMetadataList"), Item: "PartialObjectMetadata",
		TypeMeta: func(in *metav1.PartialObjectMetadataList) (apiVersion, kind *string) {
			return &in.APIVersion,
				&in.Kind
		},
		Items: func(in *metav1.PartialObjectMetadataList) runtime.Items {
			return (*runtime.Slice[metav1.PartialObjectMetadata])(&in.Items)
		},
		AppendJSONFields: metav1.AppendJSONPartialObjectMetadataListFields,
		DecodeJSON:       metav1.DecodeJSONPartialObjectMetadataList,
		PrependProto:     metav1.PrependProtoPartialObjectMetadataList,
		DecodeProto:      metav1.DecodeProtoPartialObjectMetadataList,
	}
	statusSpec = runtime.KindSpec[metav1.Status]{
		GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Status"}, Shared: true,
		TypeMeta:         func(in *metav1.Status) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
		AppendJSONFields: metav1.AppendJSONStatusFields, DecodeJSON: metav1.DecodeJSONStatus,
		PrependProto: metav1.PrependProtoStatus, DecodeProto: metav1.DecodeProtoStatus,
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
