package tabular

import (
	"fmt"
	"reflect"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func TestTables(t *testing.T) {
	t.Parallel()
	const want = "[Name/0 Zone/1] 0 [a 1] 1 [b] "
	for _, obj := range []runtime.Object{
		&metav1.Table{
			ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Zone", Priority: 1}},
			Rows:              []metav1.TableRow{{Cells: []any{"a", 1}}, {Cells: []any{"b"}}},
		},
		&metav1.TabularOutput{
			Columns: []metav1.TabularOutputColumn{{Name: "Name"}, {Name: "Zone", Priority: 1}},
			Items:   []metav1.TabularOutputItem{{Columns: []any{"a", 1}}, {Columns: []any{"b"}}},
		},
	} {
		var columns []string
		if !Columns(obj, func(name string, priority int32) {
			columns = append(columns,
				fmt.Sprintf("%s/%d", name, priority))
		}) {
			t.Errorf("%T is not a table", obj)
		}
		got := fmt.Sprintf("%v ", columns)
		for i, cells := range Rows(obj) {
			got += fmt.Sprintf("%d %v ", i, cells)
		}
		if got != want {
			t.Errorf("%T: got %q, want %q", obj, got, want)
		}
		if !IsTable(reflect.TypeOf(obj).Elem()) {
			t.Errorf("the type of %T is not a table", obj)
		}
	}
	other := &metav1.Status{}
	if Columns(other, nil) || IsTable(reflect.TypeOf(other).Elem()) {
		t.Error("a Status is a table")
	}
	for range Rows(other) {
		t.Error("a Status has rows")
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cell any
		want string
	}{
		{nil, ""},
		{`a<b\u003c`, `a<b\u003c`},
		{7, "7"},
		{[]any{"a<b>&", `\u003c`, `\`}, `["a<b>&","\\u003c","\\"]`},
	} {
		if got, _, err := Text(c.cell); got != c.want || err != nil {
			t.Errorf("%v: got %s, %v, want %s", c.cell, got, err, c.want)
		}
	}
}
