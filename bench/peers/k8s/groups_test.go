package k8s_test

import (
	kappsv1 "k8s.io/api/apps/v1"
	kcoordinationv1 "k8s.io/api/coordination/v1"
	kcorev1 "k8s.io/api/core/v1"
	keventsv1 "k8s.io/api/events/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/k8s/appsv1"
	"github.com/askind/askind/k8s/coordinationv1"
	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/k8s/eventsv1"
	"github.com/askind/askind/runtime"
)

// groups returns those that the packages below were generated for.
func groups() []func(*runtime.Builder) {
	return []func(*runtime.Builder){appsv1.AddTo, coordinationv1.AddTo, corev1.AddTo, eventsv1.AddTo}
}

// peerGroups returns the same in Kubernetes' own registration.
func peerGroups() []func(*kruntime.Scheme) error {
	return []func(*kruntime.Scheme) error{
		kappsv1.AddToScheme, kcoordinationv1.AddToScheme, kcorev1.AddToScheme, keventsv1.AddToScheme,
	}
}

// wantGoldens is the number of golden objects that belong to them and to the shared types.
const wantGoldens = 43
