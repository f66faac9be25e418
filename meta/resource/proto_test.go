package resource_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/askind/askind/meta/resource"
	"github.com/askind/askind/wire/pbwire"
)

func TestProto(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "500m", "1Gi", "1.5", "12e6", "123456789012345678901234567890", "-3"} {
		in, err := resource.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		w := pbwire.NewWriter(nil)
		resource.PrependProtoQuantity(w, &in)
		want := string(rune(10)) + string(rune(len(in.String()))) + in.String()
		if got := string(w.Bytes()); got != want {
			t.Errorf("%s is written %q, want %q", text, got, want)
		}
		var out resource.Quantity
		r := pbwire.NewReader(w.Bytes(), pbwire.Options{Strict: true})
		if resource.DecodeProtoQuantity(r, &out); !out.Equal(in) || out.String() != in.String() || r.Problems() != nil {
			t.Errorf("%s is read as %v, %v", text, out, r.Problems())
		}
	}
	half := resource.NewMilliQuantity(500, resource.DecimalSI)
	w := pbwire.NewWriter(nil)
	resource.PrependProtoQuantity(w, &half)
	if got := hex.EncodeToString(w.Bytes()); got != "0a043530306d" {
		t.Errorf("got %s", got)
	}
}

func TestProtoProblems(t *testing.T) {
	t.Parallel()
	for data, cause := range map[string]error{
		"0a00": resource.ErrSyntax, "0a0178": resource.ErrSyntax,
		"0a023178": resource.ErrSuffix, "0801": nil, "1001": nil,
	} {
		wire, err := hex.DecodeString(data)
		if err != nil {
			t.Fatal(err)
		}
		out := resource.NewQuantity(7, resource.DecimalSI)
		r := pbwire.NewReader(wire, pbwire.Options{Strict: true})
		resource.DecodeProtoQuantity(r, &out)
		if got := r.Problems(); len(got) != 1 || !errors.Is(got[0].Err, cause) || out.String() != "7" {
			t.Errorf("%s: got %v, %v, want %v", data, out, got, cause)
		}
	}
}

func TestProtoAllocations(t *testing.T) {
	q := resource.NewQuantity(1<<30, resource.BinarySI)
	w := pbwire.NewWriter(make([]byte, 64))
	var r pbwire.Reader
	if n := testing.AllocsPerRun(100, func() {
		w.Reset(nil)
		resource.PrependProtoQuantity(w, &q)
		r.Reset(w.Bytes(), pbwire.Options{})
		resource.DecodeProtoQuantity(&r, &q)
	}); n != 0 {
		t.Errorf("writing and reading a quantity allocates %v times", n)
	}
}
