package protobuf

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLedger(t *testing.T) {
	t.Parallel()
	l, problem := parseLedger("generated.proto", `// A comment; with } in it.
syntax = "proto2";
package a.b;
import "c/generated.proto";
option go_package = "x"; /* over
lines */ message One {
  option deprecated = true;
  optional string a = 1;
  repeated .c.Two foo_bar = 0x2;
}
`)
	if problem == nil || problem.pos.Line != 9 || problem.message != `expected a field number, found "0x2"` {
		t.Fatalf("%+v, %+v", l, problem)
	}
	for line, want := range map[string]string{
		"optional string a = 0;":         `expected a field number, found "0"`,
		"optional string a = 536870912;": `expected a field number, found "536870912"`,
		"optional string a = 19000;":     `field number "19000" is reserved by protobuf`,
		"optional string a = -1;":        `expected a field number, found "-"`,
		"reserved 1 to 65538;":           "too many reserved numbers",
		"reserved 1 to 536870911;":       "too many reserved numbers",
		"optional string a = 536870911;": "",
		"reserved 1 to 65537;":           "",
	} {
		message := ""
		if _, problem := parseLedger("generated.proto", "message One {\n"+line+"\n}"); problem != nil {
			message = problem.message
		}
		if message != want {
			t.Errorf("%s: got %q, want %q", line, message, want)
		}
	}
	l, problem = parseLedger("generated.proto", `syntax = "proto2";
/* over
lines */ message One {
  optional string a = 1; // "
  repeated .c.Two foo_bar = 2 [deprecated = true, json_name = "foo-bar"];
  map < string , .c.Two > many = 3;
  required int64 message = 4;
  reserved 5;
  reserved "five";
  reserved 6 to 8, 10;
  reserved "x", 'y';
  reserved "z";
}
message Two{}`)
	if problem != nil {
		t.Fatal(problem)
	}
	if len(l.messages) != 2 || l.message("Two") == nil || l.messages[0].pos.Line != 3 ||
		l.messages[0].pos.Column != 18 {
		t.Fatalf("%+v", *l.messages[0])
	}
	m := l.message("One")
	for i := range m.fields {
		m.fields[i].pos.Filename, m.fields[i].pos.Offset = "", 0
	}
	want := []ledgerField{
		{label: "optional", typ: "string", name: "a", identity: "a", number: 1},
		{label: "repeated", typ: ".c.Two", name: "foo_bar", identity: "foo-bar", number: 2},
		{typ: "map<string, .c.Two>", name: "many", identity: "many", number: 3},
		{label: "required", typ: "int64", name: "message", identity: "message", number: 4},
	}
	for i := range want {
		want[i].pos.Line, want[i].pos.Column = 4+i, 3
	}
	if diff := cmp.Diff(want, m.fields, cmp.AllowUnexported(ledgerField{})); diff != "" {
		t.Error(diff)
	}
	reserved := []reservation{
		{number: 5, name: "five"},
		{number: 6},
		{number: 7},
		{number: 8},
		{number: 10},
		{name: "x"},
		{name: "y"},
		{name: "z"},
	}
	if diff := cmp.Diff(reserved, m.reserved, cmp.AllowUnexported(reservation{})); diff != "" {
		t.Error(diff)
	}
}

// TestReservedNamesStayAlone checks that a name without a number is not read as that of the number
// before it.
func TestReservedNamesStayAlone(t *testing.T) {
	t.Parallel()
	want := sortReserved([]reservation{{number: 6}, {name: "x"}, {number: 5, name: "y"}, {name: "w"}})
	var b strings.Builder
	b.WriteString("message M {\n")
	writeReserved(&b, want, false)
	b.WriteString("}\n")
	l, err := parseLedger("generated.proto", b.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, l.messages[0].reserved, cmp.AllowUnexported(reservation{})); diff != "" {
		t.Errorf("%s\n%s", &b, diff)
	}
}

func FuzzParseLedger(f *testing.F) {
	f.Add("message A { optional string a = 1 [json_name = \"b\"]; reserved 1 to 3; reserved \"x\"; }")
	f.Add("message A { map<string, X> a = 1; /*")
	f.Add("syntax = \"proto2; message A {")
	f.Add("message A { reserved \"a\\")
	f.Fuzz(func(t *testing.T, src string) {
		if l, problem := parseLedger("x", src); (l == nil) == (problem == nil) {
			t.Errorf("%v %v", l, problem)
		}
		_, _ = parseFields(src)
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"fooBar": "fooBar", "foo_bar": "fooBar", "_9lives": "9lives",
		"URL": "URL", "a__b": "aB",
	} {
		if got := jsonName(name); got != want {
			t.Errorf("jsonName(%s) = %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"fooBar": "fooBar", "foo-bar": "foo_bar", "$ref": "_ref",
		"9lives": "_9lives", "größe": "gr__e",
	} {
		if got := fieldName(name); got != want {
			t.Errorf("fieldName(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		old, now string
		same     bool
	}{
		{"int32", "int64", true},
		{"bool", "uint64", true},
		{"uint32", "int64", true},
		{"int64", "int32", false},
		{"uint64", "uint32", false},
		{"int32", "uint64", false}, // a negative number
		{"uint64", "int64", false},
		{"int32", "bool", false},
		{"string", "bytes", true},
		{"bytes", "string", false}, // may not be UTF-8
		{"map<string, bytes>", "map<string, string>", false},
		{"int32", "string", false},
		{"double", "float", false},
		{"A", "B", false},
		{"map<int32, A>", "map<int64, A>", true},
		{"map<int64, A>", "map<int32, A>", false},
		{"map<string, A>", "map<string, B>", false},
		{"map<string, A>", "A", false},
	} {
		if got := holds(tt.old, tt.now); got != tt.same {
			t.Errorf("%s and %s: %v", tt.old, tt.now, got)
		}
	}
}

// TestReservedTypes checks that the type of a removed field stays on record.
func TestReservedTypes(t *testing.T) {
	t.Parallel()
	l, problem := parseLedger("f",
		"package a.b;\nmessage M {\n  reserved 2; // was map<string, int64>\n  reserved \"b\";\n"+
			"  reserved 3; // 3 was lost\n  reserved 4;\n}\n")
	if problem != nil {
		t.Fatal(problem)
	}
	want := []reservation{{number: 2, name: "b", typ: "map<string, int64>"}, {number: 3}, {number: 4}}
	if diff := cmp.Diff(want, l.messages[0].reserved, cmp.AllowUnexported(reservation{})); diff != "" ||
		l.pkg != "a.b" {
		t.Errorf("package %q (-want +got):\n%s", l.pkg, diff)
	}
}

func TestReadsAll(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"optional string", "optional bytes", true},
		{"optional bool", "optional int32", true},
		{"optional int32", "optional bool", false},
		{"repeated int32", "repeated int64", true},
		{"repeated int64", "repeated int32", false},
		{"optional int32", "optional string", false},
		{"repeated string", "optional string", false},
		{"required string", "optional string", true},
		{"map<string, int32>", "map<string, int64>", true},
		{"map<string, int32>", "map<string, string>", false},
		{"map<string, int32>", "repeated int32", false},
	} {
		if readsAll(tt.a, tt.b) != tt.same {
			t.Errorf("%s and %s: want %v", tt.a, tt.b, tt.same)
		}
	}
}

func TestMoved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ typ, from, to, want string }{
		{"a.com.m.v1.Time", "a.com.m.v1beta1", "b.org.m.v1beta1", "b.org.m.v1.Time"},
		{".a.com.m.v1.Time", "a.com.m.v1beta1", "b.org.m.v1beta1", ".b.org.m.v1.Time"},
		{"map<string, a.com.m.v1.Time>", "a.com.m.v2", "b.org.m.v2", "map<string, b.org.m.v1.Time>"},
		{"c.net.Time", "a.com.m.v2", "b.org.m.v2", "c.net.Time"},
		{"Spec", "a.com.m.v2", "b.org.m.v2", "Spec"},
		{"a.com.m.v1.Time", "a.com.m.v2", "a.com.m.v2", "a.com.m.v1.Time"},
		{"a.com.m.v1.Time", "", "b.org.m.v2", "a.com.m.v1.Time"},
	} {
		if got := moved(tt.typ, tt.from, tt.to); got != tt.want {
			t.Errorf("%s from %s to %s: got %s, want %s", tt.typ, tt.from, tt.to, got, tt.want)
		}
	}
}
