package pbwire_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/pbwire"
)

// boxes is a Checker of one kind: a box has a number in field 1, and another box in field 2, as
// bytes after the letter B.
type boxes struct{}

func (boxes) CheckEmbedded(r *pbwire.Reader, raw []byte) {
	if raw[0] == 'B' {
		r.CheckMessage(raw, 1, len(raw), func(sub *pbwire.Reader) { readBox(sub) })
	}
}

func readBox(r *pbwire.Reader) (inside []byte) {
	for r.Next() {
		switch r.Field() {
		case 1:
			r.Int64()
		case 2:
			inside = r.EmbeddedBytes()
		default:
			r.Unknown()
		}
	}
	return inside
}

// boxed returns n boxes in one another, and fields of the innermost.
func boxed(n int, fields string) []byte {
	w := pbwire.NewWriter(nil)
	w.Raw([]byte(fields))
	for range n - 1 {
		w.Raw([]byte("B"))
		w.Message(2, 0)
	}
	return w.Bytes()
}

// TestEmbeddedMessages checks what a strict reader finds in objects that it keeps as bytes.
func TestEmbeddedMessages(t *testing.T) {
	t.Parallel()
	const unknown, text, group = "\x28\x01", "\x0a\x01x", "\x2b\x2b\x2c\x2c"
	many := strings.Repeat(unknown, 9)
	for _, tt := range []struct {
		name    string
		data    []byte
		limits  schema.Limits
		want    []string // code, and the bytes at the position
		dropped int
	}{
		{"nothing", boxed(3, "\x08\x01"), schema.Limits{}, nil, 0},
		{"an unknown field", boxed(3, unknown), schema.Limits{}, []string{"unknown field " + unknown}, 0},
		{"a field of another type", boxed(3, text), schema.Limits{}, []string{"invalid embedded object " + text}, 0},
		{"a broken message", boxed(3, "\x08"), schema.Limits{}, []string{"invalid embedded object "}, 0},
		{
			"as many levels as are allowed", boxed(4, unknown),
			schema.Limits{Embedded: 3},
			[]string{"unknown field " + unknown},
			0,
		},
		{"a level more", boxed(5, unknown), schema.Limits{Embedded: 3}, []string{"invalid embedded object "}, 0},
		{"as deep as is allowed", boxed(3, group), schema.Limits{Depth: 2}, []string{"unknown field " + group}, 0},
		{"deeper", boxed(3, group), schema.Limits{Depth: 1}, []string{"invalid embedded object "}, 0},
		{
			"as many problems as are kept", boxed(3, many),
			schema.Limits{Problems: 9},
			slices.Repeat([]string{"unknown field " + unknown}, 9), 0,
		},
		{
			"more problems", boxed(3, many),
			schema.Limits{Problems: 4},
			slices.Repeat([]string{"unknown field " + unknown}, 4), 5,
		},
	} {
		r := pbwire.NewReader(tt.data, pbwire.Options{Strict: true, Checker: boxes{}, Limits: tt.limits})
		inside := readBox(r)
		var got []string
		for _, p := range r.Problems() {
			got = append(got, p.Code.String()+" "+string(tt.data[p.Offset:p.End]))
		}
		if !slices.Equal(got, tt.want) || r.Dropped() != tt.dropped {
			t.Errorf("%s: got %q and %d more, want %q and %d more", tt.name, got, r.Dropped(), tt.want, tt.dropped)
		}
		if want := tt.data[2:]; !bytes.Equal(inside, want) {
			t.Errorf("%s: %q is kept, want %q", tt.name, inside, want)
		}
		lenient := pbwire.NewReader(tt.data, pbwire.Options{Checker: boxes{}, Limits: tt.limits})
		if readBox(lenient); len(lenient.Problems()) > 0 {
			t.Errorf("%s: a lenient reader finds %v", tt.name, lenient.Problems())
		}
	}
}

// TestInner checks that a message which has been read as bytes is decoded within the limits of the
// reader around it, and that its memory counts there.
func TestInner(t *testing.T) {
	t.Parallel()
	reader := func() *pbwire.Reader {
		r := pbwire.NewReader([]byte{8, 1}, pbwire.Options{Limits: schema.Limits{Depth: 3, Embedded: 2}})
		r.Next()
		return r
	}
	skip := func(r *pbwire.Reader) {
		for r.Next() {
			r.Skip()
		}
	}
	r := reader()
	for _, tt := range []struct {
		name, message string
		sound         bool
	}{
		{"a message as deep as is allowed", "\x0b\x0b\x0b\x0c\x0c\x0c", true},
		{"a deeper one", "\x0b\x0b\x0b\x0b\x0c\x0c\x0c\x0c", false},
		{"a broken one", "\x08", false},
	} {
		if got := r.Inner([]byte(tt.message), skip); got != tt.sound || r.Err() != nil {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, r.Err(), tt.sound)
		}
	}
	levels := 0
	var inner func(r *pbwire.Reader)
	inner = func(r *pbwire.Reader) {
		skip(r)
		if levels++; !r.Inner([]byte{8, 1}, inner) && levels != 2 {
			t.Errorf("%d levels are decoded, want 2", levels)
		}
	}
	r.Inner([]byte{8, 1}, inner)

	half := r.Room()/2 + 1
	spend := func(sub *pbwire.Reader) { skip(sub); sub.Spend(half) }
	if r = reader(); !r.Inner([]byte{8, 1}, spend) || r.Err() != nil {
		t.Errorf("half of the memory: %v", r.Err())
	}
	if r.Inner([]byte{8, 1}, spend) || r.Err() == nil {
		t.Errorf("more than all of the memory: %v", r.Err())
	}
	r = reader()
	if r.Spend(r.Room()); r.Err() != nil {
		t.Errorf("all of the memory: %v", r.Err())
	}
	r.Spend(1)
	if p := r.Problems(); len(p) != 1 || p[0].Code != wire.Limit || r.Next() {
		t.Errorf("a byte more: %v", p)
	}
}
