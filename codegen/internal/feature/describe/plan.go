package describe

import (
	"go/doc"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// plan is the plan for one package.
type plan struct {
	c      *feature.Context
	kinds  []*kindPlan
	byName map[string]*described
	queue  []*described
}

type kindPlan struct {
	kind *model.Kind
	// write means that the function is generated rather than declared.
	write bool
}

// described is an entry of the table: a struct type.
type described struct {
	name   string
	typ    types.Type
	fields []*field
}

// field is the entry of one field.
type field struct {
	name, label, help string
	typ, key          string
	as                string // the name of a constant, without its prefix
	unit              string // the name of a constant of package time
	object            string // the kind of the objects in a runtime.Embedded, else blank
	isMap, table      bool
	maps              int // nested in the values of a map
	omit              bool
}

// named adds a named struct and returns its name in the table: the name of the type, qualified if
// it is not in the package of the kinds.
func (p *plan) named(n *types.Named) string {
	name := n.Obj().Name()
	if n.TypeArgs().Len() > 0 {
		name = types.TypeString(n, (*types.Package).Name)
	} else if !p.c.Package.Owns(n.Obj()) {
		name = emit.Qualifier(n.Obj().Pkg()) + "." + name
	}
	if d := p.byName[name]; d != nil && !types.Identical(d.typ, n) { // packages of one name
		name = types.TypeString(n, nil)
	}
	return p.enter(name, n)
}

func (p *plan) enter(name string, t types.Type) string {
	if p.byName[name] == nil {
		d := &described{name: name, typ: t}
		p.byName[name] = d
		p.queue = append(p.queue, d)
	}
	return name
}

// closeAll plans all types that were added, and those that they reach.
func (p *plan) closeAll() {
	for len(p.queue) > 0 {
		d := p.queue[0]
		p.queue = p.queue[1:]
		top := slices.ContainsFunc(p.kinds, func(k *kindPlan) bool { return types.Identical(k.kind.Named, d.typ) })
		for _, f := range p.c.Universe.JSONFields(d.typ.Underlying().(*types.Struct)) {
			if top && (f.Key == "metadata" || f.Key == "kind" || f.Key == "apiVersion") {
				continue
			}
			d.fields = append(d.fields, p.field(d, f))
		}
	}
}

// field plans one field.
func (p *plan) field(d *described, jf *model.JSONField) *field {
	f := &field{name: jf.Key, help: help(jf.Doc)}
	if m := jf.Markers.Get(describeMarker); m != nil {
		if m.Value == "false" {
			return &field{name: f.name, omit: true}
		}
		f.label, _ = m.Arg("label")
	}
	if f.omit = f.name == "managedFields" && len(jf.Path) == 1 && isObjectMeta(d.typ); f.omit {
		return &field{name: f.name, omit: true}
	}
	if !endless(jf.Type) {
		p.classify(f, d.name+"."+jf.Key, jf.Type, false)
	}
	if f.typ != "" && f.object == "" && !f.isMap && !f.table {
		f.key = p.key(jf)
	}
	p.unit(f, jf)
	if p.c.Universe.PathTrait(model.Sensitive, jf.Path) {
		f.as, f.unit, f.typ, f.key, f.table, f.object, f.maps = "Redacted", "", "", "", false, "", 0
	}
	return f
}

func isObjectMeta(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Name() == "ObjectMeta"
}

// help returns the first sentence of a comment, without the brackets around names.
func help(text string) string {
	return model.WithoutLinks(new(doc.Package).Synopsis(text))
}

// endless reports whether a type contains itself without a struct in between and therefore has no
// values.
func endless(t types.Type) bool {
	seen := map[types.Type]bool{}
	for {
		t = types.Unalias(t)
		if seen[t] {
			return true
		}
		seen[t] = true
		switch u := t.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Array, *types.Map:
			t = model.Elem(u)
		default:
			return false
		}
	}
}

// classify determines the class of the values of a type, from the outside in.
func (p *plan) classify(f *field, path string, t types.Type, inMap bool) {
	t = types.Unalias(t)
	if model.IsNamed(t, emit.Runtime, "Embedded") {
		f.object = unknownKind
		if held := heldStruct(t); held != nil {
			f.object, f.typ = p.kindName(held), p.named(held)
		}
		return
	}
	if model.WritesItself(t) {
		switch {
		case isMoment(t):
			f.as = "Date"
		case isDuration(t):
			f.as = "Duration"
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		p.classify(f, path, u.Elem(), inMap)
	case *types.Slice:
		if model.IsBytes(t) {
			f.as = "Bytes"
			return
		}
		p.classifyList(f, path, u.Elem(), inMap)
	case *types.Array:
		p.classifyList(f, path, u.Elem(), inMap)
	case *types.Map:
		if inMap {
			f.maps++
		}
		f.isMap = true
		p.classify(f, path, u.Elem(), true)
	case *types.Struct:
		if n, ok := t.(*types.Named); ok {
			f.typ = p.named(n)
		} else {
			f.typ = p.enter(path, t)
		}
	case *types.Basic:
		if model.IsNamed(t, "time", "Duration") {
			f.as, f.unit = "Duration", "Nanosecond"
		}
	}
}

// unknownKind stands for the kind of objects whose secrets are not known here.
const unknownKind = "?"

// kindName returns the kind of the objects of a type as descriptions compare it.
func (p *plan) kindName(n *types.Named) string {
	home := p.c.Universe.Home(n)
	if home == nil || !home.HasGroup {
		return unknownKind
	}
	k := home.Kind(n.Obj().Name())
	if k == nil || !types.Identical(k.Named, n) {
		return unknownKind
	}
	return home.APIVersion() + "/" + k.Name
}

// heldStruct returns the struct of the objects in a runtime.Embedded, so that its secrets are
// redacted there too. It returns nil if the field may hold objects of several types.
func heldStruct(t types.Type) *types.Named {
	return model.PointedStruct(t.(*types.Named).TypeArgs().At(0).Underlying())
}

func (p *plan) classifyList(f *field, path string, elem types.Type, inMap bool) {
	p.classify(f, path, elem, inMap)
	base := types.Unalias(elem)
	if ptr, ok := base.(*types.Pointer); ok {
		base = types.Unalias(ptr.Elem())
	}
	// A list of lists is not a table, even if its elements are.
	st, ok := base.Underlying().(*types.Struct)
	f.table = ok && f.typ != "" && !model.WritesItself(base) && p.flat(st)
}

// mostColumns is how many fields a struct may have to be shown as a row.
const mostColumns = 8

// flat reports whether a struct has few fields, and each of them a single value or a list of single
// values.
func (p *plan) flat(st *types.Struct) bool {
	fields := p.c.Universe.JSONFields(st)
	if len(fields) > mostColumns {
		return false
	}
	for _, f := range fields {
		t := types.Unalias(f.Type)
		if ptr, ok := t.Underlying().(*types.Pointer); ok && !model.WritesItself(t) {
			t = types.Unalias(ptr.Elem())
		}
		if s, ok := t.Underlying().(*types.Slice); ok && !model.WritesItself(t) {
			t = types.Unalias(s.Elem())
		}
		if _, ok := t.Underlying().(*types.Basic); !ok && !(model.WritesItself(t) && hasText(t)) {
			return false
		}
	}
	return true
}

// hasText reports whether a type with its own JSON form is known to be a single value.
func hasText(t types.Type) bool {
	return isMoment(t) || isDuration(t) || model.AnyMethod(t, "String") != nil
}

// key returns the JSON name of the field that identifies the elements of a list: according to the
// markers for lists, or else the name.
func (p *plan) key(f *model.JSONField) string {
	elem := f.Type
	for {
		switch u := types.Unalias(elem).Underlying().(type) {
		case *types.Pointer, *types.Slice:
			elem = model.Elem(u)
			continue
		}
		break
	}
	st, ok := elem.Underlying().(*types.Struct)
	if _, isList := types.Unalias(f.Type).Underlying().(*types.Slice); !ok || !isList {
		return ""
	}
	single := func(name string) bool {
		for _, jf := range p.c.Universe.JSONFields(st) {
			if jf.Key == name {
				_, basic := jf.Type.Underlying().(*types.Basic)
				return basic
			}
		}
		return false
	}
	candidates := []string{reflect.StructTag(f.Tag).Get("patchMergeKey"), "name", "id", "key"}
	if keys := f.Markers.All("listMapKey"); len(keys) == 1 {
		candidates = append([]string{strings.TrimSpace(keys[0].Value)}, candidates...)
	}
	for _, name := range candidates {
		if name != "" && single(name) {
			return name
		}
	}
	return ""
}

// units maps the units in markers and name suffixes to their constants.
var units = map[string]string{
	"nanoseconds": "Nanosecond", "microseconds": "Microsecond", "milliseconds": "Millisecond", "seconds": "Second",
	"minutes": "Minute", "hours": "Hour",
	"bytes": "", "none": "",
}

// unit determines the unit of a number.
func (p *plan) unit(f *field, jf *model.JSONField) {
	isNumber := p.isNumber(jf.Type)
	unit := ""
	var a *marker.Arg
	if m := jf.Markers.Get(describeMarker); m != nil {
		a = m.ArgAt("unit")
	}
	if a != nil {
		unit = a.Value
		if _, ok := units[unit]; !ok {
			names := slices.Sorted(maps.Keys(units))
			d := p.c.Errorf(a.ValuePos, "describe-unit", "unknown unit %q; use one of %s", unit,
				strings.Join(names, ", "))
			if near, ok := schema.Nearest(unit, names); ok {
				d.Suggest("unit=%s", near)
			}
			return
		}
		if !isNumber {
			p.c.Errorf(a.Pos, "describe-unit", "only numbers have a unit, but %s has type %s", jf.Key, jf.Type)
			return
		}
		f.as, f.unit = "", ""
	} else if isNumber && f.as == "" {
		for _, end := range []string{"Nanoseconds", "Microseconds", "Milliseconds", "Seconds", "Bytes"} {
			if strings.HasSuffix(f.name, end) {
				unit = strings.ToLower(end)
				break
			}
		}
	}
	switch {
	case unit == "bytes":
		f.as = "Size"
	case unit != "" && unit != "none":
		f.as, f.unit = "Duration", units[unit]
	}
}

// isNumber reports whether values of a type, or its elements, are numbers.
func (p *plan) isNumber(t types.Type) bool {
	if endless(t) {
		return false
	}
	for !model.WritesItself(t) {
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map:
			t = model.Elem(u)
		case *types.Basic:
			return u.Info()&(types.IsInteger|types.IsFloat) != 0
		default:
			return false
		}
	}
	return false
}

// isMoment reports whether a type is time.Time or a struct around it. Its JSON is shown as a date
// if it is one in RFC 3339, and as it is otherwise.
func isMoment(t types.Type) bool { return model.IsNamed(t, "time", "Time") || isAround(t, "Time") }

// isDuration reports whether a type is a struct around time.Duration, whose JSON is a string such
// as 5m0s.
func isDuration(t types.Type) bool { return isAround(t, "Duration") }

// isAround reports whether the only field of a struct is an embedded type of package time.
func isAround(t types.Type, name string) bool {
	st, ok := t.Underlying().(*types.Struct)
	return ok && st.NumFields() == 1 && st.Field(0).Embedded() && model.IsNamed(st.Field(0).Type(), "time", name)
}
