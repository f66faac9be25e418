package v1_test

import (
	"encoding/json"
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// gadget is a kind as generated code would declare it.
type gadget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Size string
}

var kindGadget = runtime.KindSpec[gadget]{
	GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Gadget"},
	TypeMeta:         func(g *gadget) (*string, *string) { return &g.APIVersion, &g.Kind },
	Metadata:         func(g *gadget) any { return &g.ObjectMeta },
	AppendJSONFields: func(dst []byte, g *gadget) ([]byte, error) {
		dst = append(dst, `,"size":`...)
		return jsonwire.AppendString(dst, g.Size), nil
	},
}

func TestNewTableRow(t *testing.T) {
	t.Parallel()
	const (
		object   = `{"kind":"Gadget","apiVersion":"example.com/v1","size":"big"}`
		metadata = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","labels":{"k":"v"}}}`
	)
	for _, c := range []struct {
		name    string
		options any
		want    string
	}{
		{"no options", nil, metadata},
		{"options of another type", "x", metadata},
		{"nil options", (*metav1.TableOptions)(nil), metadata},
		{"blank policy", &metav1.TableOptions{}, metadata},
		{"metadata", &metav1.TableOptions{IncludeObject: metav1.IncludeMetadata}, metadata},
		{"object", &metav1.TableOptions{IncludeObject: metav1.IncludeObject}, object},
		{"none", &metav1.TableOptions{IncludeObject: metav1.IncludeNone}, "null"},
	} {
		for _, sharing := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				g := &gadget{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"k": "v"}}, Size: "big"}
				s := conversion.NewScope(conversion.ScopeOptions{Options: c.options, Sharing: sharing})
				row := metav1.NewTableRow(&kindGadget, g, &g.ObjectMeta, []any{"a", int64(1)}, s)
				got, err := json.Marshal(row)
				if want := `{"cells":["a",1],"object":` + c.want + `}`; err != nil || string(got) != want {
					t.Errorf("got %s, %v, want %s", got, err, want)
				}
				var labels map[string]string
				switch o := row.Object.Object.(type) {
				case *gadget:
					labels = o.Labels
				case *metav1.PartialObjectMetadata:
					labels = o.Labels
				default:
					return
				}
				g.Labels["k"] = "changed"
				if shared := labels["k"] == "changed"; shared != sharing {
					t.Errorf("the row shares memory: %v, want %v", shared, sharing)
				}
			})
		}
	}
}

func TestFormatList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []string
		want   string
		cell   any
	}{
		{nil, "", nil},
		{[]string{"a"}, "a", "a"},
		{[]string{"a", "b", "c"}, "a,b,c", "a,b,c"},
		{[]string{"a", "b", "c", "d"}, "a,b,+2", "a,b,+2"},
		{[]string{"a", "b", "c", "d", "e"}, "a,b,+3", "a,b,+3"},
	} {
		if got, cell := metav1.FormatList(c.values), metav1.JoinCell(c.values); got != c.want || cell != c.cell {
			t.Errorf("FormatList(%q) = %q, JoinCell %v, want %q", c.values, got, cell, c.want)
		}
	}
}

func TestTableAsTabularOutput(t *testing.T) {
	t.Parallel()
	in := &metav1.Table{
		ListMeta: metav1.ListMeta{Continue: "next"},
		ColumnDefinitions: []metav1.TableColumnDefinition{{
			Name: "Name", Type: "string", Format: "name",
			Description: "The name.",
		}, {Name: "Resource Version"}},
		Rows: []metav1.TableRow{{Cells: []any{"a", []any{"x"}}}, {Cells: []any{"b", nil}}},
	}
	var out metav1.TabularOutput
	if err := metav1.TableAsTabularOutput(in, &out, nil); err != nil {
		t.Fatal(err)
	}
	in.Rows[0].Cells[1].([]any)[0] = "changed"
	got, err := json.Marshal(out)
	const want = `{"kind":"TabularOutput","apiVersion":"meta.k8s.io/v1","metadata":{"continue":"next"},` +
		`"columns":[{"name":"Name","description":"The name.","type":"string","format":"name"},{"name":"Resource Version"}],` +
		`"items":[{"columns":["a",["x"]]},{"columns":["b",null]}]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}

	out = metav1.TabularOutput{}
	if err := metav1.TableAsTabularOutput(&metav1.Table{}, &out,
		conversion.NewScope(conversion.ScopeOptions{Sharing: true})); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(out); err != nil ||
		string(got) != `{"kind":"TabularOutput","apiVersion":"meta.k8s.io/v1","columns":[],"items":[]}` {
		t.Errorf("the empty table is %s, %v", got, err)
	}
}
