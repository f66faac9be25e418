package clienttest

import (
	"context"
	"fmt"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/tools/cache"
)

var (
	notes = notesVersion.WithResource("notes")
	pools = schema.GroupVersionResource{Group: "fleet.example.com", Version: "v1", Resource: "machinepools"}
)

// untyped returns a note as an untyped object.
func untyped(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "notes.example.com/v1", "kind": "Note",
		"metadata": map[string]any{"name": name, "labels": map[string]any{"app": "web"}},
		"spec":     map[string]any{"text": "buy milk"},
	}}
}

// newPool returns a pool of machines as an untyped object.
func newPool() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "fleet.example.com/v1", "kind": "MachinePool", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"replicas": int64(2), "template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": "web"}},
			"spec": map[string]any{
				"zone": "a", "hardware": map[string]any{"cores": int64(1), "memory": "1Gi"},
				"boot": map[string]any{"image": map[string]any{"name": "debian"}},
			},
		}},
	}}
}

// typedClient returns a client of Go types.
func typedClient(t *testing.T, config *rest.Config) *rest.RESTClient {
	t.Helper()
	s, err := newScheme()
	must(t, err)
	config = rest.CopyConfig(config)
	config.GroupVersion, config.APIPath = &notesVersion, "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(s).WithoutConversion()
	c, err := rest.RESTClientFor(config)
	must(t, err)
	return c
}

func TestTyped(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		c := typedClient(t, config)
		in := &Note{
			TypeMeta:   metav1.TypeMeta{APIVersion: notesVersion.String(), Kind: "Note"},
			ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"},
		}
		in.Spec.Text = "buy milk"
		var made, got Note
		must(t, c.Post().Namespace("default").Resource("notes").Body(in).Do(ctx).Into(&made))
		must(t, c.Get().Namespace("default").Resource("notes").Name(made.Name).Do(ctx).Into(&got))
		if got.UID == "" || got.Spec.Color != "yellow" || got.Spec.Text != "buy milk" {
			t.Errorf("got %+v", got)
		}
		var list NoteList
		must(t, c.Get().Resource("notes").Param("limit", "1").Do(ctx).Into(&list))
		if len(list.Items) != 1 || list.ResourceVersion == "" {
			t.Errorf("got %+v", list)
		}
		made.ResourceVersion = "1"
		err := c.Put().Namespace("default").Resource("notes").Name(made.Name).Body(&made).Do(ctx).Error()
		if !apierrors.IsConflict(err) {
			t.Errorf("an old version: %v", err)
		}
		err = c.Get().Namespace("default").Resource("notes").Name("x").Do(ctx).Error()
		if !apierrors.IsNotFound(err) {
			t.Errorf("nothing: %v", err)
		}
	})
}

func TestDynamic(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		c, err := dynamic.NewForConfig(config)
		must(t, err)
		r := c.Resource(notes).Namespace("default")
		_, err = r.Create(ctx, untyped("a"), metav1.CreateOptions{FieldValidation: "Strict"})
		must(t, err)
		if _, err = r.Create(ctx, untyped("a"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			t.Errorf("again: %v", err)
		}
		bad := untyped("b")
		bad.Object["spec"].(map[string]any)["colour"] = "red"
		if _, err = r.Create(ctx, bad, metav1.CreateOptions{FieldValidation: "Strict"}); !apierrors.IsBadRequest(err) {
			t.Errorf("an unknown field: %v", err)
		}
		got, err := r.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"text":"sell milk"}}`),
			metav1.PatchOptions{})
		must(t, err)
		if got.GetGeneration() != 2 {
			t.Errorf("got %v", got)
		}
		got, err = r.Patch(ctx, "a", types.JSONPatchType,
			[]byte(`[{"op":"test","path":"/spec/text","value":"sell milk"}]`),
			metav1.PatchOptions{DryRun: []string{"All"}})
		must(t, err)
		must(t, unstructured.SetNestedField(got.Object, true, "status", "done"))
		got, err = r.UpdateStatus(ctx, got, metav1.UpdateOptions{})
		must(t, err)
		if done, _, _ := unstructured.NestedBool(got.Object, "status", "done"); !done || got.GetGeneration() != 2 {
			t.Errorf("got %v", got)
		}
		list, err := r.List(ctx, metav1.ListOptions{LabelSelector: "app=web", FieldSelector: "spec.color=yellow"})
		must(t, err)
		if len(list.Items) != 1 {
			t.Errorf("got %v", list)
		}
		must(t, r.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=web"}))
		if _, err = r.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("what is gone: %v", err)
		}
	})
}

// TestShards lists both halves of the notes, as Kubernetes divides them.
func TestShards(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		c, err := dynamic.NewForConfig(config)
		must(t, err)
		r := c.Resource(notes).Namespace("default")
		for i := range 20 {
			_, err = r.Create(ctx, untyped(fmt.Sprint("n", i)), metav1.CreateOptions{})
			must(t, err)
		}
		seen := 0
		for _, bounds := range [][2]string{
			{"0x0000000000000000", "0x8000000000000000"}, {"0x8000000000000000", "0x10000000000000000"},
		} {
			half := sharding.NewSelector(sharding.ShardRangeRequirement{
				Key: "object.metadata.uid", Start: bounds[0], End: bounds[1],
			})
			list, err := r.List(ctx, metav1.ListOptions{ShardSelector: half.String()})
			must(t, err)
			got, _, err := unstructured.NestedString(list.Object, "metadata", "shardInfo", "selector")
			if err != nil || got != half.String() {
				t.Errorf("the list states %q, %v, want %q", got, err, half)
			}
			for i := range list.Items {
				ok, err := half.Matches(&list.Items[i])
				must(t, err)
				if seen++; !ok {
					t.Errorf("%s is not in %s", list.Items[i].GetUID(), half)
				}
			}
		}
		if seen != 20 {
			t.Errorf("the halves have %d objects", seen)
		}
	})
}

func TestWatch(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		c, err := dynamic.NewForConfig(config)
		must(t, err)
		r := c.Resource(notes).Namespace("default")
		list, err := r.List(ctx, metav1.ListOptions{})
		must(t, err)
		w, err := r.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		must(t, err)
		defer w.Stop()
		_, err = r.Create(ctx, untyped("a"), metav1.CreateOptions{})
		must(t, err)
		must(t, r.Delete(ctx, "a", metav1.DeleteOptions{}))
		for _, want := range []watch.EventType{watch.Added, watch.Deleted} {
			if e := <-w.ResultChan(); e.Type != want {
				t.Errorf("got %v, want %s", e, want)
			}
		}
		old, err := r.Watch(ctx, metav1.ListOptions{ResourceVersion: "5"})
		if err == nil {
			e := <-old.ResultChan()
			err = apierrors.FromObject(e.Object)
		}
		if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
			t.Errorf("an old version: %v", err)
		}
	})
}

func TestMetadata(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		d, err := dynamic.NewForConfig(config)
		must(t, err)
		_, err = d.Resource(notes).Namespace("default").Create(ctx, untyped("a"), metav1.CreateOptions{})
		must(t, err)
		c, err := metadata.NewForConfig(config)
		must(t, err)
		r := c.Resource(notes).Namespace("default")
		list, err := r.List(ctx, metav1.ListOptions{})
		must(t, err)
		if len(list.Items) != 1 || list.Items[0].Labels["app"] != "web" {
			t.Errorf("got %v", list)
		}
		got, err := r.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"app":"db"}}}`),
			metav1.PatchOptions{})
		must(t, err)
		if got.Labels["app"] != "db" {
			t.Errorf("got %v", got)
		}
		w, err := r.Watch(ctx, metav1.ListOptions{})
		must(t, err)
		defer w.Stop()
		if e := <-w.ResultChan(); e.Type != watch.Added || e.Object.(*metav1.PartialObjectMetadata).Name != "a" {
			t.Errorf("got %v", e)
		}
		must(t, r.Delete(ctx, "a", metav1.DeleteOptions{}))
	})
}

func TestDiscovery(t *testing.T) {
	each(t, func(t *testing.T, _ context.Context, config *rest.Config) {
		c, err := discovery.NewDiscoveryClientForConfig(config)
		must(t, err)
		groups, resources, err := c.ServerGroupsAndResources()
		must(t, err)
		// Three groups, one with two versions, and the core group, which has no resources.
		if len(groups) != 4 || len(resources) != 5 {
			t.Errorf("got %d groups and %d versions", len(groups), len(resources))
		}
		_, err = c.ServerVersion()
		must(t, err)
		paths, err := c.OpenAPIV3().Paths()
		must(t, err)
		if paths["apis/notes.example.com/v1"] == nil {
			t.Errorf("got %v", paths)
		}
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c))
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "notes.example.com", Kind: "Note"})
		must(t, err)
		if mapping.Resource != notes || mapping.Scope.Name() != meta.RESTScopeNameNamespace {
			t.Errorf("got %v", mapping)
		}
	})
}

func TestScale(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		d, err := dynamic.NewForConfig(config)
		must(t, err)
		_, err = d.Resource(pools).Namespace("default").Create(ctx, newPool(), metav1.CreateOptions{})
		must(t, err)
		dc, err := discovery.NewDiscoveryClientForConfig(config)
		must(t, err)
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(dc))
		c, err := scale.NewForConfig(config, mapper, dynamic.LegacyAPIPathResolverFunc,
			scale.NewDiscoveryScaleKindResolver(dc))
		must(t, err)
		got, err := c.Scales("default").Get(ctx, pools.GroupResource(), "web", metav1.GetOptions{})
		must(t, err)
		got.Spec.Replicas = 5
		got, err = c.Scales("default").Update(ctx, pools.GroupResource(), got, metav1.UpdateOptions{})
		must(t, err)
		if got.Spec.Replicas != 5 {
			t.Errorf("got %v", got)
		}
		var _ *autoscalingv1.Scale = got
		got, err = c.Scales("default").Patch(ctx, pools, "web", types.MergePatchType, []byte(`{"spec":{"replicas":3}}`),
			metav1.PatchOptions{})
		must(t, err)
		if got.Spec.Replicas != 3 {
			t.Errorf("got %v", got)
		}
	})
}

// TestInformer has informers of untyped objects, typed ones and metadata list by a watch, as
// client-go does by default.
func TestInformer(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, config *rest.Config) {
		c, err := dynamic.NewForConfig(config)
		must(t, err)
		r := c.Resource(notes).Namespace("default")
		for _, name := range []string{"a", "b"} {
			_, err = r.Create(ctx, untyped(name), metav1.CreateOptions{})
			must(t, err)
		}
		factory := dynamicinformer.NewDynamicSharedInformerFactory(c, 0)
		mc, err := metadata.NewForConfig(config)
		must(t, err)
		ofMetadata := metadatainformer.NewSharedInformerFactory(mc, 0)
		informers := map[string]cache.SharedInformer{
			"untyped": factory.ForResource(notes).Informer(), "metadata": ofMetadata.ForResource(notes).Informer(),
			"typed": cache.NewSharedInformer(cache.NewListWatchFromClient(typedClient(t, config), "notes", "default",
				fields.Everything()), &Note{}, 0),
		}
		ctx, cancel := context.WithCancel(ctx)
		var running wait.Group
		defer running.Wait()
		defer cancel()
		for name, informer := range informers {
			running.StartWithContext(ctx, func(ctx context.Context) { informer.RunWithContext(ctx) })
			if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				t.Fatalf("%s: the informer does not sync", name)
			}
			if n := len(informer.GetStore().List()); n != 2 {
				t.Errorf("%s: %d objects, want 2", name, n)
			}
		}
		_, err = r.Create(ctx, untyped("c"), metav1.CreateOptions{})
		must(t, err)
		must(t, r.Delete(ctx, "a", metav1.DeleteOptions{}))
		for name, informer := range informers {
			eventually(t, ctx, name+": what has changed", func() bool {
				_, c, _ := informer.GetStore().GetByKey("default/c")
				_, a, _ := informer.GetStore().GetByKey("default/a")
				return c && !a
			})
		}
	})
}
