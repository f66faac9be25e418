package k8s_test

import (
	"strings"
	"testing"

	kcorev1 "k8s.io/api/core/v1"
	peer "sigs.k8s.io/yaml"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/yaml"
)

// TestFileMode reads the file modes of a volume as the peer does: an integer with a leading zero is
// octal, in typed fields and in untyped ones, in block and in flow style, and with anchors, which
// leave the text to the library.
func TestFileMode(t *testing.T) {
	t.Parallel()
	f, err := serializer.NewFactory(newScheme(t), yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	none, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	untyped, err := serializer.NewFactory(none, yaml.Format())
	if err != nil {
		t.Fatal(err)
	}
	const head = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: []\n  volumes:\n"
	for _, volumes := range []string{
		"  - name: a\n    configMap:\n      name: a\n      defaultMode: 0644\n      items:\n      - {key: k, path: p, mode: 0400}\n",
		"  - {name: a, configMap: {name: a, defaultMode: 0644, items: [{key: k, path: p, mode: 0400}]}}\n",
		"  - name: a\n    configMap:\n      name: &a a\n      defaultMode: 0644\n      items:\n      - {key: k, path: p, mode: 0400}\n",
		"  - name: a\n    configMap:\n      name: a\n      defaultMode: 420\n      items:\n      - {key: k, path: p, mode: 0o400}\n",
	} {
		text := []byte(head + volumes)
		var want kcorev1.Pod
		if err := peer.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		source := want.Spec.Volumes[0].ConfigMap
		if *source.DefaultMode != 0o644 || *source.Items[0].Mode != 0o400 {
			t.Fatalf("the peer reads %d and %d", *source.DefaultMode, *source.Items[0].Mode)
		}
		pod, err := serializer.Decode[kcorev1.Pod](f, text, serializer.DecodeOptions{
			Strictness: serializer.FailOnProblems,
		})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := pod.Spec.Volumes[0].ConfigMap; *got.DefaultMode != 0o644 || *got.Items[0].Mode != 0o400 {
			t.Errorf("%s: %d and %d", text, *got.DefaultMode, *got.Items[0].Mode)
		}

		obj, err := untyped.Decode(text, serializer.DecodeOptions{Unknown: unstructured.Kind})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		out, err := untyped.Append(nil, obj, serializer.EncodeOptions{})
		if err != nil || !strings.Contains(string(out), "defaultMode: 420\n") ||
			!strings.Contains(string(out), "mode: 256\n") {
			t.Errorf("%s is written untyped as %s, %v", text, out, err)
		}
	}
}
