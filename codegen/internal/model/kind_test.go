package model

import "testing"

func TestPlural(t *testing.T) {
	t.Parallel()
	for singular, want := range map[string]string{
		"machine": "machines", "policy": "policies", "gateway": "gateways", "status": "statuses", "box": "boxes",
		"batch": "batches",
		"mesh":  "meshes", "endpoints": "endpoints", "machinepool": "machinepools", "y": "ys",
	} {
		if got := Plural(singular); got != want {
			t.Errorf("%s: got %s, want %s", singular, got, want)
		}
	}
}

func TestOpName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op         Op
		name, want string
	}{
		{DeepCopyInto, "Machine", "DeepCopyIntoMachine"},
		{DeepCopyInto, "machine", "deepCopyIntoMachine"},
		{AppendJSONFields, "Machine", "AppendJSONMachineFields"},
		{DecodeJSON, "änderung", "decodeJSONÄnderung"},
	} {
		if got := tt.op.Name(tt.name); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
