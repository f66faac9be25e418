package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestWrittenByInit checks that the packages beside main.go are what "askind init -from" writes,
// but for the markers that deprecate v1alpha1.
func TestWrittenByInit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the generator")
	}
	to := t.TempDir()
	cmd := exec.Command("go", "run", "./codegen/askind", "init", "-C", to, "-from",
		"k8s.io/sample-apiserver/pkg/apis/wardle/v1alpha1@v0.37.2")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"v1alpha1/doc.go", "v1beta1/doc.go"} {
		want, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for line := range bytes.Lines(have) {
			if !bytes.HasPrefix(line, []byte("// +kubebuilder:deprecatedversion")) {
				got = append(got, line...)
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what init writes:\n%s", name, want)
		}
	}
}
