package yaml

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

const (
	// maxProblems bounds the problems of a document that are collected before it is decoded.
	maxProblems = 100

	mergeKey = "<<"

	// maxTag bounds the bytes of a tag in a message.
	maxTag = 256

	// stringStyles are the styles of scalars that are always strings.
	stringStyles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
)

// annotated is a document as annotated JSON text, see [jsonwire], with the positions of its parts.
type annotated struct {
	json       []byte
	marks      []mark            // ordered by json
	duplicates []duplicate       // ordered by json
	problems   []runtime.Problem // values that JSON cannot represent; the text has null in their place
	anchors    bool              // the document has anchors
}

// mark maps an offset of the JSON text, and the text after it, to an offset of the user's text.
type mark struct{ json, text int }

const markBytes = 16 // the size of a mark

// duplicate is a key that occurs more than once. The JSON text has only the last of its values.
type duplicate struct {
	name string
	text int // offset of the repeated key
	json int // offset in the JSON text of the key, or of the key whose value was replaced

	in *replaced // the replaced value that contains the key, or nil
	at int       // offset of the key in the text of that value
}

// replaced is a value that the JSON text omits, because a later member has the same key.
type replaced struct {
	json []byte
	key  int       // offset of its key in the enclosing text
	in   *replaced // the enclosing replaced value; nil for the document
}

// tail returns the path of a duplicate below the key at d.json, and about how many levels it has.
func (d *duplicate) tail() (tail *schema.Path, levels int) {
	for in, at := d.in, d.at; in != nil; in, at = in.in, in.key {
		tail = jsonwire.PathAt(in.json, at).Join(tail)
		levels += jsonwire.Levels(in.json, at)
	}
	return tail, levels
}

// annotator converts the nodes of one document to annotated text.
type annotator struct {
	*annotated
	source  *source
	segment segment
	lines   *lines
	memory  *memory

	open       map[*yaml.Node]bool // anchored nodes that enclose the current value
	aliases    int                 // number of aliases that enclose the current value
	aliasText  int                 // offset of the outermost of them
	aliasStart int                 // start of its value in the JSON text
	nodes      int                 // values written from aliases
	bytes      int                 // bytes written from aliases
	stopped    bool                // a limit was exceeded
	typer      *jsonwire.Reader    // reads scalars tagged with a JSON type

	document *annotated // of the document
	in       *replaced  // the replaced value being searched for duplicates, or nil
	outer    int        // offset of its key in the text of the document
}

// annotate converts the root node of a document.
func annotate(s *source, seg segment, l *lines, root *yaml.Node, m *memory) *annotated {
	a := &annotator{
		annotated: new(annotated), source: s, segment: seg, lines: l, memory: m, open: map[*yaml.Node]bool{},
		typer: new(jsonwire.Reader),
	}
	a.document = a.annotated
	a.json = make([]byte, 0, 64+(seg.to-seg.from)*5/4)
	a.marks = make([]mark, 0, nodesOf(root))
	a.value(root, -1, 0)
	return a.annotated
}

// nodesOf returns the number of nodes in a tree.
func nodesOf(n *yaml.Node) int {
	all := 1
	for _, c := range n.Content {
		all += nodesOf(c)
	}
	return all
}

// anchored reports whether a node contains an anchor.
func anchored(n *yaml.Node) bool { return n.Anchor != "" || slices.ContainsFunc(n.Content, anchored) }

// text returns the offset of a node in the user's text.
func (a *annotator) text(n *yaml.Node) int { return a.segment.from + a.lines.offset(n.Line, n.Column) }

// mark records the position of the current text. It also makes room for a value of average size:
// aliases can make both slices much longer than expected, and their growth counts toward the memory
// limit.
func (a *annotator) mark(text int) {
	a.grow(0)
	if len(a.marks) == cap(a.marks) {
		a.marks = slices.Grow(a.marks, len(a.marks)+16)
		a.memory.spend(cap(a.marks) * markBytes)
	}
	a.marks = append(a.marks, mark{len(a.json), text})
}

// grow makes room for n more bytes of JSON text and some reserve.
func (a *annotator) grow(n int) {
	const few = 16
	if cap(a.json)-len(a.json) < n+few {
		a.json = slices.Grow(a.json, len(a.json)+n+few)
		a.memory.spend(cap(a.json))
	}
}

// fail records a problem whose value is omitted.
func (a *annotator) fail(text int, cause error, format string, args ...any) {
	if !a.stopped && len(a.problems) < maxProblems {
		a.problems = append(a.problems, *a.source.problem(a.segment, text, cause, format, args...))
	}
}

// badTag records that a node has a tag that is not supported.
func (a *annotator) badTag(text int, where string, n *yaml.Node) {
	a.fail(text, runtime.ErrInvalidValue, "the tag %s is not supported %s", schema.Shorten(n.Tag, maxTag), where)
}

// stop records that a limit was exceeded. The rest of the document is written as nulls.
func (a *annotator) stop(text int, e *schema.LimitError) {
	if !a.stopped {
		a.problems = append(a.problems, *a.source.exceeded(a.segment, text, e))
	}
	a.stopped = true
}

// count counts n more values if they come from an alias, and reports whether they are within the
// limit.
func (a *annotator) count(n int) bool {
	if a.aliases == 0 || a.stopped {
		return !a.stopped
	}
	a.nodes += n
	const what = "the expansion of aliases"
	if most := a.source.limits.AliasValues; a.nodes > most {
		a.stop(a.aliasText, &schema.LimitError{Limit: "AliasValues", What: what, Unit: "values", Max: most})
	} else if a.memory.room < 0 {
		a.stop(a.aliasText, a.memory.exceeded())
	} else if most := a.source.limits.AliasBytes; a.bytes+len(a.json)-a.aliasStart > most {
		a.stop(a.aliasText, &schema.LimitError{Limit: "AliasBytes", What: what, Unit: "bytes", Max: most})
	}
	return !a.stopped
}

// enter returns the node that an alias refers to, or nil if the alias is part of that node.
func (a *annotator) enter(n *yaml.Node) *yaml.Node {
	target := n.Alias
	if target == nil || a.open[target] {
		a.fail(a.text(n), runtime.ErrInvalidValue, "the alias %s refers to a value that contains it",
			schema.Quote(n.Value))
		return nil
	}
	if a.aliases++; a.aliases == 1 {
		a.aliasText, a.aliasStart = a.text(n), len(a.json)
	}
	a.open[target] = true
	return target
}

// leave reverses enter.
func (a *annotator) leave(target *yaml.Node) {
	delete(a.open, target)
	a.count(0)
	if a.aliases--; a.aliases == 0 {
		a.bytes += len(a.json) - a.aliasStart
	}
}

// value writes a node. at is its offset in the text, or -1 for its own position: a value from an
// alias has the position of the alias.
func (a *annotator) value(n *yaml.Node, at, depth int) {
	if at < 0 {
		at = a.text(n)
	}
	switch {
	case !a.count(1):
		a.null()
		return
	case depth > a.source.limits.Depth:
		a.stop(at, tooDeep(a.source.limits.Depth))
		a.null()
		return
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) != 1 {
			a.null()
			return
		}
		a.value(n.Content[0], -1, depth)
	case yaml.AliasNode:
		var target *yaml.Node
		if a.in == nil { // duplicates in it are reported at its own position
			target = a.enter(n)
		}
		if target == nil {
			a.mark(at)
			a.null()
			return
		}
		a.value(target, at, depth)
		a.leave(target)
	case yaml.MappingNode:
		a.mark(at)
		a.container(n, at, "!!map", depth, a.mapping)
	case yaml.SequenceNode:
		a.mark(at)
		a.container(n, at, "!!seq", depth, a.sequence)
	case yaml.ScalarNode:
		a.mark(at)
		a.scalar(n, at)
	default:
		a.mark(at)
		a.null()
	}
}

func (a *annotator) null() { a.json = append(a.json, "null"...) }

// container writes a mapping or a sequence. Its tag, if any, must be the default one.
func (a *annotator) container(n *yaml.Node, at int, tag string, depth int, write func(n *yaml.Node, depth int)) {
	if n.Style&yaml.TaggedStyle != 0 && n.Tag != tag {
		a.badTag(at, "here", n)
		a.null()
		return
	}
	if n.Anchor != "" && !a.open[n] {
		a.open[n] = true
		defer delete(a.open, n)
	}
	write(n, depth)
}

func (a *annotator) sequence(n *yaml.Node, depth int) {
	a.json = append(a.json, '[')
	for i, c := range n.Content {
		if i > 0 {
			a.json = append(a.json, ',')
		}
		a.value(c, -1, depth+1)
	}
	a.json = append(a.json, ']')
}

// memberBytes is the memory of a member while a mapping is written: the member and its entry in the
// index.
const memberBytes = 160

// member is a key and its value.
type member struct {
	name       string
	key, value *yaml.Node
	repeats    []int        // offsets of repetitions of the key
	replaced   []*yaml.Node // the replaced values
}

// mapping writes a mapping: its own keys, then the merged keys that it does not have itself.
func (a *annotator) mapping(n *yaml.Node, depth int) {
	own, merges := a.members(n)
	a.json = append(a.json, '{')
	for _, m := range own {
		a.member(m, depth)
	}
	if len(merges) > 0 {
		seen := make(map[string]bool, len(own))
		for _, m := range own {
			seen[m.name] = true
		}
		for _, source := range merges {
			a.merge(source, seen, depth, true)
		}
	}
	a.json = append(a.json, '}')
}

func (a *annotator) member(m member, depth int) {
	if a.json[len(a.json)-1] != '{' {
		a.json = append(a.json, ',')
	}
	key := len(a.json)
	a.mark(a.text(m.key))
	a.grow(len(m.name))
	a.json = jsonwire.AppendString(a.json, m.name)
	a.json = append(a.json, ':')
	a.value(m.value, -1, depth+1)
	for _, text := range m.repeats {
		d := duplicate{name: m.name, text: text, json: key}
		if a.in != nil {
			d.json, d.in, d.at = a.outer, a.in, key
		}
		a.document.duplicates = append(a.document.duplicates, d)
	}
	for _, value := range m.replaced {
		a.search(value, key, depth+1)
	}
}

// search records the duplicates in a replaced value whose key is at an offset of the text.
func (a *annotator) search(n *yaml.Node, key, depth int) {
	b := &annotator{
		annotated: new(annotated), source: a.source, segment: a.segment, lines: a.lines,
		memory: a.memory, open: map[*yaml.Node]bool{}, typer: a.typer,
	}
	b.document, b.in, b.outer = a.document, &replaced{key: key, in: a.in}, key
	if a.in != nil {
		b.outer = a.outer
	}
	b.value(n, -1, depth)
	b.in.json = b.json
}

// members returns the members of a mapping, the last one of each name, and the values that it
// merges. Invalid keys are omitted.
func (a *annotator) members(n *yaml.Node) (own []member, merges []*yaml.Node) {
	own = make([]member, 0, len(n.Content)/2)
	if a.aliases > 0 { // values outside of aliases have been counted already
		a.memory.spend(cap(own) * memberBytes)
	}
	index := make(map[string]int, len(n.Content)/2) // of the members in own
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			merges = append(merges, value)
			continue
		}
		name, ok := a.key(key)
		if !ok {
			continue
		}
		if prior, ok := index[name]; ok {
			m := &own[prior]
			if a.aliases == 0 { // otherwise it is reported at the mapping itself
				m.repeats = append(m.repeats, a.text(key))
				if m.value.Kind != yaml.ScalarNode {
					m.replaced = append(m.replaced, m.value)
				}
			}
			m.key, m.value = key, value
			continue
		}
		index[name] = len(own)
		own = append(own, member{name: name, key: key, value: value})
	}
	return own, merges
}

// isMerge reports whether a key merges its value into the mapping.
func isMerge(key *yaml.Node) bool {
	if key.Kind != yaml.ScalarNode || key.Value != mergeKey {
		return false
	}
	if key.Style&yaml.TaggedStyle != 0 {
		return key.Tag == "!!merge"
	}
	return key.Tag != "!" && key.Style&stringStyles == 0
}

// key returns the name in a key node: the text as written, whatever its type would be as a value.
func (a *annotator) key(n *yaml.Node) (name string, ok bool) {
	at := a.text(n)
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	tagged := n.Style&yaml.TaggedStyle != 0
	switch {
	case n.Kind != yaml.ScalarNode:
		a.fail(at, runtime.ErrInvalidValue, "a key must be a plain or quoted text")
	case tagged && !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp"}, n.Tag):
		a.badTag(at, "on a key", n)
	case n.Value == "" && n.Style&stringStyles == 0 && !tagged && n.Tag != "!":
		a.fail(at, runtime.ErrInvalidValue, "a key is missing")
	default:
		return n.Value, true
	}
	return "", false
}

// merge writes the members of a mapping that are not in seen. A list of mappings is allowed if list
// is set; the first mapping that has a name wins.
func (a *annotator) merge(n *yaml.Node, seen map[string]bool, depth int, list bool) {
	// Members are counted whether they are new or not, because examining them takes time as well.
	if !a.count(1 + len(n.Content)) {
		return
	}
	switch {
	case n.Kind == yaml.AliasNode && a.in != nil:
	case n.Kind == yaml.AliasNode:
		if target := a.enter(n); target != nil {
			a.merge(target, seen, depth, list)
			a.leave(target)
		}
	case n.Kind == yaml.SequenceNode && list:
		for _, c := range n.Content {
			a.merge(c, seen, depth, false)
		}
	case n.Kind == yaml.MappingNode:
		own, merges := a.members(n)
		for _, m := range own {
			if !seen[m.name] {
				seen[m.name] = true
				a.member(m, depth)
			}
		}
		for _, source := range merges {
			a.merge(source, seen, depth, true)
		}
	default:
		a.fail(a.text(n), runtime.ErrInvalidValue, "only a mapping, or a list of mappings, can be merged")
	}
}

// scalar writes a scalar. The type of a plain scalar without a tag is left to the field.
func (a *annotator) scalar(n *yaml.Node, at int) {
	a.grow(len(n.Value))
	tag := ""
	if n.Style&yaml.TaggedStyle != 0 || n.Tag == "!" {
		tag = n.Tag
	}
	switch tag {
	case "":
		if n.Style&stringStyles == 0 {
			a.json = append(a.json, plainMark)
		}
		a.json = jsonwire.AppendString(a.json, n.Value)
	case "!", "!!str", "!!timestamp":
		a.json = jsonwire.AppendString(a.json, n.Value)
	case "!!null", "!!bool", "!!int", "!!float":
		a.typed(n, tag, at)
	case "!!binary":
		// In JSON, bytes are base64 text, which is what the scalar contains, apart from white
		// space.
		text := strings.Join(strings.Fields(n.Value), "")
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			a.fail(at, runtime.ErrInvalidValue, "the value is tagged !!binary but is not base64 text: %v", err)
			a.null()
			return
		}
		a.json = jsonwire.AppendString(a.json, text)
	default:
		a.badTag(at, "here", n)
		a.null()
	}
}

// plainMark begins a plain scalar in annotated text.
const plainMark = 0x01

// typed writes a scalar whose tag is that of a JSON type.
func (a *annotator) typed(n *yaml.Node, tag string, at int) {
	from := len(a.json)
	a.json = append(a.json, plainMark)
	a.json = jsonwire.AppendString(a.json, n.Value)
	a.typer.Reset(a.json[from:], jsonwire.Options{Annotated: true})
	v := a.typer.Any()
	a.typer.Release()
	a.json = a.json[:from]
	fits := false
	switch v := v.(type) {
	case nil:
		fits = tag == "!!null"
	case bool:
		fits = tag == "!!bool"
	case int64, uint64:
		fits = tag == "!!int" || tag == "!!float"
	case float64:
		fits = tag == "!!float" && !math.IsInf(v, 0) && !math.IsNaN(v)
	}
	if fits {
		if out, err := jsonwire.AppendAny(a.json, v); err == nil {
			a.json = out
			return
		}
	}
	a.fail(at, runtime.ErrInvalidValue, "the value %s is tagged %s, but JSON has no such value",
		schema.Quote(n.Value), tag)
	a.null()
}
