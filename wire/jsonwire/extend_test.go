package jsonwire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

func TestExtend(t *testing.T) {
	t.Parallel()
	type big [300]byte
	for _, n := range []int{1, 2, 5, 100, 5000} {
		text := "[" + strings.TrimSuffix(strings.Repeat("12345,", n), ",") + "]"
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
		var small []int32
		start := r.Offset()
		for more := r.Array(); more; more = r.NextElem() {
			small = jsonwire.Extend(r, small, start)
			if last := &small[len(small)-1]; *last != 0 {
				t.Fatal("the new element is not zero")
			} else {
				*last = r.Int32(0)
			}
		}
		for _, v := range small {
			if v != 12345 {
				t.Fatalf("%d elements: an element is %d", n, v)
			}
		}
		if len(small) != n || cap(small) > max(4, 2*n) {
			t.Errorf("%d elements: length %d, capacity %d", n, len(small), cap(small))
		}
		if n == 5000 && cap(small) > n+n/4 {
			t.Errorf("%d elements: capacity %d", n, cap(small))
		}
		r.Reset([]byte(text), jsonwire.Options{})
		var large []big
		for more := r.Array(); more; more = r.NextElem() {
			large = jsonwire.Extend(r, large, 0)
			r.Skip()
		}
		if len(large) != n || cap(large) > 2*n {
			t.Errorf("%d large elements: length %d, capacity %d", n, len(large), cap(large))
		}
	}
}

func TestExtendWithstandsBadEstimates(t *testing.T) {
	t.Parallel()
	// Sixteen tiny elements before a long text must not reserve memory for as many as the text
	// could hold.
	text := "[" + strings.Repeat("1,", 16) + `"` + strings.Repeat("x", 1<<20) + `"]`
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{})
	var s [][300]byte
	for more := r.Array(); more; more = r.NextElem() {
		s = jsonwire.Extend(r, s, 0)
		r.Skip()
	}
	if cap(s) > 64 {
		t.Errorf("capacity %d for %d elements", cap(s), len(s))
	}
}

// TestSpendEntry checks that the entries of a map count toward the limit of memory.
func TestSpendEntry(t *testing.T) {
	t.Parallel()
	type large struct{ _ [64 << 10]byte }
	var text []byte
	for i := range 1000 {
		text = fmt.Appendf(text, `,"%d":{}`, i)
	}
	text[0] = '{'
	r := jsonwire.NewReader(append(text, '}'), jsonwire.Options{})
	read := map[string]large{}
	for key := r.Object(); key != nil; key = r.NextKey() {
		jsonwire.SpendEntry(r, read)
		read[r.KeyString(key)] = large{}
		r.Skip()
	}
	if e, ok := errors.AsType[*schema.LimitError](r.Err()); !ok || e.Limit != "Memory" || len(read) > 13 {
		t.Errorf("%d entries are read, and the error is %v", len(read), r.Err())
	}
}
