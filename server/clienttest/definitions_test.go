package clienttest

import (
	"context"
	"path/filepath"
	"testing"

	apicorev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	askind "github.com/askind/askind/client"
	"github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/server"
	definitions "github.com/askind/askind/server/apiextensions"
)

// TestDefinitions starts the test environment of controller-runtime, which installs a definition,
// looks at it with the client of Kubernetes, and uses its kind.
func TestDefinitions(t *testing.T) {
	eachServer(t, func(t *testing.T, ctx context.Context, srv *server.Server, config *rest.Config) {
		must(t, definitions.Serve(ctx, srv))
		must(t, srv.Install(corev1.AddTo))
		_, err := askind.Of[apicorev1.Namespace](srv.Client()).Create(ctx, &apicorev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: "default"}, // which the environment waits for
		})
		must(t, err)
		environment := &envtest.Environment{
			UseExistingCluster: new(true), Config: config, ErrorIfCRDPathMissing: true,
			CRDDirectoryPaths: []string{filepath.Join("..", "apiextensions", "testdata", "crontabs.yaml")},
			CRDInstallOptions: envtest.CRDInstallOptions{CleanUpAfterUse: true},
		}
		_, err = environment.Start()
		must(t, err)
		if len(environment.CRDs) != 1 {
			t.Fatalf("%d definitions", len(environment.CRDs))
		}
		clients, err := apiextensions.NewForConfig(config)
		must(t, err)
		crds := clients.ApiextensionsV1().CustomResourceDefinitions()
		eventually(t, ctx, "Established", func() bool {
			crd, err := crds.Get(ctx, "crontabs.stable.example.com", metav1.GetOptions{})
			must(t, err)
			for _, c := range crd.Status.Conditions {
				if c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue {
					return true
				}
			}
			return false
		})

		c, err := client.New(config, client.Options{})
		must(t, err)
		tab := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"schedule": "0 * * * *"}}}
		tab.SetGroupVersionKind(schema.GroupVersionKind{Group: "stable.example.com", Version: "v1", Kind: "CronTab"})
		tab.SetNamespace("default")
		tab.SetName("hourly")
		must(t, c.Create(ctx, tab))
		if replicas, _, _ := unstructured.NestedInt64(tab.Object, "spec", "replicas"); replicas != 1 {
			t.Errorf("got %v", tab.Object)
		}
		must(t, unstructured.SetNestedField(tab.Object, int64(0), "spec", "replicas"))
		if err := c.Update(ctx, tab); !apierrors.IsInvalid(err) {
			t.Errorf("got %v", err)
		}

		must(t, environment.Stop())
		eventually(t, ctx, "the end of the kind", func() bool {
			return apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(tab), tab))
		})
	})
}
