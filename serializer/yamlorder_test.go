package serializer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	workshop "github.com/askind/askind/internal/workshop/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/yaml"
)

// Both orders of YAML hold the same object, and a list that is written item by item has the bytes
// of the whole.
func TestOrdersOfYAML(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo, workshop.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	order := workshop.Order{Spec: workshop.OrderSpec{
		Customer: "c", Tags: []string{
			"b",
			"a",
		}, Extra: &runtime.RawExtension{
			Raw: []byte(`{"z":123456789012345678901,"a":{"b":1,"a":2},"z":123456789012345678901}`),
		},
	}}
	order.Name, order.Labels = "o", map[string]string{"z": "1", "a": "2"}
	list := &workshop.OrderList{Items: []workshop.Order{order, order}}
	list.ResourceVersion = "7"
	for _, c := range []struct {
		declared bool
		first    string
		extra    string
	}{
		{false, "apiVersion: ", "      a:\n        a: 2\n        b: 1\n      z: 123456789012345678901\n"},
		{true, "apiVersion: ", "      a:\n        b: 1\n        a: 2\n      z: 123456789012345678901\n"},
	} {
		f, err := serializer.NewFactory(scheme, yaml.Format(yaml.Options{Declared: c.declared}))
		if err != nil {
			t.Fatal(err)
		}
		whole := encoded(t, f, "application/yaml", list)
		if !strings.HasPrefix(string(whole), c.first) || strings.Count(string(whole), c.extra) != 2 {
			t.Errorf("declared %t: written\n%s", c.declared, whole)
		}
		var b bytes.Buffer
		if err := f.Encode(&b, list, serializer.EncodeOptions{}); err != nil || b.String() != string(whole) {
			t.Errorf("declared %t: item by item: %v (-whole +items)\n%s", c.declared, err,
				cmp.Diff(string(whole), b.String()))
		}
		back, err := f.Decode(whole, serializer.DecodeOptions{Strictness: serializer.FailOnProblems})
		if err != nil {
			t.Fatalf("declared %t: %v", c.declared, err)
		}
		if again := encoded(t, f, "application/yaml", back); !bytes.Equal(again, whole) {
			t.Errorf("declared %t: read and written again (-want +got)\n%s", c.declared,
				cmp.Diff(string(whole), string(again)))
		}
	}
}
