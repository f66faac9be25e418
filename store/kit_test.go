package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

// factory knows the machines of the fleet example and the orders of a workshop in all versions and
// formats; only orders have protobuf.
var factory = func() *serializer.Factory {
	scheme, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, metav1.AddTo, metav1.AddCoreTo,
		metav1.AddViewsTo, workshopv1.AddTo, workshopv1beta1.AddTo)
	if err != nil {
		panic(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		panic(err)
	}
	return f
}()

var machineKind = v1.GroupVersion.WithKind("Machine")

// open opens a store on an engine, until the test is over.
func open(t testing.TB, engine store.Engine, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), engine, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// machines returns a store with machines in memory.
func machines(t testing.TB, o store.Options) *store.Resource {
	t.Helper()
	engine := memory.New()
	t.Cleanup(func() { engine.Close() })
	return addMachines(t, open(t, engine, o), store.ResourceOptions{})
}

// addMachines adds machines to a store.
func addMachines(t testing.TB, s *store.Store, o store.ResourceOptions) *store.Resource {
	t.Helper()
	o.Factory, o.Kind = factory, machineKind
	r, err := s.Add(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// machine returns a machine with labels, given as names and values by turns.
func machine(namespace, name string, labels ...string) *v1.Machine {
	m := &v1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for i := 0; i < len(labels); i += 2 {
		if m.Labels == nil {
			m.Labels = map[string]string{}
		}
		m.Labels[labels[i]] = labels[i+1]
	}
	return m
}

// create stores an object.
func create(t testing.TB, r *store.Resource, m runtime.Object) *store.Entry {
	t.Helper()
	e, err := r.Create(t.Context(), m, store.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// relabel sets a label of a machine.
func relabel(t testing.TB, r *store.Resource, key store.Key, name, value string) *store.Entry {
	t.Helper()
	e, err := r.Update(t.Context(), key, store.WriteOptions{}, func(_ context.Context,
		current runtime.Object,
	) (runtime.Object, error) {
		m := current.(*v1.Machine)
		if m.Labels == nil {
			m.Labels = map[string]string{}
		}
		m.Labels[name] = value
		return m, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// remove deletes a machine.
func remove(t testing.TB, r *store.Resource, key store.Key) *store.Entry {
	t.Helper()
	e, err := r.Delete(t.Context(), key, store.WriteOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// names returns the keys of a list.
func names(l *store.List) []string {
	out := []string{}
	for e := range l.Entries() {
		out = append(out, e.Key().String())
	}
	return out
}

// watch starts a watch that is closed at the end of the test.
func watch(t testing.TB, r *store.Resource, o store.WatchOptions) *store.Watch {
	t.Helper()
	w, err := r.Watch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// pull returns the events that a watch has, as lines.
func pull(t testing.TB, w *store.Watch) []string {
	t.Helper()
	out := []string{}
	for {
		events, err := w.Next(make([]store.Event, 0, 3))
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			return out
		}
		for _, e := range events {
			out = append(out, fmt.Sprintf("%s %s", e.Type, e.Entry.Key()))
		}
	}
}

// soon returns a context that ends before a test that hangs would.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// memoryEngine returns an engine in memory, until the test is over.
func memoryEngine(t testing.TB) store.Engine {
	t.Helper()
	engine := memory.New()
	t.Cleanup(func() { engine.Close() })
	return engine
}
