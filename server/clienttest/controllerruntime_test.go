package clienttest

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/askind/askind/server"
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
			Scheme: s, Metrics: metricsserver.Options{BindAddress: "0"},
			Controller: ctrlconfig.Controller{SkipNameValidation: new(true)},
		})
		must(t, err)
		must(t, m.GetFieldIndexer().IndexField(ctx, &Note{}, "spec.text", func(o client.Object) []string {
			return []string{o.(*Note).Spec.Text}
		}))
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
		eventually(t, ctx, "the cache finds the note by its text", func() bool {
			var l NoteList
			must(t, m.GetClient().List(ctx, &l, client.MatchingFields{"spec.text": "buy milk"}))
			return len(l.Items) == 1 && l.Items[0].Status.Done
		})
		must(t, c.Delete(ctx, n))
		eventually(t, ctx, "the note is gone", func() bool {
			return client.IgnoreNotFound(c.Get(ctx, key, n)) == nil &&
				c.Get(ctx, key, n) != nil
		})
	})
}

// TestControllerPatches has two controllers change the same note by patches and applies.
func TestControllerPatches(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		s, err := newScheme()
		must(t, err)
		c, err := client.New(config, client.Options{Scheme: s})
		must(t, err)
		one, two := client.WithFieldOwner(c, "one"), client.WithFieldOwner(c, "two")
		apply := func(c client.Client, spec map[string]any, o ...client.ApplyOption) error {
			u := untyped("a")
			u.SetNamespace("default")
			u.SetLabels(nil)
			u.Object["spec"] = spec
			return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), o...)
		}
		must(t, apply(one, map[string]any{"text": "buy milk", "color": "red"}))
		must(t, apply(two, map[string]any{"text": "buy milk"}))
		if err := apply(two, map[string]any{"text": "sell milk"}); !apierrors.IsConflict(err) ||
			!strings.Contains(err.Error(), `conflict with "one": .spec.text`) {
			t.Errorf("a conflict: %v", err)
		}
		must(t, apply(two, map[string]any{"text": "sell milk"}, client.ForceOwnership))
		must(t, apply(one, map[string]any{})) // gives the color up
		n := &Note{}
		key := types.NamespacedName{Namespace: "default", Name: "a"}
		must(t, c.Get(ctx, key, n))
		if n.Spec.Text != "sell milk" || n.Spec.Color != "yellow" {
			t.Errorf("after the applies: %+v", n.Spec)
		}
		stale := n.DeepCopyObject().(*Note)
		r, err := controllerutil.CreateOrPatch(ctx, one, n, func() error {
			n.Labels, n.Spec.Color = map[string]string{"app": "web"}, "green"
			return nil
		})
		if err != nil || r != controllerutil.OperationResultUpdated ||
			n.Spec.Color != "green" || n.Labels["app"] != "web" {
			t.Errorf("CreateOrPatch: %v, %v, %+v", r, err, n)
		}
		before := stale.DeepCopyObject().(*Note)
		stale.Spec.Color = "blue"
		lock := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := one.Patch(ctx, stale, lock); !apierrors.IsConflict(err) {
			t.Errorf("a patch of an old version: %v", err)
		}
		u := untyped("a")
		u.SetNamespace("default")
		delete(u.Object, "spec")
		u.Object["status"] = map[string]any{"done": true}
		must(t, one.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u)))
		must(t, c.Get(ctx, key, n))
		if !n.Status.Done || n.Generation != 4 {
			t.Errorf("after an apply of the status: %+v", n)
		}
		must(t, c.DeleteAllOf(ctx, &Note{}, client.InNamespace("default"), client.MatchingLabels{"app": "web"}))
		if err := c.Get(ctx, key, n); !apierrors.IsNotFound(err) {
			t.Errorf("what is gone: %v", err)
		}
	})
}

// TestControllerRuntimeMapper uses a kind that is installed after the mapper of controller-runtime
// was made, by way of its client.
func TestControllerRuntimeMapper(t *testing.T) {
	eachServer(t, func(t *testing.T, ctx context.Context, srv *server.Server, config *rest.Config) {
		hc, err := rest.HTTPClientFor(config)
		must(t, err)
		mapper, err := apiutil.NewDynamicRESTMapper(config, hc)
		must(t, err)
		kind := schema.GroupKind{Group: boat.Group, Kind: boat.Kind}
		if _, err := mapper.RESTMapping(kind); !meta.IsNoMatchError(err) {
			t.Fatalf("before: %v", err)
		}
		must(t, srv.Install(newBoats(t).AddTo))
		mapping, err := mapper.RESTMapping(kind)
		must(t, err)
		if mapping.Resource.Resource != "boats" || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
			t.Errorf("got %+v", mapping)
		}
		c, err := client.New(config, client.Options{HTTPClient: hc, Mapper: mapper})
		must(t, err)
		in := &unstructured.Unstructured{}
		in.SetGroupVersionKind(kind.WithVersion("v1"))
		in.SetNamespace("default")
		in.SetName("a")
		must(t, c.Create(ctx, in))
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind.WithVersion("v1"))
		if must(t, c.List(ctx, list)); len(list.Items) != 1 {
			t.Errorf("got %d boats", len(list.Items))
		}
	})
}
