package pbwire_test

import (
	"strings"

	"github.com/askind/askind/wire/internal/sample"
)

// sampleServer is an object of the size and shape of those in a cluster, with some of everything
// that protobuf can say.
func sampleServer() *sample.Server {
	s := sample.NewServer()
	s.Kind, s.APIVersion = "", "" // which are in the envelope
	*s.Spec.Replicas = -3
	s.Metadata.Generation = 1 << 40
	s.Metadata.Labels[""] = ""
	s.Metadata.Finalizers = append(s.Metadata.Finalizers, "", "foregroundDeletion")
	s.Metadata.Parent = &sample.ServerMeta{
		Name: strings.Repeat("n", 127), Namespace: strings.Repeat("n", 128),
		Parent: &sample.ServerMeta{},
	}
	s.Spec.Paused, s.Spec.Factor, s.Spec.Count = true, -0.25, 1<<32-1
	s.Spec.Limits["pods"] = -1
	s.Spec.Slots = map[int32]sample.Variable{-5: {Name: "a"}, 0: {}, 7: {Name: "b", Value: "c"}}
	s.Spec.Ports, s.Spec.Sizes, s.Spec.Flags = []int32{80, -1, 1 << 30}, []uint64{
		0, 127, 128,
		1<<64 - 1,
	}, []bool{true, false}
	s.Spec.Weights, s.Spec.Factors, s.Spec.Deltas, s.Spec.Masks = []float64{0, 1e300}, []float32{2}, []int64{-1 << 63},
		[]uint32{1, 1 << 31}
	return s
}
