// Package deepcopy generates copies that share no memory with the original.
//
// For every type T that takes part it generates DeepCopyInto<T>, which copies into memory of the
// caller, and for exported types DeepCopy<T>, which allocates. A copy starts with an assignment of
// the whole value and then replaces only what still shares memory. Nil stays nil, and empty stays
// empty.
//
// The plan of a type is a tree of [node] values: parts that are flat after assignment, parts that a
// function of another type copies, and the pointers, slices, maps, arrays and structs that contain
// them.
package deepcopy

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// Plan plans the copies of the types of a package.
func Plan(c *feature.Context) feature.Plan {
	p := &planner{c: c, planned: map[*types.TypeName]bool{}}
	for _, t := range c.Package.Types {
		if t.Exported() {
			p.plan(t)
		}
	}
	for _, k := range c.Package.Kinds {
		fn := c.Universe.Func(model.DeepCopyInto, k.Named)
		switch {
		case fn.Exists():
			c.Registrations.KindField(k, "DeepCopyInto", func(f *emit.File) string { return f.S(fn.Ident) })
		case model.CopiesInto(k.Named):
			c.Registrations.KindField(k, "DeepCopyInto", func(f *emit.File) string {
				return f.Sf("(*%s).DeepCopyInto", k.Named)
			})
		default:
			continue
		}
		if implementsObject(k, c.Package.Go) {
			p.objects = append(p.objects, object{named: k.Named, into: fn})
		}
	}
	slices.SortFunc(p.functions, func(a, b *function) int { return cmp.Compare(a.t.Name, b.t.Name) })
	return p
}

// op is what a node does with a value that has already been assigned.
type op uint8

const (
	flat      op = iota // nothing more
	call                // call DeepCopyInto<T>
	method              // call the method DeepCopyInto
	methodNew           // call the method DeepCopy, which returns a pointer
	methodVal           // call the method DeepCopy, which returns a value
	untyped             // call runtime.DeepCopyAny
	iface               // call the method of an interface that copies it
	pointer
	slice
	mapping
	array
	structure
)

// node describes how to copy one type.
type node struct {
	op     op
	typ    types.Type
	fn     emit.Ident // for call
	method string     // for iface
	elem   *node      // for pointer, slice, mapping and array
	fields []fieldNode
}

type fieldNode struct {
	name string
	node *node
}

// object is a kind that gets the method DeepCopyObject.
type object struct {
	named *types.Named
	into  model.Func // its DeepCopyInto, if that is not a method
}

// implementsObject reports whether a kind lacks only the method DeepCopyObject to be a
// runtime.Object of k8s.io/apimachinery, as client-go and controller-runtime need it: its type meta
// has the others.
func implementsObject(k *model.Kind, pkg *types.Package) bool {
	if k.TypeMeta == nil {
		return false
	}
	meta, ok := types.Unalias(k.TypeMeta.Type).(*types.Named)
	return ok && meta.Obj().Pkg().Path() == "k8s.io/apimachinery/pkg/apis/meta/v1" &&
		model.Method(meta, "GetObjectKind") != nil &&
		k.Named.Obj().Pkg() == pkg && model.Method(k.Named, "DeepCopyObject") == nil
}

// function is one pair of functions to generate.
type function struct {
	t       *model.Type
	node    *node
	viaDeep bool // the type has a method DeepCopyInto of its own
	into    bool // DeepCopyInto is generated
	alloc   bool // DeepCopy is generated
	guard   bool // nothing else stops compiling when the struct changes
}

type planner struct {
	c         *feature.Context
	planned   map[*types.TypeName]bool
	functions []*function
	objects   []object

	// The type and field being planned, for diagnostics.
	owner *model.Type
	pos   token.Pos
	path  string
	// inlined prevents endless recursion for recursive types without functions.
	inlined []types.Type
}

func (p *planner) errorf(code, format string, args ...any) *diag.Diagnostic {
	return p.c.Errorf(p.pos, code, "%s: %s", p.path, fmt.Sprintf(format, args...))
}

// ownFunction returns the declaration of the function that replaces the one being planned.
func (p *planner) ownFunction() string {
	return fmt.Sprintf("%s(in, out *%s)", model.DeepCopyInto.Name(p.owner.Name), p.c.TypeName(p.owner.Named))
}

// plan decides how to write the functions of a type of this package, once.
func (p *planner) plan(t *model.Type) {
	if p.planned[t.Named.Obj()] {
		return
	}
	p.planned[t.Named.Obj()] = true
	f := &function{t: t, into: p.c.Generates("deepcopy", model.DeepCopyInto, t)}
	f.alloc = p.c.Generates("deepcopy", model.DeepCopy, t) && t.Exported()
	if m := model.Method(t.Named, "DeepCopyInto"); f.into && m != nil && !model.CopiesInto(t.Named) {
		p.c.Errorf(m.Pos(), "deepcopy-signature",
			"method DeepCopyInto of %s does not have the signature func (in *%s) DeepCopyInto(out *%s), so it would "+
				"never be called", t.Name, t.Name, t.Name)
	}
	if m := model.Method(t.Named, "DeepCopy"); f.into && m != nil && !copies(m, t.Named) {
		p.c.Errorf(m.Pos(), "deepcopy-signature",
			"method DeepCopy of %s does not have the signature func (in *%s) DeepCopy() *%s, so it would never be called",
			t.Name, t.Name, t.Name)
	}
	f.guard = f.into && t.Struct != nil && !p.guardedByJSON(t)
	if !f.into && !f.alloc {
		return
	}
	p.functions = append(p.functions, f)
	if !f.into {
		return
	}
	if f.viaDeep = model.CopiesInto(t.Named); f.viaDeep {
		return
	}
	owner, pos, path, inlined := p.owner, p.pos, p.path, p.inlined
	p.owner, p.pos, p.path, p.inlined = t, t.Pos, t.Name, nil
	if t.Struct != nil && p.c.Package.IsForeign(t) && p.hides(t.Struct) {
		p.errorf("deepcopy-foreign",
			"it has unexported fields that a copy would share, and no DeepCopyInto method").
			Suggest("write func %s by hand", p.ownFunction())
	}
	if t.Struct != nil {
		f.node = p.structure(t.Named, t.Fields)
	} else {
		f.node = p.under(t.Named)
	}
	p.owner, p.pos, p.path, p.inlined = owner, pos, path, inlined
}

// guardedByJSON reports whether the JSON functions of a type are generated from its fields, and so
// include a guard against changes.
func (p *planner) guardedByJSON(t *model.Type) bool {
	for _, names := range [][2]string{{"MarshalJSON", "UnmarshalJSON"}, {"MarshalText", "UnmarshalText"}} {
		if model.Method(t.Named, names[0]) != nil && model.Method(t.Named, names[1]) != nil {
			return false
		}
	}
	return p.c.Universe.Func(model.AppendJSON, t.Named).State == model.Generated ||
		p.c.Universe.Func(model.DecodeJSON, t.Named).State == model.Generated
}

// node decides how to copy a type.
func (p *planner) node(t types.Type) *node {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return p.under(t)
	}
	if immutable(n) {
		return &node{op: flat, typ: t}
	}
	if n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == "sync" || n.Obj().Pkg().Path() == "sync/atomic") {
		p.errorf("deepcopy-foreign", "%s must not be copied", n).Suggest("move %s out of the API type", p.path)
		return &node{op: flat, typ: t}
	}
	fn := p.c.Universe.Func(model.DeepCopyInto, n)
	if fn.Exists() {
		// For a type without references, a generated function only assigns.
		if !p.refers(n) {
			return &node{op: flat, typ: t}
		}
		if p.c.Package.Owns(n.Obj()) {
			p.plan(p.c.Universe.Type(n))
		}
		return &node{op: call, typ: t, fn: fn.Ident}
	}
	if model.CopiesInto(n) {
		return &node{op: method, typ: t}
	}
	if m := model.Method(n, "DeepCopy"); m != nil && copies(m, n) {
		if byValue.Fits(m.Signature(), n) {
			return &node{op: methodVal, typ: t}
		}
		return &node{op: methodNew, typ: t}
	}
	return p.under(n)
}

var byValue, byPointer = model.ShapeOf("func() T"), model.ShapeOf("func() *T")

// copies reports whether a method has no parameters and returns a T or a *T.
func copies(m *types.Func, n *types.Named) bool {
	return byValue.Fits(m.Signature(), n) || byPointer.Fits(m.Signature(), n)
}

// under copies a type by its structure.
func (p *planner) under(t types.Type) *node {
	for _, seen := range p.inlined {
		if types.Identical(seen, t) {
			p.errorf("deepcopy-recursive", "%s contains itself and has no DeepCopyInto function",
				p.c.TypeName(t)).
				Suggest("%s", p.c.HowToGetFunctions(t))
			return &node{op: flat, typ: t}
		}
	}
	if _, ok := types.Unalias(t).(*types.Named); ok {
		p.inlined = append(p.inlined, t)
		defer func() { p.inlined = p.inlined[:len(p.inlined)-1] }()
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		p.checkNameable(ptr.Elem())
	}
	p.checkNameable(t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			p.errorf("deepcopy-unsafe", "an unsafe.Pointer cannot be copied").Suggest("write func %s by hand",
				p.ownFunction())
		}
	case *types.Pointer:
		return &node{op: pointer, typ: t, elem: p.node(u.Elem())}
	case *types.Slice:
		return &node{op: slice, typ: t, elem: p.node(u.Elem())}
	case *types.Map:
		if p.refers(u.Key()) {
			p.errorf("deepcopy-mapkey", "the map key %s holds a reference, which a copy would share",
				p.c.TypeName(u.Key())).
				Suggest("use a key without pointers and interfaces")
		}
		return &node{op: mapping, typ: t, elem: p.node(u.Elem())}
	case *types.Array:
		if elem := p.node(u.Elem()); elem.op != flat {
			return &node{op: array, typ: t, elem: elem}
		}
	case *types.Struct:
		n, named := types.Unalias(t).(*types.Named)
		if named && n.Obj().Pkg() != p.c.Package.Go && p.hides(u) {
			p.errorf("deepcopy-foreign",
				"%s has unexported fields that a copy would share, and no DeepCopyInto method or function",
				p.c.TypeName(t)).
				Suggest("wrap it in a type of this package with func DeepCopyInto<T>(in, out *T)")
			return &node{op: flat, typ: t}
		}
		out := p.structure(t, p.c.Universe.Fields(u))
		if slices.ContainsFunc(out.fields, func(f fieldNode) bool { return f.node.op != flat }) {
			return out
		}
	case *types.Interface:
		return p.iface(t, u)
	case *types.Chan:
		p.errorf("deepcopy-chan",
			"a channel cannot be copied").Suggest("move it out of the API type, or write func %s by hand",
			p.ownFunction())
	case *types.Signature:
		p.errorf("deepcopy-func",
			"a function cannot be copied").Suggest("move it out of the API type, or write func %s by hand",
			p.ownFunction())
	}
	return &node{op: flat, typ: t}
}

// checkNameable reports types that a copy must allocate but cannot name. An unexported struct or
// basic type is allowed if nothing has to be allocated for it.
func (p *planner) checkNameable(t types.Type) {
	hidden := t
	switch u := types.Unalias(t).(type) {
	case *types.Slice, *types.Map:
		hidden = model.Elem(u)
	case *types.Named:
		_, isStruct := u.Underlying().(*types.Struct)
		_, isBasic := u.Underlying().(*types.Basic)
		if len(p.inlined) > 0 && p.inlined[len(p.inlined)-1] == types.Type(u) && (isStruct || isBasic) {
			return
		}
	}
	if model.Hidden(hidden, p.c.Package.Go) {
		p.errorf("deepcopy-hidden", "%s is not exported, so it cannot be copied here",
			p.c.TypeName(hidden)).Suggest("%s", p.c.HowToGetFunctions(hidden))
	}
}

func (p *planner) structure(t types.Type, fields []*model.Field) *node {
	out := &node{op: structure, typ: t}
	pos, path := p.pos, p.path
	for _, f := range fields {
		if f.Name == "_" || !f.Exported() && f.Var.Pkg() != p.c.Package.Go && !p.refers(f.Type) {
			continue
		}
		// A diagnostic points at the field of the type that is being generated, or into its
		// anonymous structs.
		if len(p.inlined) == 0 {
			p.pos = f.Pos
		}
		p.path = path + "." + f.Name
		out.fields = append(out.fields, fieldNode{name: f.Name, node: p.node(f.Type)})
	}
	p.pos, p.path = pos, path
	return out
}

// iface copies a value of an interface type: JSON values of type any, and others by one of their
// methods.
func (p *planner) iface(t types.Type, u *types.Interface) *node {
	if u.Empty() {
		return &node{op: untyped, typ: t}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		for m := range u.Methods() {
			s := m.Signature()
			if m.Name() == "DeepCopy"+n.Obj().Name() && s.Params().Len() == 0 && s.Results().Len() == 1 &&
				types.Identical(s.Results().At(0).Type(), t) {
				return &node{op: iface, typ: t, method: m.Name()}
			}
		}
		p.errorf("deepcopy-interface", "a value of interface %s cannot be copied", p.c.TypeName(t)).
			Suggest("add the method DeepCopy%s() %s to the interface, or use any for JSON-like values", n.Obj().Name(),
				n.Obj().Name())
		return &node{op: flat, typ: t}
	}
	p.errorf("deepcopy-interface",
		"a value of an interface type cannot be copied").Suggest("use any for JSON-like values")
	return &node{op: flat, typ: t}
}

// refers reports whether assigning a value shares memory. Types that need a function count as such.
func (p *planner) refers(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if immutable(n) {
			return false
		}
		if fn := p.c.Universe.Func(model.DeepCopyInto, n); fn.Exists() && (!fn.Ours || model.CopiesInto(n)) {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return p.refers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Name() != "_" && p.refers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// hides reports whether a struct of another package has unexported fields that refer to something.
func (p *planner) hides(st *types.Struct) bool {
	for f := range st.Fields() {
		if !f.Exported() && p.refers(f.Type()) {
			return true
		}
	}
	return false
}

// immutable lists types of the standard library whose hidden references are never written through.
func immutable(n *types.Named) bool {
	obj := n.Obj()
	if obj.Pkg() == nil {
		return false
	}
	switch obj.Pkg().Path() {
	case "time":
		return obj.Name() == "Time"
	case "net/netip":
		return obj.Name() == "Addr" || obj.Name() == "AddrPort" || obj.Name() == "Prefix"
	case "unique":
		return obj.Name() == "Handle"
	case "reflect":
		return obj.Name() == "Type"
	}
	return false
}
