package main

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/askind/askind/runtime"
)

// TestLoadBroken compares everything that is said about the files of testdata/broken with what is expected.
func TestLoadBroken(t *testing.T) {
	t.Parallel()
	_, err := load(t.Context(), mustFactory(t), os.DirFS("testdata/broken"), "broken", clock)
	bad, ok := errors.AsType[*loadError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	golden(t, "testdata/broken/want.txt", bad.Error()+"\n")
	for _, cause := range []error{runtime.ErrUnknownField, runtime.ErrDuplicateField, runtime.ErrWrongType, runtime.ErrUnknownKind, runtime.ErrMissingVersion, runtime.ErrSyntax} {
		if !errors.Is(err, cause) {
			t.Errorf("the error does not say %v", cause)
		}
	}
	if _, ok := errors.AsType[runtime.FieldErrors](err); !ok {
		t.Error("the error has no findings of validation")
	}
}

func TestLoadNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"no files":         {fstest.MapFS{"notes.txt": {}, "sub.yaml/x": {}}, "data has no .yaml, .yml or .json files"},
		"unreadable":       {fstest.MapFS{"a.yaml": {Mode: os.ModeSymlink, Data: []byte("nowhere")}}, "a.yaml"},
		"nothing in files": {fstest.MapFS{"a.yaml": {Data: []byte("# only a comment\n")}, "b.json": {Data: []byte(" ")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := load(t.Context(), mustFactory(t), tt.files, "data", clock)
			switch {
			case tt.want == "" && (err != nil || s.version != 0):
				t.Errorf("got %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestLoadFormats reads the same object from all formats, and fills in what is left out.
func TestLoadFormats(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a.yaml": "apiVersion: inventory.example.com/v1\nkind: Site\nmetadata: {name: here}\nspec: {address: Here 1}\n",
		"a.yml":  "---\r\napiVersion: inventory.example.com/v1\r\nkind: Site\r\nmetadata:\r\n  name: here\r\nspec:\r\n  address: Here 1\r\n...\r\n",
		"a.json": `{"kind":"Site","apiVersion":"inventory.example.com/v1","metadata":{"name":"here"},"spec":{"address":"Here 1"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := load(t.Context(), mustFactory(t), fstest.MapFS{name: {Data: []byte(text)}}, "data", clock)
			if err != nil {
				t.Fatal(err)
			}
			for k, o := range s.all() {
				const want = `{"kind":"Site","apiVersion":"inventory.example.com/v1","metadata":{"name":"here",` +
					`"uid":"5d224a09-7fd5-80b1-a667-3fdba51860b6","resourceVersion":"1","generation":1,"creationTimestamp":"2026-11-21T12:00:00Z"},"spec":{"address":"Here 1"}}`
				if got := jsonOf(t, s.scheme, o.object); got != want {
					t.Errorf("%s: got\n%s\nwant\n%s", k, got, want)
				}
			}
		})
	}
}

// TestLoadPositions holds that what the store has to say is said where it was written, for the items of a list too.
func TestLoadPositions(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"a.yaml": {Data: []byte("apiVersion: inventory.example.com/v1\nkind: SiteList\nmetadata: {}\nitems:\n" +
			"- metadata: {name: here}\n  spec: {address: Here 1}\n- metadata: {name: there}\n  spec: {address: There 1}\n- metadata:\n    name: here\n  spec: {address: Here 2}\n")},
		"b.json": {Data: []byte(`{"kind":"Site","apiVersion":"inventory.example.com/v1","metadata":{"name":"there"},"spec":{"address":"There 2"}}`)},
	}
	_, err := load(t.Context(), mustFactory(t), files, "data", clock)
	const want = "data/a.yaml:10:11: Site \"here\": it is there already, from data/a.yaml:5:20\n" +
		"data/b.json:1:75: Site \"there\": it is there already, from data/a.yaml:7:20"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}
