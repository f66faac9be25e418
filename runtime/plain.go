//go:build askind_plain

package runtime

import (
	"context"
	"reflect"
	"sync"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// This file replaces unsafe.go with package reflect, to the same results.

type typeID uintptr

// types has the pointer types with an ID.
var types sync.Map

func typeOf(v any) typeID {
	if v == nil {
		return 0
	}
	return idOf(reflect.TypeOf(v))
}

func idOf(t reflect.Type) typeID {
	id := typeID(reflect.ValueOf(t).Pointer())
	types.LoadOrStore(id, t)
	return id
}

func structOf(pointer typeID) reflect.Type {
	t, _ := types.Load(pointer)
	return t.(reflect.Type).Elem()
}

func newOf(pointer typeID) Object { return reflect.New(structOf(pointer)).Interface() }

func isNil(pointer any) bool {
	v := reflect.ValueOf(pointer)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

func pointerTo(t reflect.Type) typeID { return idOf(reflect.PointerTo(t)) }

type opaque struct{ obj Object }

func hide(obj Object) *opaque { return &opaque{obj} }

func object[T any](obj Object) *T { return obj.(*T) }

// erased has the erased form of each spec.
var erased sync.Map

func erase[T any](k *KindSpec[T]) *anySpec {
	if k == nil {
		return nil
	}
	if known, ok := erased.Load(k); ok {
		return known.(*anySpec)
	}
	out := &anySpec{
		GroupVersionKind: k.GroupVersionKind, Source: k.Source, Resource: k.Resource, Singular: k.Singular,
		ShortNames: k.ShortNames, Categories: k.Categories, Scope: k.Scope, Storage: k.Storage, Shared: k.Shared,
		Status: k.Status, Unserved: k.Unserved, Deprecated: k.Deprecated, SelectableFields: k.SelectableFields,
		List: k.List, Item: k.Item, ABI: k.ABI, SchemaName: k.SchemaName, Schemas: k.Schemas,
		Encoded: Encoded[opaque]{
			ProtoMetadata: k.Encoded.ProtoMetadata, JSONItems: k.Encoded.JSONItems, ProtoItems: k.Encoded.ProtoItems,
			Undefaulted: k.Encoded.Undefaulted,
		},
	}
	if k.TypeMeta != nil {
		out.TypeMeta = func(o *opaque) (apiVersion, kind *string) { return k.TypeMeta(o.obj.(*T)) }
	}
	if k.Metadata != nil {
		out.Metadata = func(o *opaque) any { return k.Metadata(o.obj.(*T)) }
	}
	if k.Items != nil {
		out.Items = func(o *opaque) Items { return k.Items(o.obj.(*T)) }
	}
	if k.DeepCopyInto != nil {
		out.DeepCopyInto = func(in, out *opaque) { k.DeepCopyInto(in.obj.(*T), out.obj.(*T)) }
	}
	if k.AppendJSONFields != nil {
		out.AppendJSONFields = func(dst []byte, in *opaque) ([]byte, error) {
			return k.AppendJSONFields(dst, in.obj.(*T))
		}
	}
	if k.DecodeJSON != nil {
		out.DecodeJSON = func(r *jsonwire.Reader, out *opaque) { k.DecodeJSON(r, out.obj.(*T)) }
	}
	if k.PrependProto != nil {
		out.PrependProto = func(w *pbwire.Writer, in *opaque) { k.PrependProto(w, in.obj.(*T)) }
	}
	if k.DecodeProto != nil {
		out.DecodeProto = func(r *pbwire.Reader, out *opaque) { k.DecodeProto(r, out.obj.(*T)) }
	}
	if k.Default != nil {
		out.Default = func(o *opaque) error { return k.Default(o.obj.(*T)) }
	}
	if k.Validate != nil {
		out.Validate = func(ctx context.Context, o *opaque) FieldErrors { return k.Validate(ctx, o.obj.(*T)) }
	}
	if k.Export != nil {
		out.Export = func(o *opaque) { k.Export(o.obj.(*T)) }
	}
	if k.OmitDefaults != nil {
		out.OmitDefaults = func(o *opaque) { k.OmitDefaults(o.obj.(*T)) }
	}
	if k.ValidateChange != nil {
		out.ValidateChange = func(ctx context.Context, in, old *opaque) FieldErrors {
			return k.ValidateChange(ctx, in.obj.(*T), old.obj.(*T))
		}
	}
	if f := k.Encoded.DecodeJSONMetadata; f != nil {
		out.Encoded.DecodeJSONMetadata = func(r *jsonwire.Reader, out *opaque) { f(r, out.obj.(*T)) }
	}
	if f := k.Encoded.DecodeProtoMetadata; f != nil {
		out.Encoded.DecodeProtoMetadata = func(r *pbwire.Reader, out *opaque) { f(r, out.obj.(*T)) }
	}
	known, _ := erased.LoadOrStore(k, out)
	return known.(*anySpec)
}

func identityOf(k *anySpec) *identity {
	return &identity{
		gvk: k.GroupVersionKind, source: k.Source, resource: k.Resource, singular: k.Singular,
		shortNames: k.ShortNames, categories: k.Categories, scope: k.Scope, storage: k.Storage, shared: k.Shared,
		status: k.Status, unserved: k.Unserved, deprecated: k.Deprecated, selectableFields: k.SelectableFields,
		list: k.List, item: k.Item, abi: k.ABI,
	}
}

func erasePartial[From, To any](p *Partial[From, To]) partial { return p }

type erasedFunction struct {
	function func(in, out Object, s *conversion.Scope) error
	own      uintptr
	begins   site
}

func eraseFunction[In, Out any](f func(*In, *Out, *conversion.Scope) error) erasedFunction {
	if f == nil {
		return erasedFunction{}
	}
	return erasedFunction{func(in, out Object, s *conversion.Scope) error {
		return f(in.(*In), out.(*Out), s)
	}, funcID(f), site(codeOf(f))}
}

func (f erasedFunction) call(in, out Object, s *conversion.Scope) error {
	return f.function(in, out, s)
}

func (f erasedFunction) id() uintptr { return f.own }

func (f erasedFunction) entry() site { return f.begins }

// funcID reads a variable that holds the function, which is the address of its closure.
func funcID(f any) uintptr {
	variable := reflect.New(reflect.TypeOf(f))
	variable.Elem().Set(reflect.ValueOf(f))
	return uintptr(reflect.NewAt(reflect.TypeFor[uintptr](), variable.UnsafePointer()).Elem().Uint())
}

func codeOf(f any) uintptr { return reflect.ValueOf(f).Pointer() }
