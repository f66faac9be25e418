package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/store"
	"github.com/askind/askind/store/file"
)

// values are what a file may have under its keys.
var values = map[string]string{
	"/namespaces//default":           `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"default"}}`,
	"example.com/cars/a/quoted":      `{"kind":"Car","metadata":{"name":"quoted","labels":{"yes":"no","1":"0x10","":"~","multi":"a\nb","ü":"\"\\"}},"n":1.50,"e":1e3,"t":true,"x":null,"<<":{"a":1},"l":[],"o":{},"z":[1,[2]]}`,
	"example.com/cars/a/html":        `{"text":"<a> & b"}`,
	"example.com/cars/a/other-json":  `{ "spaced" : 1 }`,
	"example.com/cars/a/twice":       `{"a":1,"a":2}`,
	"example.com/cars/a/protobuf":    "k8s\x00\x01\x02",
	"example.com/cars/a/with-expiry": "\x01\x00\x00\x00\x00\x00\x00\x00\x01{}",
}

func fill(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	e, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range values {
		if _, err := e.Put(t.Context(), key, []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func inspect(t *testing.T, in string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, strings.NewReader(in), &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	return out.String()
}

func TestShow(t *testing.T) {
	t.Parallel()
	out := inspect(t, "", fill(t))
	for _, want := range []string{
		"format    1\n", "\nobjects   7, ", `"cars.example.com"`, " 6, ", `"namespaces"`,
		"7 changes",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// What was exported and imported is the same, to the byte.
func TestExportAndImport(t *testing.T) {
	t.Parallel()
	text := inspect(t, "", "export", fill(t))
	if want := "object:\n  kind: \"Namespace\"\n  apiVersion: \"v1\"\n"; !strings.Contains(text, want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
	path := filepath.Join(t.TempDir(), "copy")
	if out := inspect(t, text, "import", path); !strings.Contains(out, "7 created, 0 left") {
		t.Errorf("import: %s", out)
	}
	if out := inspect(t, text, "import", path); !strings.Contains(out, "0 created, 7 left") ||
		!strings.Contains(out, `"example.com/cars/a/html" exists already`) {
		t.Errorf("import again: %s", out)
	}
	e, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	page, err := e.List(t.Context(), "", store.RangeOptions{})
	if err != nil || len(page.Items) != len(values) {
		t.Fatalf("%d objects, %v", len(page.Items), err)
	}
	for _, kv := range page.Items {
		if string(kv.Value) != values[kv.Key] {
			t.Errorf("%s\ngot  %q\nwant %q", kv.Key, kv.Value, values[kv.Key])
		}
	}
}

// TestImportMany imports more documents than are written at once, one key twice: the first counts.
// What comes before a wrong document is imported, and what is blank between two marks is skipped.
func TestImportMany(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	document := func(key string, n int) { fmt.Fprintf(&text, "key: %s\nobject: {n: %d}\n---\n", key, n) }
	for i := range 150 {
		document(fmt.Sprint("k", i), i)
		if i == 70 {
			document("k70", -1)
		}
	}
	path := filepath.Join(t.TempDir(), "db")
	if out := inspect(t, text.String(), "import", path); !strings.Contains(out, "150 created, 1 left") ||
		!strings.Contains(out, `"k70" exists already`) {
		t.Error(out)
	}
	text.Reset()
	document("before", 1)
	document("", 1)
	var out bytes.Buffer
	err := run(t.Context(), []string{"import", path}, strings.NewReader(text.String()+"a: ["), &out)
	if err == nil || !strings.Contains(err.Error(), `document 2, ""`) ||
		!strings.Contains(err.Error(), "the key is blank") {
		t.Errorf("error %v", err)
	}
	e, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for key, want := range map[string]string{
		"k0": `{"n":0}`, "k70": `{"n":70}`, "k149": `{"n":149}`, "before": `{"n":1}`,
	} {
		if got, err := e.Get(t.Context(), key); err != nil || string(got.Value) != want {
			t.Errorf("%s holds %q, %v; want %s", key, got.Value, err, want)
		}
	}
}

func TestVerifyAndCompact(t *testing.T) {
	t.Parallel()
	path := fill(t)
	if out := inspect(t, "", "verify", path); out != "no damage found\n" {
		t.Error(out)
	}
	if out := inspect(t, "", "compact", path); !strings.Contains(out, "bytes before") {
		t.Error(out)
	}
	if out := inspect(t, "", "verify", path); out != "no damage found\n" {
		t.Error(out)
	}
}

// TestExportOfNothing exports a file without objects. It was an error.
func TestExportOfNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	e, err := file.Open(path)
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	out := inspect(t, "", "export", path)
	if inspect(t, out, "import", path); out != "" {
		t.Errorf("got %q", out)
	}
}

// TestRestored checks that show identifies a backup, and that restored raises the revision of a
// file and discards its history.
func TestRestored(t *testing.T) {
	t.Parallel()
	path := fill(t)
	e, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.Backup(path + ".bak")
	if err := errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	out := inspect(t, "", path+".bak")
	if !strings.Contains(out, "it is a backup\n") || !strings.Contains(out, "objects   7, ") {
		t.Error(out)
	}
	for _, name := range []string{path, path + ".bak"} {
		var begins, revision uint64
		if _, err := fmt.Sscanf(inspect(t, "", "restored", name), "it begins at revision %d\n", &begins); err != nil {
			t.Error(err)
		}
		out := inspect(t, "", name)
		if _, after, _ := strings.Cut(out, "\nrevision "); after != "" {
			if _, err := fmt.Sscan(after, &revision); err != nil {
				t.Error(err)
			}
		}
		history := fmt.Sprintf("after %d: 0 changes", begins)
		if revision != begins || !strings.Contains(out, history) || strings.Contains(out, "backup") {
			t.Errorf("revision %d, want %d\n%s", revision, begins, out)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	path := fill(t)
	for _, tt := range []struct {
		name, in, want string
		args           []string
	}{
		{"no file", "", "one file", nil},
		{"a file that is not there", "", "no such file", []string{path + "x"}},
		{"no copy", "", "no such file", []string{"restored", path + "x"}},
		{"an unknown command", "", "compact, export, import", []string{"shw", path}},
		{"no YAML", "a: [", "document 1", []string{"import", path}},
		{"no key", "object: {}", "the key is blank", []string{"import", path}},
		{"text that is not quoted", "key: k\nobject: {a: 2026-01-01}", "line 2", []string{"import", path}},
		{"a misspelt member", "key: k\nobjekt: {}", "objekt", []string{"import", path}},
		{"both", "key: k\nobject: {}\nvalue: AAAA", "both", []string{"import", path}},
		{"a list as a name", "key: k\nobject:\n  ? [x]\n  : 1", "line 3", []string{"import", path}},
		{"a mapping as a name", "key: k\nobject: {? {x: 1} : 1}", "line 2", []string{"import", path}},
		{"a merge", "key: k\nobject: {a: 1, <<: {b: 1}}", "a merge", []string{"import", path}},
		{"an alias", "key: k\nobject: {a: &a [b], c: *a}", "aliases", []string{"import", path}},
		{"no object", "key: k\nobject: null", "the object is not a mapping", []string{"import", path}},
		{"a list", "key: k\nobject: [1]", "the object is not a mapping", []string{"import", path}},
		{"deep", "key: k\nobject: " + strings.Repeat("[", 20_000), "document 1", []string{"import", path}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), tt.args, strings.NewReader(tt.in), &out)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}
	if out := inspect(t, "", "-help"); !slices.Contains(strings.Fields(out), "verify") {
		t.Error(out)
	}
}
