package rows

import (
	"encoding/json"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/applyconfigurations"
	kscheme "k8s.io/client-go/kubernetes/scheme"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubedata"
	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/patch/structure"
)

// evanphx is the library that kube-apiserver has for JSON patches and merge patches.
const evanphx = "evanphx/json-patch"

// The patches change a label, and the image and a variable of a container.
const (
	jsonPatch = `[{"op":"test","path":"/spec/containers/1/name","value":"proxy"},` +
		`{"op":"replace","path":"/spec/containers/1/image","value":"proxy:2"},` +
		`{"op":"add","path":"/metadata/labels/x","value":"y"}]`
	mergePatch = `{"metadata":{"labels":{"x":"y","pod-template-hash":null}},` +
		`"spec":{"nodeName":"node-18","securityContext":{"runAsNonRoot":true}}}`
	strategicPatch = `{"metadata":{"labels":{"x":"y","pod-template-hash":null}},` +
		`"spec":{"$setElementOrder/containers":[{"name":"ingest"},{"name":"proxy"}],"containers":[{"name":"proxy",` +
		`"image":"proxy:2","env":[{"name":"LOG_LEVEL","value":"debug"},{"name":"NEW","value":"y"}]}]}}`
)

// patchRows are patches of a pod, parsed and applied to its JSON.
func patchRows(w *world) []*compare.Row {
	return []*compare.Row{
		w.patchRow("json", patch.JSON, jsonPatch, peer(evanphx, func() (compare.Work, error) {
			return w.patching(func(pod []byte) ([]byte, error) {
				p, err := jsonpatch.DecodePatch([]byte(jsonPatch))
				if err != nil {
					return nil, err
				}
				return p.Apply(pod)
			})
		})),
		w.patchRow("merge", patch.Merge, mergePatch, peer(evanphx, func() (compare.Work, error) {
			return w.patching(func(pod []byte) ([]byte, error) {
				return jsonpatch.MergePatch(pod, []byte(mergePatch))
			})
		})),
		w.patchRow("strategic", patch.Strategic, strategicPatch, peer(kube, func() (compare.Work, error) {
			return w.patching(func(pod []byte) ([]byte, error) {
				return strategicpatch.StrategicMergePatch(pod, []byte(strategicPatch), corev1.Pod{})
			})
		})),
		w.applyRow(),
	}
}

// patchRow has our side and one peer, which may order members differently.
func (w *world) patchRow(name string, t patch.Type, text string, theirs compare.Subject) *compare.Row {
	theirs.Same = sameContent
	return newRow("Patches", "patch/"+name+"/pod",
		peer(ours, with(w.podStructure, func(s *structure.Type) (compare.Work, error) {
			return w.patching(func(pod []byte) ([]byte, error) {
				p, err := patch.Parse(t, []byte(text), patch.Options{Structure: s})
				if err != nil {
					return nil, err
				}
				return p.Append(nil, pod)
			})
		})), theirs)
}

// patching is work on the JSON of a pod. Each run allocates its result, because the peers cannot
// write into memory of the caller.
func (w *world) patching(change func(pod []byte) ([]byte, error)) (compare.Work, error) {
	pod, err := json.Marshal(kubedata.Pod(1))
	if err != nil {
		return compare.Work{}, err
	}
	return encoding(func([]byte) ([]byte, error) { return change(pod) })
}

// podStructure returns what the generator wrote about the fields of pods.
func (w *world) podStructure() (*structure.Type, error) {
	k, err := w.ours.Scheme().Kind(podKind)
	if err != nil {
		return nil, err
	}
	return structure.Of(k), nil
}

// applyRow applies the same configuration to a pod again.
func (w *world) applyRow() *compare.Row {
	return newRow("Patches", "patch/apply-unchanged/pod",
		peer(ours, with(w.podStructure, func(s *structure.Type) (compare.Work, error) {
			_, live, config, err := appliedPod()
			if err != nil {
				return compare.Work{}, err
			}
			updater := apply.New(apply.Options{Structure: func(string) *structure.Type { return s }})
			request := apply.Request{Manager: "web", APIVersion: "v1", Time: time.Now()}
			text, err := json.Marshal(live)
			if err != nil {
				return compare.Work{}, err
			}
			configText, err := json.Marshal(config)
			if err != nil {
				return compare.Work{}, err
			}
			return encoding(func([]byte) ([]byte, error) { return updater.Apply(text, configText, request) })
		})),
		compare.Subject{
			Name: kube, Same: sameContent,
			Note: "takes and returns objects that are decoded",
			Prepare: func() (compare.Work, error) {
				manager, live, config, err := appliedPod()
				if err != nil {
					return compare.Work{}, err
				}
				return making(func() (any, error) { return manager.Apply(live, config, "web", false) })
			},
		})
}

// appliedPod returns a pod to which a configuration has been applied once.
func appliedPod() (*managedfields.FieldManager, kruntime.Object, *unstructured.Unstructured, error) {
	s := onlyVersion{kscheme.Scheme}
	manager, err := managedfields.NewDefaultFieldManager(applyconfigurations.NewTypeConverter(kscheme.Scheme),
		s, s, s, corev1.SchemeGroupVersion.WithKind("Pod"), corev1.SchemeGroupVersion, "", nil)
	if err != nil {
		return nil, nil, nil, err
	}
	pod := kubedata.Pod(1)
	pod.ManagedFields = nil
	applied := pod.DeepCopy()
	applied.Status = corev1.PodStatus{}
	config, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(applied)
	if err != nil {
		return nil, nil, nil, err
	}
	delete(config, "status")
	config["metadata"] = map[string]any{
		"name": pod.Name, "namespace": pod.Namespace, "labels": config["metadata"].(map[string]any)["labels"],
	}
	u := &unstructured.Unstructured{Object: config}
	live, err := manager.Apply(pod, u.DeepCopy(), "web", true)
	return manager, live, u, err
}

// onlyVersion converts between a version and itself.
type onlyVersion struct{ *kruntime.Scheme }

func (onlyVersion) ConvertToVersion(in kruntime.Object, _ kruntime.GroupVersioner) (kruntime.Object, error) {
	if u, ok := in.(*unstructured.Unstructured); ok {
		pod := &corev1.Pod{}
		return pod, kruntime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod)
	}
	in.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	return in, nil
}
