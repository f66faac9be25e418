package jsonwire_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/askind/askind/wire/internal/sample"
	"github.com/askind/askind/wire/jsonwire"
)

var benchServer = sample.NewServer()

func benchJSON(b *testing.B, indent bool) []byte {
	b.Helper()
	data, err := json.Marshal(benchServer)
	if err != nil {
		b.Fatal(err)
	}
	if indent {
		data = jsonwire.AppendIndent(nil, data, "", "  ")
	}
	return data
}

func BenchmarkDecode(b *testing.B) {
	for _, row := range []struct {
		name   string
		indent bool
		strict bool
	}{{"compact", false, false}, {"strict", false, true}, {"pretty", true, false}} {
		data := benchJSON(b, row.indent)
		b.Run(row.name+"/jsonwire", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			r := new(jsonwire.Reader)
			for b.Loop() {
				out := new(sample.Server)
				r.Reset(data, jsonwire.Options{Strict: row.strict})
				sample.DecodeJSONServer(r, out)
				r.End()
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
			}
		})
		b.Run(row.name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				out := new(sample.Server)
				if err := json.Unmarshal(data, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRaw reads a set of fields as it stands in the metadata of objects.
func BenchmarkRaw(b *testing.B) {
	data := []byte(`{"f:metadata":{"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/version":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"6f1c2a3e\"}":{}}},` +
		`"f:spec":{"f:disks":{".":{},"k:{\"name\":\"data\"}":{".":{},"f:medium":{},"f:size":{}},"k:{\"name\":\"root\"}":{".":{},"f:medium":{},"f:size":{}}},"f:zone":{}}}`)
	for _, row := range []struct {
		name   string
		strict bool
	}{{"lenient", false}, {"strict", true}} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			r := new(jsonwire.Reader)
			for b.Loop() {
				r.Reset(data, jsonwire.Options{Strict: row.strict})
				if r.Raw(); r.Err() != nil || len(r.Problems()) > 0 {
					b.Fatal(r.Problems())
				}
			}
		})
	}
}

func BenchmarkDecodeList(b *testing.B) {
	data := []byte{'['}
	for i := range 500 {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, benchJSON(b, false)...)
	}
	data = append(data, ']')
	for _, apart := range []bool{false, true} {
		b.Run("jsonwire/apart="+strconv.FormatBool(apart), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			r := new(jsonwire.Reader)
			for b.Loop() {
				r.Reset(data, jsonwire.Options{Apart: apart})
				var out []sample.Server
				start := r.Offset()
				for more := r.Array(); more; more = r.NextElem() {
					out = jsonwire.Extend(r, out, start)
					r.Item()
					sample.DecodeJSONServer(r, &out[len(out)-1])
				}
				r.End()
				if r.Err() != nil || len(out) != 500 {
					b.Fatal(r.Err())
				}
			}
		})
	}
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var out []sample.Server
			if err := json.Unmarshal(data, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecodeAny(b *testing.B) {
	data := benchJSON(b, false)
	b.Run("jsonwire", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		r := new(jsonwire.Reader)
		for b.Loop() {
			r.Reset(data, jsonwire.Options{})
			r.Any()
			r.End()
			if r.Err() != nil {
				b.Fatal(r.Err())
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			var out any
			if err := json.Unmarshal(data, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	data := benchJSON(b, false)
	b.Run("jsonwire", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		var buf []byte
		for b.Loop() {
			var err error
			if buf, err = sample.AppendJSONServer(buf[:0], benchServer); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := json.Marshal(benchServer); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncodeAny(b *testing.B) {
	data := benchJSON(b, false)
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		b.Fatal(err)
	}
	b.Run("jsonwire", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		var buf []byte
		for b.Loop() {
			var err error
			if buf, err = jsonwire.AppendAny(buf[:0], v); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	for _, row := range []struct {
		name   string
		indent bool
	}{{"compact", false}, {"pretty", true}} {
		data := benchJSON(b, row.indent)
		run := func(name string, f func()) {
			b.Run(row.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					f()
				}
			})
		}
		run("Valid", func() { jsonwire.Valid(data) })
		run("Valid-encoding-json", func() { json.Valid(data) })
		var buf []byte
		run("AppendRaw", func() { buf, _ = jsonwire.AppendRaw(buf[:0], data) })
		run("AppendIndent", func() { buf = jsonwire.AppendIndent(buf[:0], data, "", "  ") })
		run("PathAt-end", func() { jsonwire.PathAt(data, len(data)-3) })
	}
	data := benchJSON(b, false)
	b.Run("SniffType", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := jsonwire.SniffType(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
