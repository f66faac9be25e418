package codegen_test

import (
	"path/filepath"
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
