package defaults

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/load"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// fields are defaults of one field each.
var fields = []struct {
	name, typ, marker string
	// want is the Go source of the default, blank if it makes no difference; problem is the column
	// of a finding and a part of its text.
	want    string
	problem string
}{
	{"text", "string", `+default="a"`, `"a"`, ""},
	{"quotes", "string", "+default=\"a\\\"b\"", `"a\"b"`, ""},
	{"named text", "Name", `+default="a"`, `"a"`, ""},
	{"pointer to named text", "*Name", `+default="a"`, `new(Name("a"))`, ""},
	{"pointer to text", "*string", `+default=""`, `new("")`, ""},
	{"empty text", "string", `+default=""`, "", ""},
	{"number for text", "string", `+default=1`, "", "14: 1 (a number) is not a value for string"},
	{"pointer to number", "*int32", "+default=1e2", "new(int32(100))", ""},
	{"zero behind a pointer", "*int32", "+default=0", "new(int32(0))", ""},
	{"limits of int8", "*int8", "+default=-128", "new(int8(-128))", ""},
	{"beyond int8", "*int8", "+default=128", "", "14: 128 does not fit into int8"},
	{"limits of uint64", "*uint64", "+default=18446744073709551615", "new(uint64(18446744073709551615))", ""},
	{"beyond uint64", "*uint64", "+default=18446744073709551616", "", "14: 18446744073709551616 does not fit"},
	{"minus for unsigned", "*uint8", "+default=-1", "", "14: -1 does not fit"},
	{"fraction", "*int64", "+default=0.5", "", "14: 0.5 is not a whole number"},
	{"float", "*float64", "+default=1", "new(float64(1))", ""},
	{"beyond float32", "*float32", "+default=1e300", "", "14: 1e300 does not fit"},
	{"beyond float64", "*float64", "+default=1e999", "", "14: 1e999 does not fit"},
	{"boolean", "*bool", "+default=true", "new(true)", ""},
	{"boolean that cannot be told", "bool", "+default=true", "true", "5: an explicit false becomes true"},
	{"boolean without effect", "bool", "+default=false", "", ""},
	{"number that cannot be told", "int", "+kubebuilder:default=1", "1", "5: an explicit 0 becomes 1"},
	{"list", "[]string", `+default=["a"]`, `[]string{"a"}`, ""},
	{"empty list", "[]string", `+default=[]`, `[]string{}`, ""},
	{"empty list in braces", "[]string", "+kubebuilder:default={}", `[]string{}`, ""},
	{"empty map in braces", "map[string]string", "+kubebuilder:default={}", `map[string]string{}`, ""},
	{"empty list as an object", "[]string", "+default={}", "", "14: {} (an object) is not a value for []string"},
	{"structs in braces", "[]Pair", `+kubebuilder:default={{a: x},{a: "y"}}`, `[]Pair{{A: "x"}, {A: "y"}}`, ""},
	{"list of pointers", "[]*Name", `+default=["a"]`, `[]*Name{new(Name("a"))}`, ""},
	{"list of structs", "[]Pair", `+default=[{"a": "x"}]`, `[]Pair{{A: "x"}}`, ""},
	{"list of pointers to structs", "[]*Pair", `+default=[{"a": "x"}]`, `[]*Pair{{A: "x"}}`, ""},
	{
		"lists in a map", "map[string][][]string", `+default={"a": [["x"], []]}`,
		`map[string][][]string{"a": {{"x"}, {}}}`, "",
	},
	{"integer keys", "map[int32]string", `+default={"1": "a", "-2": "b"}`, `map[int32]string{1: "a", -2: "b"}`, ""},
	{"one integer key twice", "map[int32]string", `+default={"1": "a", "1.0": "b"}`, "", `25: "1.0" is not a key of`},
	{"a number that nothing holds", "any", `+default=[1e400]`, "", "15: 1e400 does not fit into float64"},
	{"wrong element", "[]string", `+default=["a", 1]`, "", "20: 1 (a number) is not a value for string"},
	{"array", "[2]string", `+default=["a"]`, `[2]string{"a"}`, ""},
	{"long array", "[2]string", `+default=["a", "b", "c"]`, "", "14: 3 elements do not fit"},
	{"map", "map[Name]int32", `+default={"a": 1}`, `map[Name]int32{"a": 1}`, ""},
	{"map with numbers for keys", "map[int32]bool", `+default={"1": true}`, `map[int32]bool{1: true}`, ""},
	{"key twice", "map[string]string", `+default={"a": "", "a": ""}`, "", `24: duplicate key "a"`},
	{"struct", "*Pair", `+default={"b": 2, "a": "x"}`, `&Pair{B: 2, A: "x"}`, ""},
	{"no such field", "*Pair", `+default={"c": 2}`, "", `15: Pair has no field "c"`},
	{"field twice", "*Pair", `+default={"b": 2, "b": 3}`, "", `23: duplicate field "b"`},
	{
		"field of an embedded struct", "*Outer", `+default={"a": "x"}`, "",
		`15: the field "a" belongs to an embedded struct`,
	},
	{"empty struct behind a pointer", "*Pair", `+default={}`, `&Pair{}`, ""},
	{"empty struct", "Pair", `+default={}`, "", ""},
	{"struct by value", "Pair", `+default={"b": 2}`, `Pair{B: 2}`, ""},
	{"struct that cannot be compared", "Lists", `+default={"a": []}`, "Lists{A: []string{}}", ""},
	{
		"struct that cannot be seen into", "Grid", `+default={"a": [["x"]]}`, "",
		"14: it is unknown whether Grid is unset",
	},
	{"bytes", "[]byte", `+default="aGk="`, `[]byte("hi")`, ""},
	{
		"anything", "any", `+default={"a": [1, 1.5, null]}`, `map[string]any{"a": []any{int64(1), float64(1.5), nil}}`,
		"",
	},
	{"interface with methods", "error", `+default="a"`, "", "14: a default for error cannot be written"},
	{"duration", "*Duration", `+default="90s"`, `new(Duration{Duration: 90 * time.Second})`, ""},
	{"no duration", "*Duration", `+default="90"`, "", `14: "90" is not a duration`},
	{"parsed", "*Quantity", `+default="10Gi"`, `"10Gi" by ParseQuantity`, ""},
	{"not to be parsed", "*Quantity", `+default="10Gb"`, "", `14: "10Gb" is not a quantity`},
	{"parsed inside of a list", "[]Quantity", `+default=["1"]`, "", "15: a default for Quantity inside a list"},
	{"number or text", "*IntOrString", `+default=8`, `new(FromInt32(8))`, ""},
	{"text or number", "*IntOrString", `+default="8"`, `new(FromString("8"))`, ""},
	{"constant", "string", "+default=ref(Text)", "Text", ""},
	{"typed constant", "string", "+default=ref(TextName)", "string(TextName)", ""},
	{"constant behind a pointer", "*int64", "+default=ref(Five)", "new(int64(Five))", ""},
	{"constant in a list", "[]Name", "+default=[ref(TextName)]", "[]Name{TextName}", ""},
	{"constant that does not fit", "*uint8", "+default=ref(Big)", "", "14: constant Big (1000) is not a value for"},
	{"no such constant", "string", "+default=ref(Tet)", "", "14: undefined constant Tet"},
	{
		"outside of the enumeration", "Phase", `+default="Runing"`, `"Runing"`,
		`14: "Runing" is not among the constants of Phase`,
	},
	{"kubebuilder text", "string", "+kubebuilder:default=a b", `"a b"`, ""},
	{"kubebuilder with colon", "string", "+kubebuilder:default:=a", `"a"`, ""},
	{"default of the type", "Level", "", `"low"`, ""},
	{"default of the type behind a pointer", "*Level", "", `new(Level("low"))`, ""},
	{"type that contains itself", "Loop", "", "", ""},
	{"own default before that of the type", "Level", `+default="high"`, `"high"`, ""},
}

const declarations = `
type Name string

type Pair struct {
	A string ` + "`json:\"a\"`" + `
	B int32 ` + "`json:\"b\"`" + `
}

type Outer struct{ Pair }

type Lists struct {
	A []string ` + "`json:\"a\"`" + `
}

type Grid struct {
	A [2][]string ` + "`json:\"a\"`" + `
}

type Duration struct{ time.Duration }

type Quantity struct{ s string }

func ParseQuantity(s string) (Quantity, error) { return Quantity{s}, nil }

type IntOrString struct{ I int32; S string }

func FromInt32(i int32) IntOrString { return IntOrString{I: i} }

func FromString(s string) IntOrString { return IntOrString{S: s} }

type Loop []map[string]Loop

const Text = "text"

const TextName Name = "text"

const Five = 5

const Big = 1000

const Ratio = 0.123456789

type Phase string

const (
	Running Phase = "Running"
	Stopped Phase = "Stopped"
)

// +default="low"
type Level string
`

func TestFields(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("// +askind:generate\npackage p\n\nimport \"time\"\n")
	b.WriteString(declarations)
	for i, f := range fields {
		fmt.Fprintf(&b, "\ntype T%d struct {\n", i)
		if f.marker != "" {
			fmt.Fprintf(&b, "\t// %s\n", f.marker)
		}
		fmt.Fprintf(&b, "\tF %s `json:\"f\"`\n}\n", f.typ)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26.0\n", "p.go": b.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program, err := load.Load(load.Config{
		Dir: dir, Env: append(os.Environ(), "GOWORK=off"),
		Header: emit.Header,
	}, ".")
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
	pkg := u.Package("example.com/p")
	ratio := marker.ParseLine("+default=ref(Ratio)", token.NoPos)
	if got := JSON(u, pkg, types.Typ[types.Float64], ratio); got != "0.123456789" {
		t.Errorf("the constant is %s in JSON", got)
	}
	text := types.Typ[types.String]
	for _, a := range []struct {
		elem         types.Type
		marker, want string
	}{
		{text, `+default=["a"]`, `["a","",""]`},
		{types.NewArray(types.Typ[types.Int], 2), "+default=[[], [1]]", "[[0,0],[1,0],[0,0]]"},
		{types.Typ[types.Bool], "+kubebuilder:default={}", "[false,false,false]"},
		{types.NewPointer(text), `+default=["a"]`, `["a",null,null]`},
		{pkg.Find("Pair").Named, `+default=[{"a": "x"}]`, `[{"a":"x"},{"a":"","b":0},{"a":"","b":0}]`},
	} {
		got := JSON(u, pkg, types.NewArray(a.elem, 3), marker.ParseLine(a.marker, token.NoPos))
		if got != a.want {
			t.Errorf("%s of [3]%s is %s in JSON, want %s", a.marker, a.elem, got, a.want)
		}
	}
	for i, f := range fields {
		t.Run(f.name, func(t *testing.T) {
			var d diag.List
			p := newPlanner(&feature.Context{
				Universe: u, Package: pkg, Registrations: &feature.Registrations{},
				Diagnostics: &d, Log: func(string) {},
			})
			fn := p.function(pkg.Find(fmt.Sprintf("T%d", i)))
			got := ""
			for _, fd := range fn.fields {
				got = render(fd)
			}
			if got != f.want {
				t.Errorf("got %s, want %s", got, f.want)
			}
			var problems []string
			for _, d := range d.Sorted() {
				problems = append(problems, fmt.Sprintf("%d: %s", d.Pos.Column, d.Message))
			}
			all := strings.Join(problems, "\n")
			column, text, _ := strings.Cut(f.problem, ": ")
			if len(problems) > 1 || (all == "") != (f.problem == "") || !strings.HasPrefix(all, column) ||
				!strings.Contains(all, text) {
				t.Errorf("got problem %q, want %q", all, f.problem)
			}
		})
	}
}

// render prints the source of a default as Go within its package.
func render(fd *fieldDefault) string {
	f := emit.NewFile("example.com/p", "p")
	f.P(append([]any{"var _ = "}, fd.src...)...)
	src, err := f.Bytes()
	if err != nil {
		return err.Error()
	}
	_, text, _ := strings.Cut(string(src), "var _ = ")
	text = strings.TrimSpace(text)
	if fd.parse != nil {
		text += " by " + fd.parse.Name()
	}
	return text
}
