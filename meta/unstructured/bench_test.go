package unstructured_test

import (
	"encoding/json"
	"os"
	goruntime "runtime"
	"testing"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/wire/jsonwire"
)

// rollout is a custom resource of 5 KB as servers send it: on one line, with sorted members.
func rollout(tb testing.TB) []byte {
	tb.Helper()
	data, err := os.ReadFile("testdata/rollout.json")
	if err != nil {
		tb.Fatal(err)
	}
	return data[:len(data)-1]
}

func BenchmarkDecode(b *testing.B) {
	data := rollout(b)
	b.Run("object", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		r := jsonwire.NewReader(nil, jsonwire.Options{})
		for b.Loop() {
			var o unstructured.Object
			r.Reset(data, jsonwire.Options{})
			unstructured.DecodeJSONObject(r, &o)
		}
	})
	b.Run("strict", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		r := jsonwire.NewReader(nil, jsonwire.Options{})
		for b.Loop() {
			var o unstructured.Object
			r.Reset(data, jsonwire.Options{Strict: true})
			unstructured.DecodeJSONObject(r, &o)
		}
	})
	b.Run("map/jsonwire", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		r := jsonwire.NewReader(nil, jsonwire.Options{})
		for b.Loop() {
			r.Reset(data, jsonwire.Options{})
			r.Any()
		}
	})
	b.Run("map/encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			var m map[string]any
			if err := json.Unmarshal(data, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	data := rollout(b)
	var o unstructured.Object
	if err := json.Unmarshal(data, &o); err != nil {
		b.Fatal(err)
	}
	m := o.Map()
	b.Run("object", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			buf, _ = o.AppendJSON(buf[:0])
		}
	})
	b.Run("map/encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkClone(b *testing.B) {
	var o unstructured.Object
	if err := json.Unmarshal(rollout(b), &o); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		o.Clone()
	}
}

// BenchmarkRetained shows how much memory a kept object takes for each byte of its JSON.
func BenchmarkRetained(b *testing.B) {
	data := rollout(b)
	b.Run("object", func(b *testing.B) {
		b.ReportMetric(retained(len(data), func() any {
			o := new(unstructured.Object)
			_ = json.Unmarshal(data, o)
			return o
		}), "B/B")
	})
	b.Run("map/encoding-json", func(b *testing.B) {
		b.ReportMetric(retained(len(data), func() any {
			var m map[string]any
			_ = json.Unmarshal(data, &m)
			return m
		}), "B/B")
	})
}

// retained measures the memory that is kept for each byte of a text.
func retained(size int, decode func() any) float64 {
	const n = 500
	kept := make([]any, n)
	decode()
	before := heap()
	for i := range kept {
		kept[i] = decode()
	}
	after := heap()
	goruntime.KeepAlive(kept)
	return float64(after-before) / float64(n*size)
}

func heap() int64 {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
