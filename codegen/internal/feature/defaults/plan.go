package defaults

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/schema"

	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// planner plans the defaults of one package.
type planner struct {
	c   *feature.Context
	u   *model.Universe
	pkg *model.Package
	// setters holds the hand-written functions, by the type that they set.
	setters map[*types.TypeName]*types.Func
	needs   map[*types.TypeName]bool
	funcs   []*function
}

// function is a Default function to generate.
type function struct {
	t      *model.Type
	setter *types.Func
	fields []*fieldDefault
	visits []*visit
}

// fieldDefault is the default of one field.
type fieldDefault struct {
	field *model.Field
	// text is the literal as written, for the comment.
	text string
	src  expr.Source
	// parse, if set, computes the value from src and may fail. pointer means that the field points
	// to it.
	parse   *types.Func
	pointer bool
}

// visit is a value with defaults below it. Exactly one of call, set, elem, body and clears is set.
type visit struct {
	field *model.Field
	typ   types.Type
	// call is the Default function of a struct. setter is a hand-written one of a type of another
	// package.
	call *model.Func
	set  *types.Func
	// elem is the element of a pointer, slice, array or map.
	elem *visit
	// body is a struct without a function; for an export, clears is.
	body   *function
	clears *clearing
}

func newPlanner(c *feature.Context) *planner {
	return &planner{
		c: c, u: c.Universe, pkg: c.Package, setters: map[*types.TypeName]*types.Func{},
		needs: map[*types.TypeName]bool{},
	}
}

func (p *planner) plan() {
	p.findSetters()
	for _, t := range p.pkg.Types {
		if p.u.FollowsDefaults(t.Named.Obj().Pkg()) {
			p.checkOutside(t)
		}
		if t.Struct == nil || !p.needed(t.Named) || p.lifted(t) {
			continue
		}
		switch fn := p.u.Func(model.Default, t.Named); fn.State {
		case model.Declared:
			p.c.Log("defaults: hand-written " + fn.Name + " sets the defaults of " + t.Name)
		case model.Mistyped:
			p.c.Errorf(fn.Object.Pos(), "default-signature",
				"%s is reserved for the function that sets the defaults of %s",
				fn.Name, t.Name).
				Suggest("func %s(in *%s) error", fn.Name, t.Name)
			p.function(t)
		default:
			p.funcs = append(p.funcs, p.function(t))
		}
	}
}

// lifted reports whether a type is a list kind that needs no function, because the scheme sets the
// defaults of each item: it has no hand-written function, and no other struct contains such a list.
func (p *planner) lifted(t *model.Type) bool {
	isList := slices.ContainsFunc(p.pkg.Kinds, func(k *model.Kind) bool {
		return k.Named == t.Named && k.ItemKind != nil
	})
	if !isList || p.setters[t.Named.Obj()] != nil || p.u.Func(model.Default, t.Named).State == model.Declared {
		return false
	}
	for _, other := range p.pkg.Types {
		if slices.ContainsFunc(other.Fields, func(f *model.Field) bool {
			return holds(f.Type, t.Named, map[types.Type]bool{})
		}) {
			return false
		}
	}
	return true
}

// holds reports whether values of a type contain values of a named one, other than through further
// named types.
func holds(t types.Type, named *types.Named, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Named:
		return u.Obj() == named.Obj()
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		return holds(model.Elem(u), named, seen)
	}
	return false
}

// checkOutside reports defaults on named types that cannot be expressed as a literal.
func (p *planner) checkOutside(t *model.Type) {
	if m := model.DefaultMarker(t.Markers); m != nil && t.Struct != nil {
		p.fieldDefault(&model.Field{Name: t.Name, Type: t.Named, Pos: t.Pos}, m, t.Package)
	}
}

const (
	setterPrefix     = "SetDefaults"
	kubeSetterPrefix = "SetDefaults_"
)

// setterPrefixes has the prefixes of setters, the longer ones first.
var setterPrefixes = []string{kubeSetterPrefix, setterPrefix, "setDefaults"}

// findSetters finds SetDefaultsT and SetDefaults_T.
func (p *planner) findSetters() {
	for _, fn := range p.pkg.Functions() {
		name := fn.Name()
		i := slices.IndexFunc(setterPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if i < 0 {
			p.nearSetter(fn)
			continue
		}
		want := strings.TrimPrefix(name, setterPrefixes[i])
		t := setterType(fn)
		if t == nil {
			p.c.Errorf(fn.Pos(), "default-signature",
				"%s does not have the signature of a function that sets defaults, so it would not be called", name).
				Suggest("func %s(in *%s)", name, cmp.Or(want, "T"))
			continue
		}
		if !strings.EqualFold(t.Obj().Name(), want) {
			d := p.c.Errorf(fn.Pos(), "default-signature", "%s sets the defaults of %s, so its name would be %s%s",
				name, t.Obj().Name(), setterPrefix, t.Obj().Name())
			d.Suggest("func %s%s(in *%s)", setterPrefix, t.Obj().Name(), t.Obj().Name())
			continue
		}
		if other := p.setters[t.Obj()]; other != nil {
			p.c.Errorf(fn.Pos(), "default-signature", "both %s and %s set the defaults of %s", other.Name(), name,
				t.Obj().Name()).
				Relate(p.u.Position(other.Pos()), "%s", other.Name())
			continue
		}
		p.setters[t.Obj()] = fn
		if t.Obj().Pkg() == p.pkg.Go &&
			!slices.ContainsFunc(p.pkg.Types, func(o *model.Type) bool { return o.Named.Obj() == t.Obj() }) {
			p.c.Warnf(fn.Pos(), "default-unused",
				"%s is never called, because no kind and no struct with JSON tags holds %s", name, t.Obj().Name())
			continue
		}
		p.c.Log("defaults: hand-written " + name + " sets defaults of " + t.Obj().Name())
	}
}

// Setter returns the hand-written function that sets the defaults of a type, or nil.
func Setter(t *model.Type) *types.Func {
	for _, fn := range t.Package.Functions() {
		if of := setterType(fn); of != nil && of.Obj() == t.Named.Obj() &&
			(fn.Name() == setterPrefix+t.Name || fn.Name() == kubeSetterPrefix+t.Name) {
			return fn
		}
	}
	return nil
}

// nearSetter reports a function with the signature of a setter and a misspelled name, such as
// SetDefaultCar, which would not be called.
func (p *planner) nearSetter(fn *types.Func) {
	t := setterType(fn)
	if t == nil || t.Obj().Pkg() != p.pkg.Go || !strings.HasPrefix(strings.ToLower(fn.Name()), "set") {
		return
	}
	want := setterPrefix + t.Obj().Name()
	near, ok := schema.Nearest(fn.Name(), []string{want, kubeSetterPrefix + t.Obj().Name()})
	if !ok || near == fn.Name() {
		return
	}
	if p.pkg.Lookup(want) != nil || p.pkg.Lookup(kubeSetterPrefix+t.Obj().Name()) != nil {
		return
	}
	p.c.Warnf(fn.Pos(), "default-signature", "%s is not called; a function named %s would set the defaults of %s",
		fn.Name(), want, t.Obj().Name()).Suggest("func %s(in *%s)", want, t.Obj().Name())
}

// setterType returns T of func(*T) or func(*T) error.
func setterType(fn *types.Func) *types.Named {
	s := fn.Signature()
	if s.TypeParams().Len() > 0 || s.Variadic() || s.Params().Len() != 1 || s.Results().Len() > 1 {
		return nil
	}
	if s.Results().Len() == 1 && !returnsError(s) {
		return nil
	}
	return model.PointedStruct(s.Params().At(0).Type())
}

func returnsError(s *types.Signature) bool {
	return s.Results().Len() == 1 && model.IsError(s.Results().At(0).Type())
}

// marked reports whether a marker sets a default in a field.
func (p *planner) marked(f *model.Field) bool {
	m, _ := p.u.DefaultOf(f)
	return m != nil
}

// needed reports whether a named struct, or anything below it, has defaults. The result does not
// depend on the planned package, so that two packages of a run agree about each other's functions.
func (p *planner) needed(n *types.Named) bool {
	if known, ok := p.needs[n.Obj()]; ok && n.TypeArgs().Len() == 0 {
		return known
	}
	found := p.reaches(n, map[types.Type]bool{})
	p.needs[n.Obj()] = found
	return found
}

func (p *planner) reaches(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Named:
		if u.Obj().Pkg() == nil {
			return false
		}
		if p.setters[u.Obj()] != nil {
			return true
		}
		if model.IsStruct(u) {
			if p.u.Func(model.Default, u).State == model.Declared {
				return true
			}
			pkg := p.u.Home(u)
			if u.TypeArgs().Len() > 0 && !p.u.FollowsDefaults(u.Obj().Pkg()) || u.TypeArgs().Len() == 0 &&
				(pkg == nil || !pkg.Output) {
				return false
			}
			if pkg != p.pkg && hasSetter(pkg, u) {
				return true
			}
		}
		return p.reaches(u.Underlying(), seen)
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		return p.reaches(model.Elem(u), seen)
	case *types.Struct:
		for _, f := range p.u.Fields(u) {
			if p.marked(f) || p.reaches(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// hasSetter reports whether another package has a hand-written setter for its type.
func hasSetter(pkg *model.Package, n *types.Named) bool {
	for _, prefix := range setterPrefixes {
		if fn := pkg.Lookup(prefix + n.Obj().Name()); fn != nil {
			if t := setterType(fn); t != nil && t.Obj() == n.Obj() {
				return true
			}
		}
	}
	return false
}

func (p *planner) function(t *model.Type) *function {
	fn := &function{t: t, setter: p.setters[t.Named.Obj()]}
	p.fill(fn, t.Fields, []*types.Struct{t.Struct})
	return fn
}

// fill plans the fields of a struct.
func (p *planner) fill(fn *function, fields []*model.Field, above []*types.Struct) {
	for _, f := range fields {
		if f.Name == "_" || !f.Exported() && f.Var.Pkg() != p.pkg.Go {
			continue
		}
		if m, from := p.u.DefaultOf(f); m != nil {
			p.checkTwice(f)
			if d := p.fieldDefault(f, m, from); d != nil {
				fn.fields = append(fn.fields, d)
			}
		}
		if v := p.visit(f.Type, above); v != nil {
			v.field = f
			fn.visits = append(fn.visits, v)
			p.checkEmbedded(f)
		}
	}
}

// checkEmbedded warns about defaults in a struct that is embedded as a pointer. In JSON its members
// belong to the outer object, so a client expects them whether or not the pointer is set.
func (p *planner) checkEmbedded(f *model.Field) {
	n, st := model.StructOf(f.Type)
	if !inlined(f) || !isPointer(f.Type) || f.Var.Pkg() != p.pkg.Go {
		return
	}
	for _, inner := range p.u.Fields(st) {
		if m, _ := p.u.DefaultOf(inner); m != nil {
			p.c.Warnf(f.Pos, "default-embedded", "the default of %s is set only in objects with another field of %s; "+
				"embed the struct, not a pointer", inner.JSONName(), n.Obj().Name()).
				Relate(p.u.Position(m.Pos), "the default")
			return
		}
	}
}

// checkTwice reports two different default markers.
func (p *planner) checkTwice(f *model.Field) {
	a, b := f.Markers.Get("default"), f.Markers.Get("kubebuilder:default")
	if a == nil || b == nil {
		return
	}
	x, xerr := parse(a.Raw, false)
	y, yerr := parse(b.Raw, true)
	if xerr == nil && yerr == nil && x.kind == y.kind && (x.text == y.text || x.kind == textLiteral &&
		x.value == y.value) {
		return
	}
	p.c.Errorf(b.Pos, "default-value", "%s has two defaults", f.Name).Relate(p.u.Position(a.Pos), "the other one")
}

// fieldDefault checks the literal of a marker in a package against the type of a field. Errors have
// positions in the marker.
func (p *planner) fieldDefault(f *model.Field, m *marker.Marker, from *model.Package) *fieldDefault {
	raw := strings.TrimSpace(m.Raw)
	if raw == "" {
		return nil
	}
	pos := m.ValuePos
	pos += token.Pos(strings.Index(m.Raw, raw))
	l, bad := parse(raw, m.Name != "default")
	if bad != nil {
		d := p.c.Errorf(pos+token.Pos(bad.at), "default-value", "%s", bad.msg)
		if m.Name == "default" && bad.msg == "a text needs quotes" {
			d.Suggest("+default=%q", raw)
		}
		return nil
	}
	if l.kind == nullLiteral {
		p.c.Errorf(pos, "default-value", "null means no default; remove the marker")
		return nil
	}
	v := &valuer{u: p.u, pkg: p.pkg, from: from}
	src := v.value(f.Type, l, false)
	for _, bad := range v.mistakes {
		if bad.warning && !v.from.Main() {
			continue
		}
		report := p.c.Errorf
		if bad.warning {
			report = p.c.Warnf
		}
		d := report(pos+token.Pos(bad.at), "default-value", "%s", bad.msg)
		d.End = p.u.Position(pos + token.Pos(bad.end))
		if bad.instead != "" {
			d.Suggest("%s", m.Line[:len(m.Line)-len(m.Raw)]+raw[:bad.at]+bad.instead+raw[bad.end:])
		}
		if bad.near != "" {
			d.Suggest("%s", strings.Replace(m.Line, raw[bad.at:bad.end], requote(raw[bad.at:bad.end], bad.near), 1))
		}
	}
	if src == nil {
		return nil
	}
	d := &fieldDefault{field: f, text: l.text, src: src, parse: v.parse}
	_, d.pointer = f.Type.Underlying().(*types.Pointer)
	if model.IsStruct(f.Type) && l.kind == objectLiteral && len(l.members) == 0 {
		// An empty object only enables the defaults below it, which apply anyway.
		return nil
	}
	if !p.worthwhile(f, l, src, m, v.from) {
		return nil
	}
	if _, ok := expr.IsZero("x", f.Type, p.pkg.Go); !ok {
		p.c.Errorf(pos, "default-value",
			"it is unknown whether %s is unset; use a pointer, or put the defaults on its fields",
			v.typeName(f.Type))
		return nil
	}
	return d
}

// requote formats a suggestion with the quotes of the original text.
func requote(old, text string) string {
	if old == "" || old[0] != '"' && old[0] != '`' {
		if i := strings.LastIndexByte(old, '.'); strings.HasPrefix(old, "ref(") {
			return "ref(" + strings.TrimPrefix(old[:i+1], "ref(") + text + ")"
		}
		return text
	}
	return old[:1] + text + old[:1]
}

// worthwhile reports whether a default has an effect, and warns about a default for a number or
// boolean whose explicit zero would look unset. Fields in another module cannot be changed, so they
// cause no warning.
func (p *planner) worthwhile(f *model.Field, l *literal, src expr.Source, m *marker.Marker, from *model.Package) bool {
	b, ok := f.Type.Underlying().(*types.Basic)
	if !ok {
		if v := (&valuer{u: p.u, pkg: p.pkg}); v.isLeaf(f.Type) && from.Main() {
			p.c.Warnf(m.Pos, "default-zero", "%s is not a pointer, so an explicit zero becomes %s too",
				f.JSONName(), l.text).
				Relate(p.u.Position(f.Pos), "a pointer distinguishes unset from zero")
		}
		return true
	}
	isZero := false
	switch l.kind {
	case textLiteral:
		isZero = l.value == ""
	case boolLiteral:
		isZero = l.text == "false"
	case numberLiteral:
		isZero = strings.Trim(l.text, "-0.") == ""
	case refLiteral:
		if k, ok := src[0].(*types.Const); ok {
			isZero = zeroConstant(k)
		}
	}
	if isZero {
		return false
	}
	if b.Info()&types.IsString == 0 && from.Main() {
		p.c.Warnf(m.Pos, "default-zero", "%s is not a pointer, so an explicit %s becomes %s too", f.JSONName(),
			zeroText(b), l.text).
			Relate(p.u.Position(f.Pos), "a pointer distinguishes unset from %s", zeroText(b))
	}
	return true
}

func zeroConstant(k *types.Const) bool {
	switch k.Val().ExactString() {
	case `""`, "0", "false":
		return true
	}
	return false
}

func zeroText(b *types.Basic) string {
	if b.Info()&types.IsBoolean != 0 {
		return "false"
	}
	return "0"
}

// visit plans the values below a type. It returns nil if there is nothing to do.
func (p *planner) visit(t types.Type, above []*types.Struct) *visit {
	v := &visit{typ: t}
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		st, ok := u.Underlying().(*types.Struct)
		if !ok {
			// A type that contains itself without a struct in between has nothing to visit, and
			// would be visited forever.
			if !p.reaches(u, map[types.Type]bool{}) {
				return nil
			}
			if v := p.visit(u.Underlying(), above); v != nil {
				v.typ = t
				return v
			}
			return nil
		}
		if u.TypeArgs().Len() > 0 && p.u.Func(model.Default, u).State != model.Declared {
			return p.body(v, st, above)
		}
		return p.visitStruct(v, u)
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		v.elem = p.visit(model.Elem(u), above)
	case *types.Struct:
		return p.body(v, u, above)
	}
	if v.elem == nil {
		return nil
	}
	return v
}

func (p *planner) visitStruct(v *visit, n *types.Named) *visit {
	if n.Obj().Pkg() == nil || !p.needed(n) {
		return nil
	}
	fn := p.u.Func(model.Default, n)
	pkg := p.u.Home(n)
	switch {
	case fn.State == model.Declared || pkg != nil && pkg.Output && fn.State != model.Mistyped &&
		(pkg == p.pkg || token.IsExported(n.Obj().Name())):
		v.call = &fn
	case p.setters[n.Obj()] != nil:
		v.set = p.setters[n.Obj()]
	default:
		return nil
	}
	return v
}

// body plans an unnamed struct, or an instance of a generic one, in place.
func (p *planner) body(v *visit, st *types.Struct, above []*types.Struct) *visit {
	if slices.Contains(above, st) {
		return nil
	}
	fn := &function{}
	p.fill(fn, p.u.Fields(st), append(slices.Clone(above), st))
	if len(fn.fields) == 0 && len(fn.visits) == 0 {
		return nil
	}
	v.body = fn
	return v
}
