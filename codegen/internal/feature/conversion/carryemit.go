package conversion

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

func carryIdent(name string) emit.Ident { return emit.Ident{Path: emit.Carry, Name: name} }

// carrying writes the walker functions, in the order of the pairs.
func (w *writer) carrying(pairs []*pair) {
	for _, pr := range pairs {
		if !pr.walks {
			continue
		}
		for d := range pr.ways {
			w.walker(pr, direction(d))
		}
	}
}

// walker writes the function that walks both sides of a pair for one direction. Values are restored
// first. Values are saved last, when everything below is complete, because their guard is computed
// from the target.
func (w *writer) walker(pr *pair, d direction) {
	f := w.f
	in, out := pr.types(d)
	name := w.p.walkerName(pr, d)
	f.Pf("// %s carries the fields that only one of %s and %s has.", name, w.p.typeName(in.Named),
		w.p.typeName(out.Named))
	f.Pf("func %s(c *%s, in *%s, out *%s) {", name, carryIdent("Carrier"), in.Named, out.Named)
	for _, g := range pr.guards {
		if g.dir == d.back() {
			w.restore(pr, g)
		}
	}
	w.descend(pr, d)
	for _, g := range pr.guards {
		if g.dir == d {
			w.keep(pr, g)
		}
	}
	f.P("}")
	f.P()
}

// conversion returns the function of a direction of a pair.
func (w *writer) conversion(pr *pair, d direction) string {
	if h := pr.ways[d].hand; h != nil {
		return w.f.S(h.fn)
	}
	if pr.pkg != w.p.pkg {
		return w.f.Qualified(pr.pkg.Go, pr.ways[d].name)
	}
	return pr.ways[d].name
}

// guard writes the guard of carried fields: a call, as the value of a variable, or a constant if
// the fields have no guard.
func (w *writer) guard(pr *pair, g *guard, from string) {
	f := w.f
	owner, _ := pr.types(g.dir)
	depends := g.losses[0].carried
	if depends.unguarded {
		f.Pf("const guard = %q", unguarded)
		return
	}
	part := "All"
	if depends.guard != nil {
		part = "Only"
	}
	f.Pf("guard := %s(c, %s, %s(%s), %s, %s)", carryIdent("Guard"), from, carryIdent(part), expr.Quote(depends.guard...),
		w.conversion(pr, g.dir.back()), w.p.u.Func(model.AppendJSON, owner.Named).Ident)
}

// restore writes code that restores carried fields in out.
func (w *writer) restore(pr *pair, g *guard) {
	f := w.f
	owner, _ := pr.types(g.dir)
	paths := make([]string, len(g.losses))
	for i, l := range g.losses {
		paths[i] = strconv.Quote(pathText(l.at))
	}
	decode := w.p.u.Func(model.DecodeJSON, owner.Named).Ident
	f.Pf("if c.Waiting(%s) {", strings.Join(paths, ", "))
	f.Pf("var kept %s", owner.Named)
	w.guard(pr, g, "in")
	for i, l := range g.losses {
		conds := []string{f.Sf("%s(c, %s, guard, &kept, %s)", carryIdent("Take"), paths[i], decode)}
		for _, n := range l.at.pointers() {
			conds = append(conds, l.at.upTo("kept", n)+" != nil")
		}
		f.Pf("if %s {", strings.Join(conds, " && "))
		w.assign("out", "kept", l.at)
		f.P("}")
	}
	f.P("}")
}

// assign writes to = from for a place below both, where from passes through no nil pointer. Nil
// pointers on the path to the target are set.
func (w *writer) assign(to, from string, at place) {
	for _, n := range at.pointers() {
		elem := at.fields[n-1].Type.Underlying().(*types.Pointer).Elem()
		w.f.Pf("if %s == nil {", at.upTo(to, n))
		w.f.Pf("%s = new(%s)", at.upTo(to, n), elem)
		w.f.P("}")
	}
	w.f.Pf("%s = %s", at.selector(to), at.selector(from))
}

// keep writes code that saves the carried fields of in.
func (w *writer) keep(pr *pair, g *guard) {
	f := w.f
	owner, _ := pr.types(g.dir)
	appendJSON := w.p.u.Func(model.AppendJSON, owner.Named).Ident
	conds := make([]expr.Source, len(g.losses))
	open := false
	for i, l := range g.losses {
		conds[i] = w.isSet(l.at)
		open = open || conds[i] == nil
	}
	if open {
		f.P("{")
	} else {
		var any expr.Source
		for i, c := range conds {
			if i > 0 {
				any = append(any, " || ")
			}
			if len(conds) > 1 && len(g.losses[i].at.pointers()) > 0 {
				c = slices.Concat(expr.Source{"("}, c, expr.Source{")"})
			}
			any = append(any, c...)
		}
		w.line(expr.Source{"if "}, any, expr.Source{" {"})
	}
	w.guard(pr, g, "out")
	for i, l := range g.losses {
		inner := len(g.losses) > 1 && conds[i] != nil
		if inner {
			w.line(expr.Source{"if "}, conds[i], expr.Source{" {"})
		}
		value := f.Sf("&%s{%s: %s}", owner.Named, l.at.last().Name, l.at.selector("in"))
		if len(l.at.fields) > 1 {
			value = "&lost"
			if !inner && len(g.losses) > 1 {
				f.P("{")
				inner = true
			}
			f.Pf("var lost %s", owner.Named)
			w.assign("lost", "in", l.at)
		}
		f.Pf("%s(c, %q, guard, %s, %s)", carryIdent("Keep"), pathText(l.at), value, appendJSON)
		if inner {
			f.P("}")
		}
	}
	f.P("}")
}

// isSet returns the condition that a carried field of in has a value, or nil if that is unknown.
func (w *writer) isSet(at place) expr.Source {
	var conds []expr.Source
	for _, n := range at.pointers() {
		conds = append(conds, expr.Source{at.upTo("in", n) + " != nil"})
	}
	cond, ok := expr.NonZero(at.selector("in"), at.typ(), w.p.pkg.Go)
	if !ok && len(conds) == 0 {
		return nil
	}
	if ok {
		conds = append(conds, cond)
	}
	return expr.And(conds...)
}

// pathText returns the path of a place relative to the struct, as package schema prints it.
func pathText(at place) string {
	if at.whole {
		return ""
	}
	return schema.NewPath(at.names...).String()
}

// descend writes the calls for nested pairs.
func (w *writer) descend(pr *pair, d direction) {
	f := w.f
	var links []*link
	pr.children(d, func(l *link, below *pair) {
		if below.walks && !slices.Contains(links, l) {
			links = append(links, l)
		}
	})
	sortLinks(links, d)
	for _, l := range links {
		src, dst := l.ends(d)
		var guards []string
		for _, n := range src.pointers() {
			guards = append(guards, src.upTo("in", n)+" != nil")
		}
		inside := w.p.inZero(l.rules[d], d)
		if !inside {
			for _, n := range dst.pointers() {
				guards = append(guards, dst.upTo("out", n)+" != nil")
			}
		}
		if len(guards) > 0 {
			f.Pf("if %s {", strings.Join(guards, " && "))
		}
		target, end := dst.selector("out"), func() {}
		if inside {
			target, end = w.into(dst)
		}
		named := pathText(src) != "" || pathText(dst) != ""
		if named {
			f.Pf("c.Enter(%q, %q)", pathText(src), pathText(dst))
		}
		w.below(l, l.rules[d], src.selector("in"), target, d, 0)
		if named {
			f.P("c.Leave()")
		}
		end()
		if len(guards) > 0 {
			f.P("}")
		}
	}
}

// into follows the pointers on the path to a place of the target. It returns the expression of the
// place and a function that writes the end.
func (w *writer) into(at place) (target string, end func()) {
	root, from := "out", 0
	steps := at.pointers()
	for _, n := range steps {
		inner := place{fields: at.fields[from:n]}
		root, from = w.open(inner.selector(root), inner.typ()), n
	}
	return place{fields: at.fields[from:]}.selector(root), func() {
		for range steps {
			w.end()
		}
	}
}

// open writes the beginning of a function that takes the value that a pointer of the target points
// to, or would point to, and returns its variable.
func (w *writer) open(dst string, pointer types.Type) string {
	v := expr.Variable("p", w.opened)
	w.opened++
	w.f.Pf("%s(c, %s, func(%s *%s) {", carryIdent("Below"), expr.AddressOf(dst), v,
		pointer.Underlying().(*types.Pointer).Elem())
	return v
}

func (w *writer) end() {
	w.opened--
	w.f.P("})")
}

// inZero reports whether carried fields may be in a value whose source counts as zero, other than
// behind a pointer or in an element. A method IsZero may return true for a value with elements; the
// elements of the target would then not be visited.
func (p *planner) inZero(r *rule, d direction) bool {
	switch r.action {
	case array, take:
		return p.inZero(r.elem, d)
	case callPair, callHand:
		return r.pair != nil && r.pair.walks && p.zeroIsEmpty(r.pair, d)
	}
	return false
}

// zeroIsEmpty reports whether a source of a pair that counts as zero has no elements to visit.
func (p *planner) zeroIsEmpty(pr *pair, d direction) bool {
	in, _ := pr.types(d)
	tells := func(t types.Type) bool { return expr.HasIsZero(t, p.pkg.Go) }
	empty := !tells(in.Named)
	pr.children(d, func(l *link, below *pair) {
		src, _ := l.ends(d)
		for _, f := range src.fields {
			empty = empty && !(below.walks && tells(f.Type))
		}
		if l.rules[d].byValue() {
			empty = empty && (!below.walks || p.zeroIsEmpty(below, d))
		}
	})
	return empty
}

// byValue reports whether the value that a rule converts by a function is part of its source,
// rather than behind a pointer or in an element.
func (r *rule) byValue() bool {
	if r.action == array || r.action == take {
		return r.elem.byValue()
	}
	return r.action == callPair || r.action == callHand
}

// below descends along a rule.
func (w *writer) below(l *link, r *rule, src, dst string, d direction, depth int) {
	f := w.f
	switch r.action {
	case callPair, callHand:
		f.Pf("%s(c, %s, %s)", w.p.walkerName(r.pair, d), expr.AddressOf(src), expr.AddressOf(dst))
	case follow, give:
		f.Pf("if %s != nil {", src)
		if r.action == follow {
			dst = "*" + dst
		}
		w.below(l, r.elem, "*"+src, dst, d, depth)
		f.P("}")
	case take:
		if r.zeroIsNil && w.p.inZero(r.elem, d) {
			w.below(l, r.elem, src, "*"+w.open(dst, r.out), d, depth)
			w.end()
			return
		}
		f.Pf("if %s != nil {", dst)
		w.below(l, r.elem, src, "*"+dst, d, depth)
		f.P("}")
	case each, array:
		i := expr.Variable("i", depth)
		elem := expr.Operand(src) + "[" + i + "]"
		f.Pf("c.Elements(len(%s), %s)", src, w.keyFunc(l, r, elem, i, d, depth))
		f.Pf("for %s := range %s {", i, src)
		f.Pf("c.At(%s)", i)
		w.below(l, r.elem, elem, expr.Operand(dst)+"["+i+"]", d, depth+1)
		f.P("}")
		f.P("c.Leave()")
	case entries:
		k, v, val := expr.Variable("k", depth), expr.Variable("v", depth), expr.Variable("val", depth)
		entry := expr.Operand(dst) + "[" + w.cast(k, r.key.in, r.key.out) + "]"
		f.P("c.Entries()")
		f.Pf("for %s, %s := range %s {", k, v, src)
		f.Pf("%s := %s", val, entry)
		f.Pf("c.AtKey(%s)", w.text(k, r.key.in))
		w.below(l, r.elem, v, val, d, depth+1)
		f.Pf("%s = %s", entry, val)
		f.P("}")
		f.P("c.Leave()")
	}
}

// text returns an expression for a string or integer as text.
func (w *writer) text(x string, t types.Type) string {
	b, _ := t.Underlying().(*types.Basic)
	switch {
	case b != nil && b.Info()&types.IsString != 0:
		return w.cast(x, t, types.Typ[types.String])
	case b != nil && b.Info()&types.IsUnsigned != 0:
		return w.f.Sf("%s(%s, 10)", emit.Ident{Path: "strconv", Name: "FormatUint"},
			w.cast(x, t, types.Typ[types.Uint64]))
	case b != nil && b.Info()&types.IsInteger != 0:
		return w.f.Sf("%s(%s, 10)", emit.Ident{Path: "strconv", Name: "FormatInt"},
			w.cast(x, t, types.Typ[types.Int64]))
	}
	return w.f.Sf("%s(%s)", emit.Ident{Path: "fmt", Name: "Sprint"}, x)
}

// keyFunc returns the function that returns the key of an element of a list, or nil.
func (w *writer) keyFunc(l *link, r *rule, elem, i string, d direction, depth int) string {
	below := r.elem
	if below.action == give || below.action == follow || below.action == take {
		below = below.elem
	}
	if below.pair == nil {
		return "nil"
	}
	keys := w.p.keys(l, below.pair, depth == 0)
	if keys == nil {
		return "nil"
	}
	var texts []string
	for _, k := range keys {
		src, _ := k.ends(d)
		texts = append(texts, w.text(src.selector(elem), src.typ()))
	}
	text := "return " + strings.Join(texts, ` + "/" + `)
	if isPointer(r.elem.in) {
		text = "if " + elem + " == nil {\nreturn \"\"\n}\n" + text
	}
	return "func(" + i + " int) string {\n" + text + "\n}"
}

// keys returns the fields that identify the elements of a list: those of a marker or tag on the
// list, or else one with a conventional name. They must keep their values in both directions.
func (p *planner) keys(l *link, elem *pair, outermost bool) []*link {
	var named []string
	hubNames := false
	if outermost {
		if named = keyNames(l.spoke.last()); named == nil {
			named, hubNames = keyNames(l.hub.last()), true
		}
	}
	if named != nil {
		var keys []*link
		for _, name := range named {
			k := elem.keyLink(name, !hubNames, hubNames)
			if k == nil {
				return nil
			}
			keys = append(keys, k)
		}
		return keys
	}
	for _, name := range []string{"name", "id", "key", "type"} {
		if k := elem.keyLink(name, true, true); k != nil {
			return []*link{k}
		}
	}
	return nil
}

// keyLink returns the link of a field that can be a key, by its name in the spoke or the hub.
func (pr *pair) keyLink(name string, spoke, hub bool) *link {
	for _, l := range pr.links {
		if !(spoke && l.spoke.path() == name || hub && l.hub.path() == name) || len(l.spoke.pointers())+
			len(l.hub.pointers()) > 0 {
			continue
		}
		if l.rules[toHub] == nil || l.rules[fromHub] == nil || !l.rules[toHub].simple() || !l.rules[fromHub].simple() {
			return nil
		}
		if b, ok := l.spoke.typ().Underlying().(*types.Basic); ok && b.Info()&(types.IsString|types.IsInteger) != 0 {
			return l
		}
		return nil
	}
	return nil
}

// keyNames returns the keys of a list by its markers, or by the struct tag of Kubernetes.
func keyNames(f *model.Field) []string {
	var out []string
	for _, name := range []string{"listMapKey", "k8s:listMapKey"} {
		for _, m := range f.Markers.All(name) {
			out = append(out, strings.Trim(strings.TrimPrefix(m.Raw, "="), "\"` "))
		}
	}
	if key := reflect.StructTag(f.Tag).Get("patchMergeKey"); out == nil && key != "" {
		out = []string{key}
	}
	return out
}
