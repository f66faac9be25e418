package pbwire_test

import (
	"slices"
	"testing"

	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/pbwire"
)

type (
	level int8
	phase string
	blob  []byte
)

func TestNarrow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		value int64
		want  level
		valid bool
	}{
		{"zero", 0, 0, true},
		{"highest", 127, 127, true},
		{"lowest", -128, -128, true},
		{"above", 128, 0, false},
		{"below", -129, 0, false},
		{"low bits look right", 1 << 32, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := pbwire.NewWriter(nil)
			w.Int64(1, tt.value)
			r := pbwire.NewReader(w.Bytes(), pbwire.Options{})
			r.Next()
			got := pbwire.Narrow[level](r)
			if got != tt.want || (len(r.Problems()) == 0) != tt.valid || r.Err() != nil {
				t.Errorf("got %d, %v", got, r.Problems())
			}
		})
	}
}

func TestListsOfNamedTypes(t *testing.T) {
	t.Parallel()
	w := pbwire.NewWriter(nil)
	w.BytesField(3, nil)
	w.BytesField(3, []byte{1, 2})
	w.String(2, "b")
	w.String(2, "a")
	w.BytesField(1, []byte{4, 5}) // packed
	w.Uint32(1, 300)
	w.Uint32(1, 3)
	r := pbwire.NewReader(w.Bytes(), pbwire.Options{})
	var (
		numbers []uint8
		texts   []phase
		blobs   []blob
	)
	for r.Next() {
		switch r.Field() {
		case 1:
			numbers = pbwire.Narrows(r, numbers)
		case 2:
			texts = pbwire.Texts(r, texts)
		case 3:
			blobs = pbwire.ByteSlices(r, blobs)
		}
	}
	if !slices.Equal(numbers, []uint8{3, 0, 4, 5}) || !slices.Equal(texts, []phase{"a", "b"}) || len(blobs) != 2 ||
		string(blobs[0]) != "\x01\x02" || blobs[1] == nil {
		t.Errorf("%v %v %v", numbers, texts, blobs)
	}
	if p := r.Problems(); len(p) != 1 || p[0].Code != wire.InvalidValue {
		t.Errorf("problems %v", p)
	}
	// A value of another type leaves the lists as they are.
	w.Reset(nil)
	w.Bool(1, true)
	r = pbwire.NewReader(w.Bytes(), pbwire.Options{})
	r.Next()
	if got := pbwire.Texts(r, texts); len(got) != 2 || len(r.Problems()) != 1 {
		t.Errorf("%v %v", got, r.Problems())
	}
}
