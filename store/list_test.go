package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

func TestListSelects(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	for _, m := range []*v1.Machine{
		machine("a", "m", "x", "1"), machine("a", "n", "x", "2", "y", "1"), machine("a-b", "m"), machine("b",
			"m", "x", "1"),
	} {
		m.Spec.Zone = "z-" + m.Namespace
		create(t, r, m)
	}
	indexed := addMachines(t, open(t, memoryEngine(t), store.Options{}),
		store.ResourceOptions{Fields: []store.Field{{Path: "spec.zone", Index: true}, {Path: "spec.poolName"}}})
	list, err := r.List(t.Context(), store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for obj, err := range list.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		create(t, indexed, obj.(*v1.Machine))
	}
	for _, tt := range []struct {
		name              string
		o                 store.ListOptions
		labels, fields    string
		want              []string
		reason            metav1.StatusReason
		onlyWhereDeclared bool
	}{
		{name: "everything, in the order of keys", want: []string{"a-b/m", "a/m", "a/n", "b/m"}},
		{name: "a namespace", o: store.ListOptions{Namespace: "a"}, want: []string{"a/m", "a/n"}},
		{name: "a namespace that is not there", o: store.ListOptions{Namespace: "c"}, want: []string{}},
		{name: "a name", o: store.ListOptions{Namespace: "a", Name: "n"}, want: []string{"a/n"}},
		{name: "a name in all namespaces", o: store.ListOptions{Name: "m"}, want: []string{"a-b/m", "a/m", "b/m"}},
		{name: "labels", labels: "x=1", want: []string{"a/m", "b/m"}},
		{
			name: "labels in a namespace", labels: "x", o: store.ListOptions{Namespace: "a"},
			want: []string{"a/m", "a/n"},
		},
		{name: "labels that are not there", labels: "!x", want: []string{"a-b/m"}},
		{name: "a name as a field", fields: "metadata.name=n", want: []string{"a/n"}},
		{name: "a blank namespace as a field", fields: "metadata.namespace=", want: []string{}},
		{name: "other names", fields: "metadata.name!=m", want: []string{"a/n"}},
		{name: "a namespace as a field", fields: "metadata.namespace=b", want: []string{"b/m"}},
		{
			name: "two namespaces", fields: "metadata.namespace=b", o: store.ListOptions{Namespace: "a"},
			want: []string{},
		},
		{name: "a slash in a name", fields: "metadata.name=a/m", want: []string{}},
		{name: "a field", fields: "spec.zone=z-a", want: []string{"a/m", "a/n"}, onlyWhereDeclared: true},
		{
			name: "a field in a namespace", fields: "spec.zone=z-a", o: store.ListOptions{Namespace: "b"},
			want: []string{}, onlyWhereDeclared: true,
		},
		{
			name: "a field and labels", fields: "spec.zone=z-a", labels: "y", want: []string{"a/n"},
			onlyWhereDeclared: true,
		},
		{
			name: "a field with another value", fields: "spec.zone!=z-a", want: []string{"a-b/m", "b/m"},
			onlyWhereDeclared: true,
		},
		{
			name: "a field that is blank", fields: "spec.poolName=", want: []string{"a-b/m", "a/m", "a/n", "b/m"},
			onlyWhereDeclared: true,
		},
		{name: "a field that is not declared", fields: "spec.size=1", reason: metav1.StatusReasonBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []*store.Resource{r, indexed} {
				o := tt.o
				o.Labels, o.Fields = selector(t, tt.labels), fieldSelector(t, tt.fields)
				l, err := r.List(t.Context(), o)
				if tt.onlyWhereDeclared && r != indexed {
					if metav1.ReasonOf(err) != metav1.StatusReasonBadRequest {
						t.Errorf("error %v", err)
					}
					continue
				}
				if got := metav1.ReasonOf(err); got != tt.reason {
					t.Fatalf("error %v", err)
				}
				if err != nil {
					continue
				}
				if got := names(l); !slices.Equal(got, tt.want) {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			}
		})
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	r := machines(t, store.Options{})
	for i := range 25 {
		create(t, r, machine("a", fmt.Sprintf("m%02d", i), "x", fmt.Sprint(i%2)))
	}
	first, err := r.List(t.Context(), store.ListOptions{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := first.Remaining(); !ok || n != 15 {
		t.Errorf("%d remain, %t", n, ok)
	}
	// What happens between the pages is not seen in them.
	remove(t, r, store.Key{Namespace: "a", Name: "m15"})
	create(t, r, machine("a", "m155"))
	got := names(first)
	for l := first; l.Continue() != ""; {
		if l, err = r.List(t.Context(), store.ListOptions{Limit: 10, Continue: l.Continue()}); err != nil {
			t.Fatal(err)
		}
		if l.Revision() != first.Revision() {
			t.Errorf("a page of revision %d in a list of %d", l.Revision(), first.Revision())
		}
		got = append(got, names(l)...)
	}
	whole, err := r.List(t.Context(), store.ListOptions{
		ResourceVersion:      first.ResourceVersion(),
		ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := names(whole); !slices.Equal(got, want) || len(got) != 25 {
		t.Errorf("the pages have %q, the list has %q", got, want)
	}
	selected, err := r.List(t.Context(), store.ListOptions{Limit: 10, Labels: selector(t, "x=1")})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := selected.Remaining(); ok || selected.Len() != 10 || selected.Continue() == "" {
		t.Errorf("a page of %d selected objects, and it states how many remain: %t", selected.Len(), ok)
	}
	t.Run("tokens of other lists", func(t *testing.T) {
		for name, o := range map[string]store.ListOptions{
			"another namespace": {Namespace: "a"},
			"other labels":      {Labels: selector(t, "x=0")},
			"other fields":      {Fields: fieldSelector(t, "metadata.name=m")},
			"a name":            {Name: "m"},
			"with a revision":   {ResourceVersion: "5"},
			"with a match":      {ResourceVersion: "5", ResourceVersionMatch: metav1.ResourceVersionMatchExact},
		} {
			o.Continue = first.Continue()
			if _, err := r.List(t.Context(), o); metav1.ReasonOf(err) != metav1.StatusReasonBadRequest {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, token := range []string{"x", "!", "AQ", "Ag", strings.Repeat("A", 5000), "AQAAAAAAAAAA"} {
			if _, err := r.List(t.Context(),
				store.ListOptions{Continue: token}); metav1.ReasonOf(err) != metav1.StatusReasonBadRequest {
				t.Errorf("%.10s: %v", token, err)
			}
		}
	})
}

// A token whose revision is forgotten brings another one, with which the list goes on at the
// present revision.
func TestOutdatedToken(t *testing.T) {
	t.Parallel()
	inner := memoryEngine(t)
	r := addMachines(t, open(t, &shared{Engine: inner}, store.Options{HistoryBytes: 32 << 10}), store.ResourceOptions{})
	for i := range 30 {
		create(t, r, machine("a", fmt.Sprintf("m%02d", i)))
	}
	first, err := r.List(t.Context(), store.ListOptions{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		create(t, r, machine("z", fmt.Sprintf("m%02d", i)))
	}
	_, err = r.List(t.Context(), store.ListOptions{Limit: 10, Continue: first.Continue()})
	if metav1.ReasonOf(err) != metav1.StatusReasonExpired {
		t.Fatalf("error %v", err)
	}
	fresh := metav1.StatusOf(err).Continue
	now, err := inner.Put(t.Context(), "other", []byte("1"), 0) // which the store has not heard of
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.List(t.Context(), store.ListOptions{Limit: 3, Continue: fresh})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(l); !slices.Equal(got, []string{"a/m10", "a/m11", "a/m12"}) ||
		l.Revision() != now {
		t.Errorf("got %q at %d of %d", got, l.Revision(), now)
	}
}

// resourceVersion and resourceVersionMatch, in all combinations that the Kubernetes API has.
func TestListRevisions(t *testing.T) {
	t.Parallel()
	const exact, notOlder = metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan
	for _, tt := range []struct {
		name string
		o    store.ListOptions
		// which of three revisions is stated; 0 for the one of the options, -1 for a forgotten one,
		// 9 for the future
		past   int
		want   int // the number of objects
		reason metav1.StatusReason
	}{
		{name: "unset", want: 3},
		{name: "unset, a page", o: store.ListOptions{Limit: 2}, want: 2},
		{name: "0", o: store.ListOptions{ResourceVersion: "0"}, want: 3},
		{name: "0, a page", o: store.ListOptions{ResourceVersion: "0", Limit: 2}, want: 2},
		{name: "0 or later", o: store.ListOptions{ResourceVersion: "0", ResourceVersionMatch: notOlder}, want: 3},
		{
			name: "exactly 0", o: store.ListOptions{ResourceVersion: "0", ResourceVersionMatch: exact},
			reason: metav1.StatusReasonBadRequest,
		},
		{
			name: "a match alone", o: store.ListOptions{ResourceVersionMatch: exact},
			reason: metav1.StatusReasonBadRequest,
		},
		{
			name: "an unknown match", o: store.ListOptions{ResourceVersion: "1", ResourceVersionMatch: "Newer"},
			reason: metav1.StatusReasonBadRequest,
		},
		{name: "a negative limit", o: store.ListOptions{Limit: -1}, want: 3},
		{name: "a past one", past: 1, want: 3},
		{name: "a past one, a page", o: store.ListOptions{Limit: 5}, past: 1, want: 1},
		{name: "a past one or later", o: store.ListOptions{ResourceVersionMatch: notOlder}, past: 1, want: 3},
		{
			name: "a past one or later, a page", o: store.ListOptions{ResourceVersionMatch: notOlder, Limit: 5},
			past: 1, want: 3,
		},
		{name: "exactly the first", o: store.ListOptions{ResourceVersionMatch: exact}, past: 1, want: 1},
		{name: "exactly the second", o: store.ListOptions{ResourceVersionMatch: exact}, past: 2, want: 2},
		{name: "exactly the present one", o: store.ListOptions{ResourceVersionMatch: exact}, past: 3, want: 3},
		{
			name: "exactly one that is forgotten", o: store.ListOptions{ResourceVersionMatch: exact}, past: -1,
			reason: metav1.StatusReasonExpired,
		},
		{
			name: "one that is forgotten, or later", o: store.ListOptions{ResourceVersionMatch: notOlder},
			past: -1, want: 3,
		},
		{name: "one that is forgotten", past: -1, want: 3},
		{name: "the future", past: 9, reason: metav1.StatusReasonTimeout},
		{
			name: "exactly the future", o: store.ListOptions{ResourceVersionMatch: exact}, past: 9,
			reason: metav1.StatusReasonTimeout,
		},
		{name: "nonsense", o: store.ListOptions{ResourceVersion: "1.5"}, reason: metav1.StatusReasonBadRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := machines(t, store.Options{})
				before := r.Store().Revision()
				for i := range 3 {
					create(t, r, machine("a", fmt.Sprint("m", i)))
				}
				o := tt.o
				if tt.past != 0 {
					o.ResourceVersion = strconv.FormatUint(before+uint64(int64(tt.past)), 10)
				}
				start := time.Now()
				l, err := r.List(t.Context(), o)
				if got := metav1.ReasonOf(err); got != tt.reason {
					t.Fatalf("error %v", err)
				}
				if err == nil && l.Len() != tt.want {
					t.Errorf("%d objects, want %d", l.Len(), tt.want)
				}
				if waited := time.Since(start); (waited >= 3*time.Second) != (tt.past == 9) {
					t.Errorf("waited %v", waited)
				}
				if tt.past != 9 {
					return
				}
				status := metav1.StatusOf(err)
				if d := status.Details; status.Code != 504 || d == nil || d.RetryAfterSeconds != 1 ||
					d.Causes[0].Type != metav1.CauseTypeResourceVersionTooLarge {
					t.Errorf("status %+v", status)
				}
			})
		})
	}
}

// A list of the future is answered when the future has come.
func TestListWaits(t *testing.T) {
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
		go func() {
			time.Sleep(time.Second)
			create(t, r, machine("a", "m"))
		}()
		l, err := r.List(t.Context(), store.ListOptions{ResourceVersion: strconv.FormatUint(s.Revision()+1, 10)})
		if err != nil || l.Len() != 1 {
			t.Errorf("%v, %v", l, err)
		}
		// A caller whose time is over is told that, and not that the version is too large.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = r.List(ctx, store.ListOptions{ResourceVersion: strconv.FormatUint(s.Revision()+1, 10)})
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, store.ErrFuture) {
			t.Errorf("after the time of the caller: %v", err)
		}
	})
}

// TestNoNamespaceInAClusterScope checks that objects of cluster scope are in no namespace.
func TestNoNamespaceInAClusterScope(t *testing.T) {
	t.Parallel()
	r, err := open(t, memoryEngine(t), store.Options{}).Add(store.ResourceOptions{
		Factory: factory, Kind: schema.GroupVersionKind{Group: "x.example.com", Version: "v1", Kind: "Thing"},
		Untyped: true, Resource: "things", Scope: runtime.Cluster,
	})
	if err != nil {
		t.Fatal(err)
	}
	thing := unstructured.New(r.Kind().GroupVersion().WithKind("Thing"))
	thing.SetName("a")
	create(t, r, thing)
	for namespace, want := range map[string]int{"": 1, "a": 0, "x": 0} {
		l, err := r.List(t.Context(), store.ListOptions{Namespace: namespace})
		if err != nil || l.Len() != want {
			t.Errorf("namespace %q: %v, %v", namespace, names(l), err)
		}
	}
}

// TestIndexOfThePast checks that a list at a past revision finds by an index what it finds without,
// also at revisions from before the resource was added with it.
func TestIndexOfThePast(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	s := open(t, engine, store.Options{})
	plain := addMachines(t, open(t, engine, store.Options{}),
		store.ResourceOptions{Fields: []store.Field{{Path: "spec.zone"}}})
	fields, err := store.ParseFieldSelector("spec.zone=z1")
	if err != nil {
		t.Fatal(err)
	}
	var revisions []string
	write := func(name string) {
		for i := range 40 {
			m := machine("a", fmt.Sprint(name, i))
			m.Spec.Zone = fmt.Sprint("z", i%2)
			revisions = append(revisions, create(t, plain, m).ResourceVersion())
		}
	}
	write("before")
	// The first resource of this name has other values in its index.
	indexed := addMachines(t, s, store.ResourceOptions{Fields: []store.Field{{
		Path: "spec.zone", Index: true, Value: func(runtime.Object) string { return "elsewhere" },
	}}})
	write("with")
	if err := s.Remove(indexed.GroupResource()); err != nil {
		t.Fatal(err)
	}
	write("between")
	indexed = addMachines(t, s, zoned)
	write("again")
	for _, version := range revisions {
		o := store.ListOptions{
			Fields: fields, ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
		}
		want, err := plain.List(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := indexed.List(t.Context(), o); err != nil || !slices.Equal(names(got), names(want)) {
			t.Fatalf("at %s: %d objects by the index, %d without, %v", version, got.Len(), want.Len(), err)
		}
	}
}
