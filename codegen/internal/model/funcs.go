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
	signature      func(t types.Type, got *types.Signature) bool
	want           string
}

// The operations that exist for every type that takes part, hand-written or generated.
var (
	DeepCopyInto = Op{
		Prefix: "DeepCopyInto", want: "func(in, out *T)",
		signature: func(t types.Type, s *types.Signature) bool {
			return params(s, t, t) && s.Results().Len() == 0
		},
	}
	DeepCopy = Op{Prefix: "DeepCopy", want: "func(in *T) *T", signature: func(t types.Type, s *types.Signature) bool {
		return params(s, t) && s.Results().Len() == 1 && isPointerTo(s.Results().At(0).Type(), t)
	}}
	AppendJSON = Op{Prefix: "AppendJSON", want: "func(dst []byte, in *T) ([]byte, error)", signature: appends}
	// AppendJSONFields exists for structs that embed TypeMeta.
	AppendJSONFields = Op{
		Prefix: "AppendJSON", Suffix: "Fields", want: "func(dst []byte, in *T) ([]byte, error)",
		signature: appends,
	}
	DecodeJSON = Op{
		Prefix: "DecodeJSON", want: "func(r *jsonwire.Reader, out *T)",
		signature: func(t types.Type, s *types.Signature) bool {
			return s.Params().Len() == 2 && s.Results().Len() == 0 && !s.Variadic() &&
				IsPointerToNamed(s.Params().At(0).Type(), emit.JSONWire, "Reader") &&
				isPointerTo(s.Params().At(1).Type(), t)
		},
	}
)

// The operations that exist for some types, as decided by their features.
var (
	Default = Op{Prefix: "Default", want: "func(in *T) error", signature: func(t types.Type, s *types.Signature) bool {
		return params(s, t) && s.Results().Len() == 1 && IsError(s.Results().At(0).Type())
	}}
	Export = Op{Prefix: "Export", want: "func(in *T)", signature: func(t types.Type, s *types.Signature) bool {
		return params(s, t) && s.Results().Len() == 0
	}}
	OmitDefaults = Op{
		Prefix: "OmitDefaults", want: "func(in *T)",
		signature: func(t types.Type, s *types.Signature) bool {
			return params(s, t) && s.Results().Len() == 0
		},
	}
	Validate = Op{
		Prefix: "Validate", want: "func(ctx context.Context, in *T) runtime.FieldErrors",
		signature: func(t types.Type, s *types.Signature) bool {
			return s.Params().Len() == 2 && s.Results().Len() == 1 && !s.Variadic() &&
				IsNamed(s.Params().At(0).Type(), "context", "Context") &&
				isPointerTo(s.Params().At(1).Type(), t) && IsNamed(s.Results().At(0).Type(), emit.Runtime,
				"FieldErrors")
		},
	}
	ValidateChange = Op{
		Prefix: "ValidateChange", want: "func(ctx context.Context, in, old *T) runtime.FieldErrors",
		signature: func(t types.Type, s *types.Signature) bool {
			return s.Params().Len() == 3 && s.Results().Len() == 1 && !s.Variadic() &&
				IsNamed(s.Params().At(0).Type(), "context", "Context") &&
				isPointerTo(s.Params().At(1).Type(), t) && isPointerTo(s.Params().At(2).Type(), t) &&
				IsNamed(s.Results().At(0).Type(), emit.Runtime, "FieldErrors")
		},
	}
)

// Name returns the function name for a type name: exported types have exported functions, others
// unexported ones.
func (op Op) Name(typeName string) string {
	if token.IsExported(typeName) {
		return op.Prefix + typeName + op.Suffix
	}
	return emit.LowerFirst(op.Prefix) + emit.UpperFirst(typeName) + op.Suffix
}

// Want returns the signature in words, with T for the type.
func (op Op) Want() string { return op.want }

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
		return u.genericFunc(op, n)
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
		if fn, ok := f.Object.(*types.Func); ok && fn.Signature().TypeParams().Len() == 0 &&
			op.signature(n, fn.Signature()) {
			f.State = Declared
			f.Ours = slices.Contains(p.loaded.Generated, u.Fset.PositionFor(fn.Pos(), false).Filename)
		}
		return f
	}
	if !p.Output {
		return f
	}
	t := u.Type(n)
	if op.Prefix == PrependProto.Prefix || op.Prefix == DecodeProto.Prefix {
		if p.hasProto(t) {
			f.State, f.Ours = Generated, true
		}
		return f
	}
	if !p.takesPart(t) {
		return f
	}
	switch op.Prefix {
	case DeepCopyInto.Prefix, DeepCopy.Prefix:
		// Methods of foreign types are called directly.
		if p.IsForeign(t) && (CopiesInto(n) || Method(n, "DeepCopy") != nil) || !p.IsForeign(t) && t.noDeepCopy() {
			return f
		}
		f.State, f.Ours = Generated, true
	case AppendJSON.Prefix:
		if op.Suffix != "" && t.EmbedsTypeMeta() == nil {
			return f
		}
		f.State, f.Ours = Generated, true
	case DecodeJSON.Prefix:
		f.State, f.Ours = Generated, true
	case MetadataView.Prefix:
		if p.IsForeign(t) && u.Twin(n) != nil {
			f.State, f.Ours = Generated, true
		}
	}
	return f
}

// genericFunc is Func for an instance of a generic type: func DecodeJSONBox[T any](r
// *jsonwire.Reader, out *Box[T]). The compiler infers the type arguments of calls.
func (u *Universe) genericFunc(op Op, n *types.Named) Func {
	obj := n.Obj()
	if obj.Pkg() == nil {
		return Func{}
	}
	fn, _ := obj.Pkg().Scope().Lookup(op.Name(obj.Name())).(*types.Func)
	if fn == nil || fn.Signature().TypeParams().Len() != n.TypeArgs().Len() {
		return Func{}
	}
	args := make([]types.Type, 0, n.TypeArgs().Len())
	for arg := range n.TypeArgs().Types() {
		args = append(args, arg)
	}
	inst, err := types.Instantiate(nil, fn.Signature(), args, true)
	if err != nil {
		return Func{}
	}
	if s, ok := inst.(*types.Signature); !ok || !op.signature(n, s) {
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

// CopiesInto reports whether the type itself, not a field of it, has the method DeepCopyInto(*T).
func CopiesInto(n *types.Named) bool {
	m := Method(n, "DeepCopyInto")
	return m != nil && params(m.Signature(), n) && m.Signature().Results().Len() == 0
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

func isPointerTo(t, elem types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && types.Identical(p.Elem(), elem)
}

func params(s *types.Signature, targets ...types.Type) bool {
	if s.Params().Len() != len(targets) || s.Variadic() {
		return false
	}
	for i, t := range targets {
		if !isPointerTo(s.Params().At(i).Type(), t) {
			return false
		}
	}
	return true
}

func isBytes(t types.Type) bool {
	return types.Identical(t, types.NewSlice(types.Typ[types.Byte]))
}

func appends(t types.Type, s *types.Signature) bool {
	return s.Params().Len() == 2 && !s.Variadic() && isBytes(s.Params().At(0).Type()) &&
		isPointerTo(s.Params().At(1).Type(), t) &&
		s.Results().Len() == 2 && isBytes(s.Results().At(0).Type()) && IsError(s.Results().At(1).Type())
}
