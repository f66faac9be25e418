package dynamic_test

import (
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
)

// TestColumnPaths shows the values at paths of all forms. openapi/conformance compares many more
// with an API server.
func TestColumnPaths(t *testing.T) {
	t.Parallel()
	const text = `{"apiVersion":"harbor.example.com/v1","kind":"Boat",
		"metadata":{"name":"ada","annotations":{"harbor.example.com/berth":"7","a'b":"quoted"}},
		"spec":{"crew":["eve","bob",null,"kim"],"none":null,"length":7.5,"far":1e300,"tiny":3e-7,"since":"","true":true,
			"ports":[{"name":"a","hosts":["x"]},{"name":"b","hosts":[]}],
			"parts":[{"id":1,"on":true},{"id":2,"on":false},{"id":"x"}]}}`
	rows := []struct {
		typ, path string
		want      any
	}{
		{"string", `.metadata.annotations['harbor\.example\.com/berth']`, "7"},
		{"string", `.metadata.annotations['harbor.example.com/berth']`, "7"},
		{"string", `.metadata.annotations.harbor\.example\.com/berth`, "7"},
		{"string", `.metadata.annotations["a\'b"]`, "quoted"},
		{"string", `.spec.crew[*]`, "eve bob kim"},
		{"string", `.spec.crew[0]`, "eve"},
		{"string", `.spec.crew[-1]`, "kim"},
		{"string", `.spec.crew[-4]`, "eve"},
		{"string", `.spec.crew[2]`, nil},
		{"string", `.spec.crew[4]`, nil},
		{"string", `.spec.crew[-5]`, nil},
		{"string", `.spec.none`, nil},
		{"string", `.spec.none[*].a`, nil},
		{"string", `.spec[*]`, nil}, // a list is wanted
		{"string", `.spec.ports[*].name`, "a b"},
		{"string", `.spec.ports[1].*`, "[] b"},
		{"string", `.spec.ports[*].hosts[*]`, "x"},
		{"string", `.spec.ports[*].hosts[0]`, nil}, // the second has none
		{"string", `.spec.ports[?(@.name=="b")].hosts`, "[]"},
		{"string", `.spec.ports[?(@.name!='b')].name`, "a"},
		{"string", `.spec.ports[?(@.name!="a==b")].name`, "a b"},
		{"string", `.spec.ports[?(@.name=="a!=b")].name`, nil},
		{"string", `.spec.ports[?(@.hosts[0])].name`, "a"},
		{"string", `.spec.ports[?(@.name==7)].name`, nil},
		{"string", `.spec.parts[?(@.on==true)].id`, "1"},
		{"string", `.spec.parts[?(@.on)].id`, "1 2"},
		{"string", `.spec.parts[?(@.id==2)].on`, nil}, // one id is not a number
		{"string", `.spec.length`, "7.5"},
		{"string", `.spec.tiny`, "3e-07"},
		{"integer", `.spec.length`, int64(7)},
		{"integer", `.spec.far`, nil},
		{"integer", `.spec.crew[0]`, nil},
		{"number", `.spec.length`, 7.5},
		{"boolean", `.spec.true`, true},
		{"integer", `.spec.parts[*].id`, int64(1)},
		{"date", `.spec.since`, nil},
		{"date", `.spec.crew[0]`, "<invalid>"},
	}
	def := dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{Name: "v1", Storage: true}},
	}
	for _, row := range rows {
		def.Versions[0].Columns = append(def.Versions[0].Columns, dynamic.Column{
			Name: row.path, Type: row.typ, JSONPath: row.path,
		})
	}
	boats, err := dynamic.New(def)
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, boats.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	obj, err := f.Decode([]byte(text), serializer.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table, err := scheme.As(obj, metav1.GroupVersion.WithKind("Table"))
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if got := table.(*metav1.Table).Rows[0].Cells[i+1]; !reflect.DeepEqual(got, row.want) {
			t.Errorf("column %s %s: got %#v, want %#v", row.typ, row.path, got, row.want)
		}
	}
}

// TestColumnOfManyElements joins the elements of a long list in memory in proportion to its text.
func TestColumnOfManyElements(t *testing.T) {
	boats, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: "Boat", Resource: "boats",
		Versions: []dynamic.Version{{
			Name: "v1", Storage: true,
			Columns: []dynamic.Column{{Name: "Crew", Type: "string", JSONPath: ".spec.crew[*].name"}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scheme, err := runtime.NewScheme(metav1.AddTo, boats.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f, err := serializer.NewFactory(scheme, json.Format())
	if err != nil {
		t.Fatal(err)
	}
	const n = 20_000
	boat, err := f.Decode([]byte(`{"apiVersion":"harbor.example.com/v1","kind":"Boat","spec":{"crew":[` +
		strings.Repeat(`{"name":"eve"},`, n-1) + `{"name":"eve"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	table, err := runtime.As[metav1.Table](scheme, boat)
	goruntime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if cell := table.Rows[0].Cells[1]; cell != strings.TrimSpace(strings.Repeat("eve ", n)) {
		t.Errorf("got %.100q", cell)
	}
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(500*n); got > most {
		t.Errorf("%d bytes are allocated for a cell of %d elements, want at most %d", got, n, most)
	}
}
