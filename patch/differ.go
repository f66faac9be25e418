package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/wire/jsonwire"
)

// differ writes the operations of a JSON patch between two documents, which are completely open.
type differ struct {
	ops []byte

	// known are the classes of objects and arrays, and classes those of their contents, see class.
	known   map[*tree.Node]int
	classes map[string]int
}

// patch returns the operations as a JSON array.
func (d *differ) patch() []byte {
	if len(d.ops) == 0 {
		return []byte("[]")
	}
	d.ops[0] = '['
	return append(d.ops, ']')
}

// write appends an operation, without a value if that is nil.
func (d *differ) write(op string, path []byte, value *tree.Node) {
	d.ops = append(d.ops, `,{"op":"`...)
	d.ops = append(d.ops, op...)
	d.ops = append(d.ops, `","path":`...)
	d.ops = jsonwire.AppendString(d.ops, string(path))
	if value != nil {
		d.ops = append(d.ops, `,"value":`...)
		d.ops = value.Append(d.ops)
	}
	d.ops = append(d.ops, '}')
}

// short is the size of texts that are always compared.
const short = 16 << 10

// sameText reports whether two values have the same text. It does not compare a text that is most
// of the one around it: otherwise the time for values that are nested deeply would grow with the
// square of their size.
func sameText(a, b, around *tree.Node) bool {
	return (around == nil || len(a.Text()) <= max(len(around.Text())/2, short)) && a.Text() == b.Text()
}

// values writes the operations that turn a, at a path and in another value, into b.
func (d *differ) values(path []byte, a, b, around *tree.Node) {
	switch {
	case sameText(a, b, around):
	case a.Kind == tree.Object && b.Kind == tree.Object:
		d.members(path, a, b)
	case a.Kind == tree.Array && b.Kind == tree.Array:
		start := len(d.ops)
		d.elements(path, a, b)
		if whole := len(`,{"op":"replace","path":"","value":}`) + len(path) + b.Size(); len(d.ops)-start > whole {
			d.ops = d.ops[:start]
			d.write("replace", path, b)
		}
	case !tree.Equal(a, b):
		d.write("replace", path, b)
	}
}

func (d *differ) members(path []byte, a, b *tree.Node) {
	names := make([]string, 0, len(a.Kids)+len(b.Kids))
	for _, n := range []*tree.Node{a, b} {
		for i := range n.Kids {
			names = append(names, n.Kids[i].Name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		at := appendStep(path, name)
		switch i, j := a.Find(name), b.Find(name); {
		case i < 0:
			d.write("add", at, &b.Kids[j])
		case j < 0:
			d.write("remove", at, nil)
		default:
			d.values(at, &a.Kids[i], &b.Kids[j], a)
		}
	}
}

// elements writes the operations that turn one array into another. Equal elements at both ends and
// those of a longest common subsequence stay. Those between them are changed one by one; then the
// rest is removed or added.
func (d *differ) elements(path []byte, in, of *tree.Node) {
	a, b := in.Kids, of.Kids
	same := func(a, b *tree.Node) bool { return sameText(a, b, in) || d.class(a) == d.class(b) }
	first := 0
	for first < len(a) && first < len(b) && same(&a[first], &b[first]) {
		first++
	}
	for len(a) > first && len(b) > first && same(&a[len(a)-1], &b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	i, j, at := first, first, first // at is the index in the array after the operations so far
	for _, same := range append(d.common(a[first:], b[first:]), [2]int{len(a) - first, len(b) - first}) {
		nextA, nextB := first+same[0], first+same[1]
		for i < nextA && j < nextB {
			d.values(strconv.AppendInt(append(path, '/'), int64(at), 10), &a[i], &b[j], in)
			i, j, at = i+1, j+1, at+1
		}
		for ; i < nextA; i++ {
			d.write("remove", strconv.AppendInt(append(path, '/'), int64(at), 10), nil)
		}
		for ; j < nextB; j++ {
			d.write("add", strconv.AppendInt(append(path, '/'), int64(at), 10), &b[j])
			at++
		}
		i, j, at = i+1, j+1, at+1
	}
}

// common returns the index pairs of a longest common subsequence of two arrays, none if finding it
// would take too long.
func (d *differ) common(a, b []tree.Node) (pairs [][2]int) {
	const most = 1 << 20 // pairs to compare
	if len(a) == 0 || len(b) == 0 || len(a) > most/len(b) || len(a) == 1 && len(b) == 1 {
		return nil // two single elements differ, or they would be part of equal ends
	}
	as, bs := d.classesOf(a), d.classesOf(b)
	// length[i][j] is the length of the common subsequence of a[i:] and b[j:].
	width := len(b) + 1
	length := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if as[i] == bs[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case as[i] == bs[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

func (d *differ) classesOf(list []tree.Node) []int {
	out := make([]int, len(list))
	for i := range list {
		out[i] = d.class(&list[i])
	}
	return out
}

// class returns a number that a value shares with those that are equal to it. It reads each value
// once, however often it is compared.
func (d *differ) class(n *tree.Node) int {
	if c, ok := d.known[n]; ok {
		return c
	}
	key := n.Key()
	if n.Kind >= tree.Array {
		key = d.content(n)
	}
	c, ok := d.classes[key]
	if !ok {
		if d.classes == nil {
			d.known, d.classes = map[*tree.Node]int{}, map[string]int{}
		}
		c = len(d.classes)
		d.classes[key] = c
	}
	if n.Kind >= tree.Array {
		d.known[n] = c
	}
	return c
}

// content returns a text that two objects or arrays share if their members or elements are equal.
func (d *differ) content(n *tree.Node) string {
	kids := make([]*tree.Node, len(n.Kids))
	for i := range kids {
		kids[i] = &n.Kids[i]
	}
	out := []byte{'['}
	if n.Kind == tree.Object {
		out[0] = '{'
		sorted.Func(kids, func(a, b *tree.Node) int { return strings.Compare(a.Name, b.Name) })
	}
	for _, k := range kids {
		out = append(strconv.AppendInt(append(strconv.AppendQuote(out, k.Name), ':'), int64(d.class(k)), 10), ',')
	}
	return string(out)
}
