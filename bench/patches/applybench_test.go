package patches_test

import (
	"bytes"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/askind/askind/patch/apply"
	"github.com/askind/askind/patch/structure"
)

// podConfig is what a client applies of podText.
var podConfig = func() []byte {
	u := read(podText).Object
	delete(u, "status")
	u["metadata"] = map[string]any{
		"name": "web-7d4b9c6f5-x2x9k", "namespace": "shop",
		"labels": map[string]any{"app": "web", "tier": "front"},
	}
	return encode(u)
}()

// sameVersion converts between a version and itself.
type sameVersion struct{ *runtime.Scheme }

func (sameVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	if u, ok := in.(*unstructured.Unstructured); ok {
		pod := &corev1.Pod{}
		return pod, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod)
	}
	in.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	return in, nil
}

func podManager(tb testing.TB) (*managedfields.FieldManager, managedfields.TypeConverter) {
	types := applyconfigurations.NewTypeConverter(clientscheme.Scheme)
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	s := sameVersion{clientscheme.Scheme}
	m, err := managedfields.NewDefaultFieldManager(types, s, s, s, gvk, gvk.GroupVersion(), "", nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m, types
}

// BenchmarkApplyUnchanged applies the same configuration again to a Pod of 10 KB.
func BenchmarkApplyUnchanged(b *testing.B) {
	manager, types := podManager(b)
	live := pod()
	live.ManagedFields = nil
	config := read(podConfig)
	first, err := manager.Apply(live, config.DeepCopy(), "web", true)
	if err != nil {
		b.Fatal(err)
	}
	typed, err := types.ObjectToTyped(live)
	if err != nil {
		b.Fatal(err)
	}
	t := fromSchema(typed.Schema(), typed.TypeRef(), map[string]*structure.Type{})
	text := encode(first)
	updater := apply.New(apply.Options{Structure: func(string) *structure.Type { return t }})
	request := apply.Request{Manager: "web", APIVersion: "v1", Time: time.Now()}
	ours, err := updater.Apply(text, podConfig, request)
	if err != nil || !bytes.Equal(ours, text) {
		b.Fatalf("the configuration changes the object: %v\n%s\n%s", err, ours, text)
	}
	b.Run("askind", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := updater.Apply(text, podConfig, request); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("managedfields", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := manager.Apply(first, config, "web", false); err != nil {
				b.Fatal(err)
			}
		}
	})
}
