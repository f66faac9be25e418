package pbwire_test

import (
	"testing"

	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/pbwire"
)

func BenchmarkEncode(b *testing.B) {
	in := sampleServer()
	var w pbwire.Writer
	b.ReportAllocs()
	for b.Loop() {
		w.Reset(nil)
		sample.PrependProtoServer(&w, in)
	}
	b.SetBytes(int64(w.Len()))
}

func BenchmarkDecode(b *testing.B) {
	var w pbwire.Writer
	sample.PrependProtoServer(&w, sampleServer())
	for _, row := range []struct {
		name    string
		options pbwire.Options
	}{{"chunks", pbwire.Options{}}, {"strict", pbwire.Options{Strict: true}}, {"apart", pbwire.Options{Apart: true}}} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(w.Len()))
			var r pbwire.Reader
			for b.Loop() {
				r.Reset(w.Bytes(), row.options)
				out := new(sample.Server)
				sample.DecodeProtoServer(&r, out)
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
			}
		})
	}
}
