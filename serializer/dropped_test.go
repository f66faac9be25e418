package serializer_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// TestCachedCarryLimits checks that the forms of an object with and without carried data are kept
// apart.
func TestCachedCarryLimits(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate(nil, serializer.Offer{Kind: v1alpha1.GroupVersion.WithKind("MachinePool")})
	if err != nil {
		t.Fatal(err)
	}
	pool := new(v1.MachinePool)
	pool.Spec.Cooldown = &metav1.Duration{Duration: time.Minute}
	cached := serializer.NewCached(pool)
	for range 2 {
		for limit, want := range map[int]bool{0: true, -1: false} {
			out, err := rep.With(conversion.ScopeOptions{CarryLimit: limit}).Append(nil, cached)
			if err != nil || strings.Contains(string(out), "1m0s") != want {
				t.Errorf("limit %d: %s, %v", limit, out, err)
			}
		}
	}
}

// TestDropped checks that every reader that converts reports the carried values that are lost.
func TestDropped(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	old, err := f.Decode([]byte(`{"apiVersion":"fleet.example.com/v1","kind":"MachinePool","metadata":{"name":"a"},`+
		`"spec":{"cooldown":"30s","template":{"spec":{"hardware":{"cores":4,"memory":"8Gi"}}}}}`),
		serializer.DecodeOptions{Version: v1alpha1.GroupVersion})
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.Append(nil, old, serializer.EncodeOptions{MediaType: "application/json"})
	if err != nil {
		t.Fatal(err)
	}
	item := strings.Replace(string(text), `\"30s\"`, `\"soon\"`, 1)
	list := `{"apiVersion":"fleet.example.com/v1alpha1","kind":"MachinePoolList","items":[` + item + `]}`
	for name, read := range map[string]func(o serializer.DecodeOptions) error{
		"Decode": func(o serializer.DecodeOptions) error {
			o.Version = v1.GroupVersion
			_, err := f.Decode([]byte(item), o)
			return err
		},
		"typed": func(o serializer.DecodeOptions) error {
			_, err := serializer.Decode[v1.MachinePool](f, []byte(item), o)
			return err
		},
		"typed, in the version": func(o serializer.DecodeOptions) error {
			o.Version = v1.GroupVersion
			_, err := serializer.Decode[v1.MachinePool](f, []byte(item), o)
			return err
		},
		"list": func(o serializer.DecodeOptions) error {
			o.Version = v1.GroupVersion
			_, err := f.Decode([]byte(list), o)
			return err
		},
	} {
		var got []string
		err := read(serializer.DecodeOptions{Dropped: func(d conversion.DroppedValue) {
			got = append(got, d.Kind+" "+d.Path)
		}})
		if err != nil || len(got) != 1 || got[0] != "fleet.example.com/v1/MachinePool spec.cooldown" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if err := read(serializer.DecodeOptions{}); err != nil {
			t.Errorf("%s, without a function: %v", name, err)
		}
	}
}

// TestDroppedByRepresentations writes objects whose conversion drops a value, in every way that
// writes one or several objects: each value is reported once, although some formats convert the
// items of a list twice and a Cached is encoded once.
func TestDroppedByRepresentations(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	const items = 40
	order := func(i int) *workshopv1.Order {
		o := new(workshopv1.Order)
		o.Name, o.Spec.Delivery = fmt.Sprint("order-", i), &workshopv1.Delivery{Way: "drone"}
		o.Annotations = map[string]string{"text": strings.Repeat("x", 4000)}
		return o
	}
	list := new(workshopv1.OrderList)
	for i := range items {
		list.Items = append(list.Items, *order(i))
	}
	orders := func(wrap func(*workshopv1.Order) runtime.Object) iter.Seq2[runtime.Object, error] {
		return func(yield func(runtime.Object, error) bool) {
			for i := range items {
				if !yield(wrap(order(i)), nil) {
					return
				}
			}
		}
	}
	own := func(o *workshopv1.Order) runtime.Object { return o }
	cached := func(o *workshopv1.Order) runtime.Object { return serializer.NewCached(o) }
	lazy := func(o *workshopv1.Order) runtime.Object {
		l, err := f.Lazy(encoded(t, f, mediaJSON, o))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	shared := serializer.NewCached(order(0))
	document := encoded(t, f, mediaJSON, order(0))
	documents := func(yield func([]byte, error) bool) {
		for range items {
			if !yield(document, nil) {
				return
			}
		}
	}
	one, all := workshopv1beta1.GroupVersion.WithKind("Order"), workshopv1beta1.GroupVersion.WithKind("OrderList")
	head := new(workshopv1beta1.OrderList)
	for _, tt := range []struct {
		name  string
		offer schema.GroupVersionKind
		want  int
		write func(*serializer.Representation) error
	}{
		{"Append", one, 1, func(r *serializer.Representation) error {
			_, err := r.Append(nil, order(0))
			return err
		}},
		{"Append of a Cached", one, 1, func(r *serializer.Representation) error {
			_, err := r.Append(nil, shared)
			return err
		}},
		{"Append of a list", all, items, func(r *serializer.Representation) error {
			_, err := r.Append(nil, list)
			return err
		}},
		{"Encode", all, items, func(r *serializer.Representation) error { return r.Encode(io.Discard, list) }},
		{"EncodeItems", all, items, func(r *serializer.Representation) error {
			return r.EncodeItems(io.Discard, head, orders(own))
		}},
		{"EncodeItems of Cached", all, items, func(r *serializer.Representation) error {
			return r.EncodeItems(io.Discard, head, orders(cached))
		}},
		{"EncodeItems of Lazy", all, items, func(r *serializer.Representation) error {
			return r.EncodeItems(io.Discard, head, orders(lazy))
		}},
		{"Project", one, 1, func(r *serializer.Representation) error {
			_, _, err := r.Project(nil, document, serializer.DecodeOptions{})
			return err
		}},
		{"EncodeProjected", all, items, func(r *serializer.Representation) error {
			_, err := r.EncodeProjected(io.Discard, head, documents, serializer.DecodeOptions{})
			return err
		}},
		{"Events", all, 2, func(r *serializer.Representation) error {
			w, err := r.Events(io.Discard)
			if err == nil {
				err = errors.Join(w.Send(metav1.WatchAdded, shared), w.Send(metav1.WatchAdded, order(1)))
			}
			return err
		}},
	} {
		for _, media := range []string{
			mediaJSON, "application/yaml", "application/vnd.kubernetes.protobuf", "application/cbor",
			mediaJSON + asMetadata, "application/vnd.kubernetes.protobuf" + asMetadata, "application/cbor" + asMetadata,
			mediaJSON + ";as=Table", "text/plain;as=Table",
		} {
			if strings.HasPrefix(media, "text/") && tt.name == "Events" {
				continue // the format has no events
			}
			rep := represent(t, f, media, tt.offer)
			for range 2 {
				got := 0
				err := tt.write(rep.With(conversion.ScopeOptions{Now: then, Dropped: func(d conversion.DroppedValue) {
					if got++; d.Path != "spec.delivery.way" {
						t.Errorf("%s: dropped %s", tt.name, d.Path)
					}
				}}))
				if err != nil || got != tt.want {
					t.Errorf("%s as %s: %d values were reported, want %d; %v", tt.name, media, got, tt.want, err)
				}
			}
		}
	}
}

// TestCarryLimitOfStreams checks that a list whose items are converted to its version has the limit
// of the terms.
func TestCarryLimitOfStreams(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(v1.AddTo, v1alpha1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	rep, err := f.Negotiate(nil, serializer.Offer{Kind: v1alpha1.GroupVersion.WithKind("MachinePoolList")})
	if err != nil {
		t.Fatal(err)
	}
	pool := new(v1.MachinePool)
	pool.Spec.Cooldown = &metav1.Duration{Duration: time.Minute}
	for limit, want := range map[int]bool{0: true, -1: false} {
		var out strings.Builder
		err := rep.With(conversion.ScopeOptions{CarryLimit: limit}).EncodeItems(&out, new(v1alpha1.MachinePoolList),
			func(yield func(runtime.Object, error) bool) { yield(pool, nil) })
		if err != nil || strings.Contains(out.String(), "1m0s") != want {
			t.Errorf("limit %d: %s, %v", limit, out.String(), err)
		}
	}
}
