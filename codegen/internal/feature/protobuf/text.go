package protobuf

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/model"
)

// Files implements [feature.WithFiles] with the file of messages.
func (p *planner) Files() map[string][]byte {
	if len(p.messages) == 0 && p.ledger == nil {
		return nil
	}
	return map[string][]byte{LedgerName: []byte(p.text())}
}

func (p *planner) text() string {
	var b strings.Builder
	b.WriteString(emit.Header + "\n\n" +
		"// This file records the field numbers of the messages. Keep it under version control: numbers never change, and code is generated\n" +
		"// from what it says.\n\n" +
		"syntax = \"proto2\";\n\n")
	path := p.c.Package.Path
	fmt.Fprintf(&b, "package %s;\n", model.ProtoName(path))
	if len(p.imports) > 0 {
		b.WriteByte('\n')
		for _, imp := range slices.Sorted(maps.Keys(p.imports)) {
			fmt.Fprintf(&b, "import %q;\n", imp+"/"+LedgerName)
		}
	}
	fmt.Fprintf(&b, "\noption go_package = %q;\n", path)
	used := map[string]bool{}
	for _, m := range p.messages {
		if m.recorded != nil {
			used[m.recorded.name] = true
		}
		used[m.t.Name] = true
		writeMessage(&b, path, m)
	}
	if p.ledger != nil {
		for _, m := range p.ledger.messages {
			if !used[m.name] {
				writeRemoved(&b, m)
			}
		}
	}
	return b.String()
}

func writeMessage(b *strings.Builder, home string, m *message) {
	b.WriteByte('\n')
	if m.t.Package.Path == home {
		writeDoc(b, "", m.t.Doc)
	} else {
		fmt.Fprintf(b, "// %s is that of %s.\n", m.t.Name, m.t.Package.Path)
	}
	fmt.Fprintf(b, "message %s {\n", m.t.Name)
	for i, f := range m.fields {
		if i > 0 && f.doc != "" {
			b.WriteByte('\n')
		}
		writeDoc(b, "  ", f.doc)
		b.WriteString("  ")
		if f.label != "" {
			b.WriteString(f.label + " ")
		}
		fmt.Fprintf(b, "%s %s = %d", f.typ, f.name, f.number)
		if jsonName(f.name) != f.identity {
			fmt.Fprintf(b, " [json_name = %s]", strconv.Quote(f.identity))
		}
		b.WriteString(";\n")
	}
	writeReserved(b, m.reserved, len(m.fields) > 0)
	b.WriteString("}\n")
}

// writeRemoved writes the numbers of a removed message, in case a type with its name returns.
func writeRemoved(b *strings.Builder, m *ledgerMessage) {
	reserved := slices.Clone(m.reserved)
	for _, f := range m.fields {
		reserved = append(reserved, reservation{number: f.number, name: f.name, typ: declaration(f.label, f.typ)})
	}
	fmt.Fprintf(b, "\n// Removed.\nmessage %s {\n", m.name)
	writeReserved(b, sortReserved(reserved), false)
	b.WriteString("}\n")
}

func writeReserved(b *strings.Builder, list []reservation, apart bool) {
	for _, r := range list {
		if apart {
			b.WriteByte('\n')
			apart = false
		}
		if r.number > 0 {
			fmt.Fprintf(b, "  reserved %d;", r.number)
			if r.typ != "" {
				b.WriteString(" " + was + r.typ)
			}
			b.WriteByte('\n')
		}
		if r.name != "" {
			fmt.Fprintf(b, "  reserved %s;\n", strconv.Quote(r.name))
		}
	}
}

func writeDoc(b *strings.Builder, indent, doc string) {
	for line := range strings.Lines(doc) {
		b.WriteString(strings.TrimRight(indent+"// "+strings.TrimRight(line, "\n"), " ") + "\n")
	}
}
