package pbwire_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/pbwire"
)

// large is a message that takes half a MiB.
type large struct{ values [1 << 16]int64 }

func decodeLarge(r *pbwire.Reader, out *large) {
	for r.Next() {
		out.values[0] = r.Int64()
	}
}

// TestMessagesIntoUsedRoom: a message without fields is zero, whatever the capacity of the list
// held before.
func TestMessagesIntoUsedRoom(t *testing.T) {
	t.Parallel()
	used := []leaf{{8}, {9}}
	list := used[:0]
	r := pbwire.NewReader([]byte("\x22\x00\x22\x00"), pbwire.Options{})
	for r.Next() {
		r.Messages(&list, decodeLeaf)
	}
	if len(list) != 2 || list[0] != (leaf{}) || list[1] != (leaf{}) || r.Err() != nil {
		t.Errorf("got %v, error %v", list, r.Err())
	}
}

// TestMessagesLimits: the limits are compared before memory is taken, and the elements of all runs
// count.
func TestMessagesLimits(t *testing.T) {
	t.Parallel()
	read := func(limits schema.Limits, numbers ...int64) ([]leaf, error) {
		var list []leaf
		r := pbwire.NewReader(leafs(numbers...), pbwire.Options{Limits: limits})
		for r.Next() {
			if r.Field() == 4 {
				r.Messages(&list, decodeLeaf)
			} else {
				r.Skip()
			}
		}
		return list, r.Err()
	}
	for _, tt := range []struct {
		name    string
		items   int
		numbers []int64
		left    int
		refused bool
	}{
		{"as many as allowed", 5, []int64{1, 2, -1, 3, 4, 5}, 5, false},
		{"one more, in two runs", 4, []int64{1, 2, -1, 3, 4, 5}, 2, true},
		{"one more, in one run", 2, []int64{1, 2, 3}, 0, true},
	} {
		list, err := read(schema.Limits{Items: tt.items}, tt.numbers...)
		e, ok := errors.AsType[*schema.LimitError](err)
		if ok != tt.refused || ok && e.Limit != "Items" || len(list) != tt.left {
			t.Errorf("%s: %d elements, error %v", tt.name, len(list), err)
		}
	}

	var list []large
	r := pbwire.NewReader([]byte("\x22\x00\x22\x00\x22\x00\x22\x00"), pbwire.Options{})
	for r.Next() {
		r.Messages(&list, decodeLarge)
	}
	if list != nil || r.Err() == nil {
		t.Fatalf("%d large elements from 8 bytes, error %v", len(list), r.Err())
	}
	if e, ok := errors.AsType[*schema.LimitError](r.Err()); !ok || e.Limit != "Memory" {
		t.Errorf("error %v, want that of the memory", r.Err())
	}
}
