package v1alpha1

import "maps"

// SetDefaultsMachinePoolSpec makes a pool without machine labels use the labels of its template.
func SetDefaultsMachinePoolSpec(s *MachinePoolSpec) {
	if s.MachineLabels == nil {
		s.MachineLabels = maps.Clone(s.Template.Labels)
	}
}
