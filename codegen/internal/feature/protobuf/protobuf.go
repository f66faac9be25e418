// Package protobuf generates encoding to and decoding from protobuf, and the file generated.proto
// that describes the messages and records the numbers of their fields.
//
// For every type T of [model.Package.ProtoTypes] it writes PrependProto<T> and DecodeProto<T>. The
// encoding is the Kubernetes wire format: values that are not pointers are always written, pointers
// if they are not nil, lists and maps if they are not empty, bytes if they are not nil, maps in
// order of their keys. A struct is a message, and so is every embedded struct; embedded type meta
// is omitted, because the envelope of an object contains it.
//
// # Field numbers
//
// The number of a field comes from its protobuf tag, or else from generated.proto. A field in
// neither gets the next free number. So generated.proto is both input and output: the ledger of all
// numbers that were ever assigned. It identifies fields by their names in JSON. The numbers of
// removed fields stay reserved, and a marker declares a field as renamed. Everything that would
// change the meaning of a number is an error.
package protobuf

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/model"
)

// LedgerName is the name of the file with the messages of a package. Kubernetes uses the same name,
// so its messages can be imported.
const LedgerName = "generated.proto"

// Plan plans the functions for protobuf of a package, and its messages.
func Plan(c *feature.Context) feature.Plan {
	p := &planner{c: c, imports: map[string]bool{}}
	c.Shared[sharedKey(c.Package.Path)] = p
	p.checkMarkers()
	list := c.Package.ProtoTypes()
	if len(list) > 0 {
		p.readLedger()
	}
	for _, t := range list {
		p.plan(t)
	}
	p.number()
	for _, k := range c.Package.Kinds {
		write, read := c.Universe.Func(model.PrependProto, k.Named), c.Universe.Func(model.DecodeProto, k.Named)
		if write.Exists() && read.Exists() {
			c.Registrations.KindField(k, "PrependProto", func(f *emit.File) string { return f.S(write.Ident) })
			c.Registrations.KindField(k, "DecodeProto", func(f *emit.File) string { return f.S(read.Ident) })
			p.encoded(k)
		}
	}
	return p
}

// encoded registers the parts of a kind's objects that can be read alone from protobuf. It makes no
// claims about hand-written functions.
func (p *planner) encoded(k *model.Kind) {
	c := p.c
	if c.Universe.Func(model.DecodeProto, k.Named).State != model.Generated {
		return
	}
	set := func(field string, x func(f *emit.File) string) {
		c.Registrations.KindField(k, feature.Encoded+field, x)
	}
	number := func(of *model.Field) func(*emit.File) string {
		return func(*emit.File) string { return strconv.Itoa(p.numberOf(k, of)) }
	}
	if fn, ok := c.Universe.MetadataFunc(model.DecodeProto, k); ok && p.numberOf(k, k.Metadata) > 0 {
		set("DecodeProtoMetadata", func(f *emit.File) string {
			return f.Sf("func(r *%s, out *%s) { %s(r, &out.%s) }", wire("Reader"), k.Named, fn.Ident, k.Metadata.Name)
		})
		set("ProtoMetadata", number(k.Metadata))
	}
	if k.IsList && k.ItemKind != nil && !k.ItemPointer && p.numberOf(k, k.Items) > 0 {
		set("ProtoItems", number(k.Items))
	}
}

// numberOf returns the number of a field in the message of a kind, or 0.
func (p *planner) numberOf(k *model.Kind, of *model.Field) int {
	for _, m := range p.messages {
		if m.t.Named.Obj() != k.Named.Obj() || m.hand {
			continue
		}
		for _, f := range m.fields {
			if f.selector == of.Name && f.node != nil {
				return f.number
			}
		}
	}
	return 0
}

type planner struct {
	c        *feature.Context
	messages []*message
	ledger   *ledger
	// imports are the Go packages whose messages are used, elsewhere the names of their messages by
	// their former names.
	imports   map[string]bool
	elsewhere map[string]string

	// The type and field being planned, for diagnostics.
	owner *model.Type
	pos   token.Pos
	path  string
}

// message is the plan for one type.
type message struct {
	t *model.Type
	// hand reports that the functions are hand-written, so that only the description is generated;
	// methods, that they only call the type's own methods.
	hand    bool
	methods bool
	fields  []*field
	// whole is set for named slices and maps: their only field is the value itself.
	whole bool
	// recorded is the entry of the ledger.
	recorded *ledgerMessage
	reserved []reservation
}

// field is one field of a message.
type field struct {
	// selector is the Go name, blank for the value as a whole.
	selector string
	// identity is the name in JSON, name the one in the .proto file.
	identity, name string
	number         int
	tagged         bool
	node           *node
	// label and typ are the declaration in the .proto file.
	label, typ string
	doc        string
	pos        token.Pos
	renamed    string
	// item reports that the elements are the items of a list kind.
	item bool
}

func (p *planner) errorf(code, format string, args ...any) *diag.Diagnostic {
	return p.c.Errorf(p.pos, code, "%s: %s", p.path, fmt.Sprintf(format, args...))
}

func (p *planner) typeName(t types.Type) string { return p.c.TypeName(t) }

// checkMarkers checks what the table of markers cannot express: which arguments are allowed where.
func (p *planner) checkMarkers() {
	pkg := p.c.Package
	for _, m := range pkg.Markers.All("askind:protobuf") {
		for _, a := range m.Args {
			p.c.Errorf(a.Pos, "marker-argument", "marker +askind:protobuf on a package takes no argument %q", a.Name)
		}
	}
	for _, t := range pkg.Served() {
		for _, m := range t.Markers.All("askind:protobuf") {
			if a := m.ArgAt("message"); a != nil && t.Struct != nil {
				p.c.Errorf(a.Pos, "marker-argument", "struct %s is a message anyway", t.Name)
			}
		}
		for _, f := range t.Fields {
			for _, m := range f.Markers.All("askind:protobuf") {
				if m.Value == "true" {
					p.c.Errorf(m.ValuePos, "marker-value",
						"marker +askind:protobuf on a field takes only the value false, which omits the field")
				}
				for _, a := range m.Args {
					if a.Name == "message" || a.Name == "fields" {
						p.c.Errorf(a.Pos, "marker-argument", "marker +askind:protobuf on a field takes no argument %q",
							a.Name)
					}
				}
			}
		}
	}
}

// readLedger reads the record of numbers. A lost record cannot be regenerated, because its numbers
// could differ.
func (p *planner) readLedger() {
	pkg := p.c.Package
	name := filepath.Join(pkg.Dir, LedgerName)
	at := token.Position{Filename: p.c.Universe.Shorten(name)}
	src, err := os.ReadFile(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		code, err := os.ReadFile(filepath.Join(pkg.Dir, "zz_generated.protobuf.go"))
		if err == nil && load.HasHeader(code, emit.Header) {
			p.c.Errorf(pkg.Pos, "protobuf-ledger",
				"%s is missing, but zz_generated.protobuf.go was generated with its numbers; restore it from version "+
					"control, or remove zz_generated.protobuf.go as well if no data was ever written", LedgerName)
		}
	case err != nil:
		p.c.Diagnostics.Errorf(at, "protobuf-ledger", "%v", err)
	case !load.HasHeader(src, emit.Header):
		at.Line, at.Column = 1, 1
		p.c.Diagnostics.Errorf(at, "protobuf-ledger",
			"this file was not written by askind; make sure that every field has its number in a protobuf tag, then "+
				"remove the file")
	default:
		l, problem := parseLedger(at.Filename, string(src))
		if problem != nil {
			p.c.Diagnostics.Errorf(problem.pos, "protobuf-ledger", "%s; restore the file from version control",
				problem.message)
			return
		}
		p.ledger = l
	}
}

// plan plans the message of a type.
func (p *planner) plan(t *model.Type) {
	p.owner, p.pos, p.path = t, t.Pos, t.Name
	if p.c.Mistyped("protobuf", model.PrependProto, t) || p.c.Mistyped("protobuf", model.DecodeProto, t) {
		return
	}
	write, read := p.c.Universe.Func(model.PrependProto, t.Named), p.c.Universe.Func(model.DecodeProto, t.Named)
	if write.State != read.State {
		have, want := write, model.DecodeProto
		if read.State == model.Declared {
			have, want = read, model.PrependProto
		}
		p.c.Errorf(have.Object.Pos(), "protobuf-half", "%s is hand-written, but %s is not", have.Name,
			want.Name(t.Name)).
			Suggest("%s", want.Declaration(want.Name(t.Name), t.Name))
		return
	}
	if t.Name != fieldName(t.Name) || scalarNamed(t.Name) != nil {
		p.errorf("protobuf-name", "a message cannot have the name %s in a .proto file; rename the type", t.Name).
			Suggest("+askind:protobuf=false")
		return
	}
	m := &message{t: t}
	p.messages = append(p.messages, m)
	if m.hand = write.State == model.Declared; m.hand {
		p.c.Log("protobuf: hand-written " + write.Path + "." + write.Name)
		p.describe(m)
		return
	}
	if m.methods = p.callsMethods(t); m.methods {
		p.c.Log("protobuf: the methods of " + t.Package.Path + "." + t.Name)
		p.describe(m)
		return
	}
	if custom := customMethod(t.Named); custom != "" && !tagged(t) {
		p.errorf("protobuf-custom",
			"the method %s determines the JSON form of the type, which does not apply to protobuf; write its functions by hand",
			custom).
			Suggest("func %s(w *pbwire.Writer, in *%s)\nfunc %s(r *pbwire.Reader, out *%s)",
				model.PrependProto.Name(t.Name), p.typeName(t.Named), model.DecodeProto.Name(t.Name),
				p.typeName(t.Named))
		return
	}
	p.structure(m, false)
}

// callsMethods reports whether the functions of a type call its protobuf methods. If the fields
// define the message completely, functions are generated from them instead, because those are
// faster.
func (p *planner) callsMethods(t *model.Type) bool {
	if !model.MarshalsProto(t.Named) {
		return false
	}
	if m := t.Markers.Get("protobuf.options.marshal"); m != nil && m.Value == "false" {
		return true
	}
	hides := func(f *model.Field) bool { return !f.Exported() && f.Name != "_" && !f.Embedded }
	return customMethod(t.Named) != "" && !tagged(t) || t.Struct == nil && !t.ProtoMessage() ||
		slices.ContainsFunc(t.Fields, hides) && !tagged(t)
}

// tagged reports whether a struct has fields, and each field of its message has its number in a
// tag, so that its protobuf form is defined independently of its JSON form.
func tagged(t *model.Type) bool {
	found := false
	for _, f := range t.Fields {
		if f.InProto() {
			if n, _ := numberOf(f); n == 0 {
				return false
			}
			found = true
		}
	}
	return found
}

// customMethod returns the name of a method that encodes a type as JSON, or "".
func customMethod(n *types.Named) string {
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		if model.Method(n, name) != nil {
			return name
		}
	}
	return ""
}

// describe determines the fields of the message of a type with hand-written functions or methods.
func (p *planner) describe(m *message) {
	for _, marker := range m.t.Markers.All("askind:protobuf") {
		a := marker.ArgAt("fields")
		if a == nil {
			continue
		}
		fields, problem := parseFields(a.Value)
		if problem != nil {
			p.c.Errorf(a.ValuePos+token.Pos(problem.pos.Column), "marker-value", "%s", problem.message)
			return
		}
		for _, f := range fields {
			m.fields = append(m.fields, &field{
				identity: f.identity, name: f.name, number: f.number, tagged: true, label: f.label, typ: f.typ,
				pos: a.ValuePos,
			})
		}
		return
	}
	if as := m.t.Markers.Get("protobuf.as"); as != nil {
		other := m.t.Package.Find(as.Value)
		if other == nil || other.Struct == nil {
			p.c.Errorf(as.ValuePos, "marker-value", "undefined struct %s in package %s", as.Value, m.t.Package.Path)
			return
		}
		borrowed := &message{t: other}
		p.structure(borrowed, true)
		m.fields = borrowed.fields
		return
	}
	if embed := m.t.Markers.Get("protobuf.embed"); embed != nil {
		fields, problem := parseFields("optional " + embed.Value + " " + embed.Value + " = 1")
		if problem != nil || scalarNamed(embed.Value) == nil {
			p.c.Errorf(embed.ValuePos, "marker-value", "%q is not a valid protobuf field type", embed.Value)
			return
		}
		m.fields = []*field{{
			identity: fields[0].identity, name: fields[0].name, number: 1, tagged: true,
			label: fields[0].label, typ: fields[0].typ, pos: m.t.Pos,
		}}
		return
	}
	if m.t.Struct == nil || slices.ContainsFunc(m.t.Fields, func(f *model.Field) bool {
		n, _ := numberOf(f)
		return n > 0
	}) {
		p.structure(m, true)
		return
	}
	by := "its functions are hand-written"
	if m.methods {
		by = "it is written by its own methods"
	}
	d := p.errorf("protobuf-fields", "%s, so the fields of its message must be declared", by)
	const marker = `+askind:protobuf:fields="optional string value = 1"`
	if p.c.Package.IsForeign(m.t) {
		d.Suggest("// %s\ntype _ = %s", marker, p.typeName(m.t.Named))
		return
	}
	d.Suggest("%s", marker)
}

// structure plans the fields of a struct, or the only field of a named slice or map.
func (p *planner) structure(m *message, taggedOnly bool) {
	t := m.t
	if t.Struct == nil {
		m.whole = true
		f := &field{identity: "items", name: "items", number: 1, tagged: true, node: p.under(t.Named), pos: t.Pos}
		if f.node.op != list && f.node.op != mapping {
			if f.node.op != unusable {
				p.errorf("protobuf-type", "only a slice or a map can be made a message")
			}
			return
		}
		f.label, f.typ = p.declaration(f.node)
		m.fields = []*field{f}
		return
	}
	kind := p.c.Package.Kind(t.Name)
	if kind != nil && kind.Named.Obj() != t.Named.Obj() {
		kind = nil
	}
	for _, mf := range t.Fields {
		if !mf.InProto() {
			continue
		}
		p.pos, p.path = mf.Pos, t.Name+"."+mf.Name
		number, tagName, ok := p.tag(mf)
		if !ok || taggedOnly && number == 0 {
			continue
		}
		f := &field{selector: mf.Name, number: number, tagged: number > 0, doc: mf.Doc, pos: mf.Pos}
		f.identity = mf.JSONName()
		if mf.JSON.Skip || taggedOnly && mf.JSON.Name == "" {
			f.identity = cmp.Or(tagName, mf.Name)
		}
		if mf.Embedded && mf.JSON.Name == "" && isStruct(mf.Type) {
			f.identity = cmp.Or(tagName, emit.LowerFirst(mf.Name))
			tagName = f.identity
		}
		f.name = fieldName(cmp.Or(tagName, f.identity))
		for _, marker := range mf.Markers.All("askind:protobuf") {
			if old, ok := marker.Arg("renamed"); ok {
				f.renamed = old
			}
		}
		f.node = p.node(mf.Type)
		if f.node.op == unusable {
			continue
		}
		if p.c.Package.IsForeign(t) {
			f.doc = "" // the comment is not about this field
		}
		f.item = kind != nil && kind.IsList && mf.Var == kind.Items.Var
		f.label, f.typ = p.declaration(f.node)
		m.fields = append(m.fields, f)
	}
}

// isStruct reports whether a type is a struct or a pointer to one.
func isStruct(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// fieldName converts a name in JSON to a valid name in a .proto file.
func fieldName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && isWord(byte(r)) && r != '.' {
			return r
		}
		return '_'
	}, s)
	if s[0] >= '0' && s[0] <= '9' {
		return "_" + s
	}
	return s
}
