package clienttest

import (
	"context"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	askinddynamic "github.com/askind/askind/meta/dynamic"
	askindschema "github.com/askind/askind/schema"
	"github.com/askind/askind/server"
)

var boat = schema.GroupKind{Group: "boats.example.com", Kind: "Boat"}

// newBoats returns a resource without a Go type.
func newBoats(t *testing.T) *askinddynamic.Resource {
	t.Helper()
	r, err := askinddynamic.New(askinddynamic.Definition{
		Group: boat.Group, Kind: boat.Kind, Resource: "boats",
		Versions: []askinddynamic.Version{{Name: "v1", Storage: true}},
	})
	must(t, err)
	return r
}

// TestCachedDiscovery installs and removes a kind under clients that cache what they discover, with
// all forms of discovery.
func TestCachedDiscovery(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		name     string
		options  []server.Option
		discover func(t *testing.T, config *rest.Config) discovery.CachedDiscoveryInterface
	}{
		{name: "memory", discover: inMemory},
		{name: "disk", discover: onDisk},
		{name: "older documents", discover: inMemoryLegacy},
		{
			name: "older documents without apiVersion", discover: inMemoryLegacy,
			options: []server.Option{server.Discovery(server.DiscoverySettings{Unversioned: true})},
		},
	} {
		t.Run(of.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			srv := newServer(t, of.options...)
			config := inProcess(t, srv)
			mapper := restmapper.NewDeferredDiscoveryRESTMapper(of.discover(t, config))
			if _, err := mapper.RESTMapping(boat); !meta.IsNoMatchError(err) {
				t.Fatalf("before: %v", err)
			}
			boats := newBoats(t)
			must(t, srv.Install(boats.AddTo))
			mapper.Reset() // what it has asked itself it takes for fresh
			mapping, err := mapper.RESTMapping(boat)
			must(t, err)
			objects, err := dynamic.NewForConfig(config)
			must(t, err)
			in := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "boats.example.com/v1", "kind": "Boat", "metadata": map[string]any{"name": "a"},
			}}
			_, err = objects.Resource(mapping.Resource).Namespace("default").Create(ctx, in, metav1.CreateOptions{})
			must(t, err)
			must(t, srv.RemoveKinds(boats.GroupKind()))
			mapper.Reset()
			if _, err := mapper.RESTMapping(boat); !meta.IsNoMatchError(err) {
				t.Errorf("after: %v", err)
			}
		})
	}
}

func inMemory(t *testing.T, config *rest.Config) discovery.CachedDiscoveryInterface {
	t.Helper()
	c, err := discovery.NewDiscoveryClientForConfig(config)
	must(t, err)
	return memory.NewMemCacheClient(c)
}

// inMemoryLegacy does not ask for aggregated documents.
func inMemoryLegacy(t *testing.T, config *rest.Config) discovery.CachedDiscoveryInterface {
	t.Helper()
	c, err := discovery.NewDiscoveryClientForConfig(config)
	must(t, err)
	c.UseLegacyDiscovery = true
	return memory.NewMemCacheClient(c)
}

func onDisk(t *testing.T, config *rest.Config) discovery.CachedDiscoveryInterface {
	t.Helper()
	c, err := disk.NewCachedDiscoveryClientForConfig(config, t.TempDir(), t.TempDir(), time.Hour)
	must(t, err)
	return c
}

// TestInstalledKindIsSeen measures how soon clients that wait for a kind see that it has been
// installed: an informer of client-go on the Groups, and the mapper of package client.
func TestInstalledKindIsSeen(t *testing.T) {
	eachServer(t, func(t *testing.T, ctx context.Context, srv *server.Server, config *rest.Config) {
		objects, err := dynamic.NewForConfig(config)
		must(t, err)
		seen := make(chan time.Time, 100)
		informers := dynamicinformer.NewDynamicSharedInformerFactory(objects, 0)
		informer := informers.ForResource(schema.GroupVersionResource{
			Group: v1alpha1.GroupVersion.Group, Version: v1alpha1.GroupVersion.Version, Resource: "groups",
		}).Informer()
		_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
			if obj.(*unstructured.Unstructured).GetName() == boat.Group {
				seen <- time.Now()
			}
		}})
		must(t, err)
		informers.Start(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			t.Fatal("the informer has no Groups")
		}
		m := srv.Client().Mapper(client.MapperOptions{})
		followed, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = m.Run(followed) // until it is stopped
		}()
		defer func() {
			stop()
			<-done
		}()
		var informed, mapped []time.Duration
		for range 20 {
			known := make(chan error, 1)
			var at time.Time
			go func() {
				_, err := m.Wait(ctx, askindschema.GroupKind{Group: boat.Group, Kind: boat.Kind})
				at = time.Now()
				known <- err
			}()
			boats := newBoats(t)
			must(t, srv.Install(boats.AddTo))
			installed := time.Now()
			must(t, <-known)
			mapped = append(mapped, at.Sub(installed))
			informed = append(informed, (<-seen).Sub(installed))
			must(t, srv.RemoveKinds(boats.GroupKind()))
			eventually(t, ctx, "that the kind is forgotten", func() bool {
				_, err := m.ForKind(ctx, askindschema.GroupKind{Group: boat.Group, Kind: boat.Kind})
				return err != nil && informer.GetStore().ListKeys() != nil &&
					!slices.Contains(informer.GetStore().ListKeys(), boat.Group)
			})
		}
		slices.Sort(informed)
		slices.Sort(mapped)
		t.Logf("after Install: informer median %v, worst %v; mapper median %v, worst %v",
			informed[10], informed[19], mapped[10], mapped[19])
		if informed[10] > 5*time.Second || mapped[10] > 5*time.Second {
			t.Error("a client that waits for a kind does not see it in time")
		}
	})
}
