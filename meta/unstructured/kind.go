package unstructured

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The functions of all untyped kinds, which differ only in their names. Objects state their kind
// themselves, so it is one of the fields.
var (
	objectSpec = runtime.KindSpec[Object]{
		Source:           "github.com/askind/askind/meta/unstructured",
		DeepCopyInto:     DeepCopyIntoObject,
		AppendJSONFields: func(dst []byte, in *Object) ([]byte, error) { return appendMembers(dst, in.tree()), nil },
		DecodeJSON:       DecodeJSONObject,
		Export:           export,
	}
	objectListSpec = runtime.KindSpec[Object]{
		Source:           objectSpec.Source,
		Items:            func(l *Object) runtime.Items { return itemsView{&l.root} },
		DeepCopyInto:     DeepCopyIntoObject,
		AppendJSONFields: objectSpec.AppendJSONFields,
		DecodeJSON:       DecodeJSONObject,
		Export:           func(l *Object) { exportList(&l.root) },
	}
	listSpec = runtime.KindSpec[List]{
		Source:       objectSpec.Source,
		Items:        func(l *List) runtime.Items { return itemsView{&l.root} },
		DeepCopyInto: DeepCopyIntoList,
		AppendJSONFields: func(dst []byte, in *List) ([]byte, error) {
			return appendMembers(dst, in.Object().tree()),
				nil
		},
		DecodeJSON: func(r *jsonwire.Reader, out *List) { DecodeJSONList(r, out) },
		Export:     func(l *List) { exportList(&l.root) },
	}
)

// Kind returns a kind whose objects are of the type [*Object]. Use it in serializer.DecodeOptions
// to decode documents of unknown kinds:
//
//	obj, err := f.Decode(data, serializer.DecodeOptions{Unknown: unstructured.Kind})
//
// A kind whose name ends in List has items if its objects have them.
func Kind(gvk schema.GroupVersionKind) *runtime.Kind {
	if isListName(gvk.Kind) {
		return runtime.NewKind(gvk, &objectListSpec, objectViews)
	}
	return runtime.NewKind(gvk, &objectSpec, objectViews)
}

// ListKind returns a kind whose objects are of the type [*List].
func ListKind(gvk schema.GroupVersionKind) *runtime.Kind {
	return runtime.NewKind(gvk, &listSpec, objectViews)
}
