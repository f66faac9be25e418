package v1alpha1_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
)

// spec returns a spec that can be converted.
func spec(change func(*v1alpha1.MachineSpec)) *v1alpha1.MachineSpec {
	s := &v1alpha1.MachineSpec{Zone: "z", CPU: "2", Memory: "1Gi"}
	change(s)
	return s
}

// TestBoot converts three fields to a union and back.
func TestBoot(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   *v1alpha1.MachineSpec
		want v1.BootSource
	}{
		"image": {spec(func(s *v1alpha1.MachineSpec) { s.Image = "i" }), v1.BootSource{
			Type:  v1.BootFromImage,
			Image: &v1.BootImage{Name: "i"},
		}},
		"network": {spec(func(s *v1alpha1.MachineSpec) { s.NetbootURL = "u" }), v1.BootSource{
			Type:    v1.BootFromNetwork,
			Network: &v1.BootNetwork{URL: "u"},
		}},
		"disk": {spec(func(s *v1alpha1.MachineSpec) { s.BootDisk = "d" }), v1.BootSource{
			Type: v1.BootFromDisk,
			Disk: &v1.BootDisk{Name: "d"},
		}},
		"nothing": {spec(func(*v1alpha1.MachineSpec) {}), v1.BootSource{}},
	} {
		hub := v1.MachineSpec{Boot: v1.BootSource{Type: "old", Image: &v1.BootImage{}}} // must not shine through
		if err := v1alpha1.ConvertMachineSpecToV1(tt.in, &hub, nil); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, hub.Boot); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		back := v1alpha1.MachineSpec{Image: "old", NetbootURL: "old", BootDisk: "old"}
		if err := v1alpha1.ConvertMachineSpecFromV1(&hub, &back, nil); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.in, &back); d != "" {
			t.Errorf("%s, back (-want +got):\n%s", name, d)
		}
	}
}

// TestTexts checks that a text which does not say what it must is an error that names the field.
func TestTexts(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*v1alpha1.Machine){
		`spec.cpu: "two" is not a whole number`:               func(m *v1alpha1.Machine) { m.Spec.CPU = "two" },
		"spec.cpu: value 99999999999 does not fit into int32": func(m *v1alpha1.Machine) { m.Spec.CPU = "99999999999" },
		`spec.memory: `:        func(m *v1alpha1.Machine) { m.Spec.Memory = "1 Gi" },
		`spec.reserved[cpu]: `: func(m *v1alpha1.Machine) { m.Spec.Reserved = map[string]string{"cpu": ""} },
		`spec.disks[1].partitions[0].size: `: func(m *v1alpha1.Machine) {
			m.Spec.Disks = []v1alpha1.Disk{{Size: "1"}, {Size: "1", Partitions: []v1alpha1.Partition{{Size: "?"}}}}
		},
		`spec.drainTimeout: invalid duration "soon"`:    func(m *v1alpha1.Machine) { m.Spec.DrainTimeout = "soon" },
		`status.lastBoot: parsing time "yesterday" as `: func(m *v1alpha1.Machine) { m.Status.LastBoot = "yesterday" },
	} {
		m := &v1alpha1.Machine{Spec: *spec(func(*v1alpha1.MachineSpec) {})}
		change(m)
		if err := v1alpha1.ConvertMachineToV1(m, &v1.Machine{}, nil); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestStates checks that the words of both versions stand for each other, and that others are
// passed on.
func TestStates(t *testing.T) {
	t.Parallel()
	seen := map[v1.MachinePhase]bool{}
	for _, state := range []v1alpha1.MachineState{
		v1alpha1.MachineOrdered, v1alpha1.MachineStarting, v1alpha1.MachineUp, v1alpha1.MachineDown,
		v1alpha1.MachineServiced, v1alpha1.MachineBroken, "", "Unheard",
	} {
		var hub v1.MachineStatus
		if err := v1alpha1.ConvertMachineStatusToV1(&v1alpha1.MachineStatus{State: state}, &hub, nil); err != nil {
			t.Fatal(err)
		}
		if seen[hub.Phase] {
			t.Errorf("two states are %q", hub.Phase)
		}
		seen[hub.Phase] = true
		var back v1alpha1.MachineStatus
		if err := v1alpha1.ConvertMachineStatusFromV1(&hub, &back, nil); err != nil {
			t.Fatal(err)
		}
		if back.State != state {
			t.Errorf("%q becomes %q, which becomes %q", state, hub.Phase, back.State)
		}
	}
}

func TestZones(t *testing.T) {
	t.Parallel()
	for _, zones := range []string{"", "a", "a,b,c"} {
		in := v1alpha1.MachinePoolSpec{
			Zones:    zones,
			Template: v1alpha1.MachineTemplate{Spec: *spec(func(*v1alpha1.MachineSpec) {})},
		}
		var hub v1.MachinePoolSpec
		if err := v1alpha1.ConvertMachinePoolSpecToV1(&in, &hub, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(hub.Zones, ","); got != zones || (hub.Zones == nil) != (zones == "") {
			t.Errorf("%q becomes %q", zones, hub.Zones)
		}
		var back v1alpha1.MachinePoolSpec
		if err := v1alpha1.ConvertMachinePoolSpecFromV1(&hub, &back, nil); err != nil {
			t.Fatal(err)
		}
		if back.Zones != zones {
			t.Errorf("%q comes back as %q", zones, back.Zones)
		}
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	p := &v1alpha1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{
			Name: "p", Namespace: "n", UID: "u", ResourceVersion: "7",
			Labels: map[string]string{"not": "shown"},
		},
		Spec:   v1alpha1.MachinePoolSpec{Size: new(int32(3)), MachineLabels: map[string]string{"b": "2", "a": "1"}},
		Status: v1alpha1.MachinePoolStatus{Size: 2},
	}
	var got metav1.Scale
	if err := v1alpha1.MachinePoolAsScale(p, &got, nil); err != nil {
		t.Fatal(err)
	}
	want := metav1.Scale{
		TypeMeta:   metav1.TypeMeta{Kind: "Scale", APIVersion: "meta.k8s.io/v1"},
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", UID: "u", ResourceVersion: "7"},
		Spec:       metav1.ScaleSpec{Replicas: 3},
		Status:     metav1.ScaleStatus{Replicas: 2, Selector: "a=1,b=2"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	got.Spec.Replicas = 5
	if err := v1alpha1.UpdateMachinePoolFromScale(&got, p, nil); err != nil || *p.Spec.Size != 5 {
		t.Errorf("got %d, %v", *p.Spec.Size, err)
	}
}
