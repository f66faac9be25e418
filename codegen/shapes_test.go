package codegen_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen"
)

// The matrix of shapes: every leaf inside every container inside every container, for every
// feature. A cell is one field of a kind; there is a kind for each leaf. All cells are generated at
// once, compiled and vetted once, and run by one test program, which compares each cell with slow
// twins made of reflection, encoding/json and dynamicpb (testdata/shapes). A cell that some feature
// cannot serve gets a diagnostic; which ones these are follows from the rules below, and what they
// say is in testdata/shapes/diagnostics.txt.

// container is one way to hold a value. The name is part of the names of cells, and the step leads
// from the container to a value in JSON.
type container struct {
	name, step string
	of         func(elem string) string
}

var containers = []container{
	{"Ptr", "", func(e string) string { return "*" + e }},
	{"Slice", "[0]", func(e string) string { return "[]" + e }},
	{"Map", "['a']", func(e string) string { return "map[string]" + e }},
	{"Array", "[1]", func(e string) string { return "[2]" + e }},
	{"Struct", ".v", func(e string) string { return "struct {\n\t\tV " + e + " `json:\"v\"`\n\t}" }},
	{"Box", ".value", func(e string) string { return "Box[" + e + "]" }},
}

// outer are containers that hold leaves only.
var outer = []container{
	{"MapLevel", "['1']", func(e string) string { return "map[Level]" + e }},
	{"MapVersion", "['1.2']", func(e string) string { return "map[other.Version]" + e }},
	{"Array0", "[0]", func(e string) string { return "[0]" + e }},
}

// form is what a leaf is in protobuf.
type form uint8

const (
	nothing form = iota
	scalar
	octets
	message
	repeated
	optional
)

// leaf is a shape inside the containers. The names of faults are codes of diagnostics.
type leaf struct {
	name, typ string
	proto     form
	// copyFault and jsonFault are what makes every cell of the leaf impossible.
	copyFault, jsonFault string
	// local types are others in each version.
	local bool
	// noProto types say themselves that they have no form in protobuf.
	noProto bool
	// column is the type of a column that can show the leaf, or "".
	column string
	// twice lets the leaf stand in containers of containers: one leaf for each way in which
	// generated code treats values.
	twice bool
}

var leaves = []leaf{
	{name: "Text", typ: "string", proto: scalar, twice: true, column: "string"},
	{name: "Bool", typ: "bool", proto: scalar, column: "boolean"},
	{name: "Int", typ: "int", proto: scalar, column: "integer"},
	{name: "Int8", typ: "int8", proto: scalar, column: "integer"},
	{name: "Int64", typ: "int64", proto: scalar, column: "integer"},
	{name: "Uint8", typ: "uint8", proto: scalar, twice: true, column: "integer"},
	{name: "Uint64", typ: "uint64", proto: scalar, column: "string"},
	{name: "Float32", typ: "float32", proto: scalar, column: "string"},
	{name: "Float64", typ: "float64", proto: scalar, column: "number"},
	{name: "Bytes", typ: "[]byte", proto: octets, twice: true, column: "string"},
	{name: "Any", typ: "any", twice: true},
	{name: "NamedText", typ: "Name", proto: scalar, local: true, column: "string"},
	{name: "NamedInt", typ: "Level", proto: scalar, local: true, twice: true, column: "integer"},
	{name: "NamedBool", typ: "Flag", proto: scalar, local: true, column: "boolean"},
	{name: "AliasText", typ: "AliasText", proto: scalar, column: "string"},
	{name: "AliasSub", typ: "AliasSub", proto: message, local: true},
	{name: "Sub", typ: "Sub", proto: message, local: true, twice: true},
	{name: "Deep", typ: "Deep", proto: message, local: true, twice: true},
	{name: "Tree", typ: "Tree", proto: message, local: true, twice: true},
	{name: "Names", typ: "Names", proto: repeated, local: true, twice: true},
	{name: "Dict", typ: "Dict", proto: repeated, local: true},
	{name: "Nest", typ: "Nest", local: true},
	{name: "Array", typ: "Pair", local: true},
	{name: "Custom", typ: "Custom", noProto: true, local: true, twice: true},
	{name: "Valued", typ: "Valued", noProto: true, local: true},
	{name: "Marked", typ: "Marked", noProto: true, local: true},
	{name: "Hidden", typ: "Hidden", proto: message, local: true},
	{name: "Embedding", typ: "Embedding", proto: message, local: true},
	{name: "EmbeddingPtr", typ: "EmbeddingPtr", proto: message, local: true},
	{name: "Conflict", typ: "Conflict", proto: message, local: true},
	{name: "Defaulted", typ: "Defaulted", proto: message, local: true, twice: true},
	{name: "OtherLevel", typ: "other.Level", proto: scalar, column: "number"},
	{name: "OtherPlain", typ: "other.Plain", twice: true},
	{name: "OtherDict", typ: "other.Dict"},
	{name: "OtherShared", typ: "other.Shared", twice: true},
	{name: "OtherVersion", typ: "other.Version"},
	{name: "StdTime", typ: "time.Time", column: "string"},
	{name: "StdDuration", typ: "time.Duration", proto: scalar, column: "integer"},
	{name: "RawMessage", typ: "json.RawMessage", proto: octets, twice: true},
	{name: "Number", typ: "json.Number", proto: scalar, column: "string"},
	{name: "Time", typ: "metav1.Time", proto: message, twice: true, column: "string"},
	{name: "Duration", typ: "metav1.Duration", proto: message, column: "string"},
	{name: "Quantity", typ: "resource.Quantity", proto: message, column: "string"},
	{name: "IntOrString", typ: "intstr.IntOrString", proto: message, column: "string"},
	{name: "RawExtension", typ: "runtime.RawExtension", proto: message},
	{name: "Chan", typ: "chan int", copyFault: "deepcopy-chan", jsonFault: "json-type"},
	{name: "Func", typ: "func()", copyFault: "deepcopy-func", jsonFault: "json-type"},
	{name: "Complex", typ: "complex128", jsonFault: "json-type"},
	{name: "Interface", typ: "other.Speaker", copyFault: "deepcopy-interface", jsonFault: "json-interface"},
	{name: "OtherOpaque", typ: "other.Opaque", copyFault: "deepcopy-foreign"},
}

// locals are the types that every API package of the matrix declares for itself. In a hub the
// fields stand in the opposite order, so that nothing can be converted by a cast.
var locals = []struct {
	decl   string
	fields []string
	more   string
}{
	{decl: "type Name string"},
	{decl: "type Level int32"},
	{decl: "type Flag bool"},
	{decl: "type AliasText = string"},
	{decl: "type AliasSub = Sub"},
	{decl: "type Names []string"},
	{decl: "type Dict map[string]Sub"},
	{decl: "type Nest []Nest"},
	{decl: "type Pair [2]*int32"},
	{decl: "type Sub struct", fields: []string{"A string `json:\"a\"`", "N int32 `json:\"n,omitempty\"`"}},
	{decl: "type Deep struct", fields: []string{
		"Map map[string]string `json:\"map,omitempty\"`", "List []Sub `json:\"list\"`",
		"Ptr *int64 `json:\"ptr,omitempty\"`",
		"// +askind:protobuf=false\n\tAny any `json:\"any,omitempty\"`",
	}},
	{decl: "type Tree struct", fields: []string{
		"Value string `json:\"value\"`", "Next *Tree `json:\"next,omitempty\"`",
		"Kids []Tree `json:\"kids,omitempty\"`", "ByName map[string]Tree `json:\"byName,omitempty\"`",
		"// +default=1\n\tDepth *int32 `json:\"depth,omitempty\"`",
	}},
	{decl: "type Box[T any] struct", fields: []string{"Value T `json:\"value\"`"}},
	{decl: "// +askind:protobuf=false\ntype Custom struct", fields: []string{
		"X int32 `json:\"x\"`",
		"Y []int32 `json:\"y\"`",
	}, more: "" +
		"func (c *Custom) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]any{\"x\": c.X, \"why\": c.Y}) }\n\n" +
		"func (c *Custom) UnmarshalJSON(data []byte) error {\n\tvar m struct {\n\t\tX int32\n\t\tWhy []int32\n\t}\n\terr := json.Unmarshal(data, &m)\n\tc.X, c.Y = m.X, m.Why\n\treturn err\n}\n"},
	{
		decl:   "// +askind:protobuf=false\ntype Valued struct",
		fields: []string{"Text string `json:\"-\" protobuf:\"bytes,1,opt,name=text\"`"}, more: "" +
			"func (v Valued) MarshalJSON() ([]byte, error) { return json.Marshal(\"=\" + v.Text) }\n\n" +
			"func (v *Valued) UnmarshalJSON(data []byte) error {\n\tvar s string\n\tif err := json.Unmarshal(data, &s); err != nil || len(s) == 0 {\n\t\treturn err\n\t}\n\tv.Text = s[1:]\n\treturn nil\n}\n",
	},
	{decl: "// +askind:protobuf=false\ntype Marked struct", fields: []string{"Text string `json:\"text\"`"}, more: "" +
		"func (m *Marked) MarshalText() ([]byte, error) { return []byte(\"#\" + m.Text), nil }\n\n" +
		"func (m *Marked) UnmarshalText(text []byte) error {\n\tif len(text) == 0 || text[0] != '#' {\n\t\treturn errors.New(\"no mark\")\n\t}\n\tm.Text = string(text[1:])\n\treturn nil\n}\n"},
	{decl: "type Hidden struct", fields: []string{"Shown string `json:\"shown\"`", "secret []string"}, more: "" +
		"func (h *Hidden) Secret() []string { return h.secret }\n\nfunc (h *Hidden) Hide(words ...string) { h.secret = words }\n"},
	{decl: "type Embedding struct", fields: []string{
		"Sub `json:\",inline\"`", "Deep `json:\",inline\"`",
		"Extra string `json:\"extra\"`",
	}},
	{decl: "type EmbeddingPtr struct", fields: []string{"*Sub `json:\",inline\"`", "Own string `json:\"own\"`"}},
	{decl: "type Conflict struct", fields: []string{
		"First `json:\",inline\"`", "Second `json:\",inline\"`",
		"Own string `json:\"own\"`",
	}},
	{decl: "type First struct", fields: []string{
		"Same string `json:\"same\"`", "One string `json:\"one\"`",
		"Own string `json:\"own\"`", "Tagged string", "Away []string `json:\"-\"`",
	}},
	{decl: "type Second struct", fields: []string{
		"Same string `json:\"same\"`", "Two []string `json:\"two\"`",
		"Other string `json:\"Tagged\"`",
	}},
	{decl: "type Defaulted struct", fields: []string{
		"// +default=\"worker\"\n\tRole string `json:\"role,omitempty\"`",
		"// +default=3\n\tCount *int32 `json:\"count,omitempty\"`",
		"// +default=true\n\tOn *bool `json:\"on,omitempty\"`",
		"// +default=\"1h30m\"\n\tEvery *metav1.Duration `json:\"every,omitempty\"`",
		"// +default=\"High\"\n\tLevel Name `json:\"level,omitempty\"`",
		"// +default=[\"a\",\"b\"]\n\tWords []string `json:\"words,omitempty\"`",
		"// +default={\"k\":\"v\"}\n\tLabels map[string]string `json:\"labels,omitempty\"`",
		"Sub Sub `json:\"sub\"`",
	}, more: "const High Name = \"High\"\n"},
}

// cell is one field of the matrix.
type cell struct {
	leaf  leaf
	chain []container // from the outside in
	typ   string
}

// name returns the Go name of the field.
func (c cell) name() string {
	var b strings.Builder
	for _, o := range c.chain {
		b.WriteString(o.name)
	}
	return cmp.Or(b.String(), "Plain")
}

func (c cell) String() string { return c.leaf.name + "." + c.name() }

func cells() []cell {
	var out []cell
	for _, l := range leaves {
		add := func(chain ...container) {
			typ := l.typ
			for _, o := range slices.Backward(chain) {
				typ = o.of(typ)
			}
			out = append(out, cell{leaf: l, chain: chain, typ: typ})
		}
		add()
		for _, o := range outer {
			add(o)
		}
		for _, o := range containers {
			add(o)
		}
		for _, o := range containers {
			for _, i := range containers {
				if l.twice || l.copyFault != "" || l.jsonFault != "" {
					add(o, i)
				}
			}
		}
	}
	return out
}

// faults returns the codes that the diagnostics of a cell must have for deep copy and JSON.
func (c cell) faults() []string {
	var out []string
	for _, f := range []string{c.leaf.copyFault, c.leaf.jsonFault} {
		if f != "" {
			out = append(out, f)
		}
	}
	return out
}

// proto returns the form of a cell in protobuf: a field is a scalar, bytes or a message, or
// optional and a scalar or a message, or it is repeated and made of scalars, bytes or messages;
// maps are repeated. Nothing else can be said.
func (c cell) proto() form {
	if len(c.chain) == 0 {
		return c.leaf.proto
	}
	inner := cell{leaf: c.leaf, chain: c.chain[1:]}
	f := inner.proto()
	switch c.chain[0].name {
	case "Ptr":
		if f == scalar || f == message {
			return optional
		}
	case "Slice", "Map", "MapLevel":
		if len(c.chain) == 1 && c.chain[0].name == "Slice" && c.leaf.name == "Uint8" {
			return octets
		}
		if f == scalar || f == octets || f == message {
			return repeated
		}
	}
	return nothing
}

// converts reports whether the conversion between two versions of the types of the matrix is
// generated. Two things have no function that could be called: a struct without a name whose two
// forms are different types, and a type that contains itself without a struct in between. And
// nothing can reach the unexported fields of another package.
func (c cell) converts() bool {
	inStruct := slices.ContainsFunc(c.chain, func(o container) bool { return o.name == "Struct" })
	return c.leaf.name != "Nest" && c.leaf.name != "Hidden" &&
		!(inStruct && (c.leaf.local || slices.ContainsFunc(c.chain, func(o container) bool { return o.name == "Box" })))
}

// path returns the JSON path of one value in the cell.
func (c cell) path() string {
	key, _, _ := strings.Cut(c.tag(), ",")
	path := "." + key
	for _, o := range c.chain {
		path += o.step
	}
	return path
}

// shows reports whether a column can show the value at the path: a text, number or boolean, or a
// type that says what its text is. Keys with a text of their own have no constants, an array
// without elements has no first one, and bytes have no elements.
func (c cell) shows() bool {
	switch first := c.chainName(0); {
	case first == "MapVersion", first == "Array0", c.leaf.name == "Uint8" && c.chainName(len(c.chain)-1) == "Slice":
		return false
	}
	return c.leaf.column != ""
}

func (c cell) chainName(i int) string {
	if i < 0 || i >= len(c.chain) {
		return ""
	}
	return c.chain[i].name
}

// shapes is a module of the matrix under construction.
type shapes struct {
	files map[string]string
	// at says which cell stands on a line of a file.
	at map[string]map[int]cell
}

// pkg adds a package with the types of the matrix and a kind for every leaf with the chosen cells.
// Markers are those of the package comment. It returns the names of the leaves.
func (s *shapes) pkg(name, markers string, opposite bool, choose, column func(cell) bool) (chosen []string) {
	var b strings.Builder
	line := func() int { return 1 + strings.Count(b.String(), "\n") }
	file := name + "/types.go"
	s.at[file] = map[int]cell{}
	fmt.Fprintf(&b, "// Package %s is generated by the test of the matrix of shapes.\n//\n%spackage %s\n\n", name,
		markers, name)
	b.WriteString("import (\n\t\"encoding/json\"\n\t\"errors\"\n\t\"time\"\n\n\t\"example.com/shapes/other\"\n\tmetav1 \"github.com/askind/askind/meta/v1\"\n" +
		"\t\"github.com/askind/askind/meta/intstr\"\n\t\"github.com/askind/askind/meta/resource\"\n\t\"github.com/askind/askind/runtime\"\n)\n\n" +
		"var (\n\t_ json.Number\n\t_ = errors.New\n\t_ time.Time\n\t_ other.Level\n\t_ intstr.IntOrString\n\t_ resource.Quantity\n\t_ runtime.RawExtension\n)\n\n")
	for _, l := range locals {
		b.WriteString(l.decl)
		if l.fields != nil {
			fields := slices.Clone(l.fields)
			if opposite {
				slices.Reverse(fields)
			}
			b.WriteString(" {\n")
			for _, f := range fields {
				b.WriteString("\t" + f + "\n")
			}
			b.WriteString("}")
		}
		b.WriteString("\n\n" + l.more + "\n")
	}
	kinds := map[string][]cell{}
	for _, c := range cells() {
		if choose(c) {
			kinds[c.leaf.name] = append(kinds[c.leaf.name], c)
		}
	}
	var table strings.Builder
	for _, l := range leaves {
		list := kinds[l.name]
		if len(list) == 0 {
			continue
		}
		chosen = append(chosen, l.name)
		if opposite {
			slices.Reverse(list)
		}
		for _, c := range list {
			if column(c) {
				s.at[file][line()] = c
				fmt.Fprintf(&b, "// +kubebuilder:printcolumn:name=%s,type=%s,JSONPath=`%s`\n", c.name(),
					cmp.Or(c.leaf.column, "string"), c.path())
				fmt.Fprintf(&table, "\t\"K%s.%s\": \"%s\",\n", l.name, c.name(), c.path())
			}
		}
		fmt.Fprintf(
			&b, "// +askind:kind\ntype K%s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n", l.name,
		)
		for _, c := range list {
			from := line()
			fmt.Fprintf(&b, "\t%s %s `json:\"%s\"`\n", c.name(), c.typ, c.tag())
			for n := from; n < line(); n++ {
				s.at[file][n] = c
			}
		}
		fmt.Fprintf(
			&b, "}\n\n// +askind:kind\ntype K%sList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\tItems []K%s `json:\"items\"`\n}\n\n", l.name, l.name,
		)
	}
	fmt.Fprintf(&b, "// Columns has the paths of the columns.\nvar Columns = map[string]string{\n%s}\n", &table)
	s.files[file] = b.String()
	return chosen
}

// conversions adds a table of the conversion functions, so that the test program can call them all.
func (s *shapes) conversions(kinds []string) {
	var b strings.Builder
	b.WriteString("package v1beta1\n\nimport (\n\t\"example.com/shapes/v1\"\n\t\"github.com/askind/askind/conversion\"\n)\n\n" +
		"// Conversion converts one kind.\ntype Conversion struct {\n\tNew, NewHub func() any\n\tTo, From func(in, out any, s *conversion.Scope) error\n}\n\nvar Conversions = []Conversion{\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "\t{\n\t\tNew: func() any { return new(K%s) }, NewHub: func() any { return new(v1.K%s) },\n"+
			"\t\tTo: func(in, out any, s *conversion.Scope) error { return ConvertK%sToV1(in.(*K%s), out.(*v1.K%s), s) },\n"+
			"\t\tFrom: func(in, out any, s *conversion.Scope) error { return ConvertK%sFromV1(in.(*v1.K%s), out.(*K%s), s) },\n\t},\n", k, k, k, k, k, k, k, k)
	}
	b.WriteString("}\n")
	s.files["v1beta1/table.go"] = b.String()
}

// protobuf adds a table of the functions for protobuf.
func (s *shapes) protobuf(kinds []string) {
	var b strings.Builder
	b.WriteString("package proto\n\nimport \"github.com/askind/askind/wire/pbwire\"\n\n" +
		"// Kind has the functions of one kind.\ntype Kind struct {\n\tName string\n\tNew func() any\n\tPrepend func(w *pbwire.Writer, in any)\n\tDecode func(r *pbwire.Reader, out any)\n}\n\nvar Kinds = []Kind{\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "\t{\n\t\tName: \"K%s\", New: func() any { return new(K%s) },\n"+
			"\t\tPrepend: func(w *pbwire.Writer, in any) { PrependProtoK%s(w, in.(*K%s)) },\n\t\tDecode: func(r *pbwire.Reader, out any) { DecodeProtoK%s(r, out.(*K%s)) },\n\t},\n", k, k, k, k, k, k)
	}
	b.WriteString("}\n")
	s.files["proto/table.go"] = b.String()
}

// tag returns the JSON tag of a cell. Cells with a long name are left out when empty, so that both
// ways occur in every container.
func (c cell) tag() string {
	name := strings.ToLower(c.name()[:1]) + c.name()[1:]
	if len(c.chain) == 2 && c.chain[0].name != c.chain[1].name {
		name += ",omitempty"
	}
	return name
}

// write puts the module into a directory.
func (s *shapes) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/shapes")
	if err := os.CopyFS(dir, os.DirFS("testdata/shapes")); err != nil {
		t.Fatal(err)
	}
	for name, text := range s.files {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	return dir
}

// TestShapes runs the matrix.
func TestShapes(t *testing.T) {
	t.Parallel()
	faults := shapeFaults(t)
	if testing.Short() {
		return
	}
	s := &shapes{files: map[string]string{}, at: map[string]map[int]cell{}}
	works := func(c cell) bool { return len(faults[c.String()]["all"]) == 0 }
	none := func(cell) bool { return false }
	converts := func(c cell) bool { return works(c) && c.converts() }
	s.pkg("one", "// +groupName=one.example.com\n", false, works, cell.shows)
	s.pkg("v1", "// +groupName=shapes.example.com\n", true, converts, none)
	s.conversions(s.pkg("v1beta1", "// +groupName=shapes.example.com\n// +askind:hub=example.com/shapes/v1\n", false,
		converts, none))
	s.protobuf(s.pkg("proto", "// +groupName=proto.example.com\n// +askind:protobuf\n",
		false, func(c cell) bool { return works(c) && len(faults[c.String()]["protobuf"]) == 0 }, none))
	dir := s.write(t)
	for _, cfg := range []codegen.Config{
		{Patterns: []string{"./one"}},
		{Patterns: []string{"./proto"}, Only: []string{"protobuf"}},
		{Patterns: []string{"./v1", "./v1beta1"}, Only: []string{"deepcopy", "conversion"}},
	} {
		cfg.Dir, cfg.Env = dir, env()
		result := mustRun(t, cfg)
		for _, d := range result.Diagnostics {
			if d.Code != "default-zero" && !aboutConflict(d) {
				t.Errorf("%s", d)
			}
		}
		if _, err := codegen.Write(result); err != nil {
			t.Fatal(err)
		}
	}
	// Optimisation is not what is tested, and takes most of the time.
	flags := "-gcflags=example.com/shapes/...=-N -l -dwarf=false"
	for _, command := range [][]string{
		{"vet", flags, "-structtag=false", "./..."},
		{"test", flags, "-vet=off", "./..."},
	} {
		cmd := exec.Command("go", command...)
		cmd.Dir, cmd.Env = dir, append(compiling(), "ASKIND="+repoRoot(t))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestShapesLint checks the rule about types that protobuf cannot say to what the generator finds
// out when it is asked for protobuf.
func TestShapesLint(t *testing.T) {
	t.Parallel()
	s := &shapes{files: map[string]string{}, at: map[string]map[int]cell{}}
	s.pkg("every", "// +groupName=shapes.example.com\n",
		false, func(cell) bool { return true }, func(cell) bool { return false })
	result, err := codegen.Lint(codegen.Config{Dir: s.write(t), Patterns: []string{"./every"}, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	unfit := map[string]bool{}
	for _, d := range result.Diagnostics {
		if d.Code == "protobuf-unfit" {
			unfit[s.at[d.Pos.Filename][d.Pos.Line].String()] = true
		}
	}
	for _, c := range cells() {
		if !c.leaf.noProto && unfit[c.String()] != (c.proto() == nothing) {
			t.Errorf("%s %s: lint says unfit is %v, but its form is %d", c, c.typ, unfit[c.String()], c.proto())
		}
	}
}

// aboutConflict reports whether a diagnostic is the warning about the leaf Conflict, which embeds
// two structs with a field of one name.
func aboutConflict(d *codegen.Diagnostic) bool {
	return d.Severity != 0 && d.Code == "json-name" && strings.HasPrefix(d.Message, "Conflict.") &&
		strings.Contains(d.Message, `both "same" in JSON`)
}

// shapeFaults asks for everything everywhere and returns the codes of the diagnostics of each cell,
// those of protobuf apart.
func shapeFaults(t *testing.T) map[string]map[string][]string {
	t.Helper()
	s := &shapes{files: map[string]string{}, at: map[string]map[int]cell{}}
	every := func(cell) bool { return true }
	s.pkg("every", "// +groupName=shapes.example.com\n// +askind:protobuf\n", false, every, every)
	dir := s.write(t)
	result, err := codegen.Run(codegen.Config{Dir: dir, Patterns: []string{"./every"}, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	faults := map[string]map[string][]string{}
	ambiguous := 0
	var text strings.Builder
	for _, d := range result.Diagnostics {
		c, ok := s.at[d.Pos.Filename][d.Pos.Line]
		if !ok && aboutConflict(d) {
			ambiguous++
			continue
		}
		if !ok {
			t.Errorf("a diagnostic is at no cell: %s", d)
			continue
		}
		if d.Severity != 0 {
			continue
		}
		feature := "all"
		switch {
		case strings.HasPrefix(d.Code, "protobuf-"):
			feature = "protobuf"
		case d.Code == "column-path":
			feature = "column"
		}
		if faults[c.String()] == nil {
			faults[c.String()] = map[string][]string{}
		}
		if codes := faults[c.String()][feature]; !slices.Contains(codes, d.Code) {
			faults[c.String()][feature] = append(codes, d.Code)
		}
		if feature != "column" && !strings.HasPrefix(d.Message, "K"+c.leaf.name+"."+c.name()) {
			t.Errorf("%s: the diagnostic does not name the field: %s", c, d)
		}
		if len(c.chain) < 2 {
			rest := *d
			rest.Pos.Filename, rest.Pos.Line, rest.Pos.Column = "", 0, 0
			fmt.Fprintf(&text, "%s\n", rest.String())
		}
	}
	if ambiguous != 1 {
		t.Errorf("%d warnings about the fields of Conflict that JSON has neither of, want 1", ambiguous)
	}
	for _, l := range leaves {
		text.WriteString("\n" + l.name + ":\n")
		by := map[string][]string{}
		for _, c := range cells() {
			if got := faults[c.String()]; c.leaf.name == l.name && got != nil {
				codes := strings.Join(slices.Concat(got["all"], got["protobuf"], got["column"]), " ")
				by[codes] = append(by[codes], c.name())
			}
		}
		for _, codes := range slices.Sorted(maps.Keys(by)) {
			fmt.Fprintf(&text, "\t%s: %s\n", codes, strings.Join(by[codes], " "))
		}
	}
	for _, c := range cells() {
		got := faults[c.String()]
		if want := c.faults(); !slices.Equal(got["all"], want) {
			t.Errorf("%s %s: diagnostics %q, want %q", c, c.typ, got["all"], want)
		}
		if c.faults() == nil && (len(got["protobuf"]) == 0) != (c.proto() != nothing) {
			t.Errorf("%s %s: diagnostics of protobuf %q, but its form is %d", c, c.typ, got["protobuf"], c.proto())
		}
		if (len(got["column"]) == 0) != c.shows() {
			t.Errorf("%s %s: diagnostics of the column %q", c, c.typ, got["column"])
		}
	}
	golden := "testdata/shapes/diagnostics.txt"
	want, _ := os.ReadFile(golden)
	if *update {
		write(t, golden, []byte(text.String()))
	} else if diff := gocmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("%s differs; rerun with -update if the change is right (-want +got):\n%s", golden, diff)
	}
	return faults
}
