package askind_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/codegen"
	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	fleetv1beta1 "github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/store/file"
	"github.com/askind/askind/store/memory"
)

var updatePages = flag.Bool("update-pages", false, "rewrite what pages of docs show of errors")

// mistake is one of those on the page: its heading and what makes it.
type mistake struct {
	heading string
	make    func(t *testing.T) string
}

// TestTroubleshooting makes every mistake of docs/troubleshooting.md and compares what is said
// about it with the page.
func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("loads packages with mistakes")
	}
	const name = "docs/troubleshooting.md"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	mistakes := append(generatorMistakes(t), programMistakes(t)...)
	mistakes = append(mistakes, requestMistakes(t)...)
	for _, m := range mistakes {
		before, section, found := strings.Cut(page, "\n### "+m.heading+"\n")
		head, rest, fenced := strings.Cut(section, "```text\n")
		shown, tail, closed := strings.Cut(rest, "```")
		if !found || !fenced || !closed || strings.Contains(head, "\n### ") {
			t.Errorf("the page has no section %q with a block of text", m.heading)
			continue
		}
		got := strings.TrimSpace(m.make(t)) + "\n"
		if *updatePages {
			page = before + "\n### " + m.heading + "\n" + head + "```text\n" + got + "```" + tail
		} else if got != shown {
			t.Errorf("%s\ngot:\n%s\nthe page shows:\n%s", m.heading, got, shown)
		}
	}
	if n := strings.Count(page, "\n### "); n != len(mistakes) {
		t.Errorf("the page has %d sections, and %d mistakes were made", n, len(mistakes))
	}
	if *updatePages {
		if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// generatorMistakes are those that the generator and the compiler find, in the packages of
// testdata/mistakes.
func generatorMistakes(t *testing.T) []mistake {
	const dir = "./testdata/mistakes/"
	found := func(result *codegen.Result, err error, name string) string {
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, d := range result.Diagnostics {
			if name == "" || strings.HasPrefix(filepath.ToSlash(d.Pos.Filename), dir[2:]+name+"/") {
				fmt.Fprintln(&out, d)
			}
		}
		return out.String()
	}
	var patterns []string
	for _, name := range []string{
		"noroot", "nolist", "marker", "column", "defaulted", "untagged", "versions/v1", "versions/v1beta1",
	} {
		patterns = append(patterns, dir+name)
	}
	generated, generateErr := codegen.Run(codegen.Config{Patterns: patterns})
	linted, lintErr := codegen.Lint(codegen.Config{Patterns: patterns})
	generating := func(name string) func(*testing.T) string {
		return func(*testing.T) string { return found(generated, generateErr, name) }
	}
	linting := func(name string) func(*testing.T) string {
		return func(*testing.T) string { return found(linted, lintErr, name) }
	}
	building := func(name string) func(*testing.T) string {
		return func(t *testing.T) string {
			out, err := exec.Command("go", "build", "-o", os.DevNull, dir+name).CombinedOutput()
			if err == nil {
				t.Error("it builds")
			}
			return string(out)
		}
	}
	return []mistake{
		{"The package does not name its group", func(*testing.T) string {
			result, err := codegen.Run(codegen.Config{Patterns: []string{dir + "nogroup"}})
			return found(result, err, "")
		}},
		{"The generator has not run", building("ungenerated")},
		{"A type has changed after the generator ran", building("stale")},
		{"A generated file is no longer needed", deleting},
		{"A package is in a module of its own", nested},
		{"The type is not marked as a kind", linting("noroot")},
		{"The kind has no list", linting("nolist")},
		{"A marker is misspelled", generating("marker")},
		{"A column shows a field that does not exist", generating("column")},
		{"A default does not fit its field", generating("defaulted")},
		{"A field has no name in JSON", linting("untagged")},
		{"A version has a field that the other one lacks", generating("versions")},
	}
}

// deleting runs go generate in a package with a generated file that it does not need.
func deleting(t *testing.T) string {
	dir := t.TempDir()
	command := filepath.Join(dir, "askind")
	if out, err := exec.Command("go", "build", "-o", command, "./codegen/askind").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range map[string]string{
		"go.mod": "module garage.example.com\n\ngo 1.26.0\n",
		"doc.go": "// Package v1 has no hub.\n//\n// +askind:generate\npackage v1\n\n//go:generate " + command + "\n\n" +
			"// Car is a type.\ntype Car struct {\n\tColor string `json:\"color\"`\n}\n",
		"zz_generated.conversion.go": "// Code generated by askind; DO NOT EDIT.\n\npackage v1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	generate := exec.Command("go", "generate", "./...")
	generate.Dir, generate.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := generate.CombinedOutput()
	if err == nil {
		t.Error("go generate passes")
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(out), root+string(filepath.Separator), "")
}

// nested builds a program that imports a package of a nested module that its go.mod does not name.
func nested(t *testing.T) string {
	checkout, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/garage\n\ngo 1.26.0\n\nrequire github.com/askind/askind v0.0.0\n\n" +
			"replace github.com/askind/askind => " + filepath.ToSlash(checkout) + "\n",
		"main.go": "package main\n\nimport _ \"github.com/askind/askind/store/etcd\"\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", os.DevNull, ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off")
	out, err := build.CombinedOutput()
	if err == nil {
		t.Error("it builds")
	}
	return string(out)
}

// programMistakes are those that a program learns of when it starts.
func programMistakes(*testing.T) []mistake {
	return []mistake{
		{"The kinds of meta/v1 are not registered", func(t *testing.T) string {
			scheme, err := runtime.NewScheme(fleetv1.AddTo)
			if err == nil {
				err = scheme.Check()
			}
			return firstLine(t, errorOf(t, err))
		}},
		{"The hub of a version is not registered", func(t *testing.T) string {
			scheme, err := runtime.NewScheme(fleetv1beta1.AddTo, metav1.AddTo)
			if err != nil {
				t.Fatal(err)
			}
			m := &fleetv1beta1.Machine{}
			_, err = runtime.ConvertTo[fleetv1.Machine](scheme, m)
			return errorOf(t, err)
		}},
		{"A new version has no conversions", func(t *testing.T) string {
			scheme, err := runtime.NewScheme(register[car]("v1"), register[newCar]("v2"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = server.New(scheme, memory.New())
			text := errorOf(t, err)
			for _, v := range []string{"v2", "v1"} {
				text = strings.Replace(text, "github.com/askind/askind_test", "example.com/garage/"+v, 1)
			}
			return text
		}},
		{"The server should listen on all addresses", func(t *testing.T) string {
			s, _ := fleetServer(t)
			return errorOf(t, s.ListenAndServe(t.Context(), "0.0.0.0:0"))
		}},
		{"The port is taken", func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			s, _ := fleetServer(t)
			text := errorOf(t, s.ListenAndServe(t.Context(), l.Addr().String()))
			return strings.ReplaceAll(text, l.Addr().String(), "127.0.0.1:8080")
		}},
		{"Two programs open one file", func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "garage.db")
			first, err := file.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer first.Close()
			second, err := file.Open(path)
			if err == nil {
				second.Close()
			}
			return strings.ReplaceAll(errorOf(t, err), filepath.Dir(path)+"/", "")
		}},
	}
}

type (
	car    struct{ metav1.ObjectMeta }
	newCar struct{ metav1.ObjectMeta }

	cars[T any] struct{ Items []T }
)

// register returns, as far as a server needs it to start, the AddTo function of a version of Car.
func register[T any](version string) func(*runtime.Builder) {
	gv := schema.GroupVersion{Group: "garage.example.com", Version: version}
	return func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[T]{
			GroupVersionKind: gv.WithKind("Car"), Resource: "cars", List: "CarList",
			Metadata: func(*T) any { return &metav1.ObjectMeta{} },
		})
		runtime.AddKind(b, &runtime.KindSpec[cars[T]]{
			GroupVersionKind: gv.WithKind("CarList"), Item: "Car",
			Items: func(in *cars[T]) runtime.Items { return (*runtime.Slice[T])(&in.Items) },
		})
	}
}

// firstLine returns the first of the lines in their order. Paths begin at this directory, and have
// no numbers of lines.
func firstLine(t *testing.T, text string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`\.go:\d+`).ReplaceAllString(strings.ReplaceAll(text, dir+"/", ""), ".go")
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return lines[0]
}

// errorOf returns the text of an error that there has to be.
func errorOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		t.Error("there is no error")
		return ""
	}
	return err.Error()
}

// fleetServer returns a server of the example's machines in memory, and its scheme.
func fleetServer(t *testing.T, options ...server.Option) (*server.Server, *runtime.Scheme) {
	t.Helper()
	scheme, err := runtime.NewScheme(fleetv1.AddTo, fleetv1beta1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	engine := memory.New()
	s, err := server.New(scheme, engine, append(options, server.Log(slog.New(slog.NewTextHandler(t.Output(), nil))))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), engine.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, scheme
}

// requestMistakes are those that a server tells clients of.
func requestMistakes(t *testing.T) []mistake {
	s, _ := fleetServer(t)
	closed, _ := fleetServer(t, server.Authenticate(auth.Tokens(nil)))
	h, withUsers := httptest.NewServer(s), httptest.NewServer(closed)
	t.Cleanup(h.Close)
	t.Cleanup(withUsers.Close)
	const machines = "/apis/fleet.example.com/v1/namespaces/default/machines"
	sendTo := func(url, method, path, body string, headers ...string) func(*testing.T) string {
		return func(t *testing.T) string {
			r, err := http.NewRequestWithContext(context.Background(), method, url+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/yaml")
			for i := 0; i < len(headers); i += 2 {
				if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
					r.Host = headers[i+1]
				}
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode < 400 {
				t.Errorf("%s %s: %s", method, path, resp.Status)
			}
			message := regexp.MustCompile(`"message": ?"((?:[^"\\]|\\.)*)"`).FindSubmatch(text)
			if message == nil {
				t.Fatalf("%s %s: %s: %s", method, path, resp.Status, text)
			}
			unescape := strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\u003c`, "<", `\u003e`, ">")
			return unescape.Replace(string(message[1]))
		}
	}
	send := func(method, path, body string, headers ...string) func(*testing.T) string {
		return sendTo(h.URL, method, path, body, headers...)
	}
	const good = `
apiVersion: fleet.example.com/v1
kind: Machine
metadata: {name: web-1}
spec:
  zone: fra-1
  hardware: {cores: 4, memory: 8Gi}
  boot: {type: Network, network: {url: "https://boot.example.net/"}}
`
	with := func(old, text string) string { return strings.Replace(good, old, text, 1) }
	return []mistake{
		{"A field of an object is misspelled", send("POST", machines+"?fieldValidation=Strict", with("zone:", "zonne:"))},
		{"A value has the wrong type", send("POST", machines, with("cores: 4", "cores: four"))},
		{"The apiVersion does not exist", send("POST", machines, with("com/v1", "com/v2"))},
		{"The name is not a name", send("POST", machines, with("web-1", "Web_1"))},
		{"A value is missing or not allowed", send("POST", machines, with("cores: 4", "cores: 0"))},
		{"curl sends a form", send("POST", machines, `{"metadata": {"name": "x"}}`,
			"Content-Type", "application/x-www-form-urlencoded")},
		{"The namespace is missing from the path", send("GET", "/apis/fleet.example.com/v1/machines/web-1", "")},
		{"An object is posted to its own path", send("POST", machines+"/web-1", good)},
		{"A namespace is created", send("POST", "/api/v1/namespaces", `{"metadata": {"name": "shop"}}`)},
		{"The version of a path does not exist", send("GET", strings.Replace(machines, "v1", "v2", 1), "")},
		{"The resource is misspelled", send("GET", "/apis/fleet.example.com/v1/machine", "")},
		{"A parameter is misspelled", send("GET", machines+"?lableSelector=app", "", "User-Agent", "curl/8")},
		{"A selector cannot be read", send("GET", machines+"?labelSelector=app%3D(", "")},
		{"The requested form does not exist", send("GET", machines, "", "Accept", "application/xml")},
		{"A token is not sent", sendTo(withUsers.URL, "GET", machines, "")},
		{"An object was changed in between", func(t *testing.T) string {
			if r, err := http.Post(h.URL+machines, "application/yaml", strings.NewReader(good)); err != nil ||
				r.StatusCode != http.StatusCreated {
				t.Fatal(r, err)
			}
			return send("PUT", machines+"/web-1", with("{name: web-1}", `{name: web-1, resourceVersion: "1"}`))(t)
		}},
		{"The server is reached by another name", send("GET", "/apis", "", "Host", "garage.lan:8080")},
	}
}
