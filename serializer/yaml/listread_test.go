package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/listing"
	"github.com/askind/askind/serializer/internal/located"
	"github.com/askind/askind/wire/jsonwire"
)

// describe returns all that a document of a list says: its JSON text, the places of its values and
// keys, and what is wrong with it.
func describe(doc format.Document) string {
	d := doc.(*document)
	var b strings.Builder
	fmt.Fprintf(&b, "%q", d.json)
	last := -1
	for i, c := range d.json {
		if at := d.text(i); at != last && strings.IndexByte(",]}", c) < 0 { // what follows a value has its place
			p := d.PositionAt(i)
			fmt.Fprintf(&b, " %d=%d:%d(%d)", i, p.Line, p.Column, p.Offset)
			last = at
		}
	}
	for _, dup := range d.duplicates {
		fmt.Fprintf(&b, " twice %s at %v", jsonwire.PathAt(d.json, dup.json), d.source.position(d.segment, dup.text))
	}
	for _, p := range d.problems {
		fmt.Fprintf(&b, " wrong %v", p)
	}
	return b.String()
}

// partsOf describes the parts of a list, as read reads it, and the error that ended that. Items
// that come before the type are described when all is read, as they are kept until then.
func partsOf(limit int, r io.Reader, read func(l *listReader) error) (parts []string, end error) {
	var kept []format.Document
	limits := parsing(schema.Limits{Item: limit, Size: 1 << 20})
	for part, err := range listing.Read(r, limits, func(r *listing.Reader) error {
		return read(&listReader{Reader: r, base: located.Start, limits: limits})
	}) {
		if part.Head == nil {
			end = err
			break
		}
		var doc format.Document
		text := "head "
		switch {
		case err != nil:
			text = "error " + describeError(err)
		case part.Item != nil:
			text, doc = "item ", part.Item
			if apiVersion, kind, _ := part.Head.Type(); apiVersion != "" && kind != "" {
				text, doc = text+describe(doc), nil
			}
		default:
			doc = part.Head
		}
		parts, kept = append(parts, text), append(kept, doc)
	}
	for i, doc := range kept {
		if doc != nil {
			parts[i] += describe(doc)
		}
	}
	return parts, end
}

func describeError(err error) string {
	d, ok := errors.AsType[*runtime.DecodeError](err)
	if !ok {
		return err.Error()
	}
	return fmt.Sprintf("%+v", d.Problems)
}

// halves reads a text in two pieces.
func halves(data []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(data[:len(data)/2]), bytes.NewReader(data[len(data)/2:]))
}

// checkList reads a list item by item, in pieces of several sizes, and holds that what comes of it
// is what comes of reading all of it first: item by item the same text from the same places, and
// the same errors. Of a text that is broken further down there may be items in front of the error;
// and in one that has the items twice, those that the last ones would have replaced were read by
// then. It returns how many items were read one by one.
func checkList(t *testing.T, data []byte, limit int) (items int) {
	t.Helper()
	want, wantErr := partsOf(limit, bytes.NewReader(data), (*listReader).rest)
	var first []string
	for i, r := range []io.Reader{
		bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), halves(data),
		iotest.DataErrReader(bytes.NewReader(data)),
	} {
		var alone int
		got, err := partsOf(limit, r, func(l *listReader) error {
			if column, ok := l.start(); ok {
				if err := l.items(column); err != nil {
					return err
				}
			}
			alone = l.Index
			return l.rest()
		})
		if i == 0 {
			first, items = got, alone
		} else if !slices.Equal(got, first) || alone != items {
			t.Fatalf("%q read in another way (%d):\n got %d of %q\nwant %d of %q", data, i, alone, got, items, first)
		}
		switch {
		case wantErr != nil:
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || describeError(err) != describeError(wantErr) {
				t.Fatalf("%q: error %v, want %v", data, describeError(err), describeError(wantErr))
			}
			if len(got) != alone {
				t.Fatalf("%q: %d items, and parts in front of the error: %q", data, alone, got)
			}
		case errors.Is(err, runtime.ErrDuplicateField) && alone > 0:
			if !strings.Contains(strings.Join(want, ""), " twice items at ") {
				t.Fatalf("%q: %v, but nothing is there twice: %q", data, err, want)
			}
		case err != nil:
			t.Fatalf("%q: error %v", data, err)
		case !slices.Equal(got, want):
			t.Fatalf("%q:\n got %q\nwant %q", data, got, want)
		}
	}
	return items
}

func TestListItemByItem(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: v1\nkind: L\n"
	for _, c := range []struct {
		name, in string
		items    int // that are read one by one
	}{
		{"below the key", head + "items:\n- a: b\n- a: c\nmetadata: {}\n", 2},
		{"deeper", head + "items:\n  - a: b\n    c: d\n  - a: c\nmetadata: {}\n", 2},
		{"before the type", "items:\n- a: b\n- a: c\n" + head, 2},
		{"between", "apiVersion: v1\nitems:\n- a: b\n- a: c\nkind: L\nmetadata:\n  x: y\n", 2},
		{"no break at the end", head + "items:\n- a: b\n- a: c", 2},
		{"CRLF", "apiVersion: v1\r\nkind: L\r\nitems:\r\n- a: b\r\n  c: |\r\n    d\r\n- a: c\r\nmetadata: {}\r\n", 2},
		{"comments", "# c\n\n" + head +
			"items: # c\n# c\n\n  # c\n- a: b\n# c\n- a: c # c\n\n  # c\nmetadata: {} # c\n# c\n", 2},
		{"a mark in front", "# c\n---\n" + head + "items:\n- a: b\n- a: c\n", 2},
		{"a mark behind", head + "items:\n- a: b\n---\n", 1},
		{"dots behind", head + "items:\n- a: b\n...\n# c\n", 1},
		{"a second document", head + "items:\n- a: b\n---\nx: é\n", 1},
		{"a second document behind dots", head + "items:\n- a: b\n...\nx: é\n", 1},
		{"a second document behind a byte order mark", head + "items:\n- a: b\n\ufeff---\nx: é\n", 1},
		{"a mark in an item", head + "items:\n- a: \"b\n---\nc\"\n", 0},
		{"byte order mark", "\ufeff" + head + "items:\n- a: é\n- b: \"é\"\nmetadata: {é: é}\n", 2},
		{"UTF-16", "\xff\xfea\x00:\x00 \x00b\x00\n\x00i\x00t\x00e\x00m\x00s\x00:\x00\n\x00-\x00 \x00a\x00\n\x00", 0},
		{"a directive", "%YAML 1.1\n---\n" + head + "items:\n- a: b\n", 0},
		{"a directive for tags", "%TAG !! tag:example.com,2000:\n---\n" + head + "items:\n- a: !!int 1\n", 0},
		{"flow style", "{apiVersion: v1, kind: L, items: [{a: b}, {a: c}]}\n", 0},
		{"flow style in a line", head + "items: [{a: b}, {a: c}]\n", 0},
		{"JSON", `{"apiVersion": "v1", "items": [{"a": 1}]}`, 0},
		{"an anchor in the head", "apiVersion: v1\nkind: &k L\nitems:\n- a: *k\n", 0},
		{"an anchor for the list", head + "items: &x\n- a: b\n", 0},
		{"an anchor in an item", head + "items:\n- a: b\n- a: &x c\n- a: *x\n- b: c\n", 1},
		{"an anchor for an item", head + "items:\n- a: b\n- &x\n  a: c\n- *x\n", 1},
		{"an anchor on a key", head + "items:\n- &x a: b\n- *x : c\n", 0},
		{"an anchor in a value that is repeated", head + "items:\n- a: &x b\n  a: c\n- b: *x\n", 0},
		{"an anchor in the tail", head + "items:\n- a: b\nmetadata: &x {a: b}\nother: *x\n", 1},
		{"no such anchor", head + "items:\n- a: b\n- a: *x\n", 1},
		{"tags", head + "items:\n- a: !!str 1\n- a: !!binary YQ==\n- a: c\n", 3},
		{"an unknown tag", head + "items:\n- a: b\n- a: !x c\n- a: b\n", 1},
		{"a merge", head + "items:\n- <<: {a: b}\n  c: d\n- a: b\n", 2},
		{
			"what the scanner does not read",
			head + "items:\n- a: >\n    b\n    c\n- a: \"\\x41\\u00e9\"\n- ? a\n  : b\n- a: |2\n     b\n- a: b\n\n    c\n", 5,
		},
		{
			"a block at the end of an item",
			head + "items:\n- a: |+\n    b\n\n\n- a: |\n    b\n# c\n\n- |\n  c\n- |-\n  - d\n", 4,
		},
		{"a list in an item", head + "items:\n- - a\n  - b\n-\n  - c\n- a:\n  - b\n  - c\n", 3},
		{"empty items", head + "items:\n-\n- ~\n- null\n- !!null ~\n- ''\n-", 6},
		{"an empty item, and what the library takes for it", head + "items:\n- a: b\n-\n\"c\"\n", 1},
		{"an empty item, and what the library takes for it, deeper", head + "items:\n  - a: b\n  -\n  c\n", 1},
		{"a tag, and what the library takes for the item", head + "items:\n- a: b\n- !!str\n\"c\"\n", 1},
		{"plain text over lines", head + "items:\n- a\n  b\n- c: d\n     e\n  f: g\n", 2},
		{"quotes over lines", head + "items:\n- a: \"b\n    c\"\n- 'd\n  - e'\n", 2},
		{"quotes over lines like items", head + "items:\n- a: b\n- a: \"x\n- y: z\n- \"\n- a: c\n", 1},
		{"single quotes over lines like items", head + "items:\n- a: 'x\n- y: z\n- b'\n- a: c\n", 0},
		{"quotes over lines like keys", head + "items:\n- a: 'x\nkind: M\n  b'\n- a: c\n", 0},
		{"quotes over lines like items, deeper", head + "items:\n  - a: \"x\n  - y: z\"\n  - a: c\n", 0},
		{"quotes over lines that look like the items", head + "x: \"a\nitems:\n- a: b\n- a: c\"\n", 0},
		{
			"quotes over lines that look like the items, which come", head +
				"x: \"a\nitems:\n- a: b\"\nitems:\n- a: c\n",
			0,
		},
		{"brackets over lines like items", head + "items:\n- a: [b,\n- c, d]\n- a: c\n", 0},
		{"brackets over lines", head + "items:\n- a: [b,\n  c, d]\n- {a: c,\n  b: d}\n", 2},
		{"text that looks like the items", "--- |\nitems:\n- a: b\n", 0},
		{"a list that looks like the items", "- x\nitems:\n- a: b\n", 0},
		{"quotes are not closed", head + "items:\n- a: b\n- a: \"c\n- a: d\n", 1},
		{"a deeper list of items only", "x:\n  items:\n  - a: b\n", 0},
		{"a list of another name", head + "others:\n- a: b\nitems:\n- a: c\n", 1},
		{"a quoted key", head + "\"items\":\n- a: c\n", 0},
		{"a key that ends like it", head + "\"x\\\"items\":\n- a: c\n", 0},
		{"null", head + "items:\nmetadata: {}\n", 0},
		{"written null", head + "items: null\n", 0},
		{"none", head + "items: []\n", 0},
		{"a mapping", head + "items:\n  a: b\n", 0},
		{"a text", head + "items:\n  a\n", 0},
		{"twice", head + "items:\n- a: b\nitems:\n- a: c\n", 1},
		{"twice, none read by itself", head + "items:\n- &x a: b\nitems:\n- z\n", 0},
		{"twice, none behind", head + "items:\n- a: b\nitems: []\n", 1},
		{"twice, null in front", head + "items:\nitems:\n- a: b\n", 0},
		{"a key twice in front", head + "kind: M\nitems:\n- a: b\n", 0},
		{"a key twice around", head + "items:\n- a: b\nkind: M\n", 1},
		{"a key twice behind", head + "items:\n- a: b\n- a: c\nx:\n  é: 1\n  é: 2\n", 2},
		{"a key twice in an item", head + "items:\n- a: b\n- a: c\n  a: d\n- b: c\n", 3},
		{"a key is merged", head + "items:\n- a: b\n<<: {items: [1], x: 2}\n", 1},
		{"junk behind an item", head + "items:\n- a: b\n- a: b\n c\n", 1},
		{"an item that is not deep enough", head + "items:\n  - a: b\n - a: c\n", 1},
		{"an item that is too deep", head + "items:\n- a: b\n - a: c\n- d\n", 0},
		{"an item in the column of the key", head + "items:\n  - a: b\n- a: c\n", 1},
		{"a key between the columns", head + "items:\n   - a: b\n x: y\n", 1},
		{"a key deeper than the items", head + "items:\n- a: b\n  - x: y\n", 0},
		{"tabs", head + "items:\n- a: b\n-\ta: c\n", 1},
		{"a tab in front of an item", head + "items:\n- a: b\n\t- a: c\n", 0},
		{"a tab goes on", head + "items:\n- a\n\tb\n- c\n", 0},
		{"a blank line with a tab", head + "items:\n- a: b\n \t\n- a: c\n", 2},
		{"a bad character", head + "items:\n- a: b\n- a: \"\x01\"\n", 1},
		{"no UTF-8", head + "items:\n- a: b\n- a: \"\xff\"\n", 1},
		{"a carriage return", head + "items:\n- a: b\r- a: c\n", 0},
		{"a carriage return in front of dots", head + "items:\n- a: b\r...\r\n- a: c\n", 0},
		{"a carriage return in the head", "kind: L\r---\ritems:\n- a: b\n", 0},
		{"other breaks", head + "items:\n- a: b\n- a: \"c\u2028- d\"\n- a: \"b\u0085c\"\n", 1},
		{"other breaks in front of dots", head + "items:\n- a: b\u2028...\u2028\n- a: c\n", 0},
		{"aliases of the tail", head + "items:\n- a: b\n- a: c\nx: &x {y: 1}\nz:\n- *x\n- <<: *x\n", 2},
		{"a document that ends early", head + "items:\n- a: b\n- a: c\n...\nx: y\n", 2},
		{"nothing", "", 0},
		{"comments only", "# c\n---\n# c\n", 0},
		{"the head only", head, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if items := checkList(t, []byte(c.in), 1<<20); items != c.items {
				t.Errorf("%d items are read one by one, want %d", items, c.items)
			}
			for n := range len(c.in) {
				checkList(t, []byte(c.in[:n]), 12) // some items are larger
			}
		})
	}
}

func TestListThatBreaks(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	const text = "apiVersion: v1\nkind: L\nitems:\n- a: b\n- a: c\nmetadata: {}\n"
	for n := range len(text) + 1 {
		parts, err := partsOf(1<<20, io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken)),
			(*listReader).read)
		items := strings.Count(text[:max(0, n-1)], "\n- ") - 1 // there may be more of the last one
		if err != broken || len(parts) < items || len(parts) > items+1 {
			t.Errorf("a reader that breaks after %d bytes: error %v, parts %q", n, err, parts)
		}
	}
	for n := range 3 {
		got := 0
		for _, err := range new(codec).readList(strings.NewReader(text), format.ListReadOptions{}) {
			if err != nil {
				t.Error(err)
			}
			if got++; got > n {
				break
			}
		}
		if got != n+1 {
			t.Errorf("%d parts, want %d", got, n+1)
		}
	}
}

func TestListsHaveALimit(t *testing.T) {
	t.Parallel()
	// What has to be in memory as a whole may be as large as a document.
	endless := io.MultiReader(strings.NewReader("items:\n- a: b\n- a: \"\n"),
		repeat(strings.Repeat(strings.Repeat("x", 1<<10)+"\n", 1<<10)))
	parts, err := partsOf(1<<20, endless, (*listReader).read)
	if !errors.Is(err, runtime.ErrLimit) || len(parts) != 1 {
		t.Errorf("error %v, parts %q", err, parts)
	}
	// A long list of small items is within the limit, also where that is smaller than what is read
	// at once.
	const item = "- a: b\n  c: d\n"
	items, long := strings.Repeat(item, 5000), "- a: |\n"+strings.Repeat("    b\n", 30)
	for _, c := range []struct {
		name, in string
		parts    int
		err      string
	}{
		{"small items", "items:\n" + items, 5001, "<nil>"},
		{"a large item", "items:\n" + item + item + long + items, 2, "the document has more than 100 bytes"},
		{"a large item at the end", "items:\n" + item + item + long, 2, "the document has more than 100 bytes"},
		{
			"a long line", "items:\n" + item + "- a: " + strings.Repeat("b", 50_000) + "\n" + items, 1,
			"the document has more than 100 bytes",
		},
		{
			"a long line behind", "items:\n" + item + "a: " + strings.Repeat("b", 50_000) + "\n", 1,
			"the document has more than 100 bytes",
		},
		{
			"a long head", "a: |\n" + strings.Repeat("  b\n", 30) + "items:\n" + item, 0,
			"the document has more than 100 bytes",
		},
		{
			"what is read as a whole", "items:\n" + item + item + "- &a b\n" + items, 2,
			"the document has more than 100 bytes",
		},
	} {
		for i, r := range []io.Reader{
			strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)),
			halves([]byte(c.in)),
		} {
			parts, err := partsOf(1<<20, r, func(l *listReader) error {
				l.limits.Size = 100
				return l.read()
			})
			if len(parts) != c.parts || !strings.Contains(fmt.Sprint(err), c.err) {
				t.Errorf("%s, %d: %d parts, want %d; error %v", c.name, i, len(parts), c.parts, err)
			}
		}
	}
}

// TestItemsOfTheLimit checks that an item may have as many bytes as the limit says, in JSON, and be
// as deep in its list as in a document that is read as a whole.
func TestItemsOfTheLimit(t *testing.T) {
	t.Parallel()
	const size = len(`{"a":"b"}`) + 1 // with the mark of a plain scalar
	for limit, want := range map[int]string{size - 1: "error", size: "item"} {
		parts, err := partsOf(limit, strings.NewReader("items:\n- a: b\n- {}\n"), (*listReader).read)
		if err != nil || len(parts) != 3 || !strings.HasPrefix(parts[0], want) {
			t.Errorf("at most %d bytes: %q, %v", limit, parts, err)
		}
	}
	for _, item := range []string{"- a: [[x]]\n", "- a: [[!!str x]]\n"} {
		for depth := 1; depth < 8; depth++ {
			read := func(read func(*listReader) error) error {
				parts, err := partsOf(100, strings.NewReader("items:\n"+item), func(l *listReader) error {
					l.limits.Depth = depth
					return read(l)
				})
				if err == nil && len(parts) != 2 {
					t.Errorf("%q, at most %d levels: %q", item, depth, parts)
				}
				return err
			}
			whole, alone := read((*listReader).rest), read((*listReader).read)
			if (whole == nil) != (alone == nil) {
				t.Errorf("%q, at most %d levels: %v, as a whole %v", item, depth, alone, whole)
			}
		}
	}
}

// TestEndlessLine checks that no more of a line is read than a document may have.
func TestEndlessLine(t *testing.T) {
	t.Parallel()
	rest := &io.LimitedReader{R: repeat(strings.Repeat("x", 1<<16)), N: 64 << 20}
	parts, err := partsOf(1<<20, io.MultiReader(strings.NewReader("items:\n- a: "), rest), (*listReader).read)
	if read := 64<<20 - rest.N; !errors.Is(err, runtime.ErrLimit) || len(parts) > 0 || read > 8<<20 {
		t.Errorf("%q, %v after %d bytes", parts, err, read)
	}
}

// repeat is a text again and again.
type repeat string

func (r repeat) Read(p []byte) (int, error) { return copy(p, r), nil }

// randomList puts documents into a list.
func randomList(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	var b strings.Builder
	b.WriteString(pick("", "", "", "", "---\n", "# c\n", "\ufeff", "x: \"\n", "%YAML 1.2\n---\n", "kind: L\r\n"))
	b.WriteString(pick("apiVersion: v1\n", "apiVersion: v1\nkind: L\n", "kind: L\napiVersion: v1\n", "",
		randomDocument(r)))
	b.WriteString(pick("items:\n", "items:\n", "items:\n", "items:\n", "items: # c\n", "items: &a\n", "items:\r\n",
		"items: []\n", "items:\n\n# c\n"))
	indent := strings.Repeat(" ", r.IntN(3))
	for range r.IntN(5) {
		text := strings.TrimSuffix(randomDocument(r), "\n")
		b.WriteString(indent + pick("- ", "- ", "- ", "-\n"+indent+"  ", "-   "))
		b.WriteString(strings.ReplaceAll(text, "\n", "\n"+indent+pick("  ", "  ", "  ", "  ", "    ", " ", "")))
		b.WriteString(pick("\n", "\n", "\n", "\n", "\r\n", "\n\n", "\n# c\n", "\n"+indent+"# c\n", " ", "\n\t\n",
			"\n---\n", "\n...\n"))
	}
	b.WriteString(pick("", "", "kind: L\n", "metadata:\n  a: b\n", "items:\n- z\n", randomDocument(r), "---\nx: y\n"))
	return b.String()
}

func TestRandomListsAgree(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 3))
	items := 0
	for range 500 {
		items += checkList(t, []byte(randomList(r)), []int{1 << 20, 10}[r.IntN(2)])
	}
	t.Logf("%d items are read one by one", items)
	if items == 0 {
		t.Error("no item is read one by one")
	}
}

// TestReadListOfDuplicates reads a list in braces, which is read as a whole, whose items all have a
// member twice. Looking for those of an item among all takes minutes.
func TestReadListOfDuplicates(t *testing.T) {
	t.Parallel()
	n := 100_000
	if testing.Short() {
		n = 30_000
	}
	text := "apiVersion: v1\nkind: List\nitems: [\n" + strings.Repeat("{a: 1, b: 2, a: 3},\n", n) + "]\n"
	limits := parsing(schema.Limits{})
	count := 0
	took := cputime.Of(func() {
		for part, err := range listing.Read(strings.NewReader(text), limits, func(r *listing.Reader) error {
			return (&listReader{Reader: r, base: located.Start, limits: limits}).read()
		}) {
			if err != nil {
				t.Fatal(err)
			}
			if part.Item == nil {
				continue
			}
			count++
			if d := part.Item.(*document).duplicates; len(d) != 1 || d[0].json != 1 || d[0].name != "a" {
				t.Fatalf("item %d has %+v", count, d)
			}
		}
	})
	if count != n || took > 10*time.Second {
		t.Errorf("%d items took %v; want %d", count, took, n)
	}
}

// FuzzReadList reads any list item by item and compares it with the list that is read as a whole.
func FuzzReadList(f *testing.F) {
	for _, doc := range plainDocuments {
		f.Add([]byte("apiVersion: v1\nitems:\n- "+strings.ReplaceAll(doc, "\n", "\n  ")+"\n- "+strings.ReplaceAll(doc,
			"\n", "\n  ")+"\nkind: L\n"), 1<<20)
	}
	r := rand.New(rand.NewPCG(1, 3))
	for range 100 {
		f.Add([]byte(randomList(r)), 10)
	}
	f.Fuzz(func(t *testing.T, data []byte, limit int) { checkList(t, data, limit) })
}
