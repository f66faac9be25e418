package yaml

import (
	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/internal/sorted"
)

// match finds the removed entries that are added elsewhere. Their lines move there, or their keys
// are renamed. Whole entries come before parts of entries, and names before values alone.
func (p *plan) match() {
	value := func(e *entry) uint64 { return e.value.id }
	each := func(kind yaml.Kind, f func(g *group, removed, added []*entry)) {
		for _, g := range p.groups {
			if g.of.node.Kind == kind {
				removed, added := g.changes()
				f(g, removed, added)
			}
		}
	}
	each(yaml.SequenceNode, func(_ *group, removed, added []*entry) { p.pair(removed, added, value, p.move) })
	p.matchNames(false)
	each(yaml.MappingNode, func(_ *group, removed, added []*entry) { p.pair(removed, added, value, p.rename) })
	p.matchNames(true)
	each(yaml.MappingNode, func(_ *group, removed, added []*entry) {
		p.pair(removed, within(added, 0), telling, p.move)
	})
	each(yaml.MappingNode, func(g *group, removed, added []*entry) {
		p.pair(p.below(removed), added, telling, p.move)
		p.place(g)
	})
}

// matchNames moves entries of the whole document by name and value, parts of others if deep is set.
// Elements of lists have no name.
func (p *plan) matchNames(deep bool) {
	var from, to []*entry
	for _, g := range p.groups {
		removed, added := g.changes()
		from, to = append(from, removed...), append(to, added...)
	}
	if deep {
		for _, e := range p.replaced {
			to = append(to, &entry{in: e.in, value: e.want, want: e.want})
		}
		from, to = p.below(append(from, p.replaced...)), within(to, 0)
	}
	p.pair(from, to, func(e *entry) uint64 {
		switch {
		case e.want != nil: // it stays, only its parts may move
			return 0
		case e.element:
			return telling(e)
		}
		return shape{':', e.name, e.value.id}.hash(p.seed)
	}, p.move)
}

// telling returns the hash of the value of an entry, or 0 if it may well occur twice by chance.
func telling(e *entry) uint64 {
	if text, _ := e.value.data.(string); len(text)+len(e.value.members)+len(e.value.elements) > 0 {
		return e.value.id
	}
	return 0
}

// pair calls a function with each removed entry and the new one with the same key, if no others
// have this key. The key 0 does not count.
func (p *plan) pair(removed, added []*entry, key func(*entry) uint64, match func(from, to *entry) bool) {
	type sides struct {
		from           *entry
		removed, added int
	}
	found := map[uint64]*sides{}
	for _, e := range removed {
		k := key(e)
		if found[k] == nil {
			found[k] = new(sides)
		}
		found[k].from = e
		found[k].removed++
	}
	delete(found, 0)
	for _, e := range added {
		if s := found[key(e)]; s != nil {
			s.added++
		}
	}
	for i := 0; i < len(added); i++ {
		to := added[i]
		if s := found[key(to)]; s != nil && s.removed == 1 && s.added == 1 && match(s.from, to) {
			i += to.inner
		}
	}
}

// move makes the lines of a removed entry those of a new one, if possible.
func (p *plan) move(from, to *entry) bool {
	n := from.node
	_, ok := p.mark(from)
	line := n.Kind == yaml.ScalarNode || n.Kind == yaml.AliasNode || n.Style&yaml.FlowStyle != 0
	if !p.moves || from.in.flow || to.in != nil && to.in.flow || !ok || from.element != to.element && !line {
		return false
	}
	from.matched, to.value.from = true, from
	p.keep(from, false)
	return true
}

// keep records that the comments in the lines of an entry move, and whether they have been written.
func (p *plan) keep(e *entry, written bool) {
	_, end := p.extent(e)
	for _, at := range p.comments(p.lead(e), end) {
		p.kept[at] = written
	}
}

// rename writes the key of a new member for that of a removed one, if possible.
func (p *plan) rename(from, to *entry) bool {
	end, ok := p.flowEnd(from.key)
	if !ok || from.key.Anchor != "" || from.key.Style&yaml.TaggedStyle != 0 {
		return false
	}
	text := p.keyInFlow(to.name)
	if isQuoted(from.key) { // a colon may follow at once
		text = jsonText(to.name)
	}
	p.write(from, from.start, end, text)
	from.removed, to.matched = false, true
	return true
}

// place puts new members at the place of the removed ones from which lines move into them, and
// omits those for which keys are renamed.
func (p *plan) place(g *group) {
	g.after = sorted.Delete(g.after, func(e *entry) bool {
		if e.matched {
			return true
		}
		first := origin(e.value, g)
		before := first
		for before < len(g.entries) && g.entries[before].removed {
			before++
		}
		if before == first || before == len(g.entries) {
			return false
		}
		g.entries[before].before = append(g.entries[before].before, e)
		return true
	})
}

// origin returns the index of the first entry of a group from which lines move into a value, or
// that after the last entry.
func origin(v *value, g *group) int {
	first := len(g.entries)
	for from := v.from; from != nil && from.in != nil; from = from.in.of {
		if from.in == g {
			first = from.index
		}
	}
	for _, element := range v.elements {
		first = min(first, origin(element, g))
	}
	for _, member := range v.members {
		first = min(first, origin(member, g))
	}
	return first
}

// changes returns the removed and the new entries of a group, without those that are matched.
func (g *group) changes() (removed, added []*entry) {
	for _, e := range g.entries {
		if e.removed && !e.matched {
			removed = append(removed, e)
		}
		added = append(added, e.before...)
	}
	added = append(added, g.after...)
	return removed, sorted.Delete(added, func(e *entry) bool { return e.matched || e.value.from != nil })
}

// below returns entries with those below them in blocks that do not move.
func (p *plan) below(entries []*entry) (out []*entry) {
	for _, e := range entries {
		if e.value == nil || e.matched {
			continue
		}
		out = append(out, e)
		if g := p.groupOf(e); g != nil && !g.flow {
			out = append(out, p.below(g.entries)...)
		}
	}
	return out
}

// maxMoveDepth is the depth in new entries to which lines move. Lines below it would be indented as
// often as they are deep.
const maxMoveDepth = 32

// within returns new entries with those in them, unless lines move there or they are too deep.
func within(entries []*entry, depth int) (out []*entry) {
	for _, e := range entries {
		if e.value.from == nil && depth < maxMoveDepth {
			inner := within(e.parts(), depth+1)
			e.inner = len(inner)
			out = append(append(out, e), inner...)
		}
	}
	return out
}

// parts returns the entries of the value of a new entry.
func (e *entry) parts() (out []*entry) {
	for _, name := range e.value.names() {
		out = append(out, &entry{in: e.in, name: name, value: e.value.members[name]})
	}
	for _, v := range e.value.elements {
		out = append(out, &entry{in: e.in, element: true, value: v})
	}
	return out
}
