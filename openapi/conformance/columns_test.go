package conformance

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"

	fleetv1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	fleetv1alpha1 "github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	fleetv1beta1 "github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	"github.com/askind/askind/fuzz"
	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	workshopv1beta1 "github.com/askind/askind/internal/workshop/v1beta1"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	runtimeschema "github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// sample generates random paths and objects with few names, so that paths often match.
type sample struct{ *rand.Rand }

func (r sample) pick(from ...string) string { return from[r.IntN(len(from))] }

// path returns a path in the subset that definitions support. The steps go through names, elements,
// all elements, and filters.
func (r sample) path() string {
	var b strings.Builder
	b.WriteString(".spec")
	for range 1 + r.IntN(4) {
		switch r.IntN(8) {
		case 0:
			b.WriteString(r.pick("[0]", "[1]", "[2]"))
		case 1:
			b.WriteString("[*]")
		case 2, 3:
			condition := r.pick(`@.a`, `@.b`, `@.a.b`, `@.d\.e`) +
				r.pick(``, `=="x"`, `=='x'`, `!="x"`, ` == "y"`, `=="y z"`, `=="0"`, `==""`)
			b.WriteString("[?(" + condition + ")]")
		default:
			b.WriteString(r.pick(".a", ".a", ".b", ".c", `.d\.e`, "['b']", `['d\.e']`, "['f/g']"))
		}
	}
	return b.String()
}

// value returns a random value.
func (r sample) value(depth int) any {
	n := 10
	if depth <= 0 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return int64(r.IntN(5) - 2)
	case 3:
		return r.pick("x", "y", "y z", "", "0", "true")
	case 4:
		return []float64{0.5, -2.25, 1e21, 3e-7}[r.IntN(4)]
	case 5:
		return r.pick("2024-05-06T07:08:09Z", "not a time", "<&>\"\n")
	case 6, 7:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, r.value(depth-1))
		}
		return list
	default:
		return r.object(depth)
	}
}

func (r sample) object(depth int) map[string]any {
	object := map[string]any{}
	for range r.IntN(10) {
		object[r.pick("a", "a", "b", "c", "d.e", "f/g")] = r.value(depth - 1)
	}
	return object
}

// TestColumnsOfDefinitions compares the cells of kinds from definitions, for random paths and
// objects, with those of apiextensions-apiserver. docs/representations.md lists the differences.
func TestColumnsOfDefinitions(t *testing.T) {
	t.Parallel()
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	r := sample{rand.New(rand.NewPCG(17, 14))}
	filled := 0
	for range rounds {
		var columns []dynamic.Column
		var peers []apiextensionsv1.CustomResourceColumnDefinition
		for i := range 10 {
			c := dynamic.Column{
				Name: fmt.Sprint("c", i), JSONPath: r.path(),
				Type: r.pick("string", "string", "integer", "number", "boolean", "date"),
			}
			columns = append(columns, c)
			peers = append(peers, apiextensionsv1.CustomResourceColumnDefinition{
				Name: c.Name, Type: c.Type, JSONPath: c.JSONPath,
			})
		}
		def := dynamic.Definition{
			Group: "columns.example.com", Kind: "Sample", Resource: "samples",
			Versions: []dynamic.Version{{Name: "v1", Storage: true, Columns: columns}},
		}
		samples, err := dynamic.New(def)
		if err != nil {
			t.Fatal(err)
		}
		scheme, err := runtime.NewScheme(metav1.AddTo, samples.AddTo)
		if err != nil {
			t.Fatal(err)
		}
		f, err := serializer.NewFactory(scheme, json.Format())
		if err != nil {
			t.Fatal(err)
		}
		peer, err := tableconvertor.New(peers)
		if err != nil {
			t.Fatalf("%v refuses %+v", err, peers)
		}
		for range 4 {
			text, err := utiljson.Marshal(map[string]any{
				"apiVersion": "columns.example.com/v1", "kind": "Sample",
				"metadata": map[string]any{"name": "s"}, "spec": r.object(4),
			})
			if err != nil {
				t.Fatal(err)
			}
			obj, err := f.Decode(text, serializer.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			table, err := scheme.As(obj, metav1.GroupVersion.WithKind("Table"))
			if err != nil {
				t.Fatal(err)
			}
			u := new(unstructured.Unstructured)
			if err := u.UnmarshalJSON(text); err != nil {
				t.Fatal(err)
			}
			theirs, err := peer.ConvertToTable(t.Context(), u, nil)
			if err != nil {
				t.Fatal(err)
			}
			ours := table.(*metav1.Table)
			for i, c := range columns {
				got, want := plainCell(t, ours.Rows[0].Cells[i+1]), plainCell(t, theirs.Rows[0].Cells[i+1])
				if want != nil {
					filled++
				}
				switch {
				case want == nil:
				case c.Type == "string":
					want = allResults(t, c.JSONPath, u.Object, " ")
				case want == "<unknown>", c.Type == "integer" && want == int64(math.MinInt64):
					want = nil // an empty time, and a number that is too large: we show nothing
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("column %s %s: got %#v, want %#v\n%s", c.Type, c.JSONPath, got, want, text)
				}
			}
		}
	}
	if filled < rounds {
		t.Errorf("only %d of %d cells have a value", filled, rounds*40)
	}
	t.Logf("%d of %d cells have a value", filled, rounds*40)
}

// plainCell returns a cell as a client decodes it.
func plainCell(t *testing.T, cell any) any {
	t.Helper()
	text, err := utiljson.Marshal(cell)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := utiljson.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// allResults returns all results of a path as text, nil if there are none: apiextensions-apiserver
// has the first of them in its cells. Nulls are not shown.
func allResults(t *testing.T, path string, in any, separator string) any {
	t.Helper()
	p := jsonpath.New("").AllowMissingKeys(true)
	if err := p.Parse("{" + path + "}"); err != nil {
		t.Fatal(err)
	}
	results, err := p.FindResults(in)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range results[0] {
		if r.Kind() == reflect.Interface && r.IsNil() {
			continue
		}
		var b bytes.Buffer
		if err := p.PrintResults(&b, []reflect.Value{r}); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
	}
	switch {
	case len(texts) == 0:
		return nil
	case separator == ",":
		return metav1.FormatList(texts)
	}
	return strings.Join(texts, separator)
}

// TestGeneratedColumns compares the cells of generated code with those of apiextensions-apiserver
// for the same objects and the definitions of the same types.
func TestGeneratedColumns(t *testing.T) {
	t.Parallel()
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, workshopv1.AddTo, workshopv1beta1.AddTo, inventoryv1.AddTo,
		fleetv1.AddTo, fleetv1beta1.AddTo, fleetv1alpha1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	written, _ := definitionsOf(t, "./examples/fleet/api/...", "./internal/workshop/...")
	compared, filled := 0, 0
	filler := fuzz.Filler(17).NilChance(0.2).NumElements(0, 5)
	for _, def := range written {
		for _, version := range def.Spec.Versions {
			gv := runtimeschema.GroupVersion{Group: def.Spec.Group, Version: version.Name}
			gvk := gv.WithKind(def.Spec.Names.Kind)
			k, err := scheme.Kind(gvk)
			if err != nil {
				t.Fatal(err)
			}
			peer, err := tableconvertor.New(version.AdditionalPrinterColumns)
			if err != nil {
				t.Fatal(err)
			}
			for range rounds {
				obj := k.New()
				filler.Fuzz(obj)
				if err := k.SetType(obj); err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				if err := f.Encode(&b, obj, serializer.EncodeOptions{}); err != nil {
					t.Fatal(err)
				}
				text := b.Bytes()
				table, err := scheme.As(obj, metav1.GroupVersion.WithKind("Table"))
				if err != nil {
					t.Fatal(err)
				}
				u := new(unstructured.Unstructured)
				if err := u.UnmarshalJSON(text); err != nil {
					t.Fatal(err)
				}
				theirs, err := peer.ConvertToTable(t.Context(), u, nil)
				if err != nil {
					t.Fatal(err)
				}
				ours := table.(*metav1.Table)
				for i, c := range version.AdditionalPrinterColumns {
					at := slices.IndexFunc(ours.ColumnDefinitions, func(d metav1.TableColumnDefinition) bool {
						return d.Name == c.Name
					})
					if at < 0 {
						t.Fatalf("%v has no column %s", gvk, c.Name)
					}
					got, want := plainCell(t, ours.Rows[0].Cells[at]), plainCell(t, theirs.Rows[0].Cells[i+1])
					if c.Type == "string" && want != nil {
						want = allResults(t, c.JSONPath, u.Object, ",")
					}
					if compared++; want != nil {
						filled++
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%v, column %s %s: got %#v, want %#v\n%s", gvk, c.Type, c.JSONPath, got, want, text)
					}
				}
			}
		}
	}
	if t.Logf("%d of %d cells have a value", filled, compared); filled < rounds*20 {
		t.Error("too few cells have a value")
	}
}
