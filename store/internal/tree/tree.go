// Package tree is an ordered map from strings to items that keeps its old versions.
//
// A [Tree] is an immutable value. An [Editor] makes the next one from it and copies only the nodes
// on the way to what changes, so the versions share all others. Readers of a Tree need no lock,
// whatever is edited meanwhile.
//
// The structure is a B-tree with items in all nodes. Every node knows how many items are below it,
// which makes [Tree.Rank] fast.
package tree

import (
	"iter"
	"reflect"
)

// Item is what a tree holds. Its key never changes while it is in a tree.
type Item interface {
	TreeKey() string
}

// maxItems is how many items fit into a node. Deletions keep nodes at minItems or more; a node that
// was split off at the end begins with one item.
const (
	maxItems = 31
	minItems = maxItems / 2
)

type node[T Item] struct {
	owner    *owner // of the editor that made it and may still change it
	size     int    // items in the node and below
	n        int    // items in the node
	items    [maxItems]T
	children *[maxItems + 1]*node[T] // nil in a leaf, else n+1 of them
}

// owner identifies one editor between two calls of its Tree method. It must have a size, because
// all pointers to values without one may be equal.
type owner struct{ _ byte }

// Tree is one version. The zero Tree is empty. It never changes and is safe for any number of
// goroutines.
type Tree[T Item] struct{ root *node[T] }

// Len returns the number of items.
func (t Tree[T]) Len() int {
	if t.root == nil {
		return 0
	}
	return t.root.size
}

// search returns the index of the first item of a node whose key is not below the key, and whether
// it is equal.
func (n *node[T]) search(key string) (int, bool) {
	low, high := 0, n.n
	for low < high {
		mid := int(uint(low+high) >> 1)
		if n.items[mid].TreeKey() < key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < n.n && n.items[low].TreeKey() == key
}

// Get returns the item with a key.
func (t Tree[T]) Get(key string) (item T, ok bool) {
	for n := t.root; n != nil; {
		i, found := n.search(key)
		if found {
			return n.items[i], true
		}
		if n.children == nil {
			break
		}
		n = n.children[i]
	}
	return item, false
}

// Rank returns how many items have a key below the key.
func (t Tree[T]) Rank(key string) int {
	rank := 0
	for n := t.root; n != nil; {
		i, found := n.search(key)
		rank += i
		if n.children == nil {
			break
		}
		for _, child := range n.children[:i] {
			rank += child.size
		}
		if found {
			return rank + n.children[i].size
		}
		n = n.children[i]
	}
	return rank
}

// From yields the items whose keys are at or above from and below to, in order. A blank to means no
// upper bound.
func (t Tree[T]) From(from, to string) iter.Seq[T] {
	return func(yield func(T) bool) {
		if t.root != nil {
			t.root.from(from, to, yield)
		}
	}
}

// from reports whether to go on. It compares keys only in nodes at the bounds.
func (n *node[T]) from(from, to string, yield func(T) bool) bool {
	i, end, found := 0, n.n, false
	if from != "" {
		i, found = n.search(from)
	}
	if to != "" {
		end, _ = n.search(to)
	}
	// below yields from the child before item i.
	below := func(i int, from string) bool {
		to := to
		if i < end { // the item is below to, and so is all that comes before it
			to = ""
		}
		return n.children == nil || n.children[i].from(from, to, yield)
	}
	if !found && !below(i, from) {
		return false
	}
	for ; i < end; i++ {
		if !yield(n.items[i]) || !below(i+1, "") {
			return false
		}
	}
	return end == n.n
}

// Edit returns an editor that begins with this version.
func (t Tree[T]) Edit() *Editor[T] { return &Editor[T]{root: t.root, owner: new(owner)} }

// Editor makes new versions of a tree. It is for one goroutine.
type Editor[T Item] struct {
	root   *node[T]
	owner  *owner
	copied int
}

// Tree returns the version as it is now, which later edits do not change.
func (e *Editor[T]) Tree() Tree[T] {
	e.owner = new(owner)
	return Tree[T]{e.root}
}

// Len returns the number of items.
func (e *Editor[T]) Len() int { return Tree[T]{e.root}.Len() }

// Get returns the item with a key.
func (e *Editor[T]) Get(key string) (T, bool) { return Tree[T]{e.root}.Get(key) }

// Copied returns how many bytes the nodes have that were made since it was called last. An old
// version keeps about as many alive that the new one does not use.
func (e *Editor[T]) Copied() int {
	n := e.copied
	e.copied = 0
	return n
}

// nodeSize returns the size of a node without its children.
func nodeSize[T Item]() int { return int(reflect.TypeFor[node[T]]().Size()) }

// childrenSize is what the children take on a machine with addresses of 8 bytes.
const childrenSize = (maxItems + 1) * 8

// own returns a node that may be changed: itself, or a copy.
func (e *Editor[T]) own(n *node[T]) *node[T] {
	if n.owner == e.owner {
		return n
	}
	out := *n
	out.owner = e.owner
	e.copied += nodeSize[T]()
	if n.children != nil {
		children := *n.children
		out.children = &children
		e.copied += childrenSize
	}
	return &out
}

func (e *Editor[T]) newNode(inner bool) *node[T] {
	n := &node[T]{owner: e.owner}
	e.copied += nodeSize[T]()
	if inner {
		n.children = new([maxItems + 1]*node[T])
		e.copied += childrenSize
	}
	return n
}

// Set puts an item into the tree and returns the one with the same key that was there.
func (e *Editor[T]) Set(item T) (old T, replaced bool) {
	if e.root == nil {
		e.root = e.newNode(false)
	}
	e.root = e.own(e.root)
	if e.root.n == maxItems {
		root := e.newNode(true)
		root.children[0], root.size = e.root, e.root.size
		e.root = root
		e.split(root, 0, item.TreeKey())
	}
	return e.insert(e.root, item)
}

// insert puts an item below a node that is owned and not full.
func (e *Editor[T]) insert(n *node[T], item T) (old T, replaced bool) {
	key := item.TreeKey()
	i, found := n.search(key)
	if found {
		old, n.items[i] = n.items[i], item
		return old, true
	}
	if n.children == nil {
		n.insertItem(i, item)
		n.size++
		return old, false
	}
	child := e.own(n.children[i])
	n.children[i] = child
	if child.n == maxItems {
		e.split(n, i, key)
		switch middle := n.items[i].TreeKey(); {
		case key == middle:
			old, n.items[i] = n.items[i], item
			return old, true
		case key > middle:
			i++
		}
		child = n.children[i]
	}
	if old, replaced = e.insert(child, item); !replaced {
		n.size++
	}
	return old, replaced
}

func (n *node[T]) insertItem(i int, item T) {
	copy(n.items[i+1:n.n+1], n.items[i:n.n])
	n.items[i] = item
	n.n++
}

// split divides the full child i of a node; both are owned. The left part stays nearly
// full if the key goes after all its items, as keys do that are inserted in order.
func (e *Editor[T]) split(n *node[T], i int, key string) {
	left := n.children[i]
	at := maxItems / 2
	if key > left.items[maxItems-1].TreeKey() {
		at = maxItems - 2
	}
	right := e.newNode(left.children != nil)
	middle := left.items[at]
	right.n = copy(right.items[:], left.items[at+1:left.n])
	right.size = right.n
	clear(left.items[at:left.n])
	if left.children != nil {
		copy(right.children[:], left.children[at+1:left.n+1])
		clear(left.children[at+1 : left.n+1])
		for _, child := range right.children[:right.n+1] {
			right.size += child.size
		}
	}
	left.n = at
	left.size -= right.size + 1
	copy(n.children[i+2:n.n+2], n.children[i+1:n.n+1])
	n.children[i+1] = right
	n.insertItem(i, middle)
}

// Delete takes the item with a key out of the tree and returns it.
func (e *Editor[T]) Delete(key string) (old T, ok bool) {
	if _, ok = e.Get(key); !ok {
		return old, false
	}
	e.root = e.own(e.root)
	old = e.remove(e.root, key)
	switch {
	case e.root.n > 0:
	case e.root.children == nil:
		e.root = nil
	default:
		e.root = e.root.children[0]
	}
	return old, true
}

// remove removes an item, which must exist, from an owned node or the nodes below it.
func (e *Editor[T]) remove(n *node[T], key string) (old T) {
	n.size--
	i, found := n.search(key)
	switch {
	case n.children == nil:
		old = n.items[i]
		n.removeItem(i)
		return old
	case found:
		old = n.items[i]
		child := e.own(n.children[i])
		n.children[i] = child
		n.items[i] = e.removeLast(child)
	default:
		child := e.own(n.children[i])
		n.children[i] = child
		old = e.remove(child, key)
	}
	e.fill(n, i)
	return old
}

// removeLast takes the last item out of an owned node or what is below it.
func (e *Editor[T]) removeLast(n *node[T]) (last T) {
	n.size--
	if n.children == nil {
		last = n.items[n.n-1]
		n.removeItem(n.n - 1)
		return last
	}
	child := e.own(n.children[n.n])
	n.children[n.n] = child
	last = e.removeLast(child)
	e.fill(n, n.n)
	return last
}

func (n *node[T]) removeItem(i int) {
	copy(n.items[i:n.n], n.items[i+1:n.n])
	n.n--
	clear(n.items[n.n : n.n+1])
}

// fill brings the owned child i of an owned node, if it has too few items, to minItems: by taking
// one from a neighbour, or by joining both.
func (e *Editor[T]) fill(n *node[T], i int) {
	switch {
	case n.children[i].n >= minItems:
	case i > 0 && n.children[i-1].n > minItems:
		e.rotateRight(n, i-1)
	case i < n.n && n.children[i+1].n > minItems:
		e.rotateLeft(n, i)
	case i > 0:
		e.join(n, i-1)
	default:
		e.join(n, i)
	}
}

// rotateRight moves the last item of child i up and the item between them down into child i+1.
func (e *Editor[T]) rotateRight(n *node[T], i int) {
	left, right := e.own(n.children[i]), n.children[i+1]
	n.children[i] = left
	moved := 1
	if left.children != nil {
		copy(right.children[1:right.n+2], right.children[:right.n+1])
		right.children[0] = left.children[left.n]
		left.children[left.n] = nil
		moved += right.children[0].size
	}
	right.insertItem(0, n.items[i])
	n.items[i] = left.items[left.n-1]
	left.removeItem(left.n - 1)
	left.size -= moved
	right.size += moved
}

// rotateLeft moves the first item of child i+1 up and the item between them down into child i.
func (e *Editor[T]) rotateLeft(n *node[T], i int) {
	left, right := n.children[i], e.own(n.children[i+1])
	n.children[i+1] = right
	moved := 1
	if left.children != nil {
		left.children[left.n+1] = right.children[0]
		moved += right.children[0].size
		copy(right.children[:right.n], right.children[1:right.n+1])
		right.children[right.n] = nil
	}
	left.insertItem(left.n, n.items[i])
	n.items[i] = right.items[0]
	right.removeItem(0)
	left.size += moved
	right.size -= moved
}

// join makes one node of the children i and i+1 and the item between them.
func (e *Editor[T]) join(n *node[T], i int) {
	left, right := e.own(n.children[i]), n.children[i+1]
	n.children[i] = left
	left.insertItem(left.n, n.items[i])
	if left.children != nil {
		copy(left.children[left.n:], right.children[:right.n+1])
	}
	left.n += copy(left.items[left.n:], right.items[:right.n])
	left.size += right.size + 1
	n.removeItem(i)
	copy(n.children[i+1:n.n+1], n.children[i+2:n.n+2])
	n.children[n.n+1] = nil
}
