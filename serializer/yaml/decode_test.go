package yaml_test

import (
	"bytes"
	"errors"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/yaml"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	const header = "apiVersion: fleet.example.com/v1\nkind: Machine\n"
	for _, tt := range []struct {
		name string
		in   string
		want samplev1.Machine
	}{
		{
			"the field decides what a plain scalar is",
			"name: no\nreplicas: 0777\npaused: yes\nratio: 1.10\nlabels: {a: 1.10, yes: on, 0x1: 0777}\nargs: [1, true, x]\n",
			samplev1.Machine{Name: "no", Replicas: 511, Paused: true, Ratio: 1.1, Labels: map[string]string{
				"a":   "1.10",
				"yes": "on", "0x1": "0777",
			}, Args: []string{"1", "true", "x"}},
		},
		{"no field decides", "extra: {a: 0777, b: yes, c: 1.10, d: ~, e: '1', f: 2020-01-02, g: 12345678901234567890}\n", samplev1.Machine{Extra: map[string]any{"a": int64(511), "b": true, "c": 1.1, "d": nil, "e": "1", "f": "2020-01-02", "g": uint64(12345678901234567890)}}},
		{"null leaves a field alone", "name: ~\nreplicas:\npaused: null\n", samplev1.Machine{}},
		{"quoted scalars are text", "name: '1'\nextra: \"yes\"\n", samplev1.Machine{Name: "1", Extra: "yes"}},
		{
			"raw", "raw:\n  kind: X\n  n: 0x10\n  s: '1'\n",
			samplev1.Machine{Raw: &runtime.RawExtension{Raw: []byte(`{"kind":"X","n":16,"s":"1"}`)}},
		},
		{
			"the last key wins", "name: a\nname: b\nparts: [{name: x, size: 1}]\nparts: [{name: y}]\n",
			samplev1.Machine{Name: "b", Parts: []samplev1.Part{{Name: "y"}}},
		},
		{"anchors", "args: &a [x, &b z]\nlabels: {k: *b}\nextra: *a\n", samplev1.Machine{
			Args:   []string{"x", "z"},
			Labels: map[string]string{"k": "z"}, Extra: []any{"x", "z"},
		}},
		{"merge", "extra:\n- &a {x: 1, y: 2}\n- &b {y: 3, z: 4}\n- {x: 0, <<: [*a, *b]}\n- {<<: *a, x: 0}\n- {\"<<\": 1}\n", samplev1.Machine{Extra: []any{
			map[string]any{"x": int64(1), "y": int64(2)},
			map[string]any{"y": int64(3), "z": int64(4)},
			map[string]any{"x": int64(0), "y": int64(2), "z": int64(4)},
			map[string]any{"x": int64(0), "y": int64(2)},
			map[string]any{"<<": int64(1)},
		}}},
		{
			"merge of a merge", "extra:\n- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b}\n",
			samplev1.Machine{Extra: []any{
				map[string]any{"x": int64(1)},
				map[string]any{"x": int64(1), "y": int64(2)},
				map[string]any{"x": int64(1), "y": int64(2)},
			}},
		},
		{"tags", "name: !!str 5\nreplicas: !!int '5'\nratio: !!float 3\npaused: !!bool true\nextra: [!!null '', !!timestamp 2020-01-02, ! 7, !!int 0x10]\nlabels: !!map {a: !!str b}\nargs: !!seq [c]\n", samplev1.Machine{Name: "5", Replicas: 5, Ratio: 3, Paused: true, Extra: []any{nil, "2020-01-02", "7", int64(16)}, Labels: map[string]string{"a": "b"}, Args: []string{"c"}}},
		{"binary", "key: !!binary |\n  aGVs\n  bG8=\n", samplev1.Machine{Key: []byte("hello")}},
		{"base64", "key: aGVsbG8=\n", samplev1.Machine{Key: []byte("hello")}},
		{
			"block scalars", "args:\n- |\n  a\n   b\n\n- >-\n  c\n  d\n\n  e\n",
			samplev1.Machine{Args: []string{"a\n b\n", "c d\ne"}},
		},
		{
			"folded scalars", "name: a\n  b\nargs:\n- 'c\n  d'\n- \"e\n\n  f\\\n  g\"\n",
			samplev1.Machine{Name: "a b", Args: []string{"c d", "e\nfg"}},
		},
		{"complex key", "? name\n: x\n", samplev1.Machine{Name: "x"}},
		{"CRLF", "name: x\r\nargs:\r\n- |\r\n  a\r\n  b\r\n", samplev1.Machine{Name: "x", Args: []string{"a\nb\n"}}},
		{"CR", "name: x\rreplicas: 1\r", samplev1.Machine{Name: "x", Replicas: 1}},
		{"YAML directive", "%YAML 1.2\n---\nname: x\n", samplev1.Machine{Name: "x"}},
		{"TAG directive", "%TAG !y! tag:yaml.org,2002:\n---\nname: !y!str 1\n", samplev1.Machine{Name: "1"}},
		{"JSON", `{"name": "x", "replicas": 3}`, samplev1.Machine{Name: "x", Replicas: 3}},
		{"escapes", `name: "\x41\u00e9\U0001F600\t\"\e"`, samplev1.Machine{Name: "Aé😀\t\"\x1b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.APIVersion, tt.want.Kind = "fleet.example.com/v1", "Machine"
			for _, in := range []string{tt.in, "\ufeff" + tt.in, "# c\n" + header + tt.in} {
				if in[0] == '#' && strings.HasPrefix(tt.in, "%") || in[0] == '#' && strings.HasPrefix(tt.in, "{") {
					continue
				}
				got := sample.DecodeAll(t, yaml.Format(), "f", in, false)
				if len(got) != 1 || got[0].Problems != nil {
					t.Fatalf("decoding %q gave %d documents: %+v", in, len(got), got)
				}
				if diff := cmp.Diff(tt.want, got[0].Machine,
					cmpopts.IgnoreUnexported(runtime.RawExtension{})); diff != "" {
					t.Errorf("decoding %q (-want +got):\n%s", in, diff)
				}
			}
		})
	}
}

func TestDecodeUTF16(t *testing.T) {
	t.Parallel()
	wide := func(order [2]int, s string) string {
		out := []byte{}
		for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
			b := [2]byte{byte(u), byte(u >> 8)}
			out = append(out, b[order[0]], b[order[1]])
		}
		return string(out)
	}
	for name, order := range map[string][2]int{"little endian": {0, 1}, "big endian": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sample.DecodeAll(t, yaml.Format(), "f", wide(order, "name: 😀é\n"), true)
			if len(got) != 1 || got[0].Problems != nil || got[0].Machine.Name != "😀é" {
				t.Errorf("got %+v", got)
			}
			for _, tt := range []struct {
				in     string
				line   string
				offset int
			}{
				{wide(order, "name: 😀é\nfoo: 1\n"), "2:1", 2 + 2*10},
				{wide(order, "name: 😀é\nname: [\n"), "3:1", 2 + 2*18},
				{wide(order, "name: a") + "x", "1:8", 2 + 2*7},
				{wide(order, "name: a") + wide(order, "\u0001")[2:], "1:8", 2 + 2*7},
			} {
				got := sample.DecodeAll(t, yaml.Format(), "f", tt.in, true)
				if len(got) != 1 || len(got[0].Errs) != 1 {
					t.Fatalf("decoding %q gave %+v", tt.in, got)
				}
				p := position(got[0].Errs[0])
				if p.String() != tt.line || p.Offset != tt.offset {
					t.Errorf("decoding %q: problem at %v, offset %d, want %s, %d", tt.in, p, p.Offset,
						tt.line, tt.offset)
				}
			}
		})
	}
}

// position returns where the first problem of an error is.
func position(err error) schema.Position {
	if d, ok := errors.AsType[*runtime.DecodeError](err); ok {
		return d.Problems[0].Position
	}
	if p, ok := errors.AsType[*runtime.Problem](err); ok {
		return p.Position
	}
	return schema.Position{}
}

// bomb is a document that is small and would be huge.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := range 9 {
		a, c := string(rune('0'+i)), string(rune('1'+i))
		b.WriteString("a" + c + ": &a" + c + " [" + strings.Repeat("*a"+a+",", 10) + "]\n")
	}
	return b.String()
}

// badInputs are what people, editors and attackers make of YAML.
var badInputs = []struct {
	name  string
	in    string
	cause error
	want  []string
}{
	{
		"tab", "name: x\nlabels:\n\ta: b\n", runtime.ErrSyntax,
		[]string{"line 3, column 1: a tab cannot indent a line, write spaces"},
	},
	{
		"control character", "name: a\x01b\n", runtime.ErrSyntax,
		[]string{
			`line 1, column 8: the control character U+0001 is not allowed in YAML text; in double quotes it can be written as "\x01"`,
		},
	},
	{
		"not UTF-8", "name: é\nargs: [\xff]\n", runtime.ErrSyntax,
		[]string{"line 2, column 8: the byte 0xff is not valid UTF-8"},
	},
	{
		"not UTF-8 in a comment", "name: x # \xc3\x28\n", runtime.ErrSyntax,
		[]string{"line 1, column 11: the byte 0xc3 is not valid UTF-8"},
	},
	{
		"no character", "name: \uffff\n", runtime.ErrSyntax,
		[]string{"line 1, column 7: the character U+FFFF is not allowed in YAML text"},
	},
	{
		"quotes", "args: [a]\nname: 'x\nreplicas: 1\n", runtime.ErrSyntax,
		[]string{"line 2, column 7: the quotes that open here are not closed"},
	},
	{
		"double quotes", "name: \"x", runtime.ErrSyntax,
		[]string{"line 1, column 7: the quotes that open here are not closed"},
	},
	{
		"bracket", "name: x\nargs: [a, b", runtime.ErrSyntax,
		[]string{"line 2, column 7: the bracket that opens here is not closed"},
	},
	{
		"bracket without value", "args: [", runtime.ErrSyntax,
		[]string{"line 1, column 8: the document ends before its brackets are closed"},
	},
	{
		"bracket before more", "args: [a\nname: b\n", runtime.ErrSyntax,
		[]string{
			"line 2, column 5: expected a comma, or the end of the brackets that open at line 1, column 7",
		},
	},
	{
		"reserved character", "name: @x\n", runtime.ErrSyntax,
		[]string{"line 1, column 7: a value cannot begin with '@', put it in quotes"},
	},
	{
		"colon", "name: a: b\n", runtime.ErrSyntax,
		[]string{"line 1, column 8: a colon is not allowed here: the indentation is wrong, or the text needs quotes"},
	},
	{
		"indentation", "labels:\n  a: b\n c: d\n", runtime.ErrSyntax,
		[]string{
			"line 3, column 2: this does not continue the mapping that begins at line 1, column 1: the indentation is wrong, or a colon is missing",
		},
	},
	{
		"list in a mapping", "name: a\n- b\n", runtime.ErrSyntax,
		[]string{
			"line 2, column 1: this does not continue the mapping that begins at line 1, column 1: the indentation is wrong, or a colon is missing",
		},
	},
	{
		"mapping in a list", "- a\nb: c\n", runtime.ErrSyntax,
		[]string{
			"line 2, column 1: this does not continue the list that begins at line 1, column 1: " +
				"the indentation is wrong, or a hyphen is missing",
		},
	},
	{"unknown anchor", "name: *x\n", runtime.ErrSyntax, []string{`line 1, column 7: unknown anchor "x"`}},
	{
		"two values", "\"a\" \"b\"\n", runtime.ErrSyntax,
		[]string{"line 1, column 5: the value of the document ends before this: the indentation is wrong, or --- is missing"},
	},
	{
		"deep flow", pad + strings.Repeat("[", 10001), runtime.ErrLimit,
		[]string{"line 2, column 10001: the nesting has 10001 levels, more than 10000; raise Limits.Depth to read it"},
	},
	{
		"deep block", pad + strings.Repeat("- ", 10002), runtime.ErrLimit,
		[]string{"line 2, column 20001: the nesting has 10001 levels, more than 10000; raise Limits.Depth to read it"},
	},
	{"deep by aliases", pad + "a: &a " + strings.Repeat("[", 6000) + strings.Repeat("]", 6000) + "\nb: &b " +
		strings.Repeat("[", 6000) + "*a" + strings.Repeat("]", 6000) +
		"\n", runtime.ErrLimit, []string{
		"line 2, column 4007: the nesting has 10001 levels, more than 10000; raise Limits.Depth to read it",
	}},
	{
		"alias bomb", pad + bomb(), runtime.ErrLimit,
		[]string{
			"line 6, column 38: the expansion of aliases has more than 100000 values; raise Limits.AliasValues to read it",
		},
	},
	{
		"bomb of long texts", pad + "a: &a " + strings.Repeat("x", 1<<16) + "\nb: [" + strings.Repeat("*a,", 300) +
			"]\n",
		runtime.ErrLimit,
		[]string{
			"line 3, column 770: the expansion of aliases has more than 16777216 bytes; raise Limits.AliasBytes to read it",
		},
	},
	{
		"bomb of merges", pad + "a: &a {" + strings.Repeat("x: 1, ", 1000) + "}\nb: &b [" + strings.Repeat("*a,", 200) +
			"]\nc: [" + strings.Repeat("{<<: *b},", 1000) +
			"]\n", runtime.ErrLimit,
		[]string{
			"line 4, column 10: the expansion of aliases has more than 100000 values; raise Limits.AliasValues to read it",
		},
	},

	{"wrong types", "name: [x]\nreplicas: many\nargs: {a: b}\nlabels:\n- c\n", runtime.ErrWrongType, []string{
		"f:1:7: name: expected string, found array", "f:2:11: replicas: expected integer, found string \"many\"",
		"f:3:7: args: expected array, found object", "f:5:1: labels: expected object, found array",
	}},
	{
		"out of range", "name: x\nreplicas: 3000000000\n", runtime.ErrOutOfRange,
		[]string{"f:2:11: replicas: number 3000000000 is out of range for int32"},
	},
	{
		"invalid value", "key: '?'\n", runtime.ErrInvalidValue,
		[]string{"f:1:6: key: illegal base64 data at input byte 0"},
	},
	{
		"unknown field", "naem: x\nparts:\n- name: a\n  sise: 1\n", runtime.ErrUnknownField,
		[]string{
			`f:1:1: naem: unknown field "naem" (did you mean "name"?)`,
			`f:4:3: parts[0].sise: unknown field "sise" (did you mean "size"?)`,
		},
	},
	{
		"duplicate field", "name: x\nlabels:\n  a: 1\n  \"a\": 2\n  a: 3\nname: y\nextra: [{b: 1, b: 2}]\n",
		runtime.ErrDuplicateField,
		[]string{
			`f:4:3: labels.a: duplicate field "a"`, `f:5:3: labels.a: duplicate field "a"`,
			`f:6:1: name: duplicate field "name"`, `f:7:16: extra[0].b: duplicate field "b"`,
		},
	},
	{
		"duplicate in a value that is replaced",
		"extra:\n- {b: 1, b: 2, c: [{d: 1, d: 2}], c: [[], {e: {f: 1, f: 2}, e: 3}], c: 4}\nlabels:\n  a: 1\n  a: 2\nextra: 5\nlabels: {}\n", runtime.ErrDuplicateField,
		[]string{
			`f:2:10: extra[0].b: duplicate field "b"`, `f:2:27: extra[0].c[0].d: duplicate field "d"`,
			`f:2:35: extra[0].c: duplicate field "c"`, `f:2:54: extra[0].c[1].e.f: duplicate field "f"`,
			`f:2:61: extra[0].c[1].e: duplicate field "e"`, `f:2:69: extra[0].c: duplicate field "c"`,
			`f:5:3: labels.a: duplicate field "a"`, `f:6:1: extra: duplicate field "extra"`,
			`f:7:1: labels: duplicate field "labels"`,
		},
	},
	{
		"duplicate in an anchor that is replaced", "extra: {x: &a {b: 1, b: 2}, x: [*a, {<<: *a}], x: *a}\n",
		runtime.ErrDuplicateField,
		[]string{
			`f:1:22: extra.x.b: duplicate field "b"`, `f:1:29: extra.x: duplicate field "x"`,
			`f:1:48: extra.x: duplicate field "x"`,
		},
	},
	{
		"duplicate in an anchor", "extra: [&a {b: 1, b: 2}, *a, {<<: *a}]\n", runtime.ErrDuplicateField,
		[]string{`f:1:19: extra[0].b: duplicate field "b"`},
	},
	{
		"problem in an anchor", "args: &a {}\nextra: *a\nlabels: {x: &b [], y: *b}\n", runtime.ErrWrongType,
		[]string{
			"f:1:7: args: expected array, found object", "f:3:13: labels.x: expected string, found array",
			"f:3:23: labels.y: expected string, found array",
		},
	},
	{
		"own alias", "extra: &a [b, *a]\n", runtime.ErrInvalidValue,
		[]string{`f:1:15: the alias "a" refers to a value that contains it`},
	},
	{
		"own merge", "extra: &a {b: c, <<: *a}\n", runtime.ErrInvalidValue,
		[]string{`f:1:22: the alias "a" refers to a value that contains it`},
	},
	{
		"merge of a scalar", "<<: x\nname: y\n<<: [z]\n", runtime.ErrInvalidValue,
		[]string{
			"f:1:5: only a mapping, or a list of mappings, can be merged",
			"f:3:6: only a mapping, or a list of mappings, can be merged",
		},
	},
	{"tags", "name: !x y\nargs: !!set {a}\nextra: [!!int x, !!float .inf, !!bool 1, !!binary '?']\n!!pairs labels: {}\n", runtime.ErrInvalidValue, []string{
		"f:1:7: the tag !x is not supported here", "f:2:7: the tag !!set is not supported here",
		`f:3:9: the value "x" is tagged !!int, but JSON has no such value`,
		`f:3:18: the value ".inf" is tagged !!float, but JSON has no such value`,
		`f:3:32: the value "1" is tagged !!bool, but JSON has no such value`,
		"f:3:42: the value is tagged !!binary but is not base64 text: illegal base64 data at input byte 0",
		"f:4:1: the tag !!pairs is not supported on a key",
	}},
	{
		"keys", "? [a]\n: b\n: c\n? {d: e}\n", runtime.ErrInvalidValue,
		[]string{
			"f:1:3: a key must be a plain or quoted text", "f:3:1: a key is missing",
			"f:4:3: a key must be a plain or quoted text",
		},
	},
	{
		"infinity", "extra: .inf\n", runtime.ErrOutOfRange,
		[]string{"f:1:8: extra: number .inf is out of range for JSON"},
	},
	{"list", "- a\n", runtime.ErrWrongType, []string{"f:1:1: expected object, found array"}},
	{"text", "# c\nsome text\n", runtime.ErrWrongType, []string{"f:2:1: expected object, found string"}},
	{
		"BOM and CRLF", "\ufeffname: é\r\nlabels:\r\n  é: {}\r\n", runtime.ErrWrongType,
		[]string{"f:3:6: labels[é]: expected string, found object"},
	},
	{
		"Unicode line breaks count as characters", "name: 'a\u2028b'\nargs: \"x\u0085\" \nreplicas: x\n",
		runtime.ErrWrongType,
		[]string{
			`f:2:7: args: expected array, found string`,
			`f:3:11: replicas: expected integer, found string "x"`,
		},
	},
	{
		"after a block", "args:\n- |\n  a\n\n\n- b\n# c\nreplicas: x\n", runtime.ErrWrongType,
		[]string{`f:8:11: replicas: expected integer, found string "x"`},
	},
}

func TestBadInputs(t *testing.T) {
	t.Parallel()
	for _, tt := range badInputs {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// What surrounds a document changes nothing but the lines.
			for _, stream := range []struct {
				before, after string
				lines         int
			}{{}, {before: "name: ok\n---\n", lines: 2, after: "\n--- # next\nname: ok\n"}} {
				if stream.lines > 0 && strings.HasPrefix(tt.in, "\ufeff") {
					continue
				}
				var got []string
				for _, r := range sample.DecodeAll(t, yaml.Format(), "f", stream.before+tt.in+stream.after, true) {
					got = append(got, r.Problems...)
					for _, err := range r.Errs {
						if !errors.Is(err, tt.cause) {
							t.Errorf("%v is not %v", err, tt.cause)
						}
					}
				}
				want := slices.Clone(tt.want)
				for i := range want {
					want[i] = moveLines(want[i], stream.lines)
				}
				if tt.name == "bracket without value" && stream.lines > 0 {
					continue // it ends elsewhere
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("problems in %.100q (-want +got):\n%s", stream.before+tt.in, diff)
				}
			}
		})
	}
}

// TestBombs checks that what would grow beyond a limit is refused after work that the limit bounds,
// measured in allocated bytes, which do not depend on the machine.
func TestBombs(t *testing.T) {
	for _, tt := range badInputs {
		if tt.cause != runtime.ErrLimit {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			var before, after goruntime.MemStats
			goruntime.ReadMemStats(&before)
			sample.DecodeAll(t, yaml.Format(), "f", tt.in, true)
			goruntime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 256<<20 {
				t.Errorf("allocated %d bytes", allocated)
			} else {
				t.Logf("allocated %d bytes", allocated)
			}
		})
	}
}

// moveLines adds to every line number of a message.
func moveLines(message string, by int) string {
	if by == 0 {
		return message
	}
	var out strings.Builder
	for rest := message; rest != ""; {
		i := strings.Index(rest, "line ")
		n := len("line ")
		if i < 0 && rest == message && strings.HasPrefix(rest, "f:") {
			i, n = 0, len("f:")
		}
		if i < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:i+n])
		rest = rest[i+n:]
		line := 0
		for len(rest) > 0 && '0' <= rest[0] && rest[0] <= '9' {
			line = line*10 + int(rest[0]-'0')
			rest = rest[1:]
		}
		out.WriteString(itoa(line + by))
	}
	return out.String()
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestLenient(t *testing.T) {
	t.Parallel()
	for _, r := range sample.DecodeAll(t, yaml.Format(), "f", "naem: x\nlabels: {a: 1, a: 2}\nname: y\nname: z\n",
		false) {
		if r.Problems != nil {
			t.Errorf("lenient decoding reports %q", r.Problems)
		}
		if r.Machine.Name != "z" || r.Machine.Labels["a"] != "2" {
			t.Errorf("got %+v", r.Machine)
		}
	}
}

func TestMaxProblems(t *testing.T) {
	t.Parallel()
	in := strings.Repeat("a: &a 1\n", 500) + strings.Repeat("b\n", 0)
	for doc, err := range yaml.Format().Documents([]byte(in), schema.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, max := range []int{0, 1, 50, 1000} {
			want := max
			if max == 0 {
				want = 100
			}
			want = min(want, 500) // one unknown field and 499 repetitions
			got := doc.Decode(sample.Kind(t), new(samplev1.Machine),
				runtime.ReadOptions{Strict: true, Limits: schema.Limits{Problems: max}})
			more := 0
			if last := got[len(got)-1]; last.More > 0 {
				more, got = last.More, got[:len(got)-1]
			}
			if len(got) != want || more != 500-want {
				t.Errorf("MaxProblems %d: got %d problems and %d more, want %d", max, len(got), more, want)
			}
		}
	}
}

func TestMaxDepth(t *testing.T) {
	t.Parallel()
	for doc, err := range yaml.Format().Documents([]byte("extra:\n- - - - x\n"), schema.Limits{}) {
		if err != nil {
			t.Fatal(err)
		}
		problems := doc.Decode(sample.Kind(t), new(samplev1.Machine),
			runtime.ReadOptions{Limits: schema.Limits{Depth: 3}})
		if len(problems) != 1 || !errors.Is(&problems[0], runtime.ErrLimit) || problems[0].Position.String() != "2:5" {
			t.Errorf("got %v", problems)
		}
	}
}

// TestLimitsAreMet checks that a text may have as much as each limit says, and no more.
func TestLimitsAreMet(t *testing.T) {
	t.Parallel()
	const (
		text   = "extra:\n- - - - x\n"
		shared = "extra: &x [1, 2]\nname: a\nargs: [*x, *x]\n"
		values = 2 * 3 // the values of a list of two, twice
	)
	for _, tt := range []struct {
		name, text string
		limits     func(n int) schema.Limits
		most       int
		option     bool // the limits are those of the format
	}{
		{"size", text, func(n int) schema.Limits { return schema.Limits{Size: n} }, len(text), false},
		{"size of the format", text, func(n int) schema.Limits { return schema.Limits{Size: n} }, len(text), true},
		{"depth of the format", text, func(n int) schema.Limits { return schema.Limits{Depth: n} }, 5, true},
		{
			"depth of the format, read by the library", "name: !!str x\n" + text,
			func(n int) schema.Limits { return schema.Limits{Depth: n} }, 5, true,
		},
		{
			"values of aliases", shared, func(n int) schema.Limits { return schema.Limits{AliasValues: n} },
			values, false,
		},
	} {
		for more, want := range map[int]bool{0: true, 1: false} {
			var options yaml.Options
			limits := tt.limits(tt.most - more)
			if tt.option {
				options.Limits, limits = limits, schema.Limits{}
			}
			for doc, err := range yaml.Format(options).Documents([]byte(tt.text), limits) {
				if err == nil {
					problems := doc.Decode(sample.Kind(t), new(samplev1.Machine), runtime.ReadOptions{})
					for i := range problems {
						if errors.Is(&problems[i], runtime.ErrLimit) {
							err = &problems[i]
						}
					}
				}
				if (err == nil) != want || err != nil && !errors.Is(err, runtime.ErrLimit) {
					t.Errorf("%s, %d less than there are: %v", tt.name, more, err)
				}
			}
		}
	}
}

// TestSizeOfExpandedAliases checks that a document is not larger than an input may be when its
// aliases have been replaced, and that the error says so.
func TestSizeOfExpandedAliases(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	for text, want := range map[string]string{
		"extra: [&x " + long + ", *x, *x]\n":         "the input, with aliases replaced, has 3",
		"extra: [&x " + long + "]\n":                 "",
		"extra: [" + strings.Repeat(long, 3) + "]\n": "the input has 3",
	} {
		for doc, err := range yaml.Format().Documents([]byte(text), schema.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			problems := doc.Decode(sample.Kind(t), new(samplev1.Machine),
				runtime.ReadOptions{Limits: schema.Limits{Size: 2000}})
			switch {
			case want == "" && len(problems) == 0:
			case want == "" || len(problems) != 1 || !errors.Is(&problems[0], runtime.ErrLimit) ||
				!strings.HasPrefix(problems[0].Message, want):
				t.Errorf("%.30s…: %v, want %q", text, problems, want)
			}
		}
	}
}

// TestOpenEvent checks what is an event, and that it is nothing else.
func TestOpenEvent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ frame, eventType, object, problem string }{
		{"---\ntype: ADDED\nobject:\n  a: 1\n...\n", "ADDED", `{"a":1}`, ""},
		{"object: {}\nmore: [1]\ntype: X\n", "X", "{}", ""},
		{"type: X\nobject: {}\n---\ntype: Y\nobject: {}\n", "", "", "a second document begins here"},
		{"type: X\nobject: !!int x\n", "", "", "tagged !!int"},
		{"type: X\n", "", "", "has a type and an object"},
		{"object: {}\n", "", "", "has a type and an object"},
		{"- x\n", "", "", "has a type and an object"},
		{"type: [\n", "", "", "brackets are closed"},
		{"# nothing\n", "", "", ""},
	} {
		eventType, doc, err := yaml.Format().Events.Open([]byte(tt.frame), schema.Limits{})
		object := ""
		if doc != nil {
			object = string(doc.Raw())
		}
		if eventType != tt.eventType || object != tt.object || (err != nil) != (tt.problem != "") ||
			err != nil && !strings.Contains(err.Error(), tt.problem) {
			t.Errorf("%q: %q, %s, %v", tt.frame, eventType, object, err)
		}
	}
}

// TestFrames checks that three hyphens or dots end a frame only at the start of a line.
func TestFrames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"a: 1\n---\nb: 2\n...\nc":   {"a: 1\n---\n", "b: 2\n...\n", "c"},
		"--- ... x\n--- ---\n---\n": {"--- ", "... x\n--- ", "---\n---\n"},
		"a ---\n ---\n----\n-.-\n":  {"a ---\n ---\n----\n-.-\n"},
	} {
		framer := yaml.Format().Events.NewFramer()
		var got []string
		for rest := text; rest != ""; {
			n, _ := framer.Next([]byte(rest))
			got, rest = append(got, rest[:n]), rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has the frames %q, want %q", text, got, want)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   string
		want []string // the names, or the problems
	}{
		{"empty", "", nil},
		{"comments only", "# a\n\n---\n# b\n---\n...\n---\n", nil},
		{"one", "name: a", []string{"a"}},
		{
			"several", "name: a\n---\nname: b\n--- # c\n\nname: c\n...\n# d\n---\nname: d\n",
			[]string{"a", "b", "c", "d"},
		},
		{"on the line of the hyphens", "--- {name: a}\n--- {name: b}\n---\n", []string{"a", "b"}},
		{"directives", "%YAML 1.1\n---\nname: a\n...\n# c\n%YAML 1.2\n---\nname: b\n", []string{"a", "b"}},
		{"after dots", "name: a\n...\nname: b\n", []string{"a", "b"}},
		{"CRLF", "name: a\r\n---\r\nname: b\r\n", []string{"a", "b"}},
		{"byte order marks", "\ufeffname: a\n\ufeff---\nname: b\n", []string{"a", "b"}},
		{
			"not a mark", "name: a\nlabels:\n  x: y\n ---: z\n",
			[]string{
				"line 4, column 2: this does not continue the mapping that begins at line 1, column 1: the indentation is wrong, or a colon is missing",
			},
		},
		{"hyphens in a block", "name: |\n  a\n  ---\n  b\n", []string{"a\n---\nb\n"}},
		{"hyphens of a file in a block", "name: a\nargs:\n- |\n  -----BEGIN-----\n", []string{"a"}},
		{"a broken one", "name: a\n---\nname: [\n---\nname: c\n---\nname: 'x\n---\nname: \"y\n---\nname: |\n x\n--- ~\n", []string{
			"a", "line 4, column 1: the document ends before its brackets are closed", "c",
			"line 7, column 7: the quotes that open here are not closed",
			"line 9, column 7: the quotes that open here are not closed", "x\n", "",
		}},
		{
			"content after the mark", "name: a\n... x\n---\nname: b\n",
			[]string{
				"line 2, column 5: found unexpected content after document-end marker while scanning a document-end marker that begins at line 2, column 1", "b",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, r := range sample.DecodeAll(t, yaml.Format(), "f", tt.in, false) {
				if r.Problems != nil {
					got = append(got, r.Problems...)
					continue
				}
				got = append(got, r.Machine.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("documents of %q (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestDocumentsStops(t *testing.T) {
	t.Parallel()
	n := 0
	for range yaml.Format().Documents([]byte("name: a\n---\nname: [\n---\nname: c\n"), schema.Limits{}) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d documents after a break, want 1", n)
	}
}

func TestType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in               string
		apiVersion, kind string
		err              string
	}{
		{in: "kind: A\napiVersion: b/v1\n", apiVersion: "b/v1", kind: "A"},
		{in: "spec: {kind: X}\n'kind': \"A\"\napiVersion: !!str 1\n", apiVersion: "1", kind: "A"},
		{in: "kind: 1\napiVersion: yes\n", apiVersion: "yes", kind: "1"},
		{in: "Kind: A\napiversion: b\n"},
		{in: "kind:\napiVersion: ~\n"},
		{in: "kind: &a A\napiVersion: *a\n", apiVersion: "A", kind: "A"},
		{in: "kind: A\nkind: B\n", kind: "B"},
		{in: "&x kind: A\n<<: {apiVersion: v1, kind: Z}\n", apiVersion: "v1", kind: "A"},
		{in: "x: y\nkind: [A]\n", err: "line 2, column 7: kind: kind is not a string: expected string, found array"},
		{
			in: "apiVersion: v1\nkind: !!int 1\n", apiVersion: "v1",
			err: "line 2, column 7: kind: kind is not a string: expected string, found number",
		},
		{in: "\n- kind: A\n", err: "line 2, column 1: expected object, found array"},
	} {
		for doc, err := range yaml.Format().Documents([]byte(tt.in), schema.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			apiVersion, kind, err := doc.Type()
			text := ""
			if err != nil {
				text = err.Error()
			}
			if apiVersion != tt.apiVersion || kind != tt.kind || text != tt.err {
				t.Errorf("Type of %q = %q, %q, %q; want %q, %q, %q", tt.in, apiVersion, kind, text, tt.apiVersion,
					tt.kind, tt.err)
			}
		}
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	const plain = "# c\nname: x\nparts:\n- name: a\n  size: 1\n- {name: b}\nlabels:\n  app.kubernetes.io/name: é\n  z: 1\n"
	for _, in := range []string{plain, "%YAML 1.2\n---\n&a " + plain} {
		lines := bytes.Count([]byte(in), []byte("\n")) - bytes.Count([]byte(plain), []byte("\n"))
		if lines > 0 {
			in = strings.Replace(in, "&a # c", "# c", 1)
			in = strings.Replace(in, "name: x", "name: &a x", 1)
		}
		for doc, err := range yaml.Format().Documents([]byte(in), schema.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, tt := range []struct {
				path         *schema.Path
				line, column int
			}{
				{nil, 2, 1},
				{schema.NewPath("name"), 2, 7},
				{schema.NewPath("parts"), 4, 1},
				{schema.NewPath("parts").Index(0), 4, 3},
				{schema.NewPath("parts").Index(0).Child("size"), 5, 9},
				{schema.NewPath("parts").Index(1).Child("name"), 6, 10},
				{schema.NewPath("parts").Index(1).Child("size"), 6, 3},
				{schema.NewPath("parts").Index(7), 4, 1},
				{schema.NewPath("labels").Key("app.kubernetes.io/name"), 8, 27},
				{schema.NewPath("labels").Key("z"), 9, 6},
				{schema.NewPath("spec", "replicas"), 2, 1},
			} {
				p := doc.Locate(tt.path)
				if p.Line != tt.line+lines || p.Column != tt.column {
					t.Errorf("Locate(%v) in %q = %v, want %d:%d", tt.path, in, p, tt.line+lines, tt.column)
				}
			}
		}
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"a: 0x10\nb: [yes, '1', ~]\nc: <x>\n", `{"a":16,"b":[true,"1",null],"c":"\u003cx\u003e"}`},
		{"a: &x {b: 1}\nc: *x\n", `{"a":{"b":1},"c":{"b":1}}`},
		{"a: .inf\n", ""},
		{"a: !x y\n", ""},
	} {
		for doc, err := range yaml.Format().Documents([]byte(tt.in), schema.Limits{}) {
			if err != nil {
				t.Fatal(err)
			}
			if got := string(doc.Raw()); got != tt.want {
				t.Errorf("Raw of %q = %s, want %s", tt.in, got, tt.want)
			}
		}
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]format.Recognition{
		"": format.Maybe, "a: b\n": format.Maybe, "{}": format.Maybe, `{"a": 1}`: format.Maybe,
		"{a: b}": format.Yes, "\ufeff { 'a': b}": format.Yes, "k8s\x00\n": format.No,
		"\xd9\xd9\xf7\xa3\x01": format.No, "\xff\xfea\x00": format.Maybe,
	} {
		if got := yaml.Format().Recognize([]byte(in)); got != want {
			t.Errorf("Recognize(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestToJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want, err string }{
		{in: "", want: "null"},
		{in: "# c\n---\n", want: "null"},
		{in: "b: 1\na: 0x10\nb: 2\n", want: `{"b":2,"a":16}`},
		{in: "- yes\n- 'no'\n", want: `[true,"no"]`},
		{in: "x\n", want: `"x"`},
		{in: "a: 1\n---\nb: 2\n", err: "line 3, column 1: a second document begins here, expected only one"},
		{in: "a: [\n", err: "line 2, column 1: the document ends before its brackets are closed"},
		{in: "a: -.inf\n", err: "line 1, column 4: number -.inf is out of range for JSON"},
		{in: "a: !x y\n", err: "line 1, column 4: the tag !x is not supported here"},
		{in: `{"\ud83d\uDE00": "\\\uD83D\uDE00\\ud83d\\ude00"}`, want: `{"😀":"\\😀\\ud83d\\ude00"}`},
		{in: "\uFEFF[\"\\ud83d\\ude00\"]", want: `["😀"]`},
		{in: `a: \ud83d\ude00`, want: `{"a":"\\ud83d\\ude00"}`},
		{
			in: "[\"\\ud83d\\ude00\",\n\"\\ud83d\\ude00\", \"\\ud83d\"]",
			err: "line 2, column 20: found invalid Unicode character escape code " +
				"while scanning a quoted scalar that begins at line 2, column 17",
		},
	} {
		got, err := yaml.ToJSON([]byte(tt.in))
		text := ""
		if err != nil {
			text = err.Error()
		}
		if string(got) != tt.want || text != tt.err {
			t.Errorf("ToJSON(%q) = %s, %q; want %s, %q", tt.in, got, text, tt.want, tt.err)
		}
		if _, ok := errors.AsType[*runtime.DecodeError](err); err != nil && !ok {
			t.Errorf("ToJSON(%q): error is a %T", tt.in, err)
		}
	}
}

// TestNodesWithinMemory checks that documents as people write them are read by the library as well,
// however large, and that those are not that need much more memory than text.
func TestNodesWithinMemory(t *testing.T) {
	t.Parallel()
	const head, anchored = "kind: Order\napiVersion: workshop.example.com/v1\nspec:\n  customer: &a c\n", "x:\n"
	for _, c := range []struct {
		name, text string
		times      int
		ok         bool
	}{
		{
			"a manifest", "- name: server\n  image: nginx:1.27\n  ports:\n  - port: 8080 # for users\n    protocol: TCP\n",
			5000, true,
		},
		{"short members", "- a: 1\n  b: 2\n", 20000, true},
		{"a matrix over several lines", "- [1, 2, 3, 4,\n   5, 6, 7, 8]\n", 8000, true},
		{"members over several lines", "- {a: 1, b: 2,\n   c: 3, d: 4}\n", 8000, true},
		{"figures in a text", "- |\n  1,2,3,4,5,6,7,8,9\n  1,2,3,4,5,6,7,8,9\n", 8000, true},
		{"empty elements", "-\n", 100000, true},
		{"keys without values", "- {a, b, c, d, e, f,\n   g, h, i, j, k, l}\n", 8000, false},
		{"missing keys", "- ?\n", 100000, false},
		{"comments", "- #\n", 100000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, err := range yaml.Format().Documents([]byte(head+anchored+strings.Repeat(c.text, c.times)),
				schema.Limits{}) {
				limit, isLimit := errors.AsType[*schema.LimitError](err)
				switch {
				case c.ok && err != nil:
					t.Error(err)
				case !c.ok && (!isLimit || limit.Limit != "Memory" ||
					!strings.Contains(err.Error(), "line 1, column 1: a YAML document of ")):
					t.Errorf("error %v, want one of the limit Memory", err)
				}
			}
		})
	}
}

// pad is a comment that makes a document large enough for Limits.Memory to leave other limits to be
// met first.
var pad = "#" + strings.Repeat(".", 1<<19) + "\n"

// TestLongNames checks that errors do not repeat a long name, however often it occurs.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct{ in, want string }{
		{"a: *" + long, `unknown anchor "xxx`},
		{"a: &" + long + " [*" + long + "]", `the alias "xxx`},
		{"a: &a !" + long + " b\nc: [" + strings.Repeat("*a, ", 50) + "]", "the tag !xxx"},
		{"a: &a !" + long + " {}\nc: [" + strings.Repeat("*a, ", 50) + "]", "the tag !xxx"},
		{"a: &a {!" + long + " b: c}\nd: [" + strings.Repeat("*a, ", 50) + "]", "the tag !xxx"},
	} {
		_, err := yaml.ToJSON([]byte(tt.in))
		if err == nil || len(err.Error()) > 51*500 || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.20s: got %.1000v", tt.in, err)
		}
	}
}

// TestManyDirectives checks that the time for the directives of a document is bounded.
func TestManyDirectives(t *testing.T) {
	t.Parallel()
	const document = "---\na: &x 1\nb: *x\n"
	got, err := yaml.ToJSON([]byte(strings.Repeat("%YAML 1.1\n", 100_000) + document))
	if string(got) != `{"a":1,"b":1}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	tags := func(n int, lineBreak string) (out string) {
		for i := range n {
			out += "%TAG !" + strconv.Itoa(i) + "! tag:example.com,2026:" + lineBreak
		}
		return out + document
	}
	if got, err = yaml.ToJSON([]byte(tags(100, "\n"))); string(got) != `{"a":1,"b":1}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	for _, lineBreak := range []string{"\n", "\r", "\u2028"} {
		const want = "the document has more than 100 directives %TAG"
		if _, err = yaml.ToJSON([]byte(tags(101, lineBreak))); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", lineBreak, err, want)
		}
	}
}
