package pbwire_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/pbwire"
)

func encode(in *sample.Server) []byte {
	w := pbwire.NewWriter(nil)
	sample.PrependProtoServer(w, in)
	return w.Bytes()
}

// TestRoundTrip decodes with one Reader over and over, because what it decoded before decides about
// the blocks that later objects share. Each object is compared after the last one was decoded.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, o := range []pbwire.Options{{}, {Strict: true}, {Apart: true}} {
		in := sampleServer()
		var r pbwire.Reader
		var decoded [4]*sample.Server
		for i := range decoded {
			data := encode(in)
			r.Reset(data, o)
			decoded[i] = new(sample.Server)
			sample.DecodeProtoServer(&r, decoded[i])
			if got := r.Problems(); got != nil {
				t.Fatalf("problems: %v", got)
			}
			clear(data) // what was decoded must not refer to it
			decoded[i].Spec.Disks = append(decoded[i].Spec.Disks, sample.Disk{Name: "one more"})
		}
		in.Spec.Disks = append(in.Spec.Disks, sample.Disk{Name: "one more"})
		for i, out := range decoded {
			if !reflect.DeepEqual(in, out) {
				t.Errorf("object %d: got  %+v\nwant %+v", i, out, in)
			}
		}
	}
}

// TestMeasure checks that a Writer that measures counts what one writes that does not, also of long
// and of many values, and that it writes again afterwards.
func TestMeasure(t *testing.T) {
	t.Parallel()
	large := sampleServer()
	large.Metadata.Name = strings.Repeat("n", 70_000)
	large.Metadata.Labels = map[string]string{}
	for i := range 40 {
		large.Metadata.Labels[strings.Repeat("k", i)] = strings.Repeat("v", 7*i)
	}
	var w pbwire.Writer
	for name, in := range map[string]*sample.Server{"empty": {}, "sample": sampleServer(), "large": large} {
		want := encode(in)
		w.Reset(nil)
		sample.PrependProtoServer(&w, in) // so that there is a buffer
		buf := w.Measure()
		sample.PrependProtoServer(&w, in)
		if w.Len() != len(want) || w.Bytes() != nil || w.Err() != nil {
			t.Errorf("%s: measured %d bytes, wrote %d; error %v", name, w.Len(), len(want), w.Err())
		}
		w.Swap(buf)
		sample.PrependProtoServer(&w, in)
		if !bytes.Equal(w.Bytes(), want) {
			t.Errorf("%s: after measuring %q\nwant %q", name, w.Bytes(), want)
		}
	}
}

// TestMeasureFields is TestMeasure for each method that writes a field.
func TestMeasureFields(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for name, write := range map[string]func(w *pbwire.Writer){
		"unsigned": func(w *pbwire.Writer) { w.Uint64(1, 1<<63); w.Uint32(16, 0); w.Uint32(1, 127) },
		"signed":   func(w *pbwire.Writer) { w.Int64(1, -1); w.Int32(3000, 128); w.Bool(2, true) },
		"floats":   func(w *pbwire.Writer) { w.Float64(1, 1.5); w.Float32(20, 2.5) },
		"texts":    func(w *pbwire.Writer) { w.String(1, ""); w.Strings(17, []string{"a", long}) },
		"bytes":    func(w *pbwire.Writer) { w.BytesField(1, nil); w.BytesField(2, []byte(long)); w.Raw([]byte("a")) },
		"map":      func(w *pbwire.Writer) { w.StringMap(1, map[string]string{"a": "b", "": long}) },
		"message": func(w *pbwire.Writer) {
			mark := w.Mark()
			w.String(1, long)
			w.Message(2, mark)
			w.Message(3, w.Mark())
		},
	} {
		w := pbwire.NewWriter(nil)
		write(w)
		want := w.Len()
		w.Measure()
		if write(w); w.Len() != want || want == 0 {
			t.Errorf("%s: measured %d bytes, wrote %d", name, w.Len(), want)
		}
	}
}
