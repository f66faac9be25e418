package store_test

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"
	"weak"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
)

// TestRebind checks that a resource does not keep the factory that it had before another one, with
// the forms of its objects that were made by it, and that lists are copied from what is stored
// whichever of the two a request was negotiated by.
func TestRebind(t *testing.T) {
	t.Parallel()
	newFactory := func(groups ...func(*runtime.Builder)) *serializer.Factory {
		scheme, err := runtime.NewScheme(groups...)
		if err != nil {
			t.Fatal(err)
		}
		f, err := serializer.NewFactory(scheme, json.Format())
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	engine := memoryEngine(t)
	before := newFactory(v1.AddTo, metav1.AddTo)
	r, err := open(t, engine, store.Options{}).Add(store.ResourceOptions{Factory: before, Kind: machineKind})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		m := machine("a", fmt.Sprintf("m-%d", i))
		m.Annotations = map[string]string{"example.com/notes": strings.Repeat("x", 8<<10)}
		create(t, r, m)
	}
	w := watch(t, r, store.WatchOptions{})
	list, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const accept, metadata = "application/json", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	compare := func(f *serializer.Factory) {
		t.Helper()
		for _, accept := range []string{accept, metadata, accept + ";pretty=1"} {
			compareListsOf(t, f, list, v1.GroupVersion, accept)
		}
		for _, accept := range []string{accept, metadata} {
			rep, err := f.Negotiate([]string{accept}, serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
			if err != nil {
				t.Fatal(err)
			}
			got := gatherBuffer{length: -1}
			if err := list.Encode(&got, rep); err != nil || got.length < 0 {
				t.Errorf("%s: not copied; %v", accept, err)
			}
		}
	}
	compare(before)
	after := newFactory(v1.AddTo, metav1.AddTo, workshopv1.AddTo)
	if err := r.Rebind(after); err != nil {
		t.Fatal(err)
	}
	if r.Factory() != after || r.Kind() != must(after.Scheme().Kind(machineKind)) {
		t.Error("the resource has its factory of before")
	}
	compare(before) // of a request that is under way
	compare(after)
	relabel(t, r, store.Key{Namespace: "a", Name: "m-1"}, "dock", "1")
	if got := pull(t, w); len(got) != 1 {
		t.Errorf("a watch that began before has seen %q", got)
	}
	gone := weak.Make(before)
	before = nil
	for range 3 {
		goruntime.GC()
	}
	if gone.Value() != nil {
		t.Error("the factory of before is still in memory")
	}
	goruntime.KeepAlive(list)
	goruntime.KeepAlive(r)

	if err := r.Rebind(newFactory(workshopv1.AddTo)); err == nil {
		t.Error("a factory without the kind was accepted")
	}
	if err := r.Rebind(nil); err == nil {
		t.Error("no factory was accepted")
	}
	if r.Factory() != after {
		t.Error("a refused factory has replaced the one of before")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
