package protobuf

import (
	"go/types"
	"strconv"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/expr"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/reads"
)

// Partial writes functions that read a part of a message, for other features. Such a function
// decodes this part exactly as the generated function for the whole message does.
type Partial struct {
	c *feature.Context
	m *message
}

// PartialOf returns the Partial of a type, or nil if the type has no message or one that is not
// read field by field. All packages must have been planned.
func PartialOf(c *feature.Context, n *types.Named) *Partial {
	if m := messageOf(c, n); m != nil {
		return &Partial{c, m}
	}
	return nil
}

// Emit writes the body of a function that reads the parts of the current field of r that are in a
// tree into out, and skips everything else.
func (p *Partial) Emit(f *emit.File, tree *reads.Tree) {
	w := &partialReader{reader: reader{f: f}, c: p.c}
	w.current(p.m, tree, "out")
}

// partialReader generates the statements that read parts of messages.
type partialReader struct {
	reader
	c     *feature.Context
	depth int
}

// current writes the statement that reads the current field of a message.
func (r *partialReader) current(m *message, tree *reads.Tree, root string) {
	var cases []*field
	for _, fd := range m.fields {
		if tree.Whole || tree.Fields[fd.selector] != nil {
			cases = append(cases, fd)
		}
	}
	if len(cases) == 0 {
		r.f.P("r.Skip()")
		return
	}
	r.f.P("switch r.Field() {")
	for _, fd := range cases {
		r.f.Pf("case %d:", fd.number)
		if below := tree.Fields[fd.selector]; tree.Whole || below.Whole || !r.part(fd, below, root) {
			r.field(fd, root)
		}
	}
	r.f.P("default:\nr.Skip()\n}")
}

// part writes the statements that read a part of a field's value. If the value has to be read as a
// whole, it writes nothing and returns false.
func (r *partialReader) part(fd *field, tree *reads.Tree, root string) bool {
	f, n, x := r.f, fd.node, fd.target(root)
	switch n.op {
	case nested:
		if m := messageOf(r.c, n.typ); m != nil {
			r.message(m, tree, x)
			return true
		}
	case pointer:
		if m := messageOf(r.c, n.elem.typ); n.elem.op == nested && m != nil {
			f.Pf("if %s == nil {\n%s = new(%s)\n}", x, x, n.elem.typ)
			r.message(m, tree, x)
			return true
		}
	case list:
		m := messageOf(r.c, n.elem.typ)
		if n.elem.op != nested || m == nil || tree.Elem == nil || tree.Elem.Whole {
			return false
		}
		f.Pf("r.Messages(%s, func(r *%s, out *%s) {", expr.AddressOf(x), wire("Reader"), n.elem.typ)
		f.P("for r.Next() {")
		r.current(m, tree.Elem, "out")
		f.P("}\n})")
		return true
	}
	return false
}

// message writes the statements that read a part of a nested message.
func (r *partialReader) message(m *message, tree *reads.Tree, x string) {
	r.depth++
	saved := "saved" + strconv.Itoa(r.depth)
	r.f.Pf("%s := r.Message()\nfor r.Next() {", saved)
	r.current(m, tree, x)
	r.f.Pf("}\nr.EndMessage(%s)", saved)
	r.depth--
}

// sharedKey is the key under which the plan of a package is stored for other features.
func sharedKey(path string) string { return "protobuf " + path }

// messageOf returns the message of a struct if a generated function reads it field by field. Its
// package may have been generated in another run.
func messageOf(c *feature.Context, t types.Type) *message {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	fn := c.Universe.Func(model.DecodeProto, n)
	pkg := c.Universe.Package(fn.Path)
	if !fn.Exists() || !fn.Ours || pkg == nil {
		return nil
	}
	if !pkg.Output {
		return recordedMessage(c, pkg, n)
	}
	p, ok := c.Shared[sharedKey(fn.Path)].(*planner)
	if !ok { // this run does not include the feature
		Plan(c.Scratch(pkg))
		p = c.Shared[sharedKey(fn.Path)].(*planner)
	}
	for _, m := range p.messages {
		if m.t.Named.Obj() == n.Obj() && !m.hand && !m.methods && !m.whole {
			return m
		}
	}
	return nil
}

// recordedMessage returns the message of a struct from the record of its package, or nil if the
// record leaves anything uncertain.
func recordedMessage(c *feature.Context, pkg *model.Package, n *types.Named) *message {
	t := c.Universe.Type(n)
	p := &planner{c: c.Scratch(pkg), imports: map[string]bool{}, owner: t, pos: t.Pos, path: t.Name}
	p.readLedger()
	m := &message{t: t}
	if p.callsMethods(t) {
		return nil
	}
	p.structure(m, false)
	p.findEntry(m)
	for _, f := range m.fields {
		if old := m.recorded.field(f.identity); old != nil {
			f.number = old.number
		}
		if f.number == 0 {
			return nil
		}
	}
	if p.c.Diagnostics.HasErrors() {
		return nil
	}
	return m
}
