package tree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

type item struct {
	key   string
	value int
}

func (i *item) TreeKey() string { return i.key }

// check verifies the invariants of a tree: order, sizes and equal depth of all leaves.
func check(t *testing.T, tr Tree[*item]) {
	t.Helper()
	if tr.root == nil {
		return
	}
	depth := -1
	var walk func(n *node[*item], level int) int
	walk = func(n *node[*item], level int) int {
		if n.n > maxItems || n.n == 0 {
			t.Fatalf("a node has %d items", n.n)
		}
		for _, unused := range n.items[n.n:] {
			if unused != nil {
				t.Fatal("a node refers to an item that it does not have")
			}
		}
		size := n.n
		if n.children == nil {
			if depth >= 0 && depth != level {
				t.Fatalf("leaves at depth %d and %d", depth, level)
			}
			depth = level
		} else {
			for _, c := range n.children[:n.n+1] {
				size += walk(c, level+1)
			}
			for _, c := range n.children[n.n+1:] {
				if c != nil {
					t.Fatal("a node refers to a child that it does not have")
				}
			}
		}
		if n.size != size {
			t.Fatalf("a node states %d items and has %d", n.size, size)
		}
		return size
	}
	walk(tr.root, 0)
}

// contents returns all items of a tree.
func contents(tr Tree[*item], from, to string) []item {
	var out []item
	for i := range tr.From(from, to) {
		out = append(out, *i)
	}
	return out
}

// model is a sorted slice that does the same.
type model []item

func (m model) find(key string) (int, bool) {
	return slices.BinarySearchFunc(m, key, func(i item, key string) int {
		switch {
		case i.key < key:
			return -1
		case i.key > key:
			return 1
		}
		return 0
	})
}

func TestTreeEqualsModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			keys := 10 << (seed % 8) // from one node to many
			editor := Tree[*item]{}.Edit()
			var m model
			type version struct {
				tree Tree[*item]
				want model
			}
			var versions []version
			for step := range 4000 {
				key := fmt.Sprintf("%05d", r.IntN(keys))
				if seed%2 == 1 && step < 2000 {
					key = fmt.Sprintf("%05d", step%keys) // in order
				}
				i, found := m.find(key)
				if r.IntN(5) < 3 || step < 1000 {
					old, replaced := editor.Set(&item{key, step})
					if replaced != found || found && *old != m[i] {
						t.Fatalf("Set(%q) = %v, %t", key, old, replaced)
					}
					if found {
						m[i].value = step
					} else {
						m = slices.Insert(m, i, item{key, step})
					}
				} else {
					old, ok := editor.Delete(key)
					if ok != found || found && *old != m[i] {
						t.Fatalf("Delete(%q) = %v, %t", key, old, ok)
					}
					if found {
						m = slices.Delete(m, i, i+1)
					}
				}
				if r.IntN(50) == 0 {
					versions = append(versions, version{editor.Tree(), slices.Clone(m)})
				}
			}
			versions = append(versions, version{editor.Tree(), m})
			for _, v := range versions {
				check(t, v.tree)
				if got := contents(v.tree, "", ""); !slices.Equal(got, v.want) {
					t.Fatalf("an old version has changed: %d items, want %d", len(got), len(v.want))
				}
			}
			last := versions[len(versions)-1].tree
			for range 200 {
				from, to := fmt.Sprintf("%05d", r.IntN(keys)), fmt.Sprintf("%05d", r.IntN(keys))
				i, found := m.find(from)
				if got := last.Rank(from); got != i {
					t.Fatalf("Rank(%q) = %d, want %d", from, got, i)
				}
				if got, ok := last.Get(from); ok != found || found && *got != m[i] {
					t.Fatalf("Get(%q) = %v, %t", from, got, ok)
				}
				j, _ := m.find(to)
				if got := contents(last, from, to); !slices.Equal(got, m[i:max(i, j)]) {
					t.Fatalf("From(%q, %q) yields %d items, want %d", from, to, len(got), max(i, j)-i)
				}
			}
		})
	}
}

func TestFromStops(t *testing.T) {
	t.Parallel()
	e := Tree[*item]{}.Edit()
	for i := range 1000 {
		e.Set(&item{key: fmt.Sprintf("%04d", i)})
	}
	n := 0
	for range e.Tree().From("", "") {
		if n++; n == 100 {
			break
		}
	}
	if n != 100 {
		t.Fatalf("the loop went on to %d", n)
	}
}

func TestCopiedCountsWhatAVersionKeepsAlive(t *testing.T) {
	t.Parallel()
	e := Tree[*item]{}.Edit()
	for i := range 10000 {
		e.Set(&item{key: fmt.Sprintf("%05d", i)})
	}
	e.Tree()
	e.Copied()
	e.Set(&item{key: "05000"})
	first := e.Copied()
	e.Set(&item{key: "05000"})
	if again := e.Copied(); first == 0 || again != 0 {
		t.Fatalf("copied %d bytes after a new version and %d in the same one", first, again)
	}
}

func BenchmarkSet(b *testing.B) {
	for _, n := range []int{1000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := Tree[*item]{}.Edit()
			items := make([]*item, n)
			for i := range items {
				items[i] = &item{key: fmt.Sprintf("example.com/cars/default/%07d", i*7919%n)}
				e.Set(items[i])
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e.Set(items[i%n])
				e.Tree()
				i += 31
			}
		})
	}
}
