package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/encrypt"
	"github.com/askind/askind/store/memory"
)

// machinesPrefix is what the keys of machines begin with.
const machinesPrefix = "fleet.example.com/machines/"

// put writes bytes into an engine.
func put(t testing.TB, e store.Engine, name, value string) {
	t.Helper()
	if _, err := e.Put(t.Context(), machinesPrefix+name, []byte(value), 0); err != nil {
		t.Fatal(err)
	}
}

// stored returns the bytes that an engine has.
func stored(t testing.TB, e store.Engine, name string) string {
	t.Helper()
	got, err := e.Get(t.Context(), machinesPrefix+name)
	if err != nil {
		t.Fatal(err)
	}
	return string(got.Value)
}

// What was stored in another version, without defaults or in another form is read as if it had been
// stored now, and migration makes it so.
func TestOldObjects(t *testing.T) {
	t.Parallel()
	old, err := factory.Append(nil, &v1beta1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "beta"}},
		serializer.EncodeOptions{Version: v1beta1.GroupVersion})
	if err != nil {
		t.Fatal(err)
	}
	engine := memoryEngine(t)
	put(t, engine, "a/beta", string(old))
	put(
		t, engine, "a/spaced", `{ "apiVersion": "fleet.example.com/v1", "kind": "Machine", "metadata": {"name": "spaced", "namespace": "a", "resourceVersion": "7"} }`,
	)
	put(
		t, engine, "a/unknown-field",
		`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"unknown-field","namespace":"a"},"former":1}`,
	)
	put(
		t, engine, "a/yaml", "kind: Machine\napiVersion: fleet.example.com/v1\nmetadata:\n  name: yaml\n  namespace: a\n",
	)
	r := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	create(t, r, machine("a", "zz-new"))
	answers := func() (out []string) {
		l, err := r.List(t.Context(), store.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for e := range l.Entries() {
			obj, err := e.Object()
			if err != nil {
				t.Fatal(err)
			}
			if m := obj.(*v1.Machine); m.Spec.PowerState == "" || m.ResourceVersion != e.ResourceVersion() ||
				m.APIVersion != "fleet.example.com/v1" {
				t.Errorf("%+v", m)
			}
			compareEntries(t, e, "application/json")
			out = append(out, string(mustJSON(t, clearVersion(obj.(*v1.Machine)))))
		}
		return out
	}
	before := answers()
	if len(before) != 5 {
		t.Fatalf("%d objects", len(before))
	}
	var reports []store.MigrateReport
	report, err := r.Migrate(t.Context(),
		store.MigrateOptions{Progress: func(p store.MigrateReport) { reports = append(reports, p) }})
	if err != nil || report.Seen != 5 || report.Written != 4 || report.Total != 5 || len(reports) != 1 {
		t.Errorf("%+v, %v, %d reports", report, err, len(reports))
	}
	if after := answers(); !slices.Equal(before, after) {
		t.Errorf("the objects have changed:\n%s\n%s", before, after)
	}
	for _, name := range []string{"a/beta", "a/spaced", "a/unknown-field", "a/yaml"} {
		if got := stored(t, engine, name); !strings.HasPrefix(got,
			`{"kind":"Machine","apiVersion":"fleet.example.com/v1",`) || strings.Contains(got, "former") ||
			strings.Contains(got, "resourceVersion") {
			t.Errorf("%s is stored as %s", name, got)
		}
	}
	if again, err := r.Migrate(t.Context(), store.MigrateOptions{}); err != nil || again.Written != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

func clearVersion(m *v1.Machine) *v1.Machine {
	m.ResourceVersion = ""
	return m
}

// A migration that was interrupted goes on where it was, and leaves alone what was deleted
// meanwhile.
func TestMigrationResumes(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	for i := range 250 {
		put(t, engine, fmt.Sprintf("a/m%03d", i),
			fmt.Sprintf(
				`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"namespace":"a","name":"m%03d"}}`, i,
			))
	}
	r := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	first, err := r.Migrate(ctx, store.MigrateOptions{Progress: func(store.MigrateReport) { cancel() }})
	if !errors.Is(err, context.Canceled) || first.Seen != 100 ||
		first.Reached != (store.Key{Namespace: "a", Name: "m099"}) {
		t.Fatalf("%+v, %v", first, err)
	}
	rest, err := r.Migrate(t.Context(), store.MigrateOptions{After: first.Reached})
	if err != nil || rest.Seen != 150 || rest.Written != 150 {
		t.Errorf("%+v, %v", rest, err)
	}
}

// A migration ends when its resource is replaced, and leaves the rest to one of the other resource.
func TestMigrationOfReplaced(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	for i := range 150 {
		put(t, engine, fmt.Sprintf("a/m%03d", i),
			fmt.Sprintf(
				`{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"namespace":"a","name":"m%03d"}}`, i,
			))
	}
	s := open(t, engine, store.Options{})
	r := addMachines(t, s, store.ResourceOptions{})
	var next *store.Resource
	first, err := r.Migrate(t.Context(), store.MigrateOptions{Progress: func(store.MigrateReport) {
		var err error
		if next, err = s.Replace(store.ResourceOptions{Factory: factory, Kind: machineKind}); err != nil {
			t.Fatal(err)
		}
	}})
	if !errors.Is(err, store.ErrReplaced) || first.Seen != 100 {
		t.Fatalf("%+v, %v", first, err)
	}
	rest, err := next.Migrate(t.Context(), store.MigrateOptions{After: first.Reached})
	if err != nil || rest.Written != 50 {
		t.Errorf("%+v, %v", rest, err)
	}
}

// An update that has begun before its resource is replaced writes nothing.
func TestUpdateOfReplaced(t *testing.T) {
	t.Parallel()
	s := open(t, memoryEngine(t), store.Options{})
	r := addMachines(t, s, store.ResourceOptions{})
	before := create(t, r, machine("a", "m"))
	_, err := r.Update(t.Context(), before.Key(), store.WriteOptions{},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			if _, err := s.Replace(store.ResourceOptions{Factory: factory, Kind: machineKind}); err != nil {
				t.Fatal(err)
			}
			current.(*v1.Machine).Labels = map[string]string{"x": "1"}
			return current, nil
		})
	if !errors.Is(err, store.ErrReplaced) || s.Revision() != before.Revision() {
		t.Errorf("at revision %d of %d: %v", s.Revision(), before.Revision(), err)
	}
}

func TestStorageFormats(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"application/json", "application/yaml", "application/cbor"} {
		t.Run(media, func(t *testing.T) {
			t.Parallel()
			engine := memoryEngine(t)
			s := open(t, engine, store.Options{})
			r := addMachines(t, s, store.ResourceOptions{MediaType: media, Fields: []store.Field{{Path: "spec.zone"}}})
			m := machine("a", "m", "x", "1")
			m.Spec.Zone = "north"
			e := create(t, r, m)
			for _, accept := range acceptable {
				compareEntries(t, e, accept)
			}
			l, err := r.List(t.Context(), store.ListOptions{
				Fields: fieldSelector(t, "spec.zone=north"),
				Labels: selector(t, "x=1"),
			})
			if err != nil || l.Len() != 1 {
				t.Errorf("%v, %v", l, err)
			}
			for _, accept := range acceptable {
				compareLists(t, l, accept)
			}
			if same := relabel(t, r, store.Key{Namespace: "a", Name: "m"}, "x", "1"); same.Revision() != e.Revision() {
				t.Error("an update to the same bytes was written")
			}
			if err := s.Remove(r.GroupResource()); err != nil {
				t.Fatal(err)
			}
			// In another format it is read as well, and migrated.
			again := addMachines(t, s, store.ResourceOptions{})
			report, err := again.Migrate(t.Context(), store.MigrateOptions{})
			if want := 1; err != nil || (report.Written == want) == (media == "application/json") {
				t.Errorf("%+v, %v", report, err)
			}
			if got := stored(t, engine, "a/m"); got[0] != '{' {
				t.Errorf("stored as %q", got)
			}
		})
	}
}

func TestRewriteRotatesKeys(t *testing.T) {
	t.Parallel()
	inner := memory.New()
	secret := func(id string) encrypt.Key {
		return encrypt.Key{ID: id, Secret: bytes.Repeat([]byte(id[:1]), 16)}
	}
	for _, keys := range []encrypt.Keys{{secret("old")}, {secret("new"), secret("old")}, {secret("new")}} {
		e, err := encrypt.New(inner, keys)
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.Context(), e, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := addMachines(t, s, store.ResourceOptions{})
		if len(keys) == 1 && keys[0].ID == "old" {
			create(t, r, machine("a", "m"))
		}
		if _, err := r.Migrate(t.Context(), store.MigrateOptions{Rewrite: true}); err != nil {
			t.Fatal(err)
		}
		l, err := r.List(t.Context(), store.ListOptions{Undecodable: true})
		if err != nil || l.Len() != 1 {
			t.Errorf("with %v: %v, %v", keys[0].ID, l, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	e, err := encrypt.New(inner, encrypt.Keys{secret("lost")})
	if err != nil {
		t.Fatal(err)
	}
	r := addMachines(t, open(t, e, store.Options{}), store.ResourceOptions{})
	_, err = r.List(t.Context(), store.ListOptions{Undecodable: true})
	if _, ok := errors.AsType[*store.UndecodableError](err); !ok ||
		!strings.Contains(err.Error(), "the key is not known") {
		t.Errorf("error %v", err)
	}
}

// TestMigrationSharesBytes holds that what was rewritten is in memory once. It was there twice
// until the store was opened again.
func TestMigrationSharesBytes(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	created := create(t, r, machine("a", "m"))
	if _, err := r.Create(t.Context(), machine("a", "n"), store.WriteOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if report, err := r.Migrate(t.Context(), store.MigrateOptions{Rewrite: true}); err != nil || report.Written != 2 {
		t.Fatal(report, err)
	}
	l, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for e := range l.Entries() {
		if e.Revision() <= created.Revision()+1 || !store.SharesBytes(e) {
			t.Errorf("%s at revision %d, shares its bytes: %t", e.Key(), e.Revision(), store.SharesBytes(e))
		}
	}
}

// Objects that cannot be decoded do not keep others from being used, are reported, and can be
// deleted.
func TestUndecodable(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	for name, value := range map[string]string{
		"a/broken":     `{"kind":"Machine",`,
		"a/other-kind": `{"kind":"MachinePool","apiVersion":"fleet.example.com/v1","metadata":{"name":"other-kind","namespace":"a"}}`,
		"a/other-name": `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"b","namespace":"a"}}`,
		"a/unknown":    `{"kind":"Machine","apiVersion":"fleet.example.com/v9","metadata":{"name":"unknown","namespace":"a"}}`,
		"a/expiry":     "\x01\x00",
		"a/good":       `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"good","namespace":"a"}}`,
	} {
		put(t, engine, name, value)
	}
	reported := map[string]bool{}
	r := addMachines(
		t, open(t, engine, store.Options{Undecodable: func(e *store.UndecodableError) { reported[e.Key.Name] = true }}),
		store.ResourceOptions{},
	)
	bad := []string{"broken", "expiry", "other-kind", "other-name", "unknown"}
	l, err := r.List(t.Context(), store.ListOptions{})
	if err != nil || !slices.Equal(names(l), []string{"a/good"}) || len(reported) != len(bad) {
		t.Errorf("%v, %v, reported %v", l, err, reported)
	}
	var found []string
	for key, err := range r.Undecodable(t.Context()) {
		found = append(found, key.Name)
		if e, ok := errors.AsType[*store.UndecodableError](err); !ok || e.Key != key {
			t.Errorf("%v: %v", key, err)
		}
	}
	if !slices.Equal(found, bad) {
		t.Errorf("found %q", found)
	}
	if _, err := r.List(t.Context(),
		store.ListOptions{Undecodable: true}); metav1.ReasonOf(err) != metav1.StatusReasonStoreReadError {
		t.Errorf("a list that is to fail: %v", err)
	}
	if _, err := r.Watch(t.Context(), store.WatchOptions{Initial: true}); err != nil {
		t.Errorf("a watch: %v", err)
	}
	for _, name := range bad {
		key := store.Key{Namespace: "a", Name: name}
		if _, err := r.Get(t.Context(), key,
			store.GetOptions{}); metav1.ReasonOf(err) != metav1.StatusReasonStoreReadError {
			t.Errorf("%s: get: %v", name, err)
		}
		if _, err := r.Create(t.Context(), machine("a", name),
			store.WriteOptions{}); metav1.ReasonOf(err) != metav1.StatusReasonAlreadyExists {
			t.Errorf("%s: create: %v", name, err)
		}
		if _, err := r.Delete(t.Context(), key, store.WriteOptions{},
			nil); metav1.ReasonOf(err) != metav1.StatusReasonStoreReadError {
			t.Errorf("%s: delete: %v", name, err)
		}
		e, err := r.Delete(t.Context(), key, store.WriteOptions{Undecodable: true}, nil)
		if err != nil {
			t.Errorf("%s: delete all the same: %v", name, err)
			continue
		}
		if out, err := e.Append(nil, representation(t, "application/json")); err == nil {
			t.Errorf("%s: it is answered with %q", name, out)
		}
	}
	if n := r.Count(""); n != 1 {
		t.Errorf("%d objects are left", n)
	}
}

func representation(t *testing.T, accept string) *serializer.Representation {
	t.Helper()
	rep, err := factory.Negotiate([]string{accept}, serializer.Offer{Kind: machineKind})
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func TestUntypedKinds(t *testing.T) {
	t.Parallel()
	kind := schema.GroupVersionKind{Group: "stable.example.com", Version: "v1", Kind: "CronTab"}
	s := open(t, memoryEngine(t), store.Options{})
	r, err := s.Add(store.ResourceOptions{
		Factory: factory, Kind: kind, Untyped: true, Resource: "crontabs",
		Fields: []store.Field{{Path: "spec.color"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, r, store.WatchOptions{})
	in := unstructured.New(kind)
	in.SetNamespace("a")
	in.SetName("c")
	in.SetLabels(map[string]string{"x": "1"})
	if err := in.Set("red", "spec", "color"); err != nil {
		t.Fatal(err)
	}
	e, err := r.Create(t.Context(), in, store.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if in.ResourceVersion() != "" {
		t.Error("the object given has been changed")
	}
	other := unstructured.New(kind.GroupVersion().WithKind("Other"))
	other.SetNamespace("a")
	other.SetName("o")
	if _, err := r.Create(t.Context(), other, store.WriteOptions{}); err == nil ||
		!strings.Contains(err.Error(), "this is a stable.example.com/v1, Kind=Other") {
		t.Errorf("an object of another kind: %v", err)
	}
	e, err = r.Update(t.Context(), e.Key(), store.WriteOptions{
		ResourceVersion: e.ResourceVersion(),
	}, func(_ context.Context, current runtime.Object) (runtime.Object, error) {
		return current, current.(*unstructured.Object).Set(int64(3), "spec", "replicas")
	})
	if err != nil {
		t.Fatal(err)
	}
	obj, err := e.Object()
	if err != nil {
		t.Fatal(err)
	}
	if got := obj.(*unstructured.Object).ResourceVersion(); got != e.ResourceVersion() {
		t.Errorf("resourceVersion %q", got)
	}
	l, err := r.List(t.Context(), store.ListOptions{
		Fields: fieldSelector(t, "spec.color=red"),
		Labels: selector(t, "x=1"), Limit: 1,
	})
	if err != nil || l.Len() != 1 {
		t.Fatalf("%v, %v", l, err)
	}
	list, err := l.Object()
	if err != nil {
		t.Fatal(err)
	}
	text, err := factory.Append(nil, list, serializer.EncodeOptions{})
	want := `{"apiVersion":"stable.example.com/v1","items":[{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"labels":{"x":"1"},"name":"c","namespace":"a","resourceVersion":"` + e.ResourceVersion() + `"},"spec":{"color":"red","replicas":3}}],"kind":"CronTabList","metadata":{"resourceVersion":"` + l.ResourceVersion() + `"}}` + "\n"
	if err != nil || string(text) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, text, want)
	}
	if got := pull(t, w); !slices.Equal(got, []string{"ADDED a/c", "MODIFIED a/c"}) {
		t.Errorf("events %q", got)
	}
	if mark, err := r.Bookmark(7, true); err != nil || mark.(*unstructured.Object).ResourceVersion() != "7" {
		t.Errorf("bookmark %v, %v", mark, err)
	}
}

// TestMigrationAmongWrites deletes an object and changes another one during a migration.
func TestMigrationAmongWrites(t *testing.T) {
	t.Parallel()
	const objects = 102 // progress is reported after 100
	r := machines(t, store.Options{})
	for i := range objects {
		create(t, r, machine("a", fmt.Sprintf("m%03d", i)))
	}
	written := false
	report, err := r.Migrate(t.Context(), store.MigrateOptions{Rewrite: true, Progress: func(store.MigrateReport) {
		if written {
			return
		}
		written = true
		remove(t, r, store.Key{Namespace: "a", Name: "m100"})
		relabel(t, r, store.Key{Namespace: "a", Name: "m101"}, "x", "1")
	}})
	if err != nil || report.Seen != objects || report.Written != objects-1 || report.Gone != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	e, err := r.Get(t.Context(), store.Key{Namespace: "a", Name: "m101"}, store.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m, err := e.Metadata(); err != nil || m.Labels["x"] != "1" {
		t.Errorf("the change was lost: %v, %v", m, err)
	}
}

// TestMigrationKeepsTTL checks that objects with a time to live are not rewritten for that reason,
// and keep it when they are rewritten.
func TestMigrationKeepsTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := memory.New()
		defer engine.Close()
		s, err := store.Open(t.Context(), engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		if _, err := r.Create(t.Context(), machine("a", "m"), store.WriteOptions{TTL: time.Minute}); err != nil {
			t.Fatal(err)
		}
		for written, o := range []store.MigrateOptions{{}, {Rewrite: true}} {
			if report, err := r.Migrate(t.Context(), o); err != nil || report.Written != written {
				t.Errorf("%+v, %v; want %d written", report, err, written)
			}
		}
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if n := r.Count(""); n != 1 {
			t.Errorf("%d objects before the time, want 1", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := r.Count(""); n != 0 {
			t.Errorf("%d objects after the time, want none", n)
		}
	})
}

// Objects with a time to live go when it is over, and not before.
func TestTTL(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine := memory.New()
		defer engine.Close()
		ctx := t.Context()
		s, err := store.Open(ctx, engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := addMachines(t, s, store.ResourceOptions{})
		w, err := r.Watch(ctx, store.WatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for name, ttl := range map[string]time.Duration{
			"short": time.Minute, "long": time.Hour, "kept": time.Minute,
			"prolonged": time.Minute, "for-ever": 0,
		} {
			if _, err := r.Create(ctx, machine("a", name), store.WriteOptions{TTL: ttl}); err != nil {
				t.Fatal(err)
			}
		}
		update := func(name, label string, ttl time.Duration) {
			if _, err := r.Update(ctx, store.Key{Namespace: "a", Name: name},
				store.WriteOptions{TTL: ttl}, func(_ context.Context, current runtime.Object) (runtime.Object, error) {
					m := current.(*v1.Machine)
					m.Labels = map[string]string{"x": label}
					return m, nil
				}); err != nil {
				t.Error(err)
			}
		}
		left := func() []string {
			l, err := r.List(ctx, store.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return names(l)
		}
		time.Sleep(30 * time.Second)
		update("kept", "1", 0) // keeps its time
		update("prolonged", "1", 0)
		update("prolonged", "1", 10*time.Minute) // the time alone
		time.Sleep(29 * time.Second)
		synctest.Wait()
		if got := left(); len(got) != 5 {
			t.Errorf("before the time: %q", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := left(); !slices.Equal(got, []string{"a/for-ever", "a/long", "a/prolonged"}) {
			t.Errorf("after a minute: %q", got)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if got := left(); !slices.Equal(got, []string{"a/for-ever", "a/long"}) {
			t.Errorf("after 11 minutes: %q", got)
		}
		// A store that is opened later knows what is still to go.
		s.Close()
		again, err := store.Open(ctx, engine, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		r = addMachines(t, again, store.ResourceOptions{})
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := left(); !slices.Equal(got, []string{"a/for-ever"}) {
			t.Errorf("after an hour: %q", got)
		}
	})
}

// TestMigrationReportsLosses checks that a migration reports the values that the version of the
// resource cannot express before it rewrites an object, and that a dry run writes nothing.
func TestMigrationReportsLosses(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	const text = `{"apiVersion":"fleet.example.com/v1alpha1","kind":"Machine","metadata":{"name":"%s","namespace":"a"},` +
		`"spec":{"zone":"fra-1","cpu":"4","memory":"8Gi"%s}}`
	put(t, engine, "a/lossy", fmt.Sprintf(text, "lossy", `,"rack":"r7"`))
	put(t, engine, "a/plain", fmt.Sprintf(text, "plain", ""))
	before := stored(t, engine, "a/lossy")
	r := addMachines(t, open(t, engine, store.Options{}), store.ResourceOptions{})
	for _, dry := range []bool{true, false} {
		var got []string
		report, err := r.Migrate(t.Context(), store.MigrateOptions{
			DryRun: dry,
			Dropped: func(k store.Key, d conversion.DroppedValue) {
				if stored(t, engine, "a/lossy") != before {
					t.Error("the value was reported after it was lost")
				}
				got = append(got, fmt.Sprintf("%s %s %s %v", k, d.Kind, d.Path, d.Value))
			},
		})
		if err != nil || report.Seen != 2 || report.Written != 2 {
			t.Errorf("dry %v: %+v, %v", dry, report, err)
		}
		if want := []string{"a/lossy fleet.example.com/v1alpha1/Machine spec.rack r7"}; !slices.Equal(got, want) {
			t.Errorf("dry %v: got %q, want %q", dry, got, want)
		}
		if same := stored(t, engine, "a/lossy") == before; same != dry {
			t.Errorf("dry %v: unchanged %v", dry, same)
		}
	}
}

// TestFunctionsThatPanic checks that a function of the program that panics for one stored object
// leaves the others, and the goroutine that follows the engine, as they are.
func TestFunctionsThatPanic(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	const value = `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"%s","namespace":"a"}}`
	put(t, engine, "a/before", fmt.Sprintf(value, "before"))
	var reported atomic.Pointer[store.UndecodableError]
	r := addMachines(
		t, open(t, engine, store.Options{Undecodable: func(e *store.UndecodableError) { reported.Store(e) }}),
		store.ResourceOptions{Fields: []store.Field{{Path: "odd", Index: true, Value: func(o runtime.Object) string {
			if name := o.(*v1.Machine).Name; name != "good" {
				panic("an odd " + name)
			}
			return "no"
		}}}},
	)
	for _, name := range []string{"after", "good"} {
		put(t, engine, "a/"+name, fmt.Sprintf(value, name))
	}
	if _, err := r.Get(t.Context(), store.Key{Namespace: "a", Name: "good"}, store.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	l, err := r.List(t.Context(), store.ListOptions{Fields: fieldSelector(t, "odd=no")})
	if err != nil || !slices.Equal(names(l), []string{"a/good"}) {
		t.Errorf("%v, %v", l, err)
	}
	found := map[string]string{}
	for key, err := range r.Undecodable(t.Context()) {
		found[key.Name] = err.Error()
	}
	if len(found) != 2 || !strings.Contains(found["before"], "panic: an odd before") ||
		!strings.Contains(found["after"], "panic: an odd after") {
		t.Errorf("found %q", found)
	}
	if e := reported.Load(); e == nil || !strings.Contains(string(e.Stack), "TestFunctionsThatPanic") {
		t.Errorf("reported %v", e)
	}
}
