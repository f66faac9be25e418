package v1beta1

import "maps"

// SetDefaultsBootSource sets the discriminator of the union if exactly one member is set.
func SetDefaultsBootSource(b *BootSource) {
	if b.Type != "" {
		return
	}
	switch {
	case b.Image != nil && b.Network == nil && b.Disk == "":
		b.Type = BootFromImage
	case b.Image == nil && b.Network != nil && b.Disk == "":
		b.Type = BootFromNetwork
	case b.Image == nil && b.Network == nil && b.Disk != "":
		b.Type = BootFromDisk
	}
}

// SetDefaultsMachinePoolSpec makes a pool without a selector select by the labels of its template.
func SetDefaultsMachinePoolSpec(s *MachinePoolSpec) {
	if s.Selector.MatchLabels == nil && s.Selector.MatchExpressions == nil {
		s.Selector.MatchLabels = maps.Clone(s.Template.Metadata.Labels)
	}
}
