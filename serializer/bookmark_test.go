package serializer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// fullOnly shows a machine that has values, as functions of programs may insist on.
type fullOnly struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

var errEmpty = errors.New("an object without values")

func addFullOnly(b *runtime.Builder) {
	runtime.AddKind(b, &runtime.KindSpec[fullOnly]{
		GroupVersionKind: v1.GroupVersion.WithKind("FullOnly"),
		TypeMeta:         func(o *fullOnly) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Metadata:         func(o *fullOnly) any { return &o.ObjectMeta },
		AppendJSONFields: func(dst []byte, o *fullOnly) ([]byte, error) {
			return metav1.AppendJSONObjectMeta(append(dst, `,"metadata":`...), &o.ObjectMeta)
		},
	})
	runtime.AddAs(b, func(in *v1.Machine, out *fullOnly, _ *conversion.Scope) error {
		if in.Name == "" {
			return errEmpty
		}
		out.ObjectMeta = in.ObjectMeta
		return nil
	})
}

// TestBookmarks checks that a bookmark is made in every representation without the functions that
// convert and show objects, because it is about no object.
func TestBookmarks(t *testing.T) {
	t.Parallel()
	robots := &unstructured.Definition{Kind: schema.GroupVersionKind{
		Group: "third.party", Version: "v1",
		Kind: "Robot",
	}}
	f := newFleet(t)
	scheme, err := f.Scheme().With(v1alpha1.AddTo, addFullOnly, robots.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = serializer.NewFactory(scheme, json.Format()); err != nil {
		t.Fatal(err)
	}
	alpha := v1alpha1.GroupVersion.WithKind("MachineList")
	machine, bare := new(v1alpha1.Machine), &unstructured.Object{}
	machine.ResourceVersion = "3"
	bare.SetType("third.party/v1", "Robot")
	bare.SetResourceVersion("3")
	for _, tt := range []struct {
		name, accept string
		kind         schema.GroupVersionKind
		obj          runtime.Object
		want         string // the part behind a star ends it
	}{
		{
			"own version", "application/json", alpha, machine,
			`{"type":"BOOKMARK","object":{"kind":"Machine","apiVersion":"fleet.example.com/v1alpha1","metadata":{"resourceVersion":"3"}*`,
		},
		{
			"a version that an empty object cannot be converted to", "application/json;v=v1", alpha, machine,
			`{"type":"BOOKMARK","object":{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"resourceVersion":"3"}*`,
		},
		{
			"exported", "application/json;v=v1;export=1", alpha, machine,
			`{"type":"BOOKMARK","object":{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"resourceVersion":"3"}*`,
		},
		{
			"metadata", "application/json;as=PartialObjectMetadata", alpha, machine,
			`{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"}}}` + "\n",
		},
		{
			"a kind that an empty object cannot be shown as", "application/json;as=FullOnly",
			v1.GroupVersion.WithKind("Machine"), named("", "3"),
			`{"type":"BOOKMARK","object":{"kind":"FullOnly","apiVersion":"fleet.example.com/v1","metadata":{"resourceVersion":"3"}}}` + "\n",
		},
		{
			"table", "application/json;as=Table", alpha, machine,
			`{"type":"BOOKMARK","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"},"columnDefinitions":[{"name":"Name",*],` +
				`"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"}}}]}}` + "\n",
		},
		{
			"plain table", "application/json;as=TabularOutput", alpha, machine,
			`{"type":"BOOKMARK","object":{"kind":"TabularOutput","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"3"},"columns":[{"name":"Name",*null]}]}}` + "\n",
		},
		{
			"untyped", "application/json", robots.Kind.GroupVersion().WithKind("RobotList"), bare,
			`{"type":"BOOKMARK","object":{"apiVersion":"third.party/v1","kind":"Robot","metadata":{"resourceVersion":"3"}}}` + "\n",
		},
		{
			"table of untyped objects", "application/json;as=Table", robots.Kind.GroupVersion().WithKind("RobotList"),
			bare,
			`{"type":"BOOKMARK","object":{"kind":"Table",*"metadata":{"resourceVersion":"3"}}}]}}` + "\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rep, err := f.Negotiate([]string{tt.accept}, serializer.Offer{Kind: tt.kind, Stream: "watch"})
			if err != nil {
				t.Fatal(err)
			}
			start, end, _ := strings.Cut(tt.want, "*")
			for name, send := range map[string]func(w *serializer.EventWriter) error{
				"Bookmark": func(w *serializer.EventWriter) error {
					return w.Bookmark(
						&metav1.ObjectMeta{ResourceVersion: "3"},
					)
				},
				"Send": func(w *serializer.EventWriter) error { return w.Send(metav1.WatchBookmark, tt.obj) },
				"Send of a Cached": func(w *serializer.EventWriter) error {
					return w.Send(metav1.WatchBookmark, serializer.NewCached(tt.obj))
				},
			} {
				var frames frameWriter
				w, err := rep.Events(&frames)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := send(w); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				}
				if !strings.HasPrefix(frames[0], start) || !strings.HasSuffix(frames[0], end) {
					t.Errorf("%s: got\n%s\nwant\n%s", name, frames[0], tt.want)
				}
				if tabular := strings.HasPrefix(rep.Target().Kind, "Tab"); tabular == (frames[0] == frames[1]) ||
					strings.Contains(frames[1], `"name":"Name"`) {
					t.Errorf("%s: the second event is %s", name, frames[1])
				}
			}
		})
	}
}

func TestBookmarkWithoutMetadata(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	var frames frameWriter
	w := events(t, f, "application/json", &frames)
	if err := w.Send(metav1.WatchBookmark, &metav1.Status{}); err == nil ||
		!strings.Contains(frames[0], `"type":"ERROR"`) {
		t.Errorf("got %v, %q", err, frames)
	}
	if err := w.Bookmark(&metav1.ObjectMeta{}); err == nil || len(frames) != 1 {
		t.Errorf("behind the end: %v, %q", err, frames)
	}
}

// TestColumnsOnce checks that every kind of table has its columns in the first event of a watch
// only.
func TestColumnsOnce(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, kind := range []string{"Table", "TabularOutput"} {
		var frames frameWriter
		w := events(t, f, "application/json;as="+kind, &frames)
		for _, obj := range []runtime.Object{named("a", "1"), serializer.NewCached(named("b", "2")), named("c", "3")} {
			if err := w.Send(metav1.WatchAdded, obj); err != nil {
				t.Fatal(err)
			}
		}
		for i, frame := range frames {
			if has := strings.Contains(frame, `"name":"Name"`); has != (i == 0) {
				t.Errorf("%s, event %d has columns: %t", kind, i, has)
			}
		}
	}
}
