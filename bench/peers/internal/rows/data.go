package rows

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/askind/askind/bench"
	"github.com/askind/askind/bench/peers/internal/kubedata"
	"github.com/askind/askind/bench/peers/internal/kubefleet"
	"github.com/askind/askind/schema"
)

// The kinds of k8s.io/api that are measured. Both libraries have the same Go types for them, ours
// with functions that were generated.
var (
	podKind        = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	podListKind    = schema.GroupVersionKind{Version: "v1", Kind: "PodList"}
	configMapKind  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	deploymentKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

// samples returns the data of the encodings, one entry for each kind of data.
func samples() []sample {
	return []sample{
		of[corev1.ConfigMap]("configmap", configMapKind, kubedata.ConfigMap, 1, "yaml", "protobuf", "cbor"),
		of[corev1.Pod]("pod", podKind, kubedata.Pod, 1, "yaml", "protobuf", "cbor"),
		of[appsv1.Deployment]("deployment", deploymentKind, kubedata.Deployment, 1, "yaml", "protobuf", "cbor"),
		of[corev1.PodList]("pods-500", podListKind, kubedata.Pods, 500, "protobuf", "cbor").itemsOf(podKind),
		of[corev1.PodList]("pods-5000", podListKind, kubedata.Pods, 5000, "protobuf").itemsOf(podKind),
		of[kubefleet.Machine]("small", bench.MachineKind, bench.Small, 1, "yaml"),
		of[kubefleet.Machine]("machine", bench.MachineKind, bench.Machine, 1, "yaml"),
		of[metav1.PartialObjectMetadata]("metadata", bench.MetadataKind, bench.Metadata, 1, "yaml", "protobuf", "cbor"),
		of[kubefleet.MachineList]("machines-500", bench.MachineListKind, bench.Machines,
			500).itemsOf(bench.MachineKind),
		of[metav1.PartialObjectMetadataList]("metadata-500", bench.MetadataListKind, bench.MetadataList, 500,
			"yaml", "protobuf", "cbor").itemsOf(bench.MetadataKind),
		of[kubefleet.MachineList]("machines-5000", bench.MachineListKind, bench.Machines,
			5000).itemsOf(bench.MachineKind),
		of[metav1.PartialObjectMetadataList]("metadata-5000", bench.MetadataListKind, bench.MetadataList, 5000,
			"protobuf").itemsOf(bench.MetadataKind),
	}
}
