package accept

import (
	"fmt"
	"mime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// describe writes clauses in one canonical line, for comparison.
func describe(clauses []Clause) string {
	var out []string
	for i := range clauses {
		c := &clauses[i]
		if c.Fault.Kind != NoFault {
			out = append(out, "!"+c.Fault.String())
			continue
		}
		s := "*/*"
		switch c.Level {
		case Exact:
			s = strings.ToLower(c.Range)
		case AnySubtype:
			s = strings.ToLower(c.Range) + "/*"
		}
		if c.Has&HasGroup != 0 {
			s += " g=" + c.Group
		}
		if c.Has&HasVersion != 0 {
			s += " v=" + c.Version
		}
		if c.Has&HasAs != 0 {
			s += " as=" + c.As
		}
		if c.Has&HasPretty != 0 {
			s += fmt.Sprintf(" pretty=%t", c.Pretty)
		}
		if c.Quality != FullQuality {
			s += fmt.Sprintf(" q=%d", c.Quality)
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

var acceptCases = []struct {
	name  string
	lines []string
	want  string
}{
	{"nothing", nil, ""},
	{"empty line", []string{""}, ""},
	{"white space only", []string{" \t "}, ""},
	{"empty elements", []string{",, ,\t,"}, ""},
	{"one type", []string{"application/json"}, "application/json"},
	{"case of the type", []string{"Application/JSON"}, "application/json"},
	{"white space around", []string{" \tapplication/json \t"}, "application/json"},
	{"two types", []string{"application/json, application/yaml"}, "application/json | application/yaml"},
	{"two types without space", []string{"application/json,application/yaml"}, "application/json | application/yaml"},
	{"tab after comma", []string{"application/json,\tapplication/yaml"}, "application/json | application/yaml"},
	{"empty element between", []string{"application/json, ,application/yaml,"}, "application/json | application/yaml"},
	{"two lines", []string{"application/json", "application/yaml;q=0.5"}, "application/json | application/yaml q=500"},
	{"empty line between", []string{"application/json", "", "application/yaml"}, "application/json | application/yaml"},
	{"any", []string{"*/*"}, "*/*"},
	{"any subtype", []string{"application/*"}, "application/*"},
	{
		"star of old Java clients",
		[]string{"text/html, image/gif, *; q=.2, */*; q=.2"},
		"text/html | image/gif | */* q=200 | */* q=200",
	},
	{"type wildcard with subtype", []string{"*/json"}, "!malformed"},
	{"suffix is not a wildcard", []string{"application/*+json"}, "application/*+json"},

	{"quality", []string{"a/b;q=0.5"}, "a/b q=500"},
	{"quality in upper case", []string{"a/b;Q=0.5"}, "a/b q=500"},
	{"quality with white space", []string{"a/b \t;\t q=0.5"}, "a/b q=500"},
	{"quality zero", []string{"a/b;q=0"}, "a/b q=0"},
	{"quality 0.", []string{"a/b;q=0."}, "a/b q=0"},
	{"quality 0.000", []string{"a/b;q=0.000"}, "a/b q=0"},
	{"quality one", []string{"a/b;q=1"}, "a/b"},
	{"quality 1.000", []string{"a/b;q=1.000"}, "a/b"},
	{"quality in thousandths", []string{"a/b;q=0.123"}, "a/b q=123"},
	{"quality quoted", []string{`a/b;q="0.5"`}, "a/b q=500"},
	{"quality too exact", []string{"a/b;q=0.1234"}, `!bad value of the parameter q: "0.1234"`},
	{"quality above one", []string{"a/b;q=1.001"}, `!bad value of the parameter q: "1.001"`},
	{"quality two", []string{"a/b;q=2"}, `!bad value of the parameter q: "2"`},
	{"quality before the digits", []string{`a/b;q="/"`}, `!bad value of the parameter q: "/"`},
	{"quality before the digits with decimals", []string{`a/b;q="/.5"`}, `!bad value of the parameter q: "/.5"`},
	{"quality negative", []string{"a/b;q=-1"}, `!bad value of the parameter q: "-1"`},
	{"quality exponent", []string{"a/b;q=1e0"}, `!bad value of the parameter q: "1e0"`},
	{"quality word", []string{"a/b;q=high"}, `!bad value of the parameter q: "high"`},
	{"quality point", []string{"a/b;q=."}, `!bad value of the parameter q: "."`},
	{"quality empty", []string{"a/b;q="}, "!bad value of the parameter q"},
	{"quality leading zeros", []string{"a/b;q=00.5"}, `!bad value of the parameter q: "00.5"`},
	{"quality twice", []string{"a/b;q=1;q=1"}, "!the parameter q occurs twice"},
	{"quality before others", []string{"a/b;q=0.5;as=Table"}, "a/b as=Table q=500"},

	{"target", []string{"a/b;g=meta.k8s.io;v=v1;as=Table"}, "a/b g=meta.k8s.io v=v1 as=Table"},
	{"target, any order", []string{"a/b;as=Table;v=v1;g=meta.k8s.io"}, "a/b g=meta.k8s.io v=v1 as=Table"},
	{
		"names in upper case",
		[]string{"a/b;AS=Table;V=v1;G=meta.k8s.io;PRETTY=1"},
		"a/b g=meta.k8s.io v=v1 as=Table pretty=true",
	},
	{"case of the value", []string{"a/b;as=table"}, "a/b as=table"},
	{"group without a name", []string{`a/b;g="";v=v1`}, "a/b g= v=v1"},
	{"group without quotes", []string{`a/b;g=;v=v1`}, "!bad value of the parameter g"},
	{"version empty", []string{`a/b;v=""`}, "!bad value of the parameter v"},
	{"as empty", []string{`a/b;as=""`}, "!bad value of the parameter as"},
	{"as twice", []string{`a/b;as=Table;as=Scale`}, "!the parameter as occurs twice"},
	{"tab before a parameter", []string{"a/b;\tas=Table"}, "a/b as=Table"},
	{"pretty", []string{"a/b;pretty=1"}, "a/b pretty=true"},
	{"not pretty", []string{"a/b;pretty=0"}, "a/b pretty=false"},
	{"pretty word", []string{"a/b;pretty=true"}, `!bad value of the parameter pretty: "true"`},
	{"charset", []string{"a/b;charset=utf-8"}, "a/b"},
	{"charset in upper case", []string{`a/b;Charset="UTF-8"`}, "a/b"},
	{"other charset", []string{"a/b;charset=latin1"}, `!bad value of the parameter charset: "latin1"`},
	{"unknown parameter", []string{"a/b;level=1"}, "!unknown parameter level"},
	{"unknown parameter of one letter", []string{"a/b;x=1"}, "!unknown parameter x"},
	{"first fault is told", []string{"a/b;level=1;q=9"}, "!unknown parameter level"},
	{"fault of one clause only", []string{"a/b;level=1, c/d"}, "!unknown parameter level | c/d"},

	{"quoted", []string{`a/b;as="Table"`}, "a/b as=Table"},
	{"quoted with escape", []string{`a/b;as="T\able"`}, "a/b as=Table"},
	{"quoted comma", []string{`a/b;as="x,y", c/d`}, "a/b as=x,y | c/d"},
	{"quoted semicolon", []string{`a/b;as="x;y";v=v1`}, "a/b v=v1 as=x;y"},
	{"quoted quote", []string{`a/b;as="x\"y", c/d`}, `a/b as=x"y | c/d`},
	{"quoted backslash", []string{`a/b;as="x\\", c/d`}, `a/b as=x\ | c/d`},
	{"quote not closed", []string{`a/b;as="Table, c/d`}, "!bad value of the parameter as"},
	{"quote not closed in one line", []string{`a/b;as="Table, c/d`, "e/f"}, "!bad value of the parameter as | e/f"},
	{"backslash at the end", []string{`a/b;as="Table\`}, "!bad value of the parameter as"},
	{"control character in quotes", []string{"a/b;as=\"T\x01,\", c/d"}, "!bad value of the parameter as | c/d"},
	{"quotes with an escaped quote after garbage", []string{`a/b x;as="T\",e/f", c/d`}, "!malformed | c/d"},
	{"text after quotes", []string{`a/b;as="Table"x, c/d`}, "!malformed | c/d"},

	{"empty parameters", []string{"a/b;;as=Table; ;"}, "a/b as=Table"},
	{"space before equals", []string{"a/b;as =Table"}, "!malformed"},
	{"space after equals", []string{"a/b;as= Table"}, "!bad value of the parameter as"},
	{"parameter without value", []string{"a/b;as"}, "!malformed"},
	{"two equals", []string{"a/b;as=a=b"}, "!malformed"},
	{"slash in value", []string{"a/b;v=meta/v1"}, "!malformed"},
	{"parameter without name", []string{"a/b;=x"}, "!malformed"},
	{"space in the type", []string{"a /b"}, "!malformed"},
	{"no subtype", []string{"a/"}, "!malformed"},
	{"no type", []string{"/b"}, "!malformed"},
	{"no slash", []string{"json"}, "!malformed"},
	{"two slashes", []string{"a/b/c"}, "!malformed"},
	{"words", []string{"a/b c/d"}, "!malformed"},
	{"not ASCII", []string{"a/bü, c/d"}, "!malformed | c/d"},
	{"garbage", []string{"\x00\xff;,\"q"}, "!malformed | !malformed"},

	{
		"seed's commas",
		[]string{"application/json;g=meta.k8s.io,v=v1,as=Table, application/json"},
		"application/json g=meta.k8s.io v=v1 as=Table | application/json",
	},
	{"commas with spaces", []string{"a/b;g=x , v=v1 ,\tas=Table , c/d"}, "a/b g=x v=v1 as=Table | c/d"},
	{"comma right after the type", []string{"a/b,as=Table"}, "a/b as=Table"},
	{"comma then semicolon", []string{"a/b,as=Table;v=v1;q=0.5"}, "a/b v=v1 as=Table q=500"},
	{"comma and quotes", []string{`a/b,as="Table",v="v1"`}, "a/b v=v1 as=Table"},
	{"comma with bad value", []string{"a/b,as=, c/d"}, "!bad value of the parameter as | c/d"},
	{"comma across lines", []string{"a/b;g=x", "v=v1, c/d"}, "a/b g=x v=v1 | c/d"},
	{"comma after garbage", []string{"json, as=Table, c/d"}, "!malformed | c/d"},
	{"comma first", []string{"as=Table, c/d"}, "!no media type before the parameter as | c/d"},
	{"comma and a weight", []string{"a/b, q=0.5"}, "a/b q=500"},
	{"comma and unknown", []string{"a/b, level=1"}, "!unknown parameter level"},
	{"word after comma continues nothing", []string{"a/b, as"}, "a/b | !malformed"},
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range acceptCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := describe(Parse(nil, c.lines, nil)); got != c.want {
				t.Errorf("Parse(%q)\n got %s\nwant %s", c.lines, got, c.want)
			}
		})
	}
}

func TestParseText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lines []string
		want  []string
	}{
		{[]string{" a/b ;q=1 , c/d"}, []string{"a/b ;q=1", "c/d"}},
		{[]string{"a/b;g=x , v=v1,as=T , c/d"}, []string{"a/b;g=x , v=v1,as=T", "c/d"}},
		{[]string{"a/b;g=x", "v=v1"}, []string{"a/b;g=x, v=v1"}},
		{[]string{`json"x,y" z, c/d`}, []string{`json"x,y" z`, "c/d"}},
	} {
		var got []string
		for _, Clause := range Parse(nil, c.lines, nil) {
			got = append(got, Clause.Text)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: got %q, want %q", c.lines, got, c.want)
		}
	}
}

func TestParseLimit(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a/b,", MaxClauses-1) + "c/d;g=x,v=v1,as=T,e/f,q=0"
	clauses := Parse(nil, []string{line, "g/h"}, nil)
	if len(clauses) != MaxClauses {
		t.Fatalf("got %d clauses, want %d", len(clauses), MaxClauses)
	}
	if got, want := describe(clauses[MaxClauses-1:]), "c/d g=x v=v1 as=T"; got != want {
		t.Errorf("last clause: got %s, want %s", got, want)
	}
}

func TestParseContentType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header, name, charset string
		ok                    bool
	}{
		{"application/json", "application/json", "", true},
		{"Application/JSON ; charset=UTF-8", "application/json", "UTF-8", true},
		{"application/json;\tcharset=\"utf-8\"", "application/json", "utf-8", true},
		{"application/json;charset=latin1;x=y", "application/json", "latin1", true},
		{"application/json;", "application/json", "", true},
		{"application/json;;x=y;", "application/json", "", true},
		{`application/json;x="a;charset=latin1"`, "application/json", "", true},
		{"application/json;charset=utf-8;charset=utf-8", "", "", false},
		{"application/json, text/plain", "", "", false},
		{"application/json;g=meta.k8s.io,v=v1,as=Scale", "application/json", "", true},
		{"application/json,charset=utf-8 , v=v1;x=y", "application/json", "utf-8", true},
		{"application/json,", "", "", false},
		{"application/json,;v=v1", "", "", false},
		{"application/json,=v1", "", "", false},
		{"application/json;v=v1, text/plain", "", "", false},
		{"application/json text/plain", "", "", false},
		{"application/json;charset", "", "", false},
		{"application/json;charset=", "", "", false},
		{"application/json;x y", "", "", false},
		{"application/*", "", "", false},
		{"*/*", "", "", false},
		{"json", "", "", false},
		{"", "", "", false},
		{";", "", "", false},
	} {
		got, ok := ParseContentType(c.header)
		if ok != c.ok || ok && got != (ContentType{c.name, c.charset}) {
			t.Errorf("ParseContentType(%q) = %+v, %t, want %q, %q, %t", c.header, got, ok, c.name, c.charset, c.ok)
		}
		if _, _, err := mime.ParseMediaType(c.header); ok && err != nil && !strings.ContainsAny(c.header, ",") &&
			!strings.Contains(c.header, ";;") {
			t.Errorf("%q: mime.ParseMediaType refuses it: %v", c.header, err)
		}
	}
}

func TestAppendParameter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"v1": `;v=v1`, "": `;v=""`, "a b": `;v="a b"`, `a"b\c`: `;v="a\"b\\c"`, "a,b": `;v="a,b"`, "a/b": `;v="a/b"`,
	} {
		got := string(AppendParameter(nil, "v", value))
		if got != want {
			t.Errorf("value %q: got %s, want %s", value, got, want)
		}
		_, params, err := mime.ParseMediaType("a/b" + got)
		if err != nil || params["v"] != value {
			t.Errorf("value %q: %s read back as %q, %v", value, got, params["v"], err)
		}
		clauses := Parse(nil, []string{"a/b" + got}, nil)
		if len(clauses) != 1 || clauses[0].Version != value {
			t.Errorf("value %q: %s read back as %+v", value, got, clauses)
		}
	}
}

// TestClausesAreBounded checks that a long header costs no more than its first clauses.
func TestClausesAreBounded(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a/b,", MaxClauses-1)
	for name, lines := range map[string][]string{
		"in one line":   {line + "c/d;as=X,e/f,g/h"},
		"in many lines": {line, "c/d;as=X", "e/f", "g/h"},
	} {
		got := Parse(nil, lines, nil)
		if len(got) != 64 || describe(got[63:]) != "c/d as=X" {
			t.Errorf("%s: %d clauses, the last is %s", name, len(got), describe(got[len(got)-1:]))
		}
	}
}

// TestTextIsBounded checks that the lines that continue a clause are not all kept in its text.
func TestTextIsBounded(t *testing.T) {
	t.Parallel()
	lines := append([]string{"a/b"}, slices.Repeat([]string{"charset=utf-8"}, 10_000)...)
	got := Parse(nil, lines, nil)
	if len(got) != 1 || len(got[0].Text) > 2*maxText {
		t.Errorf("%d clauses, the first has a text of %d bytes", len(got), len(got[0].Text))
	}
}

// TestFaultsAreShort checks that the reason for a message does not repeat a long parameter.
func TestFaultsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for _, header := range []string{long + "=1", "a/b;" + long + "=1", `a/b;` + long + `="`, "a/b;pretty=" + long} {
		if text := Parse(nil, []string{header}, nil)[0].Fault.String(); text == "" || len(text) > 512 {
			t.Errorf("%.40s…: a reason of %d bytes", header, len(text))
		}
	}
}

// TestParametersAreBounded checks that a header with very many parameters is refused.
func TestParametersAreBounded(t *testing.T) {
	t.Parallel()
	header := "a/b"
	for i := range maxParameters + 1 {
		if ct, ok := ParseContentType(header); !ok || ct.Name != "a/b" {
			t.Errorf("a header with %d parameters is refused", i)
		}
		header += ";p" + strconv.Itoa(i) + "=1"
	}
	if _, ok := ParseContentType(header); ok {
		t.Errorf("a header with %d parameters is accepted", maxParameters+1)
	}
}
