package as

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/model"
)

const source = `package p

type T struct {
	Meta   ` + "`json:\",inline\"`" + `
	*Extra
	Spec   Spec            ` + "`json:\"spec\"`" + `
	Status *Status         ` + "`json:\"status,omitempty\"`" + `
	Secret string          ` + "`json:\"-\"`" + `
	Plain  bool
	hidden int
}

type Meta struct {
	Labels map[string]string ` + "`json:\"labels,omitempty\"`" + `
}

type Extra struct {
	Note string ` + "`json:\"note\"`" + `
}

type Spec struct {
	Replicas   *int32           ` + "`json:\"replicas,omitempty\"`" + `
	Containers []Container      ` + "`json:\"containers\"`" + `
	Owner      *Spec            ` + "`json:\"owner,omitempty\"`" + `
	Ports      map[int8]string  ` + "`json:\"ports\"`" + `
	Pair       [2]string        ` + "`json:\"pair\"`" + `
	Data       []byte           ` + "`json:\"data\"`" + `
	Any        any              ` + "`json:\"any\"`" + `
	Deep       **Deep           ` + "`json:\"deep\"`" + `
	Own        Own              ` + "`json:\"own\"`" + `
	Flags      map[bool]string  ` + "`json:\"flags\"`" + `
	Zero       Zero             ` + "`json:\"zero,omitzero\"`" + `
}

type Zero struct {
	A int      ` + "`json:\"a\"`" + `
	B []string ` + "`json:\"b\"`" + `
}

type Deep struct {
	Numbers []*float64 ` + "`json:\"numbers\"`" + `
}

type Own struct{ A int }

func (Own) MarshalJSON() ([]byte, error) { return nil, nil }

type Container struct {
	Name  string ` + "`json:\"name\"`" + `
	Port  uint16 ` + "`json:\"port,omitempty\"`" + `
	Ready *bool  ` + "`json:\"ready\"`" + `
	Part  *Deep  ` + "`json:\"part\"`" + `
	Env   map[string]string ` + "`json:\"env\"`" + `
	Extra any    ` + "`json:\"extra,omitempty\"`" + `
}

type Status struct {
	Phase Phase ` + "`json:\"phase,omitempty\"`" + `
}

type Phase string
`

// root returns the type T of the source.
func root(t *testing.T) types.Type {
	t.Helper()
	return check(t, source).Scope().Lookup("T").Type()
}

func check(t *testing.T, source string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return pkg
}

func TestResolve(t *testing.T) {
	t.Parallel()
	T := root(t)
	tests := []struct{ name, path, want string }{
		{"member", ".Plain", "use(in.Plain)"},
		{
			"pointers on the way", ".status.phase",
			`if in.Status != nil && in.Status.Phase != "" { use(in.Status.Phase) }`,
		},
		{"embedded struct", ".labels.a", `if v, ok := in.Meta.Labels["a"]; ok { use(v) }`},
		{"embedded pointer", ".note", `if in.Extra != nil { use(in.Extra.Note) }`},
		{"pointer at the end", ".spec.replicas", `if in.Spec.Replicas != nil { use(*in.Spec.Replicas) }`},
		{
			"recursive type", ".spec.owner.owner.replicas",
			`if in.Spec.Owner != nil && in.Spec.Owner.Owner != nil && in.Spec.Owner.Owner.Replicas != nil { use(*in.Spec.Owner.Owner.Replicas) }`,
		},
		{"index", ".spec.containers[1].name", `if len(in.Spec.Containers) > 1 { use(in.Spec.Containers[1].Name) }`},
		{
			"index from the end", ".spec.containers[-2].name",
			`if len(in.Spec.Containers) >= 2 { use(in.Spec.Containers[len(in.Spec.Containers)-2].Name) }`,
		},
		{"index of an array", ".spec.pair[1]", `use(in.Spec.Pair[1])`},
		{"index from the end of an array", ".spec.pair[-1]", `use(in.Spec.Pair[1])`},
		{"integer key", ".spec.ports['-3']", `if v, ok := in.Spec.Ports[-3]; ok { use(v) }`},
		{"all", ".spec.containers[*].name", `for i := range in.Spec.Containers { use(in.Spec.Containers[i].Name) }`},
		{
			"all of a map", ".spec.ports[*]",
			`for _, k := range SortedIntKeys(in.Spec.Ports) { v := in.Spec.Ports[k] use(v) }`,
		},
		{
			"pointer to pointer", ".spec.deep.numbers[*]",
			`if in.Spec.Deep != nil && *in.Spec.Deep != nil { for i := range (*in.Spec.Deep).Numbers { if (*in.Spec.Deep).Numbers[i] != nil { use(*(*in.Spec.Deep).Numbers[i]) } } }`,
		},
		{"length", ".spec.containers.length()", `use(len(in.Spec.Containers))`},
		{"length of a map", ".labels.length()", `use(len(in.Meta.Labels))`},
		{
			"filter", `.spec.containers[?(@.name=="a")].port`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Name == "a" && in.Spec.Containers[i].Port != 0 { use(in.Spec.Containers[i].Port) } }`,
		},
		{
			"filter on a boolean", `.spec.containers[?(@.ready!=true)].name`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Ready != nil && !*in.Spec.Containers[i].Ready { use(in.Spec.Containers[i].Name) } }`,
		},
		{
			"filter on a number", `.spec.containers[?(@.port>=1024)].name`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Port != 0 && in.Spec.Containers[i].Port >= 1024 { use(in.Spec.Containers[i].Name) } }`,
		},
		{
			"filter on an exponent", `.spec.containers[?(@.port>1e3)].name`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Port != 0 && in.Spec.Containers[i].Port > 1e3 { use(in.Spec.Containers[i].Name) } }`,
		},
		{
			"filter on presence", `.spec.containers[?(@.part)].name`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Part != nil { use(in.Spec.Containers[i].Name) } }`,
		},
		{
			"filter on presence of a key", `.spec.containers[?(@.env.a)].name`,
			`for i := range in.Spec.Containers { if _, ok := in.Spec.Containers[i].Env["a"]; ok { use(in.Spec.Containers[i].Name) } }`,
		},
		{
			"filter on presence of any value", `.spec.containers[?(@.extra)].name`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Extra != nil { use(in.Spec.Containers[i].Name) } }`,
		},
		{
			"filter through an element", `.spec.containers[?(@.part.numbers[0]<0.5)].name`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Part != nil && len(in.Spec.Containers[i].Part.Numbers) > 0 && in.Spec.Containers[i].Part.Numbers[0] != nil && *in.Spec.Containers[i].Part.Numbers[0] < 0.5 { use(in.Spec.Containers[i].Name) } }`,
		},
		{
			"two loops", `.spec.containers[*].part.numbers[?(@!=0)]`,
			`for i := range in.Spec.Containers { if in.Spec.Containers[i].Part != nil { for i2 := range in.Spec.Containers[i].Part.Numbers { if in.Spec.Containers[i].Part.Numbers[i2] != nil && *in.Spec.Containers[i].Part.Numbers[i2] != 0 { use(*in.Spec.Containers[i].Part.Numbers[i2]) } } } }`,
		},
		{
			"omitzero without a later guard", ".spec.zero.a",
			`if in.Spec.Zero.A != 0 || in.Spec.Zero.B != nil { use(in.Spec.Zero.A) }`,
		},
		{"omitzero with a later guard", ".spec.zero.b[0]", `if len(in.Spec.Zero.B) > 0 { use(in.Spec.Zero.B[0]) }`},
		{"bytes", ".spec.data", `use(in.Spec.Data)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, bad := resolve(new(model.Universe), T, tt.path)
			if bad != nil {
				t.Fatalf("%s: %s", tt.path, bad.message)
			}
			if got := written(t, r); got != tt.want {
				t.Errorf("%s\ngot  %s\nwant %s", tt.path, got, tt.want)
			}
		})
	}
}

// helpers are what the code of routes calls.
const helpers = `
func SortedKeys[K ~string, V any](m map[K]V) []K    { return nil }
func SortedIntKeys[K ~int | ~int8, V any](m map[K]V) []K { return nil }
func use(any)                                       {}
`

// written returns the code of a route on one line, after checking that it compiles.
func written(t *testing.T, r *route) string {
	t.Helper()
	f := emit.NewFile("p", "p")
	f.P("func f(in *T) {")
	w := newWalker(f)
	w.walk("in", r.ops, nil, func(at string, conditions []string) {
		w.guarded(conditions, func() { f.P("use(", at, ")") })
	})
	f.P("}")
	out, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(out), "func f(in *T) {")
	body = strings.ReplaceAll(strings.TrimSuffix(strings.TrimSpace(body), "}"), "jsonwire.", "")
	check(t, source+helpers+"func f(in *T) {"+body+"}")
	return strings.Join(strings.Fields(body), " ")
}

func TestResolveError(t *testing.T) {
	t.Parallel()
	T := root(t)
	// The mistake is enclosed in « and », which are not part of the path.
	tests := []struct{ name, path, message, suggestion string }{
		{"unknown member", ".spec.«replica»", `.spec has no member "replica"`, ".spec.replicas"},
		{"unknown at the root", ".«specs».replicas", `the object has no member "specs"`, ".spec.replicas"},
		{"unknown without a near one", ".spec.«quota»", `.spec has no member "quota"`, ""},
		{"unknown, quoted", ".spec[«'replica']»", `.spec has no member "replica"`, ".spec.replicas"},
		{"Go name", ".«Spec».replicas", `paths use JSON names; the Go field Spec is "spec"`, ".spec.replicas"},
		{"not in JSON", ".«Secret»", "the Go field Secret is not part of the JSON form of the object", ""},
		{"unexported", ".«hidden»", "the Go field hidden is not part of the JSON form of the object", ""},
		{"member of a string", ".status.phase.«x»", ".status.phase is a string (p.Phase), which has no members", ""},
		{"element of a string", ".status.phase«[0]»", ".status.phase is a string (p.Phase), which has no elements", ""},
		{
			"member of a list", ".spec.containers.«name»",
			".spec.containers is a list; name one element or all of them before a member", ".spec.containers[*].name",
		},
		{
			"length as a member", ".spec.containers.«length»",
			".spec.containers is a list; name one element or all of them before a member", ".spec.containers.length()",
		},
		{"element of an object", ".spec«[0]»", ".spec is an object (p.Spec), which has members but no elements", ""},
		{"element of a map", ".labels«[0]»", ".labels is a map; name a value by its key", ".labels['0']"},
		{
			"filter on a map", ".labels«[?(@==\"x\")]»",
			".labels is a map; filters choose among the elements of a list",
			"",
		},
		{"key that cannot be", ".spec.ports.«http»", `the keys of .spec.ports are an integer, and "http" is not one`, ""},
		{"key out of range", ".spec.ports[«'200']»", `the keys of .spec.ports are an integer, and "200" is not one`, ""},
		{"keys without order", ".spec.flags«[*]»", "the keys of .spec.flags are a boolean and have no order", ""},
		{"beyond an array", ".spec.pair«[2]»", ".spec.pair has 2 elements", ""},
		{"before an array", ".spec.pair«[-3]»", ".spec.pair has 2 elements", ""},
		{
			"length of an object", ".spec.«length()»", ".spec is an object (p.Spec); only lists and maps have a length",
			"",
		},
		{
			"length of a number", ".spec.replicas.«length()»",
			".spec.replicas is an integer; only lists and maps have a length", "",
		},
		{
			"inside any", ".spec.any.«x»",
			".spec.any can hold any value; a path can be followed only where the type is known", "",
		},
		{
			"inside a type with its own JSON", ".spec.own.«A»",
			".spec.own is a value (p.Own), which has its own JSON form; a path cannot enter it", "",
		},
		{"inside bytes", ".spec.data«[0]»", ".spec.data is bytes, which has no elements", ""},
		{
			"filter member", `.spec.containers[?(@.«nam»=="a")].port`,
			`an element of .spec.containers has no member "nam"`, `.spec.containers[?(@.name=="a")].port`,
		},
		{
			"filter text with a number", `.spec.containers[?(@.name==«5»)].port`,
			"the value on the left is a string; compare it with a quoted text",
			`.spec.containers[?(@.name=="5")].port`,
		},
		{
			"filter number with a text", `.spec.containers[?(@.port==«"80"»)].name`,
			"the value on the left is an integer; compare it with a number", "",
		},
		{
			"filter number out of range", `.spec.containers[?(@.port==«70000»)].name`,
			"the value on the left is an integer; compare it with a number that fits its Go type uint16", "",
		},
		{
			"filter fraction", `.spec.containers[?(@.port==«1.5»)].name`,
			"the value on the left is an integer; compare it with a number that fits its Go type uint16", "",
		},
		{
			"filter float out of range", `.spec.containers[?(@.part.numbers[0]<«-1e999»)].name`,
			"the value on the left is a number; compare it with a number that fits its Go type float64", "",
		},
		{
			"filter number without end", `.spec.containers[?(@.port<«1e9999999999»)].name`,
			"the value on the left is an integer; compare it with a number that fits its Go type uint16", "",
		},
		{
			"filter boolean with a text", `.spec.containers[?(@.ready==«"true"»)].name`,
			"the value on the left is a boolean; compare it with true or false", "",
		},
		{
			"filter order of booleans", `.spec.containers[?(@.ready«<»true)].name`,
			"booleans can only be compared with == and !=", "",
		},
		{
			"filter on an object", `.spec.containers[?(@.part«=="x"»)].name`,
			"a filter compares strings, numbers and booleans; the value on the left is an object (p.Deep)", "",
		},
		{"syntax", ".spec«.»", "a name is missing after the last dot", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, rest, _ := strings.Cut(tt.path, "«")
			middle, after, _ := strings.Cut(rest, "»")
			_, bad := resolve(new(model.Universe), T, before+middle+after)
			if bad == nil {
				t.Fatal("no error")
			}
			if bad.offset != len(before) || bad.end != len(before)+len(middle) {
				t.Errorf("bytes [%d:%d], want [%d:%d]", bad.offset, bad.end, len(before), len(before)+len(middle))
			}
			if bad.message != tt.message || bad.suggestion != tt.suggestion {
				t.Errorf("\ngot  %s | %s\nwant %s | %s", bad.message, bad.suggestion, tt.message, tt.suggestion)
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	for _, path := range []string{
		".spec.containers[?(@.port>=1024)].name", ".labels['a\\.b']", ".spec.deep.numbers[*]",
		".spec.ports.length()",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		r, bad := resolve(new(model.Universe), root(t), path)
		if bad != nil {
			if bad.offset < 0 || bad.offset > bad.end || bad.end > len(path) || bad.message == "" {
				t.Fatalf("resolve(%q): unusable error %+v", path, *bad)
			}
			return
		}
		written(t, r) // fails if the code does not compile
	})
}
