package input_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/askind/askind/internal/cputime"
	"github.com/askind/askind/serializer/internal/input"
)

func TestInput(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 30_000)
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
		"data with its end": iotest.DataErrReader(strings.NewReader(text)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input.New(r)
			var got bytes.Buffer
			for _, n := range []int{1, 0, 100, 150_000} {
				if !in.Need(n) {
					t.Fatalf("%d bytes are not there", n)
				}
				got.Write(in.Buf[in.Pos : in.Pos+n])
				in.Pos += n
				if in.At() != got.Len() {
					t.Errorf("at %d, want %d", in.At(), got.Len())
				}
				in.Drop()
			}
			if cap(in.Buf) > 128<<10 {
				t.Errorf("a buffer of %d bytes is kept", cap(in.Buf))
			}
			if !strings.HasPrefix(text, got.String()) || !in.Skip(50_000) || in.At() != got.Len()+50_000 {
				t.Errorf("after skipping at %d", in.At())
			}
			if !in.Need(1) || in.Buf[in.Pos] != text[in.At()] {
				t.Error("another byte follows")
			}
			if in.Skip(1<<20) || in.At() != len(text) || in.Err() != nil || in.More() {
				t.Errorf("at the end: at %d, error %v", in.At(), in.Err())
			}
		})
	}
}

// TestInputDropsInLinearTime drops many small parts after a large one, while the buffer is as large
// as that.
func TestInputDropsInLinearTime(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	in := input.New(bytes.NewReader(make([]byte, size)))
	took := cputime.Of(func() {
		if !in.Need(size / 2) {
			t.Fatal("the input is too short")
		}
		for in.Need(16) {
			in.Pos += 16
			in.Drop()
		}
	})
	if in.At() != size || in.Err() != nil {
		t.Errorf("at %d, error %v", in.At(), in.Err())
	}
	if took > 10*time.Second { // moving what remains each time takes minutes
		t.Errorf("took %v", took)
	}
}

func TestInputErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	in := input.New(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(broken)))
	if in.Need(4) || in.Err() != broken || string(in.Buf) != "abc" {
		t.Errorf("%q, error %v", in.Buf, in.Err())
	}
	if in = input.New(lazy{}); in.More() || in.Err() != io.ErrNoProgress {
		t.Errorf("error %v", in.Err())
	}
}

// lazy never reads anything.
type lazy struct{}

func (lazy) Read([]byte) (int, error) { return 0, nil }
