package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/internal/workshop/v1"
	"github.com/askind/askind/internal/workshop/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// order returns an order with something in many of its fields.
func order(name, customer string) *v1.Order {
	o := &v1.Order{ObjectMeta: metav1.ObjectMeta{
		Namespace: "a", Name: name, UID: "uid-of-" + name, Labels: map[string]string{"customer": customer},
		Annotations: map[string]string{"deceptive": `"resourceVersion":"18446744073709551615"`},
	}}
	o.Spec.Customer, o.Spec.Rush, o.Spec.Tags = customer, true, []string{"x", "ü"}
	o.Spec.Stamp = []byte("k8s\x00\x01\x02")
	o.Spec.Lines = []v1.Line{{Item: "chair", Count: 4, Steps: []v1.Step{{Tool: "saw"}}}}
	return o
}

// addOrders adds orders to a store, in a format.
func addOrders(t *testing.T, s *store.Store, mediaType string) *store.Resource {
	t.Helper()
	r, err := s.Add(store.ResourceOptions{
		Factory: factory, Kind: v1.GroupVersion.WithKind("Order"), MediaType: mediaType,
		Fields: []store.Field{{Path: "spec.customer", Index: true}, {Path: "spec.rush"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// storedOrder returns the bytes that an engine has for an order.
func storedOrder(t *testing.T, e store.Engine, name string) []byte {
	t.Helper()
	got, err := e.Get(t.Context(), "workshop.example.com/orders/a/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return got.Value
}

// protobufRepresentations are what orders that are stored in protobuf are asked for as.
var protobufRepresentations = []string{
	"application/json", "application/json;v=v1beta1", "application/yaml", "application/cbor", protobufType,
	protobufType + ";v=v1beta1", "application/json;as=Table;v=v1;g=meta.k8s.io",
	"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
	protobufType + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
}

// Objects that are stored in protobuf are answered, selected and watched as those in JSON are.
func TestProtobuf(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	s := open(t, engine, store.Options{})
	orders := addOrders(t, s, protobufType)
	watching := watch(t, orders, store.WatchOptions{})
	first, err := orders.Create(t.Context(), order("one", "ada"), store.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	old := &v1beta1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "two"}}
	if _, err := orders.Create(t.Context(), old, store.WriteOptions{TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if got := storedOrder(t, engine, "one"); !bytes.HasPrefix(got, []byte("k8s\x00")) {
		t.Errorf("stored as %q", got)
	}
	same, err := orders.Update(t.Context(), first.Key(), store.WriteOptions{},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) { return current, nil })
	if err != nil || same.Revision() != first.Revision() {
		t.Errorf("an update without a change: at %d, %v; want %d", same.Revision(), err, first.Revision())
	}
	list, err := orders.List(t.Context(), store.ListOptions{})
	if err != nil || list.Len() != 2 {
		t.Fatalf("%d orders, %v", list.Len(), err)
	}
	for _, accept := range protobufRepresentations {
		compareLists(t, list, accept)
		for e := range list.Entries() {
			compareEntries(t, e, accept)
		}
	}
	for _, text := range []string{"spec.customer=ada", "spec.rush=true", "metadata.name=one"} {
		found, err := orders.List(t.Context(),
			store.ListOptions{Fields: fieldSelector(t, text), Labels: selector(t, "customer=ada")})
		if err != nil || !slices.Equal(names(found), []string{"a/one"}) {
			t.Errorf("%s: %v, %v", text, names(found), err)
		}
	}
	remove(t, orders, first.Key())
	if got := pull(t, watching); !slices.Equal(got, []string{"ADDED a/one", "ADDED a/two", "DELETED a/one"}) {
		t.Errorf("events %v", got)
	}
	past, err := orders.List(t.Context(), store.ListOptions{
		ResourceVersion: list.ResourceVersion(), ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	})
	if err != nil || past.Len() != 2 {
		t.Errorf("the list at a past revision has %d orders, %v", past.Len(), err)
	}
}

// Each event of a watch over orders in protobuf is that of the decoded object.
func TestProtobufEvents(t *testing.T) {
	t.Parallel()
	orders := addOrders(t, open(t, memoryEngine(t), store.Options{}), protobufType)
	for _, accept := range protobufRepresentations {
		name := fmt.Sprint("order-", len(accept), "-", strings.Count(accept, "v1"))
		watch, err := orders.Watch(t.Context(), store.WatchOptions{Name: name, Namespace: "a"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := orders.Create(t.Context(), order(name, "ada"), store.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		remove(t, orders, e.Key())
		rep, err := factory.Negotiate([]string{accept}, serializer.Offer{Kind: orders.ListKind().GroupVersionKind()})
		if err != nil {
			t.Fatal(err)
		}
		events, err := watch.Stream(false).Next(nil)
		if err != nil || len(events) == 0 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		for _, event := range events {
			obj, err := event.Object.(*serializer.Cached).Object()
			if err != nil {
				t.Fatal(err)
			}
			got, want := eventText(t, rep, event.Type, event.Object), eventText(t, rep, event.Type, obj)
			if !bytes.Equal(got, want) || len(got) == 0 {
				t.Errorf("%s: %s:\ngot  %q\nwant %q", accept, event.Type, got, want)
			}
		}
		watch.Close()
	}
}

// eventText encodes an event.
func eventText(t *testing.T, rep *serializer.Representation, event string, obj runtime.Object) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := rep.Events(&out)
	if err == nil {
		err = w.Send(event, obj)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A resource may change its format: objects in the old one are read as before, and migration
// rewrites them.
func TestProtobufMigration(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	answers := func(r *store.Resource) (out []string) {
		l, err := r.List(t.Context(), store.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for obj, err := range l.Objects() {
			if err != nil {
				t.Fatal(err)
			}
			obj.(*v1.Order).ResourceVersion = ""
			out = append(out, string(mustJSON(t, obj)))
		}
		return out
	}
	var want []string
	for i, mediaType := range []string{"application/json", protobufType, "application/json"} {
		s := open(t, engine, store.Options{})
		orders := addOrders(t, s, mediaType)
		if i == 0 {
			for _, name := range []string{"one", "two", "three"} {
				if _, err := orders.Create(t.Context(), order(name, "ada"), store.WriteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			want = answers(orders)
		}
		if got := answers(orders); !slices.Equal(got, want) {
			t.Errorf("before the migration to %s:\ngot  %s\nwant %s", mediaType, got, want)
		}
		report, err := orders.Migrate(t.Context(), store.MigrateOptions{})
		if err != nil || report.Seen != 3 || report.Written != min(i, 1)*3 {
			t.Errorf("the migration to %s: %+v, %v", mediaType, report, err)
		}
		if got := answers(orders); !slices.Equal(got, want) {
			t.Errorf("after the migration to %s:\ngot  %s\nwant %s", mediaType, got, want)
		}
		got := storedOrder(t, engine, "two")
		if bytes.HasPrefix(got, []byte("k8s\x00")) != (mediaType == protobufType) {
			t.Errorf("after the migration to %s, an order is stored as %q", mediaType, got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// An object in protobuf that is cut off does not keep others from being listed.
func TestProtobufUndecodable(t *testing.T) {
	t.Parallel()
	engine := memoryEngine(t)
	s := open(t, engine, store.Options{})
	orders := addOrders(t, s, protobufType)
	if _, err := orders.Create(t.Context(), order("one", "ada"), store.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	whole := storedOrder(t, engine, "one")
	if _, err := engine.Put(t.Context(), "workshop.example.com/orders/a/cut", whole[:len(whole)/2], 0); err != nil {
		t.Fatal(err)
	}
	l, err := orders.List(t.Context(), store.ListOptions{})
	if err != nil || !slices.Equal(names(l), []string{"a/one"}) {
		t.Errorf("%v, %v", names(l), err)
	}
	for key, err := range orders.Undecodable(t.Context()) {
		if bad, ok := errors.AsType[*store.UndecodableError](err); !ok || key.Name != "cut" || bad.Key != key {
			t.Errorf("%s: %v", key, err)
		}
	}
	_, err = orders.List(t.Context(), store.ListOptions{Undecodable: true})
	if _, ok := errors.AsType[*store.UndecodableError](err); !ok {
		t.Errorf("error %v", err)
	}
}

// TestDeepObjects checks that an object is refused whose stored form would be too deep to be read.
func TestDeepObjects(t *testing.T) {
	t.Parallel()
	r := addOrders(t, open(t, memoryEngine(t), store.Options{}), "")
	const levels = 9_998 // with those of the object and its spec, 10,000
	for raw, stored := range map[string]bool{
		strings.Repeat(`{"a":`, levels-1) + "{}" + strings.Repeat("}", levels-1): true,
		strings.Repeat(`{"a":`, levels) + "[]" + strings.Repeat("}", levels):     false,
	} {
		o := order(fmt.Sprintf("stored-%t", stored), "x")
		o.Spec.Extra = &runtime.RawExtension{Raw: []byte(raw)}
		_, err := r.Create(t.Context(), o, store.WriteOptions{})
		if (err == nil) != stored || err != nil && metav1.StatusOf(err).Code != 400 {
			t.Errorf("stored %t, want %t: %v", err == nil, stored, err)
		}
	}
}
