package v1

import "maps"

// SetDefaultsBootSource sets the discriminator of the union if exactly one member is set.
func SetDefaultsBootSource(b *BootSource) {
	if b.Type != "" {
		return
	}
	switch {
	case b.Image != nil && b.Network == nil && b.Disk == nil:
		b.Type = BootFromImage
	case b.Image == nil && b.Network != nil && b.Disk == nil:
		b.Type = BootFromNetwork
	case b.Image == nil && b.Network == nil && b.Disk != nil:
		b.Type = BootFromDisk
	}
}

// SetDefaultsMachinePoolSpec makes a pool without a selector select by the labels of its template.
func SetDefaultsMachinePoolSpec(s *MachinePoolSpec) {
	if s.Selector.MatchLabels == nil && s.Selector.MatchExpressions == nil {
		s.Selector.MatchLabels = maps.Clone(s.Template.Metadata.Labels)
	}
}

// SetDefaultsStrategy sets the limits that a rolling update needs. The defaults of the limits are
// those of their fields.
func SetDefaultsStrategy(s *Strategy) {
	if (s.Type == "" || s.Type == StrategyRollingUpdate) && s.RollingUpdate == nil {
		s.RollingUpdate = new(RollingUpdate)
	}
}
