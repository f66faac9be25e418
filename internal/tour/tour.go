// Package tour executes pages of the documentation as a reader would: it writes the files, runs the
// commands and compares the answers.
package tour

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Page is a page in Markdown.
type Page struct {
	// Text is the text of the page.
	Text string
	// Name is the folder of the module that the page creates next to a checkout called askind.
	Name string
	// Checkout is the directory of the checkout.
	Checkout string
	// Answers is the minimum number of answers.
	Answers int
}

// Block is one fenced block of a page and the text before it.
type Block struct{ Before, Language, Text string }

// Blocks returns the fenced blocks of a text in Markdown.
func Blocks(text string) []Block {
	var out []Block
	parts := strings.Split(text, "```")
	for i := 1; i < len(parts); i += 2 {
		language, body, _ := strings.Cut(parts[i], "\n")
		paragraphs := strings.Split(strings.TrimSpace(parts[i-1]), "\n\n")
		out = append(out, Block{Before: paragraphs[len(paragraphs)-1], Language: language, Text: body})
	}
	return out
}

// follower executes a page.
type follower struct {
	*testing.T
	page    Page
	module  string
	port    string // 0 until a program listens
	client  *http.Client
	request *http.Request
	printed string // output of kubectl that has not been compared yet
	answers int
}

// What the text before a block of a file, or of a part of one, says.
var (
	fileName = regexp.MustCompile("This is `([^`]+)`")
	inFile   = regexp.MustCompile("In `([^`]+)`:$")
)

// Follow executes a page literally. A block is
//
//   - a file, if the text before says: This is `name`;
//   - a part of a file, if the text before ends with: In `name`:
//   - commands in the language sh; a command that begins with curl is a request;
//   - the output of the last kubectl command, in any other language;
//   - a session in the language text, whose lines with a $ are kubectl commands;
//   - otherwise, the answer to the previous request.
//
// If askind init was one of the commands, those of kubectl in the README of the new project are run
// at the end, too.
//
// Only the location of the checkout, the ports 8080 and 8081, and values that vary between runs are
// replaced. Programs listen on port 0, and the port is the one of the URL that they log.
func (p Page) Follow(t *testing.T) {
	t.Helper()
	f := &follower{T: t, page: p, port: "0", client: &http.Client{Timeout: 10 * time.Second}}
	f.module = filepath.Join(t.TempDir(), p.Name)
	if err := os.Mkdir(f.module, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, b := range Blocks(p.Text) {
		f.block(b)
	}
	if f.answers < p.Answers {
		t.Errorf("only %d answers were compared", f.answers)
	}
	f.readme()
}

// readme runs the commands of kubectl in the README that askind init has written, if it has.
func (f *follower) readme() {
	f.Helper()
	text, err := os.ReadFile(filepath.Join(f.module, "README.md"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "    kubectl "); ok {
			f.kubectl().Run(f.T, "kubectl "+command)
		}
	}
}

func (f *follower) block(b Block) {
	f.Helper()
	before := strings.Join(strings.Fields(b.Before), " ")
	if b.Language == "sh" && !strings.HasPrefix(b.Text, "curl") {
		for command := range strings.Lines(b.Text) {
			f.command(f.withPort(strings.TrimSpace(command)))
		}
		return
	}
	b.Text = f.withPort(b.Text)
	switch {
	case fileName.MatchString(before):
		f.write(filepath.Join(f.module, fileName.FindStringSubmatch(before)[1]), b.Text)
	case inFile.MatchString(before):
		name := inFile.FindStringSubmatch(before)[1]
		if !strings.Contains(f.read(filepath.Join(f.module, name)), b.Text) {
			f.Errorf("%s does not have:\n%s", name, b.Text)
		}
	case b.Language == "sh":
		f.request = f.curl(b.Text)
	case strings.HasPrefix(b.Text, "$ "):
		f.answers += f.kubectl().Session(f.T, b.Text)
	case f.printed != "":
		f.compare("kubectl", f.printed, b.Text)
		f.printed = ""
	default:
		f.compare(f.request.URL.String(), f.fetch(), b.Text)
	}
}

// withPort replaces the ports of the page by that of the program.
func (f *follower) withPort(text string) string {
	return strings.NewReplacer(":8080", ":"+f.port, ":8081", ":"+f.port).Replace(text)
}

// compare compares an answer with the one on the page.
func (f *follower) compare(of, got, want string) {
	f.Helper()
	f.answers++
	compare(f.T, of, got, want)
}

func compare(t *testing.T, of, got, want string) {
	t.Helper()
	if strings.TrimSpace(masked(got)) != strings.TrimSpace(masked(want)) {
		t.Errorf("%s\ngot:\n%s\nthe page says:\n%s", of, got, want)
	}
}

// command runs a command of the page.
func (f *follower) command(command string) {
	f.Helper()
	name := f.page.Name
	switch {
	case command == "mkdir "+name, command == "cd "+name, command == "cd ../"+name:
	case strings.HasPrefix(command, "go run ./codegen/askind "):
		f.run(f.page.Checkout, strings.ReplaceAll(command, "../", filepath.Dir(f.module)+"/"))
	case strings.HasPrefix(command, "go run ./"):
		f.run(f.page.Checkout, "go build -o "+filepath.Join(f.module, "program")+" "+strings.TrimPrefix(command,
			"go run "))
		f.start("-addr", "127.0.0.1:"+f.port)
	case strings.HasPrefix(command, "kubectl "):
		f.printed = f.kubectl().Run(f.T, command)
	case command == "go run .":
		main := filepath.Join(f.module, "main.go")
		f.write(main, f.withPort(f.read(main)))
		f.run(f.module, "go build -o program .")
		f.start()
	default:
		f.run(f.module, strings.ReplaceAll(command, "../askind", f.page.Checkout))
	}
}

// kubectl is for the program that runs.
func (f *follower) kubectl() Kubectl {
	return Kubectl{
		Flags: "--server http://127.0.0.1:" + f.port, Dir: f.module, Cache: filepath.Join(f.module, ".cache"),
	}
}

func (f *follower) write(path, text string) {
	f.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.Fatal(err)
	}
}

func (f *follower) read(path string) string {
	f.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return string(text)
}

func (f *follower) run(dir, command string) {
	f.Helper()
	cmd := exec.CommandContext(f.Context(), "bash", "-c", command)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// start runs the built program until the test ends, and waits until it listens.
func (f *follower) start(args ...string) {
	f.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, filepath.Join(f.module, "program"), args...)
	port := make(chan string, 1)
	log := &serverLog{to: f.Output(), port: port}
	cmd.Dir, cmd.Stderr = f.module, log
	if err := cmd.Start(); err != nil {
		cancel()
		f.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	f.Cleanup(func() {
		cancel()
		<-ended
	})
	select {
	case f.port = <-port:
	case <-ended:
		f.Fatal("the program ended before it listened")
	case <-time.After(time.Minute):
		f.Fatal("the program does not listen")
	}
}

// serverLog passes on the log of a program and finds in it the port on which the program listens.
type serverLog struct {
	to   io.Writer
	text []byte
	port chan<- string // of capacity 1, nil when it is found
}

var listening = regexp.MustCompile(`url=https?://\S+:(\d+)\n`)

func (l *serverLog) Write(p []byte) (int, error) {
	if l.text = append(l.text, p...); l.port != nil {
		if m := listening.FindSubmatch(l.text); m != nil {
			l.port <- string(m[1])
			l.port = nil
		}
	}
	return l.to.Write(p)
}

// variable matches values that differ between runs: UIDs, times, versions and ages.
var variable = regexp.MustCompile(
	`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:]+Z|\b\d{16}\b|\b(\d+[ydhms])+\b`,
)

// masked replaces values that differ between runs.
func masked(text string) string { return variable.ReplaceAllString(text, "…") }

// curl returns the request of a curl command.
func (f *follower) curl(command string) *http.Request {
	f.Helper()
	m := regexp.MustCompile(`^curl -s(?: -H '([^:]+): ([^']+)')?(?: -d '([^']+)')? '?(http://[^\s']+)'?\n$`).
		FindStringSubmatch(command)
	if m == nil {
		f.Fatalf("the test cannot follow %q", command)
	}
	method := http.MethodGet
	if m[3] != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(f.Context(), method, m[4], strings.NewReader(m[3]))
	if err != nil {
		f.Fatal(err)
	}
	if m[1] != "" {
		r.Header.Set(m[1], m[2])
	}
	return r
}

// fetch sends the request and returns the body of the answer.
func (f *follower) fetch() string {
	f.Helper()
	resp, err := f.client.Do(f.request)
	if err != nil {
		f.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		f.Fatal(err)
	}
	return string(body)
}
