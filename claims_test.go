package askind_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// claims has the sentences of the README that no command and no figure shows, by their first words,
// and the tests that show them. Those without a test say what there is not.
var claims = map[string][]string{
	"**Serves** every kind": {
		"server.TestRead", "server.TestPages", "server.TestWatch", "server.TestPatch", "server.TestApply",
		"server.TestStatus", "server.TestScale", "server.TestDelete", "server.TestCollectorForeground",
		"server.TestAccess", "store.TestSchedules", "store.TestListSelects", "server.TestSeedSemantics",
		"openapi.TestWhatKubectlReads",
	},
	"Groups can be added": {
		"server.TestInstall", "server/apiextensions.TestServe",
		// The Prometheus operator itself is run by server/clienttest/testdata/operator/run.
		"server/clienttest.TestOperator", "server/clienttest.TestDefinitions",
	},
	"**Stores** objects": {
		"store/memory.TestEngine", "store/file.TestEngine", "store/etcd.TestEngine", "store/etcd.TestReadYourWrites",
		"server.TestReplicas",
	},
	"An engine of your own": {"store/storetest.TestFaults"},
	"**Converts between":    {"runtime.TestConvertOverTheHub", "conversion.TestPlan"},
	"Conversions are":       {"codegen.TestConversionsAgainstOracle", "codegen.TestScenarios"},
	"A field without a":     {"codegen.TestLosses", "codegen.TestBadInputs"},
	"**Shows any object": {
		"serializer.TestNegotiateGenerated", "serializer.TestEncodeTableStreams", "serializer.TestEventWriter",
		"httpapi.TestExampleRetrievingAnAlternativeRepresentationForKubectlGet",
	},
	"**Says what is wrong**": {"internal/tour.TestReadmeError", "serializer.TestMistakes"},
	"**Is plain Go.**":       {"codegen.TestScenarios"},
	"Generated code is":      {"codegen.TestScenarios", "codegen.TestNoDeadCode"},
	"There are no": {
		"TestNoInit", "serializer.FuzzDecode", "serializer.FuzzEvents", "server.TestHostileRequests",
	},
	"It speaks the":      {"bench/peers/k8s.TestGoldens", "TestSharesNoCode"},
	"The module is not":  nil,
	"A `replace` line":   {"codegen/askind.TestInitProject", "TestPages"},
	"Pages for browsers": {"serializer/html.TestPolicy"},
	"For kinds that are": {
		"server/apiextensions.TestRefused", "server.TestDynamicRules", "validation/cel.TestRules",
	},
	"For kinds with Go": {"runtime.TestDefaultAndValidate"},
	"Tests run on":      nil,
	"It compiles for":   {"TestCompilesElsewhere"},
	"Without etcd":      {"store/file.TestOpenRefuses"},
	"It serves APIs.":   nil,
	"It has no":         nil,
}

// TestClaims checks that each sentence of the README that makes a claim in prose is one of claims,
// and that the tests are there.
func TestClaims(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	end := regexp.MustCompile(`[.*]+ \*{0,2}[A-Z]`)
	made := map[string]bool{}
	for _, heading := range []string{"## What it does\n", "## Limits\n"} {
		_, section, found := strings.Cut(string(page), heading)
		if !found {
			t.Fatalf("the README has no %q", heading)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for paragraph := range strings.SplitSeq(strings.ReplaceAll(section, "\n- ", "\n\n"), "\n\n") {
			text := strings.Join(strings.Fields(paragraph), " ")
			for text != "" {
				sentence := text
				if at := end.FindStringIndex(text); at != nil {
					sentence = text[:strings.LastIndex(text[:at[1]], " ")]
				}
				text = strings.TrimSpace(text[len(sentence):])
				start := ""
				for s := range claims {
					if strings.HasPrefix(sentence, s) {
						start = s
					}
				}
				if start == "" {
					t.Errorf("no test shows: %s", sentence)
				}
				made[start] = true
			}
		}
	}
	for start, tests := range claims {
		if !made[start] {
			t.Errorf("the README does not say: %s …", start)
		}
		for _, test := range tests {
			folder, name := filepath.Split(strings.ReplaceAll(test, ".", "/"))
			files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
			if err != nil || !slices.ContainsFunc(files, func(file string) bool {
				text, err := os.ReadFile(file)
				return err == nil && strings.Contains(string(text), "\nfunc "+name+"(")
			}) {
				t.Errorf("there is no %s (%v)", test, err)
			}
		}
	}
}

// TestNoInit checks that no package runs code when it is loaded.
func TestNoInit(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == "bench" || path == "internal/gadgets"):
			return filepath.SkipDir // what others have generated
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		read++
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s has a function init", path)
			}
		}
		return nil
	})
	if err != nil || read < 500 {
		t.Errorf("%d files were read, %v", read, err)
	}
}

// TestSharesNoCode checks that the module does not depend on Kubernetes.
func TestSharesNoCode(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("go.mod")
	if err != nil || !strings.Contains(string(mod), "require") || strings.Contains(string(mod), "k8s.io/") {
		t.Errorf("%v\n%s", err, mod)
	}
}

// TestCompilesElsewhere type-checks all packages for systems on which not all tests run.
func TestCompilesElsewhere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("type-checks the standard library, too")
	}
	for _, system := range [][2]string{{"darwin", "arm64"}, {"windows", "arm64"}} {
		found, err := packages.Load(&packages.Config{
			Mode: packages.LoadAllSyntax,
			Env:  append(os.Environ(), "GOOS="+system[0], "GOARCH="+system[1], "CGO_ENABLED=0"),
		}, "./...")
		if err != nil {
			t.Fatal(err)
		}
		checked := 0
		packages.Visit(found, nil, func(p *packages.Package) {
			checked++
			for _, err := range p.Errors {
				t.Errorf("%s: %v", system, err)
			}
		})
		if checked < 200 {
			t.Errorf("%s: only %d packages were checked", system, checked)
		}
	}
}
