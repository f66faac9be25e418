package yaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// writeFlow removes and adds entries of a mapping in braces or of a list in brackets, with the
// commas between them.
func (p *plan) writeFlow(g *group) {
	n := len(g.entries)
	last := n - 1 // the last entry that stays, or -1
	for last >= 0 && g.entries[last].removed {
		last--
	}
	ends := make([]int, n)
	for i, e := range g.entries {
		var ok bool
		if ends[i], ok = p.flowEnd(e.node); !ok && (e.removed || i == last) {
			p.block(e, e.start, "the end of the value cannot be determined; put it in quotes")
			return
		}
	}
	separator := p.separator(g)
	atOnce := last >= 0 && p.comment(ends[last], ends[n-1]) < 0 // remove all entries after the last one
	for i, e := range g.entries {
		if len(e.before) > 0 {
			p.write(e.before[0], e.start, e.start, p.inBrackets(e.before, separator)+separator)
		}
		to := ends[i]
		switch {
		case !e.removed:
		case i == n-1 && len(g.after) > 0: // in its place
			p.write(e, e.start, to, p.inBrackets(g.after, separator))
		case i < last || len(g.after) > 0:
			p.cut(e, p.afterComma(to))
		case atOnce: // with the comma before them
			if i == n-1 {
				p.write(e, ends[last], to, "")
			}
		default:
			if i == last+1 && p.afterComma(ends[n-1]) == ends[n-1] {
				comma := p.space(ends[last])
				p.write(e, comma, comma+1, "")
			}
			p.cut(e, p.afterComma(to))
		}
	}
	if len(g.after) > 0 && last == n-1 {
		p.append(g.after, ends[last], separator)
	}
}

// append adds entries after the last one, which ends at an offset. If every entry begins a line, so
// do they, after the comment of the last one.
func (p *plan) append(entries []*entry, end int, separator string) {
	e, text := entries[0], p.inBrackets(entries, separator)
	if separator == ", " {
		p.write(e, end, end, separator+text)
		return
	}
	at, line := p.afterComma(end), lineEnd(p.text, end)
	if at == end || at > line {
		at = end
		p.write(e, end, end, ",")
	} else {
		text += ","
	}
	if p.space(at) >= line {
		at = end + len(bytes.TrimRight(p.text[end:line], " \t\r\n"))
	}
	p.write(e, at, at, separator[1:]+text)
}

// afterComma returns the end of the comma after an offset, and of the spaces after it unless they
// are before a comment. It is the offset if no comma follows.
func (e *editing) afterComma(at int) int {
	next := e.space(at)
	if next == len(e.text) || e.text[next] != ',' {
		return at
	}
	rest := bytes.TrimLeft(e.text[next+1:], " ")
	if bytes.HasPrefix(rest, []byte("#")) {
		return next + 1
	}
	return len(e.text) - len(rest)
}

// cut removes an entry, with its lines if nothing else but a comment is on them.
func (p *plan) cut(e *entry, to int) {
	from := e.start
	if p.beginsLine(from) {
		if line := lineEnd(p.text, to); p.space(to) >= line {
			from, to = lineStart(p.text, from), line
		}
	}
	p.write(e, from, to, "")
}

// separator returns the text between two entries. If each of them begins a line, so do new ones.
func (e *editing) separator(g *group) string {
	last, line := e.offset(g.of.node), 0
	for _, entry := range g.entries {
		if !e.beginsLine(entry.start) {
			return ", "
		}
		if line = lineStart(e.text, entry.start); line <= last {
			return ", "
		}
		last = entry.start
	}
	return ",\n" + string(e.text[line:last])
}

// inFlow returns a value in a form that is allowed inside braces and on one line.
func (e *editing) inFlow(data any) string {
	switch data.(type) {
	case map[string]any, []any:
		return jsonText(data)
	}
	return e.plainOrJSON(strings.TrimRight(written(data), "\n"), data)
}

// keyInFlow is inFlow for the key of a member.
func (e *editing) keyInFlow(name string) string {
	return e.plainOrJSON(strings.TrimSuffix(head(&entry{name: name}), ":"), name)
}

// plainOrJSON returns the text of a scalar if it is allowed inside braces and on one line, or its
// JSON.
func (e *editing) plainOrJSON(text string, data any) string {
	if e.json || strings.ContainsAny(text, ",[]{}#\n") || strings.Contains(text, ": ") {
		return jsonText(data)
	}
	return text
}

// jsonText returns a value that was decoded from JSON, with escapes for the characters that YAML
// does not allow or takes for line breaks.
func jsonText(data any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(data) // cannot fail: the value was decoded from JSON
	text := strings.TrimSuffix(b.String(), "\n")
	b.Reset()
	for _, r := range text {
		if r >= 0x7F && r < 0xA0 || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// inBrackets returns new entries in flow style.
func (e *editing) inBrackets(entries []*entry, separator string) string {
	texts := make([]string, len(entries))
	for i, entry := range entries {
		texts[i] = e.inFlow(entry.value.data)
		if !entry.element {
			texts[i] = e.keyInFlow(entry.name) + ": " + texts[i]
		}
	}
	return strings.Join(texts, separator)
}
