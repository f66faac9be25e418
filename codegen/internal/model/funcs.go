package model

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/marker"
)

// Op is an operation for which generated code has a function per type. Its name is Prefix, type
// name, Suffix.
type Op struct {
	Prefix, Suffix string
	*Shape
}

// The operations that exist for every type that takes part, hand-written or generated.
var (
	DeepCopyInto = Op{Prefix: "DeepCopyInto", Shape: ShapeOf("func(in, out *T)")}
	DeepCopy     = Op{Prefix: "DeepCopy", Shape: ShapeOf("func(in *T) *T")}
	AppendJSON   = Op{Prefix: "AppendJSON", Shape: ShapeOf("func(dst []byte, in *T) ([]byte, error)")}
	// AppendJSONFields exists for structs that embed TypeMeta.
	AppendJSONFields = Op{Prefix: "AppendJSON", Suffix: "Fields", Shape: AppendJSON.Shape}
	DecodeJSON       = Op{Prefix: "DecodeJSON", Shape: ShapeOf("func(r *jsonwire.Reader, out *T)")}
)

// The operations that exist for some types, as decided by their features.
var (
	Default      = Op{Prefix: "Default", Shape: ShapeOf("func(in *T) error")}
	Export       = Op{Prefix: "Export", Shape: ShapeOf("func(in *T)")}
	OmitDefaults = Op{Prefix: "OmitDefaults", Shape: Export.Shape}
	Validate     = Op{
		Prefix: "Validate",
		Shape:  ShapeOf("func(ctx context.Context, in *T) runtime.FieldErrors"),
	}
	ValidateChange = Op{
		Prefix: "ValidateChange",
		Shape:  ShapeOf("func(ctx context.Context, in, old *T) runtime.FieldErrors"),
	}
	// PrependProto and DecodeProto exist for the types of [Package.ProtoTypes].
	PrependProto = Op{Prefix: "PrependProto", Shape: ShapeOf("func(w *pbwire.Writer, in *T)")}
	DecodeProto  = Op{Prefix: "DecodeProto", Shape: ShapeOf("func(r *pbwire.Reader, out *T)")}
	// MetadataView views foreign object or list metadata, or a label selector, as that of meta/v1,
	// sharing the memory.
	MetadataView = Op{Prefix: "View", Shape: ShapeOf("func(in *T) *metav1.T")}
)

// Name returns the function name for a type name: exported types have exported functions, others
// unexported ones.
func (op Op) Name(typeName string) string {
	if token.IsExported(typeName) {
		return op.Prefix + typeName + op.Suffix
	}
	return emit.LowerFirst(op.Prefix) + emit.UpperFirst(typeName) + op.Suffix
}

// State is the state of a function.
type State uint8

const (
	// Missing: neither written by hand nor generated in this run.
	Missing State = iota
	// Declared: it is in the source of its package.
	Declared
	// Generated: this run writes it.
	Generated
	// Mistyped: the name is declared with another signature.
	Mistyped
)

// Func is the result of [Universe.Func]. It can be passed to emit to be called.
type Func struct {
	emit.Ident
	State State
	// Object is the declared function or, for Mistyped, the declaration with its name.
	Object types.Object
	// Ours reports that the function is generated: in this run, or in a package of another module.
	Ours bool
}

// Exists reports whether the function can be called.
func (f Func) Exists() bool { return f.State == Declared || f.State == Generated }

// ByHand reports whether the function is hand-written.
func (f Func) ByHand() bool { return f.State == Declared && !f.Ours }

// Func looks up the function of an operation for a named type in the package of the type. An
// instance of a generic type has the functions that are declared with the same type parameters;
// none are generated.
func (u *Universe) Func(op Op, n *types.Named) Func {
	obj := n.Obj()
	if n.TypeArgs().Len() > 0 {
		return genericFunc(op, n)
	}
	if obj.Pkg() == nil || n.TypeParams().Len() > 0 {
		return Func{}
	}
	p := u.Home(n)
	if p == nil {
		return Func{}
	}
	f := Func{Ident: emit.In(p.Go, op.Name(obj.Name()))}
	f.Object = p.Go.Scope().Lookup(f.Name)
	if f.Object != nil {
		f.State = Mistyped
		if fn, ok := f.Object.(*types.Func); ok && op.Fits(fn.Signature(), n) {
			f.State = Declared
			f.Ours = slices.Contains(p.loaded.Generated, u.Fset.PositionFor(fn.Pos(), false).Filename)
		}
		return f
	}
	if p.Output && p.generates(op, u.Type(n)) {
		f.State, f.Ours = Generated, true
	}
	return f
}

// generates reports whether this run writes the function of an operation that has none.
func (p *Package) generates(op Op, t *Type) bool {
	switch {
	case op == PrependProto || op == DecodeProto:
		return p.hasProto(t)
	case !p.takesPart(t):
		return false
	}
	switch op {
	case DeepCopyInto, DeepCopy:
		if p.IsForeign(t) { // its methods are called directly
			return !CopiesInto(t.Named) && Method(t.Named, "DeepCopy") == nil
		}
		return !t.noDeepCopy()
	case AppendJSON, DecodeJSON:
		return true
	case AppendJSONFields:
		return t.EmbedsTypeMeta() != nil
	case MetadataView:
		return p.IsForeign(t) && p.universe.Twin(t.Named) != nil
	}
	return false
}

// genericFunc is Func for an instance of a generic type: func DecodeJSONBox[T any](r
// *jsonwire.Reader, out *Box[T]). The compiler infers the type arguments of calls.
func genericFunc(op Op, n *types.Named) Func {
	obj := n.Obj()
	if obj.Pkg() == nil {
		return Func{}
	}
	fn, _ := obj.Pkg().Scope().Lookup(op.Name(obj.Name())).(*types.Func)
	if fn == nil || fn.Signature().TypeParams().Len() != n.TypeArgs().Len() {
		return Func{}
	}
	inst, err := types.Instantiate(nil, fn.Signature(), slices.Collect(n.TypeArgs().Types()), true)
	if err != nil || !op.Fits(inst.(*types.Signature), n) {
		return Func{}
	}
	return Func{Ident: emit.In(obj.Pkg(), fn.Name()), State: Declared, Object: fn}
}

// noDeepCopy reports whether a marker disables deep copy for the type: its own, or else that of its
// package.
func (t *Type) noDeepCopy() bool {
	for _, markers := range []marker.List{t.Markers, t.Package.Markers} {
		for _, name := range []string{"k8s:deepcopy-gen", "kubebuilder:object:generate"} {
			if m := markers.Get(name); m != nil {
				return m.Value == "false"
			}
		}
	}
	return false
}

// Lookup returns a package-level function of a package, or nil.
func (p *Package) Lookup(name string) *types.Func {
	fn, _ := p.Go.Scope().Lookup(name).(*types.Func)
	return fn
}

// Functions returns the hand-written package-level functions in order of name.
func (p *Package) Functions() []*types.Func {
	var out []*types.Func
	scope := p.Go.Scope()
	for _, name := range scope.Names() {
		if fn, ok := scope.Lookup(name).(*types.Func); ok {
			out = append(out, fn)
		}
	}
	return out
}

// FunctionMarkers returns the markers in the comment of a function of the package.
func (p *Package) FunctionMarkers(fn *types.Func) marker.List {
	return marker.Parse(p.universe.funcs[fn.Pos()])
}

// Method returns the method with the name that is declared on the type itself or on a pointer to
// it. It ignores promoted methods, which handle only the embedded field.
func Method(n *types.Named, name string) *types.Func {
	for m := range n.Methods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// AnyMethod returns the method with the name of a type that is not a pointer, declared or promoted,
// or nil.
func AnyMethod(t types.Type, name string) *types.Func {
	if _, ok := t.Underlying().(*types.Pointer); ok {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, _ := obj.(*types.Func)
	return fn
}

// CopiesInto reports whether the type itself, not a field of it, has the method DeepCopyInto(*T).
func CopiesInto(n *types.Named) bool {
	return HasMethod(n, "DeepCopyInto", copiesInto)
}

var copiesInto = ShapeOf("func(out *T)")

// HasMethod reports whether the type itself has a method with a shape.
func HasMethod(n *types.Named, name string, shape *Shape) bool {
	m := Method(n, name)
	return m != nil && shape.Fits(m.Signature(), n)
}

// Hidden reports whether code in package pkg cannot name a type, because another package does not
// export it.
func Hidden(t types.Type, pkg *types.Package) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg() != pkg && !n.Obj().Exported()
}

// IsNamed reports whether t is the named type path.name.
func IsNamed(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// IsPointerToNamed reports whether t is a pointer to the named type path.name.
func IsPointerToNamed(t types.Type, path, name string) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && IsNamed(p.Elem(), path, name)
}
