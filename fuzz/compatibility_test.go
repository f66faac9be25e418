package fuzz

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
)

// findings is a test that keeps what it is told.
type findings struct{ errors, logs []string }

func (*findings) Helper() {}

func (f *findings) Logf(format string, args ...any) {
	f.logs = append(f.logs, fmt.Sprintf(format, args...))
}

func (f *findings) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

// biggerBox is a box of a later release: with a field that is always written.
type biggerBox struct {
	Kind       string            `json:"kind,omitempty"`
	APIVersion string            `json:"apiVersion,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Items      []string          `json:"items,omitempty"`
	Size       int               `json:"size"`
}

// smallerBox is one that has lost a field.
type smallerBox struct {
	Kind       string            `json:"kind,omitempty"`
	APIVersion string            `json:"apiVersion,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
}

func schemeOf[T any](t *testing.T, kinds ...string) *runtime.Scheme {
	t.Helper()
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		for i, kind := range kinds {
			spec := runtime.KindSpec[T]{GroupVersionKind: gv.WithKind(kind)}
			if i > 0 { // one type may serve several kinds if each says which it is
				spec.Resource = strings.ToLower(kind)
			}
			runtime.AddKind(b, reflectjson.Complete(spec))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCompatibility goes through the life of a type: what is said at each step, and what makes it
// good.
func TestCompatibility(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(s *runtime.Scheme, opts ...Option) string {
		t.Helper()
		var found findings
		Compatibility(&found, s, dir, append(opts, Formats(json.Format()))...)
		return strings.Join(found.errors, "\n")
	}
	expect := func(what, got, want string) {
		t.Helper()
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	boxes, bigger := schemeOf[box](t, "Box"), schemeOf[biggerBox](t, "Box")

	expect("nothing recorded", run(boxes), "run this test once with fuzz.Record(fuzz.Head)")
	expect("a bad name", run(boxes, Record("../v1")), "is not a name for the golden files of a release")
	expect("the first time", run(boxes, Record(Head)), "")
	expect("a release", run(boxes, Record("v1.0.0")), "")
	expect("nothing changed", run(boxes), "")
	expect("a release twice", run(boxes, Record("v1.0.0")), "the release v1.0.0 is already recorded in "+
		filepath.Join(dir, "v1.0.0")+". Remove")

	expect("a new kind", run(schemeOf[box2](t, "Box", "Crate")),
		"test.v1.Crate.json: the kind or the format is new and has no golden file: run this test with fuzz.Record(fuzz.Head)")
	expect("a kind that is gone, in HEAD", run(schemeOf[box](t, "Crate")),
		"HEAD: test.v1.Box.json: the scheme no longer has the kind test/v1, Kind=Box")
	expect("a kind that is gone", run(schemeOf[box](t, "Crate"), Record(Head)),
		"which v1.0.0 has written: restore it, or pass fuzz.Removed")
	expect("a kind that is meant to be gone", run(schemeOf[box](t, "Crate"), Removed(gv.WithKind("Box"))), "")

	expect("back again", run(boxes, Record(Head)), "")
	expect("a field that is gone", run(schemeOf[smallerBox](t, "Box")),
		"the output of v1.0.0 can no longer be read")
	expect("a field that is always written", run(bigger),
		"v1.0.0: test.v1.Box.json: the output of v1.0.0 is now written differently")
	expect("the same, in HEAD", run(bigger), "the type, or its encoding, has changed")

	since := filepath.Join(dir, "v1.0.0", "test.v1.Box.json"+after)
	text, err := os.ReadFile(strings.TrimSuffix(since, after))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(since, []byte(strings.Replace(string(text), "\n}", ",\n  \"size\": 0\n}", 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	expect("a change that is meant", run(bigger, Record(Head)), "")

	if err := os.WriteFile(filepath.Join(dir, "v1.0.0", "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect("another file", run(bigger), "notes.txt: the name does not end with the name of a format")
}

// box2 is a box that belongs to two kinds.
type box2 box

// TestExemplarsAreStable checks that a field which is added leaves the others of the golden object
// as they were.
func TestExemplarsAreStable(t *testing.T) {
	t.Parallel()
	e := newExemplars(nil)
	text := func(s *runtime.Scheme) string {
		t.Helper()
		k, err := s.Kind(gv.WithKind("Box"))
		if err != nil {
			t.Fatal(err)
		}
		obj, err := e.object(k)
		if err != nil {
			t.Fatal(err)
		}
		out, err := k.AppendJSON(nil, obj)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	const want = `{"kind":"Box","apiVersion":"test/v1","labels":{"labelsKeyValue":"labelsValue"},"items":["itemsValue"]`
	if got := text(schemeOf[box](t, "Box")); got != want+"}" {
		t.Errorf("got %s", got)
	}
	if got := text(schemeOf[biggerBox](t, "Box")); !strings.HasPrefix(got, want+`,"size":`) {
		t.Errorf("got %s", got)
	}
}

// tree is a type that refers to itself without a struct.
type tree []tree

type forest struct {
	Kind       string          `json:"kind,omitempty"`
	APIVersion string          `json:"apiVersion,omitempty"`
	Trees      tree            `json:"trees,omitempty"`
	ByName     map[string]tree `json:"byName,omitempty"`
}

// TestExemplarsOfRecursiveTypes checks that a golden object is finite.
func TestExemplarsOfRecursiveTypes(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, reflectjson.Complete(runtime.KindSpec[forest]{
			GroupVersionKind: gv.WithKind("Forest"),
			TypeMeta:         func(f *forest) (apiVersion, kind *string) { return &f.APIVersion, &f.Kind },
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(gv.WithKind("Forest"))
	if err != nil {
		t.Fatal(err)
	}
	obj, err := newExemplars(nil).object(k)
	if err != nil {
		t.Fatal(err)
	}
	out, err := k.AppendJSON(nil, obj)
	const want = `{"kind":"Forest","apiVersion":"test/v1","trees":[null],"byName":{"byNameKeyValue":[null]}}`
	if err != nil || string(out) != want {
		t.Errorf("%v, got %s", err, out)
	}
}
