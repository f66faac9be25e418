package rows

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedMessages generates the code of vtprotobuf, which is not committed, and tests its
// rows in a build that has it.
func TestGeneratedMessages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("generates and compiles 20,000 lines")
	}
	out := t.TempDir()
	goCommand(t, "run", "../kubeproto/generate", "-out", out)
	const functions = "pod_vtproto.pb.go"
	place, err := filepath.Abs("../kubeproto/" + functions)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {place: filepath.Join(out, functions)}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(out, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	text := goCommand(t, "test", "-v", "-tags", "vtprotobuf", "-overlay", file, "-run", "^TestRowsOfVTProtobuf$", ".")
	if !strings.Contains(text, "--- PASS: TestRowsOfVTProtobuf") {
		t.Errorf("the rows were not tested:\n%s", text)
	}
}

// goCommand runs the go command and returns what it prints.
func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	text, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, text)
	}
	return string(text)
}
