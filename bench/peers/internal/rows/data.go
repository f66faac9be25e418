package rows

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/askind/askind/bench"
	"github.com/askind/askind/bench/peers/internal/kubefleet"
	ourv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	ourmeta "github.com/askind/askind/meta/v1"
)

// samples is the data of the encodings. A kind of k8s.io/api takes one entry, such as
//
//	of[corev1.Pod]("pod", schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, func() *corev1.Pod { … }, "yaml", "protobuf")
//
// once functions for it were generated and its package is added to both schemes.
func samples() []sample {
	return []sample{
		of[kubefleet.Machine]("small", bench.MachineKind, func() *ourv1.Machine { return bench.Small(1) }, "yaml"),
		of[kubefleet.Machine]("machine", bench.MachineKind, func() *ourv1.Machine { return bench.Machine(1) }, "yaml"),
		of[metav1.PartialObjectMetadata]("metadata", bench.MetadataKind, func() *ourmeta.PartialObjectMetadata { return bench.Metadata(1) }, "yaml", "protobuf", "cbor"),
		of[kubefleet.MachineList]("machines-500", bench.MachineListKind, func() *ourv1.MachineList { return bench.Machines(500) }).itemsOf(bench.MachineKind),
		of[metav1.PartialObjectMetadataList]("metadata-500", bench.MetadataListKind, func() *ourmeta.PartialObjectMetadataList { return bench.MetadataList(500) }, "yaml", "protobuf", "cbor").itemsOf(bench.MetadataKind),
		of[kubefleet.MachineList]("machines-5000", bench.MachineListKind, func() *ourv1.MachineList { return bench.Machines(5000) }).itemsOf(bench.MachineKind).asHeavy(),
		of[metav1.PartialObjectMetadataList]("metadata-5000", bench.MetadataListKind, func() *ourmeta.PartialObjectMetadataList { return bench.MetadataList(5000) }, "protobuf").itemsOf(bench.MetadataKind).asHeavy(),
	}
}
