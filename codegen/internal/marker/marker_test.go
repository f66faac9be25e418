package marker

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen/internal/diag"
)

// parse parses and checks the comment as the doc comment of a type.
func parse(t *testing.T, comment string, place Place) (List, string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "t.go", "package p\n\n"+comment+"\ntype T int\n",
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	list := Parse(f.Decls[0].(*ast.GenDecl).Doc)
	var d diag.List
	Check(list, place, func(p token.Pos) token.Position { return fset.Position(p) }, &d)
	var out []string
	for _, e := range d.Sorted() {
		out = append(out, e.String())
	}
	return list, strings.Join(out, "\n")
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, comment string
		marker, value string
		args          map[string]string
	}{
		{name: "flag", comment: "// +optional", marker: "optional"},
		{name: "no blank", comment: "//+optional", marker: "optional"},
		{name: "remark after a blank", comment: "// +optional because", marker: "optional"},
		{name: "value", comment: "// +groupName=fleet.example.com", marker: "groupName", value: "fleet.example.com"},
		{
			name: "quoted value", comment: `// +askind:drop="no \"place\" for it"`, marker: "askind:drop",
			value: `no "place" for it`,
		},
		{name: "backquoted value", comment: "// +askind:drop=`a \"b\"`", marker: "askind:drop", value: `a "b"`},
		{
			name: "JSON value stays as written", comment: `// +default={"a": "b"}`, marker: "default",
			value: `{"a": "b"}`,
		},
		{name: "JSON string stays quoted", comment: `// +default="b"`, marker: "default", value: `"b"`},
		{
			name: "controller-gen's colon", comment: `// +kubebuilder:default:=3`, marker: "kubebuilder:default",
			value: "3",
		},
		{
			name:    "named arguments",
			comment: "// +kubebuilder:printcolumn:name=\"My, Phase\",type=string,JSONPath=`.status['a']`,priority=1",
			marker:  "kubebuilder:printcolumn",
			args: map[string]string{
				"name": "My, Phase", "type": "string", "JSONPath": ".status['a']",
				"priority": "1",
			},
		},
		{
			name: "list arguments", comment: "// +askind:kind:shortName=a;b,categories={all,c}", marker: "askind:kind",
			args: map[string]string{"shortName": "a;b", "categories": "{all,c}"},
		},
		{
			name: "quoted texts", comment: `// +askind:kind:shortName="a;1";"b"` + ",categories=`c`;\"d\"", marker: "askind:kind",
			args: map[string]string{"shortName": "a;1;b", "categories": "c;d"},
		},
		{
			name: "arguments after a comma", comment: "// +unionMember,optional", marker: "unionMember",
			args: map[string]string{"optional": "true"},
		},
		{name: "arguments may be left out", comment: "// +askind:kind", marker: "askind:kind"},
		{
			name: "call", comment: `// +other:tag(a: "x, y", b: 2)=value`, marker: "other:tag", value: "value",
			args: map[string]string{"a": "x, y", "b": "2"},
		},
		{name: "block comment", comment: "/*\n * Text.\n * +optional\n */", marker: "optional"},
		{name: "block comment with tabs", comment: "/*\n\tText.\n\t+optional\n*/", marker: "optional"},
		{
			name:    "rule in another language",
			comment: `// +kubebuilder:validation:XValidation:rule="self == 'a,b'",message="m"`,
			marker:  "kubebuilder:validation:XValidation",
			args:    map[string]string{"rule": "self == 'a,b'", "message": "m"},
		},
		{
			name: "marker of another tool", comment: `// +kubebuilder:rbac:groups=apps,verbs=get`,
			marker: "kubebuilder:rbac",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, _ := parse(t, tt.comment, Type|Field|Package)
			if len(list) != 1 {
				t.Fatalf("got %d markers", len(list))
			}
			m := list[0]
			var args map[string]string
			for _, a := range m.Args {
				if args == nil {
					args = map[string]string{}
				}
				args[a.Name] = a.Value
			}
			if m.Name != tt.marker || m.Value != tt.value {
				t.Errorf("got %q = %q, want %q = %q", m.Name, m.Value, tt.marker, tt.value)
			}
			if diff := cmp.Diff(tt.args, args); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseIgnores(t *testing.T) {
	t.Parallel()
	for _, comment := range []string{
		"// A text with +optional inside.", "//	+optional in an example",
		"// + optional", "// +1 for that", "//   +optional",
	} {
		if list, _ := parse(t, comment, Type); len(list) > 0 {
			t.Errorf("%s: got %q", comment, list[0].Name)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, comment string
		place         Place
		want          string
	}{
		{"known", "// +optional", Field, ""},
		{"foreign", "// +mine:whatever:a=b", Type, ""},
		{
			"ours, unknown", "// +askind:hubs=a", Package,
			"t.go:3:4: marker-unknown unknown marker +askind:hubs\n\ttry: +askind:hub",
		},
		{
			"ours, nothing near", "// +askind:zzzzzzzz", Package,
			"t.go:3:4: marker-unknown unknown marker +askind:zzzzzzzz",
		},
		{
			"near miss of another tool", "// +kubebuilder:storageversoin", Type,
			"t.go:3:4: warning: marker-near-miss unknown marker +kubebuilder:storageversoin\n\ttry: +kubebuilder:storageversion",
		},
		{
			"place", "// +groupName=a", Type,
			"t.go:3:4: marker-place marker +groupName belongs to a package comment, not to a type",
		},
		{
			"value missing", "// +groupName", Package,
			"t.go:3:4: marker-value marker +groupName needs a value\n\ttry: +groupName=...",
		},
		{
			"value of a flag", "// +optional=perhaps", Field,
			"t.go:3:4: marker-value marker +optional takes no value, or true or false",
		},
		{
			"value of a marker with arguments", "// +askind:serverset=no", Field,
			"t.go:3:22: marker-value marker +askind:serverset takes no value, or true or false",
		},
		{
			"unknown argument", "// +askind:absent:field=a,reson=b,reason=c", Type,
			"t.go:3:27: marker-argument marker +askind:absent has no argument \"reson\"\n\ttry: reason",
		},
		{
			"argument missing", "// +askind:absent:field=a", Type,
			"t.go:3:4: marker-argument marker +askind:absent needs the argument \"reason\" (why the loss is acceptable)",
		},
		{
			"argument twice", "// +askind:kind:scope=Cluster,scope=Cluster", Type,
			"t.go:3:31: marker-argument argument \"scope\" of marker +askind:kind is given twice",
		},
		{
			"open quote", "// +askind:absent:field=a,reason=\"b", Type,
			"t.go:3:34: marker-syntax unterminated quoted text in marker +askind:absent",
		},
		{
			"unknown escape", `// +kubebuilder:validation:Pattern="^\d+$"`, Field,
			`t.go:3:36: marker-syntax the quoted text has an escape that Go does not have; write \\ for a backslash, or use backquotes, in marker +kubebuilder:validation:Pattern`,
		},
		{
			"open quote after an escape", `// +kubebuilder:validation:Pattern="^\d+\"`, Field,
			"t.go:3:36: marker-syntax unterminated quoted text in marker +kubebuilder:validation:Pattern",
		},
		{
			"no comma", "// +askind:absent:field=\"a\"reason=b", Type,
			"t.go:3:28: marker-syntax a comma is missing between marker arguments in marker +askind:absent",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, got := parse(t, tt.comment, tt.place); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestKnownIsSortedAndDocumented(t *testing.T) {
	t.Parallel()
	last := ""
	for _, d := range Known() {
		if d.Name <= last || d.Doc == "" || d.Place == 0 {
			t.Errorf("%q after %q, doc %q, place %d", d.Name, last, d.Doc, d.Place)
		}
		last = d.Name
	}
}
