package jsonwire_test

import (
	"math"
	"testing"

	"github.com/askind/askind/wire/jsonwire"
)

// TestAnnotatedUint: numbers that no int64 holds are marked where the type is known to have them,
// and nowhere else.
func TestAnnotatedUint(t *testing.T) {
	t.Parallel()
	if mark := jsonwire.Annotate(nil); mark[len(mark)-1] != 0 {
		t.Errorf("the mark %x does not end in 0", mark)
	}
	begin := func(text string) []byte { return append(jsonwire.Annotate(nil), text...) }
	untyped, err := jsonwire.AppendAny(begin(""), uint64(math.MaxUint64))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		got, want []byte
	}{
		{"highest int64", jsonwire.AppendUint(begin(""), math.MaxInt64), begin("9223372036854775807")},
		{"beyond it", jsonwire.AppendUint(begin(""), math.MaxInt64+1), begin("\x039223372036854775808")},
		{"in a list", jsonwire.AppendUint(begin("[1,"), math.MaxUint64), begin("[1,\x0318446744073709551615")},
		{"key of a map", jsonwire.AppendUint(begin(`{"`), math.MaxUint64), begin(`{"18446744073709551615`)},
		{"untyped", untyped, begin("18446744073709551615")},
		{"plain JSON", jsonwire.AppendUint([]byte("[[[[[[[["), math.MaxUint64), []byte("[[[[[[[[18446744073709551615")},
	} {
		if string(tt.got) != string(tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// TestTextOrNumber: a leaf gets whatever has a text, and everything else is recorded.
func TestTextOrNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"5Gi"`: "5Gi", `12`: "12", `-1.5e3`: "-1.5e3", "\x01\"yes\"": "yes", "\x01\"0x10\"": "16",
		"\x01\"true\"": "true", "\x01\"1Gi\"": "1Gi",
	} {
		r := jsonwire.NewReader([]byte(in), jsonwire.Options{Annotated: true})
		got := string(r.TextOrNumber())
		if r.End(); got != want || len(r.Problems()) > 0 {
			t.Errorf("%q gives %q, %v, want %q", in, got, r.Problems(), want)
		}
	}
	for in, problems := range map[string]int{"null": 0, "\x01\"~\"": 0, "true": 1, "[1]": 1, `{"a":1}`: 1} {
		r := jsonwire.NewReader([]byte(in), jsonwire.Options{Annotated: true})
		got := r.TextOrNumber()
		if r.End(); got != nil || len(r.Problems()) != problems {
			t.Errorf("%q gives %q, %v, want %d problems", in, got, r.Problems(), problems)
		}
	}
}
