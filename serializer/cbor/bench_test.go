package cbor_test

import (
	"fmt"
	"testing"

	"github.com/askind/askind/internal/plain"
	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/internal/sample"
	samplev1 "github.com/askind/askind/internal/sample/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/format"
)

// large is a machine of some kilobytes.
func large() *samplev1.Machine {
	m := &samplev1.Machine{
		Name: "machine-with-a-name", Replicas: 12, Ratio: 0.75, Labels: map[string]string{},
		Key: make([]byte, 256),
	}
	for i := range 12 {
		m.Labels[fmt.Sprintf("fleet.example.com/label-%d", i)] = "value"
		m.Args = append(m.Args, fmt.Sprintf("--argument-%d=%d", i, i))
		m.Parts = append(m.Parts, samplev1.Part{Name: fmt.Sprint("part-", i), Size: int64(i) << (3 * i)})
	}
	m.Raw = &runtime.RawExtension{
		Raw: []byte(`{"kind":"Config","apiVersion":"v1","spec":{"mode":"fast","limits":{"cpu":4,"memory":"8Gi"}}}`),
	}
	return m
}

func BenchmarkMachine(b *testing.B) {
	k := sample.Kind(b)
	data, err := cbor.Format().Append(nil, k, large(), format.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		in := large()
		var dst []byte
		for b.Loop() {
			if dst, err = cbor.Format().Append(dst[:0], k, in, format.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			for doc, err := range cbor.Format().Documents(data, schema.Limits{}) {
				if err != nil {
					b.Fatal(err)
				}
				var out samplev1.Machine
				if problems := doc.Decode(k, &out, runtime.ReadOptions{}); problems != nil {
					b.Fatal(problems)
				}
			}
		}
	})
}

// TestAllocations checks that writing needs no memory of its own.
func TestAllocations(t *testing.T) {
	if plain.Enabled {
		t.Skip("with the tag, each call of a generated function allocates")
	}
	if race.Enabled {
		t.Skip("the race detector empties pools at random")
	}
	k := sample.Kind(t)
	in := large()
	var dst []byte
	write := func() {
		var err error
		if dst, err = cbor.Format().Append(dst[:0], k, in, format.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if n := testing.AllocsPerRun(100, write); n > 0.5 {
		t.Errorf("writing allocates %v times", n)
	}
}
