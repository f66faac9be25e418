package serializer_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
)

var watchMachines = serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList"), Stream: "watch"}

func named(name, version string) *v1.Machine {
	m := new(v1.Machine)
	m.Name, m.ResourceVersion = name, version
	return m
}

func events(t *testing.T, f *serializer.Factory, accept string, w io.Writer) *serializer.EventWriter {
	t.Helper()
	rep, err := f.Negotiate([]string{accept}, watchMachines)
	if err != nil {
		t.Fatal(err)
	}
	e, err := rep.With(conversion.ScopeOptions{Now: noon}).Events(w)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEventWriter(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	const columns = `[{"name":"Name",`
	for _, c := range []struct {
		name, accept string
		want         []string // what each frame starts with; the part behind a star ends it
	}{
		{"json", "application/json", []string{
			`{"type":"ADDED","object":{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a","resourceVersion":"1"},*}}` + "\n",
			`{"type":"MODIFIED","object":{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a","resourceVersion":"2"},*}}` + "\n",
			`{"type":"BOOKMARK","object":{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"resourceVersion":"3"},*}}` + "\n",
		}},
		{"yaml", "application/yaml", []string{
			"---\nobject:\n  apiVersion: fleet.example.com/v1\n  kind: Machine\n  metadata:\n    name: a\n    resourceVersion: \"1\"\n*\ntype: ADDED\n...\n",
			"---\nobject:\n*\ntype: MODIFIED\n...\n", "---\nobject:\n*\ntype: BOOKMARK\n...\n",
		}},
		{"metadata", "application/json;as=PartialObjectMetadata", []string{
			`{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"1"}}}` + "\n",
			`{"type":"MODIFIED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","resourceVersion":"2"}}}` + "\n",
			`{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"}}}` + "\n",
		}},
		{"table", "application/json;as=Table", []string{
			`{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"columnDefinitions":` + columns + `*"metadata":{"name":"a","resourceVersion":"1"}}}]}}` + "\n",
			`{"type":"MODIFIED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"2"},"columnDefinitions":null,"rows":[{"cells":["a",*"metadata":{"name":"a","resourceVersion":"2"}}}]}}` + "\n",
			`{"type":"BOOKMARK","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"},"columnDefinitions":null,"rows":[{"cells":[*"metadata":{"resourceVersion":"3"}}}]}}` + "\n",
		}},
		{"table without objects", "application/json;as=Table;includeObject=None", []string{
			`{"type":"ADDED",*"object":null}]}}` + "\n", `{"type":"MODIFIED",*"object":null}]}}` +
				"\n", `{"type":"BOOKMARK",*"metadata":{"resourceVersion":"3"}}}]}}` + "\n",
		}},
		{"export", "application/json;export=1;as=PartialObjectMetadata", []string{
			`{"type":"ADDED",*"metadata":{"name":"a"}}}` + "\n", `{"type":"MODIFIED",*"metadata":{"name":"a"}}}` +
				"\n", `{"type":"BOOKMARK",*"metadata":{"resourceVersion":"3"}}}` + "\n",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, cached := range []bool{false, true} {
				var frames frameWriter
				w := events(t, f, c.accept, &frames)
				for _, event := range []struct {
					kind string
					obj  *v1.Machine
				}{{metav1.WatchAdded, named("a", "1")}, {metav1.WatchModified, named("a", "2")}, {
					metav1.WatchBookmark,
					named("", "3"),
				}} {
					var obj runtime.Object = event.obj
					if cached {
						obj = serializer.NewCached(obj)
					}
					if err := w.Send(event.kind, obj); err != nil {
						t.Fatal(err)
					}
				}
				if len(frames) != len(c.want) {
					t.Fatalf("%d frames, want %d: %q", len(frames), len(c.want), frames)
				}
				for i, want := range c.want {
					start, end, _ := strings.Cut(want, "*")
					if !strings.HasPrefix(frames[i], start) || !strings.HasSuffix(frames[i], end) {
						t.Errorf("frame %d is\n%s\nwant\n%s", i, frames[i], want)
					}
				}
			}
		})
	}
}

// frameWriter keeps what each call writes.
type frameWriter []string

func (w *frameWriter) Write(b []byte) (int, error) {
	*w = append(*w, string(b))
	return len(b), nil
}

func TestEventWriterEnds(t *testing.T) {
	t.Parallel()
	f := newFactory(t, csvFormat("text/csv"))
	rep, err := f.Negotiate([]string{"application/json;as=Table"}, allMachines)
	if err != nil {
		t.Fatal(err)
	}
	var frames frameWriter
	w, err := rep.Events(&frames)
	if err != nil {
		t.Fatal(err)
	}
	bad := wantMachine(1)
	bad.Metadata.Name = "bad"
	if err := w.Send("ADDED", wantMachine(1)); err != nil {
		t.Fatal(err)
	}
	first := w.Send("ADDED", bad)
	if _, ok := errors.AsType[*runtime.ConvertError](first); !ok {
		t.Errorf("a failing transform: %v", first)
	}
	if err := w.Send("ADDED", wantMachine(1)); err != first {
		t.Errorf("after the end: %v, want %v", err, first)
	}
	const want = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"internal error"`
	if len(frames) != 2 || !strings.HasPrefix(frames[1], want) || !strings.Contains(frames[1], `"code":500`) {
		t.Errorf("the stream is %q", frames)
	}

	fleet := newFleet(t)
	frames = nil
	e := events(t, fleet, "application/yaml;as=Table", &frames)
	gone := metav1.Failure(metav1.StatusReasonExpired, "too old")
	if err := e.Fail(fmt.Errorf("watch: %w", gone)); !errors.Is(err, gone) {
		t.Errorf("Fail returns %v", err)
	}
	if want := "---\nobject:\n  apiVersion: v1\n  code: 410\n  kind: Status\n  message: too old\n  metadata: {}\n  reason: Expired\n  status: Failure\ntype: ERROR\n...\n"; len(frames) != 1 || frames[0] != want {
		t.Errorf("Fail writes %q, want %q", frames, want)
	}

	frames = nil
	e = events(t, fleet, "application/json", &frames)
	e.Explain = func(error) *metav1.StatusError { return nil }
	if err := e.Fail(gone); !errors.Is(err, gone) {
		t.Errorf("Fail returns %v where nothing is explained", err)
	}
	if len(frames) != 1 || !strings.Contains(frames[0], `"code":410`) {
		t.Errorf("Fail writes %q where nothing is explained", frames)
	}

	broken := errors.New("broken pipe")
	e = events(t, fleet, "application/json", failingWriter{broken})
	for range 2 {
		if err := e.Send("ADDED", named("a", "1")); !errors.Is(err, broken) {
			t.Errorf("a broken writer: %v", err)
		}
	}
	rep, err = f.Negotiate([]string{"text/csv;as=Table"}, allMachines)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rep.Events(&frames); err == nil || err.Error() != "serializer: the format csv has no watch events" {
		t.Errorf("a format without events: %v", err)
	}
}

// describe reads all events and says what they are.
func describe(t *testing.T, f *serializer.Factory, r io.Reader, o serializer.DecodeOptions) (out []string) {
	t.Helper()
	e, err := serializer.NewEventReader(r, f, o)
	if err != nil {
		t.Fatal(err)
	}
	for event, err := range e.All() {
		text := ""
		switch obj := event.Object.(type) {
		case *v1.Machine:
			text = fmt.Sprintf("%s %s %s %s", event.Type, obj.APIVersion, obj.Kind, obj.Name)
		case *metav1.Status:
			text = fmt.Sprintf("%s %s %s %s", event.Type, obj.APIVersion, obj.Kind, obj.Message)
		}
		if err != nil {
			text += "! " + err.Error()
		}
		out = append(out, text)
	}
	return out
}

func TestEventReader(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	const machine = `"kind":"Machine","apiVersion":"fleet.example.com/v1"`
	added := `{"type":"ADDED","object":{` + machine + `,"metadata":{"name":"a"}}}`
	failed := `{"object":{"kind":"Status","apiVersion":"v1","message":"gone"},"type":"ERROR"}`
	large := `{"type":"ADDED","object":{` + machine + `,"metadata":{"name":"` + strings.Repeat(`x\"}`, 30000) + `"}}}`
	const a, gone = "ADDED fleet.example.com/v1 Machine a", "ERROR v1 Status gone"
	for _, c := range []struct {
		name, in string
		o        serializer.DecodeOptions
		want     []string
	}{
		{"nothing", "", serializer.DecodeOptions{}, nil},
		{"blank", " \n\r\n", serializer.DecodeOptions{}, nil},
		{"lines", added + "\n" + failed + "\n", serializer.DecodeOptions{}, []string{a, gone}},
		{"no lines", added + failed + "\n\n " + added, serializer.DecodeOptions{}, []string{a, gone, a}},
		{
			"too large", added + "\n" + large + "\n" + added + large + failed,
			serializer.DecodeOptions{Limits: schema.Limits{Item: 50000}},
			[]string{
				a, fmt.Sprintf(
					"! serializer: event 1 at byte %d of the stream: the event has 120104 bytes, more than 50000; raise Limits.Item to read it", len(added),
				),
				a, fmt.Sprintf(
					"! serializer: event 3 at byte %d of the stream: the event has 120103 bytes, more than 50000; raise Limits.Item to read it", 2*len(added)+len(large)+2,
				), gone,
			},
		},
		{
			"default limit", large,
			serializer.DecodeOptions{},
			[]string{"ADDED fleet.example.com/v1 Machine " + strings.Repeat(`x"}`, 30000)},
		},
		{
			"wrong event", `{"type":"ADDED"}` + added,
			serializer.DecodeOptions{},
			[]string{
				"! serializer: event 0 at byte 0 of the stream: line 1, column 1: a watch event has a type and an object", a,
			},
		},
		{
			"wrong object", `{"type":"ADDED","object":{` + machine + `,"metadata":{"name":1}}}` + added,
			serializer.DecodeOptions{File: "f"},
			[]string{
				"! serializer: event 0 at byte 0 of the stream: f:1:99: metadata.name: expected string, found number",
				a,
			},
		},
		{
			"unknown field", `{"type":"ADDED","object":{` + machine + `,"x":1,"metadata":{"name":"a"}}}`,
			serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
			[]string{
				a + `! serializer: event 0 at byte 0 of the stream: line 1, column 80: x: unknown field "x"`,
			},
		},
		{
			"cut off", added + "\n" + added[:40],
			serializer.DecodeOptions{},
			[]string{
				a, fmt.Sprintf(
					"! serializer: event 1 at byte %d of the stream: line 2, column 41: object: unexpected end of text in a string", len(added),
				),
			},
		},
		{"junk", added + "\n]]" + added, serializer.DecodeOptions{}, []string{
			a, fmt.Sprintf(
				"! serializer: event 1 at byte %d of the stream: line 2, column 1: unexpected character ']', expected object", len(added),
			),
			fmt.Sprintf(
				"! serializer: event 2 at byte %d of the stream: line 1, column 1: unexpected character ']', expected object", len(added)+2,
			), a,
		}},
		{"yaml", "# comment\n---\nobject:\n  apiVersion: fleet.example.com/v1\n  kind: Machine\n  metadata:\n    name: a\ntype: ADDED\n--- \ntype: ERROR\nobject: {kind: Status, apiVersion: v1, message: gone}\n---\nx\n---\n", serializer.DecodeOptions{MediaType: "application/yaml;stream=watch"}, []string{
			a, gone, "! serializer: event 2 at byte 184 of the stream: line 1, column 1: a watch event has a type and an object",
		}},
		{"yaml with dots", "---\ntype: ERROR\nobject: {kind: Status, apiVersion: v1, message: gone}\n...\n# between\n---\ntype: ERROR\nobject: {kind: Status, apiVersion: v1, message: gone}\n... # end\ntype: ERROR\nobject: {kind: Status, apiVersion: v1, message: gone}\n...x: 1\n", serializer.DecodeOptions{MediaType: "text/yaml"}, []string{
			gone, gone, gone,
		}},
		{
			"yaml too large", "---\ntype: ADDED\nobject:\n  x: " + strings.Repeat("y", 1000) +
				"\n---\ntype: ERROR\nobject: {kind: Status, apiVersion: v1, message: gone}\n",
			serializer.DecodeOptions{MediaType: "text/yaml", Limits: schema.Limits{Item: 500}},
			[]string{
				"! serializer: event 0 at byte 4 of the stream: the event has 1030 bytes, more than 500; raise Limits.Item to read it", gone,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole":        strings.NewReader(c.in),
				"by bytes":     iotest.OneByteReader(strings.NewReader(c.in)),
				"with the end": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				if diff := cmp.Diff(c.want, describe(t, f, r, c.o)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
	broken := errors.New("broken")
	if got := describe(t, f, io.MultiReader(strings.NewReader(added+added[:9]), iotest.ErrReader(broken)),
		serializer.DecodeOptions{}); len(got) != 2 || got[1] != "! broken" {
		t.Errorf("a broken reader: %q", got)
	}
	o := serializer.DecodeOptions{MediaType: "application/json"}
	idle, err := serializer.NewEventReader(iotest.ErrReader(nil), f, o)
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(idle.All())
	defer stop()
	if _, err, ok := next(); err != io.ErrNoProgress || !ok {
		t.Errorf("a reader that returns neither bytes nor an error: %v", err)
	}
	if _, err := serializer.NewEventReader(nil, f, serializer.DecodeOptions{MediaType: "text/plain"}); err == nil {
		t.Error("an unknown format is accepted")
	}
}

// TestBookmarksAreNotValidated reads events in two versions: rules hold for objects, not for
// bookmarks.
func TestBookmarksAreNotValidated(t *testing.T) {
	t.Parallel()
	f := projectFactory(t, addRules)
	for _, tt := range []struct {
		version string
		o       serializer.DecodeOptions
	}{
		{"v1beta1", serializer.DecodeOptions{Validate: true}},
		{"v1", serializer.DecodeOptions{ValidateConverted: true, Version: workshopv1beta1.GroupVersion}},
	} {
		event := func(eventType string) string {
			return `{"type":"` + eventType + `","object":{"kind":"Order","apiVersion":"workshop.example.com/` + tt.version + `"}}`
		}
		tt.o.MediaType = mediaJSON
		r, err := serializer.NewEventReader(strings.NewReader(event("BOOKMARK")+event("ADDED")), f, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		next, stop := iter.Pull2(r.All())
		defer stop()
		for _, want := range []string{"BOOKMARK", "ADDED"} {
			e, err, _ := next()
			_, invalid := errors.AsType[runtime.FieldErrors](err)
			if e.Type != want || invalid != (want == "ADDED") || !invalid && err != nil {
				t.Errorf("%s: got %s, %v", tt.version, e.Type, err)
			}
		}
	}
}

// TestEventsAreReadAtOnce checks that an event can be read as soon as it has been written, in every
// format: a watch may be silent for long.
func TestEventsAreReadAtOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, mediaType := range []string{"application/json", "application/yaml"} {
		r, w := io.Pipe()
		out := events(t, f, mediaType, w)
		go func() {
			for i := range 3 {
				if err := out.Send(metav1.WatchModified, named("a", fmt.Sprint(i))); err != nil {
					t.Error(err)
				}
			}
		}()
		in, err := serializer.NewEventReader(r, f, serializer.DecodeOptions{MediaType: mediaType})
		if err != nil {
			t.Fatal(err)
		}
		next, stop := iter.Pull2(in.All())
		for i := range 3 { // a reader that needs more than has been written waits for ever
			e, err, _ := next()
			if m, ok := e.Object.(*v1.Machine); err != nil || !ok || m.ResourceVersion != fmt.Sprint(i) {
				t.Errorf("%s: %+v, %v", mediaType, e, err)
			}
		}
		stop()
		r.Close()
	}
}

func TestEventsAreReadBack(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, mediaType := range []string{"application/json", "application/yaml", "application/cbor"} {
		var b bytes.Buffer
		w := events(t, f, mediaType, &b)
		var want []string
		for i := range 100 {
			name := strings.Repeat("n\n---\n", i) + "x"
			if err := w.Send(metav1.WatchModified, named(name, "1")); err != nil {
				t.Fatal(err)
			}
			want = append(want, "MODIFIED fleet.example.com/v1 Machine "+name)
		}
		if diff := cmp.Diff(want, describe(t, f, &b, serializer.DecodeOptions{MediaType: mediaType})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mediaType, diff)
		}
	}
}

// TestStreamMediaType checks the media type of watches in CBOR, which is that of sequences. It has
// the parameters of other answers, but not the name of the stream.
func TestStreamMediaType(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for accepted, want := range map[string]string{
		"application/cbor":              "application/cbor-seq",
		"application/cbor;stream=watch": "application/cbor-seq",
		"application/cbor;as=PartialObjectMetadata;v=v1;g=meta.k8s.io": "application/cbor-seq;g=meta.k8s.io;v=v1;" +
			"as=PartialObjectMetadata",
	} {
		rep, err := f.Negotiate([]string{accepted}, watchMachines)
		if err != nil || rep.ContentType() != want {
			t.Fatalf("%s: %v, %v, want %s", accepted, rep, err, want)
		}
		var b bytes.Buffer
		w, err := rep.Events(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Send(metav1.WatchAdded, named("a", "1")); err != nil {
			t.Fatal(err)
		}
		e, err := serializer.NewEventReader(&b, f, serializer.DecodeOptions{MediaType: rep.ContentType()})
		if err != nil {
			t.Fatal(err)
		}
		for event, err := range e.All() {
			if err != nil || event.Type != metav1.WatchAdded {
				t.Errorf("%s: read %+v, %v", accepted, event, err)
			}
		}
	}
	if rep, err := f.Negotiate([]string{"application/cbor"}, oneMachine); err != nil ||
		rep.ContentType() != cbor.MediaType {
		t.Errorf("one object: %v, %v", rep, err)
	}
	if _, err := f.ForBody("application/cbor-seq"); err == nil {
		t.Error("a body may be a sequence")
	}
}

// TestEventReaderMemory is not parallel, because it looks at the memory of the whole process.
func TestEventReaderMemory(t *testing.T) {
	f := newFleet(t)
	huge := io.MultiReader(strings.NewReader(`{"type":"`), io.LimitReader(endless('x'), 64<<20),
		strings.NewReader(`","object":{}}`+`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1"}}`))
	e, err := serializer.NewEventReader(huge, f, serializer.DecodeOptions{Limits: schema.Limits{Item: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(e.All())
	defer stop()
	before := live()
	if _, err, _ := next(); !errors.Is(err, runtime.ErrLimit) {
		t.Errorf("an event of 64 MiB: %v", err)
	}
	if extra := int64(live()) - int64(before); extra > 2<<20 {
		t.Errorf("%d bytes more in use", extra)
	}
	if event, err, _ := next(); err != nil || event.Type != metav1.WatchError {
		t.Errorf("the event behind it: %+v, %v", event, err)
	}
}

type endless byte

func (e endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e)
	}
	return len(b), nil
}
