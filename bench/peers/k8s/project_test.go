package k8s_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	askindcbor "github.com/askind/askind/serializer/cbor"
	askindcsv "github.com/askind/askind/serializer/csv"
	askindjson "github.com/askind/askind/serializer/json"
	askindprotobuf "github.com/askind/askind/serializer/protobuf"
	askindyaml "github.com/askind/askind/serializer/yaml"
)

// TestProjectRandom shows random pods and deployments, stored in every format, as metadata and as
// tables, and holds the result to that of decoding them.
func TestProjectRandom(t *testing.T) {
	t.Parallel()
	f, err := serializer.NewFactory(newScheme(t), askindjson.Format(), askindyaml.Format(), askindprotobuf.Format(),
		askindcbor.Format(), askindcsv.Format())
	if err != nil {
		t.Fatal(err)
	}
	const metadata, table = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1", ";as=Table;g=meta.k8s.io;v=v1"
	accepts := []string{
		"application/json" + metadata, "application/vnd.kubernetes.protobuf" + metadata, "application/yaml" + metadata,
		"application/json" + table, "application/json;includeObject=None" + table, "application/cbor" +
			table, "text/csv",
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	fast := map[string]int{}
	const rounds = 5
	for _, gvk := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "Pod"},
		{Group: "apps", Version: "v1", Kind: "Deployment"},
	} {
		k, err := f.Scheme().Kind(gvk)
		if err != nil {
			t.Fatal(err)
		}
		for round := range uint64(rounds) {
			obj := k.New()
			filler{rand.New(rand.NewPCG(seed, round))}.fill(reflect.ValueOf(obj).Elem(), 0)
			if err := k.SetType(obj); err != nil {
				t.Fatal(err)
			}
			for _, source := range []string{
				"application/json", "application/yaml",
				"application/vnd.kubernetes.protobuf", "application/cbor",
			} {
				src, err := f.Append(nil, obj, serializer.EncodeOptions{MediaType: source})
				if err != nil {
					t.Fatal(err)
				}
				decoded, err := f.Decode(src, serializer.DecodeOptions{MediaType: source})
				if err != nil {
					t.Fatal(err)
				}
				for _, accept := range accepts {
					rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: gvk})
					if err != nil {
						t.Fatal(err)
					}
					rep = rep.With(conversion.ScopeOptions{Now: time.Unix(1_790_000_000, 0)})
					want, err := rep.Append(nil, decoded)
					if err != nil {
						t.Fatal(err)
					}
					got, how, err := rep.Project(nil, src, serializer.DecodeOptions{MediaType: source})
					if err != nil || string(got) != string(want) {
						t.Fatalf("%s as %s from %s (%+v): %v\n got %s\nwant %s", k, accept, source, how, err, got, want)
					}
					fast[source] += how.Fast
				}
			}
		}
	}
	all := 2 * rounds * len(accepts)
	for source, n := range fast {
		if n != all && source != "application/yaml" { // which may have what only the library reads
			t.Errorf("from %s, %d of %d went the fast way", source, n, all)
		}
	}
}
