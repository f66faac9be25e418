package defaults

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// PlanExport plans the inverse of defaulting: functions that reduce an object to what a user would
// have written.
//
// Export functions clear server-populated fields: the metadata that
// [github.com/askind/askind/meta/v1.ClearServerFields] clears, fields marked askind:serverset, and
// the status of a kind that also has a spec. OmitDefaults functions unset fields that hold their
// default. They are generated for kinds whose defaults all come from markers and can be compared in
// place. For others the scheme finds defaults by trial, because a hand-written function may set one
// field depending on another.
func PlanExport(c *feature.Context) feature.Plan {
	if c.Package.Path == emit.MetaV1 {
		return nil
	}
	quiet := *c
	quiet.Log = func(string) {} // already logged by the defaults feature
	defaults := newPlanner(&quiet)
	defaults.findSetters()
	p := &exportPlan{c: c, defaults: defaults, server: map[*types.TypeName]bool{}, omitting: map[*model.Package]bool{}}
	p.plan()
	if len(p.clears) == 0 && len(p.omits) == 0 {
		return nil
	}
	return p
}

type exportPlan struct {
	c        *feature.Context
	defaults *planner
	server   map[*types.TypeName]bool
	omitting map[*model.Package]bool // packages known to have OmitDefaults functions, or not to
	clears   []*clearing
	omits    []*function
	open     []*types.Struct // those being planned in place
}

// clearing is an Export function to write, or a struct without one, whose fields are cleared in
// place.
type clearing struct {
	t      *model.Type // nil for a struct without a function
	kind   *model.Kind // nil for types that are not kinds
	fields []*model.Field
	visits []*visit
}

func (p *exportPlan) plan() {
	u, pkg := p.c.Universe, p.c.Package
	for _, t := range pkg.Types {
		if t.Struct == nil {
			continue
		}
		k := pkg.Kind(t.Name)
		if k != nil && k.IsList {
			continue
		}
		hasMeta := k != nil && k.Metadata != nil && (model.IsNamed(k.Metadata.Type, emit.MetaV1, "ObjectMeta") ||
			u.HasView(k))
		if hasMeta || p.setByServer(t.Named) {
			p.function(model.Export, t, k, "clears server-populated fields in", func() {
				out := p.serverParts(t.Fields, k)
				out.t = t
				if hasMeta {
					out.kind = k
				}
				p.clears = append(p.clears, out)
			})
		}
		if p.defaults.needed(t.Named) && p.writesOmits(pkg) && p.invertible(t.Named, map[types.Type]bool{}) {
			p.function(model.OmitDefaults, t, k, "unsets the defaults of", func() {
				p.omits = append(p.omits, p.defaults.function(t))
			})
		}
	}
}

// function calls generate unless a function of a type is hand-written, and registers it for a kind.
// The purpose says in a verb what the function does to the type.
func (p *exportPlan) function(op model.Op, t *model.Type, k *model.Kind, purpose string, generate func()) {
	fn := p.c.Universe.Func(op, t.Named)
	switch fn.State {
	case model.Declared:
		p.c.Log("export: hand-written " + fn.Path + "." + fn.Name)
	case model.Mistyped:
		p.c.Errorf(fn.Object.Pos(), "export-signature", "%s is reserved for the function that %s %s; rename it", fn.Name,
			purpose, t.Name).
			Suggest("func %s(in *%s)", fn.Name, t.Name)
		return
	default:
		generate()
	}
	if k != nil {
		p.c.Registrations.KindField(k, op.Prefix, func(f *emit.File) string { return f.S(fn.Ident) })
	}
}

// serverParts returns the server-populated fields of a struct, and the fields that contain such
// fields.
func (p *exportPlan) serverParts(all []*model.Field, k *model.Kind) *clearing {
	out := &clearing{}
	for _, f := range all {
		// The fields of an embedded struct are in JSON even if its type is not exported.
		hidden := !f.Exported() && !(f.Embedded && f.Var.Pkg() == p.c.Package.Go)
		if f.Name == "_" || hidden || k != nil && (f == k.Metadata || f == k.TypeMeta) {
			continue
		}
		has, said := p.c.Universe.FieldTrait(model.ServerSet, f)
		if has || !said && isStatus(k, f) {
			out.fields = append(out.fields, f)
			continue
		}
		if said {
			continue
		}
		if v := p.serverVisit(f.Type); v != nil {
			v.field = f
			out.visits = append(out.visits, v)
		}
	}
	return out
}

// isStatus reports whether a field is the status of a kind, which by convention holds what the
// server has observed, as opposed to the spec, which is what the user wants.
func isStatus(k *model.Kind, f *model.Field) bool {
	if k == nil || f.JSONName() != "status" || !holdsStruct(f.Type) {
		return false
	}
	for _, other := range k.Fields {
		if other.JSONName() == "spec" {
			return holdsStruct(other.Type)
		}
	}
	return false
}

func holdsStruct(t types.Type) bool {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return model.IsStruct(t)
}

// setByServer reports whether a struct or one below it has server-populated fields. The result does
// not depend on the planned package.
func (p *exportPlan) setByServer(n *types.Named) bool {
	known, ok := p.server[n.Obj()]
	if !ok {
		known = p.reachesServer(n, map[types.Type]bool{})
		p.server[n.Obj()] = known
	}
	return known
}

func (p *exportPlan) reachesServer(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Named:
		if !model.IsStruct(u) {
			return p.reachesServer(u.Underlying(), seen)
		}
		mt := p.c.Universe.Type(u)
		if u.Obj().Pkg() == nil || mt == nil {
			return false
		}
		return p.hasServerParts(mt.Fields, mt.Package.Kind(mt.Name), seen)
	case *types.Struct:
		return p.hasServerParts(p.c.Universe.Fields(u), nil, seen)
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		return p.reachesServer(model.Elem(u), seen)
	}
	return false
}

func (p *exportPlan) hasServerParts(fields []*model.Field, k *model.Kind, seen map[types.Type]bool) bool {
	return slices.ContainsFunc(fields, func(f *model.Field) bool {
		has, said := p.c.Universe.FieldTrait(model.ServerSet, f)
		return has || !said && (isStatus(k, f) || p.reachesServer(f.Type, seen))
	})
}

// serverVisit plans the path to server-populated fields below a type. It returns nil if there are
// no such fields.
func (p *exportPlan) serverVisit(t types.Type) *visit {
	v := &visit{typ: t}
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		if !model.IsStruct(u) {
			// A type that contains itself without a struct in between has nothing to visit, and
			// would be visited forever.
			if !p.reachesServer(u, map[types.Type]bool{}) {
				return nil
			}
			inner := p.serverVisit(u.Underlying())
			if inner != nil {
				inner.typ = t
			}
			return inner
		}
		fn := p.c.Universe.Func(model.Export, u)
		if u.TypeArgs().Len() > 0 && fn.State != model.Declared {
			return p.clearInPlace(v, u.Underlying().(*types.Struct))
		}
		if u.Obj().Pkg() == nil || !p.setByServer(u) {
			return nil
		}
		pkg := p.c.Universe.Home(u)
		own := p.c.Package.Owns(u.Obj())
		if fn.State != model.Declared && !own && (pkg == nil || !pkg.Output || !token.IsExported(u.Obj().Name())) {
			return nil
		}
		v.call = &fn
		return v
	case *types.Struct:
		return p.clearInPlace(v, u)
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		v.elem = p.serverVisit(model.Elem(u))
	}
	if v.elem == nil {
		return nil
	}
	return v
}

// clearInPlace plans an unnamed struct, or an instance of a generic one.
func (p *exportPlan) clearInPlace(v *visit, st *types.Struct) *visit {
	if slices.Contains(p.open, st) {
		return nil
	}
	p.open = append(p.open, st)
	v.clears = p.serverParts(p.c.Universe.Fields(st), nil)
	p.open = p.open[:len(p.open)-1]
	if len(v.clears.fields)+len(v.clears.visits) == 0 {
		return nil
	}
	return v
}

// Emit implements [feature.Plan].
func (p *exportPlan) Emit(f *emit.File) {
	for _, c := range p.clears {
		p.emitClear(f, c)
	}
	for _, fn := range p.omits {
		p.emitOmit(f, fn)
	}
}

func (p *exportPlan) emitClear(f *emit.File, c *clearing) {
	name := model.Export.Name(c.t.Name)
	f.Pf("// %s clears the server-populated fields of %s.", name, c.t.Name)
	f.Pf("func %s(in *%s) {", name, c.t.Named)
	if c.kind != nil {
		f.Pf("%s(%s)", emit.Ident{Path: emit.MetaV1, Name: "ClearServerFields"},
			p.c.Universe.MetadataOf(c.kind, "in", f))
	}
	c.emit(f, "in", 0)
	f.P("}")
	f.P()
}

// emit writes the statements that clear fields below x.
func (c *clearing) emit(f *emit.File, x string, depth int) {
	for _, field := range c.fields {
		f.P(append(expr.Source{x + "." + field.Name + " = "}, expr.Zero(field.Type)...)...)
	}
	for _, v := range c.visits {
		silent(f, v, x, depth, func(v *visit, x string, depth int) {
			if v.clears != nil {
				v.clears.emit(f, expr.Operand(x), depth)
				return
			}
			f.Pf("%s(%s)", v.call.Ident, expr.AddressOf(x))
		})
	}
}

// silent writes the statements that lead to the structs in a field below x. No error can occur.
func silent(f *emit.File, v *visit, x string, depth int, leaf func(v *visit, x string, depth int)) {
	walk{
		f: f, fails: func(*visit) bool { return false },
		leaf: func(v *visit, x string, _ expr.ErrorPath, depth int) { leaf(v, x, depth) },
	}.visit(v, x+"."+v.field.Name, nil, depth)
}
