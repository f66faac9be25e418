package json_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	k := sample.Kind(t)
	m := &samplev1.Machine{Name: "<a>", Replicas: 3, Args: []string{"x"}}
	const compact = `{"kind":"Machine","apiVersion":"fleet.example.com/v1","name":"\u003ca\u003e","replicas":3,"args":["x"]}` + "\n"
	const pretty = `{
  "kind": "Machine",
  "apiVersion": "fleet.example.com/v1",
  "name": "\u003ca\u003e",
  "replicas": 3,
  "args": [
    "x"
  ]
}`
	for _, tt := range []struct {
		name string
		o    format.Options
		want string
	}{{"compact", format.Options{}, compact}, {"pretty", format.Options{Pretty: true}, pretty}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Format().Append([]byte("before "), k, m, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff("before "+tt.want, string(got)); diff != "" {
				t.Errorf("Append (-want +got):\n%s", diff)
			}
		})
	}
	got, err := json.Format().Append([]byte("before"), k, new(int), format.Options{Pretty: true})
	if err == nil || string(got) != "before" {
		t.Errorf("Append of another type = %q, %v", got, err)
	}
}

func TestAppendReusesMemory(t *testing.T) {
	if plain.Enabled {
		t.Skip("with the tag, each call of a generated function allocates")
	}
	k := sample.Kind(t)
	m := &samplev1.Machine{Name: "a", Args: []string{"x", "y"}}
	for _, o := range []format.Options{{}, {Pretty: true}} {
		dst := make([]byte, 0, 4096)
		if n := testing.AllocsPerRun(100, func() {
			if _, err := json.Format().Append(dst, k, m, o); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%+v: %v allocations, want none", o, n)
		}
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]format.Recognition{
		"": format.No, " ": format.No, "{": format.Yes, " \r\n\t{}": format.Yes, "\ufeff {}": format.Yes,
		"{a: b}": format.Maybe, "{ 'a': b}": format.Maybe, "{1: 2}": format.Yes,
		"[]": format.No, "a: {}": format.No, "k8s\x00{": format.No,
	} {
		if got := json.Format().Recognize([]byte(in)); got != want {
			t.Errorf("Recognize(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   string
		want []string // names and problems
	}{
		{"empty", "", nil},
		{"space", " \n\ufeff"[:2], nil},
		{"one", `{"name":"a"}`, []string{"a"}},
		{"byte order mark", "\ufeff{\"name\":\"a\"}\n", []string{"a"}},
		{"several", "{\"name\":\"a\"}{\"name\":\"b\"}\n\n {\"name\":\"c\"} ", []string{"a", "b", "c"}},
		{"braces in strings", `{"name":"}{\"}"}{"name":"b"}`, []string{`}{"}`, "b"}},
		{"braces in later strings", `{"name":"a"}{"name":"}{\"}"}{"name":"b"}`, []string{"a", `}{"}`, "b"}},
		{"a broken one", "{\"name\":}\n{\"name\":\"b\",\"replicas\":\"x\"}\n{\"name\":\"c\"}", []string{
			"f:1:9: unexpected character '}', expected string",
			`b; f:2:24: replicas: expected integer, found string`, "c",
		}},
		{"truncated", `{"name":"a"}{"name":`, []string{"a", "f:1:21: name: unexpected end of text, expected string"}},
		{
			"unclosed", `{"name":"a","labels":{"x":"y"}`,
			[]string{"a; f:1:31: unexpected end of text, expected ',' or '}'"},
		},
		{
			"junk after", "{\"name\":\"a\"}\nx",
			[]string{"a", "line 2, column 1: unexpected character 'x', expected a value"},
		},
		{"list", `["a"]`, []string{"line 1, column 1: expected an object, found another JSON value"}},
		{"broken list", `[1,]`, []string{"line 1, column 4: unexpected character ']', expected a value"}},
		{
			"not UTF-8", "{\"name\":\"a\n\"}",
			[]string{"f:1:11: name: control character in a string, expected an escape"},
		},
		{"UTF-16", "\xff\xfe{\x00", []string{"line 1, column 1: unexpected invalid UTF-8, expected a value"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, r := range sample.DecodeAll(t, json.Format(), "f", tt.in, false) {
				text := append(slices.Clone(r.Problems[:0]), r.Problems...)
				if r.Machine.Name != "" {
					text = append([]string{r.Machine.Name}, text...)
				}
				got = append(got, strings.Join(text, "; "))
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
	for range json.Format().Documents([]byte("{}{}{}"), schema.Limits{}) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d documents after a break, want 1", n)
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		in    string
		cause error
		want  []string
	}{
		{"unknown", "{\n  \"naem\": 1,\n  \"parts\": [{\"sise\": 1}]\n}", runtime.ErrUnknownField, []string{
			`f:2:3: naem: unknown field "naem" (did you mean "name"?)`,
			`f:3:14: parts[0].sise: unknown field "sise" (did you mean "size"?)`,
		}},
		{"duplicate", `{"name":"a","labels":{"x":"1","x":"2"},"name":"b"}`, runtime.ErrDuplicateField, []string{
			`f:1:31: labels.x: duplicate field "x"`, `f:1:40: name: duplicate field "name"`,
		}},
		{"after other objects", "{\"name\":\"é\"} {\"naem\":1}\r\n{}{\r\"naem\":1}", runtime.ErrUnknownField, []string{
			`f:1:15: naem: unknown field "naem" (did you mean "name"?)`,
			`f:2:5: naem: unknown field "naem" (did you mean "name"?)`,
		}},
		{"byte order mark", "\ufeff{\"é\":1}", runtime.ErrUnknownField, []string{`f:1:2: [é]: unknown field "é"`}},
		{
			"range", `{"replicas":3000000000}`, runtime.ErrOutOfRange,
			[]string{`f:1:13: replicas: number 3000000000 is out of range for int32`},
		},
		{"value", `{"key":"?"}`, runtime.ErrInvalidValue, []string{"f:1:8: key: illegal base64 data at input byte 0"}},
		{
			"deep", `{"extra":` + strings.Repeat("[", 10001), runtime.ErrLimit,
			[]string{"f:1:10009: extra" + strings.Repeat("[0]", 31) + "…" + strings.Repeat("[0]", 33) +
				": the nesting has 10001 levels, more than 10000; raise Limits.Depth to read it"},
		},
		{
			"invalid UTF-8", "{\"name\":\"\xff\"}", runtime.ErrSyntax,
			[]string{"f:1:10: name: invalid UTF-8 in a string"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, r := range sample.DecodeAll(t, json.Format(), "f", tt.in, true) {
				got = append(got, r.Problems...)
				for _, err := range r.Errs {
					if !errors.Is(err, tt.cause) {
						t.Errorf("%v is not %v", err, tt.cause)
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems in %.100q (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestLenient(t *testing.T) {
	t.Parallel()
	for _, r := range sample.DecodeAll(t, json.Format(), "f", `{"naem":1,"name":"a","name":"b","Name":"c"}`, false) {
		if r.Problems != nil || r.Machine.Name != "b" || r.Machine.Kind != "Machine" {
			t.Errorf("got %+v", r)
		}
	}
}

func TestType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in               string
		apiVersion, kind string
		err              string
	}{
		{in: `{"kind":"A","apiVersion":"b/v1"}`, apiVersion: "b/v1", kind: "A"},
		{in: `{"spec":{"kind":"X"},"kind":"A"}`, kind: "A"},
		{in: `{"Kind":"A","APIVERSION":"b"}`},
		{in: "\n {\"kind\":1}", err: "line 2, column 10: kind: kind is not a string: expected string, found number"},
		{in: `{"kind":`, err: "line 1, column 9: kind: unexpected end of text, expected a value"},
	} {
		for doc, err := range json.Format().Documents([]byte(tt.in), schema.Limits{}) {
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

func TestLocateAndRaw(t *testing.T) {
	t.Parallel()
	n := 0
	for doc, err := range json.Format().Documents(
		[]byte("{}\n{\"parts\": [{\"name\": \"é\", \"size\": 1}],\n\"x\":{\"a.b\": 1}}"), schema.Limits{},
	) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 1 {
			continue
		}
		for _, tt := range []struct {
			path *schema.Path
			want string
		}{
			{nil, "2:1"},
			{schema.NewPath("parts").Index(0).Child("size"), "2:34"},
			{schema.NewPath("parts").Index(1), "2:11"},
			{schema.NewPath("x").Key("a.b"), "3:13"},
		} {
			if got := doc.Locate(tt.path).String(); got != tt.want {
				t.Errorf("Locate(%v) = %s, want %s", tt.path, got, tt.want)
			}
		}
		const raw = "{\"parts\": [{\"name\": \"é\", \"size\": 1}],\n\"x\":{\"a.b\": 1}}"
		if got := string(doc.Raw()); got != raw {
			t.Errorf("Raw = %q, want %q", got, raw)
		}
	}
	if n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
	for doc := range json.Format().Documents([]byte(`{"a":`), schema.Limits{}) {
		if got := doc.Raw(); got != nil {
			t.Errorf("Raw of a broken document = %q, want nil", got)
		}
	}
}

func FuzzDocuments(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"name":"a"}{"name":"b"}`, "\ufeff{", `{"kind":"}"`,
		`{"extra":[{"a":1e400}]}`, "[]", "{\"name\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	k := sample.Kind(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		json.Format().Recognize(data)
		for doc, err := range json.Format().Documents(data, schema.Limits{}) {
			if err != nil {
				checkPosition(t, data, err)
				continue
			}
			if _, _, err := doc.Type(); err != nil {
				checkPosition(t, data, err)
			}
			for _, p := range doc.Decode(k, new(samplev1.Machine), runtime.ReadOptions{Strict: true}) {
				checkPosition(t, data, &p)
			}
			doc.Raw()
		}
	})
}

// checkPosition checks that an error has a place in the text, counted as schema.PositionOf counts.
func checkPosition(t *testing.T, data []byte, err error) {
	t.Helper()
	p, ok := errors.AsType[*runtime.Problem](err)
	if !ok || p.Position != schema.PositionOf(data, p.Position.Offset) {
		t.Errorf("%q: %v is at %+v, want %+v", data, err, p.Position, schema.PositionOf(data, p.Position.Offset))
	}
}

// TestEventOfManyObjects checks that the time for an event that repeats its object does not grow
// with the square of their number. The last one counts.
func TestEventOfManyObjects(t *testing.T) {
	t.Parallel()
	const last = `{"kind":"Machine"}`
	frame := `{"type":"ADDED",` + strings.Repeat(`"object":0,`, 200_000) + "\n" + `"object":` + last + "}"
	took := cputime.Of(func() {
		_, object, err := json.Format().Events.Open([]byte(frame), schema.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		at := object.Locate(schema.NewPath("kind"))
		if raw := object.Raw(); string(raw) != last || at.Line != 2 || at.Column != len(`"object":{"kind":`)+1 {
			t.Errorf("got %s at %v", raw, at)
		}
	})
	if took > 10*time.Second { // otherwise it takes a minute
		t.Errorf("took %v", took)
	}
}
