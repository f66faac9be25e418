package pbwire_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/pbwire"
)

func TestWriterBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		write func(w *pbwire.Writer)
		want  string
	}{
		{"nothing", func(*pbwire.Writer) {}, ""},
		{"zero", func(w *pbwire.Writer) { w.Int64(1, 0) }, "0800"},
		{"one byte", func(w *pbwire.Writer) { w.Uint64(1, 127) }, "087f"},
		{"two bytes", func(w *pbwire.Writer) { w.Uint64(1, 150) }, "089601"},
		{"largest", func(w *pbwire.Writer) { w.Uint64(1, math.MaxUint64) }, "08ffffffffffffffffff01"},
		{"negative", func(w *pbwire.Writer) { w.Int64(1, -1) }, "08ffffffffffffffffff01"},
		{"negative of 32 bits", func(w *pbwire.Writer) { w.Int32(1, -2) }, "08feffffffffffffffff01"},
		{"unsigned of 32 bits", func(w *pbwire.Writer) { w.Uint32(1, math.MaxUint32) }, "08ffffffff0f"},
		{"tag of two bytes", func(w *pbwire.Writer) { w.Int64(16, 5) }, "800105"},
		{"largest tag", func(w *pbwire.Writer) { w.Int64(1<<29-1, 1) }, "f8ffffff0f01"},
		{"true and false", func(w *pbwire.Writer) { w.Bool(2, false); w.Bool(1, true) }, "08011000"},
		{"double", func(w *pbwire.Writer) { w.Float64(1, 1) }, "09000000000000f03f"},
		{"float", func(w *pbwire.Writer) { w.Float32(1, 1) }, "0d0000803f"},
		{"blank string", func(w *pbwire.Writer) { w.String(1, "") }, "0a00"},
		{"string", func(w *pbwire.Writer) { w.String(2, "testing") }, "120774657374696e67"},
		{"string behind a tag of two bytes", func(w *pbwire.Writer) { w.String(17, "a") }, "8a010161"},
		{
			"string of 128 bytes", func(w *pbwire.Writer) { w.String(1, strings.Repeat("a", 128)) },
			"0a8001" + strings.Repeat("61", 128),
		},
		{"strings", func(w *pbwire.Writer) { w.Strings(1, []string{"a", "", "b"}) }, "0a01610a000a0162"},
		{"bytes", func(w *pbwire.Writer) { w.BytesField(1, []byte{0, 255}) }, "0a0200ff"},
		{"no bytes", func(w *pbwire.Writer) { w.BytesField(1, nil) }, "0a00"},
		{"raw", func(w *pbwire.Writer) { w.Raw([]byte{8, 1}) }, "0801"},
		{"order", func(w *pbwire.Writer) { w.Int64(2, 2); w.Int64(1, 1) }, "08011002"},
		{"empty message", func(w *pbwire.Writer) { w.Message(3, w.Mark()) }, "1a00"},
		{"message behind a tag of two bytes", func(w *pbwire.Writer) { w.Message(16, w.Mark()) }, "820100"},
		{"nested", func(w *pbwire.Writer) {
			w.Int64(4, 9)
			outer := w.Mark()
			inner := w.Mark()
			w.String(1, "a")
			w.Message(2, inner)
			w.Message(3, outer)
		}, "1a0512030a01612009"},
		{"long message", func(w *pbwire.Writer) {
			mark := w.Mark()
			w.String(1, strings.Repeat("a", 126))
			w.Message(1, mark)
		}, "0a8001" + "0a7e" + strings.Repeat("61", 126)},
		{"map of nothing", func(w *pbwire.Writer) { w.StringMap(1, nil) }, ""},
		{"map of one", func(w *pbwire.Writer) { w.StringMap(1, map[string]string{"a": "b"}) }, "0a060a0161120162"},
		{
			"map", func(w *pbwire.Writer) { w.StringMap(1, map[string]string{"b": "", "": "c", "a": "d"}) },
			"0a050a00120163" + "0a060a0161120164" + "0a050a01621200",
		},
		{"envelope", func(w *pbwire.Writer) {
			mark := w.OpenEnvelope()
			w.Int64(1, 5)
			w.CloseEnvelope(mark, schema.GroupVersionKind{Group: "g", Version: "v", Kind: "K"})
		}, "6b387300" + "0a08" + "0a03672f76" + "12014b" + "12020805" + "1a00" + "2200"},
		{"envelope of nothing in the group without a name", func(w *pbwire.Writer) {
			w.CloseEnvelope(w.OpenEnvelope(), schema.GroupVersionKind{Version: "v1", Kind: "K"})
		}, "6b387300" + "0a07" + "0a027631" + "12014b" + "1200" + "1a00" + "2200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{0, 1, 2, 3, 7, 64, 4096} {
				w := pbwire.NewWriter(make([]byte, 0, size))
				c.write(w)
				if got := hex.EncodeToString(w.Bytes()); got != c.want {
					t.Errorf("buffer of %d bytes:\ngot  %s\nwant %s", size, got, c.want)
				}
				if w.Len() != len(w.Bytes()) || w.Cap() < w.Len() || w.Err() != nil {
					t.Errorf("Len %d, Cap %d, Err %v, for %d bytes", w.Len(), w.Cap(), w.Err(), len(w.Bytes()))
				}
			}
		})
	}
}

func TestWriterMapOrder(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 12, 13, 500, 3000} {
		m := make(map[string]string, n)
		for i := range n {
			m[strings.Repeat("k", i%7)+string(rune('a'+i%26))+
				hex.EncodeToString(binary.BigEndian.AppendUint16(nil, uint16(i)))] = "v"
		}
		w := pbwire.NewWriter(nil)
		w.StringMap(1, m)
		var keys []string
		got := make(map[string]string)
		for r := pbwire.NewReader(w.Bytes(), pbwire.Options{}); r.Next(); {
			saved := r.Message()
			r.Next()
			key := r.String()
			r.Next()
			keys, got[key] = append(keys, key), r.String()
			r.EndMessage(saved)
		}
		if !slices.IsSorted(keys) || len(keys) != n || len(got) != n {
			t.Errorf("%d entries are written as %d, in order: %v", n, len(keys), slices.IsSorted(keys))
		}
	}
}

// TestWriterMapEntry compares entries of all lengths around those that are written in one step with
// the two strings of a message.
func TestWriterMapEntry(t *testing.T) {
	t.Parallel()
	for _, field := range []int{1, 15, 16, 2000} {
		for n := range 260 {
			key, value := strings.Repeat("k", n/3), strings.Repeat("v", n-n/3)
			want := pbwire.NewWriter(nil)
			want.String(2, value)
			want.String(1, key)
			want.Message(field, 0)
			for _, room := range []int{0, want.Len() - 1, want.Len(), 4096} {
				got := pbwire.NewWriter(make([]byte, 0, room))
				got.StringMap(field, map[string]string{key: value})
				if string(got.Bytes()) != string(want.Bytes()) {
					t.Fatalf("field %d, %d bytes in a buffer of %d:\ngot  %x\nwant %x", field, n, room, got.Bytes(),
						want.Bytes())
				}
			}
		}
	}
}

func TestSortedKeys(t *testing.T) {
	t.Parallel()
	var w pbwire.Writer
	outer := pbwire.SortedKeys(&w, map[string]int{"b": 1, "a": 2})
	for range 100 { // so that the stack grows below the keys that are in use
		inner := pbwire.SortedKeys(&w, map[string]bool{"z": true, "y": true, "x": true})
		if !slices.Equal(inner, []string{"x", "y", "z"}) {
			t.Fatalf("inner keys %q", inner)
		}
		defer w.ReleaseKeys(inner)
	}
	if !slices.Equal(outer, []string{"a", "b"}) {
		t.Errorf("outer keys %q", outer)
	}
	if got := pbwire.SortedIntKeys(map[int32]bool{3: true, -1: true, 0: false}); !slices.Equal(got, []int32{-1, 0, 3}) {
		t.Errorf("numbers %v", got)
	}
	w.ReleaseKeys(make([]string, 10_000)) // more than there are
}

func TestWriterFail(t *testing.T) {
	t.Parallel()
	var w pbwire.Writer
	first := errors.New("first")
	w.Fail(nil)
	w.Fail(first)
	w.Fail(errors.New("second"))
	if w.Err() != first {
		t.Errorf("got %v", w.Err())
	}
	w.Int64(1, 1)
	w.Reset(nil)
	if w.Err() != nil || w.Len() != 0 || w.Cap() == 0 {
		t.Errorf("after Reset: %v, %d bytes in %d", w.Err(), w.Len(), w.Cap())
	}
}

func TestEncodeDoesNotAllocate(t *testing.T) {
	in := sampleServer()
	in.Spec.Slots = nil // its keys are sorted in memory of their own
	var w pbwire.Writer
	if n := testing.AllocsPerRun(100, func() {
		w.Reset(nil)
		sample.PrependProtoServer(&w, in)
	}); n != 0 {
		t.Errorf("%v allocations into a used buffer", n)
	}
}
