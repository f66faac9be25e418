package reflectjson

import (
	"reflect"
	"sync"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
)

// Complete returns the spec with missing functions filled in, as far as reflection can provide
// them:
//
//   - AppendJSONFields and DecodeJSON;
//   - TypeMeta, if T has the members kind and apiVersion, as a struct that embeds metav1.TypeMeta
//     has;
//   - Metadata, if T has the member metadata and it is a struct;
//   - Items, if the spec names the kind of the items and T has the member items.
//
// DeepCopyInto is left to package runtime, which copies by reflection if it is nil. If T is not a
// struct the spec is returned unchanged, and [runtime.NewScheme] reports it.
//
// Pass the result to [runtime.AddKind]:
//
//	runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[Note]{GroupVersionKind: GroupVersion.WithKind("Note")}))
func Complete[T any](spec runtime.KindSpec[T]) *runtime.KindSpec[T] {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return &spec
	}
	nodes := map[reflect.Type]*node{}
	top := compile(t, nodes)
	if top.shape != structure { // a type with methods of its own, which ignore kind and apiVersion
		return &spec
	}
	completeAccessors(&spec, top)
	typed, list := spec.TypeMeta != nil, spec.Item != ""
	start := sync.OnceValue(func() *engine { return newEngine(nodes) })
	if spec.AppendJSONFields == nil {
		spec.AppendJSONFields = func(dst []byte, in *T) ([]byte, error) {
			return start().appendFields(dst, top, reflect.ValueOf(in).Elem(), !typed, !list)
		}
	}
	if spec.DecodeJSON == nil {
		spec.DecodeJSON = func(r *jsonwire.Reader, out *T) {
			read(r, top, reflect.ValueOf(out).Elem())
		}
	}
	return &spec
}

func completeAccessors[T any](spec *runtime.KindSpec[T], top *node) {
	if spec.TypeMeta == nil && top.hasTypeMeta() {
		apiVersion, kind := top.member("apiVersion", reflect.String), top.member("kind", reflect.String)
		spec.TypeMeta = func(obj *T) (a, k *string) {
			return pointerTo[string](obj, apiVersion), pointerTo[string](obj, kind)
		}
	}
	if metadata := top.member("metadata", reflect.Struct); spec.Metadata == nil && metadata != nil {
		spec.Metadata = func(obj *T) any {
			return reflect.ValueOf(obj).Elem().FieldByIndex(metadata).Addr().Interface()
		}
	}
	if items := top.member("items", reflect.Slice); spec.Items == nil && spec.Item != "" && items != nil {
		spec.Items = func(obj *T) runtime.Items { return slice{reflect.ValueOf(obj).Elem().FieldByIndex(items)} }
	}
}

// hasTypeMeta reports whether the values of a struct type state their apiVersion and kind.
func (n *node) hasTypeMeta() bool {
	return n.member("apiVersion", reflect.String) != nil && n.member("kind", reflect.String) != nil
}

// member returns the index path of a member of that kind, nil if there is none that can be reached
// in every value.
func (n *node) member(name string, kind reflect.Kind) []int {
	i, ok := n.byName[name]
	if !ok {
		return nil
	}
	f := &n.fields[i]
	if f.node.typ.Kind() != kind || kind == reflect.String && f.node.typ != reflect.TypeFor[string]() {
		return nil
	}
	t := n.typ
	for _, x := range f.index {
		if t.Kind() == reflect.Pointer { // embedded by pointer, which may be nil
			return nil
		}
		t = t.Field(x).Type
	}
	return f.index
}

func pointerTo[V, T any](obj *T, index []int) *V {
	p, _ := reflect.ValueOf(obj).Elem().FieldByIndex(index).Addr().Interface().(*V)
	return p
}

// slice implements [runtime.Items] over a slice field.
type slice struct{ v reflect.Value }

func (s slice) Len() int                { return s.v.Len() }
func (s slice) At(i int) runtime.Object { return s.v.Index(i).Addr().Interface() }
func (s slice) Resize(n int)            { s.v.Set(reflect.MakeSlice(s.v.Type(), n, n)) }
func (s slice) IsNil() bool             { return s.v.IsNil() }
