package clientconformance_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	k8sserializer "k8s.io/apimachinery/pkg/runtime/serializer"
	k8scbor "k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/features"
	featuretesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/rest"
)

// TestCBORWatch watches in CBOR with the client of Kubernetes, which accepts only the media type of
// sequences. It is not parallel, because it sets a feature of the whole process.
func TestCBORWatch(t *testing.T) {
	featuretesting.SetFeatureDuringTest(t, features.ClientsAllowCBOR, true)
	s := newServer(t)
	scheme := k8sruntime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	c := config(s)
	c.APIPath, c.GroupVersion = "/api", &schema.GroupVersion{Version: "v1"}
	c.NegotiatedSerializer = k8sserializer.NewCodecFactory(scheme,
		k8sserializer.WithSerializer(k8scbor.NewSerializerInfo)).WithoutConversion()
	c.ContentType, c.AcceptContentTypes = "application/cbor", "application/cbor,application/json"
	client, err := rest.RESTClientFor(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Post().Namespace("n").Resource("pods").Body(aPod("a")).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	w, err := client.Get().Resource("pods").VersionedParams(&metav1.ListOptions{Watch: true, ResourceVersion: "0"},
		metav1.ParameterCodec).Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	select {
	case e := <-w.ResultChan():
		if p, ok := e.Object.(*corev1.Pod); !ok || e.Type != watch.Added || p.Name != "a" {
			t.Errorf("got %+v", e)
		}
	case <-time.After(time.Minute):
		t.Error("no event arrived")
	}
	if asked := s.asked(); !strings.Contains(asked[len(asked)-1], "application/cbor") {
		t.Errorf("requests %q", asked)
	}
}
