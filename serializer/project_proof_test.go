package serializer_test

import (
	"strings"
	"testing"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	fleetv1beta1 "github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// TestProjectProofs checks that tables are made without decoding across versions and with defaults,
// where the generator has proved that it makes no difference.
func TestProjectProofs(t *testing.T) {
	t.Parallel()
	f := projectFactory(t)
	notes := strings.Repeat("n", 1<<10)
	order := &workshopv1.Order{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"team": "x"}}}
	order.Spec.Customer, order.Spec.Notes, order.Spec.Priority = "c", notes, new(int32(3))
	machine := &fleetv1beta1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	machine.Spec.KernelArgs = map[string]string{"x": notes}
	big := &fleetv1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	big.Spec.Disks, big.Spec.PoolName = []fleetv1.Disk{{
		Name: notes,
		Size: resource.NewQuantity(2<<30, resource.BinarySI),
	}}, "p"
	for _, tt := range []struct {
		name    string
		obj     runtime.Object
		offered schema.GroupVersion
		sources []string
		o       serializer.DecodeOptions
		fast    bool
	}{
		{"another version", order, workshopv1beta1.GroupVersion, sources, serializer.DecodeOptions{}, true},
		{
			"another version, with defaults for a column", order, workshopv1beta1.GroupVersion, sources,
			serializer.DecodeOptions{Default: true},
			false,
		},
		{
			"a column made by a function that says what it reads", big, fleetv1.GroupVersion, sources[:2],
			serializer.DecodeOptions{},
			true,
		},
		{"defaults for no column", machine, fleetv1beta1.GroupVersion, []string{
			"application/json", "application/yaml",
			"application/cbor",
		}, serializer.DecodeOptions{Default: true}, true},
	} {
		k, err := f.Scheme().KindOf(tt.obj)
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range tt.sources {
			src, err := f.Append(nil, tt.obj, serializer.EncodeOptions{MediaType: source})
			if err != nil {
				t.Fatal(err)
			}
			tt.o.MediaType = source
			for _, accept := range []string{"application/json" + asTable, "application/json;includeObject=None" +
				asTable, "text/csv", "application/cbor" + asTable} {
				rep := represent(t, f, accept, tt.offered.WithKind(k.Name()))
				if how := compare(t, f, rep, src, tt.o); (how.Decoded == 0) != tt.fast {
					t.Errorf("%s: %s from %s: %+v", tt.name, accept, source, how)
				}
			}
		}
	}
}
