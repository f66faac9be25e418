package apply

import (
	"github.com/askind/askind/patch/internal/tree"
)

// parseSet reads a set from valid JSON. It reports false for a malformed set.
func parseSet(n *tree.Node) (set, bool) {
	if n.Kind == tree.Null {
		return nil, true
	}
	if n.Kind != tree.Object {
		return nil, false
	}
	n.OpenAll()
	s, _, ok := readSet(n)
	return s, ok
}

// readSet returns the set below a field, and whether the field itself is a member: if it has no
// fields below, or a member with the name ".".
func readSet(n *tree.Node) (s set, member, ok bool) {
	if len(n.Kids) == 0 {
		return nil, true, n.Kind == tree.Object
	}
	s = make(set, 0, len(n.Kids))
	for i := range n.Kids {
		k := &n.Kids[i]
		if k.Name == "." {
			member = true
			continue
		}
		e, ok := parseElement(k.Name)
		if !ok {
			return nil, false, false
		}
		if e.kind == 0 {
			continue
		}
		it := item{element: e}
		if it.kids, it.member, ok = readSet(k); !ok {
			return nil, false, false
		}
		s = append(s, it)
	}
	return ordered(s), member || len(s) == 0, true
}

// append appends the JSON of the set.
func (s set) append(dst []byte) []byte { return s.appendItems(dst, false) }

func (s set) appendItems(dst []byte, member bool) []byte {
	dst = append(dst, '{')
	start := len(dst)
	if member && len(s) > 0 {
		dst = append(dst, `".":{}`...)
	}
	for i := range s {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = s[i].appendName(dst)
		dst = append(dst, ':')
		dst = s[i].kids.appendItems(dst, s[i].member)
	}
	return append(dst, '}')
}
