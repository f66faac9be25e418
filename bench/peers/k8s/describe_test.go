package k8s_test

import (
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	kcorev1 "k8s.io/api/core/v1"
	kmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/k8s/corev1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/text"
)

var update = flag.Bool("update", false, "rewrite the descriptions in testdata")

func describingFactory(t *testing.T) *serializer.Factory {
	t.Helper()
	scheme, err := runtime.NewScheme(corev1.AddTo, corev1.AddDescriptionsTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), text.Format())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func describeAs(t *testing.T, f *serializer.Factory, accept, kind string, obj runtime.Object) string {
	t.Helper()
	rep, err := f.Negotiate([]string{accept},
		serializer.Offer{Kind: schema.GroupVersionKind{Version: "v1", Kind: kind}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	out, err := rep.With(conversion.ScopeOptions{Now: now}).Append(nil, obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestDescribePod describes a Pod of Kubernetes, whose types know nothing of descriptions, and the
// list of it.
func TestDescribePod(t *testing.T) {
	t.Parallel()
	f := describingFactory(t)
	data, err := os.ReadFile("testdata/pod.json")
	if err != nil {
		t.Fatal(err)
	}
	pod, err := serializer.Decode[kcorev1.Pod](f, data)
	if err != nil {
		t.Fatal(err)
	}
	before := pod.DeepCopy()
	got := describeAs(t, f, "text/plain;as=Description", "Pod", pod)
	if !reflect.DeepEqual(pod, before) {
		t.Error("the pod was changed")
	}
	const golden = "testdata/pod.description.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; rerun with -update if the change is right:\n%s", golden, got)
	}
	list := &kcorev1.PodList{Items: []kcorev1.Pod{*pod, *pod}}
	if both := describeAs(t, f, "text/plain;as=Description", "PodList", list); both != got+"\n\n"+got {
		t.Error("a list is not described as its items, one after the other")
	}
	if out := describeAs(t, f, "application/json;as=Description", "PodList", list); !strings.HasPrefix(out,
		`{"kind":"DescriptionList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[{"metadata":{"name":"checkout-7d9c6b5f4-x2x9q"`) {
		t.Errorf("got %.300s", out)
	}
}

// TestDescribeSecret checks that nobody sees the data of a Secret, in any form.
func TestDescribeSecret(t *testing.T) {
	t.Parallel()
	f := describingFactory(t)
	secret := &kcorev1.Secret{
		ObjectMeta: kmetav1.ObjectMeta{
			Name: "s",
			Annotations: map[string]string{
				"kubectl.kubernetes.io/last-applied-configuration": `{"stringData":{"password":"hunter2"}}`,
			},
		},
		Data: map[string][]byte{"password": []byte("hunter2")}, StringData: map[string]string{"token": "hunter2"},
		Type: "Opaque",
	}
	const want = "Name:         s\nKind:         Secret\nAPI Version:  v1\nLabels:       <none>\nAnnotations:  <none>\nType:         Opaque\n" +
		"Data:\n  password:  <redacted>\nString Data:\n  token:  <redacted>\n"
	if got := describeAs(t, f, "text/plain;as=Description", "Secret", secret); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := describeAs(t, f, "application/json;as=Description", "Secret", secret); strings.Contains(got, "hunter2") ||
		strings.Contains(got, "aHVudGVyMg") {
		t.Errorf("got %s", got)
	}
}
