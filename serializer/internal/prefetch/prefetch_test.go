package prefetch

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

type node struct {
	Name string
	Next *node
}

type Part struct{ Bytes []byte }

type part struct{ Text string }

type item struct {
	Part
	part
	Labels map[string]string
	Nodes  []node
	Empty  []struct{}
	Any    any
	Number int
	hidden *node
}

// requested returns how many bytes the Queue requested, beyond the items themselves.
func requested(q *Queue, items any) int {
	q.Items(reflect.ValueOf(items))
	return most - q.left
}

func TestItems(t *testing.T) {
	t.Parallel()
	if !available {
		t.Skip("there is no instruction for it")
	}
	const size = int(unsafe.Sizeof(node{}))
	for name, c := range map[string]struct {
		item item
		want int
	}{
		"nothing":    {item{}, 0},
		"bytes":      {item{Part: Part{Bytes: make([]byte, 10)}}, 10},
		"embedded":   {item{part: part{Text: "12345"}}, 5},
		"long text":  {item{part: part{Text: strings.Repeat("x", 1000)}}, begin},
		"map":        {item{Labels: map[string]string{"a": "b"}}, int(header.size)},
		"empty":      {item{Labels: nil, Nodes: []node{}, Empty: make([]struct{}, 3)}, 0},
		"interface":  {item{Any: &node{Name: "a"}, Number: 1}, 0},
		"unexported": {item{hidden: &node{Name: "a"}}, 0},
		"nodes": {
			item{Nodes: []node{{Name: "a"}, {Next: &node{Name: "bcd", Next: new(node)}}}},
			2*size + 1 + size + 3 + size,
		},
	} {
		var q Queue
		if got := requested(&q, []item{c.item}); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
		if got := requested(&q, []item{{}, c.item, {}, c.item}); got != 2*c.want {
			t.Errorf("%s, twice: %d bytes, want %d", name, got, 2*c.want)
		}
	}
}

// TestItemsEnds requests items without an end.
func TestItemsEnds(t *testing.T) {
	t.Parallel()
	if !available {
		t.Skip("there is no instruction for it")
	}
	loop := &node{Name: "a"}
	loop.Next = loop
	for name, items := range map[string]any{
		"a loop":      []*node{loop},
		"many nodes":  []item{{Nodes: make([]node, 1<<15)}},
		"many texts":  []item{{Nodes: slicesOf(node{Name: strings.Repeat("x", 100)}, 10_000)}},
		"many items":  make([]*node, 1<<12),
		"a long list": []*node{chain(1 << 15)},
	} {
		var q Queue
		got := requested(&q, items)
		if want := most; name != "many items" && got != want {
			t.Errorf("%s: %d bytes, want %d", name, got, want)
		}
		if q.waiting != [len(q.waiting)]span{} {
			t.Errorf("%s: the queue keeps what was waiting", name)
		}
	}
}

func slicesOf(n node, count int) []node {
	out := make([]node, count)
	for i := range out {
		out[i] = n
	}
	return out
}

func chain(n int) *node {
	var first *node
	for range n {
		first = &node{Next: first}
	}
	return first
}

// TestLayouts builds the layout of a type in several goroutines.
func TestLayouts(t *testing.T) {
	t.Parallel()
	type own struct{ Items []item }
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var q Queue
			q.Items(reflect.ValueOf([]own{{Items: make([]item, 3)}}))
		})
	}
	wg.Wait()
}

func TestItemsAllocatesNothing(t *testing.T) {
	items := reflect.ValueOf([]item{{Nodes: make([]node, 5)}})
	q := new(Queue)
	if n := testing.AllocsPerRun(10, func() { q.Items(items) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
