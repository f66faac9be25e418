package yaml_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/askind/askind/serializer/internal/members"
	"github.com/askind/askind/serializer/yaml"
)

// TestSplice changes the name in texts of all styles and adds an entry: either everything else is
// preserved, or the text is refused.
func TestSplice(t *testing.T) {
	t.Parallel()
	const before, after = `{"name":"a","old":"x"}`, `{"name":"b","new":[1]}`
	for name, c := range map[string]struct{ in, want string }{
		"a block": {"kind: K\nm:\n  name: a\n  old: x\n", "kind: K\nm:\n  name: b\n  new:\n  - 1\n"},
		"indented by three": {
			"m:\n   name: a\n   z: [1]\nkind: K\n",
			"m:\n   name: b\n   z: [1]\n   new:\n   - 1\nkind: K\n",
		},
		"a list between": {
			"m:\n  name: a\n  old:\n  - x\n  - y\n  # end\n",
			"m:\n  name: b\n  new:\n  - 1\n  # end\n",
		},
		"quoted names":        {"m:\n  'name': a\n  \"z\": 1\n", "m:\n  'name': b\n  \"z\": 1\n  new:\n  - 1\n"},
		"no end of line":      {"kind: K\nm:\n  name: a", "kind: K\nm:\n  name: b\n  new:\n  - 1\n"},
		"lines of Windows":    {"m:\r\n  name: a\r\nkind: K\r\n", "m:\r\n  name: b\r\n  new:\r\n  - 1\r\nkind: K\r\n"},
		"an anchor elsewhere": {"m:\n  name: a\nx: &x 1\ny: *x\n", "m:\n  name: b\n  new:\n  - 1\nx: &x 1\ny: *x\n"},
		"a name in another map": {
			"x:\n  m:\n    name: q\nm:\n  name: a\n",
			"x:\n  m:\n    name: q\nm:\n  name: b\n  new:\n  - 1\n",
		},
		"an empty map": {"m: {} # none\n", "m: # none\n  name: b\n  new:\n  - 1\n"},
		"nothing":      {"m:\nz: 1\n", "m:\n  name: b\n  new:\n  - 1\nz: 1\n"},
		"none":         {"# c\n---\na: 1\nz: 1\n", "# c\n---\na: 1\nz: 1\nm:\n  name: b\n  new:\n  - 1\n"},
		"a block that looks so": {
			"a: |\n  m:\n    name: q\nm:\n  name: a\n",
			"a: |\n  m:\n    name: q\nm:\n  name: b\n  new:\n  - 1\n",
		},
		"flow":            {"m: {name: a}\n", "m: {name: b, new: [1]}\n"},
		"all in flow":     {`{"m": {"name": "a"}}`, `{"m": {"name": "b", "new": [1]}}`},
		"a tag":           {"m: !!map\n  name: a\n", "m: !!map\n  name: b\n  new:\n  - 1\n"},
		"an anchor on it": {"m: &m\n  name: a\nz: *m\n", ""},
		"an anchor in it": {"m:\n  name: &n a\nz: *n\n", ""},
		"an alias in it":  {"a: &n a\nm:\n  name: *n\n", ""},
		"a merge":         {"a: &n {name: a}\nm:\n  <<: *n\n", "a: &n {name: a}\nm:\n  <<: *n\n  name: b\n  new:\n  - 1\n"},
		"the name twice":  {"m:\n  name: a\n  name: b\n", ""},
		"the map twice":   {"m:\n  name: a\n'm':\n  name: c\n", ""},
		"a long key":      {"? m\n: name: a\n", "? m\n: name: b\n  new:\n  - 1\n"},
		"quotes over lines": {
			"a: \"x\n  m:\n  y\"\nm:\n    name: a\n",
			"a: \"x\n  m:\n  y\"\nm:\n    name: b\n    new:\n    - 1\n",
		},
		"a word over lines":     {"a: x\n  m\nm:\n  name: a\n", "a: x\n  m\nm:\n  name: b\n  new:\n  - 1\n"},
		"two documents":         {"m:\n  name: a\n---\nm:\n  name: a\n", ""},
		"no object":             {"- m:\n    name: a\n", ""},
		"a scalar":              {"m: 1\n", "m:\n  name: b\n  new:\n  - 1\n"},
		"broken":                {"m: [\n", ""},
		"none at all":           {"", ""},
		"text in the wide form": {"\xff\xfem\x00:\x00\n\x00", ""},
		"a comment that belongs": {
			"m:\n  # the name\n  name: a\n  # the rest\n  z: 1\n",
			"m:\n  # the name\n  name: b\n  # the rest\n  z: 1\n  new:\n  - 1\n",
		},
	} {
		got, err := yaml.Format().Splice.Member([]byte(c.in), "m", []byte(before), []byte(after))
		if (err == nil) != (c.want != "") || string(got) != c.want {
			t.Errorf("%s: got %v\n%q\nwant\n%q", name, err, got, c.want)
		}
	}
}

// TestSpliceOfManyLines checks that lines of a text are not taken for entries or comments, however
// many there are.
func TestSpliceOfManyLines(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("m:\n  name: a\n  text: |\n")
	for range 20000 {
		b.WriteString("    # a line\n\n")
	}
	b.WriteString("    end\nz: 1\n")
	got, err := yaml.Format().Splice.Member([]byte(b.String()), "m", []byte(`{"name":"a"}`), []byte(`{"name":"b"}`))
	if want := strings.Replace(b.String(), "name: a", "name: b", 1); err != nil || string(got) != want {
		t.Errorf("%v, %d bytes, want %d", err, len(got), len(want))
	}
}

// FuzzSplice checks that a text is refused or says what it should, with every entry that did not
// change as it was, and that the way back leads to the same object.
func FuzzSplice(f *testing.F) {
	f.Add("# c\n---\nkind: K\nm:\n  # it\n  name: a\n  x: |\n    # y\n\n    z\nz: [1]\n...\n")
	f.Add("m:\r\n  name: a\r\n  old:\r\n  - 1\r\n'q': \"a\r\n  b\"\r\n")
	f.Add("m:\nkind: K")
	f.Add("m: \n  nx:\n\r  -")
	f.Add("m: {} # none\n? long\n: &a 1\ny: *a\n")
	const before, after = `{"name":"a","old":[1]}`, `{"name":"b","new":{"x":"1"}}`
	f.Fuzz(func(t *testing.T, text string) {
		out, err := yaml.Format().Splice.Member([]byte(text), "m", []byte(before), []byte(after))
		if err != nil {
			return
		}
		was, is := entriesOf(t, []byte(text)), entriesOf(t, out)
		inner, changed := members.Of(was["m"]), members.Of(is["m"])
		if string(changed.Value("name")) != `"b"` || string(changed.Value("new")) != `{"x":"1"}` ||
			changed.Value("old") != nil {
			t.Fatalf("%q became %q: %s", text, out, is["m"])
		}
		for _, m := range inner.Without("name").Without("old").Without("new") {
			if string(changed.Value(m.Name)) != string(m.Value) {
				t.Fatalf("%q became %q: %s was %s and is %s", text, out, m.Name, m.Value, changed.Value(m.Name))
			}
		}
		delete(was, "m")
		delete(is, "m")
		if !maps.EqualFunc(was, is, bytes.Equal) {
			t.Fatalf("%q became %q: %s was outside, and is %s", text, out, was, is)
		}
		if _, err := yaml.Format().Splice.Member(out, "m", []byte(after), []byte(before)); err != nil {
			t.Fatalf("%q became %q, which cannot be changed back: %v", text, out, err)
		}
	})
}

// entriesOf are the entries of the object that a text holds, in JSON.
func entriesOf(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	object, err := yaml.ToJSON(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out := map[string][]byte{}
	for _, m := range members.Of(object) {
		out[m.Name] = m.Value
	}
	return out
}
