package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
	"github.com/google/go-cmp/cmp"
)

func TestWrites(t *testing.T) {
	t.Parallel()
	key := store.Key{Namespace: "a", Name: "m"}
	change := func(label string) func(context.Context, runtime.Object) (runtime.Object, error) {
		return func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			m, _ := current.(*v1.Machine)
			if m == nil {
				m = machine(key.Namespace, key.Name)
			}
			if label != "" {
				m.Labels = map[string]string{"x": label}
			}
			return m, nil
		}
	}
	refused := errors.New("refused")
	for _, tt := range []struct {
		name   string
		there  bool // an object with the uid u
		write  func(ctx context.Context, r *store.Resource, before *store.Entry) (*store.Entry, error)
		reason metav1.StatusReason // of the error
		err    error
		stays  bool // nothing is written
	}{
		{name: "create", write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
			return r.Create(ctx, machine("a", "m"), store.WriteOptions{})
		}},
		{
			name: "create what is there", there: true, stays: true, reason: metav1.StatusReasonAlreadyExists,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Create(ctx, machine("a", "m"), store.WriteOptions{})
			},
		},
		{
			name: "create without a name", stays: true, reason: metav1.StatusReasonBadRequest,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Create(ctx, machine("a", ""), store.WriteOptions{})
			},
		},
		{
			name: "create without a namespace", stays: true, reason: metav1.StatusReasonBadRequest,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Create(ctx, machine("", "m"), store.WriteOptions{})
			},
		},
		{
			name: "create with a slash in the name", stays: true, reason: metav1.StatusReasonBadRequest,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Create(ctx, machine("a", "b/m"), store.WriteOptions{})
			},
		},
		{name: "create dry", stays: true, write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Create(ctx, machine("a", "m"), store.WriteOptions{DryRun: true})
		}},
		{
			name: "create dry what is there", there: true, stays: true, reason: metav1.StatusReasonAlreadyExists,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Create(ctx, machine("a", "m"), store.WriteOptions{DryRun: true})
			},
		},
		{name: "update", there: true, write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Update(ctx, key, store.WriteOptions{}, change("1"))
		}},
		{name: "update to the same bytes", there: true, stays: true, write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Update(ctx, key, store.WriteOptions{}, change(""))
		}},
		{name: "update to nothing", there: true, stays: true, write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Update(ctx, key, store.WriteOptions{}, func(context.Context, runtime.Object) (runtime.Object,
				error,
			) {
				return nil, nil
			})
		}},
		{
			name: "update what is not there", stays: true, reason: metav1.StatusReasonNotFound,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Update(ctx, key, store.WriteOptions{}, change("1"))
			},
		},
		{name: "update or create", write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Update(ctx, key, store.WriteOptions{CreateIfMissing: true}, change("1"))
		}},
		{
			name: "update or create with a precondition", stays: true, reason: metav1.StatusReasonNotFound,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Update(ctx, key, store.WriteOptions{CreateIfMissing: true, UID: "u"}, change("1"))
			},
		},
		{name: "update dry", there: true, stays: true, write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Update(ctx, key, store.WriteOptions{DryRun: true}, change("1"))
		}},
		{name: "update at the right version", there: true, write: func(ctx context.Context, r *store.Resource,
			before *store.Entry,
		) (*store.Entry, error) {
			return r.Update(ctx, key, store.WriteOptions{ResourceVersion: before.ResourceVersion(), UID: "u"},
				change("1"))
		}},
		{
			name: "update at another version", there: true, stays: true, reason: metav1.StatusReasonConflict,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Update(ctx, key, store.WriteOptions{ResourceVersion: "1"}, change("1"))
			},
		},
		{
			name: "update another uid", there: true, stays: true, reason: metav1.StatusReasonConflict,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Update(ctx, key, store.WriteOptions{UID: "v"}, change("1"))
			},
		},
		{
			name: "update refused", there: true, stays: true, err: refused,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Update(ctx, key, store.WriteOptions{}, func(context.Context, runtime.Object) (runtime.Object,
					error,
				) {
					return nil, refused
				})
			},
		},
		{
			name: "update to another name", there: true, stays: true, reason: metav1.StatusReasonBadRequest,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Update(ctx, key, store.WriteOptions{}, func(context.Context, runtime.Object) (runtime.Object,
					error,
				) {
					return machine("a", "other"), nil
				})
			},
		},
		{name: "delete", there: true, write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Delete(ctx, key, store.WriteOptions{UID: "u"}, nil)
		}},
		{
			name: "delete what is not there", stays: true, reason: metav1.StatusReasonNotFound,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Delete(ctx, key, store.WriteOptions{}, nil)
			},
		},
		{name: "delete dry", there: true, stays: true, write: func(ctx context.Context, r *store.Resource,
			_ *store.Entry,
		) (*store.Entry, error) {
			return r.Delete(ctx, key, store.WriteOptions{DryRun: true}, nil)
		}},
		{
			name: "delete another uid", there: true, stays: true, reason: metav1.StatusReasonConflict,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Delete(ctx, key, store.WriteOptions{UID: "v"}, nil)
			},
		},
		{
			name: "delete another version", there: true, stays: true, reason: metav1.StatusReasonConflict,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Delete(ctx, key, store.WriteOptions{ResourceVersion: "7"}, nil)
			},
		},
		{
			name: "delete refused", there: true, stays: true, err: refused,
			write: func(ctx context.Context, r *store.Resource, _ *store.Entry) (*store.Entry, error) {
				return r.Delete(ctx, key, store.WriteOptions{}, func(context.Context,
					runtime.Object,
				) error {
					return refused
				})
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := machines(t, store.Options{})
			var before *store.Entry
			if tt.there {
				m := machine("a", "m")
				m.UID = "u"
				before = create(t, r, m)
			}
			revision := r.Store().Revision()
			e, err := tt.write(t.Context(), r, before)
			if got := metav1.ReasonOf(err); got != tt.reason || tt.err != nil && err != tt.err || err != nil &&
				tt.reason == "" && tt.err == nil {
				t.Fatalf("error %v of the reason %q", err, got)
			}
			if now := r.Store().Revision(); (now == revision) != tt.stays || now > revision+1 {
				t.Errorf("the revision went from %d to %d", revision, now)
			}
			if err != nil {
				return
			}
			if !tt.stays && e.Revision() != r.Store().Revision() {
				t.Errorf("the entry is of revision %d, the store of %d", e.Revision(), r.Store().Revision())
			}
			old := uint64(0)
			if before != nil {
				old = before.Revision()
			}
			if tt.stays && e.Revision() != old {
				t.Errorf("nothing was written, and the entry is of revision %d, was %d", e.Revision(), old)
			}
			obj, err := e.Object()
			if err != nil {
				t.Fatal(err)
			}
			if got := obj.(*v1.Machine).ResourceVersion; got != e.ResourceVersion() {
				t.Errorf("the object states the version %q, the entry %q", got, e.ResourceVersion())
			}
		})
	}
}

func TestObjectsAreStoredConvertedAndDefaulted(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	in := &v1beta1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "m", ResourceVersion: "77"}}
	e, err := r.Create(t.Context(), in, store.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if in.ResourceVersion != "77" || in.APIVersion != "" {
		t.Errorf("the object given has been changed: %+v", in)
	}
	obj, err := e.Object()
	if err != nil {
		t.Fatal(err)
	}
	m := obj.(*v1.Machine)
	if m.APIVersion != "fleet.example.com/v1" || m.Spec.PowerState == "" ||
		m.ResourceVersion != strconv.FormatUint(e.Revision(), 10) {
		t.Errorf("got %+v", m)
	}
}

// Writers that meet each other try again until all of them have written.
func TestUpdatesDoNotLoseEachOther(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	create(t, r, machine("a", "m"))
	const writers, writes = 8, 25
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range writes {
				if _, err := r.Update(t.Context(), store.Key{Namespace: "a", Name: "m"},
					store.WriteOptions{}, func(_ context.Context, current runtime.Object) (runtime.Object, error) {
						current.(*v1.Machine).Generation++
						return current, nil
					}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	e, err := r.Get(t.Context(), store.Key{Namespace: "a", Name: "m"}, store.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := e.Metadata(); err != nil || m.Generation != writers*writes {
		t.Errorf("generation %d after %d updates, %v", m.Generation, writers*writes, err)
	}
}

func TestResourcesComeAndGo(t *testing.T) {
	t.Parallel()
	engine := memory.New()
	s := open(t, engine, store.Options{})
	r := addMachines(t, s, store.ResourceOptions{})
	create(t, r, machine("a", "m"))
	behind := watch(t, r, store.WatchOptions{})
	create(t, r, machine("a", "n"))
	remove(t, r, store.Key{Namespace: "a", Name: "n"})
	w := watch(t, r, store.WatchOptions{})
	ready := w.Ready()
	late := watch(t, r, store.WatchOptions{})
	if _, err := s.Add(store.ResourceOptions{Factory: factory, Kind: machineKind}); err == nil {
		t.Error("a resource was added twice")
	}
	if err := s.Remove(r.GroupResource()); err != nil {
		t.Fatal(err)
	}
	<-ready
	if _, err := w.Next(nil); !errors.Is(err, store.ErrRemoved) {
		t.Errorf("the watch goes on: %v", err)
	}
	select {
	case <-late.Ready():
	default:
		t.Error("a watch that begins to wait after the removal waits forever")
	}
	if _, err := r.List(t.Context(), store.ListOptions{}); !errors.Is(err, store.ErrRemoved) {
		t.Errorf("the resource can be listed: %v", err)
	}
	if err := s.Remove(r.GroupResource()); err == nil {
		t.Error("a resource was removed twice")
	}
	if _, ok := s.Resource(schema.GroupResource{Group: "fleet.example.com", Resource: "machines"}); ok {
		t.Error("the store still has the resource")
	}
	again := addMachines(t, s, store.ResourceOptions{})
	create(t, again, machine("a", "o"))
	if l, err := again.List(t.Context(), store.ListOptions{}); err != nil || l.Len() != 2 {
		t.Errorf("the objects are gone: %v", err)
	}
	// A watch sees what happened before the removal, one event at a time, and nothing of later.
	for _, want := range []string{metav1.WatchAdded, metav1.WatchDeleted} {
		events, err := behind.Next(make([]store.Event, 0, 1))
		if err != nil || len(events) != 1 || events[0].Type != want || events[0].Entry.Key().Name != "n" {
			t.Errorf("%v, %v, want %s", events, err, want)
		}
		select {
		case <-behind.Ready():
		default:
			t.Error("the watch waits, although its resource has been removed")
		}
	}
	if events, err := behind.Next(nil); !errors.Is(err, store.ErrRemoved) || len(events) > 0 {
		t.Errorf("the watch goes on: %v, %v", events, err)
	}
}

// TestReplace checks that a watch of a replaced resource ends, and that one of its successor
// resumes at the same revision without a gap.
func TestReplace(t *testing.T) {
	t.Parallel()
	s := open(t, memoryEngine(t), store.Options{})
	options := zoned
	options.Factory, options.Kind = factory, v1beta1.GroupVersion.WithKind("Machine")
	if _, err := s.Replace(options); err == nil {
		t.Error("a resource that has not been added was replaced")
	}
	r := addMachines(t, s, zoned)
	first := machine("a", "m")
	first.Spec.Zone = "z1"
	create(t, r, first)
	w := watch(t, r, store.WatchOptions{})
	second := machine("a", "n")
	second.Spec.Zone = "z1"
	create(t, r, second)
	ready := w.Ready()
	next, err := s.Replace(options)
	if err != nil {
		t.Fatal(err)
	}
	<-ready
	if _, err := w.Next(nil); !errors.Is(err, store.ErrReplaced) {
		t.Errorf("the watch goes on: %v", err)
	}
	if _, err := r.List(t.Context(), store.ListOptions{}); !errors.Is(err, store.ErrReplaced) {
		t.Errorf("the resource of before can be listed: %v", err)
	}
	resumed := watch(t, next, store.WatchOptions{
		ResourceVersion: strconv.FormatUint(w.Revision(), 10), Fields: fieldSelector(t, "spec.zone=z1"),
	})
	if events, err := resumed.Next(nil); err != nil || len(events) != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
	list, err := next.List(t.Context(), store.ListOptions{Fields: fieldSelector(t, "spec.zone=z1")})
	if err != nil || list.Len() != 2 {
		t.Errorf("%v, %v", list, err)
	}
	if found, ok := s.Resource(r.GroupResource()); !ok || found != next {
		t.Errorf("the store has %v, %v", found, ok)
	}
}

// TestResourceWithAnotherVersion checks that what was read before a resource was removed, and added
// in another version, stays what it was, whatever is read through the new one.
func TestResourceWithAnotherVersion(t *testing.T) {
	t.Parallel()
	s := open(t, memoryEngine(t), store.Options{})
	r := addMachines(t, s, zoned)
	m := machine("a", "m")
	m.Spec.Zone = "z1"
	entry := create(t, r, m)
	old, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(r.GroupResource()); err != nil {
		t.Fatal(err)
	}
	beta, err := s.Add(store.ResourceOptions{
		Factory: factory, Kind: v1beta1.GroupVersion.WithKind("Machine"), Fields: zoned.Fields,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, beta, store.WatchOptions{
		ResourceVersion: strconv.FormatUint(entry.Revision()-1, 10), Fields: fieldSelector(t, "spec.zone=z1"),
	})
	events, err := w.Next(nil)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	list, err := beta.List(t.Context(), store.ListOptions{Fields: fieldSelector(t, "spec.zone=z1")})
	if err != nil || list.Len() != 1 {
		t.Fatalf("%d objects, %v", list.Len(), err)
	}
	for name, tt := range map[string]struct {
		list *store.List
		want schema.GroupVersion
	}{"before": {old, v1.GroupVersion}, "after": {list, v1beta1.GroupVersion}} {
		var text bytes.Buffer
		rep, err := factory.Negotiate(nil, serializer.Offer{Kind: tt.want.WithKind("MachineList")})
		if err == nil {
			err = tt.list.Encode(&text, rep)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := factory.Decode(text.Bytes(), serializer.DecodeOptions{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, &text)
		}
		want, err := tt.list.Object()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-decoded +encoded):\n%s", name, diff)
		}
	}
	for e, want := range map[*store.Entry]runtime.Object{
		entry: new(v1.Machine), events[0].Entry: new(v1beta1.Machine),
	} {
		obj, err := e.Object()
		if err != nil || fmt.Sprintf("%T", obj) != fmt.Sprintf("%T", want) {
			t.Errorf("a %T: %v; want a %T", obj, err, want)
		}
	}
	// An event wakes those who watch what it leaves.
	ready := w.Ready()
	if _, err := beta.Delete(t.Context(), store.Key{Namespace: "a", Name: "m"}, store.WriteOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ready:
	case <-soon(t).Done():
		t.Error("the deletion does not wake the watch")
	}
}

func TestAddRefuses(t *testing.T) {
	tables, err := serializer.NewFactory(factory.Scheme(), json.Format(), csv.Format(csv.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		o          store.ResourceOptions
	}{
		{"no factory", "no factory", store.ResourceOptions{Kind: machineKind}},
		{"an unknown kind", "Machne", store.ResourceOptions{
			Factory: factory,
			Kind:    v1.GroupVersion.WithKind("Machne"),
		}},
		{"a list", "no list kind", store.ResourceOptions{
			Factory: factory,
			Kind:    v1.GroupVersion.WithKind("MachineList"),
		}},
		{"an unknown format", "text/x", store.ResourceOptions{
			Factory: factory, Kind: machineKind,
			MediaType: "text/x",
		}},
		{
			"a format that cannot be read", "csv cannot hold objects of fleet.example.com/v1, Kind=Machine",
			store.ResourceOptions{Factory: tables, Kind: machineKind, MediaType: "text/csv"},
		},
		{
			"a format without the kind", "protobuf cannot hold objects of fleet.example.com/v1, Kind=Machine",
			store.ResourceOptions{Factory: factory, Kind: machineKind, MediaType: "application/vnd.kubernetes.protobuf"},
		},
		{"a field twice", "twice", store.ResourceOptions{
			Factory: factory, Kind: machineKind,
			Fields: []store.Field{{Path: "spec.zone"}, {Path: "spec.zone"}},
		}},
		{"a name with a slash", "not the name of a resource", store.ResourceOptions{
			Factory: factory, Kind: machineKind,
			Resource: "a/b",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, memory.New(), store.Options{})
			if _, err := s.Add(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestClosedStore(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	create(t, r, machine("a", "m"))
	w, err := r.Watch(t.Context(), store.WatchOptions{Initial: true})
	if err != nil {
		t.Fatal(err)
	}
	ready := w.Ready()
	late := watch(t, r, store.WatchOptions{})
	if err := r.Store().Err(); err != nil {
		t.Errorf("Err of an open store: %v", err)
	}
	r.Store().Close()
	r.Store().Close()
	<-ready
	<-r.Store().Done()
	if err := r.Store().Err(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Err: %v", err)
	}
	select {
	case <-late.Ready():
	default:
		t.Error("a watch that begins to wait after the store was closed waits forever")
	}
	if _, err := w.Next(nil); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Next: %v", err)
	}
	if _, err := r.Create(t.Context(), machine("a", "n"), store.WriteOptions{}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Create: %v", err)
	}
	if _, err := r.Get(t.Context(), store.Key{Namespace: "a", Name: "m"}, store.GetOptions{}); !errors.Is(err,
		store.ErrClosed) {
		t.Errorf("Get: %v", err)
	}
	if got := names(w.Initial()); !slices.Equal(got, []string{"a/m"}) {
		t.Errorf("a list made before has %v", got)
	}
}
