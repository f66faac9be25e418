package pbwire_test

import (
	"fmt"
	"strings"

	"github.com/askind/askind/serializer/pbwire"
)

// A kind with nested messages, pointers, maps and lists, and the code that a generator writes for it.

type machine struct {
	Metadata machineMeta
	Spec     machineSpec
	Status   machineStatus
}

type machineMeta struct {
	Name            string
	Namespace       string
	UID             string
	ResourceVersion string
	Generation      int64
	Labels          map[string]string
	Annotations     map[string]string
	Finalizers      []string
	Parent          *machineMeta // field 17, with a tag of two bytes
}

type machineSpec struct {
	Disks    []machineDisk
	Replicas *int32
	Paused   bool
	Weight   float64
	Factor   float32
	Limits   map[string]int64
	Slots    map[int32]machineEnv
	Secret   []byte
	Ports    []int32
	Sizes    []uint64
	Flags    []bool
	Weights  []float64
	Factors  []float32
	Deltas   []int64
	Masks    []uint32
	Count    uint32
}

type machineDisk struct {
	Name    string
	Image   string
	Command []string
	Env     []machineEnv
	SizeGiB int32
}

type machineEnv struct {
	Name  string
	Value string
}

type machineStatus struct {
	Phase      string
	Conditions []machineCondition
}

type machineCondition struct{ Type, Status, Reason, Message string }

const _ = pbwire.ABI1

func prependProtoMachine(w *pbwire.Writer, in *machine) {
	mark := w.Mark()
	prependProtoMachineStatus(w, &in.Status)
	w.Message(3, mark)
	mark = w.Mark()
	prependProtoMachineSpec(w, &in.Spec)
	w.Message(2, mark)
	mark = w.Mark()
	prependProtoMachineMeta(w, &in.Metadata)
	w.Message(1, mark)
}

func decodeProtoMachine(r *pbwire.Reader, out *machine) {
	for r.Next() {
		switch r.Field() {
		case 1:
			saved := r.Message()
			decodeProtoMachineMeta(r, &out.Metadata)
			r.EndMessage(saved)
		case 2:
			saved := r.Message()
			decodeProtoMachineSpec(r, &out.Spec)
			r.EndMessage(saved)
		case 3:
			saved := r.Message()
			decodeProtoMachineStatus(r, &out.Status)
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func prependProtoMachineMeta(w *pbwire.Writer, in *machineMeta) {
	if in.Parent != nil {
		mark := w.Mark()
		prependProtoMachineMeta(w, in.Parent)
		w.Message(17, mark)
	}
	w.Strings(14, in.Finalizers)
	w.StringMap(12, in.Annotations)
	w.StringMap(11, in.Labels)
	w.Int64(7, in.Generation)
	w.String(6, in.ResourceVersion)
	w.String(5, in.UID)
	w.String(3, in.Namespace)
	w.String(1, in.Name)
}

func decodeProtoMachineMeta(r *pbwire.Reader, out *machineMeta) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Name = r.String()
		case 3:
			out.Namespace = r.String()
		case 5:
			out.UID = r.String()
		case 6:
			out.ResourceVersion = r.String()
		case 7:
			out.Generation = r.Int64()
		case 11:
			r.StringMap(&out.Labels)
		case 12:
			r.StringMap(&out.Annotations)
		case 14:
			out.Finalizers = r.Strings(out.Finalizers)
		case 17:
			if out.Parent == nil {
				out.Parent = new(machineMeta)
			}
			saved := r.Message()
			decodeProtoMachineMeta(r, out.Parent)
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func prependProtoMachineSpec(w *pbwire.Writer, in *machineSpec) {
	w.Uint32(100_000, in.Count)
	for i := len(in.Masks) - 1; i >= 0; i-- {
		w.Uint32(15, in.Masks[i])
	}
	for i := len(in.Deltas) - 1; i >= 0; i-- {
		w.Int64(14, in.Deltas[i])
	}
	for i := len(in.Factors) - 1; i >= 0; i-- {
		w.Float32(13, in.Factors[i])
	}
	for i := len(in.Weights) - 1; i >= 0; i-- {
		w.Float64(12, in.Weights[i])
	}
	for i := len(in.Flags) - 1; i >= 0; i-- {
		w.Bool(11, in.Flags[i])
	}
	for i := len(in.Sizes) - 1; i >= 0; i-- {
		w.Uint64(10, in.Sizes[i])
	}
	for i := len(in.Ports) - 1; i >= 0; i-- {
		w.Int32(9, in.Ports[i])
	}
	if in.Secret != nil {
		w.BytesField(8, in.Secret)
	}
	if slots := pbwire.SortedIntKeys(in.Slots); len(slots) > 0 {
		for i := len(slots) - 1; i >= 0; i-- {
			value := in.Slots[slots[i]]
			entry := w.Mark()
			mark := w.Mark()
			prependProtoMachineEnv(w, &value)
			w.Message(2, mark)
			w.Int32(1, slots[i])
			w.Message(7, entry)
		}
	}
	if len(in.Limits) > 0 {
		keys := pbwire.SortedKeys(w, in.Limits)
		for i := len(keys) - 1; i >= 0; i-- {
			entry := w.Mark()
			w.Int64(2, in.Limits[keys[i]])
			w.String(1, keys[i])
			w.Message(6, entry)
		}
		w.ReleaseKeys(keys)
	}
	w.Float32(5, in.Factor)
	w.Float64(4, in.Weight)
	w.Bool(3, in.Paused)
	if in.Replicas != nil {
		w.Int32(2, *in.Replicas)
	}
	for i := len(in.Disks) - 1; i >= 0; i-- {
		mark := w.Mark()
		prependProtoMachineDisk(w, &in.Disks[i])
		w.Message(1, mark)
	}
}

func decodeProtoMachineSpec(r *pbwire.Reader, out *machineSpec) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Disks = pbwire.Extend(r, out.Disks)
			saved := r.Message()
			decodeProtoMachineDisk(r, &out.Disks[len(out.Disks)-1])
			r.EndMessage(saved)
		case 2:
			v := r.Int32()
			out.Replicas = &v
		case 3:
			out.Paused = r.Bool()
		case 4:
			out.Weight = r.Float64()
		case 5:
			out.Factor = r.Float32()
		case 6:
			if out.Limits == nil {
				out.Limits = make(map[string]int64, r.Count())
			}
			var key string
			var value int64
			saved := r.Message()
			for r.Next() {
				switch r.Field() {
				case 1:
					key = r.String()
				case 2:
					value = r.Int64()
				default:
					r.Unknown()
				}
			}
			r.EndMessage(saved)
			out.Limits[key] = value
		case 7:
			if out.Slots == nil {
				out.Slots = make(map[int32]machineEnv, r.Count())
			}
			var key int32
			var value machineEnv
			saved := r.Message()
			for r.Next() {
				switch r.Field() {
				case 1:
					key = r.Int32()
				case 2:
					saved := r.Message()
					decodeProtoMachineEnv(r, &value)
					r.EndMessage(saved)
				default:
					r.Unknown()
				}
			}
			r.EndMessage(saved)
			out.Slots[key] = value
		case 8:
			out.Secret = r.Bytes()
		case 9:
			out.Ports = pbwire.Int32s(r, out.Ports)
		case 10:
			out.Sizes = pbwire.Uint64s(r, out.Sizes)
		case 11:
			out.Flags = pbwire.Bools(r, out.Flags)
		case 12:
			out.Weights = pbwire.Float64s(r, out.Weights)
		case 13:
			out.Factors = pbwire.Float32s(r, out.Factors)
		case 14:
			out.Deltas = pbwire.Int64s(r, out.Deltas)
		case 15:
			out.Masks = pbwire.Uint32s(r, out.Masks)
		case 100_000:
			out.Count = r.Uint32()
		default:
			r.Unknown()
		}
	}
}

func prependProtoMachineDisk(w *pbwire.Writer, in *machineDisk) {
	w.Int32(5, in.SizeGiB)
	for i := len(in.Env) - 1; i >= 0; i-- {
		mark := w.Mark()
		prependProtoMachineEnv(w, &in.Env[i])
		w.Message(4, mark)
	}
	w.Strings(3, in.Command)
	w.String(2, in.Image)
	w.String(1, in.Name)
}

func decodeProtoMachineDisk(r *pbwire.Reader, out *machineDisk) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Name = r.String()
		case 2:
			out.Image = r.String()
		case 3:
			out.Command = r.Strings(out.Command)
		case 4:
			out.Env = pbwire.Extend(r, out.Env)
			saved := r.Message()
			decodeProtoMachineEnv(r, &out.Env[len(out.Env)-1])
			r.EndMessage(saved)
		case 5:
			out.SizeGiB = r.Int32()
		default:
			r.Unknown()
		}
	}
}

func prependProtoMachineEnv(w *pbwire.Writer, in *machineEnv) {
	w.String(2, in.Value)
	w.String(1, in.Name)
}

func decodeProtoMachineEnv(r *pbwire.Reader, out *machineEnv) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Name = r.String()
		case 2:
			out.Value = r.String()
		default:
			r.Unknown()
		}
	}
}

func prependProtoMachineStatus(w *pbwire.Writer, in *machineStatus) {
	for i := len(in.Conditions) - 1; i >= 0; i-- {
		c := &in.Conditions[i]
		mark := w.Mark()
		w.String(4, c.Message)
		w.String(3, c.Reason)
		w.String(2, c.Status)
		w.String(1, c.Type)
		w.Message(2, mark)
	}
	w.String(1, in.Phase)
}

func decodeProtoMachineStatus(r *pbwire.Reader, out *machineStatus) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Phase = r.String()
		case 2:
			out.Conditions = pbwire.Extend(r, out.Conditions)
			saved := r.Message()
			decodeProtoMachineCondition(r, &out.Conditions[len(out.Conditions)-1])
			r.EndMessage(saved)
		default:
			r.Unknown()
		}
	}
}

func decodeProtoMachineCondition(r *pbwire.Reader, out *machineCondition) {
	for r.Next() {
		switch r.Field() {
		case 1:
			out.Type = r.String()
		case 2:
			out.Status = r.String()
		case 3:
			out.Reason = r.String()
		case 4:
			out.Message = r.String()
		default:
			r.Unknown()
		}
	}
}

// sampleMachine is an object of the size and shape of those in a cluster, with some of everything.
func sampleMachine() *machine {
	replicas := int32(-3)
	m := &machine{
		Metadata: machineMeta{
			Name: "web-7d4b9c6f5-x2x9k", Namespace: "production", UID: "0f8fad5b-d9cb-469f-a165-70867728950e", ResourceVersion: "123456789", Generation: 1 << 40,
			Labels:      map[string]string{"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": "web-production", "pod-template-hash": "7d4b9c6f5", "": "", "tier": "frontend"},
			Annotations: map[string]string{"example.com/note": strings.Repeat("a long note ", 30)},
			Finalizers:  []string{"example.com/protect", "", "foregroundDeletion"},
			Parent:      &machineMeta{Name: strings.Repeat("n", 127), Namespace: strings.Repeat("n", 128), Parent: &machineMeta{}},
		},
		Spec: machineSpec{
			Replicas: &replicas, Paused: true, Weight: 1.5, Factor: -0.25, Secret: []byte("secret"), Count: 1<<32 - 1,
			Limits: map[string]int64{"cpu": 4, "memory": 1 << 33, "pods": -1},
			Slots:  map[int32]machineEnv{-5: {Name: "a"}, 0: {}, 7: {"b", "c"}},
			Ports:  []int32{80, -1, 1 << 30}, Sizes: []uint64{0, 127, 128, 1<<64 - 1}, Flags: []bool{true, false},
			Weights: []float64{0, 1e300}, Factors: []float32{2}, Deltas: []int64{-1 << 63}, Masks: []uint32{1, 1 << 31},
		},
		Status: machineStatus{Phase: "Running"},
	}
	for i := range 3 {
		disk := machineDisk{Name: fmt.Sprintf("disk-%d", i), Image: "registry.example.com/team/image:v1.2.3", Command: []string{"/bin/server", "--port=8080", "--verbose"}, SizeGiB: int32(100 * i)}
		for j := range 10 {
			disk.Env = append(disk.Env, machineEnv{fmt.Sprintf("VARIABLE_%d", j), fmt.Sprintf("value number %d of many", j)})
		}
		m.Spec.Disks = append(m.Spec.Disks, disk)
	}
	for _, t := range []string{"Ready", "Initialized", "ContainersReady", "Scheduled"} {
		m.Status.Conditions = append(m.Status.Conditions, machineCondition{t, "True", "AsExpected", "everything that this condition speaks of is as it should be"})
	}
	return m
}
