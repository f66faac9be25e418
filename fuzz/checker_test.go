package fuzz

import (
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/serializer/yaml"
)

type box struct {
	Kind       string            `json:"kind,omitempty"`
	APIVersion string            `json:"apiVersion,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Items      []string          `json:"items,omitempty"`
}

type otherBox box

var gv = schema.GroupVersion{Group: "test", Version: "v1"}

func boxSpec() runtime.KindSpec[box] {
	return runtime.KindSpec[box]{
		GroupVersionKind: gv.WithKind("Box"),
		TypeMeta:         func(b *box) (apiVersion, kind *string) { return &b.APIVersion, &b.Kind },
	}
}

// TestCheckerSeesFaults plants the faults that the kit promises to find.
func TestCheckerSeesFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		spec    func(*runtime.KindSpec[box])
		convert func(in *box, out *otherBox, s *conversion.Scope) error
		want    string
	}{
		{name: "nothing wrong"},
		{name: "shallow deep copy", spec: func(s *runtime.KindSpec[box]) {
			s.DeepCopyInto = func(in,
				out *box,
			) {
				*out = *in
			}
		}, want: "writing to a deep copy changes the object"},
		{name: "partial deep copy", spec: func(s *runtime.KindSpec[box]) {
			s.DeepCopyInto = func(in,
				out *box,
			) {
				*out = box{Kind: in.Kind}
			}
		}, want: "the deep copy is not equal"},
		{name: "field forgotten when encoding", spec: func(s *runtime.KindSpec[box]) {
			s.AppendJSONFields = func(dst []byte, in *box) ([]byte, error) {
				return append(dst, `,"items":["`+strings.Repeat("x", len(in.Items))+`"]`...), nil
			}
		}, want: "is not the same when encoded again"},
		{name: "conversion that shares", convert: func(in *box, out *otherBox, _ *conversion.Scope) error {
			out.Labels, out.Items = in.Labels, in.Items
			return nil
		}, want: "the result shares memory with the input"},
		{name: "conversion that changes its input", convert: func(in *box, _ *otherBox, _ *conversion.Scope) error {
			clear(in.Labels)
			return nil
		}, want: "conversion changes its input"},
		{name: "an export that forgets", spec: func(s *runtime.KindSpec[box]) {
			s.Default = func(in *box) error {
				if in.Items == nil {
					in.Items = []string{"default"}
				}
				return nil
			}
			s.OmitDefaults = func(in *box) { in.Items = nil }
		}, want: "does not bring back what it was"},
		{name: "sharing that differs", convert: func(in *box, out *otherBox, s *conversion.Scope) error {
			if s.Sharing() {
				out.Items = []string{"other"}
			}
			return nil
		}, want: "sharing changes the result"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := firstProblem(t, func(b *runtime.Builder) {
				spec := reflectjson.Complete(boxSpec())
				if row.spec != nil {
					row.spec(spec)
				}
				runtime.AddKind(b, spec)
				runtime.AddKind(b, &runtime.KindSpec[otherBox]{
					GroupVersionKind: schema.GroupVersionKind{Group: "test", Version: "v2", Kind: "Box"},
					TypeMeta:         func(b *otherBox) (apiVersion, kind *string) { return &b.APIVersion, &b.Kind },
				})
				if row.convert != nil {
					runtime.AddConversion(b, row.convert)
				}
			})
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func firstProblem(t *testing.T, add func(*runtime.Builder)) string {
	t.Helper()
	s, err := runtime.NewScheme(add)
	if err != nil {
		t.Fatal(err)
	}
	formats := []*format.Format{json.Format(), yaml.Format()}
	f, err := serializer.NewFactory(s, formats...)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kind(gv.WithKind("Box"))
	if err != nil {
		t.Fatal(err)
	}
	c := newChecker(options{formats: formats}, f, k)
	for seed := range int64(50) {
		if problem := c.check(seed); problem != "" {
			return problem
		}
	}
	return ""
}
