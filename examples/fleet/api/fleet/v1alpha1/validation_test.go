package v1alpha1_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

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
		change func(*v1alpha1.MachineSpec)
		want   string
	}{
		"good": {func(*v1alpha1.MachineSpec) {}, ""},
		"no texts": {
			func(s *v1alpha1.MachineSpec) { s.CPU, s.Memory, s.Zone = "", "", "" },
			"spec.zone: required value|spec.cpu: required value|spec.memory: required value",
		},
		"texts": {
			func(s *v1alpha1.MachineSpec) { s.CPU, s.Memory, s.DrainTimeout = "1.5", "much", "500ms" },
			`spec.cpu: invalid value: "1.5": must be a whole number|spec.memory: invalid value: "much": must be a quantity, such as 16Gi|` +
				`spec.drainTimeout: invalid value: "500ms": must be a duration of whole seconds, such as 5m0s`,
		},
		"numbers": {
			func(s *v1alpha1.MachineSpec) { s.CPU, s.Memory = "0", "-1" },
			`spec.cpu: invalid value: 0: must be greater than zero|spec.memory: invalid value: "-1": must be greater than zero`,
		},
		"no boot": {
			func(s *v1alpha1.MachineSpec) { s.Image = "" },
			"spec.image: required value: or netbootURL or bootDisk",
		},
		"boots": {
			func(s *v1alpha1.MachineSpec) { s.BootDisk = "d" },
			"spec.bootDisk: forbidden: a machine boots from one place, and there is image and bootDisk",
		},
		"disks": {
			func(s *v1alpha1.MachineSpec) {
				s.Disks = []v1alpha1.Disk{
					{Name: "a", Size: "1"},
					{Name: "a", Size: "x", Partitions: []v1alpha1.Partition{{}}},
				}
			},
			`spec.disks[1].size: invalid value: "x": must be a quantity, such as 16Gi|spec.disks[1].partitions[0].size: required value|spec.disks[1].name: duplicate value: "a"`,
		},
		"reserved": {
			func(s *v1alpha1.MachineSpec) { s.Reserved = map[string]string{"cpu": "x"} },
			`spec.reserved[cpu]: invalid value: "x": must be a quantity, such as 16Gi`,
		},
		"health": {
			func(s *v1alpha1.MachineSpec) { s.HealthPort = "0" },
			"spec.healthPort: invalid value: 0: the number of a port is between 1 and 65535",
		},
		"health path": {
			func(s *v1alpha1.MachineSpec) { s.HealthPath = "/" },
			"spec.healthPort: required value: there is a healthPath",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &v1alpha1.Machine{
				ObjectMeta: metav1.ObjectMeta{Name: "m"},
				Spec:       *spec(func(s *v1alpha1.MachineSpec) { s.Image = "i" }),
			}
			tt.change(&m.Spec)
			if got := report(v1alpha1.ValidateMachine(t.Context(), m)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestValidateOthers(t *testing.T) {
	t.Parallel()
	m := &v1alpha1.Machine{
		ObjectMeta: metav1.ObjectMeta{Name: "m"}, Spec: *spec(func(s *v1alpha1.MachineSpec) { s.Image = "i" }),
		Status: v1alpha1.MachineStatus{LastBoot: "noon"},
	}
	if got, want := report(v1alpha1.ValidateMachine(t.Context(), m)),
		`status.lastBoot: invalid value: "noon": must be a time, such as 2017-03-01T09:30:00Z`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p := &v1alpha1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: v1alpha1.MachinePoolSpec{
			Size: new(int32(-1)), MaxUnavailable: "some",
			Template: v1alpha1.MachineTemplate{Spec: m.Spec},
		},
	}
	want := `spec.size: invalid value: -1: must not be negative|spec.maxUnavailable: invalid value: "some": must be a number or a percentage, such as 25%`
	if got := report(v1alpha1.ValidateMachinePool(t.Context(), p)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
