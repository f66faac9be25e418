package jsonwire_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

func TestPathAt(t *testing.T) {
	t.Parallel()
	// The place is where the text has a caret.
	rows := []struct{ name, text, want string }{
		{"root", `^{"a":1}`, ""},
		{"before the root", `^  {"a":1}`, ""},
		{"after the root", `{"a":1} ^`, ""},
		{"key", `{"a":{"^bc":1}}`, "a.bc"},
		{"colon", `{"a":{"bc"^:1}}`, "a.bc"},
		{"number", `{"a":{"bc":1^2}}`, "a.bc"},
		{"string", `{"a":{"bc":"x^y"}}`, "a.bc"},
		{"object", `{"a":^{"bc":"xy"}}`, "a"},
		{"closing bracket", `{"a":{"bc":"xy"^}}`, "a"},
		{"comma", `{"a":{"bc":"xy"^,"d":1}}`, "a"},
		{"space between members", `{"a":{"bc":"xy",^ "d":1}}`, "a"},
		{"element", `{"a":[1,{"b":[2,^3]}]}`, "a[1].b[1]"},
		{"element object", `{"a":[1, ^{"b":2}]}`, "a[1]"},
		{"space in an array", `{"a":[1,^ 2]}`, "a"},
		{"empty array", `{"a":[^]}`, "a"},
		{"map key", `{"labels":{"app.kubernetes.io/name":^"x"}}`, "labels[app.kubernetes.io/name]"},
		{"escaped key", `{"l\u0061b\"el":^"x"}`, `["lab\"el"]`},
		{"quotes in a string", `{"a":"x\"y{[","b":[^3]}`, "b[0]"},
		{"duplicate", `{"a":1,"^a":2}`, "a"},
		{"cut off", `{"a":[{},{"b":^`, "a[1].b"},
		{"cut off in a key", `{"a":[{},{"b^`, "a[1]"},
		{"broken name", `{"a":[{},{^/`, "a[1]"},
		{"name without quotes", `{"a":[{},{b^c:1}]}`, "a[1]"},
		{"name with a control character", "{\"a\":[{},{\"b\x01^\":1}]}", "a[1]"},
		{"broken", `{"a":[{},{"b":^tru]}}`, "a[1].b"},
		{"nonsense", `]}:,x^`, ""},
		{"plain scalar", "{\"a\":[\x01\"x\",\x01\"y^\"]}", "a[1]"},
		{"mark of a plain scalar", "{\"a\":[\x01\"x\",^\x01\"y\"]}", "a[1]"},
		{"pretty", "{\n  \"a\": {\n    \"b\": ^true\n  }\n}", "a.b"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			offset := strings.IndexByte(row.text, '^')
			text := row.text[:offset] + row.text[offset+1:]
			if got := jsonwire.PathAt([]byte(text), offset).String(); got != row.want {
				t.Errorf("PathAt(%s) = %s, want %s", row.text, got, row.want)
			}
		})
	}
	if got := jsonwire.PathAt([]byte(`{"a":1}`), -1); got.String() != "" {
		t.Errorf("PathAt(-1) = %v", got)
	}
}

func TestOffsetOf(t *testing.T) {
	t.Parallel()
	const text = ` {"a": {"b":[1, {"c.d":"x]"} ,3], "a":7, "a":[]}, "e":null,"e\u0031":5,"p":` + "\x01\"pp\"} "
	rows := []struct {
		path, want string
		ok         bool
	}{
		{"", strings.TrimSpace(text), true},
		{"a", `{"b":[1, {"c.d":"x]"} ,3], "a":7, "a":[]}`, true},
		{"a.b", `[1, {"c.d":"x]"} ,3]`, true},
		{"a.b[0]", `1`, true},
		{"a.b[1]", `{"c.d":"x]"}`, true},
		{"a.b[1][c.d]", `"x]"`, true},
		{`a.b[1]."c.d"`, `"x]"`, true},
		{"a.b[2]", `3`, true},
		{"a.b[3]", `[1, {"c.d":"x]"} ,3]`, false},
		{"a.a", `[]`, true},
		{"a[a]", `[]`, true},
		{"a.a[0]", `[]`, false},
		{"a.x.y", `{"b":[1, {"c.d":"x]"} ,3], "a":7, "a":[]}`, false},
		{"e", "null", true},
		{"e.f", "null", false},
		{"e1", "5", true},
		{"p", "\x01\"pp\"", true},
	}
	for _, row := range rows {
		t.Run(row.path, func(t *testing.T) {
			t.Parallel()
			p, err := schema.ParsePath(row.path)
			if err != nil {
				t.Fatal(err)
			}
			start, end, ok := jsonwire.OffsetOf([]byte(text), p)
			if got := text[start:end]; got != row.want || ok != row.ok {
				t.Errorf("OffsetOf = %s, %v, want %s, %v", got, ok, row.want, row.ok)
			}
		})
	}
	for _, broken := range []string{"", " ", "{", `{"a`, `{"a"`, `{"a":`, `{"a":[`, `{"a":[1`, "]"} {
		start, end, _ := jsonwire.OffsetOf([]byte(broken), schema.NewPath("a").Index(1))
		if start < 0 || end < start || end > len(broken) {
			t.Errorf("OffsetOf(%q) = %d, %d", broken, start, end)
		}
	}
}
