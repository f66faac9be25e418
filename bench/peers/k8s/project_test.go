package k8s_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	askindcbor "github.com/askind/askind/serializer/cbor"
	askindcsv "github.com/askind/askind/serializer/csv"
	askindjson "github.com/askind/askind/serializer/json"
	askindprotobuf "github.com/askind/askind/serializer/protobuf"
	askindyaml "github.com/askind/askind/serializer/yaml"
)

// filler makes random values of the types of Kubernetes, of which some are not what their fields say.
func filler(seed int64) *randfill.Filler {
	second := func(c randfill.Continue) time.Time { return time.Unix(int64(c.Uint32()), 0) }
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).Funcs(
		func(t *metav1.Time, c randfill.Continue) { t.Time = second(c) },
		func(t *metav1.MicroTime, c randfill.Continue) { t.Time = second(c) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.Raw = []byte(`{"f:spec":{"f:x":{}}}`) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(int64(c.Uint32()), resource.DecimalSI)
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(int32(c.Uint32())); c.Bool() {
				*v = intstr.FromString("http")
			}
		},
	)
}

// TestProjectRandom shows random pods and deployments, stored in every format, as metadata and as tables, and holds the result to that of decoding them.
func TestProjectRandom(t *testing.T) {
	t.Parallel()
	f, err := serializer.NewFactory(newScheme(t), askindjson.Format(), askindyaml.Format(), askindprotobuf.Format(), askindcbor.Format(), askindcsv.Format())
	if err != nil {
		t.Fatal(err)
	}
	const metadata, table = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1", ";as=Table;g=meta.k8s.io;v=v1"
	accepts := []string{
		"application/json" + metadata, "application/vnd.kubernetes.protobuf" + metadata, "application/yaml" + metadata,
		"application/json" + table, "application/json;includeObject=None" + table, "application/cbor" + table, "text/csv",
	}
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	fast := map[string]int{}
	const rounds = 5
	for _, gvk := range []schema.GroupVersionKind{{Version: "v1", Kind: "Pod"}, {Group: "apps", Version: "v1", Kind: "Deployment"}} {
		k, err := f.Scheme().Kind(gvk)
		if err != nil {
			t.Fatal(err)
		}
		for round := range int64(rounds) {
			obj := k.New()
			filler(seed + round).Fill(obj)
			if err := k.SetType(obj); err != nil {
				t.Fatal(err)
			}
			for _, source := range []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "application/cbor"} {
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
					got, how, err := f.Project(nil, src, source, rep)
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
