package askind_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHelloWorldStaysSmall links a program that decodes and encodes JSON with generated code and
// holds two promises about it: it adds at most 3.2 MiB to an empty program, and the linker's
// dead-code elimination is on. Calling a method by name through reflection anywhere would switch
// that off for the whole program of a user.
func TestHelloWorldStaysSmall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links two programs")
	}
	const most = 3<<20 + 13<<14 // 3.2 MiB
	empty, _ := link(t, "empty")
	hello, path := link(t, "hello")
	t.Logf("empty %d bytes, hello %d bytes: %.2f MiB more", empty, hello, float64(hello-empty)/(1<<20))
	if hello-empty > most {
		t.Errorf("hello adds %d bytes to an empty program, at most %d are allowed", hello-empty, most)
	}

	symbols, err := exec.Command("go", "tool", "nm", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(symbols, []byte("main.run")) {
		t.Fatal("the symbols of the program cannot be read, so the test proves nothing")
	}
	if bytes.Contains(symbols, []byte("NeverCalled")) {
		t.Error("dead-code elimination is off: an exported method that nothing calls was linked")
	}

	out, err := exec.Command(path).CombinedOutput()
	if want := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"hello"}}` +
		"\n"; err != nil || string(out) != want {
		t.Errorf("the program prints %q, %v; want %q", out, err, want)
	}
}

// TestServersStaySmall links the smallest server and the one with everything, without symbols.
func TestServersStaySmall(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("links two programs")
	}
	for name, most := range map[string]int64{
		"notes": 47 << 18, // 11.75 MiB
		"fleet": 69 << 18, // 17.25 MiB: pages for browsers, a file, kinds from definitions with rules
	} {
		size, _ := build(t, "./examples/"+name, "-ldflags", "-s -w")
		t.Logf("%s has %d bytes: %.2f MiB", name, size, float64(size)/(1<<20))
		if size > most {
			t.Errorf("%s has %d bytes, at most %d are allowed", name, size, most)
		}
	}
}

// link builds a program of the testdata folder, with symbols whatever GOFLAGS says, and returns its
// size and path.
func link(t *testing.T, name string) (int64, string) {
	t.Helper()
	return build(t, "./testdata/"+name, "-ldflags=")
}

// build builds a program and returns its size and path.
func build(t *testing.T, folder string, flags ...string) (int64, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(folder))
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), folder)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, strings.TrimSpace(string(out)))
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size(), path
}
