package k8s_test

import (
	"strings"
	"testing"

	kappsv1 "k8s.io/api/apps/v1"
	kcorev1 "k8s.io/api/core/v1"
	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/k8s/appsv1"
	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/runtime"
)

// TestRedact checks that no secret is left in lists, in managed fields, and in the RawExtension of
// k8s.io/apimachinery.
func TestRedact(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(corev1.AddTo, appsv1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	const text = "hunter2"
	held := &kcorev1.Secret{
		ObjectMeta: kmetav1.ObjectMeta{Name: "open", ManagedFields: []kmetav1.ManagedFieldsEntry{{
			Manager: "open", FieldsV1: kmetav1.NewFieldsV1(`{"f:stringData":{"v:\"` + text + `\"":{}}}`),
		}}},
		StringData: map[string]string{"password": text},
	}
	for _, obj := range []runtime.Object{
		&kcorev1.SecretList{Items: []kcorev1.Secret{*held}},
		&kappsv1.ControllerRevision{Data: kruntime.RawExtension{Object: held}},
		&kappsv1.ControllerRevision{Data: kruntime.RawExtension{
			Raw: []byte(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"open"},"stringData":{"password":"` + text + `"}}`),
		}},
	} {
		out, err := scheme.Redact(obj)
		if err != nil {
			t.Fatal(err)
		}
		k, err := scheme.KindOf(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.AppendJSON(nil, out)
		if err != nil || strings.Contains(string(got), text) || !strings.Contains(string(got), `"name":"open"`) {
			t.Errorf("%T: %s, %v", obj, got, err)
		}
	}
}
