package conversion

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	guards "github.com/askind/askind/codegen/internal/guard"
	"github.com/askind/askind/codegen/internal/model"
)

// writer writes the functions of a package.
type writer struct {
	f *emit.File
	p *planner
	// set is the source expression that is known to be neither nil nor zero in the current
	// statements.
	set string
	// opened is the number of enclosing functions of carry.Below.
	opened int
}

// Emit implements feature.Plan.
func (p *planner) Emit(f *emit.File) {
	w := &writer{f: f, p: p}
	pairs := slices.Clone(p.pairs)
	slices.SortStableFunc(pairs, func(a, b *pair) int {
		return cmp.Or(cmp.Compare(a.spoke.Name, b.spoke.Name), cmp.Compare(a.ways[toHub].name, b.ways[toHub].name))
	})
	for _, pr := range pairs {
		for d := range pr.ways {
			if pr.ways[d].generated() {
				w.function(pr, direction(d))
			}
		}
	}
	w.carrying(pairs)
	// Conversions between numbers are checked only if their types at the time of generation require
	// that.
	guarded := guards.Inlined(p.guarded(pairs), p.pkg.Go, func(n *types.Named, _ bool) bool {
		_, basic := n.Underlying().(*types.Basic)
		return !basic
	})
	guards.Write(f, guarded, p.pkg.Go)
}

// guarded returns the structs that the functions access and that no other generated code of this
// package guards, mainly those of the other side.
func (p *planner) guarded(pairs []*pair) []*types.Named {
	var structs []*types.Named
	add := func(t *model.Type) {
		n := t.Named
		said := slices.ContainsFunc(structs, func(other *types.Named) bool { return types.Identical(other, n) })
		ours := p.pkg.Owns(n.Obj()) && p.u.Func(model.AppendJSON, n).State == model.Generated
		if !said && !ours && t.Struct != nil && !model.Hidden(n, p.pkg.Go) {
			structs = append(structs, n)
		}
	}
	for _, pr := range pairs {
		if pr.ways[toHub].generated() || pr.ways[fromHub].generated() {
			add(pr.spoke)
			add(pr.hub)
		}
	}
	return structs
}

// function writes one direction of a pair.
func (w *writer) function(pr *pair, d direction) {
	f, way := w.f, &pr.ways[d]
	in, out := pr.types(d)
	w.doc(pr, d)
	f.Pf("func %s(in *%s, out *%s, s *%s) error {", way.function(), in.Named, out.Named,
		emit.Ident{Path: emit.Conversion, Name: "Scope"})
	if pr.whole {
		w.whole(pr, d)
	} else {
		w.fields(pr, d)
	}
	if pr.kind != nil && pr.walks && !way.fields {
		f.Pf("return %s", w.f.Sf(w.p.carryCall(pr, d), emit.Ident{Path: emit.Carry, Name: "Object"}))
	} else {
		f.P("return nil")
	}
	f.P("}")
	f.P()
}

// doc writes the comment of a function, which documents what the conversion does.
func (w *writer) doc(pr *pair, d direction) {
	f, way := w.f, &pr.ways[d]
	in, out := pr.types(d)
	switch {
	case way.fields:
		f.Pf("// %s is the generated part of %s, which is hand-written.", way.function(), way.name)
	case pr.whole:
		f.Pf("// %s converts %s to %s. The two have the same fields.", way.name, w.p.typeName(in.Named),
			w.p.typeName(out.Named))
	default:
		f.Pf("// %s converts %s to %s, matching fields by their JSON names.", way.name, w.p.typeName(in.Named),
			w.p.typeName(out.Named))
	}
	var moved, zeroNil, byHand, shared, fails, lost []string
	for _, l := range pr.links {
		r := l.rules[d]
		if r == nil {
			continue
		}
		src, dst := l.ends(d)
		if l.moved {
			moved = append(moved, src.path()+" becomes "+dst.path())
		}
		if r.action == take && r.zeroIsNil {
			zeroNil = append(zeroNil, src.path())
		}
		r.hands(func(h *hand) { byHand = append(byHand, src.path()+" by "+h.fn.Name()) })
		r.all(src.path(), clone, func(path string, _ *rule) { shared = append(shared, path) })
		r.all(src.path(), narrow, func(path string, n *rule) {
			fails = append(fails, path+" ("+w.p.typeName(n.in)+" to "+w.p.typeName(n.out)+")")
		})
	}
	private := slices.Concat(w.p.private(in), w.p.private(out))
	for _, l := range pr.localLosses(d) {
		lost = append(lost, l.path+": "+strings.Join(strings.Fields(l.reason), " "))
	}
	w.list("Moved:", moved)
	w.list("Converted by hand-written functions:", byHand)
	w.list("Nil where the source is zero, because JSON omits the zero value:", zeroNil)
	w.list("An error if the number does not fit the target:", fails)
	w.list("Shared with the source if the scope allows it:", shared)
	w.list("Unchanged, because they are not exported:", private)
	w.list("Carried in an annotation by the conversion of the kind:", carriedPaths(pr, d))
	w.list("Lost:", lost)
	w.list("Left to the caller:", way.left)
}

func (w *writer) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	w.f.P("//")
	w.f.P("// ", title)
	for _, item := range items {
		w.f.P("//   - ", item)
	}
}

// whole writes the conversion of structs that have the same fields. It stops compiling when one of
// them changes.
func (w *writer) whole(pr *pair, d direction) {
	f := w.f
	in, out := pr.types(d)
	f.Pf("*out = %s(*in)", out.Named)
	var refs []*link
	for _, l := range pr.links {
		if !flat(l.spoke.typ()) {
			refs = append(refs, l)
		}
	}
	if len(refs) == 0 {
		return
	}
	f.P("if !s.Sharing() {")
	for i := range in.Struct.NumFields() {
		if a := in.Struct.Field(i); !flat(a.Type()) {
			w.copyValue("in."+a.Name(), target{expr: "out." + a.Name()}, a.Type(), a.Type(), 0)
		}
	}
	f.P("}")
}

// fields writes the conversion field by field, in the order of the target. Fields that may share
// memory are grouped in one branch. Moves into or out of nested structs come last, after the
// structs have been converted.
func (w *writer) fields(pr *pair, d direction) {
	f := w.f
	var plain, shared, nested []*link
	needsErr := false
	for _, l := range pr.links {
		r := l.rules[d]
		if r == nil {
			continue
		}
		r.all("", narrow, func(string, *rule) { needsErr = true })
		src, dst := l.ends(d)
		switch {
		case len(dst.names) > 1 || len(src.pointers()) > 0 || len(dst.pointers()) > 0:
			nested = append(nested, l)
		case r.action == clone:
			shared = append(shared, l)
		default:
			plain = append(plain, l)
		}
	}
	for _, links := range [][]*link{plain, shared, nested} {
		sortLinks(links, d)
	}
	if needsErr {
		f.P("var err error")
	}
	for _, l := range plain {
		src, dst := l.ends(d)
		w.value(l.rules[d], src.selector("in"), target{expr: dst.selector("out")},
			expr.ErrorPath(nil).Field(src.names...), 0)
	}
	if len(shared) > 0 {
		f.P("if s.Sharing() {")
		for _, l := range shared {
			src, dst := l.ends(d)
			f.Pf("%s = %s", dst.selector("out"), w.cast(src.selector("in"), src.typ(), dst.typ()))
		}
		f.P("} else {")
		for _, l := range shared {
			src, dst := l.ends(d)
			w.copyValue(src.selector("in"), target{expr: dst.selector("out")}, src.typ(), dst.typ(), 0)
		}
		f.P("}")
	}
	unset := w.clear(pr, d, nested)
	for _, l := range nested {
		w.move(l, d, unset)
	}
}

// sortLinks sorts the links of a pair by their targets.
func sortLinks(links []*link, d direction) {
	slices.SortStableFunc(links, func(a, b *link) int {
		_, x := a.ends(d)
		_, y := b.ends(d)
		return comparePlaces(x, y)
	})
}

// comparePlaces orders places of one struct by declaration.
func comparePlaces(a, b place) int {
	for i := range min(len(a.fields), len(b.fields)) {
		if c := cmp.Compare(a.fields[i].Pos, b.fields[i].Pos); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.fields), len(b.fields))
}

// clear zeroes the target fields that nothing is converted to, so that the result does not depend
// on the previous content of the target, and the pointers that nothing converts as a whole. It
// returns the latter, because a move may allocate them.
func (w *writer) clear(pr *pair, d direction, nested []*link) (unset map[string]bool) {
	unset = map[string]bool{}
	clearPointer := func(at place) {
		first := place{fields: at.fields[:at.pointers()[0]]}
		name := first.selector("out")
		if _, whole := pr.handles(dstEnd, first, d); !whole && !unset[name] && !pr.leaves(dstEnd, first, d) {
			unset[name] = true
			w.line(expr.Source{name + " = nil"})
		}
	}
	for _, l := range pr.losses[d.back()] {
		if len(l.at.pointers()) > 0 {
			clearPointer(l.at)
		} else {
			w.line(expr.Source{l.at.selector("out"), " = "}, expr.Zero(l.at.typ()))
		}
	}
	for _, l := range nested {
		if _, dst := l.ends(d); len(dst.pointers()) > 0 {
			clearPointer(dst)
		}
	}
	return unset
}

func (w *writer) line(parts ...expr.Source) {
	var all expr.Source
	for _, p := range parts {
		all = append(all, p...)
	}
	w.f.P(all...)
}

// move writes a conversion between two fields, one of them in nested structs. If the path leads
// through pointers, the source is read only if they are set, and the target is allocated only if
// there is a value to write. Pointers that must still be nil are not tested before the first
// allocation.
func (w *writer) move(l *link, d direction, unset map[string]bool) {
	f := w.f
	src, dst := l.ends(d)
	var guards []expr.Source
	for _, n := range src.pointers() {
		guards = append(guards, expr.Source{src.upTo("in", n) + " != nil"})
	}
	allocs := dst.pointers()
	if len(allocs) > 0 {
		cond, _ := expr.NonZero(src.selector("in"), src.typ(), w.p.pkg.Go)
		guards = append(guards, cond)
		w.set = src.selector("in")
		defer func() { w.set = "" }()
	} else if len(guards) > 0 {
		w.line(expr.Source{dst.selector("out") + " = "}, expr.Zero(dst.typ()))
	}
	if len(guards) > 0 {
		w.line(expr.Source{"if "}, expr.And(guards...), expr.Source{" {"})
		defer f.P("}")
	}
	fresh := false
	for _, n := range allocs {
		p := dst.upTo("out", n)
		elem := dst.fields[n-1].Type.Underlying().(*types.Pointer).Elem()
		if fresh = fresh || unset[p]; fresh {
			f.Pf("%s = new(%s)", p, elem)
			delete(unset, p)
			continue
		}
		f.Pf("if %s == nil {", p)
		f.Pf("%s = new(%s)", p, elem)
		f.P("}")
	}
	w.value(l.rules[d], src.selector("in"), target{dst.selector("out"), fresh || len(guards) > 0 && len(allocs) == 0},
		expr.ErrorPath(nil).Field(src.names...), 0)
}

// target is where a value is stored. A fresh target is known to be zero.
type target struct {
	expr  string
	fresh bool
}

func (t target) index(i string) target { return target{expr.Operand(t.expr) + "[" + i + "]", t.fresh} }

// reset writes code that zeroes the target, unless it is known to be zero.
func (w *writer) reset(dst target, t types.Type) {
	if !dst.fresh {
		w.line(expr.Source{dst.expr + " = "}, expr.Zero(t))
	}
}

// unlessNil begins a block for a non-nil source, after code that resets the target for a nil
// source, and returns a function that ends the block. If the source is known not to be nil, it
// writes nothing.
func (w *writer) unlessNil(src string, dst *target, t types.Type) (end func()) {
	if src == w.set {
		return func() {}
	}
	w.reset(*dst, t)
	dst.fresh = true
	w.f.Pf("if %s != nil {", src)
	return func() { w.f.P("}") }
}

// value writes the statements that convert src into dst.
func (w *writer) value(r *rule, src string, dst target, at expr.ErrorPath, depth int) {
	f := w.f
	switch r.action {
	case assign, cast:
		f.Pf("%s = %s", dst.expr, w.cast(src, r.in, r.out))
	case clone:
		f.P("if s.Sharing() {")
		f.Pf("%s = %s", dst.expr, w.cast(src, r.in, r.out))
		f.P("} else {")
		w.copyValue(src, dst, r.in, r.out, depth)
		f.P("}")
	case narrow:
		f.Pf("if %s, err = %s[%s](%s); err != nil {", dst.expr, emit.Ident{Path: emit.Conversion, Name: "Narrow"},
			r.out, src)
		f.Pf("return %s", at.At(f, "err"))
		f.P("}")
	case callHand, callPair:
		var fn string
		if r.action == callHand {
			fn = f.S(r.hand.fn)
		} else {
			fn = w.conversion(r.pair, r.dir)
		}
		f.Pf("if err := %s(%s, %s, s); err != nil {", fn, expr.AddressOf(src), expr.AddressOf(dst.expr))
		f.Pf("return %s", at.At(f, "err"))
		f.P("}")
	case each:
		defer w.unlessNil(src, &dst, r.out)()
		f.Pf("%s = make(%s, len(%s))", dst.expr, r.out, src)
		w.elements(r, src, target{dst.expr, true}, at, depth)
	case array:
		w.elements(r, src, dst, at, depth)
	case entries:
		w.entries(r, src, dst, at, depth)
	case follow:
		defer w.unlessNil(src, &dst, r.out)()
		w.allocate(r, "*"+src, dst, at, depth)
	case take:
		cond, ok := expr.NonZero(src, r.in, w.p.pkg.Go)
		if !r.zeroIsNil || !ok || src == w.set {
			w.allocate(r, src, dst, at, depth)
			return
		}
		w.reset(dst, r.out)
		w.line(expr.Source{"if "}, cond, expr.Source{" {"})
		w.set = src
		w.allocate(r, src, dst, at, depth)
		w.set = ""
		f.P("}")
	case give:
		defer w.unlessNil(src, &dst, r.out)()
		w.value(r.elem, "*"+src, dst, at, depth)
	}
}

// allocate writes code that allocates the pointee of dst and converts src into it.
func (w *writer) allocate(r *rule, src string, dst target, at expr.ErrorPath, depth int) {
	elem := r.out.Underlying().(*types.Pointer).Elem()
	if r.elem.simple() {
		value := fmt.Sprintf("%s(%s)", w.f.Type(elem), src)
		if types.Identical(r.elem.in, elem) {
			value = src
		}
		w.f.Pf("%s = new(%s)", dst.expr, value)
		return
	}
	w.f.Pf("%s = new(%s)", dst.expr, elem)
	w.value(r.elem, src, target{"*" + dst.expr, true}, at, depth)
}

func (w *writer) elements(r *rule, src string, dst target, at expr.ErrorPath, depth int) {
	f := w.f
	i := expr.Variable("i", depth)
	if r.elem.simple() && r.action == each {
		v := expr.Variable("v", depth)
		f.Pf("for %s, %s := range %s {", i, v, src)
		f.Pf("%s = %s", dst.index(i).expr, w.cast(v, r.elem.in, r.elem.out))
		f.P("}")
		return
	}
	f.Pf("for %s := range %s {", i, src)
	w.value(r.elem, expr.Operand(src)+"["+i+"]", dst.index(i), at.Index(i), depth+1)
	f.P("}")
}

func (w *writer) entries(r *rule, src string, dst target, at expr.ErrorPath, depth int) {
	f := w.f
	k, v, val := expr.Variable("k", depth), expr.Variable("v", depth), expr.Variable("val", depth)
	defer w.unlessNil(src, &dst, r.out)()
	f.Pf("%s = make(%s, len(%s))", dst.expr, r.out, src)
	f.Pf("for %s, %s := range %s {", k, v, src)
	entry := dst.index(w.cast(k, r.key.in, r.key.out)).expr
	if r.elem.simple() {
		f.Pf("%s = %s", entry, w.cast(v, r.elem.in, r.elem.out))
	} else {
		f.Pf("var %s %s", val, r.elem.out)
		w.value(r.elem, v, target{val, true}, at.Key(k, r.key.in), depth+1)
		f.Pf("%s = %s", entry, val)
	}
	f.P("}")
}

// cast returns an expression with a Go conversion if one is needed.
func (w *writer) cast(src string, in, out types.Type) string {
	if types.AssignableTo(in, out) {
		return src
	}
	t := w.f.Type(out)
	if _, ok := out.(*types.Pointer); ok {
		t = "(" + t + ")"
	}
	return fmt.Sprintf("%s(%s)", t, src)
}
