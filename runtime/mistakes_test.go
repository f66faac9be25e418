package runtime_test

import (
	"errors"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// TestErrorsOfFieldFunctions checks that a function for the fields of a kind that fails leaves the
// buffer as it was, whatever it returns.
func TestErrorsOfFieldFunctions(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for name, f := range map[string]func(dst []byte, in *Gadget) ([]byte, error){
		"nil":  func([]byte, *Gadget) ([]byte, error) { return nil, failed },
		"part": func(dst []byte, _ *Gadget) ([]byte, error) { return append(dst, `,"name":`...), failed },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := gadgetSpec
			spec.List = ""
			spec.AppendJSONFields = f
			s := newScheme(t, func(b *runtime.Builder) { runtime.AddKind(b, &spec) })
			k, err := s.KindOf(sample())
			if err != nil {
				t.Fatal(err)
			}
			got, err := k.AppendJSON([]byte("before"), sample())
			if string(got) != "before" || !errors.Is(err, failed) {
				t.Errorf("got %q, %v", got, err)
			}
			e := runtime.Embed(&spec, sample())
			got, err = runtime.AppendJSONRawExtension([]byte("before"), &e)
			if string(got) != "before" || !errors.Is(err, failed) {
				t.Errorf("embedded: got %q, %v", got, err)
			}
		})
	}
}

type wired struct{ Wire chan int }

// TestEmbeddedThatCannotBeCopied checks that a copy does not share an object that cannot be copied.
func TestEmbeddedThatCannotBeCopied(t *testing.T) {
	t.Parallel()
	spec := &runtime.KindSpec[wired]{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Wired"}}
	in := runtime.Embed(spec, &wired{Wire: make(chan int)})
	var out runtime.RawExtension
	runtime.DeepCopyIntoRawExtension(&in, &out)
	if out.Object != nil {
		t.Errorf("the copy has %v", out.Object)
	}
}

// TestCopiesOfRawBytes checks that the bytes of a copy are its own.
func TestCopiesOfRawBytes(t *testing.T) {
	t.Parallel()
	in := runtime.RawExtension{Raw: []byte(`{"a":1}`)}
	var out runtime.RawExtension
	runtime.DeepCopyIntoRawExtension(&in, &out)
	var converted runtime.Embedded[*wired]
	err := runtime.ConvertEmbedded(&runtime.Embedded[any]{RawExtension: in}, &converted, nil)
	in.Raw[2] = 'b'
	if string(out.Raw) != `{"a":1}` || string(converted.Raw) != `{"a":1}` || err != nil {
		t.Errorf("the copies have %s and %s, %v", out.Raw, converted.Raw, err)
	}
}
