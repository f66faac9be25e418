package clienttest

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const finalizer = "notes.example.com/cleanup"

// reconciler marks notes as done, and holds them until that has been undone.
type reconciler struct{ client.Client }

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var n Note
	if err := r.Get(ctx, request.NamespacedName, &n); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !n.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&n, finalizer) {
			return reconcile.Result{}, r.Update(ctx, &n)
		}
		return reconcile.Result{}, nil
	}
	if controllerutil.AddFinalizer(&n, finalizer) {
		return reconcile.Result{}, r.Update(ctx, &n)
	}
	if !n.Status.Done {
		before := n.DeepCopyObject().(*Note)
		n.Status.Done = true
		return reconcile.Result{}, r.Status().Patch(ctx, &n, client.MergeFrom(before))
	}
	return reconcile.Result{}, nil
}

func TestManager(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		s, err := newScheme()
		must(t, err)
		m, err := ctrl.NewManager(config, ctrl.Options{
			Scheme: s, Metrics: server.Options{BindAddress: "0"},
			Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
		})
		must(t, err)
		builder := ctrl.NewControllerManagedBy(m).For(&Note{}).Named("notes")
		must(t, builder.Complete(&reconciler{m.GetClient()}))
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
		key := types.NamespacedName{Namespace: "default", Name: "a"}
		eventually(t, ctx, "the note is done", func() bool {
			return c.Get(ctx, key, n) == nil && n.Status.Done && controllerutil.ContainsFinalizer(n, finalizer)
		})
		must(t, c.Delete(ctx, n))
		eventually(t, ctx, "the note is gone", func() bool {
			return client.IgnoreNotFound(c.Get(ctx, key, n)) == nil &&
				c.Get(ctx, key, n) != nil
		})
	})
}
