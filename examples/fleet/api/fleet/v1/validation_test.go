package v1_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func quantity(t *testing.T, s string) resource.Quantity {
	t.Helper()
	q, err := resource.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// machine returns a machine that is valid once it has its defaults.
func machine(t *testing.T) *v1.Machine {
	t.Helper()
	return &v1.Machine{
		ObjectMeta: metav1.ObjectMeta{Name: "m"},
		Spec: v1.MachineSpec{
			Zone:     "z",
			Hardware: v1.Hardware{Cores: 2, Memory: quantity(t, "1Gi")},
			Boot:     v1.BootSource{Disk: &v1.BootDisk{Name: "root", Partition: "system"}},
			Disks: []v1.Disk{{
				Name: "root", Size: quantity(t, "10Gi"),
				Partitions: []v1.Partition{
					{Label: "efi", Size: quantity(t, "1Gi")},
					{Label: "system", Size: quantity(t, "9Gi")},
				},
			}},
			HealthCheck: &v1.HealthCheck{Port: intstr.FromInt32(80)},
		},
	}
}

func pool(t *testing.T) *v1.MachinePool {
	t.Helper()
	return &v1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: v1.MachinePoolSpec{
			Template: v1.MachineTemplate{Metadata: v1.TemplateMetadata{Labels: map[string]string{
				"app":  "p",
				"tier": "x",
			}}, Spec: machine(t).Spec},
		},
	}
}

// report joins findings by bars.
func report(errs runtime.FieldErrors) string {
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "|")
}

func TestValidateMachine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*v1.Machine)
		want   string
	}{
		"good": {func(*v1.Machine) {}, ""},
		"bare": {
			func(m *v1.Machine) { *m = v1.Machine{} },
			"spec.zone: Required value|spec.hardware.cores: Invalid value: 0: must be greater than or equal to 1|" +
				`spec.hardware.memory: Invalid value: "0": must be greater than zero|spec.boot.type: Required value: one of Image, Network, Disk`,
		},
		"pool": {
			func(m *v1.Machine) { m.Spec.PoolName = "a b" },
			`spec.poolName: Invalid value: "a b": a name consists of lower-case letters, digits, hyphens and dots, and begins and ends with a letter or digit`,
		},
		"architecture": {
			func(m *v1.Machine) { m.Spec.Hardware.Architecture = "arm46" },
			`spec.hardware.architecture: Unsupported value: "arm46": supported values: "amd64", "arm64" (did you mean "arm64"?)`,
		},
		"two sources": {
			func(m *v1.Machine) { m.Spec.Boot.Type, m.Spec.Boot.Image = v1.BootFromDisk, &v1.BootImage{} },
			"spec.boot.image.name: Required value|spec.boot.image: Forbidden: type is Disk",
		},
		"network": {
			func(m *v1.Machine) { m.Spec.Boot = v1.BootSource{Network: &v1.BootNetwork{}} },
			"spec.boot.network.url: Required value",
		},
		"boot disk": {
			func(m *v1.Machine) { m.Spec.Boot.Disk.Name = "rot" },
			`spec.boot.disk.name: Unsupported value: "rot": supported values: "root" (did you mean "root"?)`,
		},
		"boot partition": {
			func(m *v1.Machine) { m.Spec.Boot.Disk.Partition = "data" },
			`spec.boot.disk.partition: Invalid value: "data": the disk has no such partition`,
		},
		"whole disk": {
			func(m *v1.Machine) { m.Spec.Boot.Disk.Partition, m.Spec.Disks[0].Partitions = "", nil },
			"",
		},
		"disk": {
			func(m *v1.Machine) { m.Spec.Disks = append(m.Spec.Disks, v1.Disk{Name: "root", Medium: "Tape"}) },
			`spec.disks[1].medium: Unsupported value: "Tape": supported values: "SSD", "HDD"|spec.disks[1].size: Invalid value: "0": must be greater than zero|spec.disks[1].name: Duplicate value: "root"`,
		},
		"partitions": {
			func(m *v1.Machine) { m.Spec.Disks[0].Partitions[0].Size = quantity(t, "2Gi") },
			`spec.disks[0].partitions[1].size: Invalid value: "9Gi": the partitions need 11Gi of a disk of 10Gi`,
		},
		"reserved": {
			func(m *v1.Machine) { m.Spec.Reserved = map[string]resource.Quantity{"cpu": quantity(t, "-1")} },
			`spec.reserved[cpu]: Invalid value: "-1": must be greater than zero`,
		},
		"port": {
			func(m *v1.Machine) { m.Spec.HealthCheck.Port = intstr.FromInt32(0) },
			"spec.healthCheck.port: Invalid value: 0: the number of a port is between 1 and 65535",
		},
		"threshold": {
			func(m *v1.Machine) { m.Spec.HealthCheck.FailureThreshold = new(int32) },
			"spec.healthCheck.failureThreshold: Invalid value: 0: must be greater than or equal to 1",
		},
		"interval": {
			func(m *v1.Machine) { m.Spec.HealthCheck.Interval = new(metav1.NewDuration(time.Millisecond)) },
			`spec.healthCheck.interval: Invalid value: "1ms": must be whole seconds`,
		},
		"power": {
			func(m *v1.Machine) { m.Spec.PowerState = "on" },
			`spec.powerState: Unsupported value: "on": supported values: "On", "Off" (did you mean "On"?)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := machine(t)
			tt.change(m)
			if err := v1.DefaultMachine(m); err != nil {
				t.Fatal(err)
			}
			if got := report(v1.CheckFieldsMachine(t.Context(), m, nil)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestValidateMachinePool(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*v1.MachinePoolSpec)
		want   string
	}{
		"good":        {func(*v1.MachinePoolSpec) {}, ""},
		"no replicas": {func(s *v1.MachinePoolSpec) { s.Replicas = new(int32) }, ""},
		"replicas": {
			func(s *v1.MachinePoolSpec) { s.Replicas = new(int32(-3)) },
			"spec.replicas: Invalid value: -3: must be greater than or equal to 0",
		},
		"no labels": {
			func(s *v1.MachinePoolSpec) { s.Template.Metadata.Labels = nil },
			"spec.selector: Required value: it would select every machine",
		},
		"other labels": {
			func(s *v1.MachinePoolSpec) {
				s.Selector.MatchLabels = map[string]string{"app": "q", "tier": "x", "a": ""}
			},
			`spec.selector.matchLabels[a]: Invalid value: "": the template does not have this label|spec.selector.matchLabels[app]: Invalid value: "q": the template does not have this label`,
		},
		"template": {
			func(s *v1.MachinePoolSpec) { s.Template.Spec.Zone = "" },
			"spec.template.spec.zone: Required value",
		},
		"strategy": {
			func(s *v1.MachinePoolSpec) { s.Strategy.Type = "OnDelet" },
			`spec.strategy.type: Unsupported value: "OnDelet": supported values: "RollingUpdate", "OnDelete" (did you mean "OnDelete"?)`,
		},
		"other strategy": {
			func(s *v1.MachinePoolSpec) {
				s.Strategy = v1.Strategy{Type: v1.StrategyOnDelete, RollingUpdate: &v1.RollingUpdate{}}
			},
			"spec.strategy.rollingUpdate: Forbidden: type is OnDelete",
		},
		"share": {
			func(s *v1.MachinePoolSpec) {
				s.Strategy.RollingUpdate = &v1.RollingUpdate{MaxSurge: new(intstr.FromString("all"))}
			},
			`spec.strategy.rollingUpdate.maxSurge: Invalid value: "all": must be a number or a percentage, such as 25%`,
		},
		"zones": {
			func(s *v1.MachinePoolSpec) { s.Zones = []string{"a", "a"} },
			`spec.zones[1]: Duplicate value: "a"`,
		},
		"cooldown": {
			func(s *v1.MachinePoolSpec) { s.Cooldown = new(metav1.NewDuration(-time.Second)) },
			`spec.cooldown: Invalid value: "-1s": must not be negative`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pool(t)
			tt.change(&p.Spec)
			if err := v1.DefaultMachinePool(p); err != nil {
				t.Fatal(err)
			}
			if got := report(v1.CheckFieldsMachinePool(t.Context(), p, nil)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	if got := report(v1.ValidateMachinePool(t.Context(),
		&v1.MachinePool{
			Spec: v1.MachinePoolSpec{Strategy: v1.Strategy{Type: v1.StrategyRollingUpdate}},
		})); !strings.Contains(got, "spec.strategy.rollingUpdate: Required value: type is RollingUpdate") {
		t.Errorf("without defaults: got\n%s", got)
	}
}
