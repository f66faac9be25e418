package protobuf_test

import (
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/protobuf"
)

func BenchmarkFormat(b *testing.B) {
	f := newFactory(b)
	for _, row := range []struct {
		name string
		obj  runtime.Object
	}{{"object", &manyPartials(1).Items[0]}, {"list", manyPartials(500)}} {
		data, err := f.Append(nil, row.obj, serializer.EncodeOptions{MediaType: protobuf.MediaType})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("encode/"+row.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			buf := make([]byte, 0, 2*len(data))
			for b.Loop() {
				buf, _ = f.Append(buf[:0], row.obj, serializer.EncodeOptions{MediaType: protobuf.MediaType})
			}
		})
		b.Run("decode/"+row.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := f.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
