package v1

import "github.com/askind/askind/meta/resource"

// totalDisk returns the size of all disks together. A machine without disks shows nothing.
func totalDisk(in *Machine) (string, bool) {
	var total resource.Quantity
	for _, d := range in.Spec.Disks {
		total.Add(d.Size)
	}
	return total.String(), len(in.Spec.Disks) > 0
}
