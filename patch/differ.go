package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/patch/internal/tree"
	"github.com/askind/askind/wire/jsonwire"
)

// differ writes the operations of a JSON patch.
type differ struct{ ops []byte }

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

// values writes the operations that turn a, at a path, into b.
func (d *differ) values(path []byte, a, b *tree.Node) {
	switch {
	case a.Text() != "" && a.Text() == b.Text():
	case a.Kind == tree.Object && b.Kind == tree.Object:
		d.members(path, a, b)
	case a.Kind == tree.Array && b.Kind == tree.Array:
		start := len(d.ops)
		d.elements(path, a.Kids, b.Kids)
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
			d.values(at, &a.Kids[i], &b.Kids[j])
		}
	}
}

// elements writes the operations that turn one array into another. Equal elements at both ends and
// those of a longest common subsequence stay. Those between them are changed one by one; then the
// rest is removed or added.
func (d *differ) elements(path []byte, a, b []tree.Node) {
	first := 0
	for first < len(a) && first < len(b) && tree.Equal(&a[first], &b[first]) {
		first++
	}
	for len(a) > first && len(b) > first && tree.Equal(&a[len(a)-1], &b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	i, j, at := first, first, first // at is the index in the array after the operations so far
	for _, same := range append(common(a[first:], b[first:]), [2]int{len(a) - first, len(b) - first}) {
		nextA, nextB := first+same[0], first+same[1]
		for i < nextA && j < nextB {
			d.values(strconv.AppendInt(append(path, '/'), int64(at), 10), &a[i], &b[j])
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
func common(a, b []tree.Node) (pairs [][2]int) {
	const most = 1 << 20 // pairs to compare
	if len(a) == 0 || len(b) == 0 || len(a) > most/len(b) || len(a) == 1 && len(b) == 1 {
		return nil // two single elements differ, or they would be part of equal ends
	}
	// Equal elements get the same number, so that each pair is compared at most once.
	as, bs := classes(a, b)
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

// classes numbers the elements of two arrays such that those with equal numbers are equal.
func classes(a, b []tree.Node) (as, bs []int) {
	seen := map[string]int{}
	number := func(list []tree.Node) []int {
		out := make([]int, len(list))
		for i := range list {
			key := canonical(&list[i])
			class, ok := seen[key]
			if !ok {
				class = len(seen)
				seen[key] = class
			}
			out[i] = class
		}
		return out
	}
	return number(a), number(b)
}

// canonical returns a text that only equal values share. Equal values have different texts only if
// their numbers are written differently.
func canonical(n *tree.Node) string {
	var b strings.Builder
	writeCanonical(&b, n)
	return b.String()
}

func writeCanonical(b *strings.Builder, n *tree.Node) {
	switch n.Kind {
	case tree.Array:
		b.WriteByte('[')
		for i := range n.Kids {
			writeCanonical(b, &n.Kids[i])
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case tree.Object:
		order := make([]int, len(n.Kids))
		for i := range order {
			order[i] = i
		}
		sorted.Func(order, func(i, j int) int { return strings.Compare(n.Kids[i].Name, n.Kids[j].Name) })
		b.WriteByte('{')
		for _, i := range order {
			b.WriteString(strconv.Quote(n.Kids[i].Name))
			b.WriteByte(':')
			writeCanonical(b, &n.Kids[i])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case tree.String:
		b.WriteString(strconv.Quote(n.Str()))
	default:
		b.WriteString(n.Text())
	}
}
