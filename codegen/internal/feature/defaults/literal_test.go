package defaults

import (
	"strings"
	"testing"
)

// shape prints a literal without its positions.
func shape(l *literal) string {
	switch l.kind {
	case objectLiteral:
		var parts []string
		for _, m := range l.members {
			parts = append(parts, m.name+":"+shape(m.lit))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case listLiteral:
		var parts []string
		for _, item := range l.items {
			parts = append(parts, shape(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case textLiteral:
		return "'" + l.value + "'"
	case refLiteral:
		return "&" + l.value
	}
	return l.text
}

var literals = []struct {
	name, text string
	lenient    bool
	// want is the shape, or the error with its offset.
	want string
}{
	{"text", `"a b"`, false, "'a b'"},
	{"escapes", `"a\n\u0041"`, false, "'a\nA'"},
	{"back quotes", "`a\"b`", false, `'a"b'`},
	{"number", "-1.5e3", false, "-1.5e3"},
	{"boolean", "true", false, "true"},
	{"null", "null", false, "null"},
	{"reference", "ref( example.com/x.Const )", false, "&example.com/x.Const"},
	{"list", `[1, "a", [true]]`, false, "[1,'a',[true]]"},
	{"empty list", `[ ]`, false, "[]"},
	{"object", `{"a": 1, "b": {"c": [2]}}`, false, "{a:1,b:{c:[2]}}"},
	{"empty object", `{}`, false, "{}"},
	{"names without quotes", `{a: 1}`, false, "{a:1}"},
	{"reference inside", `[ref(A),ref(b.C)]`, false, "[&A,&b.C]"},
	{"bare word", "abc", false, "0: a text needs quotes"},
	{"bare word inside", `["a", abc]`, false, "6: a text needs quotes"},
	{"lenient word", "abc def", true, "'abc def'"},
	{"lenient url", "http://x/y:1", true, "'http://x/y:1'"},
	{"lenient number", "12", true, "12"},
	{"lenient list", "{a,b}", true, "['a','b']"},
	{"lenient list of one", `{"a"}`, true, "['a']"},
	{"lenient object", "{a: b, c: 1}", true, "{a:'b',c:1}"},
	{"lenient list of objects", `{{a: b},{"a": "c"}}`, true, "[{a:'b'},{a:'c'}]"},
	{"lenient list of lists", "{{1,2},{3}}", true, "[[1,2],[3]]"},
	{"lenient list of JSON lists", "{[1,2],[3]}", true, "[[1,2],[3]]"},
	{"an object as a name", "{{a: b}: c}", true, "7: a comma is missing"},
	{"not lenient", "{a,b}", false, "2: missing colon after the member name"},
	{"leading zero is not a number", "08", false, "0: a text needs quotes"},
	{"hex is not a number", "0x8", true, "'0x8'"},
	{"open list", "[1, 2", false, "5: a closing ] is missing"},
	{"open object", `{"a": 1`, false, "7: a closing } is missing"},
	{"open text", `"abc`, false, "0: unterminated quoted text"},
	{"escapes of JSON", `"a\/b \ud83d\ude00"`, false, "'a/b 😀'"},
	{"unknown escape", `"a\qb"`, false, "0: the quoted text has an escape that neither Go nor JSON has"},
	{"no comma", `[1 2]`, false, "1: a text needs quotes"},
	{"no comma after text", `["a" "b"]`, false, "5: a comma is missing"},
	{"trailing text", `"a" b`, false, "4: unexpected text after the value"},
	{"missing value", `{"a": }`, false, "6: a text needs quotes"},
	{"nothing", "", false, "0: a value is missing"},
	{"deep", strings.Repeat("[", 40), false, "33: the value is nested too deeply"},
}

func parseShape(text string, lenient bool) string {
	l, err := parse(text, lenient)
	if err != nil {
		return strings.TrimSpace(strings.Join([]string{itoa(err.at), err.msg}, ": "))
	}
	return shape(l)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range literals {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := parseShape(test.text, test.lenient); got != test.want {
				t.Errorf("parse(%q) is %s, want %s", test.text, got, test.want)
			}
		})
	}
}

// Parsing never panics, and positions lie inside the text.
func FuzzParse(f *testing.F) {
	for _, test := range literals {
		f.Add(test.text, test.lenient)
	}
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		l, err := parse(text, lenient)
		if err != nil {
			if err.at < 0 || err.at > len(text) {
				t.Errorf("error at %d of %q", err.at, text)
			}
			return
		}
		if l.at < 0 || l.end > len(text) || l.at > l.end {
			t.Errorf("literal at %d to %d of %q", l.at, l.end, text)
		}
	})
}
