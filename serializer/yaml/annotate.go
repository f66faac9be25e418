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
	// maxProblems bounds how many problems of a document are collected before it is decoded.
	maxProblems = 100

	mergeKey = "<<"
)

// annotated is a document as annotated JSON text, see [jsonwire], and where its parts come from.
type annotated struct {
	json       []byte
	marks      []mark // in order of json
	duplicates []duplicate
	problems   []runtime.Problem // what cannot be said in JSON; null stands in its place
	anchors    bool              // something in it may be repeated elsewhere in the document
}

// mark says that the part of the JSON text from an offset on comes from an offset of the user's
// text.
type mark struct{ json, text int }

const markBytes = 16 // the size of a mark

// duplicate is a key that occurs more than once. The JSON text has the last of its values only.
type duplicate struct {
	name string
	text int // where it is repeated
	json int // where the key is in the JSON text, or the one whose value was replaced

	in *replaced // the replaced value that the key is in, nil if it is in none
	at int       // where the key is in the text of that
}

// replaced is a value that the JSON text does not have, because a value of the same key comes
// later.
type replaced struct {
	json []byte
	key  int       // where its key is in the text around it
	in   *replaced // which is that of this value, or the one of the document
}

// path returns the place of a duplicate in the document with a JSON text.
func (d *duplicate) path(json []byte) *schema.Path {
	var tail *schema.Path
	for in, at := d.in, d.at; in != nil; in, at = in.in, in.key {
		tail = jsonwire.PathAt(in.json, at).Join(tail)
	}
	return jsonwire.PathAt(json, d.json).Join(tail)
}

// annotator turns the nodes of one document into annotated text.
type annotator struct {
	*annotated
	source  *source
	segment segment
	lines   *lines
	memory  *memory

	open       map[*yaml.Node]bool // the anchored nodes that are being written
	aliases    int                 // how many aliases the value at hand is inside
	aliasText  int                 // where the outermost of them stands
	aliasStart int                 // where its value starts in the JSON text
	nodes      int                 // values written by way of aliases
	bytes      int                 // and their text
	stopped    bool                // a limit was met
	typer      *jsonwire.Reader    // reads scalars with the tag of a JSON type; nil before the first

	document *annotated // that of the document
	in       *replaced  // the value that is written is one that was replaced, for the sake of its duplicates
	outer    int        // where in the text of the document the key is, then
}

// annotate converts the root node of a document.
func annotate(s *source, seg segment, l *lines, root *yaml.Node, m *memory) *annotated {
	a := &annotator{
		annotated: new(annotated), source: s, segment: seg, lines: l, memory: m, open: map[*yaml.Node]bool{},
	}
	a.document = a.annotated
	a.json = make([]byte, 0, 64+(seg.to-seg.from)*5/4)
	a.marks = make([]mark, 0, nodesOf(root))
	a.value(root, -1, 0)
	return a.annotated
}

// nodesOf returns how many nodes a tree has.
func nodesOf(n *yaml.Node) int {
	all := 1
	for _, c := range n.Content {
		all += nodesOf(c)
	}
	return all
}

// anchored reports whether there is an anchor in the text of a node.
func anchored(n *yaml.Node) bool { return n.Anchor != "" || slices.ContainsFunc(n.Content, anchored) }

// text returns where a node stands in the user's text.
func (a *annotator) text(n *yaml.Node) int { return a.segment.from + a.lines.offset(n.Line, n.Column) }

// mark notes where the text at hand comes from. It makes room for a value of usual size, too: what
// aliases stand for can make both slices much longer than they were expected to be, and what that
// takes is counted.
func (a *annotator) mark(text int) {
	a.grow(0)
	if len(a.marks) == cap(a.marks) {
		a.marks = slices.Grow(a.marks, len(a.marks)+16)
		a.memory.spend(cap(a.marks) * markBytes)
	}
	a.marks = append(a.marks, mark{len(a.json), text})
}

// grow makes room for n bytes of JSON text and a few more.
func (a *annotator) grow(n int) {
	const few = 16
	if cap(a.json)-len(a.json) < n+few {
		a.json = slices.Grow(a.json, len(a.json)+n+few)
		a.memory.spend(cap(a.json))
	}
}

// fail records a problem that leaves a value out.
func (a *annotator) fail(text int, cause error, format string, args ...any) {
	if !a.stopped && len(a.problems) < maxProblems {
		a.problems = append(a.problems, a.source.problem(a.segment, text, cause, format, args...))
	}
}

// stop records that a limit was met. The rest of the document is written as nulls.
func (a *annotator) stop(text int, e *schema.LimitError) {
	if !a.stopped {
		a.problems = append(a.problems, a.source.exceeded(a.segment, text, e))
	}
	a.stopped = true
}

// count notes n more values if they come from an alias, and reports whether there may be that many.
func (a *annotator) count(n int) bool {
	if a.aliases == 0 || a.stopped {
		return !a.stopped
	}
	a.nodes += n
	const what = "what aliases stand for"
	if most := a.source.limits.AliasValues; a.nodes > most {
		a.stop(a.aliasText, &schema.LimitError{Limit: "AliasValues", What: what, Unit: "values", Max: most})
	} else if a.memory.room < 0 {
		a.stop(a.aliasText, a.memory.exceeded())
	} else if most := a.source.limits.AliasBytes; a.bytes+len(a.json)-a.aliasStart > most {
		a.stop(a.aliasText, &schema.LimitError{Limit: "AliasBytes", What: what, Unit: "bytes", Max: most})
	}
	return !a.stopped
}

// enter goes into the node that an alias stands for. It returns nil if that is the node that the
// alias is part of.
func (a *annotator) enter(n *yaml.Node) *yaml.Node {
	target := n.Alias
	if target == nil || a.open[target] {
		a.fail(a.text(n), runtime.ErrInvalidValue, "the alias %q stands for something that it is part of", n.Value)
		return nil
	}
	if a.aliases++; a.aliases == 1 {
		a.aliasText, a.aliasStart = a.text(n), len(a.json)
	}
	a.open[target] = true
	return target
}

// leave is the way back from enter.
func (a *annotator) leave(target *yaml.Node) {
	delete(a.open, target)
	a.count(0)
	if a.aliases--; a.aliases == 0 {
		a.bytes += len(a.json) - a.aliasStart
	}
}

// value writes a node. at is where it stands in the text, or -1: a value that comes from an alias
// stands where the alias stands.
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
		if a.in == nil { // what is repeated in it is told where it stands itself
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

// container writes a mapping or a sequence, whose tag, if it has one, must be the usual one.
func (a *annotator) container(n *yaml.Node, at int, tag string, depth int, write func(n *yaml.Node, depth int)) {
	if n.Style&yaml.TaggedStyle != 0 && n.Tag != tag {
		a.fail(at, runtime.ErrInvalidValue, "the tag %s is not known here", n.Tag)
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

// memberBytes is what a member takes while a mapping is written: itself, and its place in the index
// of a large one.
const memberBytes = 160

// member is a key and its value.
type member struct {
	name       string
	key, value *yaml.Node
	repeats    []int        // where the key is repeated
	replaced   []*yaml.Node // the values before
}

// mapping writes a mapping: the keys of its own, then those that it merges from others and does not
// have itself.
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

// search looks for duplicates in a value that was replaced, of the key at an offset of the text.
func (a *annotator) search(n *yaml.Node, key, depth int) {
	b := &annotator{
		annotated: new(annotated), source: a.source, segment: a.segment, lines: a.lines,
		memory: a.memory, open: map[*yaml.Node]bool{},
	}
	b.document, b.in, b.outer = a.document, &replaced{key: key, in: a.in}, key
	if a.in != nil {
		b.outer = a.outer
	}
	b.typer = a.typer
	b.value(n, -1, depth)
	a.typer = b.typer
	b.in.json = b.json
}

// members returns the members of a mapping, of each name the last, and what it merges. A key that
// cannot be one is left out.
func (a *annotator) members(n *yaml.Node) (own []member, merges []*yaml.Node) {
	own = make([]member, 0, len(n.Content)/2)
	if a.aliases > 0 { // what stands in the text itself is counted already
		a.memory.spend(cap(own) * memberBytes)
	}
	var index map[string]int // for mappings that are too large to be searched
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
		prior := -1
		if index != nil {
			if at, ok := index[name]; ok {
				prior = at
			}
		} else {
			prior = slices.IndexFunc(own, func(m member) bool { return m.name == name })
		}
		if prior >= 0 {
			m := &own[prior]
			if a.aliases == 0 { // else it is reported where the mapping itself stands
				m.repeats = append(m.repeats, a.text(key))
				if m.value.Kind != yaml.ScalarNode {
					m.replaced = append(m.replaced, m.value)
				}
			}
			m.key, m.value = key, value
			continue
		}
		own = append(own, member{name: name, key: key, value: value})
		switch {
		case index != nil:
			index[name] = len(own) - 1
		case len(own) > 16:
			index = make(map[string]int, len(n.Content)/2)
			for i := range own {
				index[own[i].name] = i
			}
		}
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
	return key.Tag != "!" &&
		key.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// key returns the name that a key node stands for: the text that was written, whatever it would be
// as a value.
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
		a.fail(at, runtime.ErrInvalidValue, "the tag %s is not known for a key", n.Tag)
	case n.Value == "" && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|
		yaml.FoldedStyle) == 0 && !tagged && n.Tag != "!":
		a.fail(at, runtime.ErrInvalidValue, "a key is missing")
	default:
		return n.Value, true
	}
	return "", false
}

// merge writes the members of a mapping, or of a list of mappings where the first that has a name
// wins, that are not in seen. list says whether a list may stand here.
func (a *annotator) merge(n *yaml.Node, seen map[string]bool, depth int, list bool) {
	// The members are counted whether they are new or not, because looking at them takes time as
	// well.
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

// scalar writes a scalar. A plain one without a tag is left for the field to decide upon.
func (a *annotator) scalar(n *yaml.Node, at int) {
	a.grow(len(n.Value))
	tag := ""
	if n.Style&yaml.TaggedStyle != 0 || n.Tag == "!" {
		tag = n.Tag
	}
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch tag {
	case "":
		if !quoted {
			a.json = append(a.json, plainMark)
		}
		a.json = jsonwire.AppendString(a.json, n.Value)
	case "!", "!!str", "!!timestamp":
		a.json = jsonwire.AppendString(a.json, n.Value)
	case "!!null", "!!bool", "!!int", "!!float":
		a.typed(n, tag, at)
	case "!!binary":
		// In JSON bytes are base64 text, which is what the scalar holds, up to white space.
		text := strings.Join(strings.Fields(n.Value), "")
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			a.fail(at, runtime.ErrInvalidValue, "the value is tagged !!binary but is not base64 text: %v", err)
			a.null()
			return
		}
		a.json = jsonwire.AppendString(a.json, text)
	default:
		a.fail(at, runtime.ErrInvalidValue, "the tag %s is not known here", n.Tag)
		a.null()
	}
}

// plainMark begins a plain scalar in annotated text.
const plainMark = 0x01

// typed writes a scalar that has the tag of a JSON type.
func (a *annotator) typed(n *yaml.Node, tag string, at int) {
	from := len(a.json)
	a.json = append(a.json, plainMark)
	a.json = jsonwire.AppendString(a.json, n.Value)
	if a.typer == nil {
		a.typer = new(jsonwire.Reader)
	}
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
	a.fail(at, runtime.ErrInvalidValue, "the value %s is tagged %s but is none that JSON can hold",
		shorten(n.Value), tag)
	a.null()
}

// shorten quotes a text for a message, cut to a bearable length.
func shorten(s string) string {
	const limit = 40
	r := []rune(s)
	if len(r) > limit {
		r = append(r[:limit:limit], []rune("...")...)
	}
	return `"` + string(r) + `"`
}
