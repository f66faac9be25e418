//go:build vtprotobuf

package rows

import (
	"testing"

	"github.com/askind/askind/bench/peers/internal/compare"
)

// TestRowsOfVTProtobuf prepares the rows of vtprotobuf, as TestRows does with all.
func TestRowsOfVTProtobuf(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range all {
		for _, s := range r.Subjects[1:] {
			if s.Name != "vtprotobuf" {
				continue
			}
			found++
			only := *r
			only.Subjects = []compare.Subject{r.Subjects[0], s}
			if err := only.Compare(); err != nil {
				t.Error(err)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d rows have vtprotobuf, want 3", found)
	}
}
