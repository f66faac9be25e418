package codegen_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	old := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"
	got := codegen.Diff(codegen.Change{
		Path: "x.go", Old: []byte(old),
		New: []byte(strings.Replace(strings.Replace(old, "b\n", "", 1), "j\n", "J\nk\n", 1)),
	})
	want := `--- a/x.go
+++ b/x.go
@@ -1,5 +1,4 @@
 a
-b
 c
 d
 e
@@ -7,4 +6,5 @@
 g
 h
 i
-j
+J
+k
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := codegen.Diff(codegen.Change{
		Path: "x.go",
		New:  []byte("a\n"),
	}); got != "--- /dev/null\n+++ b/x.go\n@@ -0,0 +1 @@\n+a\n" {
		t.Errorf("new file:\n%s", got)
	}
	if got := codegen.Diff(codegen.Change{
		Path: "x.go",
		Old:  []byte("a\nb\n"),
	}); got != "--- a/x.go\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n" {
		t.Errorf("removed file:\n%s", got)
	}
}

// TestDiffApplies gives random diffs to patch, where there is one.
func TestDiffApplies(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip("no patch program")
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		var before, after strings.Builder
		for range rnd.IntN(60) {
			line := fmt.Sprintln(rnd.IntN(12))
			if rnd.IntN(10) > 0 {
				before.WriteString(line)
			}
			if rnd.IntN(10) > 0 {
				after.WriteString(line)
			}
		}
		if before.Len() == 0 || after.Len() == 0 || before.String() == after.String() {
			continue
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "f"), []byte(before.String()))
		cmd := exec.Command("patch", "-p1", "--batch")
		cmd.Dir = dir
		diff := codegen.Diff(codegen.Change{Path: "f", Old: []byte(before.String()), New: []byte(after.String())})
		cmd.Stdin = strings.NewReader(diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, diff)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "f")); string(got) != after.String() {
			t.Fatalf("got\n%s\nwant\n%s\n%s", got, after.String(), diff)
		}
	}
}
