package protobuf

import (
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
	if problem == nil || problem.pos.Line != 9 || problem.message != `a field number is expected here, not "0x2"` {
		t.Fatalf("%+v, %+v", l, problem)
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
	if len(l.messages) != 2 || l.message("Two") == nil || l.messages[0].pos.Line != 3 || l.messages[0].pos.Column != 18 {
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
	reserved := []reservation{{5, "five"}, {6, ""}, {7, ""}, {8, ""}, {10, ""}, {0, "x"}, {0, "y"}, {0, "z"}}
	if diff := cmp.Diff(reserved, m.reserved, cmp.AllowUnexported(reservation{})); diff != "" {
		t.Error(diff)
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
	for name, want := range map[string]string{"fooBar": "fooBar", "foo_bar": "fooBar", "_9lives": "9lives", "URL": "URL", "a__b": "aB"} {
		if got := jsonName(name); got != want {
			t.Errorf("jsonName(%s) = %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"fooBar": "fooBar", "foo-bar": "foo_bar", "$ref": "_ref", "9lives": "_9lives", "größe": "gr__e"} {
		if got := fieldName(name); got != want {
			t.Errorf("fieldName(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestWireForm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		old, now string
		same     bool
	}{
		{"int32", "int64", true},
		{"bool", "uint64", true},
		{"string", "bytes", true},
		{"int32", "string", false},
		{"double", "float", false},
		{"A", "B", false},
		{"map<int32, A>", "map<int64, A>", true},
		{"map<string, A>", "map<string, B>", false},
		{"map<string, A>", "A", false},
	} {
		if got := wireForm(tt.old) == wireForm(tt.now); got != tt.same {
			t.Errorf("%s and %s: %v", tt.old, tt.now, got)
		}
	}
}
