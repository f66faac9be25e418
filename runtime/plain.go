//go:build askind_plain

package runtime

import "reflect"

// This file replaces unsafe.go with package reflect, to the same results.

type typeID uintptr

func typeOf(v any) typeID {
	if v == nil {
		return 0
	}
	return typeID(reflect.ValueOf(reflect.TypeOf(v)).Pointer())
}

func isNil(pointer any) bool {
	v := reflect.ValueOf(pointer)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

func pointerTo(t reflect.Type) typeID {
	return typeID(reflect.ValueOf(reflect.PointerTo(t)).Pointer())
}

// funcPointer is not nil if a spec has the function.
type funcPointer *struct{}

func functionIf(set bool) funcPointer {
	if set {
		return new(struct{})
	}
	return nil
}

// record has the parts of a [KindSpec] that do not depend on its type parameter.
type record struct {
	identity
	typeMeta, metadata, items, deepCopyInto, appendJSON, decodeJSON, prependProto, decodeProto, setDefaults, validate,
	export, omitDefaults, validateChange funcPointer
	schemaName string
	schemas    *Schemas
}

func recordOf(s Spec) *record {
	if s == nil {
		return nil
	}
	return s.(interface{ record() *record }).record()
}

func (k *KindSpec[T]) record() *record {
	if k == nil {
		return nil
	}
	return &record{
		identity: identity{
			gvk: k.GroupVersionKind, source: k.Source, resource: k.Resource, singular: k.Singular,
			shortNames: k.ShortNames, categories: k.Categories, scope: k.Scope, storage: k.Storage, shared: k.Shared,
			status: k.Status, unserved: k.Unserved, deprecated: k.Deprecated, selectableFields: k.SelectableFields,
			list: k.List, item: k.Item, abi: k.ABI,
		},
		typeMeta: functionIf(k.TypeMeta != nil), metadata: functionIf(k.Metadata != nil),
		items: functionIf(k.Items != nil), deepCopyInto: functionIf(k.DeepCopyInto != nil),
		appendJSON: functionIf(k.AppendJSONFields != nil), decodeJSON: functionIf(k.DecodeJSON != nil),
		prependProto: functionIf(k.PrependProto != nil), decodeProto: functionIf(k.DecodeProto != nil),
		setDefaults: functionIf(k.Default != nil), validate: functionIf(k.Validate != nil),
		export: functionIf(k.Export != nil), omitDefaults: functionIf(k.OmitDefaults != nil),
		validateChange: functionIf(k.ValidateChange != nil), schemaName: k.SchemaName, schemas: k.Schemas,
	}
}

// funcID reads a variable that holds the function, which is the address of its closure.
func funcID(f any) uintptr {
	variable := reflect.New(reflect.TypeOf(f))
	variable.Elem().Set(reflect.ValueOf(f))
	return uintptr(reflect.NewAt(reflect.TypeFor[uintptr](), variable.UnsafePointer()).Elem().Uint())
}

func codeOf(f any) uintptr { return reflect.ValueOf(f).Pointer() }
