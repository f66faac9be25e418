package meta_test

import (
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// kindOf returns the kind of an object in a scheme with the kinds of meta.k8s.io.
func kindOf(t *testing.T, obj runtime.Object) *runtime.Kind {
	t.Helper()
	s, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.KindOf(obj)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
