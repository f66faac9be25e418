package kubedata_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/askind/askind/bench/peers/internal/kubedata"
)

// TestSizes checks the sizes that the comments and the tables of the comparison state.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		object      any
		least, most int
	}{
		{"pod", kubedata.Pod(1), 8_500, 10_500},
		{"deployment", kubedata.Deployment(1), 7_000, 8_500},
		{"config map", kubedata.ConfigMap(1), 350, 450},
	} {
		text, err := json.Marshal(c.object)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(text); n < c.least || n > c.most {
			t.Errorf("a %s has %d bytes of JSON", c.name, n)
		}
	}
}

// TestClusterPods checks that the pods of a cluster are the same on every run, of the sizes that
// the comment states, and that no two of them have the same fields.
func TestClusterPods(t *testing.T) {
	t.Parallel()
	var sizes []int
	sets := map[string]int{}
	for i := range 2000 {
		pod := kubedata.ClusterPod(i)
		text, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(kubedata.ClusterPod(i))
		if err != nil || string(again) != string(text) {
			t.Fatalf("pod %d differs: %v", i, err)
		}
		sizes = append(sizes, len(text))
		for _, m := range pod.ManagedFields {
			if !json.Valid(m.FieldsV1.Raw) {
				t.Fatalf("pod %d: %s", i, m.FieldsV1.Raw)
			}
		}
		fields := string(pod.ManagedFields[0].FieldsV1.Raw)
		if j, ok := sets[fields]; ok {
			t.Errorf("the pods %d and %d have the same fields", j, i)
		}
		sets[fields] = i
	}
	slices.Sort(sizes)
	least, median, most := sizes[20], sizes[1000], sizes[1980]
	if least < 5000 || median < 10_500 || median > 12_500 || most > 28_000 {
		t.Errorf("98 of 100 pods have %d to %d bytes, the median is %d", least, most, median)
	}
}
