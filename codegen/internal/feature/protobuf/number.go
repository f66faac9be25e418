package protobuf

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

const (
	maxNumber = 1<<29 - 1
	// Protobuf reserves these numbers.
	firstForbidden, lastForbidden = 19000, 19999
)

// numberOf returns the number in the protobuf tag of a field, or 0.
func numberOf(f *model.Field) (int, error) {
	tag, ok := reflect.StructTag(f.Tag).Lookup("protobuf")
	if !ok {
		return 0, nil
	}
	for i, part := range strings.Split(tag, ",") {
		if i == 0 || part == "" || part[0] != '-' && (part[0] < '0' || part[0] > '9') {
			continue
		}
		n, err := strconv.Atoi(part)
		switch {
		case err != nil || n < 1 || n > maxNumber:
			return 0, fmt.Errorf("%s is not a field number between 1 and %d", part, maxNumber)
		case n >= firstForbidden && n <= lastForbidden:
			return 0, fmt.Errorf("field number %d is reserved by protobuf, as are all from %d to %d", n,
				firstForbidden, lastForbidden)
		}
		return n, nil
	}
	return 0, nil
}

// tag reads the protobuf tag of a field: wire type, number, label, name. It uses only number and
// name, since the rest follows from the Go type; but a wire type with a different encoding is an
// error.
func (p *planner) tag(f *model.Field) (number int, name string, ok bool) {
	number, err := numberOf(f)
	if err != nil {
		p.errorf("protobuf-number", "%v", err)
		return 0, "", false
	}
	tag := reflect.StructTag(f.Tag).Get("protobuf")
	for i, part := range strings.Split(tag, ",") {
		switch {
		case i == 0 && (part == "zigzag32" || part == "zigzag64" || part == "group" ||
			strings.HasPrefix(part, "fixed") && !isFloat(f.Type)):
			p.errorf("protobuf-tag", "the tag says %s, which is not supported; integers are plain varints", part)
			return 0, "", false
		case strings.HasPrefix(part, "name="):
			name = strings.TrimPrefix(part, "name=")
			if name == "" || name != fieldName(name) {
				p.errorf("protobuf-tag", "%q is not a valid protobuf field name", name).Suggest("name=%s",
					fieldName(f.JSONName()))
				return 0, "", false
			}
		}
	}
	return number, name, true
}

// isFloat reports whether the values of a type or its elements are floats, whose wire type is
// fixed.
func isFloat(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		t = model.Elem(u)
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// number assigns every field its number, from its tag, from the ledger, or the next free one, and
// reports everything that would change the meaning of a number.
func (p *planner) number() {
	// A renamed message keeps its entry in the ledger. Fields of its type are recorded with the old
	// name.
	renamed := map[string]string{}
	for _, m := range p.messages {
		p.findEntry(m)
		if m.recorded != nil && m.recorded.name != m.t.Name {
			renamed[m.recorded.name] = m.t.Name
		}
	}
	p.renamedElsewhere()
	for _, m := range p.messages {
		p.numberFields(m, renamed)
	}
}

// renamedElsewhere finds the former names of messages in the packages that are imported.
func (p *planner) renamedElsewhere() {
	p.elsewhere = map[string]string{}
	for path := range p.imports {
		pkg := p.c.Universe.Package(path)
		if pkg == nil {
			continue
		}
		prefix := "." + model.ProtoName(path) + "."
		for _, t := range pkg.ProtoTypes() {
			for _, marker := range t.Markers.All("askind:protobuf") {
				if old, ok := marker.Arg("renamed"); ok && pkg.Find(old) == nil {
					p.elsewhere[prefix+old] = prefix + t.Name
				}
			}
		}
	}
}

// findEntry finds the entry of a message in the ledger.
func (p *planner) findEntry(m *message) {
	m.recorded = p.ledger.message(m.t.Name)
	for _, marker := range m.t.Markers.All("askind:protobuf") {
		a := marker.ArgAt("renamed")
		if a == nil || p.ledger == nil || m.recorded != nil {
			continue
		}
		m.recorded = p.ledger.message(a.Value)
		switch {
		case m.recorded == nil:
			p.c.Errorf(a.ValuePos, "protobuf-renamed", "%s has no message %s", LedgerName, a.Value)
		case slices.ContainsFunc(p.messages, func(o *message) bool { return o.t.Name == a.Value }):
			p.c.Errorf(a.ValuePos, "protobuf-renamed", "type %s still exists", a.Value)
			m.recorded = nil
		}
	}
}

// numbering gives the fields of one message their numbers.
type numbering struct {
	*planner
	m       *message
	renamed map[string]string
	names   map[string]*field
	// reserved has the numbers that no field may take, highest the largest number in use.
	reserved map[int]reservation
	byNumber map[int]*field
	highest  int
}

func (p *planner) numberFields(m *message, renamed map[string]string) {
	n := &numbering{
		planner: p, m: m, renamed: renamed, names: map[string]*field{}, reserved: map[int]reservation{},
		byNumber: map[int]*field{},
	}
	identities := map[string]*field{}
	for _, f := range m.fields {
		n.at(f)
		name, other := f.name, n.names[f.name]
		if other == nil {
			// A field that is not in JSON is recorded by another name, which may be one in JSON.
			name, other = f.identity, identities[f.identity]
		}
		if other != nil {
			p.errorf("protobuf-name", "the name %s is also used by another field",
				name).Relate(p.c.Universe.Position(other.pos), "%s", cmp.Or(other.selector, other.name))
			return
		}
		n.names[f.name], identities[f.identity] = f, f
	}
	n.keep()
	// All numbers in use are known before any is suggested.
	for number := range n.reserved {
		n.highest = max(n.highest, number)
	}
	for _, f := range m.fields {
		n.highest = max(n.highest, f.number)
		if f.number > 0 && n.byNumber[f.number] == nil {
			n.byNumber[f.number] = f
		}
	}
	for _, f := range m.fields {
		if f.number > 0 {
			n.at(f)
			n.check(f)
		}
	}
	// New fields take new numbers in order of declaration.
	for _, f := range m.fields {
		if f.number == 0 {
			f.number = n.free()
			n.byNumber[f.number] = f
			n.highest = max(n.highest, f.number)
		}
	}
	slices.SortFunc(m.fields, func(a, b *field) int { return a.number - b.number })
	m.reserved = n.reservations()
}

// at makes a field the place of errors.
func (n *numbering) at(f *field) {
	n.pos, n.path = f.pos, strings.TrimSuffix(n.m.t.Name+"."+f.selector, ".")
}

// keep gives fields in the ledger the numbers that they have there, and reserves the others.
func (n *numbering) keep() {
	kept := map[string]bool{} // the identities in the ledger that still exist
	rec := cmp.Or(n.m.recorded, &ledgerMessage{})
	for _, r := range rec.reserved {
		if r.number > 0 {
			r.typ = n.nowadays(r.typ, n.renamed)
			n.reserved[r.number] = r
		}
	}
	for _, f := range n.m.fields {
		n.at(f)
		old := n.entry(n.m, f, n.names)
		if old == nil {
			n.revive(n.m, f)
			continue
		}
		kept[old.identity] = true
		delete(n.reserved, old.number)
		switch {
		case f.tagged && f.number != old.number:
			n.related(old, n.errorf("protobuf-moved",
				"the tag says number %d, but data was written with number %d; numbers never change", f.number,
				old.number)).
				Suggest("%s", f.tagWith(old.number))
		case !readsAll(declaration(old.label, n.nowadays(old.typ, n.renamed)), declaration(f.label, f.typ)) &&
			!readsAll(declaration(old.label, old.typ), declaration(f.label, f.typ)): // its package has not moved
			n.related(old, n.errorf("protobuf-changed",
				"number %d was of type %s and is now %s, so earlier data would be misread", old.number,
				shown(old.label, old.typ, f.label), shown(f.label, f.typ, old.label))).
				Suggest("%s", n.unchange(old, f))
		}
		f.number = old.number
	}
	// The remaining fields of the ledger have been removed: their numbers stay reserved.
	for _, old := range rec.fields {
		if !kept[old.identity] {
			n.reserved[old.number] = reservation{
				number: old.number, name: old.name, typ: declaration(old.label, n.nowadays(old.typ, n.renamed)),
			}
		}
	}
}

// check reports a field whose number another one has or had.
func (n *numbering) check(f *field) {
	if other := n.byNumber[f.number]; other != f {
		name := cmp.Or(other.selector, other.name)
		n.errorf("protobuf-clash", "number %d is also used by %s", f.number,
			name).Relate(n.c.Universe.Position(other.pos), "%s", name)
		return
	}
	r, ok := n.reserved[f.number]
	switch {
	case !ok:
	case r.name == f.name && r.typ != "" && !readsAll(r.typ, declaration(f.label, f.typ)):
		n.errorf("protobuf-changed", "number %d was of type %s and is now %s, so earlier data would be misread",
			f.number, r.typ, declaration(f.label, f.typ)).
			Suggest("%s", f.tagWith(n.free()))
	case r.name == f.name:
		delete(n.reserved, f.number)
	case r.name == "":
		n.errorf("protobuf-reserved", "number %d is reserved", f.number).Suggest("%s", f.tagWith(n.free()))
	default:
		n.errorf("protobuf-reserved",
			"number %d was used by %s; use another, or declare that the field is the same one", f.number, r.name).
			Suggest("+askind:protobuf:renamed=%s", r.name)
	}
}

// reservations returns the reserved numbers and names of the message.
func (n *numbering) reservations() []reservation {
	out := slices.Collect(maps.Values(n.reserved))
	if rec := n.m.recorded; rec != nil {
		for _, r := range rec.reserved {
			if r.number == 0 && n.names[r.name] == nil {
				out = append(out, r)
			}
		}
	}
	// A name may return with another number. Then only the old number stays reserved.
	for i, r := range out {
		if n.names[r.name] != nil {
			out[i].name = ""
		}
	}
	return sortReserved(out)
}

// entry finds the entry of a field in the ledger, under its name or its former name.
func (p *planner) entry(m *message, f *field, names map[string]*field) *ledgerField {
	rec := m.recorded
	old := rec.field(f.identity)
	if f.renamed == "" || rec == nil {
		return old
	}
	if old != nil {
		if r := rec.reservedName(f.renamed); r != nil && r.number > 0 {
			p.errorf("protobuf-renamed",
				"number %d of %s is reserved already, and the field has number %d: the marker was added one run too late; "+
					"restore %s from version control and run again",
				r.number, f.renamed, old.number, LedgerName)
		}
		return old
	}
	if names[f.renamed] != nil {
		p.errorf("protobuf-renamed", "the field %s still exists", f.renamed)
		return nil
	}
	if old = rec.field(f.renamed); old != nil {
		return old
	}
	if r := rec.reservedName(f.renamed); r != nil && r.number > 0 {
		// A ledger of an earlier release does not record the type.
		label, typ := f.label, f.typ
		if r.typ != "" {
			label, typ = cutLabel(r.typ)
		}
		return &ledgerField{identity: f.renamed, name: r.name, number: r.number, label: label, typ: typ}
	}
	d := p.errorf("protobuf-renamed", "message %s has no field %s", rec.name, f.renamed)
	var candidates []string
	for _, c := range rec.fields {
		candidates = append(candidates, c.identity)
	}
	if near, ok := schema.Nearest(f.renamed, candidates); ok {
		d.Suggest("+askind:protobuf:renamed=%s", near)
	}
	return nil
}

// revive checks a field that is not in the ledger: its name must not be that of a removed field,
// unless its tag states a number.
func (p *planner) revive(m *message, f *field) {
	r := m.recorded.reservedName(f.name)
	if r == nil || f.tagged {
		return
	}
	d := p.errorf("protobuf-reserved",
		"a field with this name was removed earlier; add a tag to reuse its number, or give it another number")
	if r.number > 0 && (r.typ == "" || readsAll(r.typ, declaration(f.label, f.typ))) {
		d.Suggest("%s", f.tagWith(r.number))
	}
}

// tagWith returns the tag that gives a field a number.
func (f *field) tagWith(number int) string {
	return fmt.Sprintf(`protobuf:"%s,%d,%s,name=%s"`, tagType(f.typ), number, tagLabel(f.label), f.name)
}

// tagType returns the wire type in the tag of a field, tagLabel its label.
func tagType(typ string) string {
	switch typ {
	case "int32", "int64", "uint32", "uint64", "bool":
		return "varint"
	case "float":
		return "fixed32"
	case "double":
		return "fixed64"
	}
	return "bytes"
}

func tagLabel(label string) string {
	if label == "repeated" {
		return "rep"
	}
	return "opt"
}

// nowadays returns a type of the ledger with the current names of its package and messages.
func (p *planner) nowadays(typ string, renamed map[string]string) string {
	label, typ := cutLabel(typ)
	typ = moved(rename(typ, renamed), p.ledger.pkg, model.ProtoName(p.c.Package.Path))
	return declaration(label, rename(typ, p.elsewhere))
}

// shown returns a declared type for messages: with its label if only one of it and other is
// repeated.
func shown(label, typ, other string) string {
	if (label == "repeated") != (other == "repeated") {
		return declaration(label, typ)
	}
	return typ
}

func (p *planner) related(old *ledgerField, d *diag.Diagnostic) *diag.Diagnostic {
	if old.pos.IsValid() {
		d.Relate(token.Position{Filename: old.pos.Filename, Line: old.pos.Line, Column: old.pos.Column},
			"recorded here")
	}
	return d
}

// unchange describes how to resolve a changed type.
func (p *planner) unchange(old *ledgerField, f *field) string {
	typ := p.nowadays(old.typ, nil)
	i, j := strings.LastIndex(typ, ".")+1, strings.LastIndex(f.typ, ".")+1
	if typ[:i] == f.typ[:j] && strings.ToUpper(typ[i:i+1]) == typ[i:i+1] &&
		!strings.HasPrefix(f.typ, "map<") && f.node != nil {
		return "if the type was renamed: put +askind:protobuf:renamed=" + typ[i:] + " above type " +
			strings.TrimPrefix(f.typ, ".")
	}
	return "give the field another name in JSON, so that it takes a new number"
}

// free returns the next number above all that are in use, or the lowest free one if the largest
// possible number is in use.
func (n *numbering) free() int {
	next := n.highest + 1
	if next > maxNumber {
		next = 1
	}
	for n.byNumber[next] != nil || n.reserved[next].number > 0 || next >= firstForbidden && next <= lastForbidden {
		next++
	}
	return next
}

// rename replaces the names of messages in a recorded type.
func rename(typ string, renamed map[string]string) string {
	if key, value, ok := cutMap(typ); ok {
		return "map<" + key + ", " + rename(value, renamed) + ">"
	}
	if to, ok := renamed[typ]; ok {
		return to
	}
	return typ
}
