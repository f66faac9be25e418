package discovery_test

import (
	"fmt"
	"testing"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/serializer"
)

// many is 2,000 group versions with ten resources each.
func many() discovery.Config {
	var c discovery.Config
	for g := range 1000 {
		for _, v := range []string{"v1", "v1beta1"} {
			for r := range 10 {
				in := resource("", fmt.Sprintf("group%04d.example.com", g), v, fmt.Sprintf("things%d", r),
					fmt.Sprintf("Thing%d", r))
				in.Singular, in.ShortNames, in.Categories = fmt.Sprintf("thing%d", r), []string{fmt.Sprintf("t%d", r)},
					[]string{"all"}
				in.Subresources = []discovery.Subresource{{Name: "status", Verbs: []string{"get", "patch", "update"}}}
				c.Resources = append(c.Resources, in)
			}
		}
	}
	return c
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// BenchmarkAggregated builds the aggregated document of 2,000 group versions with ten resources
// each: cold, after one group has changed, and unchanged.
func BenchmarkAggregated(b *testing.B) {
	f, c := factory(b), many()
	rep := func(d *discovery.Documents) (*serializer.Representation, discovery.Form) {
		doc, _ := d.Find("/apis")
		rep, err := f.Negotiate([]string{aggregatedJSON}, serializer.Offer{Kind: doc.Kind()})
		if err != nil {
			b.Fatal(err)
		}
		return rep, doc.Form(rep.Target())
	}
	encode := func(d *discovery.Documents) int {
		r, form := rep(d)
		var out counter
		if err := r.Encode(&out, form.Object); err != nil {
			b.Fatal(err)
		}
		return int(out)
	}
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			documents(b, c)
		}
	})
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			d := documents(b, c)
			b.StartTimer()
			b.SetBytes(int64(encode(d)))
		}
	})
	b.Run("oneChanged", func(b *testing.B) {
		b.ReportAllocs()
		d := documents(b, c)
		encode(d)
		for i := 0; b.Loop(); i++ {
			more, err := d.With(
				discovery.Config{
					Resources: []discovery.Resource{resource("", "new.example.com", fmt.Sprintf("v%d", i+1),
						"news", "New")},
				},
			)
			if err != nil {
				b.Fatal(err)
			}
			encode(more)
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		d := documents(b, c)
		encode(d)
		for b.Loop() {
			if _, form := rep(d); form.Version == "" {
				b.Fatal("no version")
			}
		}
	})
}
