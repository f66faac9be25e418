package runtime_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/pbwire"
)

func TestRawExtensionProto(t *testing.T) {
	t.Parallel()
	widget := &Widget{Name: "a"}
	s := newScheme(t, append(all[:len(all):len(all)], addWidgets)...)
	byScheme, err := s.Embed(widget)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		in   runtime.RawExtension
		want string
		err  error
	}{
		{name: "nothing", want: ""},
		{name: "raw", in: runtime.RawExtension{Raw: []byte("{}")}, want: "0a027b7d"},
		{name: "raw wins", in: runtime.RawExtension{Raw: []byte{}, Object: widget}, want: "0a00"},
		{name: "object", in: runtime.Embed(&widgetSpec, widget), want: "0a2e" + widgetEnvelope},
		{name: "object by scheme", in: byScheme, want: "0a2e" + widgetEnvelope},
		{name: "object without protobuf", in: runtime.Embed(&gadgetSpec, sample()), err: runtime.ErrNoFunction},
	} {
		w := pbwire.NewWriter(nil)
		runtime.PrependProtoRawExtension(w, &row.in)
		if !errors.Is(w.Err(), row.err) {
			t.Errorf("%s: got %v, want %v", row.name, w.Err(), row.err)
			continue
		}
		if row.err != nil {
			continue
		}
		if got := hex.EncodeToString(w.Bytes()); got != row.want {
			t.Errorf("%s:\ngot  %s\nwant %s", row.name, got, row.want)
		}
		data := w.Bytes()
		out := runtime.RawExtension{Object: widget}
		r := pbwire.NewReader(data, pbwire.Options{Strict: true})
		runtime.DecodeProtoRawExtension(r, &out)
		if len(data) > 0 && (string(out.Raw) != string(data[2:]) || out.Raw == nil || out.Object != nil) ||
			r.Problems() != nil {
			t.Errorf("%s: read as %x, %v", row.name, out.Raw, r.Problems())
		}
	}
	w := pbwire.NewWriter(nil)
	runtime.PrependProtoRawExtension(w, &runtime.RawExtension{Object: widget})
	if w.Err() == nil {
		t.Error("an object put in by hand was written")
	}
	r := pbwire.NewReader([]byte{0x10, 1}, pbwire.Options{Strict: true})
	runtime.DecodeProtoRawExtension(r, new(runtime.RawExtension))
	if len(r.Problems()) != 1 {
		t.Errorf("an unknown field: %v", r.Problems())
	}
}

// widgetEnvelope is a Widget of the name "a" and without a part.
var widgetEnvelope = "6b387300" + "0a1d" + "0a13" + hex.EncodeToString([]byte("toys.example.com/v1")) + "1206" +
	hex.EncodeToString([]byte("Widget")) +
	"1205" + "0a01611200" + "1a00" + "2200"

func TestRawExtensionProtoDoesNotAllocate(t *testing.T) {
	if plain.Enabled {
		t.Skip("the parts of specs are copied")
	}
	e := runtime.Embed(&widgetSpec, &Widget{Name: "a"})
	w := pbwire.NewWriter(make([]byte, 256))
	if n := testing.AllocsPerRun(100, func() {
		w.Reset(nil)
		runtime.PrependProtoRawExtension(w, &e)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
