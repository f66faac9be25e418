package dynamic_test

import (
	"fmt"
	goruntime "runtime"
	"testing"

	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// TestManyKinds checks that a scheme does not keep a plan for each pair of kinds. None of the kinds
// can be converted to or shown as another, and documents of OpenAPI ask about all pairs.
func TestManyKinds(t *testing.T) { // not in parallel: it counts what is allocated
	const kinds, most = 300, 32 << 20
	add := []func(*runtime.Builder){metav1.AddTo}
	for i := range kinds {
		r, err := dynamic.New(dynamic.Definition{
			Group: fmt.Sprintf("g%d.example.com", i), Kind: "Duck", Resource: "ducks",
			Versions: []dynamic.Version{{Name: "v1", Storage: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		add = append(add, r.AddTo)
	}
	scheme, err := runtime.NewScheme(add...)
	if err != nil {
		t.Fatal(err)
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	ducks := 0
	for k := range scheme.Kinds() {
		if k.Name() != "Duck" {
			continue
		}
		ducks++
		for _, to := range scheme.AsTargets(k.GroupVersionKind()) {
			if to.Kind == "Duck" {
				t.Fatalf("a %s is shown as a %s", k, to)
			}
		}
		for other := range scheme.Kinds() {
			gv := other.GroupVersion()
			if can := scheme.CanConvert(k.GroupVersionKind(), gv); can != (gv == k.GroupVersion()) {
				t.Fatalf("%s to %s: %v", k, gv, can)
			}
		}
	}
	goruntime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; ducks != kinds || used > most {
		t.Errorf("%d kinds take %d bytes, more than %d", ducks, used, most)
	}
}
