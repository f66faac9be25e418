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
	used = []leaf{{8}, {9}}
	list = pbwire.Extend(pbwire.NewReader(nil, pbwire.Options{}), used[:1])
	if len(list) != 2 || list[0] != (leaf{8}) || list[1] != (leaf{}) {
		t.Errorf("Extend: got %v", list)
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

// TestEntriesCount checks that the entries of a map count toward the limits, also if other fields
// are between them.
func TestEntriesCount(t *testing.T) {
	t.Parallel()
	type large struct{ _ [64 << 10]byte }
	const n = 1000
	for _, between := range []string{"", "\x08\x01"} {
		var message []byte
		for i := range n {
			message = append(append(message, 0x22, 4, 0x0a, 2, byte(i>>7), byte(i&0x7F)), between...)
		}
		for _, tt := range []struct {
			limit  string
			limits schema.Limits
			most   int // entries that are read
		}{
			{"Memory", schema.Limits{}, 11},
			{"Items", schema.Limits{Items: 5}, 5},
		} {
			var read map[string]large
			r := pbwire.NewReader(message, pbwire.Options{Limits: tt.limits})
			for r.Next() {
				if r.Field() != 4 {
					r.Skip()
					continue
				}
				read = pbwire.GrowMap(r, read)
				if saved := r.Message(); r.Next() {
					read[r.String()] = large{}
					r.EndMessage(saved)
				}
			}
			if e, ok := errors.AsType[*schema.LimitError](r.Err()); !ok || e.Limit != tt.limit || len(read) > tt.most {
				t.Errorf("%d entries are read, and the error is %v; want at most %d and that of %s", len(read), r.Err(),
					tt.most, tt.limit)
			}

			var texts map[string]string
			r = pbwire.NewReader(message, pbwire.Options{Limits: schema.Limits{Items: n - 1}})
			for r.Next() {
				if r.Field() == 4 {
					r.StringMap(&texts)
				} else {
					r.Skip()
				}
			}
			if e, ok := errors.AsType[*schema.LimitError](r.Err()); !ok || e.Limit != "Items" || len(texts) >= n {
				t.Errorf("%d texts are read, and the error is %v", len(texts), r.Err())
			}
		}
	}
}

// TestStringsOfTheLimit holds that a string as long as the limit is read, and one that is longer is
// not, wherever it is.
func TestStringsOfTheLimit(t *testing.T) {
	t.Parallel()
	for _, most := range []int{20, 300} {
		for n, want := range map[int]bool{most - 1: true, most: true, most + 1: false} {
			text := strings.Repeat("x", n)
			var w pbwire.Writer
			w.StringMap(3, map[string]string{"a": text, text: "a"})
			w.Strings(2, []string{"a", text})
			w.String(1, text)
			all := w.Bytes()
			for field := 1; field <= 3; field++ {
				r := pbwire.NewReader(all, pbwire.Options{Limits: schema.Limits{String: most}})
				got := ""
				for r.Next() {
					switch {
					case r.Field() != field:
						r.Skip()
					case field == 1:
						got = r.String()
					case field == 2:
						if list := r.Strings(nil); len(list) == 2 {
							got = list[1]
						}
					default:
						var m map[string]string
						r.StringMap(&m)
						got = m["a"]
					}
				}
				if (r.Err() == nil) != want || want && got != text {
					t.Errorf("%d of %d bytes in field %d: got %d, %v", n, most, field, len(got), r.Err())
				}
			}
		}
	}
}

// TestLengthsWithinTheirMessage checks that no value extends beyond the message that it is in,
// although there is more input.
func TestLengthsWithinTheirMessage(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*pbwire.Reader){
		"String": func(r *pbwire.Reader) { _ = r.String() }, "Text": func(r *pbwire.Reader) { r.Text() },
		"Bytes": func(r *pbwire.Reader) { r.Bytes() },
		"Skip":  (*pbwire.Reader).Skip, "Unknown": (*pbwire.Reader).Unknown,
		"Strings":   func(r *pbwire.Reader) { r.Strings(nil) },
		"StringMap": func(r *pbwire.Reader) { r.StringMap(new(map[string]string)) },
		"numbers":   func(r *pbwire.Reader) { pbwire.Int64s[int64](r, nil) },
		"doubles":   func(r *pbwire.Reader) { pbwire.Float64s[float64](r, nil) },
		"Message":   func(r *pbwire.Reader) { r.EndMessage(r.Message()) },
		"Messages":  func(r *pbwire.Reader) { r.Messages(new([]leaf), decodeLeaf) },
	} {
		for _, size := range []int{8, 200, 20_000} {
			for more, want := range map[int]bool{0: true, 1: false} {
				value := bytes.Repeat([]byte{0x12, 0}, size/2) // fields of an entry, a map, and numbers
				inner := append(binary.AppendUvarint([]byte{0x0a}, uint64(size+more)), value...)
				// A string before the message makes a block for the strings in it.
				data := append([]byte{0x0a, 1, 'x'}, 0x0a)
				data = append(binary.AppendUvarint(data, uint64(len(inner))), inner...)
				r := pbwire.NewReader(append(data, make([]byte, 16)...), pbwire.Options{})
				r.Next()
				_ = r.String()
				r.Next()
				r.Message()
				if r.Next() {
					read(r)
				}
				if got := r.Err() == nil; got != want {
					t.Errorf("%s of %d bytes where there are %d: %v", name, size+more, size, r.Err())
				}
			}
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
	var (
		values  []struct{ value int64 }
		numbers []int64
		bools   []bool
		texts   []string
		blobs   [][]byte
		leaves  []leaf
	)
	for _, tt := range []struct {
		name, element string
		read          func(r *pbwire.Reader) (n int)
	}{
		{"Extend", "\x0a\x00", func(r *pbwire.Reader) int {
			values = pbwire.Extend(r, values)
			saved := r.Message()
			for r.Next() {
				r.Skip()
			}
			r.EndMessage(saved)
			return len(values)
		}},
		{"Messages", "\x0a\x00", func(r *pbwire.Reader) int { r.Messages(&leaves, decodeLeaf); return len(leaves) }},
		{"numbers", "\x08\x01", func(r *pbwire.Reader) int {
			numbers = pbwire.Int64s(r, numbers)
			return len(numbers)
		}},
		{"packed numbers", "\x0a\x01\x01", func(r *pbwire.Reader) int {
			bools = pbwire.Bools(r, bools)
			return len(bools)
		}},
		{"strings", "\x0a\x01x", func(r *pbwire.Reader) int { texts = r.Strings(texts); return len(texts) }},
		{"bytes", "\x0a\x01x", func(r *pbwire.Reader) int { blobs = pbwire.ByteSlices(r, blobs); return len(blobs) }},
	} {
		for n, want := range map[int]bool{5: true, 6: false} {
			values, numbers, bools, texts, blobs, leaves = nil, nil, nil, nil, nil, nil
			r := pbwire.NewReader(bytes.Repeat([]byte(tt.element+"\x10\x01"), n),
				pbwire.Options{Limits: schema.Limits{Items: 5}})
			got := 0
			for r.Next() {
				if r.Field() == 1 {
					got = tt.read(r)
				} else {
					r.Skip()
				}
			}
			if (r.Err() == nil) != want || want && got != n {
				t.Errorf("%s: %d elements: got %d, %v", tt.name, n, got, r.Err())
			}
		}
	}
}
