package conversion

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/model"
)

// planCase is a spoke and a hub, and what is planned for them. Every one becomes two packages of
// one module, so that all of them are loaded at once.
type planCase struct {
	name string
	// spoke and hub are declarations, with a struct Spec in each.
	spoke, hub string
	// links are the fields that belong together, with the action in both directions.
	links []string
	// losses to and from the hub, seen from the kind.
	to, from []string
	// problems are parts of diagnostics, in order.
	problems []string
}

// decl returns a struct with fields written as "Name type tag", where the tag is that of JSON and
// "~" is none. A marker stands before its field; that of an absent field belongs to the struct.
func decl(name string, fields ...string) string {
	var doc, body strings.Builder
	for _, f := range fields {
		switch i := strings.LastIndexByte(f, ' '); {
		case strings.HasPrefix(f, "+askind:absent"):
			doc.WriteString("// " + f + "\n")
		case strings.HasPrefix(f, "+"):
			body.WriteString("\t// " + f + "\n")
		case f[i+1:] == "~":
			body.WriteString("\t" + f[:i] + "\n")
		default:
			body.WriteString("\t" + f[:i] + " `json:\"" + f[i+1:] + "\"`\n")
		}
	}
	return doc.String() + "type " + name + " struct {\n" + body.String() + "}\n"
}

const header = `
import (
	"example.com/t/conversion"
	"example.com/t/meta"
)

// Machine is a kind.
//
// +askind:kind
type Machine struct {
	meta.TypeMeta ` + "`json:\",inline\"`" + `
	Spec Spec ` + "`json:\"spec\"`" + `
}

var _ conversion.Scope
`

// planAll plans all cases and hands each to check.
func planAll(t *testing.T, cases []planCase, check func(t *testing.T, c planCase, p *planner,
	diags []*diag.Diagnostic),
) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// The generator knows our packages by import path only, so a module in the place of ours with
	// nothing but a Scope does.
	write(
		"go.mod", "module example.com/t\n\ngo 1.26.0\n\nrequire github.com/askind/askind v0.0.0\n\nreplace github.com/askind/askind => ./ours\n",
	)
	write("ours/go.mod", "module github.com/askind/askind\n\ngo 1.26.0\n")
	write("ours/conversion/conversion.go", "package conversion\n\ntype Scope struct{}\n")
	write("conversion/conversion.go",
		"package conversion\n\nimport \"github.com/askind/askind/conversion\"\n\ntype Scope = conversion.Scope\n")
	write(
		"meta/meta.go", "package meta\n\ntype TypeMeta struct{ Kind, APIVersion string }\n\ntype Time struct{ ns int64 }\n\ntype Opaque struct{ p *int }\n\ntype Nothing struct{}\n\ntype Loop []Loop\n\ntype Names struct {\n\tList []string `json:\"list\"`\n}\n",
	)
	for i, c := range cases {
		hub := strings.ReplaceAll(header, "\t\"example.com/t/conversion\"\n", "")
		hub = strings.ReplaceAll(hub, "\nvar _ conversion.Scope\n", "")
		write(fmt.Sprintf("c%d/v1/types.go", i),
			"// Package v1 is the hub.\n//\n// +groupName=example.com\npackage v1\n"+hub+c.hub)
		spoke := strings.Replace(header, "import (\n", fmt.Sprintf("import (\n\t\"example.com/t/c%d/v1\"\n", i), 1)
		write(fmt.Sprintf("c%d/v1beta1/types.go", i),
			fmt.Sprintf(
				"// Package v1beta1 is the spoke.\n//\n// +groupName=example.com\n// +askind:hub=example.com/t/c%d/v1\npackage v1beta1\n", i,
			)+spoke+"\nvar _ v1.Spec\n"+c.spoke)
	}
	program, err := load.Load(load.Config{
		Dir: dir, Env: append(os.Environ(), "GOWORK=off"),
		Header: emit.Header,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var d diag.List
	u, err := model.Build(program, dir, &d)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range d.Sorted() {
		t.Errorf("input: %s", d)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var d diag.List
			p := newPlanner(&feature.Context{
				Universe:      u,
				Package:       u.Package(fmt.Sprintf("example.com/t/c%d/v1beta1", i)),
				Registrations: &feature.Registrations{}, Diagnostics: &d, Shared: map[string]any{},
				Log: func(string) {},
			})
			p.plan()
			check(t, c, p, d.Sorted())
		})
	}
}

// TestManyPaths checks that planning does not visit every path to a struct: here there are two to
// the power of the number of structs, which would take many minutes.
func TestManyPaths(t *testing.T) {
	t.Parallel()
	structs := func(number string) string {
		const n = 26
		text := decl("Spec", "A *T1 a", "B *T1 b")
		for i := 1; i < n; i++ {
			below := fmt.Sprintf("*T%d", i+1)
			text += "\n" + decl(fmt.Sprintf("T%d", i), "A "+below+" a", "B "+below+" b")
		}
		return text + "\n" + decl(fmt.Sprintf("T%d", n), "N "+number+" n")
	}
	cases := []planCase{{name: "structs", spoke: structs("int64"), hub: structs("int32")}}
	planAll(t, cases, func(t *testing.T, _ planCase, p *planner, diags []*diag.Diagnostic) {
		if len(diags) > 0 || len(p.record()) > 0 {
			t.Errorf("got %v, %v", diags, p.record())
		}
	})
}

var actionNames = map[action]string{
	assign: "assign", clone: "clone", cast: "cast", narrow: "narrow", callHand: "hand", callPair: "pair", each: "each",
	entries: "entries", array: "array",
	follow: "follow", take: "take", give: "give",
}

func (r *rule) String() string {
	if r == nil {
		return "none"
	}
	s := actionNames[r.action]
	if r.zeroIsNil {
		s += "?"
	}
	if r.hand != nil {
		s += " " + r.hand.fn.Name()
	}
	if r.elem != nil {
		s += " " + r.elem.String()
	}
	return s
}

func TestPlan(t *testing.T) {
	t.Parallel()
	planAll(t, planCases, func(t *testing.T, c planCase, p *planner, diags []*diag.Diagnostic) {
		var links []string
		for _, pr := range p.pairs {
			for _, l := range pr.links {
				if pr.kind == nil {
					links = append(links, fmt.Sprintf("%s.%s = %s.%s: %s; %s", pr.spoke.Name, l.spoke.path(),
						pr.hub.Name, l.hub.path(), l.rules[toHub], l.rules[fromHub]))
				}
			}
		}
		if diff := cmp.Diff(c.links, links); diff != "" && (c.problems == nil || c.links != nil) {
			t.Errorf("links (-want +got):\n%s", diff)
		}
		var problems []string
		for _, d := range diags {
			problems = append(problems, d.Message)
		}
		if len(problems) != len(c.problems) {
			t.Fatalf("got %d problems, want %d:\n%s", len(problems), len(c.problems), strings.Join(problems, "\n"))
		}
		for i, want := range c.problems {
			if !strings.Contains(problems[i], want) {
				t.Errorf("problem %d is %q, want %q", i, problems[i], want)
			}
		}
		if len(problems) > 0 {
			return
		}
		for d, want := range [][]string{c.to, c.from} {
			var got []string
			for _, l := range allLosses(p.kinds[0], direction(d)) {
				got = append(got, l.path+": "+l.reason)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("losses in direction %d (-want +got):\n%s", d, diff)
			}
		}
	})
}

var planCases = []planCase{
	{
		name:  "fields go by name and not by position",
		spoke: decl("Spec", "A string a", "B string b"),
		hub:   decl("Spec", "B string b", "A string a"),
		links: []string{"Spec.a = Spec.a: assign; assign", "Spec.b = Spec.b: assign; assign"},
	},
	{
		name:  "swapped names behind pointers and in lists",
		spoke: decl("Spec", "P *In p", "L []In l") + "\n" + decl("In", "A string a", "B string b"),
		hub:   decl("Spec", "P *In p", "L []In l") + "\n" + decl("In", "A string b", "B string a"),
		links: []string{
			"Spec.p = Spec.p: follow pair; follow pair", "Spec.l = Spec.l: each pair; each pair",
			"In.a = In.a: assign; assign", "In.b = In.b: assign; assign",
		},
	},
	{
		name:     "a field of the source only",
		spoke:    decl("Spec", "A string a", "Old string old"),
		hub:      decl("Spec", "A string a"),
		problems: []string{`Spec.Old (spec.old of Machine) has no counterpart in v1.Spec`},
	},
	{
		name:     "a field of the target only",
		spoke:    decl("Spec", "A string a"),
		hub:      decl("Spec", "A string a", "New string new"),
		problems: []string{`v1.Spec.New (spec.new of Machine) has no counterpart in Spec`},
	},
	{
		name: "reasons settle both",
		spoke: decl("Spec", `+askind:absent:field=new,reason="came later"`, "A string a", `+askind:drop="was useless"`,
			"Old string old"),
		hub:   decl("Spec", "A string a", "New string new"),
		links: []string{"Spec.a = Spec.a: assign; assign"},
		to:    []string{"spec.old: was useless"}, from: []string{"spec.new: came later"},
	},
	{
		name:     "the same Go name under another JSON name",
		spoke:    decl("Spec", "A string a"),
		hub:      decl("Spec", "A string b"),
		problems: []string{`Spec.A (spec.a of Machine) is "a" in JSON and v1.Spec.A is "b"`},
	},
	{
		name:  "the Go name where there is no tag",
		spoke: decl("Spec", "Alpha string a", "Hidden string -", "Plain int32 ~"),
		hub:   decl("Spec", "Alpha string ~", "Hidden string -", "Plain int32 ~"),
		links: []string{
			"Spec.a = Spec.Alpha: assign; assign", "Spec.Plain = Spec.Plain: assign; assign",
			"Spec.Hidden = Spec.Hidden: assign; assign",
		},
	},
	{
		name:  "numbers",
		spoke: decl("Spec", "A int32 a", "B int b", "C uint8 c", "D float32 d", "E uint32 e", "F int32 f", "G int64 g"),
		hub: decl("Spec", "A int64 a", "B int32 b", "C int8 c", "D float64 d", "E int64 e", "F float64 f",
			"G float64 g"),
		links: []string{
			"Spec.a = Spec.a: cast; narrow", "Spec.b = Spec.b: narrow; cast",
			"Spec.c = Spec.c: narrow; narrow", "Spec.d = Spec.d: cast; narrow", "Spec.e = Spec.e: cast; narrow",
			"Spec.f = Spec.f: cast; narrow", "Spec.g = Spec.g: narrow; narrow",
		},
	},
	{
		name:  "numbers of another kind need a function",
		spoke: decl("Spec", "A bool a", "B string b"),
		hub:   decl("Spec", "A float64 a", "B int32 b"),
		problems: []string{
			"no rule converts Spec.A (bool, spec.a of Machine) to v1.Spec.A (float64) and back",
			"no rule converts Spec.B (string, spec.b of Machine) to v1.Spec.B (int32) and back",
		},
	},
	{
		name:  "pointers and values",
		spoke: decl("Spec", "A string a,omitempty", "B string b", "C []string c"),
		hub:   decl("Spec", "A *string a,omitempty", "B *string b", "C []*string c"),
		links: []string{
			"Spec.a = Spec.a: take? assign; give assign", "Spec.b = Spec.b: take assign; give assign",
			"Spec.c = Spec.c: each take assign; each give assign",
		},
		from: []string{
			"spec.a: unset and the zero value become one", "spec.b: unset and the zero value become one",
			"spec.c[*]: null and the zero value become one",
		},
	},
	{
		name: "the same type is copied, a shared one too",
		spoke: decl("Spec", "A []string a", "B meta.Names b", "C meta.Time c", "D Bytes d", "E [2][]int e",
			"X int32 x") + "\n" + "type Bytes []byte",
		hub: decl("Spec", "A []string a", "B meta.Names b", "C meta.Time c", "D []byte d", "E [2][]int e",
			"X int64 x"),
		links: []string{
			"Spec.a = Spec.a: clone; clone", "Spec.b = Spec.b: clone; clone", "Spec.c = Spec.c: assign; assign",
			"Spec.d = Spec.d: clone; clone", "Spec.e = Spec.e: clone; clone",
			"Spec.x = Spec.x: cast; narrow",
		},
	},
	{
		name:  "what cannot be copied is not shared",
		spoke: decl("Spec", "A meta.Opaque a", "B func() b"),
		hub:   decl("Spec", "A meta.Opaque a", "B func() b"),
		problems: []string{
			"no rule converts Spec.A (meta.Opaque, spec.a of Machine)",
			"no rule converts Spec.B (func(), spec.b of Machine)",
		},
	},
	{
		name: "a form of its own under another name may mean something else",
		spoke: decl("Spec", "A Day a", "B Hour b") + "\n" + decl("Day", "N string n") + "\n" +
			decl("Hour", "N string n") +
			"\nfunc (Day) MarshalText() ([]byte, error) { return nil, nil }\n" +
			"\nfunc (Hour) MarshalJSON() ([]byte, error) { return nil, nil }\n",
		hub: decl("Spec", "A Week a", "B Minute b") + "\n" + decl("Week", "N string n") + "\n" +
			decl("Minute", "N string n"),
		problems: []string{
			"no rule converts Spec.A (Day, spec.a of Machine) to v1.Spec.A (v1.Week) and back",
			"no rule converts Spec.B (Hour, spec.b of Machine) to v1.Spec.B (v1.Minute) and back",
		},
	},
	{
		name:  "an empty struct hides nothing",
		spoke: decl("Spec", "A meta.Nothing a"),
		hub:   decl("Spec", "A Nothing a") + "\n" + decl("Nothing"),
		links: []string{"Spec.a = Spec.a: pair; pair"},
	},
	{
		name:     "map keys keep their values",
		spoke:    decl("Spec", "A map[int64]string a"),
		hub:      decl("Spec", "A map[int32]string a"),
		problems: []string{"a map key must keep its value"},
	},
	{
		name:  "moves into a struct that is matched by name",
		spoke: decl("Spec", "In In in", "+askind:to=in.b", "B string b") + "\n" + decl("In", "A string a"),
		hub:   decl("Spec", "In In in") + "\n" + decl("In", "A string a", "B string b"),
		links: []string{
			"Spec.b = Spec.in.b: assign; assign", "Spec.in = Spec.in: pair; pair",
			"In.a = In.a: assign; assign",
		},
	},
	{
		name:  "a move into a struct behind a pointer that is matched by name",
		spoke: decl("Spec", "In *In in", "+askind:to=in.b", "B string b") + "\n" + decl("In", "A string a"),
		hub:   decl("Spec", "In *In in") + "\n" + decl("In", "A string a", "B string b"),
		links: []string{
			"Spec.b = Spec.in.b: assign; assign", "Spec.in = Spec.in: follow pair; follow pair",
			"In.a = In.a: assign; assign",
		},
		to: []string{"spec.in: empty and unset become one"},
	},
	{
		name:  "a kind inside of another loses its type",
		spoke: decl("Spec", "Others []Machine others", "N int32 n"),
		hub:   decl("Spec", "Others []Machine others", "N int64 n"),
		links: []string{"Spec.others = Spec.others: each pair; each pair", "Spec.n = Spec.n: cast; narrow"},
		to:    []string{"spec.others[*].kind: the type of an object inside of another is not converted"},
		from:  []string{"spec.others[*].kind: the type of an object inside of another is not converted"},
	},
	{
		name:  "type meta inside of a kind is data",
		spoke: decl("Spec", "Ref Ref ref") + "\n" + decl("Ref", "meta.TypeMeta ,inline", "N int32 n"),
		hub:   decl("Spec", "Ref Ref ref") + "\n" + decl("Ref", "meta.TypeMeta ,inline", "N int64 n"),
		links: []string{
			"Spec.ref = Spec.ref: pair; pair", "Ref.TypeMeta = Ref.TypeMeta: assign; assign",
			"Ref.n = Ref.n: cast; narrow",
		},
	},
	{
		name: "the same struct elsewhere lacks what the move fills",
		spoke: decl("Spec", "In In in", "List []In list", "+askind:to=in.b", "B string b") + "\n" +
			decl("In", "A string a"),
		hub:      decl("Spec", "In In in", "List []In list") + "\n" + decl("In", "A string a", "B string b"),
		problems: []string{`v1.In.B (spec.in.b of Machine) has no counterpart in In`},
	},
	{
		name: "a move from the kind is made where both ends meet",
		spoke: decl("Spec", "Mid Mid mid") + "\n" + decl("Mid", "In In in") + "\n" +
			decl("In", "+askind:to=$.spec.mid.b", "B string b"),
		hub:   decl("Spec", "Mid Mid mid") + "\n" + decl("Mid", "B string b"),
		links: []string{"Spec.mid = Spec.mid: pair; pair", "Mid.in.b = Mid.b: assign; assign"},
	},
	{
		name:     "a list has no single place",
		spoke:    decl("Spec", "+askind:to=list.b", "B string b", "List []string list"),
		hub:      decl("Spec", "List []string list"),
		problems: []string{`v1.Spec has no field "list.b": the path does not lead through structs`},
	},
	{
		name: "functions by signature, for a field, for a kind of struct",
		spoke: decl("Spec", "A string a", "+askind:via=up,down", "B string b", "C []string c") + "\n" +
			"func atoi(in *string, out *int32, s *conversion.Scope) error { return nil }" + "\n" +
			"func itoa(in *int32, out *string, s *conversion.Scope) error { return nil }" + "\n" +
			"func up(in *string, out *int32, s *conversion.Scope) error { return nil }" + "\n" +
			"func down(in *int32, out *string, s *conversion.Scope) error { return nil }",
		hub: decl("Spec", "A int32 a", "B int32 b", "C []int32 c"),
		links: []string{
			"Spec.a = Spec.a: hand atoi; hand itoa", "Spec.b = Spec.b: hand up; hand down",
			"Spec.c = Spec.c: each hand atoi; each hand itoa",
		},
	},
	{
		name: "a function for a marker must fit",
		spoke: decl("Spec", "+askind:via=up", "A int32 a") + "\n" +
			"func up(in *bool, out *int32, s *conversion.Scope) error { return nil }",
		hub: decl("Spec", "A int32 a"),
		problems: []string{
			"up converts bool to int32, which is not a direction of",
			"up converts bool to int32, which no conversion",
		},
	},
	{
		name:  "recursion ends",
		spoke: decl("Spec", "Next *Spec next", "N int32 n", `+askind:drop="gone"`, "D string d"),
		hub:   decl("Spec", "Next *Spec next", "N int64 n"),
		links: []string{"Spec.next = Spec.next: follow pair; follow pair", "Spec.n = Spec.n: cast; narrow"},
		to:    []string{"spec.d: gone"},
	},
	{
		name: "types that contain themselves without a struct",
		spoke: "type L []L\n\ntype M map[string]*M\n\n" + decl("Spec", "+askind:via=f", "A L a", "B M b",
			"C meta.Loop c") + "func f(in *bool, out *int, s *conversion.Scope) error { return nil }",
		hub: "type L []L\n\ntype M map[string]*M\n\n" + decl("Spec", "A L a", "B M b", "C meta.Loop c"),
		problems: []string{
			"f converts bool to int, which is not a direction", "the type contains itself",
			"the type contains itself", "no function is known that copies it", "f converts bool to int, which no conversion",
		},
	},
	{
		name:  "embedded structs are flat in JSON",
		spoke: decl("Spec", "Common ,inline", "meta.Names ,inline") + "\n" + decl("Common", "A string a"),
		hub:   decl("Spec", "A string a", "meta.Names ,inline"),
		links: []string{"Spec.Names = Spec.Names: clone; clone", "Spec.a = Spec.a: assign; assign"},
	},
	{
		name:  "unexported fields are left alone and reported",
		spoke: decl("Spec", "A string a", "b string ~", "c []int ~"),
		hub:   decl("Spec", "A string a", "b string ~", "d []int ~"),
		links: []string{"Spec.a = Spec.a: assign; assign"},
		problems: []string{
			"v1.Spec.b is not exported", "v1.Spec.d is not exported", "Spec.b is not exported", "Spec.c is not exported",
		},
	},
}
