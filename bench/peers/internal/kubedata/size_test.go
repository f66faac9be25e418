package kubedata_test

import (
	"encoding/json"
	"testing"

	"github.com/askind/askind/bench/peers/internal/kubedata"
)

// TestSizes holds the sizes that the comments and the tables of the comparison state.
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
