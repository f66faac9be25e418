package reflectjson_test

import (
	"encoding/json"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/json/reflectjson"
	"github.com/askind/askind/wire/jsonwire"
)

func BenchmarkDecode(b *testing.B) {
	data, err := json.Marshal(full())
	if err != nil {
		b.Fatal(err)
	}
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	b.Run("reflectjson", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			decode(spec, string(data), jsonwire.Options{})
		}
	})
	b.Run("reflectjson/strict", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			decode(spec, string(data), jsonwire.Options{Strict: true})
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			_ = json.Unmarshal(data, new(everything))
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	in := full()
	spec := reflectjson.Complete(runtime.KindSpec[everything]{})
	b.Run("reflectjson", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			buf, _ = spec.AppendJSONFields(buf[:0], in)
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(in)
		}
	})
}
