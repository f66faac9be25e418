package discovery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/askind/askind/discovery"
	v2 "github.com/askind/askind/discovery/apidiscovery/v2"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// TestManyResources reads a document with 100,000 resources in one version, some of them twice. The
// time must not grow with the square of their number: that took more than ten seconds.
func TestManyResources(t *testing.T) {
	t.Parallel()
	const n = 100_000
	resources := make([]v2.APIResourceDiscovery, n)
	for i := range resources {
		name := fmt.Sprint("r", i)
		if i%1000 == 999 {
			name = "r0"
		}
		resources[i] = v2.APIResourceDiscovery{
			Resource: name, ResponseKind: &v2.GroupVersionKind{Kind: fmt.Sprint("K", i)}, Scope: v2.ScopeCluster,
		}
	}
	list := &v2.APIGroupDiscoveryList{Items: []v2.APIGroupDiscovery{{
		ObjectMeta: metav1.ObjectMeta{Name: "many.example.com"},
		Versions:   []v2.APIVersionDiscovery{{Version: "v1", Resources: resources}},
	}}}
	began := time.Now()
	c := discovery.FromAggregated("apis", list)
	if spent := time.Since(began); spent > 5*time.Second {
		t.Errorf("reading the document took %v", spent)
	}
	if want := n - n/1000; len(c.Resources) != want {
		t.Errorf("%d resources, want %d", len(c.Resources), want)
	}
	if c.Resources[0].Kind.Kind != "K0" {
		t.Errorf("the first of two with a name is not kept: %v", c.Resources[0].Kind)
	}
}

// TestManyVersions makes documents of a group with 50,000 versions. To compare each with all others
// would take a minute.
func TestManyVersions(t *testing.T) {
	t.Parallel()
	var c discovery.Config
	for i := range 50_000 {
		gv := schema.GroupVersion{Group: "many.example.com", Version: fmt.Sprint("v", i)}
		c.Versions = append(c.Versions, discovery.Version{GroupVersion: gv})
	}
	began := time.Now()
	docs, err := discovery.New(c)
	if err != nil || len(docs.GroupVersions()) != len(c.Versions) {
		t.Fatal(err)
	}
	if spent := time.Since(began); spent > 5*time.Second {
		t.Errorf("making the documents took %v", spent)
	}
}
