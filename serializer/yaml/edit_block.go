package yaml

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// extent returns the text of an entry of a block: from its start to the end of its last line. Blank
// lines and comments after it do not belong to it unless they are indented further.
func (e *editing) extent(of *entry) (from, to int) {
	from, to = of.start, of.in.end
	if next := of.index + 1; next < len(of.in.entries) {
		to = lineStart(e.text, of.in.entries[next].start)
	}
	column := e.column(from)
	for to > from {
		line := lineStart(e.text, to-1)
		body := bytes.TrimLeft(e.text[line:to], " \t")
		loose := len(bytes.TrimSpace(body)) == 0 || body[0] == '#' && to-line-len(body) <= column
		if line <= from || !loose || e.around(line) != nil {
			break
		}
		to = line
	}
	return from, to
}

// top returns the start of the lines of an entry with the comments directly above it, in the same
// column. It is the start of the entry if that does not begin a line.
func (e *editing) top(of *entry) int {
	if !e.beginsLine(of.start) {
		return of.start
	}
	line := lineStart(e.text, of.start)
	for column := of.start - line; line > 0; {
		above := lineStart(e.text, line-1)
		body := bytes.TrimLeft(e.text[above:line], " ")
		if body[0] != '#' || line-above-len(body) != column || e.around(above) != nil {
			break
		}
		line = above
	}
	return line
}

// lead returns where the lines of an entry begin that move with it: those of top, except for the
// comments above the first entry of the document, which may be about all of it.
func (e *editing) lead(of *entry) int {
	if of.index == 0 && of.in.of.in == nil {
		return lineStart(e.text, of.start)
	}
	return e.top(of)
}

// mark returns the position after the colon or hyphen of an entry of a block.
func (e *editing) mark(of *entry) (int, bool) {
	if of.element {
		return of.start + 1, true
	}
	at := e.content(of.key)
	end := lineEnd(e.text, at)
	if isQuoted(of.key) {
		at = quoteEnd(e.text, at)
	}
	for ; at < end; at++ {
		if e.text[at] == ':' && (at+1 == len(e.text) || strings.IndexByte(" \t\r\n", e.text[at+1]) >= 0) {
			return at + 1, true
		}
	}
	return 0, false
}

// writeBlock removes and adds entries of a block.
func (p *plan) writeBlock(g *group) {
	column := p.column(g.entries[0].start)
	open := -1 // where the next entry begins, on a line that has begun, unless comments are before it
	if at := g.entries[0].start; !p.beginsLine(at) {
		open = at
	}
	begun := func(at int) bool { return open >= 0 && len(bytes.TrimSpace(p.text[open:max(at, open)])) == 0 }
	to := 0
	for _, e := range g.entries {
		if len(e.before) > 0 {
			at, text := p.top(e), p.lines(e.before, column)
			if begun(at) {
				at, text = max(at, open), text[column:]+strings.Repeat(" ", column)
			}
			p.write(e.before[0], at, at, text)
			open = -1
		}
		var from int
		from, to = p.extent(e)
		if e.matched {
			from = p.lead(e)
		}
		switch {
		case !e.removed:
			open = -1
		case begun(from):
			if e.index+1 < len(g.entries) {
				to = len(p.text) - len(bytes.TrimLeft(p.text[to:], " \t\r\n"))
			}
			p.write(e, max(from, open), to, "")
			open = to
		case !p.beginsLine(e.start):
			p.block(e, e.start, "it cannot be removed from its line")
		default:
			p.write(e, lineStart(p.text, from), to, "")
		}
	}
	if len(g.after) > 0 {
		if text := p.lines(g.after, column); begun(to) {
			p.write(g.after[0], to, to, text[column:])
		} else {
			p.write(g.after[0], to, to, text).lines = true
		}
	}
}

// lines returns new entries as lines of a block with an indentation.
func (p *plan) lines(entries []*entry, indent int) string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		if e.value.from != nil {
			texts[i] = p.moved(e)
		} else {
			texts[i] = head(e) + p.tail(e)
		}
	}
	return indented(strings.Join(texts, ""), 0, indent)
}

// receives reports whether lines move into a value.
func (v *value) receives() bool {
	if v.from != nil || slices.ContainsFunc(v.elements, (*value).receives) {
		return true
	}
	for _, member := range v.members {
		if member.receives() {
			return true
		}
	}
	return false
}

// head returns the start of a new entry, to the colon or hyphen.
func head(e *entry) string {
	switch {
	case e.element:
		return "-"
	case hasOtherBreaks([]byte(e.name)):
		return jsonText(e.name) + ":"
	}
	return strings.TrimSuffix(inBlock(map[string]any{e.name: 0}), " 0\n")
}

// tail returns the lines of a new entry without its head.
func (p *plan) tail(e *entry) string {
	switch {
	case !e.value.receives():
		return after(e)
	case e.element:
		return p.lines(e.parts(), 2)[len("-"):]
	case e.value.members != nil:
		return "\n" + p.lines(e.parts(), 2)
	}
	return "\n" + p.lines(e.parts(), 0)
}

// after is tail for a value that no lines move into.
func after(e *entry) string {
	text := ""
	if e.element {
		text = inBlock([]any{e.value.data})[len("-"):]
	} else {
		text = inBlock(map[string]any{"k": e.value.data})[len("k:"):]
	}
	if hasOtherBreaks([]byte(text)) {
		return " " + jsonText(e.value.data) + "\n"
	}
	return text
}

// moved returns the lines of an entry of the text, with its comments, for a new one.
func (p *plan) moved(to *entry) string {
	from := to.value.from
	p.keep(from, true)
	start, end := p.extent(from)
	mark, _ := p.mark(from)
	column := p.column(start)
	above, text := "", head(to)
	if p.beginsLine(start) {
		above = indented(string(p.text[p.lead(from):lineStart(p.text, start)]), column, 0)
	}
	if from.element == to.element && from.name == to.name {
		text = string(p.text[start:mark])
	}
	rest := min(lineEnd(p.text, mark), end)
	text = above + text + string(p.text[mark:rest]) + indented(string(p.text[rest:end]), column, 0)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// replace writes another value of an entry or of the whole document.
func (p *plan) replace(e *entry) {
	n, start := e.node, p.offset(e.node)
	switch {
	case n.Anchor != "":
		p.block(e, start, "it has an anchor, so aliases may refer to it")
		return
	case e.in == nil && n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle == 0:
		g := &group{end: p.end()}
		from, to := p.extent(&entry{in: g, start: start})
		text := written(e.want.data)
		if e.want.receives() {
			text = p.lines((&entry{in: g, value: e.want}).parts(), 0)
		}
		p.write(e, from, to, text)
		return
	case e.in == nil || e.in.flow:
		if to, ok := p.flowEnd(n); ok {
			p.write(e, start, to, p.inFlow(e.want.data))
		} else {
			p.block(e, start, "the end of the value cannot be determined; write it as a block, or in quotes")
		}
		return
	}
	from, to := p.extent(e)
	mark, ok := p.mark(e)
	if !ok {
		p.block(e, from, "the colon after the key is not found")
		return
	}
	comment := p.comment(mark, min(lineEnd(p.text, mark), to))
	if _, moves := p.kept[comment]; moves {
		comment = -1
	}
	text := p.tail(&entry{in: e.in, element: e.element, value: e.want})
	if comment >= 0 && e.element && e.want.receives() { // the first line may have a comment that moves there
		text = "\n " + text
	}
	first, rest, _ := strings.Cut(text, "\n")
	if s, ok := e.want.data.(string); ok && rest != "" && !strings.ContainsAny(first[:min(2, len(first))], "|>") {
		first, rest = " "+p.inFlow(s), "" // the text cannot contain a comment
	}
	rest = indented(rest, 0, p.column(from))
	if comment < 0 {
		p.write(e, mark, to, first+"\n"+rest)
		return
	}
	space := mark + len(bytes.TrimRight(p.text[mark:comment], " \t"))
	p.write(e, mark, space, first)
	p.write(e, lineEnd(p.text, comment), to, rest).lines = true
}

// beginsLine reports whether only blanks are before an offset on its line.
//
//go:noinline
func (e *editing) beginsLine(at int) bool {
	for at > 0 && (e.text[at-1] == ' ' || e.text[at-1] == '\t') {
		at--
	}
	return at == 0 || e.text[at-1] == '\n'
}

// indented returns lines with another indentation. Empty lines have none.
func indented(text string, from, to int) string {
	var b strings.Builder
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		if line != "" {
			b.WriteString(strings.Repeat(" ", to))
		}
		b.WriteString(text[min(from, len(line)-len(strings.TrimLeft(line, " "))) : len(text)-len(rest)])
		text = rest
	}
	return b.String()
}

// written returns a value as lines of YAML: in the form of FromJSON, unless that has line breaks
// with which the text could not be edited again.
func written(data any) string {
	text := inBlock(data)
	if hasOtherBreaks([]byte(text)) {
		return jsonText(data) + "\n"
	}
	return text
}

// inBlock returns a value in the form of FromJSON.
func inBlock(data any) string {
	text, _ := FromJSON(nil, []byte(jsonText(data))) // cannot fail: the value was decoded from JSON
	return string(text)
}
