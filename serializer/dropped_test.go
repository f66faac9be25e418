package serializer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
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
