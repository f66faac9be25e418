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
			"spec.zone: Required value|spec.cpu: Required value|spec.memory: Required value",
		},
		"texts": {
			func(s *v1alpha1.MachineSpec) { s.CPU, s.Memory, s.DrainTimeout = "1.5", "much", "500ms" },
			`spec.cpu: Invalid value: "1.5": must be a whole number|spec.memory: Invalid value: "much": must be a quantity, such as 16Gi|` +
				`spec.drainTimeout: Invalid value: "500ms": must be a duration of whole seconds, such as 5m0s`,
		},
		"numbers": {
			func(s *v1alpha1.MachineSpec) { s.CPU, s.Memory = "0", "-1" },
			`spec.cpu: Invalid value: 0: must be greater than zero|spec.memory: Invalid value: "-1": must be greater than zero`,
		},
		"no boot": {
			func(s *v1alpha1.MachineSpec) { s.Image = "" },
			"spec.image: Required value: or netbootURL or bootDisk",
		},
		"boots": {
			func(s *v1alpha1.MachineSpec) { s.BootDisk = "d" },
			"spec.bootDisk: Forbidden: a machine boots from one place, and there is image and bootDisk",
		},
		"disks": {
			func(s *v1alpha1.MachineSpec) {
				s.Disks = []v1alpha1.Disk{
					{Name: "a", Size: "1"},
					{Name: "a", Size: "x", Partitions: []v1alpha1.Partition{{}}},
				}
			},
			`spec.disks[1].size: Invalid value: "x": must be a quantity, such as 16Gi|spec.disks[1].partitions[0].size: Required value|spec.disks[1].name: Duplicate value: "a"`,
		},
		"reserved": {
			func(s *v1alpha1.MachineSpec) { s.Reserved = map[string]string{"cpu": "x"} },
			`spec.reserved[cpu]: Invalid value: "x": must be a quantity, such as 16Gi`,
		},
		"health": {
			func(s *v1alpha1.MachineSpec) { s.HealthPort = "0" },
			"spec.healthPort: Invalid value: 0: the number of a port is between 1 and 65535",
		},
		"health path": {
			func(s *v1alpha1.MachineSpec) { s.HealthPath = "/" },
			"spec.healthPort: Required value: there is a healthPath",
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
		`status.lastBoot: Invalid value: "noon": must be a time, such as 2017-03-01T09:30:00Z`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p := &v1alpha1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: v1alpha1.MachinePoolSpec{
			Size: new(int32(-1)), MaxUnavailable: "some",
			Template: v1alpha1.MachineTemplate{Spec: m.Spec},
		},
	}
	want := `spec.size: Invalid value: -1: must not be negative|spec.maxUnavailable: Invalid value: "some": must be a number or a percentage, such as 25%`
	if got := report(v1alpha1.ValidateMachinePool(t.Context(), p)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
