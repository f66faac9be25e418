package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
)

// ndjson returns a format of newline-delimited JSON: one object on each line. Blank lines are
// allowed. docs/formats.md explains it.
func ndjson() *format.Format {
	return &format.Format{
		Name:       "ndjson",
		MediaTypes: []string{"application/x-ndjson"},
		Text:       true,
		Append:     appendLine,
		Documents:  lines,
		Recognize:  recognizeLines,
	}
}

// appendLine appends an object on a line of its own.
func appendLine(dst []byte, k *runtime.Kind, obj runtime.Object, _ format.Options) ([]byte, error) {
	out, err := k.AppendJSON(dst, obj)
	if err != nil {
		return dst, err
	}
	return append(out, '\n'), nil
}

// lines yields the objects of the lines. A line that is broken does not keep the next one from
// being read.
func lines(data []byte, l schema.Limits) iter.Seq2[format.Document, error] {
	return func(yield func(format.Document, error) bool) {
		at := schema.Position{Line: 1, Column: 1}
		for text := range bytes.Lines(data) {
			if len(bytes.TrimSpace(text)) > 0 && !yield(object(text, at, l)) {
				return
			}
			at.Line++
			at.Offset += len(text)
		}
	}
}

// object returns the one object of a line.
func object(text []byte, at schema.Position, l schema.Limits) (format.Document, error) {
	var found format.Document
	for doc, err := range json.Format().Documents(text, l) {
		switch {
		case err != nil:
			return nil, shift(err, at)
		case found != nil:
			return nil, &runtime.DecodeError{Problems: []runtime.Problem{{
				Position: below(doc.Locate(nil), at), Cause: runtime.ErrSyntax,
				Message: "a second object on the line",
			}}}
		}
		found = doc
	}
	return &line{Document: found, at: at}, nil
}

// line is the object of a line, with positions in the whole input.
type line struct {
	format.Document
	at schema.Position
}

func (d *line) Decode(k *runtime.Kind, obj runtime.Object, o runtime.ReadOptions) []runtime.Problem {
	problems := d.Document.Decode(k, obj, o)
	for i := range problems {
		problems[i].Position = below(problems[i].Position, d.at)
	}
	return problems
}

func (d *line) Type() (apiVersion, kind string, err error) {
	apiVersion, kind, err = d.Document.Type()
	return apiVersion, kind, shift(err, d.at)
}

func (d *line) Locate(p *schema.Path) schema.Position { return below(d.Document.Locate(p), d.at) }

// Alone reports false: other lines may follow.
func (d *line) Alone() bool { return false }

// below moves a position in a line to where the line begins.
func below(p, line schema.Position) schema.Position {
	p.Line, p.Offset = line.Line, p.Offset+line.Offset
	return p
}

// shift moves the positions of an error.
func shift(err error, line schema.Position) error {
	if d, ok := errors.AsType[*runtime.DecodeError](err); ok {
		for i := range d.Problems {
			d.Problems[i].Position = below(d.Problems[i].Position, line)
		}
	}
	return err
}

// recognizeLines cannot tell one line from JSON, which is why it never answers Yes.
func recognizeLines(data []byte) format.Recognition {
	if first, _, _ := bytes.Cut(data, []byte("\n")); bytes.HasPrefix(first, []byte("{")) {
		return format.Maybe
	}
	return format.No
}

func newNDJSON() (*serializer.Factory, error) {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		return nil, err
	}
	return serializer.NewFactory(scheme, ndjson())
}

const twoObjects = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}

{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":1}}
{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"c"}}
`

// A format of one's own: newline-delimited JSON.
func ExampleFormat() {
	f, err := newNDJSON()
	if err != nil {
		fmt.Println(err)
		return
	}
	for obj, err := range f.DecodeAll([]byte(twoObjects), serializer.DecodeOptions{File: "objects.ndjson"}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(obj.(*metav1.PartialObjectMetadata).Name)
	}
	text, err := f.Append(nil, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "d"}},
		serializer.EncodeOptions{})
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// a
	// objects.ndjson:3:82: metadata.name: expected string, found number
	// c
	// {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"d"}}
	// <nil>
}

// TestAbilities uses a format without optional functions where others have them.
func TestAbilities(t *testing.T) {
	t.Parallel()
	f, err := newNDJSON()
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate([]string{"application/x-ndjson"}, serializer.Offer{})
	if err != nil {
		t.Fatal(err)
	}
	list := &metav1.PartialObjectMetadataList{Items: make([]metav1.PartialObjectMetadata, 2)}
	list.Items[0].Name, list.Items[1].Name = "a", "b"
	var out bytes.Buffer
	if err := rep.Encode(&out, list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for item, err := range f.ReadList(&out).Items() {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, item.(*metav1.PartialObjectMetadata).Name)
	}
	if got := strings.Join(names, " "); got != "a b" {
		t.Errorf("the items are %q", got)
	}
	if _, err := rep.Events(&out); err == nil {
		t.Error("a format without events writes them")
	}
	first, _, _ := strings.Cut(twoObjects, "\n")
	lazy, err := f.Lazy([]byte(first))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := lazy.WithMetadata(func(m *metav1.ObjectMeta) { m.Labels = map[string]string{"a": "b"} })
	if err != nil || !strings.Contains(string(changed.Bytes()), `"labels":{"a":"b"}`) {
		t.Errorf("got %s, %v", changed.Bytes(), err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*format.Format)
		want   string
	}{
		{"complete", func(*format.Format) {}, ""},
		{"no name", func(f *format.Format) { f.Name = "" }, "a format has no name"},
		{"no media type", func(f *format.Format) { f.MediaTypes = nil }, "the format json has no media type"},
		{"no Append", func(f *format.Format) { f.Append = nil }, "the format json has no function Append"},
		{
			"write-only but recognized",
			func(f *format.Format) {
				f.Documents, f.First, f.ReadList, f.Splice, f.Transcode = nil, nil, nil, nil, nil
			},
			"the format json has Recognize but no Documents",
		},
		{
			"a list without an end", func(f *format.Format) { f.List.Tail = nil },
			"the format json has a List without Tail",
		},
		{
			"two things at once",
			func(f *format.Format) { f.List.Head, f.Events.Open = nil, nil },
			"the format json has a List without Head\nthe format json has Events without Open",
		},
		{
			"an empty Splice", func(f *format.Format) { f.Splice.Member = nil },
			"the format json must have one of the functions Member and Message in Splice",
		},
		{
			"an empty Project", func(f *format.Format) { f.Project = new(format.Project) },
			"the format json has a Project without functions",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := json.Format()
			c.change(f)
			got := ""
			if err := f.Check(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if _, err := serializer.NewFactory(newScheme(t), f); (err == nil) != (c.want == "") {
				t.Errorf("NewFactory: %v", err)
			}
		})
	}
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}
