package fuzz_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	gofuzz "github.com/google/gofuzz"

	"github.com/askind/askind/fuzz"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
)

// Note is a kind of its own.
type Note struct {
	Kind       string   `json:"kind,omitempty"`
	APIVersion string   `json:"apiVersion,omitempty"`
	Text       string   `json:"text"`
	Tags       []string `json:"tags,omitempty"`
}

func addNotes(b *runtime.Builder) {
	runtime.AddKind(
		b, reflectjson.Complete(
			runtime.KindSpec[Note]{GroupVersionKind: schema.GroupVersionKind{
				Group: "notes.example.com", Version: "v1",
				Kind: "Note",
			}},
		),
	)
}

// printed stands for the *testing.T of a test, so that this example shows what the test would say.
type printed struct{}

func (printed) Helper()             {}
func (printed) Logf(string, ...any) {}
func (printed) Errorf(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
}

// A test of three lines tries random objects of every kind of a scheme, in every format.
func ExampleRoundTrip() {
	var t printed // in a test: func TestRoundTrip(t *testing.T)
	scheme, err := runtime.NewScheme(addNotes)
	if err != nil {
		fmt.Println(err)
	}
	fuzz.RoundTrip(t, scheme)
	fmt.Println("done")
	// Output: done
}

// Text whose values follow a rule of its own gets a function that keeps the rule.
func ExampleFuncs() {
	var t printed
	scheme, err := runtime.NewScheme(addNotes)
	if err != nil {
		fmt.Println(err)
	}
	fuzz.RoundTrip(t, scheme, fuzz.Funcs(func(n *Note, c gofuzz.Continue) {
		c.FuzzNoCustom(n)
		n.Text = strings.ToUpper(c.RandString())
	}))
	fmt.Println("done")
	// Output: done
}

// Golden files keep what a release has written. Here a kind is forgotten after its release.
func ExampleCompatibility() {
	var t printed
	dir, err := os.MkdirTemp("", "compatibility")
	if err != nil {
		fmt.Println(err)
	}
	defer os.RemoveAll(dir)
	notes, err := runtime.NewScheme(addNotes)
	if err != nil {
		fmt.Println(err)
	}
	nothing, err := runtime.NewScheme()
	if err != nil {
		fmt.Println(err)
	}
	formats := fuzz.Formats(json.Format())
	fuzz.Compatibility(t, notes, dir, formats, fuzz.Record(fuzz.Head))
	fuzz.Compatibility(t, notes, dir, formats, fuzz.Record("v1.0.0"))

	text, err := os.ReadFile(filepath.Join(dir, "v1.0.0", "notes.example.com.v1.Note.json"))
	fmt.Println(string(text), err)

	fuzz.Compatibility(t, nothing, dir, formats, fuzz.Record(fuzz.Head))
	// Output:
	// {
	//   "kind": "Note",
	//   "apiVersion": "notes.example.com/v1",
	//   "text": "textValue",
	//   "tags": [
	//     "tagsValue"
	//   ]
	// } <nil>
	// v1.0.0: notes.example.com.v1.Note.json: the scheme does not have the kind notes.example.com/v1, Kind=Note, which v1.0.0 has written: restore it, or pass fuzz.Removed if no such objects exist any more
}
