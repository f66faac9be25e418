package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/internal/tour"
)

// TestReadme sends the requests of README.md in their order, those of kubectl only where it is
// installed, and compares the answers with those that it shows. With -update it writes them there,
// but for those of kubectl.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(mustServe(t))
	defer srv.Close()
	kubectl := tour.Kubectl{Flags: "--server " + srv.URL, Dir: "../..", Cache: t.TempDir()}
	_, noKubectl := exec.LookPath("kubectl")
	variables := map[string]string{}
	parts := strings.Split(string(readme), "```") // text and blocks by turns
	if len(parts)%2 == 0 {
		t.Fatal("a block of the README has no end")
	}
	sent := 0
	var out []string
	for i := 0; i < len(parts); i++ {
		out = append(out, parts[i])
		command, ok := strings.CutPrefix(parts[i], "sh\n")
		if session, found := strings.CutPrefix(parts[i], "text\n$ "); found && i%2 == 1 && noKubectl == nil {
			kubectl.Session(t, session)
		}
		switch {
		case i%2 == 0 || !ok:
		case strings.HasPrefix(command, "curl "):
			answer := perform(t, srv, strings.TrimSpace(expand(command, variables)))
			sent++
			block := languageOf(answer) + "\n" + answer
			has := i+2 < len(parts) && strings.TrimSpace(parts[i+1]) == "" && !strings.HasPrefix(parts[i+2], "sh\n")
			if !*update && (!has || parts[i+2] != block) {
				t.Errorf("%sis answered with\n%s", command, answer)
			}
			out = append(out, "\n\n", block)
			if has {
				i += 2
			}
		default:
			for line := range strings.Lines(command) {
				if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.Contains(name, " ") {
					variables[name] = value
				}
			}
		}
	}
	if sent < 20 {
		t.Errorf("only %d requests were sent", sent)
	}
	if *update {
		if err := os.WriteFile("README.md", []byte(strings.Join(out, "```")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// languageOf is what a block of the README says of an answer.
func languageOf(answer string) string {
	switch {
	case strings.HasPrefix(answer, "{"):
		return "json"
	case strings.HasPrefix(answer, "apiVersion: "):
		return "yaml"
	}
	return "text"
}

// expand replaces variables as a shell does.
func expand(command string, variables map[string]string) string {
	for name, value := range variables {
		command = strings.ReplaceAll(command, "$"+name, value)
	}
	return command
}

// words splits a command as a shell does, as far as the README goes: quotes of both sorts.
func words(t *testing.T, command string) (out []string) {
	t.Helper()
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, c := range command {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ':
			if inWord {
				out = append(out, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		t.Fatalf("a quote without an end in %s", command)
	}
	return append(out, word.String())
}

// grep does what the command does, as far as the README goes: it prints the first line that
// contains a text, and some lines behind it.
func grep(t *testing.T, text string, command []string) string {
	t.Helper()
	if len(command) != 6 || command[0] != "grep" || command[1] != "-m" || command[2] != "1" || command[3] != "-A" {
		t.Fatalf("the test cannot follow %q", command)
	}
	n, err := strconv.Atoi(command[4])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text, "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, command[5]) })
	if i < 0 {
		t.Fatalf("there is no %s in\n%s", command[5], text)
	}
	return strings.Join(lines[i:min(i+n+1, len(lines))], "")
}

// perform does what a curl command does, and returns what it prints.
func perform(t *testing.T, srv *httptest.Server, command string) string {
	t.Helper()
	command, filter, filtered := strings.Cut(command, " | ")
	method, body, url, format, discard := http.MethodGet, "", "", "", false
	header := http.Header{"Accept": {"*/*"}, "User-Agent": {"curl/8.14.1"}}
	args := words(t, command)[1:]
	next := func() string {
		v := args[0]
		args = args[1:]
		return v
	}
	for len(args) > 0 {
		switch arg := next(); arg {
		case "-s", "-sN":
		case "-X":
			method = next()
		case "-H":
			name, value, _ := strings.Cut(next(), ": ")
			header.Set(name, value)
		case "-d":
			body = next()
			if header.Get("Content-Type") == "" {
				header.Set("Content-Type", "application/x-www-form-urlencoded")
			}
		case "-w":
			format = next()
		case "-o":
			discard = next() == "/dev/null"
		default:
			if url != "" || !strings.HasPrefix(arg, "http://127.0.0.1:8080/") {
				t.Fatalf("the test cannot follow %s", command)
			}
			url = srv.URL + strings.TrimPrefix(arg, "http://127.0.0.1:8080")
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if discard {
		answer = nil
	}
	written := strings.NewReplacer("%{http_code}", fmt.Sprint(resp.StatusCode), "%{content_type}",
		resp.Header.Get("Content-Type"), `\n`, "\n").Replace(format)
	out := string(answer) + written
	if filtered {
		out = grep(t, out, words(t, filter))
	}
	if !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return steady(strings.ReplaceAll(out, "\r\n", "\n"))
}

// What differs each time is shown as if it did not: UIDs, and versions but for their order of size.
var (
	uids     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)
	versions = regexp.MustCompile(`\b1[0-9]{15}\b`)
)

func steady(answer string) string {
	answer = uids.ReplaceAllString(answer, "1640460f-e17a-4d18-8c31-fa39aa3145c6")
	return versions.ReplaceAllString(answer, "1795435200000000")
}
