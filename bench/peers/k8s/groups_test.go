package k8s_test

import (
	"github.com/askind/askind/bench/peers/k8s/appsv1"
	"github.com/askind/askind/bench/peers/k8s/corev1"
	"github.com/askind/askind/runtime"
)

// groups are those that the packages below were generated for.
func groups() []func(*runtime.Builder) {
	return []func(*runtime.Builder){appsv1.AddTo, corev1.AddTo}
}

// wantGoldens is the number of golden objects that belong to them and to the shared types.
const wantGoldens = 41
