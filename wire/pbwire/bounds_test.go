package pbwire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
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

// holder is a small message that leads to a large one.
type holder struct{ large *large }

func decodeHolder(r *pbwire.Reader, out *holder) {
	for r.Next() {
		r.Pointee(&out.large, decodeLarge)
	}
}

// TestMessagesCountWhatTheyHold checks that a list ends where the memory of what its elements lead
// to is beyond the limit, long before its last element.
func TestMessagesCountWhatTheyHold(t *testing.T) {
	t.Parallel()
	const n = 1000
	var list []holder
	r := pbwire.NewReader(bytes.Repeat([]byte("\x22\x02\x0a\x00"), n), pbwire.Options{})
	for r.Next() {
		r.Messages(&list, decodeHolder)
	}
	if e, ok := errors.AsType[*schema.LimitError](r.Err()); !ok || e.Limit != "Memory" {
		t.Errorf("error %v, want that of the memory", r.Err())
	}
	made := 0
	for i := range list {
		if list[i].large != nil {
			made++
		}
	}
	if made > 10 {
		t.Errorf("%d of %d large messages were made", made, n)
	}
}

// TestCountLimits checks that a map does not get room for more entries than a list may have.
func TestCountLimits(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"\x22", "\xa2\x01"} { // of one byte and of two
		for n, refused := range map[int]bool{5: false, 6: true} {
			r := pbwire.NewReader(bytes.Repeat([]byte(tag+"\x00"), n), pbwire.Options{Limits: schema.Limits{Items: 5}})
			r.Next()
			got := r.Count()
			if e, ok := errors.AsType[*schema.LimitError](r.Err()); ok != refused || ok && e.Limit != "Items" ||
				refused != (got == 0) {
				t.Errorf("%d entries with the tag %x: room for %d, %v", n, tag, got, r.Err())
			}
		}
	}
}

// TestStringsOfTheLimit holds that a string as long as the limit is read, and one that is longer is
// not.
func TestStringsOfTheLimit(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{299: true, 300: true, 301: false} {
		var w pbwire.Writer
		w.String(1, strings.Repeat("x", n))
		r := pbwire.NewReader(w.Bytes(), pbwire.Options{Limits: schema.Limits{String: 300}})
		got := ""
		for r.Next() {
			got = r.String()
		}
		if (r.Err() == nil) != want || want && len(got) != n {
			t.Errorf("%d bytes: got %d, %v", n, len(got), r.Err())
		}
	}
}

// TestBelow holds that what is embedded in a message may be nested as deep as the limit leaves, and
// not at all deep at the end.
func TestBelow(t *testing.T) {
	t.Parallel()
	r := pbwire.NewReader([]byte{0x0a, 0x02, 0x0a, 0x00}, pbwire.Options{Limits: schema.Limits{Depth: 2}})
	for depth, want := range []int{2, 1, 1} {
		if got := r.Below().Depth; got != want {
			t.Errorf("in %d messages: %d levels are left, want %d", depth, got, want)
		}
		if depth < 2 {
			if !r.Next() {
				t.Fatal(r.Err())
			}
			r.Message()
		}
	}
}

// TestHighestField holds that the highest number that protobuf has is read, and the next is not.
func TestHighestField(t *testing.T) {
	t.Parallel()
	for number, want := range map[uint64]bool{1<<29 - 1: true, 1 << 29: false} {
		r := pbwire.NewReader(append(binary.AppendUvarint(nil, number<<3), 7), pbwire.Options{})
		if got := r.Next(); got != want || got && (r.Field() != int(number) || r.Int64() != 7) {
			t.Errorf("%d: got %v, field %d, %v", number, got, r.Field(), r.Err())
		}
	}
}

// TestMessagesInTurnWithAnotherField holds that a list whose elements do not follow each other
// grows in large steps: the memory for all its steps is small beside that of the message.
func TestMessagesInTurnWithAnotherField(t *testing.T) {
	t.Parallel()
	const n = 20_000
	var list []leaf
	r := pbwire.NewReader(bytes.Repeat([]byte("\x22\x02\x08\x07\x28\x01"), n), pbwire.Options{})
	grown, last := 0, 0
	for r.Next() {
		if r.Field() != 4 {
			r.Skip()
			continue
		}
		r.Messages(&list, decodeLeaf)
		if cap(list) != last {
			grown, last = grown+1, cap(list)
		}
	}
	if r.Err() != nil || len(list) != n || list[n-1] != (leaf{7}) {
		t.Fatalf("%d elements, %v", len(list), r.Err())
	}
	if grown > 20 {
		t.Errorf("the list has grown %d times", grown)
	}
}

// TestRoomOfMaps checks that a map gets no room for entries that must have equal keys.
func TestRoomOfMaps(t *testing.T) {
	t.Parallel()
	const n = 60_000
	r := pbwire.NewReader(bytes.Repeat([]byte("\x0a\x00"), n), pbwire.Options{})
	if !r.Next() {
		t.Fatal("no field")
	}
	if got, most := r.Count(), 256+2*n/6; got > most {
		t.Errorf("room for %d of %d entries of two bytes, want at most %d", got, n, most)
	}
}

// TestItemsOfPackedLists checks that the limit of items holds for packed numbers.
func TestItemsOfPackedLists(t *testing.T) {
	t.Parallel()
	data := append([]byte("\x0a\x7f"), make([]byte, 127)...)
	for _, most := range []int{126, 127} {
		r := pbwire.NewReader(data, pbwire.Options{Limits: schema.Limits{Items: most}})
		if !r.Next() {
			t.Fatal("no field")
		}
		list := pbwire.Int64s[int64](r, nil)
		if refused := errors.Is(r.Err(), schema.ErrLimit); refused != (most < 127) || !refused && len(list) != 127 {
			t.Errorf("at most %d: %d numbers, %v", most, len(list), r.Err())
		}
	}
}

// TestDepthOfLongMessages checks that the limit of depth is the same for messages whose length
// takes more than two bytes, which are entered in another way.
func TestDepthOfLongMessages(t *testing.T) {
	t.Parallel()
	within := func(content []byte) []byte {
		return append(binary.AppendUvarint([]byte{0x0a}, uint64(len(content))), content...)
	}
	data := within(within(within(make([]byte, 1<<15))))
	for depth, want := range map[int]bool{1: false, 2: true, 3: true} {
		r := pbwire.NewReader(data, pbwire.Options{Limits: schema.Limits{Depth: depth}})
		for range 2 {
			if r.Next() {
				r.Message()
			}
		}
		if r.Next(); (r.Err() == nil) != want {
			t.Errorf("two messages with a limit of %d: %v", depth, r.Err())
		}
	}
}

// TestItemsAmongOtherFields checks that the limit of items counts all elements of a list, also if
// fields between them keep the reader from counting them in advance.
func TestItemsAmongOtherFields(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{5: true, 6: false} {
		data := bytes.Repeat([]byte("\x0a\x00\x10\x01"), n)
		r := pbwire.NewReader(data, pbwire.Options{Limits: schema.Limits{Items: 5}})
		var list []struct{ value int64 }
		for r.Next() {
			if r.Field() != 1 {
				r.Skip()
				continue
			}
			list = pbwire.Extend(r, list)
			saved := r.Message()
			for r.Next() {
				r.Skip()
			}
			r.EndMessage(saved)
		}
		if (r.Err() == nil) != want || want && len(list) != n {
			t.Errorf("%d elements: got %d, %v", n, len(list), r.Err())
		}
	}
}
