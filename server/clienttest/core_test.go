package clienttest

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	askindappsv1 "github.com/askind/askind/k8s/appsv1"
	askindcorev1 "github.com/askind/askind/k8s/corev1"
	"github.com/askind/askind/server"
)

// TestKindsOfKubernetes serves the kinds of core/v1 and apps/v1. The client sends and receives them
// in protobuf.
func TestKindsOfKubernetes(t *testing.T) {
	eachServer(t, func(t *testing.T, ctx context.Context, srv *server.Server, config *rest.Config) {
		must(t, srv.Install(askindcorev1.AddTo, askindappsv1.AddTo))
		c, err := client.New(config, client.Options{Scheme: scheme.Scheme})
		must(t, err)
		must(t, c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "east"}}))
		key := client.ObjectKey{Namespace: "east", Name: "web"}
		meta := metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}
		must(t, c.Create(ctx, &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"a": {0, 1}}}))
		var secret corev1.Secret
		must(t, c.Get(ctx, key, &secret))
		if string(secret.Data["a"]) != "\x00\x01" {
			t.Errorf("got %v", secret.Data)
		}
		labels := map[string]string{"app": "web"}
		must(t, c.Create(ctx, &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(2)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}},
		}}))
		var deployment appsv1.Deployment
		must(t, c.Get(ctx, key, &deployment))
		deployment.Spec.Replicas, deployment.Status.ReadyReplicas = new(int32(9)), 1
		must(t, c.Status().Update(ctx, &deployment))
		if *deployment.Spec.Replicas != 2 || deployment.Status.ReadyReplicas != 1 {
			t.Errorf("%d of %d replicas are ready", deployment.Status.ReadyReplicas, *deployment.Spec.Replicas)
		}
		merge := client.RawPatch("application/strategic-merge-patch+json",
			[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}`))
		must(t, c.Patch(ctx, &deployment, merge))
		var all appsv1.DeploymentList
		must(t, c.List(ctx, &all, client.MatchingLabels{}))
		if len(all.Items) != 1 || len(all.Items[0].Spec.Template.Spec.Containers) != 1 {
			t.Errorf("got %+v", all.Items)
		}
	})
}
