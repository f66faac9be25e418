package as

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/askind/askind/codegen/internal/emit"
)

func (p *kindPlan) emitTable(f *emit.File) {
	if p.writeBegin {
		p.emitBegin(f)
	}
	if !p.writeTable {
		return
	}
	name := p.kind.Name
	f.P("// ", name, "AsTable adds the row of one ", name,
		" to a table, and the columns if it has none. As much of the object comes with the")
	f.P(
		"// row as the options of the scope ask for. The table has the version of the object; that of a list replaces it.",
	)
	f.P("//")
	for i, col := range p.columns {
		f.P("//   - ", strconv.Itoa(i), " ", comment(col.name), ": ", col.source)
	}
	f.P("func ", name, "AsTable(in *", p.kind.Named, ", out *", metav1("Table"), ", s ", scopePointer(f), ") error {")
	f.P("if out.ColumnDefinitions == nil {")
	f.P("if err := begin", name, "Table(out, s); err != nil {")
	f.P("return err")
	f.P("}")
	f.P("}")
	if slices.ContainsFunc(p.columns, (*column).needsNow) {
		f.P("now := s.Now()")
	}
	f.P("cells := make([]any, ", strconv.Itoa(len(p.columns)), ")")
	w := newWalker(f)
	for i, col := range p.columns {
		p.emitCell(w, "cells["+strconv.Itoa(i)+"]", col)
	}
	f.P(metav1("AppendTableRow"), "(out, ", emit.Ident{Path: emit.Runtime, Name: "Embed"},
		"(&kind", name, ", in), ", p.metaPointer(f, "in"), ", cells, s)")
	f.P("return nil")
	f.P("}")
	f.P()
	for _, col := range p.columns {
		if col.helped() {
			p.emitHelper(f, col)
		}
	}
}

// comment formats text for a line comment: a heading may contain line breaks.
func comment(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// emitBegin writes the function that adds the columns to a table, which is also called for a table
// without rows.
func (p *kindPlan) emitBegin(f *emit.File) {
	name := p.kind.Name
	if p.writeTable {
		f.P("// columns", name, " are the columns of a table of ", name, " objects.")
		f.P("var columns", name, " = []", metav1("TableColumnDefinition"), "{")
		for _, col := range p.columns {
			line := "{Name: " + strconv.Quote(col.name) + ", Type: " + strconv.Quote(col.typ)
			if col.format != "" {
				line += ", Format: " + strconv.Quote(col.format)
			}
			if col.description != "" {
				line += ", Description: " + strconv.Quote(col.description)
			}
			if col.priority != 0 {
				line += ", Priority: " + strconv.Itoa(int(col.priority))
			}
			f.P(line, "},")
		}
		f.P("}")
		f.P()
	}
	f.P("// begin", name, "Table gives a table the columns of ", name, " and no rows.")
	if p.writeTable {
		f.P("func begin", name, "Table(out *", metav1("Table"), ", s ", scopePointer(f), ") error {")
		f.P(metav1("BeginTable"), "(out, columns", name, ", s)")
	} else {
		f.P("func begin", name, "Table(out *", metav1("Table"), ", _ ", scopePointer(f), ") error {")
		f.P("out.Rows = []", metav1("TableRow"), "{}")
	}
	f.P("return nil")
	f.P("}")
	f.P()
}

// emitCell writes the statements that fill one cell, which is nil initially.
func (p *kindPlan) emitCell(w *walker, cell string, col *column) {
	set := func(expr string) { w.f.P(cell, " = ", expr) }
	switch {
	case col.helped():
		args := "(in)"
		if col.needsNow() {
			args = "(in, now, s)"
		}
		set(col.helper + args)
	case col.call == nil:
		w.walk("in", col.route.ops, nil, func(at string, conditions []string) {
			// The name is shown even if it is blank, because it distinguishes the rows.
			if col.name == "Name" {
				conditions = nil
			}
			col.cell(w, at, conditions, set)
		})
	case col.call.Signature().Results().Len() == 1 && !col.conditional():
		col.cell(w, w.f.S(col.call)+"(in)", nil, set)
	case col.call.Signature().Results().Len() == 1:
		v := w.name("v")
		w.f.P(v, " := ", col.call, "(in)")
		col.cell(w, v, nil, set)
	default:
		v := w.name("v")
		w.f.P("if ", v, ", ok := ", col.call, "(in); ok {")
		col.cell(w, v, nil, set)
		w.f.P("}")
	}
}

// conditional reports whether the cell refers to its value more than once, or needs a variable for
// it.
func (col *column) conditional() bool {
	switch col.kind {
	case leafAge, leafTimeText, leafMethodText:
		return true
	}
	return false
}

// helped reports whether the column has a helper function, which can return from nested loops at
// the first value.
func (col *column) helped() bool {
	return col.route != nil && slices.ContainsFunc(col.route.ops, func(o op) bool { return o.kind == opEach })
}

// joined reports whether the cell shows all values of the path rather than only the first.
func (col *column) joined() bool {
	return slices.ContainsFunc(col.route.ops, func(o op) bool { return o.kind == opEach && o.test == nil })
}

func (p *kindPlan) emitHelper(f *emit.File, col *column) {
	name := col.helper
	params := "in *" + f.S(p.kind.Named)
	if col.needsNow() {
		params += ", now " + f.Ident("time", "Time") + ", s " + scopePointer(f)
	}
	w := newWalker(f)
	if col.joined() {
		f.P("// ", name, " joins the values of ", col.source, ".")
		f.P("func ", name, "(", params, ") any {")
		f.P("values := make([]string, 0, 8) // few enough to stay on the stack")
		w.walk("in", col.route.ops, nil, func(at string, conditions []string) {
			col.cell(w, at, conditions, func(expr string) { f.P("values = append(values, ", expr, ")") })
		})
		f.P("return ", metav1("JoinCell"), "(values)")
	} else {
		f.P("// ", name, " returns the first value of ", col.source, ", or nil.")
		f.P("func ", name, "(", params, ") any {")
		w.walk("in", col.route.ops, nil, func(at string, conditions []string) {
			col.cell(w, at, conditions, func(expr string) { f.P("return ", expr) })
		})
		f.P("return nil")
	}
	f.P("}")
	f.P()
}
