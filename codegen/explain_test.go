package codegen_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/codegen"
)

// TestExplain runs the questions in the comments of archives, lines "explain: names", and compares
// the answers with want/n.txt, where n counts from 1.
func TestExplain(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/explain/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := readScenario(t, path)
			dir := s.unpack(t)
			got, want := map[string]string{}, map[string]string{}
			for line := range strings.Lines(string(s.archive.Comment)) {
				question, ok := strings.CutPrefix(strings.TrimSpace(line), "explain: ")
				if !ok {
					continue
				}
				name := "want/" + string(rune('1'+len(got))) + ".txt"
				e, err := codegen.Explain(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()},
					strings.Fields(question)...)
				if err != nil {
					got[name] = "$ explain " + question + "\nerror: " + err.Error() + "\n"
					continue
				}
				text := "$ explain " + question + "\n" + e.Text
				if !e.Complete {
					text += "incomplete\n"
					for _, d := range e.Diagnostics {
						text += d.String() + "\n"
					}
				}
				got[name] = text
			}
			for _, f := range s.archive.Files {
				if isExpectation(f.Name) {
					want[f.Name] = string(f.Data)
				}
			}
			if *update {
				s.rewrite(t, got)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s differs; rerun with -update if the change is right (-want +got):\n%s", path, diff)
			}
		})
	}
}

// manyPaths writes two versions of a kind whose structs T0 to T9 all contain each other, so that
// more paths lead to them than a table can show. T9 of the older version has one more field.
func manyPaths(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeModule(t, dir, "example.com/t")
	for _, v := range []struct{ name, hub, number, more string }{
		{"v1", "", "int64", ""},
		{"v1beta1", "// +askind:hub=example.com/t/v1\n", "int32", "// +askind:drop=\"old\"\nOld string `json:\"old\"`\n"},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "// +groupName=many.example.com\n%spackage %s\n\nimport metav1 \"github.com/askind/askind/meta/v1\"\n\n"+
			"// +askind:kind\ntype Many struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata\"`\n"+
			"T *T0 `json:\"t,omitempty\"`\n}\n", v.hub, v.name)
		for i := range 10 {
			fmt.Fprintf(&b, "\ntype T%d struct {\nN %s `json:\"n\"`\n", i, v.number)
			if i == 9 {
				b.WriteString(v.more)
			}
			for j := range 10 {
				fmt.Fprintf(&b, "F%d *T%d `json:\"f%d,omitempty\"`\n", j, j, j)
			}
			b.WriteString("}\n")
		}
		write(t, filepath.Join(dir, v.name, "types.go"), []byte(b.String()))
	}
	return dir
}

// TestExplainManyPaths checks that the table for structs that contain each other has an end, and
// nevertheless a row for each field, and likewise the record of losses.
func TestExplainManyPaths(t *testing.T) {
	t.Parallel()
	dir := manyPaths(t)
	cfg := codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()}
	e, err := codegen.Explain(cfg, "v1beta1.Many", "v1.Many")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(e.Text, "\n")
	if len(lines) > 5000 || !slices.Contains(lines, "More paths lead to the same structs. Those beyond the first ones are left out.") {
		t.Errorf("%d lines:\n%.2000s", len(lines), e.Text)
	}
	for i := 1; i < 10; i++ { // T0 is at t
		if !slices.ContainsFunc(lines, func(line string) bool {
			path, _, _ := strings.Cut(line, " ")
			return strings.HasSuffix(path, fmt.Sprintf("f%d.n", i))
		}) {
			t.Errorf("no row for the number of T%d", i)
		}
	}
	result := mustRun(t, cfg)
	record := string(result.Files["v1beta1/"+codegen.LossesName])
	if n := strings.Count(record, "\n"); n > 5000 || !strings.Contains(record, ".f9.old: dropped: old\n") {
		t.Errorf("%d losses:\n%.2000s", n, record)
	}
}

// TestGuardOfManyPaths checks that a guard without a name fails where it would have to list too
// many fields that are not secrets.
func TestGuardOfManyPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeModule(t, dir, "example.com/t")
	for _, v := range []struct{ name, hub, more string }{
		{"v1", "", ""},
		{"v1beta1", "// +askind:hub=example.com/t/v1\n", "// +askind:carry\nOld string `json:\"old,omitempty\"`\n"},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "// +groupName=many.example.com\n%spackage %s\n\nimport metav1 \"github.com/askind/askind/meta/v1\"\n\n"+
			"// +askind:kind\ntype Many struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata\"`\n"+
			"T *T `json:\"t,omitempty\"`\n}\n\ntype T struct {\n%sB *T0 `json:\"b,omitempty\"`\n}\n", v.hub, v.name, v.more)
		const levels = 30
		for i := range levels {
			fmt.Fprintf(&b, "\ntype T%d struct {\nA *T%d `json:\"a,omitempty\"`\nB *T%d `json:\"b,omitempty\"`\n}\n", i, i+1, i+1)
		}
		fmt.Fprintf(&b, "\ntype T%d struct {\nA string `json:\"a\"`\n// +askind:sensitive\nS string `json:\"s\"`\n}\n", levels)
		write(t, filepath.Join(dir, v.name, "types.go"), []byte(b.String()))
	}
	result, err := codegen.Run(codegen.Config{Dir: dir, Patterns: []string{"./..."}, Env: env()})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Diagnostics) != 1 || !strings.Contains(result.Diagnostics[0].Message,
		"T.Old cannot be carried: its guard must exclude the secrets in T, to which too many paths lead") {
		t.Errorf("got %v", result.Diagnostics)
	}
}
