package clienttest

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	askindcoordinationv1 "github.com/askind/askind/k8s/coordinationv1"
	askindcorev1 "github.com/askind/askind/k8s/corev1"
	askindeventsv1 "github.com/askind/askind/k8s/eventsv1"
	"github.com/askind/askind/server"
)

// copier keeps the text of each note in a ConfigMap that the note owns, and records an event.
type copier struct {
	client.Client
	recorder events.EventRecorder
}

// Reconcile implements reconcile.Reconciler.
func (r *copier) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var n Note
	if err := r.Get(ctx, request.NamespacedName, &n); err != nil || !n.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: n.Name}}
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, m, func() error {
		m.Data = map[string]string{"text": n.Spec.Text}
		return controllerutil.SetControllerReference(&n, m, r.Scheme())
	})
	if result == controllerutil.OperationResultCreated {
		r.recorder.Eventf(&n, m, corev1.EventTypeNormal, "Copied", "Copy", "copied to %s", m.Name)
	}
	return reconcile.Result{}, err
}

// TestOperator runs a manager with leader election, owned objects and an event recorder, which need
// kinds of core/v1, coordination.k8s.io and events.k8s.io.
func TestOperator(t *testing.T) {
	eachServer(t, func(t *testing.T, ctx context.Context, srv *server.Server, config *rest.Config) {
		must(t, srv.Install(askindcorev1.AddTo, askindcoordinationv1.AddTo, askindeventsv1.AddTo))
		s, err := newScheme()
		must(t, err)
		must(t, scheme.AddToScheme(s))
		m, err := ctrl.NewManager(config, ctrl.Options{
			Scheme: s, Metrics: metricsserver.Options{BindAddress: "0"},
			LeaderElection: true, LeaderElectionID: "notes", LeaderElectionNamespace: "default",
			LeaderElectionReleaseOnCancel: true,
			Controller:                    ctrlconfig.Controller{SkipNameValidation: new(true)},
		})
		must(t, err)
		must(t, ctrl.NewControllerManagedBy(m).For(&Note{}).Owns(&corev1.ConfigMap{}).
			Complete(&copier{m.GetClient(), m.GetEventRecorder("notes")}))
		running, cancel := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { done <- m.Start(running) }()
		defer func() {
			cancel()
			must(t, <-done)
		}()
		c, err := client.New(config, client.Options{Scheme: s})
		must(t, err)
		n := &Note{}
		n.Name, n.Namespace, n.Spec.Text = "a", "default", "buy milk"
		must(t, c.Create(ctx, n))
		key := client.ObjectKeyFromObject(n)
		var first, second corev1.ConfigMap
		eventually(t, ctx, "the copy is there", func() bool { return c.Get(ctx, key, &first) == nil })
		must(t, c.Delete(ctx, &first))
		eventually(t, ctx, "the copy is there again", func() bool {
			return c.Get(ctx, key, &second) == nil && second.UID != first.UID
		})
		eventually(t, ctx, "the event is there", func() bool {
			var l eventsv1.EventList
			must(t, c.List(ctx, &l, client.InNamespace("default")))
			return len(l.Items) > 0 && l.Items[0].Note == "copied to a" && l.Items[0].Regarding.UID == n.UID
		})
		must(t, c.Delete(ctx, n))
		eventually(t, ctx, "the copy is gone with its owner", func() bool { return c.Get(ctx, key, &second) != nil })
	})
}
