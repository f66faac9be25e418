package schema_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/schema"
)

// versionOrder has the preferred name first.
var versionOrder = []string{
	"v100000000000000000000", "v10", "v2", "v1", "v0", "v11beta2", "v10beta3", "v3beta1", "v2beta20", "v2beta3",
	"v1beta2", "v1beta1", "v1beta0", "v12alpha1",
	"v11alpha2", "v1alpha10", "v1alpha2", "v1alpha1", "v0alpha0",
	"", "1", "2024-01-01", "V1", "foo1", "foo10", "v", "v-1", "v1.2", "v1alpha", "v1alpha1beta1", "v1beta", "v1beta1x",
	"v1gamma1", "vbeta1", "v\u0661",
}

func TestCompareVersions(t *testing.T) {
	t.Parallel()
	checkOrder(t, schema.CompareVersions, versionOrder)
}

func TestCompareVersionsLeadingZeros(t *testing.T) {
	t.Parallel()
	checkOrder(t, schema.CompareVersions, []string{"v02", "v2", "v01", "v1", "v1beta02", "v1beta2", "v1beta1"})
}

func TestCompareVersionsIsAnOrder(t *testing.T) {
	t.Parallel()
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	random := func() string {
		pieces := []string{"v", "alpha", "beta", "0", "1", "2", "10", "x", ""}
		s := "v"
		for range r.IntN(4) {
			s += pieces[r.IntN(len(pieces))]
		}
		return s
	}
	for range rounds.Of(20_000) {
		a, b, c := random(), random(), random()
		ab, ba, bc, ac := schema.CompareVersions(a, b), schema.CompareVersions(b, a), schema.CompareVersions(b,
			c), schema.CompareVersions(a, c)
		if sign(ab) != -sign(ba) || (ab == 0) != (a == b) || ab < 0 && bc < 0 && ac >= 0 {
			t.Fatalf("no order: %q, %q, %q", a, b, c)
		}
	}
}

func TestSortVersions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	got := slices.Clone(versionOrder)
	r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, schema.CompareVersions)
	if !slices.Equal(got, versionOrder) {
		t.Errorf("sorted = %q\nwant     %q", got, versionOrder)
	}
}

func BenchmarkCompareVersions(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		schema.CompareVersions("v1beta2", "v1beta1")
	}
}
