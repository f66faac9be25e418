package runtime_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// envelope is an object of any kind.
type envelope struct{ apiVersion, kind, body string }

func (e *envelope) APIVersion() string              { return e.apiVersion }
func (e *envelope) Kind() string                    { return e.kind }
func (e *envelope) SetType(apiVersion, kind string) { e.apiVersion, e.kind = apiVersion, kind }

func (e *envelope) RuntimeKind() (*runtime.Kind, error) {
	gvk, err := schema.FromAPIVersionAndKind(e.apiVersion, e.kind)
	if err != nil {
		return nil, err
	}
	return runtime.NewKind(gvk, &envelopeSpec), nil
}

var envelopeSpec = runtime.KindSpec[envelope]{
	DeepCopyInto: func(in, out *envelope) { *out = *in },
	AppendJSONFields: func(dst []byte, in *envelope) ([]byte, error) {
		return fmt.Appendf(dst, `,"kind":%q,"body":%q`, in.kind, in.body), nil
	},
}

func TestUntyped(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	obj := &envelope{apiVersion: "toys.example.com/v9", kind: "Robot", body: "x"}
	k, err := s.KindOf(obj)
	if err != nil {
		t.Fatal(err)
	}
	if got := k.GroupVersionKind().String(); got != "toys.example.com/v9, Kind=Robot" ||
		k.APIVersion() != "toys.example.com/v9" {
		t.Errorf("got %s", got)
	}
	if apiVersion, kind := k.TypeOf(obj); apiVersion != "toys.example.com/v9" || kind != "Robot" {
		t.Errorf("got %s, %s", apiVersion, kind)
	}
	if got, err := k.AppendJSON(nil, obj); err != nil || string(got) != `{"kind":"Robot","body":"x"}` {
		t.Errorf("got %s, %v", got, err)
	}
	if c, err := s.DeepCopy(obj); err != nil || c == runtime.Object(obj) || *c.(*envelope) != *obj {
		t.Errorf("got %v, %v", c, err)
	}
	if fresh := k.New().(*envelope); fresh.kind != "Robot" || fresh.apiVersion != "toys.example.com/v9" {
		t.Errorf("a new object states %s of %s", fresh.kind, fresh.apiVersion)
	}
	if envelopeSpec.GroupVersionKind != (schema.GroupVersionKind{}) {
		t.Error("the spec was changed")
	}
	if _, err := s.ConvertTo(obj, v1); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("got %v", err)
	}
	if _, err := s.KindOf(&envelope{}); err == nil {
		t.Error("an object that states nothing has a kind")
	}
	if _, err := s.KindOf((*envelope)(nil)); !errors.Is(err, runtime.ErrNotObject) {
		t.Errorf("got %v", err)
	}
}
