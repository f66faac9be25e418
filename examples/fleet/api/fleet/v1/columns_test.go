package v1_test

import (
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
)

// TestDiskColumn reads the cell that a function of this package makes.
func TestDiskColumn(t *testing.T) {
	t.Parallel()
	two := machine(t)
	two.Spec.Disks = append(two.Spec.Disks, v1.Disk{Size: quantity(t, "6Gi")})
	none := machine(t)
	none.Spec.Disks = nil
	for name, tt := range map[string]struct {
		in   *v1.Machine
		want any
	}{
		"one":  {machine(t), "10Gi"},
		"two":  {two, "16Gi"},
		"none": {none, nil},
	} {
		var table metav1.Table
		if err := v1.MachineAsTable(tt.in, &table, nil); err != nil {
			t.Fatal(err)
		}
		for i, c := range table.ColumnDefinitions {
			if got := table.Rows[0].Cells[i]; c.Name == "Disk" && got != tt.want {
				t.Errorf("%s: got %v, want %v", name, got, tt.want)
			}
		}
	}
}
