package jsonwire

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"weak"

	plainbuild "github.com/askind/askind/internal/plain"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/internal/batch"
	"github.com/askind/askind/wire/internal/problems"
)

// TestResetForgets checks that a Reader that is used again has the state of a new one.
func TestResetForgets(t *testing.T) {
	t.Parallel()
	data, o := []byte("[1]"), Options{Limits: schema.Limits{Depth: 3}}
	r := &Reader{
		data: []byte("{"), pos: 1, start: 1, keyStart: 1, depth: 1, maxDepth: 1, size: 1, digits: 1, strict: true,
		annotated: true, rawForm: func(dst, _ []byte) ([]byte, error) { return dst, nil }, embedded: 1, discards: true,
		problems: problems.List{Dropped: 1}, err: &Error{}, errEnd: 1,
	}
	r.Reset(data, o)
	fresh := NewReader(data, o)
	r.values, fresh.values = batch.Set{}, batch.Set{}
	if !reflect.DeepEqual(r, fresh) {
		t.Errorf("got  %+v\nwant %+v", r, fresh)
	}
}

// TestItemsAreApart checks that a value of one item of a list does not keep those of the item
// before in memory, and neither does a reader that has been released.
func TestItemsAreApart(t *testing.T) {
	if plainbuild.Enabled {
		t.Skip("values do not share memory")
	}
	t.Parallel()
	r := NewReader([]byte(strings.Repeat(" ", 1000)), Options{})
	for range 2 { // the second document is expected to need what the first did
		r.Item()
		New[[2]*int](r)
		New[[2]*int](r)
		r.Reset(r.data, Options{})
	}
	r.Item()
	first := weak.Make(New[[2]*int](r))
	r.Item()
	second := New[[2]*int](r)
	runtime.GC()
	if first.Value() != nil {
		t.Error("a value of the first item is in memory with one of the second")
	}
	runtime.KeepAlive(second)
	r.Item()
	New[[2]*int](r)
	New[[2]*int](r)
	r.Item()
	last := weak.Make(New[[2]*int](r))
	r.Release()
	runtime.GC()
	if last.Value() != nil {
		t.Error("a reader that has been released keeps the values of its last item in memory")
	}
	runtime.KeepAlive(r)
}

// TestScratchIsClean checks that a Reader does not retain what was read with it: its scratch memory
// has no references to values, and what one large text has needed is released.
func TestScratchIsClean(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a":"b"}`, `{"a":{"b":["c",{"d":"e"}]},"f":["g"]}`, `{"a":["b"`, `["a",{"b":`,
		`{"a":1,"a":{"b":["c"],"b":1}}`,
	} {
		r := NewReader([]byte(text), Options{Strict: true})
		r.StringMap()
		r.Reset([]byte(text), Options{Strict: true})
		r.Any()
		r.Reset([]byte(text), Options{Strict: true})
		r.Raw()
		for _, e := range r.pairs[:cap(r.pairs)] {
			if e != (entry[string]{}) {
				t.Errorf("%s: a string map leaves %+v", text, e)
			}
		}
		r.Release()
		for _, e := range r.entries[:cap(r.entries)] {
			if e.key != "" || e.value != nil {
				t.Errorf("%s: an untyped map leaves %+v", text, e)
			}
		}
		for _, e := range r.elements[:cap(r.elements)] {
			if e != nil {
				t.Errorf("%s: an untyped array leaves %v", text, e)
			}
		}
	}

	long := `{"` + strings.Repeat(`\n`, 1<<20) + `":"` + strings.Repeat(`\n`, 1<<20) + `"` +
		strings.Repeat(`,"a":[],"a":1`, 1<<12) + `}`
	r := NewReader([]byte(long), Options{Strict: true})
	r.Raw()
	r.Reset([]byte(long), Options{Strict: true})
	for key := r.Object(); key != nil; key = r.NextKey() {
		r.Any()
	}
	r.Release()
	if n := cap(r.unescaped) + cap(r.keyBuf) + cap(r.resolved); n > 4<<16 {
		t.Errorf("%d bytes of scratch memory are kept", n)
	}
	if n := cap(r.seen.stack); n > 1<<10 {
		t.Errorf("%d elements of scratch memory are kept", n)
	}
}
