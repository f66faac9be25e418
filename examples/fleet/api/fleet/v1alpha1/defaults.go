package v1alpha1

import "maps"

// SetDefaultsMachinePoolSpec makes a pool that does not say by which labels it finds its machines
// use those of its template.
func SetDefaultsMachinePoolSpec(s *MachinePoolSpec) {
	if s.MachineLabels == nil {
		s.MachineLabels = maps.Clone(s.Template.Labels)
	}
}
