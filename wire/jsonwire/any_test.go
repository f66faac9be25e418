package jsonwire_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
)

// repeated returns n texts that a function makes of numbers, between brackets.
func repeated(n int, open, end string, text func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = text(i)
	}
	return open + strings.Join(parts, ",") + end
}

// TestLongValues checks that nothing is lost or mixed up in maps and arrays with more elements than
// are held back at once, also where they are inside others that have not ended.
func TestLongValues(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1023, 1024, 1025, 2048, 2049, 5000} {
		array := repeated(n, "[", "]", func(i int) string { return fmt.Sprint(i) })
		object := repeated(n, "{", "}", func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) })
		text := fmt.Sprintf(`{"a":1,"o":%s,"b":[2,%s,%s,3],"c":{"d":4,"o":%s},"e":5}`, object, array, object, object)
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true})
		got := r.Any()
		if want, err := slowAny([]byte(text)); err != nil || !reflect.DeepEqual(got, want) || len(r.Problems()) > 0 {
			t.Errorf("untyped values of %d elements differ from those of encoding/json; %v", n, r.Problems())
		}

		want := map[string]string{}
		for i := range n {
			want[fmt.Sprint("k", i)] = fmt.Sprint(i)
		}
		text = repeated(n, "{", "}", func(i int) string { return fmt.Sprintf(`"k%d":"%d"`, i, i) })
		r.Reset([]byte(text), jsonwire.Options{Strict: true})
		if got := r.StringMap(); !maps.Equal(got, want) || len(r.Problems()) > 0 {
			t.Errorf("a map of %d strings has %d entries; %v", n, len(got), r.Problems())
		}
	}
}

// TestDuplicatesInLongMaps checks that a name is found again however far apart its members are.
func TestDuplicatesInLongMaps(t *testing.T) {
	t.Parallel()
	text := repeated(3000, "{", "}", func(i int) string { return fmt.Sprintf(`"k%d":"%d"`, i%2999, i) })
	for name, read := range map[string]func(r *jsonwire.Reader) any{
		"an untyped map":   func(r *jsonwire.Reader) any { return r.Any().(map[string]any)["k0"] },
		"a map of strings": func(r *jsonwire.Reader) any { return r.StringMap()["k0"] },
	} {
		r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true})
		last := read(r)
		if p := r.Problems(); last != "2999" || len(p) != 1 || p[0].Code != wire.DuplicateField || p[0].Name != "k0" ||
			p[0].Offset != strings.LastIndex(text, `"k0"`) {
			t.Errorf("%s: the last value is %v; %v", name, last, p)
		}
	}
}

// TestMemoryIsCounted checks that the room for memory falls by at least the memory of what was
// read, and that the text ends when there is less room.
func TestMemoryIsCounted(t *testing.T) {
	t.Parallel()
	const word = strconv.IntSize / 8 // bytes; an interface or a string has two words, and a slice three
	null := func(int) string { return "null" }
	member := func(i int) string { return fmt.Sprintf(`"k%d":""`, i) }
	untyped := func(r *jsonwire.Reader) { r.Any() }
	for _, tt := range []struct {
		name, text string
		read       func(r *jsonwire.Reader)
		least      int
	}{
		{"an untyped array", repeated(100, "[", "]", null), untyped, 100 * 2 * word},
		{"a long untyped array, copied once", repeated(5000, "[", "]", null), untyped, 2 * 5000 * 2 * word},
		{
			"empty untyped arrays", repeated(100, "[", "]", func(int) string { return "[]" }),
			untyped, 100 * (2 + 3) * word,
		},
		{"an untyped map", repeated(100, "{", "}", member), untyped, 100 * 4 * word},
		{"a long untyped map", repeated(5000, "{", "}", member), untyped, 5000 * 4 * word},
		{"empty untyped maps", repeated(100, "[", "]", func(int) string { return "{}" }), untyped, 100 * 6 * word},
		{
			"a map of strings", repeated(100, "{", "}", member),
			func(r *jsonwire.Reader) { r.StringMap() }, 100 * 4 * word,
		},
		{
			"a list of strings", repeated(100, "[", "]", func(int) string { return `""` }),
			func(r *jsonwire.Reader) { r.Strings() }, 100 * 2 * word,
		},
		{
			"a value within a value", `"[null]"`,
			func(r *jsonwire.Reader) {
				r.Inner([]byte(repeated(100, "[", "]", null)), untyped)
				r.Skip()
			}, 100 * 2 * word,
		},
	} {
		const room = 1 << 20
		r := jsonwire.NewReader([]byte(tt.text), jsonwire.Options{Room: room})
		tt.read(r)
		if spent := room - r.Room(); spent < tt.least || r.Err() != nil {
			t.Errorf("%s: %d bytes are counted, want at least %d; %v", tt.name, spent, tt.least, r.Err())
		}
		r = jsonwire.NewReader([]byte(tt.text), jsonwire.Options{Room: tt.least - 1})
		tt.read(r)
		if e, ok := errors.AsType[*schema.LimitError](r.Err()); !ok || e.Limit != "Memory" {
			t.Errorf("%s with less room than that: %v, want the error for the limit of memory", tt.name, r.Err())
		}
	}
}
