package conformance

import (
	"testing"

	peer "k8s.io/apimachinery/pkg/api/resource"
	peerv1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/askind/askind/meta/resource"
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/wire/jsonwire"
)

// BenchmarkLeaf measures one value read and written again. Compare with benchstat -col /by over ten
// runs.
func BenchmarkLeaf(b *testing.B) {
	for _, text := range []string{`"100m"`, `"1536Mi"`, `"1.5Gi"`, `"12345678901234567890"`} {
		data := []byte(text)
		b.Run("quantity/"+text+"/by=askind", func(b *testing.B) {
			b.ReportAllocs()
			var r jsonwire.Reader
			var buf []byte
			for b.Loop() {
				var q resource.Quantity
				r.Reset(data, jsonwire.Options{})
				resource.DecodeJSONQuantity(&r, &q)
				buf, _ = resource.AppendJSONQuantity(buf[:0], &q)
			}
		})
		b.Run("quantity/"+text+"/by=peer", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var q peer.Quantity
				if err := q.UnmarshalJSON(data); err != nil {
					b.Fatal(err)
				}
				if _, err := q.MarshalJSON(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	data := []byte(`"2020-01-02T03:04:05Z"`)
	b.Run("time/by=askind", func(b *testing.B) {
		b.ReportAllocs()
		var r jsonwire.Reader
		var buf []byte
		for b.Loop() {
			var t v1.Time
			r.Reset(data, jsonwire.Options{})
			v1.DecodeJSONTime(&r, &t)
			buf, _ = v1.AppendJSONTime(buf[:0], &t)
		}
	})
	b.Run("time/by=peer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var t peerv1.Time
			if err := t.UnmarshalJSON(data); err != nil {
				b.Fatal(err)
			}
			if _, err := t.MarshalJSON(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
