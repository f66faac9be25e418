package k8s_test

import (
	"testing"

	kcorev1 "k8s.io/api/core/v1"

	"github.com/askind/askind/k8s/corev1"
)

// TestValidPod holds that no check of a valid pod of ten kilobytes allocates, whether it is new or
// compared with the one before.
func TestValidPod(t *testing.T) {
	b := newBench(t)
	if len(b.data) < 10_000 {
		t.Fatalf("the pod has %d bytes", len(b.data))
	}
	ctx, old := t.Context(), b.pod.DeepCopy()
	for _, before := range []*kcorev1.Pod{nil, old} {
		if errs := corev1.CheckFieldsPod(ctx, b.pod, before); errs != nil {
			t.Fatal(errs)
		}
		if n := testing.AllocsPerRun(100, func() { corev1.CheckFieldsPod(ctx, b.pod, before) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	s := newBench(b)
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if errs := corev1.CheckFieldsPod(ctx, s.pod, nil); errs != nil {
			b.Fatal(errs)
		}
	}
}
