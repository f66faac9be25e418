package yaml

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/schema"
)

// wanted returns the value of the document after the change of the value at a path.
func (e *editing) wanted(path *schema.Path, value []byte) (any, error) {
	var v any
	if value != nil {
		var err error
		if v, err = normal(value); err != nil {
			return nil, e.fail(path, -1, "the new value is not JSON: %w", err)
		}
	}
	return e.put(e.value, path, path.Steps(), v, value == nil)
}

// normal returns a value as it is decoded from the text, with numbers in the form of YAML.
func normal(value []byte) (any, error) {
	if err := json.Unmarshal(value, new(json.RawMessage)); err != nil {
		return nil, err
	}
	text, err := FromJSON(nil, slices.Concat([]byte(`{"v":`), value, []byte("}")))
	if err == nil {
		text, err = ToJSON(text)
	}
	if err != nil {
		return nil, err
	}
	whole, err := valueOf(text)
	if err != nil {
		return nil, err
	}
	return whole.(map[string]any)["v"], nil
}

// put returns a copy of a value with another value at a path.
func (e *editing) put(in any, path *schema.Path, steps []schema.Step, value any, remove bool) (any, error) {
	if len(steps) == 0 {
		if remove {
			return nil, e.fail(path, -1, "the whole document cannot be removed")
		}
		return value, nil
	}
	step, last := steps[0], remove && len(steps) == 1
	if step.Kind == schema.StepIndex {
		list, ok := in.([]any)
		i := step.Index
		if in != nil && !ok || i > len(list) || i == len(list) && remove {
			return nil, e.fail(path, -1, "element %d does not exist; the list has %d", i, len(list))
		}
		list = slices.Clone(list)
		if last {
			return slices.Delete(list, i, i+1), nil
		}
		if i == len(list) {
			list = append(list, nil)
		}
		var err error
		list[i], err = e.put(list[i], path, steps[1:], value, remove)
		return list, err
	}
	m, ok := in.(map[string]any)
	inner, has := m[step.Name]
	switch {
	case in != nil && !ok:
		return nil, e.fail(path, -1, "the member %q cannot be set, because its parent is not a mapping", step.Name)
	case !has && remove:
		return nil, e.fail(path, -1, "the member %q does not exist", step.Name)
	}
	if m = maps.Clone(m); m == nil {
		m = map[string]any{}
	}
	if last {
		delete(m, step.Name)
		return m, nil
	}
	var err error
	m[step.Name], err = e.put(inner, path, steps[1:], value, remove)
	return m, err
}

// spot is the place of a node: an entry of a mapping or list, whose lines end before an offset, or
// the top level.
type spot struct {
	path   *schema.Path
	within *yaml.Node
	index  int // of the member or element
	starts []int
	end    int // of the lines of within
}

// step returns the text with the first wrong value corrected.
func (e *editing) step(want any) ([]byte, error) {
	return e.correct(e.root, spot{end: e.end()}, e.value, want)
}

// end returns the end of the document's lines, without the mark that ends it.
func (e *editing) end() int {
	end := e.segment.to
	if from := lineStart(e.text, max(e.segment.from, end-1)); isMark(bytes.TrimRight(e.text[from:end], "\r\n"), '.') {
		end = from
	}
	return end
}

func (e *editing) correct(n *yaml.Node, at spot, is, want any) ([]byte, error) {
	if n.Kind == yaml.AliasNode {
		return nil, e.fail(at.path, e.offset(n), "it is an alias of a value elsewhere")
	}
	switch want := want.(type) {
	case map[string]any:
		if is, ok := is.(map[string]any); ok && n.Kind == yaml.MappingNode && len(is) > 0 && len(want) > 0 {
			return e.correctMapping(n, at, is, want)
		}
	case []any:
		if is, ok := is.([]any); ok && n.Kind == yaml.SequenceNode && len(is) > 0 && len(want) > 0 {
			return e.correctList(n, at, is, want)
		}
	}
	return e.replace(n, at, want)
}

// below returns the spot of an entry of a node.
func (e *editing) below(n *yaml.Node, at spot, index int, path *schema.Path) (spot, error) {
	out := spot{path: path, within: n, index: index}
	if n.Style&yaml.FlowStyle != 0 {
		return out, nil
	}
	var err error
	if out.starts, err = e.starts(n, at); err != nil {
		return out, err
	}
	out.end = at.end
	if at.within != nil && at.starts != nil {
		_, out.end = e.extent(at)
	}
	return out, nil
}

// starts returns the starts of the entries of a block: the keys of a mapping, the hyphens of a
// list.
func (e *editing) starts(n *yaml.Node, at spot) ([]int, error) {
	var out []int
	if n.Kind == yaml.MappingNode {
		for i := 0; i < len(n.Content); i += 2 {
			out = append(out, e.offset(n.Content[i]))
		}
		return out, nil
	}
	for _, element := range n.Content {
		i := e.offset(element) - 1
		if element.Kind == yaml.ScalarNode && element.Value == "" && element.Style == 0 {
			i = min(i+1, len(e.text)-1) // the position of an empty value may be that of the hyphen
		}
		for i >= 0 && e.text[i] != '-' {
			i--
		}
		if i < 0 || len(out) > 0 && i <= out[len(out)-1] || e.column(i) != n.Column-1 {
			return nil, e.fail(at.path, e.offset(element), "the hyphen of the element is not found")
		}
		out = append(out, i)
	}
	return out, nil
}

// column returns the number of bytes before an offset on its line.
func (e *editing) column(at int) int { return at - lineStart(e.text, at) }

// extent returns the text of an entry of a block: from its start to the end of its last line. Blank
// lines and comments after it do not belong to it unless they are indented further.
func (e *editing) extent(at spot) (from, to int) {
	from, to = at.starts[at.index], at.end
	if next := at.index + 1; next < len(at.starts) {
		to = lineStart(e.text, at.starts[next])
	}
	column := e.column(from)
	for to > from {
		line := lineStart(e.text, to-1)
		body := bytes.TrimLeft(e.text[line:to], " \t")
		loose := len(bytes.TrimSpace(body)) == 0 || body[0] == '#' && to-line-len(body) <= column
		if line <= from || !loose || e.hidden(line) {
			break
		}
		to = line
	}
	return from, to
}

// correctMapping corrects the first wrong member, which is changed, removed or added.
func (e *editing) correctMapping(n *yaml.Node, at spot, is, want map[string]any) ([]byte, error) {
	own := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		name := key.Value
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, e.fail(at.path, e.offset(key), "a key is not a name")
		case own[name]:
			return nil, e.fail(at.path.Child(name), e.offset(key), "the key occurs twice")
		}
		own[name] = true
	}
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i].Value
		was, has := is[name]
		value, keep := want[name]
		if !has || keep && reflect.DeepEqual(was, value) {
			continue // a merge key is not a member
		}
		member, err := e.below(n, at, i/2, at.path.Child(name))
		switch {
		case err != nil:
			return nil, err
		case keep:
			return e.correct(n.Content[i+1], member, was, value)
		}
		if to, ok := renamed(is, want, name); ok {
			if text, ok := e.rename(n.Content[i], to); ok {
				return text, nil
			}
		}
		return e.remove(member)
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, ok := want[name]; !ok { // members of its own have been removed
			return nil, e.fail(at.path.Child(name), e.offset(n), "it comes from a merge key")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if was, ok := is[name]; own[name] || ok && reflect.DeepEqual(was, want[name]) {
			continue
		}
		last, err := e.below(n, at, len(n.Content)/2-1, at.path.Child(name))
		if err != nil {
			return nil, err
		}
		return e.add(last, map[string]any{name: want[name]})
	}
	return nil, e.fail(at.path, e.offset(n), "the mapping cannot be changed in parts")
}

// renamed returns the new name of a member: that of the only added member with
// its value, if no other member with this value is removed.
func renamed(is, want map[string]any, name string) (to string, ok bool) {
	for other, value := range is {
		if _, keep := want[other]; !keep && other != name && reflect.DeepEqual(value, is[name]) {
			return "", false
		}
	}
	for added, value := range want {
		if _, has := is[added]; has || !reflect.DeepEqual(value, is[name]) {
			continue
		}
		if ok {
			return "", false
		}
		to, ok = added, true
	}
	return to, ok
}

// rename rewrites a key. A key in quotes stays in quotes, because a colon may follow at once.
func (e *editing) rename(key *yaml.Node, to string) ([]byte, bool) {
	end, ok := e.flowEnd(key)
	if !ok || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 {
		return nil, false
	}
	text := e.inFlow(to)
	if key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		text = jsonText(to)
	}
	return e.splice(e.offset(key), end, text), true
}

// correctList corrects the first wrong element, or appends one. An element is removed if it is
// nowhere in the wanted list, and one that is nowhere in the text is inserted, unless each takes
// the place of the other. So all other elements keep their comments.
func (e *editing) correctList(n *yaml.Node, at spot, is, want []any) ([]byte, error) {
	first := 0
	for first < min(len(is), len(want)) && reflect.DeepEqual(is[first], want[first]) {
		first++
	}
	if first == len(is) {
		last, err := e.below(n, at, len(is)-1, at.path.Index(first))
		if err != nil {
			return nil, err
		}
		return e.add(last, []any{want[first]})
	}
	element, err := e.below(n, at, first, at.path.Index(first))
	if err != nil {
		return nil, err
	}
	if first == len(want) {
		return e.remove(element)
	}
	switch unwanted, missing := !holds(want[first:], is[first]), !holds(is[first:], want[first]); {
	case unwanted && !missing:
		return e.remove(element)
	case missing && !unwanted:
		return e.insert(element, want[first]), nil
	}
	return e.correct(n.Content[first], element, is[first], want[first])
}

// holds reports whether a list has a value.
func holds(list []any, value any) bool {
	return slices.ContainsFunc(list, func(v any) bool { return reflect.DeepEqual(v, value) })
}

// insert writes a new element before another one, above its comments.
func (e *editing) insert(before spot, value any) []byte {
	if before.starts == nil {
		from := e.offset(before.within.Content[before.index])
		separator := ", "
		if indent, ok := e.indentOfLines(before.within); ok {
			separator = ",\n" + indent
		}
		return e.splice(from, from, append(e.inFlow(value), separator...))
	}
	from := before.starts[before.index]
	column, line := e.column(from), lineStart(e.text, from)
	text := indented(written([]any{value}), column)
	if len(bytes.TrimSpace(e.text[line:from])) > 0 { // the first of a block that begins after a hyphen
		return e.splice(from, from, append(text[column:], bytes.Repeat([]byte{' '}, column)...))
	}
	for line > e.segment.from {
		above := lineStart(e.text, line-1)
		if body := bytes.TrimLeft(e.text[above:line], " "); body[0] != '#' || line-above-len(body) != column {
			break
		}
		line = above
	}
	return e.splice(line, line, text)
}

// replace rewrites a node.
func (e *editing) replace(n *yaml.Node, at spot, want any) ([]byte, error) {
	if n.Anchor != "" {
		return nil, e.fail(at.path, e.offset(n), "it has an anchor, so aliases may refer to it")
	}
	if at.within == nil && n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle == 0 { // a block at the top
		at.starts = []int{e.offset(n)}
		from, to := e.extent(at)
		return e.splice(from, to, written(want)), nil
	}
	if at.starts == nil { // at the top, or in flow style
		from := e.offset(n)
		to, ok := e.flowEnd(n)
		if !ok {
			return nil, e.fail(at.path, from, "the end of the value cannot be determined; write it as a block, or in quotes")
		}
		return e.splice(from, to, e.inFlow(want)), nil
	}
	from, to := e.extent(at)
	mark := from + 1 // after the hyphen
	var text []byte  // the text after the colon or hyphen
	if at.within.Kind == yaml.MappingNode {
		var ok bool
		if mark, ok = e.colon(at.within.Content[2*at.index]); !ok {
			return nil, e.fail(at.path, from, "the colon after the key is not found")
		}
		text = written(map[string]any{"k": want})[len("k:"):]
	} else {
		text = written([]any{want})[len("-"):]
	}
	comment := e.comment(mark)
	if comment >= to {
		comment = -1
	}
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	if s, ok := want.(string); ok && len(rest) > 0 && !bytes.ContainsAny(head[:min(2, len(head))], "|>") {
		head, rest = append([]byte(" "), e.inFlow(s)...), nil // the text cannot contain a comment
	}
	out := append(bytes.Clone(e.text[from:mark]), head...)
	if comment >= 0 {
		space := comment
		for space > mark && (e.text[space-1] == ' ' || e.text[space-1] == '\t') {
			space--
		}
		out = append(out, bytes.TrimRight(e.text[space:lineEnd(e.text, comment)], "\r\n")...)
	}
	out = append(append(out, '\n'), indented(rest, e.column(from))...)
	return e.splice(from, to, out), nil
}

// colon returns the position after the colon of a key.
func (e *editing) colon(key *yaml.Node) (int, bool) {
	at := e.content(key)
	end := lineEnd(e.text, at)
	if key.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		if at = quoteEnd(e.text, at); at > end {
			return 0, false
		}
	}
	for ; at < end; at++ {
		if e.text[at] == ':' && (at+1 == len(e.text) || bytes.IndexByte([]byte(" \t\r\n"), e.text[at+1]) >= 0) {
			return at + 1, true
		}
	}
	return 0, false
}

// remove removes an entry.
func (e *editing) remove(at spot) ([]byte, error) {
	if at.starts == nil {
		return e.removeFlow(at)
	}
	from, to := e.extent(at)
	if line := lineStart(e.text, from); len(bytes.TrimSpace(e.text[line:from])) == 0 {
		return e.splice(line, to, nil), nil
	}
	if at.index+1 == len(at.starts) { // the first of a block that begins after a hyphen
		return nil, e.fail(at.path, from, "it cannot be removed from its line")
	}
	return e.splice(from, at.starts[at.index+1], nil), nil
}

// add writes a new entry after the last one.
func (e *editing) add(last spot, entry any) ([]byte, error) {
	if last.starts == nil {
		n := last.within
		at, ok := e.flowEnd(n.Content[len(n.Content)-1])
		if !ok {
			return nil, e.fail(last.path, e.offset(n), "the end of the last value cannot be determined; put it in quotes")
		}
		indent, ok := e.indentOfLines(n)
		if !ok {
			return e.splice(at, at, append([]byte(", "), e.entriesInFlow(entry)...)), nil
		}
		comma := "," // after the last value, whose comment stays with it
		from, end := at, lineEnd(e.text, at)
		if next := e.space(at); next < end && e.text[next] == ',' {
			comma, from = "", next+1
		}
		if e.comment(from) >= 0 {
			end = from + len(bytes.TrimRight(e.text[from:end], "\r\n"))
		} else {
			end = from
		}
		text := slices.Concat([]byte(comma), e.text[from:end], []byte("\n"+indent), e.entriesInFlow(entry))
		if comma == "" {
			text = append(text, ',')
		}
		return e.splice(from, end, text), nil
	}
	from, to := e.extent(last)
	text := indented(written(entry), e.column(from))
	if to > 0 && e.text[to-1] != '\n' {
		text = append([]byte{'\n'}, text...)
	}
	return e.splice(to, to, text), nil
}

// splice returns the text with a part replaced by lines that end with a line feed.
func (e *editing) splice(from, to int, by []byte) []byte {
	if e.crlf {
		by = bytes.ReplaceAll(bytes.ReplaceAll(by, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	return slices.Concat(e.text[:from], by, e.text[to:])
}

// removeFlow removes an entry from braces or brackets, with one comma.
func (e *editing) removeFlow(at spot) ([]byte, error) {
	first, last := at.index, at.index
	if at.within.Kind == yaml.MappingNode {
		first, last = 2*at.index, 2*at.index+1
	}
	from := e.offset(at.within.Content[first])
	to, ok := e.flowEnd(at.within.Content[last])
	if !ok {
		return nil, e.fail(at.path, from, "the end of the value cannot be determined; put it in quotes")
	}
	if next := e.space(to); next < len(e.text) && e.text[next] == ',' {
		to = next + 1
		for to < len(e.text) && e.text[to] == ' ' {
			to++
		}
		if line, end := lineStart(e.text, from), lineEnd(e.text, to); len(bytes.TrimSpace(e.text[line:from])) == 0 &&
			len(bytes.TrimSpace(e.text[to:end])) == 0 {
			from, to = line, end // the entry is on lines of its own
		}
		return e.splice(from, to, nil), nil
	}
	if at.index > 0 {
		before, _ := e.flowEnd(at.within.Content[first-1])
		return e.splice(before, to, nil), nil
	}
	return e.splice(from, to, nil), nil
}

// space returns the offset of the next text that is not white space or a comment.
func (e *editing) space(at int) int {
	for at < len(e.text) {
		switch c := e.text[at]; {
		case c == '#' && e.comment(at) == at:
			at = lineEnd(e.text, at)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		default:
			return at
		}
	}
	return at
}

// flowEnd returns the end of a value in flow style or of a scalar.
func (e *editing) flowEnd(n *yaml.Node) (int, bool) {
	at := e.content(n)
	switch {
	case n.Kind == yaml.AliasNode:
		end := bytes.IndexAny(e.text[at:], " \t\r\n,]}")
		return at + max(end, 0), end > 0
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return quoteEnd(e.text, at), true
	case n.Kind == yaml.ScalarNode:
		text := []byte(n.Value)
		if len(text) == 0 && at != e.offset(n) { // only an anchor or tag
			return 0, false
		}
		if n.Style&^(yaml.FlowStyle|yaml.TaggedStyle) != 0 || !bytes.HasPrefix(e.text[at:], text) {
			return 0, false
		}
		return at + len(text), true
	case at >= len(e.text) || n.Style&yaml.FlowStyle == 0:
		return 0, false
	}
	brackets := strings.IndexByte("{[", e.text[at]) >= 0
	end := at + 1
	if len(n.Content) > 0 {
		var ok bool
		if end, ok = e.flowEnd(n.Content[len(n.Content)-1]); !ok || !brackets {
			return end, ok
		}
	} else if !brackets {
		return 0, false
	}
	if end = e.space(end); end < len(e.text) && e.text[end] == ',' {
		end = e.space(end + 1)
	}
	return end + 1, end < len(e.text) && strings.IndexByte("}]", e.text[end]) >= 0
}

// written returns a value as lines of YAML.
func written(value any) []byte {
	text, err := json.Marshal(value)
	if err == nil {
		text, err = FromJSON(nil, text)
	}
	if err != nil { // cannot fail: the value was decoded from JSON
		return nil
	}
	return text
}

// indentOfLines returns the white space before the entries of a node in flow style, if each entry
// begins a line.
func (e *editing) indentOfLines(n *yaml.Node) (indent string, ok bool) {
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i < len(n.Content); i += step {
		at := e.offset(n.Content[i])
		line := lineStart(e.text, at)
		if line <= e.offset(n) || len(bytes.TrimSpace(e.text[line:at])) > 0 {
			return "", false
		}
		indent = string(e.text[line:at])
	}
	return indent, len(n.Content) > 0
}

// inFlow returns a value in a form that is allowed inside braces and on one line.
func (e *editing) inFlow(value any) []byte {
	text := bytes.TrimRight(written(value), "\n")
	switch value.(type) {
	case map[string]any, []any:
	default:
		if !e.json && !bytes.ContainsAny(text, ",[]{}#\n") && !bytes.Contains(text, []byte(": ")) {
			return text
		}
	}
	return jsonText(value)
}

func jsonText(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // cannot fail: the value was decoded from JSON
	return bytes.TrimRight(b.Bytes(), "\n")
}

// entriesInFlow is inFlow for a mapping or list with one entry, without its brackets.
func (e *editing) entriesInFlow(entry any) []byte {
	switch entry := entry.(type) {
	case map[string]any:
		for name, value := range entry {
			return slices.Concat(e.inFlow(name), []byte(": "), e.inFlow(value))
		}
	case []any:
		return e.inFlow(entry[0])
	}
	return nil
}

// indented indents all lines that are not blank.
func indented(text []byte, width int) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			out = append(out, bytes.Repeat([]byte{' '}, width)...)
		}
		out = append(out, line...)
	}
	return out
}
