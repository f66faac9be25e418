package v1_test

import (
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
)

func TestDefaultMachine(t *testing.T) {
	t.Parallel()
	m := machine(t)
	if err := v1.DefaultMachine(m); err != nil {
		t.Fatal(err)
	}
	s := &m.Spec
	if s.Hardware.Architecture != v1.ArchitectureAMD64 || s.PowerState != v1.PowerOn ||
		s.DrainTimeout.Duration != 5*time.Minute {
		t.Errorf("got %+v", s)
	}
	if s.Disks[0].Medium != v1.MediumSSD || s.Disks[0].Partitions[1].FileSystem != "ext4" {
		t.Errorf("got %+v", s.Disks)
	}
	if h := s.HealthCheck; h.Path != "/healthz" || h.Interval.Duration != 10*time.Second || *h.FailureThreshold != 3 {
		t.Errorf("got %+v", h)
	}
}

func TestSetDefaultsBootSource(t *testing.T) {
	t.Parallel()
	image, network, disk := &v1.BootImage{}, &v1.BootNetwork{}, &v1.BootDisk{}
	for name, tt := range map[string]struct {
		in   v1.BootSource
		want v1.BootType
	}{
		"image":   {v1.BootSource{Image: image}, v1.BootFromImage},
		"network": {v1.BootSource{Network: network}, v1.BootFromNetwork},
		"disk":    {v1.BootSource{Disk: disk}, v1.BootFromDisk},
		"nothing": {v1.BootSource{}, ""},
		"two":     {v1.BootSource{Image: image, Disk: disk}, ""},
		"stated":  {v1.BootSource{Type: v1.BootFromDisk, Image: image}, v1.BootFromDisk},
	} {
		v1.SetDefaultsBootSource(&tt.in)
		if tt.in.Type != tt.want {
			t.Errorf("%s: got %q, want %q", name, tt.in.Type, tt.want)
		}
	}
}

func TestDefaultMachinePool(t *testing.T) {
	t.Parallel()
	p := pool(t)
	if err := v1.DefaultMachinePool(p); err != nil {
		t.Fatal(err)
	}
	s := &p.Spec
	if *s.Replicas != 1 || s.Selector.MatchLabels["app"] != "p" {
		t.Errorf("got %+v", s)
	}
	s.Selector.MatchLabels["app"] = "changed"
	if s.Template.Metadata.Labels["app"] != "p" {
		t.Error("the selector shares its labels with the template")
	}
	if u := s.Strategy.RollingUpdate; s.Strategy.Type != v1.StrategyRollingUpdate ||
		u.MaxUnavailable.String() != "25%" || u.MaxSurge.String() != "1" {
		t.Errorf("got %+v", s.Strategy)
	}
	other := v1.Strategy{Type: v1.StrategyOnDelete}
	if err := v1.DefaultStrategy(&other); err != nil || other.RollingUpdate != nil {
		t.Errorf("got %+v, %v", other, err)
	}
}
