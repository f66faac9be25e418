package k8s_test

import (
	"reflect"

	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/askind/askind/k8s/metav1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// sharedKinds registers the kinds that Kubernetes knows under every group version, from the
// functions in package metav1. The golden objects name the core group.
func sharedKinds(b *runtime.Builder) {
	shared(b, (*kmetav1.APIGroup).DeepCopyInto, metav1.AppendJSONAPIGroupFields, metav1.DecodeJSONAPIGroup,
		metav1.PrependProtoAPIGroup, metav1.DecodeProtoAPIGroup)
	shared(b, (*kmetav1.APIVersions).DeepCopyInto, metav1.AppendJSONAPIVersionsFields, metav1.DecodeJSONAPIVersions,
		metav1.PrependProtoAPIVersions, metav1.DecodeProtoAPIVersions)
	shared(b, (*kmetav1.CreateOptions).DeepCopyInto, metav1.AppendJSONCreateOptionsFields,
		metav1.DecodeJSONCreateOptions, metav1.PrependProtoCreateOptions, metav1.DecodeProtoCreateOptions)
	shared(b, (*kmetav1.DeleteOptions).DeepCopyInto, metav1.AppendJSONDeleteOptionsFields,
		metav1.DecodeJSONDeleteOptions, metav1.PrependProtoDeleteOptions, metav1.DecodeProtoDeleteOptions)
	shared(b, (*kmetav1.GetOptions).DeepCopyInto, metav1.AppendJSONGetOptionsFields, metav1.DecodeJSONGetOptions,
		metav1.PrependProtoGetOptions, metav1.DecodeProtoGetOptions)
	shared(b, (*kmetav1.ListOptions).DeepCopyInto, metav1.AppendJSONListOptionsFields, metav1.DecodeJSONListOptions,
		metav1.PrependProtoListOptions, metav1.DecodeProtoListOptions)
	shared(b, (*kmetav1.PatchOptions).DeepCopyInto, metav1.AppendJSONPatchOptionsFields, metav1.DecodeJSONPatchOptions,
		metav1.PrependProtoPatchOptions, metav1.DecodeProtoPatchOptions)
	shared(b, (*kmetav1.Status).DeepCopyInto, metav1.AppendJSONStatusFields, metav1.DecodeJSONStatus,
		metav1.PrependProtoStatus, metav1.DecodeProtoStatus)
	shared(b, (*kmetav1.UpdateOptions).DeepCopyInto, metav1.AppendJSONUpdateOptionsFields,
		metav1.DecodeJSONUpdateOptions, metav1.PrependProtoUpdateOptions, metav1.DecodeProtoUpdateOptions)
	// A watch event states no kind and apiVersion.
	runtime.AddKind(b, &runtime.KindSpec[kmetav1.WatchEvent]{
		GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "WatchEvent"},
		DeepCopyInto:     (*kmetav1.WatchEvent).DeepCopyInto,
		AppendJSONFields: func(dst []byte, in *kmetav1.WatchEvent) ([]byte, error) {
			start := len(dst)
			dst, err := metav1.AppendJSONWatchEvent(dst, in)
			if err == nil { // fields as they follow others
				dst[start] = ','
				dst = dst[:len(dst)-1]
			}
			return dst, err
		},
		DecodeJSON: metav1.DecodeJSONWatchEvent, PrependProto: metav1.PrependProtoWatchEvent,
		DecodeProto: metav1.DecodeProtoWatchEvent,
	})
}

func shared[T any](b *runtime.Builder, deepCopyInto func(in, out *T), appendFields func([]byte, *T) ([]byte, error),
	decode func(*jsonwire.Reader, *T),
	prepend func(*pbwire.Writer, *T), decodeProto func(*pbwire.Reader, *T),
) {
	t := reflect.TypeFor[T]()
	runtime.AddKind(b, &runtime.KindSpec[T]{
		GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: t.Name()},
		TypeMeta: func(in *T) (apiVersion, kind *string) {
			m := reflect.ValueOf(in).Elem().FieldByName("TypeMeta").Addr().Interface().(*kmetav1.TypeMeta)
			return &m.APIVersion, &m.Kind
		},
		DeepCopyInto: deepCopyInto, AppendJSONFields: appendFields, DecodeJSON: decode, PrependProto: prepend,
		DecodeProto: decodeProto,
	})
}
