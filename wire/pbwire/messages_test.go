package pbwire_test

import (
	"reflect"
	"testing"

	"github.com/askind/askind/wire/pbwire"
)

func decodeLeaf(r *pbwire.Reader, out *leaf) {
	for r.Next() {
		out.value = r.Int64()
	}
}

// leafs is a message of the messages of some numbers in field 4, with a field in between where a
// number is negative.
func leafs(numbers ...int64) []byte {
	w := pbwire.NewWriter(nil)
	for i := len(numbers) - 1; i >= 0; i-- {
		if numbers[i] < 0 {
			w.Int64(5, numbers[i])
			continue
		}
		mark := w.Mark()
		w.Int64(1, numbers[i])
		w.Message(4, mark)
	}
	return w.Bytes()
}

func TestMessages(t *testing.T) {
	t.Parallel()
	full := []leaf{{8}, {9}}
	for _, tt := range []struct {
		name    string
		list    []leaf
		numbers []int64
		want    []leaf
	}{
		{"none", nil, nil, nil},
		{"one", nil, []int64{1}, []leaf{{1}}},
		{"some", nil, []int64{1, 2, 3}, []leaf{{1}, {2}, {3}}},
		{"after others", []leaf{{7}}, []int64{1, 2}, []leaf{{7}, {1}, {2}}},
		{"into room that was used", full[:0], []int64{1, 0}, []leaf{{1}, {0}}},
		{"in two runs", nil, []int64{1, 2, -1, 3, 4, 5}, []leaf{{1}, {2}, {3}, {4}, {5}}},
	} {
		for name, read := range map[string]func(*pbwire.Reader, any, any){
			"messages": (*pbwire.Reader).Messages,
			"items":    (*pbwire.Reader).Items,
		} {
			for _, apart := range []bool{false, true} {
				r := pbwire.NewReader(leafs(tt.numbers...), pbwire.Options{Apart: apart})
				got := tt.list
				for r.Next() {
					if r.Field() == 4 {
						read(r, &got, decodeLeaf)
					} else {
						r.Skip()
					}
				}
				if !reflect.DeepEqual(got, tt.want) || r.Err() != nil || len(r.Problems()) > 0 {
					t.Errorf("%s, %s: got %v with %v, %v; want %v", tt.name, name, got, r.Err(), r.Problems(), tt.want)
				}
			}
		}
	}
}

func TestPointee(t *testing.T) {
	t.Parallel()
	var first, second *leaf
	r := pbwire.NewReader(leafs(1, -1, 2), pbwire.Options{})
	for r.Next() {
		switch {
		case r.Field() == 5:
			first, second = second, nil
			r.Skip()
		default:
			r.Pointee(&second, decodeLeaf)
		}
	}
	if *first != (leaf{1}) || *second != (leaf{2}) {
		t.Errorf("got %v and %v", first, second)
	}
	old := second
	r = pbwire.NewReader(leafs(3), pbwire.Options{})
	for r.Next() {
		r.Pointee(&second, decodeLeaf)
	}
	if second != old || *old != (leaf{3}) {
		t.Errorf("what is pointed to was replaced, or is %v", old)
	}
	w := pbwire.NewWriter(nil)
	w.Int64(4, 1)
	r = pbwire.NewReader(w.Bytes(), pbwire.Options{})
	for r.Next() {
		r.Pointee(&second, decodeLeaf)
	}
	if len(r.Problems()) != 1 {
		t.Errorf("a number is not a message: %v", r.Problems())
	}
}

// TestMessagesOfOtherType checks that what the compiler does not check is checked before memory is
// taken for what it is not, also when the type was met before.
func TestMessagesOfOtherType(t *testing.T) {
	t.Parallel()
	r := pbwire.NewReader(leafs(1), pbwire.Options{})
	r.Next()
	var list []leaf
	r.Messages(&list, decodeLeaf)
	var p *leaf
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"a list of others", func() { r.Messages(new([]int64), decodeLeaf) }},
		{"a function of others", func() { r.Messages(&list, func(*pbwire.Reader, *int64) {}) }},
		{"a function of another reader", func() { r.Items(&list, func(*int, *leaf) {}) }},
		{"no function", func() { r.Messages(&list, &leaf{}) }},
		{"no pointer", func() { r.Messages(list, decodeLeaf) }},
		{"a pointer to others", func() { r.Pointee(new(*int64), decodeLeaf) }},
		{"a function of pointers", func() { r.Pointee(&p, func(*pbwire.Reader, **leaf) {}) }},
		{"a pointer to no pointer", func() { r.Pointee(&leaf{}, decodeLeaf) }},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", tt.name)
				}
			}()
			r.Reset(leafs(1), pbwire.Options{})
			r.Next()
			tt.call()
		}()
	}
}
