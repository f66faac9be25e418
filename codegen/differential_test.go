package codegen_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
)

var differentialSeed = flag.Uint64("differential.seed", 1, "makes the types of TestConversionsAgainstOracle")

// TestConversionsAgainstOracle makes two versions of random types, generates their conversions and
// compares these with a slow oracle, which converts by reflection and matches fields by their JSON
// names, on random values in both directions. What the oracle refuses, such as a number that does
// not fit, must be refused; inputs must stay as they are; and nothing that is done to the result of
// a copying conversion may reach the input.
func TestConversionsAgainstOracle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds and runs a module")
	}
	t.Logf("-differential.seed=%d", *differentialSeed)
	dir := readScenario(t, "testdata/differential/conversion.txtar").unpack(t)
	types := &typeMaker{r: rand.New(rand.NewPCG(*differentialSeed, 0))}
	for range 4 {
		types.kind()
	}
	write(t, filepath.Join(dir, "v1", "types.go"), []byte(types.source("v1", "", &types.hub)))
	write(t, filepath.Join(dir, "v1beta1", "types.go"),
		[]byte(types.source("v1beta1", "// +askind:hub=example.com/t/v1\n", &types.spoke)))
	write(t, filepath.Join(dir, "v1beta1", "kinds_test.go"), []byte(types.tests()))

	result, err := codegen.Run(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		t.Error(d)
	}
	if _, err := codegen.Write(result); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir, cmd.Env = dir, env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%.8000s", err, out)
	}
}

// typeMaker makes pairs of types that hold the same data in two versions.
type typeMaker struct {
	r          *rand.Rand
	hub, spoke strings.Builder
	kinds      []string
	structs    int
}

// leafPairs are types without elements, of the hub and the spoke.
var leafPairs = [][2]string{
	{"string", "string"},
	{"string", "Name"},
	{"Name", "string"},
	{"Name", "Name"},
	{"bool", "Switch"},
	{"bool", "bool"},
	{"int64", "int32"},
	{"int32", "int64"},
	{"uint8", "int64"},
	{"int", "int32"},
	{"uint32", "uint64"},
	{"int16", "int16"},
	{"float64", "float32"},
	{"float64", "float64"},
	{"int64", "float64"},
	{"float32", "int16"},
	{"Count", "int64"},
	{"[]byte", "Bytes"},
	{"any", "any"},
	{"metav1.Time", "metav1.Time"},
	{"*metav1.Time", "*metav1.Time"},
	{"metav1.Duration", "metav1.Duration"},
	{"resource.Quantity", "resource.Quantity"},
	{"map[string]string", "map[string]string"},
	{"[]string", "[]string"},
	{"[]string", "[]Name"},
	{"metav1.Condition", "metav1.Condition"},
}

func (m *typeMaker) pick(n int) int { return m.r.IntN(n) }

// pair returns a type of the hub and one of the spoke.
func (m *typeMaker) pair(depth int) (hub, spoke string) {
	if depth == 0 || m.pick(3) > 0 {
		p := leafPairs[m.pick(len(leafPairs))]
		return p[0], p[1]
	}
	switch m.pick(9) {
	case 0:
		h, s := m.pair(depth - 1)
		return "[]" + h, "[]" + s
	case 1:
		h, s := m.pair(depth - 1)
		return "map[string]" + h, "map[Name]" + s
	case 2:
		h, s := m.pair(depth - 1)
		return "[2]" + h, "[2]" + s
	case 3:
		h, s := m.pointed(depth - 1)
		return "*" + h, "*" + s
	case 4:
		h, s := m.pointed(depth - 1)
		return "*" + h, s
	case 5:
		h, s := m.pointed(depth - 1)
		return h, "*" + s
	case 6:
		h, s := m.pointed(depth - 1)
		return "[]*" + h, "[]" + s
	default:
		return m.structure(depth - 1)
	}
}

// pointed returns a pair for a pointer to lead to: what can be nil by itself would leave open which
// of the two is.
func (m *typeMaker) pointed(depth int) (hub, spoke string) {
	for {
		hub, spoke = m.pair(depth)
		if !strings.HasPrefix(hub, "*") && !strings.HasPrefix(spoke, "*") && hub != "any" {
			return hub, spoke
		}
	}
}

// structure declares a struct in both versions.
func (m *typeMaker) structure(depth int) (hub, spoke string) {
	m.structs++
	name := fmt.Sprintf("S%d", m.structs)
	m.declare(name, "", depth)
	return name, name
}

func (m *typeMaker) kind() {
	name := fmt.Sprintf("Kind%d", len(m.kinds))
	m.kinds = append(m.kinds, name)
	m.declare(name, "\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n", 4)
}

// declare declares a struct with random fields in both versions, with the fields in another order.
func (m *typeMaker) declare(name, meta string, depth int) {
	var hub, spoke, absent []string
	n := 2 + m.pick(5)
	if meta != "" {
		n += 6
	}
	options := []string{"", ",omitempty", ",omitzero"}
	for i := range n {
		h, s := m.pair(depth)
		field := func(t string) string {
			option := options[m.pick(2)]
			if t == "string" || t == "Name" || strings.HasPrefix(t, "*") || t == "bool" {
				option = options[m.pick(3)]
			}
			return fmt.Sprintf("\tF%d %s `json:\"f%d%s\"`\n", i, t, i, option)
		}
		switch m.pick(12) {
		case 0:
			absent = append(absent, fmt.Sprintf("// +askind:absent:field=f%d,reason=\"random\"\n", i))
			hub = append(hub, field(h))
		case 1:
			spoke = append(spoke, "\t// +askind:drop=\"random\"\n"+field(s))
		default:
			hub, spoke = append(hub, field(h)), append(spoke, field(s))
		}
	}
	marker := ""
	if meta != "" {
		marker = "// +askind:kind\n"
	}
	write := func(b *strings.Builder, fields, markers []string) {
		m.r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		fmt.Fprintf(b, "\n// %s is random.\n//\n%s%stype %s struct {\n%s%s}\n", name, marker, strings.Join(markers, ""),
			name, meta, strings.Join(fields, ""))
	}
	write(&m.hub, hub, nil)
	write(&m.spoke, spoke, absent)
}

func (m *typeMaker) source(name, markers string, b *strings.Builder) string {
	return "// Package " + name + " is made of random types.\n//\n// +groupName=random.example.com\n" + markers + "package " + name + `

import (
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
)

type (
	// Name is text.
	Name string
	// Switch is a truth.
	Switch bool
	// Count is a number.
	Count int64
	// Bytes are bytes.
	Bytes []byte
	// Leaves makes sure that all packages are used.
	Leaves struct {
		Q resource.Quantity ` + "`json:\"q\"`" + `
		T metav1.Time ` + "`json:\"t\"`" + `
	}
)
` + b.String()
}

func (m *typeMaker) tests() string {
	var b strings.Builder
	b.WriteString(
		"package v1beta1\n\nimport (\n\t\"testing\"\n\n\t\"example.com/t/oracle\"\n\t\"example.com/t/v1\"\n)\n",
	)
	for _, k := range m.kinds {
		fmt.Fprintf(&b, "\nfunc Test%sToV1(t *testing.T) { oracle.Check(t, Convert%sToV1, DeepCopy%s) }\n", k, k, k)
		fmt.Fprintf(&b, "\nfunc Test%sFromV1(t *testing.T) { oracle.Check(t, Convert%sFromV1, v1.DeepCopy%s) }\n", k, k,
			k)
	}
	return b.String()
}
