package clienttest

import (
	"context"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/askind/askind/server"
	definitions "github.com/askind/askind/server/apiextensions"
)

// TestDefinitions installs a definition as the test environment of controller-runtime does, looks
// at it with the client of Kubernetes, and uses its kind.
func TestDefinitions(t *testing.T) {
	eachServer(t, func(t *testing.T, ctx context.Context, srv *server.Server, config *rest.Config) {
		must(t, definitions.Serve(ctx, srv))
		options := envtest.CRDInstallOptions{Paths: []string{
			filepath.Join("..", "apiextensions", "testdata", "crontabs.yaml"),
		}, ErrorIfPathMissing: true}
		installed, err := envtest.InstallCRDs(config, options)
		must(t, err)
		if len(installed) != 1 {
			t.Fatalf("%d definitions", len(installed))
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

		must(t, envtest.UninstallCRDs(config, options))
		eventually(t, ctx, "the end of the kind", func() bool {
			return apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(tab), tab))
		})
	})
}
