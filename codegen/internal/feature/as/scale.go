package as

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/jsonpath"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// scalePlan is the plan for the scale marker of a kind.
type scalePlan struct {
	// spec and status lead to the numbers of replicas, selector to the label selector. selector is
	// nil if the marker has none.
	spec, status, selector *route
	writeAs, writeUpdate   bool
}

func planScale(c *feature.Context, k *model.Kind, m *marker.Marker) *scalePlan {
	if m.HasValue {
		return nil // reported, like missing arguments, where the syntax of markers is checked
	}
	if all := k.Markers.All(m.Name); len(all) > 1 {
		c.Errorf(all[1].Pos, "scale-twice", "marker +%s is given twice", m.Name).Relate(c.Universe.Position(m.Pos),
			"the first one")
	}
	p := &scalePlan{}
	ok := true
	for _, a := range m.Args {
		var target **route
		switch a.Name {
		case "specpath":
			target = &p.spec
		case "statuspath":
			target = &p.status
		case "selectorpath":
			target = &p.selector
		default:
			continue
		}
		r, bad := resolve(c.Universe, k.Named, a.Value)
		if bad == nil {
			bad = checkScale(c.Universe, r, a.Name)
		}
		if bad != nil {
			bad.report(c, "scale-path", m, &a, 0)
			ok = false
			continue
		}
		*target = r
	}
	if !ok || p.spec == nil || p.status == nil {
		return nil
	}
	p.writeAs = !c.Declares(k.Name+"AsScale", "func(in *T, out *metav1.Scale, s *conversion.Scope) error", k)
	p.writeUpdate = !c.Declares("Update"+k.Name+"FromScale",
		"func(in *metav1.Scale, out *T, s *conversion.Scope) error", k)
	return p
}

// checkScale reports a path that a scale cannot use: one through lists or maps, or to a value of
// the wrong type.
func checkScale(u *model.Universe, r *route, argument string) *pathError {
	for i := range r.ops {
		if o := &r.ops[i]; o.kind == opField || o.kind == opDeref {
			continue
		} else if o.kind == opEmbedded {
			return &pathError{offset: 0, end: len(r.path.Text), message: argument +
				" leads into an embedded object, which has its own scale"}
		}
		for j := range r.path.Steps {
			s := &r.path.Steps[j]
			if s.Kind != jsonpath.Field {
				return &pathError{offset: s.Offset, end: s.End, message: argument +
					" must name only fields, not elements of lists"}
			}
		}
		return &pathError{offset: 0, end: len(r.path.Text), message: argument + " must name only fields, not keys of maps"}
	}
	last := r.path.Steps[len(r.path.Steps)-1]
	bad := &pathError{offset: last.Offset + 1, end: last.End}
	b := basic(r.leaf)
	switch {
	case argument == "selectorpath":
		if _, ok := labelSelector(u, r.leaf); ok || b != nil && b.Info()&types.IsString != 0 &&
			!model.WritesItself(r.leaf) {
			return nil
		}
		bad.message = fmt.Sprintf("%s is %s; a selector is a string or a metav1.LabelSelector", r.path.Text,
			describe(r.leaf))
	case model.WritesItself(r.leaf) || b == nil || b.Info()&types.IsInteger == 0:
		bad.message = fmt.Sprintf("%s is %s; replicas must be an integer", r.path.Text, describe(r.leaf))
	default:
		return nil
	}
	return bad
}

// labelSelector reports whether a type is a label selector: that of meta/v1, or a foreign one with
// a view function.
func labelSelector(u *model.Universe, t types.Type) (view model.Func, ok bool) {
	n, named := types.Unalias(t).(*types.Named)
	if !named || n.Obj().Name() != "LabelSelector" {
		return model.Func{}, false
	}
	view = u.Func(model.MetadataView, n)
	return view, view.Exists() || model.IsNamed(t, emit.MetaV1, "LabelSelector")
}

func (s *scalePlan) emit(f *emit.File, p *kindPlan) {
	if s.writeAs {
		s.emitAs(f, p)
	}
	if s.writeUpdate {
		s.emitUpdate(f, p)
	}
}

func (s *scalePlan) emitAs(f *emit.File, p *kindPlan) {
	name := p.kind.Name
	paths := s.spec.path.String() + " and " + s.status.path.String()
	if s.selector != nil {
		paths = s.spec.path.String() + ", " + s.status.path.String() + " and " + s.selector.path.String()
	}
	f.P("// ", name, "AsScale shows the size of one ", name, ": ", paths, ". Unset values are shown as zero.")
	f.P("func ", name, "AsScale(in *", p.kind.Named, ", out *", metav1("Scale"), ", _ ", scopePointer(f), ") error {")
	meta := "in." + p.meta
	if p.c.Universe.HasView(p.kind) {
		meta = "meta"
		f.P("meta := ", p.metaPointer(f, "in"))
	}
	f.P("*out = ", metav1("Scale"), "{")
	f.P("TypeMeta: ", metav1("TypeMeta"), `{Kind: "Scale", APIVersion: "`, metaAPIVersion, `"},`)
	f.P("ObjectMeta: ", metav1("ObjectMeta"), "{")
	for _, field := range []string{"Name", "Namespace", "UID", "ResourceVersion", "CreationTimestamp"} {
		f.P(field, ": ", meta, ".", field, ",")
	}
	f.P("},")
	f.P("}")
	w := newWalker(f)
	emitCount(w, s.spec, "out.Spec.Replicas")
	emitCount(w, s.status, "out.Status.Replicas")
	if s.selector != nil {
		w.walk("in", unguarded(s.selector.ops), nil, func(at string, conditions []string) {
			view, ok := labelSelector(p.c.Universe, s.selector.leaf)
			if !ok {
				w.guarded(conditions, func() {
					f.P("out.Status.Selector = ", expr.Convert(at, s.selector.leaf, "string"))
				})
				return
			}
			w.guarded(conditions, func() {
				address := expr.AddressOf(at)
				if view.Exists() {
					address = f.Sf("%s(%s)", view.Ident, address)
				}
				f.P("selector, err := ", metav1("FormatLabelSelector"), "(", address, ")")
				f.P("if err != nil {")
				f.P("return ", atPath(f, s.selector.path))
				f.P("}")
				f.P("out.Status.Selector = selector")
			})
		})
	}
	f.P("return nil")
	f.P("}")
	f.P()
}

// emitCount writes the statements that set an int32 to the integer at the end of a route.
func emitCount(w *walker, r *route, to string) {
	w.walk("in", unguarded(r.ops), nil, func(at string, conditions []string) {
		w.guarded(conditions, func() {
			if alwaysInt32(r.leaf) {
				w.f.P(to, " = ", expr.Convert(at, r.leaf, "int32"))
				return
			}
			n := w.name("n")
			w.f.P(n, ", err := ", emit.Ident{Path: emit.Conversion, Name: "Narrow"}, "[int32](", at, ")")
			w.f.P("if err != nil {")
			w.f.P("return ", atPath(w.f, r.path))
			w.f.P("}")
			w.f.P(to, " = ", n)
		})
	})
}

// unguarded returns the operations without guards that only test for zero: absent values are shown
// as zero anyway.
func unguarded(ops []op) []op {
	out := slices.Clone(ops)
	for i := range out {
		out[i].absent = never
	}
	return out
}

// alwaysInt32 reports whether every value of t fits in an int32.
func alwaysInt32(t types.Type) bool {
	return slices.Contains([]types.BasicKind{
		types.Int8, types.Int16, types.Int32, types.Uint8, types.Uint16,
	}, basic(t).Kind())
}

// atPath returns an expression for the error err at a field.
func atPath(f *emit.File, path *jsonpath.Path) string {
	names := make([]string, len(path.Steps))
	for i, s := range path.Steps {
		names[i] = s.Name
	}
	return f.Sf("%s(err, %s(%s))", emit.Ident{Path: emit.Schema, Name: "AtPath"},
		emit.Ident{Path: emit.Schema, Name: "NewPath"}, expr.Quote(names...))
}

func (s *scalePlan) emitUpdate(f *emit.File, p *kindPlan) {
	name := p.kind.Name
	f.P("// Update", name, "FromScale sets ", s.spec.path.String(),
		" to what a scale asks for, and nothing else. If the scale names another object")
	f.P("// or another version of it by its UID or resource version, the error is a conflict.")
	f.P("func Update", name, "FromScale(in *", metav1("Scale"), ", out *", p.kind.Named, ", _ ", scopePointer(f),
		") error {")
	group, resource := strconv.Quote(p.c.Package.Group), strconv.Quote(p.kind.Resource)
	f.P("resource := ", emit.Ident{Path: emit.Schema, Name: "GroupResource"}, "{Group: ", group, ", Resource: ",
		resource, "}")
	f.P("if err := ", metav1("CheckScale"), "(in, ", p.metaPointer(f, "out"), ", resource); err != nil {")
	f.P("return err")
	f.P("}")
	ops := s.spec.ops
	// The pointers at the end point to the number. Allocate a new number, since the old one may be
	// shared.
	pointers := 0
	for len(ops) > 0 && ops[len(ops)-1].kind == opDeref {
		ops = ops[:len(ops)-1]
		pointers++
	}
	leaf := f.Type(s.spec.leaf)
	value := "in.Spec.Replicas"
	fits := slices.Contains([]types.BasicKind{types.Int32, types.Int64, types.Int}, basic(s.spec.leaf).Kind())
	if !fits {
		f.P("n, err := ", emit.Ident{Path: emit.Conversion, Name: "Narrow"}, "[", leaf, "](in.Spec.Replicas)")
		f.P("if err != nil {")
		f.P("return ", f.Ident(emit.Schema, "AtPath"), "(err, ", f.Ident(emit.Schema, "NewPath"),
			`("spec", "replicas"))`)
		f.P("}")
		value = "n"
	} else if !types.Identical(s.spec.leaf, types.Typ[types.Int32]) {
		value = leaf + "(in.Spec.Replicas)"
	}
	at := "out"
	for _, o := range ops {
		switch o.kind {
		case opField:
			at = expr.Selectable(at) + "." + o.name
		case opDeref:
			f.P("if ", at, " == nil {")
			f.P(at, " = new(", o.typ, ")")
			f.P("}")
			at = "*" + expr.Operand(at)
		}
	}
	if pointers > 0 && fits {
		f.P("n := ", value)
		value = "n"
	}
	for i := 1; i < pointers; i++ {
		f.P("p", strconv.Itoa(i), " := &", value)
		value = "p" + strconv.Itoa(i)
	}
	if pointers > 0 {
		value = "&" + value
	}
	f.P(at, " = ", value)
	f.P("return nil")
	f.P("}")
	f.P()
}
