package discovery_test

import (
	"fmt"
	"runtime/debug"
	"testing"
	"time"

	"github.com/askind/askind/discovery"
	v2 "github.com/askind/askind/discovery/apidiscovery/v2"
	"github.com/askind/askind/internal/cputime"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// TestManyResources reads a document with 100,000 resources in one version, some of them twice.
func TestManyResources(t *testing.T) {
	const most = 100_000
	resources := make([]v2.APIResourceDiscovery, most)
	for i := range resources {
		name := fmt.Sprint("r", i)
		if i%1000 == 999 {
			name = "r0"
		}
		resources[i] = v2.APIResourceDiscovery{
			Resource: name, ResponseKind: &v2.GroupVersionKind{Kind: fmt.Sprint("K", i)}, Scope: v2.ScopeCluster,
		}
	}
	grows(t, most, func(n int) {
		c := discovery.FromAggregated("apis", &v2.APIGroupDiscoveryList{Items: []v2.APIGroupDiscovery{{
			ObjectMeta: metav1.ObjectMeta{Name: "many.example.com"},
			Versions:   []v2.APIVersionDiscovery{{Version: "v1", Resources: resources[:n]}},
		}}})
		if want := n - n/1000; len(c.Resources) != want {
			t.Errorf("%d resources, want %d", len(c.Resources), want)
		}
		if c.Resources[0].Kind.Kind != "K0" {
			t.Errorf("the first of two with a name is not kept: %v", c.Resources[0].Kind)
		}
	})
}

// TestManyVersions makes documents of a group with 50,000 versions.
func TestManyVersions(t *testing.T) {
	const most = 50_000
	versions := make([]discovery.Version, most)
	for i := range versions {
		gv := schema.GroupVersion{Group: "many.example.com", Version: fmt.Sprint("v", i)}
		versions[i] = discovery.Version{GroupVersion: gv}
	}
	grows(t, most, func(n int) {
		docs, err := discovery.New(discovery.Config{Versions: versions[:n]})
		if err != nil || len(docs.GroupVersions()) != n {
			t.Error(err)
		}
	})
}

// grows fails the test if the processor time of a function grows with the square of its argument.
// That would be 64 times the time for the most as for an eighth of it, where 8 times is the aim. Of
// several calls the fastest counts. Garbage is not collected meanwhile, because only the larger
// calls make enough for a collection; so tests that call it are not parallel.
func grows(t *testing.T, most int, f func(n int)) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	fastest := func(calls, n int) time.Duration {
		least := time.Hour
		for range calls {
			least = min(least, cputime.Of(func() { f(n) }))
		}
		return least
	}
	if part, whole := fastest(4, most/8), fastest(2, most); whole > 32*part {
		t.Errorf("%v for %d, %v for an eighth", whole, most, part)
	}
}
