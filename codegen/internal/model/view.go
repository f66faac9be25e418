package model

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/emit"
)

// Twin returns the type of meta/v1 with the same layout as a foreign metadata or label selector
// type: the same field names, and types with the same layout. It returns nil for any other type.
func (u *Universe) Twin(n *types.Named) *types.Named {
	name := n.Obj().Name()
	if name != "ObjectMeta" && name != "ListMeta" && name != "LabelSelector" || n.Obj().Pkg().Path() == emit.MetaV1 {
		return nil
	}
	ours := u.Package(emit.MetaV1)
	if ours == nil {
		return nil
	}
	t := ours.Find(name)
	if t == nil || !SameLayout(n, t.Named, nil) {
		return nil
	}
	return t.Named
}

// SameLayout reports whether two types have the same memory layout and the same field names. If
// pair is not nil, it is called for every pair of different named types within that are structs or
// basic types.
func SameLayout(a, b types.Type, pair func(a, b types.Type)) bool {
	l := layout{pair: pair, done: map[[2]types.Type]bool{}}
	return l.same(a, b)
}

type layout struct {
	pair func(a, b types.Type)
	done map[[2]types.Type]bool
}

func (l layout) same(a, b types.Type) bool {
	a, b = types.Unalias(a), types.Unalias(b)
	if types.Identical(a, b) || l.done[[2]types.Type{a, b}] {
		return true
	}
	l.done[[2]types.Type{a, b}] = true
	switch ua := a.Underlying().(type) {
	case *types.Basic:
		if !types.Identical(ua, b.Underlying()) {
			return false
		}
		if l.pair != nil {
			l.pair(a, b)
		}
		return true
	case *types.Pointer:
		ub, ok := b.Underlying().(*types.Pointer)
		return ok && l.same(ua.Elem(), ub.Elem())
	case *types.Slice:
		ub, ok := b.Underlying().(*types.Slice)
		return ok && l.same(ua.Elem(), ub.Elem())
	case *types.Array:
		ub, ok := b.Underlying().(*types.Array)
		return ok && ua.Len() == ub.Len() && l.same(ua.Elem(), ub.Elem())
	case *types.Map:
		// Hashes of map keys depend on the type, so it must be identical.
		return types.Identical(ua, b.Underlying())
	case *types.Struct:
		ub, ok := b.Underlying().(*types.Struct)
		if !ok || ua.NumFields() != ub.NumFields() {
			return false
		}
		for i := range ua.NumFields() {
			fa, fb := ua.Field(i), ub.Field(i)
			if fa.Name() != fb.Name() || fa.Embedded() != fb.Embedded() || !fa.Exported() ||
				!l.same(fa.Type(), fb.Type()) {
				return false
			}
		}
		_, ok1 := a.(*types.Named)
		_, ok2 := b.(*types.Named)
		if ok1 && ok2 && l.pair != nil {
			l.pair(a, b)
		}
		return ok1 && ok2
	}
	return false
}

// MetadataOf returns the expression of a pointer to the metadata of an object, viewed as that of
// meta/v1 if it is foreign. It returns "" for a foreign kind without a view function.
func (u *Universe) MetadataOf(k *Kind, object string, f *emit.File) string {
	if _, ok := k.Metadata.Type.Underlying().(*types.Pointer); ok {
		return object + "." + k.Metadata.Name
	}
	expr := "&" + object + "." + k.Metadata.Name
	n, ok := types.Unalias(k.Metadata.Type).(*types.Named)
	if !ok || n.Obj().Pkg().Path() == emit.MetaV1 {
		return expr
	}
	if fn := u.Func(MetadataView, n); fn.Exists() {
		return f.Sf("%s(%s)", fn.Ident, expr)
	}
	if k.foreign {
		return ""
	}
	return expr
}

// HasView reports whether the metadata of a kind has a foreign type that can be viewed as that of
// meta/v1.
func (u *Universe) HasView(k *Kind) bool {
	n, ok := types.Unalias(k.Metadata.Type).(*types.Named)
	return ok && u.Func(MetadataView, n).Exists()
}

// HasObjectMeta reports whether the JSON member metadata of a kind is the object metadata of
// meta/v1, or foreign metadata that can be viewed as such.
func (u *Universe) HasObjectMeta(k *Kind) bool {
	if k.Metadata == nil || k.Struct == nil {
		return false
	}
	if !IsNamed(k.Metadata.Type, emit.MetaV1, "ObjectMeta") && !u.HasView(k) {
		return false
	}
	for _, f := range u.JSONFields(k.Struct) {
		if f.Key == "metadata" {
			return f.Var == k.Metadata.Var
		}
	}
	return false
}

// MetadataFunc returns the function of an operation for the object metadata of a kind, if it is
// equivalent to that of meta/v1: it is that function, or was generated for a type with the same
// layout.
func (u *Universe) MetadataFunc(op Op, k *Kind) (Func, bool) {
	if k.IsList || !u.HasObjectMeta(k) {
		return Func{}, false
	}
	n, ok := types.Unalias(k.Metadata.Type).(*types.Named)
	if !ok || n.Obj().Name() != "ObjectMeta" {
		return Func{}, false
	}
	fn := u.Func(op, n)
	return fn, fn.Exists() && (fn.Ours || fn.Path == emit.MetaV1)
}
