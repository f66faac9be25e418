package askind_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// block is one fenced block of the README and the text that stands before it.
type block struct{ before, language, text string }

// TestTour follows the tour of the README literally: it writes the files, runs the commands and
// compares what the server answers. Only the place of the checkout and the port are other ones.
func TestTour(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program in a module of its own")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, found := strings.Cut(string(readme), "## A tour")
	if !found {
		t.Fatal("the README has no tour")
	}
	tour, _, _ = strings.Cut(tour, "\n## ")
	follow(t, tour, "garage", 3)
}

// TestFromKubebuilder follows docs/from-kubebuilder.md in the same way.
func TestFromKubebuilder(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program in a module of its own")
	}
	page, err := os.ReadFile("docs/from-kubebuilder.md")
	if err != nil {
		t.Fatal(err)
	}
	follow(t, string(page), "memcached", 3)
}

// follow writes the files of a text in Markdown into a new module, runs its commands, and compares
// its answers with those of the server. There have to be a number of answers.
func follow(t *testing.T, text, name string, answers int) {
	t.Helper()
	checkout, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(module, 0o755); err != nil {
		t.Fatal(err)
	}

	fileName := regexp.MustCompile("This is `([^`]+)`")
	port := freePort(t)
	client := &http.Client{Timeout: 10 * time.Second}
	var request *http.Request
	checked := 0
	for _, b := range blocks(text) {
		b.text = strings.ReplaceAll(b.text, ":8081", ":"+port)
		file := fileName.FindStringSubmatch(strings.Join(strings.Fields(b.before), " "))
		switch {
		case file != nil:
			write(t, filepath.Join(module, file[1]), b.text)
		case b.language == "sh" && strings.HasPrefix(b.text, "curl"):
			request = curl(t, b.text)
		case b.language == "sh":
			for command := range strings.Lines(b.text) {
				command = strings.ReplaceAll(strings.TrimSpace(command), "../askind", checkout)
				switch {
				case command == "mkdir "+name, command == "cd "+name:
				case command == "go run .":
					start(t, module)
				default:
					run(t, module, command)
				}
			}
		case strings.HasPrefix(b.text, "$ "): // a session with kubectl, which the test does not need
		default:
			if got := fetch(t, client, request); masked(got) != masked(b.text) {
				t.Errorf("%s\ngot:\n%s\nthe page says:\n%s", request.Header, got, b.text)
			}
			checked++
		}
	}
	if checked < answers {
		t.Errorf("only %d answers were compared", checked)
	}
}

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// blocks returns the fenced blocks of a text in Markdown.
func blocks(text string) []block {
	var out []block
	parts := strings.Split(text, "```")
	for i := 1; i < len(parts); i += 2 {
		language, body, _ := strings.Cut(parts[i], "\n")
		paragraphs := strings.Split(strings.TrimSpace(parts[i-1]), "\n\n")
		out = append(out, block{before: paragraphs[len(paragraphs)-1], language: language, text: body})
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, command string) {
	t.Helper()
	args := strings.Fields(command)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// start builds and runs the program until the test ends.
func start(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, "go build -o garage .")
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "garage"))
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
}

// variable matches what differs from run to run: UIDs, times, versions and ages.
var variable = regexp.MustCompile(
	`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:]+Z|\b\d{16}\b|\b\d+s\b`,
)

// masked returns a text without what differs from run to run.
func masked(text string) string { return variable.ReplaceAllString(text, "…") }

// curl returns the request that a curl command makes.
func curl(t *testing.T, command string) *http.Request {
	t.Helper()
	m := regexp.MustCompile(`^curl -s(?: -H '([^:]+): ([^']+)')?(?: -d '([^']+)')? (http://\S+)\n$`).
		FindStringSubmatch(command)
	if m == nil {
		t.Fatalf("the test cannot follow %q", command)
	}
	method := http.MethodGet
	if m[3] != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, m[4], strings.NewReader(m[3]))
	if err != nil {
		t.Fatal(err)
	}
	if m[1] != "" {
		r.Header.Set(m[1], m[2])
	}
	return r
}

// fetch sends a request to a server that may still be starting.
func fetch(t *testing.T, client *http.Client, r *http.Request) string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		resp, err := client.Do(r)
		if err != nil {
			if time.Now().After(deadline) {
				t.Fatal(err)
			}
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
}
