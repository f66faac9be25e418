package tabular

import (
	"errors"
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
		if !Columns(obj, func(name string, priority int32) { columns = append(columns, fmt.Sprintf("%s/%d", name, priority)) }) {
			t.Errorf("%T is no table", obj)
		}
		got := fmt.Sprintf("%v ", columns)
		for i, cells := range Rows(obj) {
			got += fmt.Sprintf("%d %v ", i, cells)
		}
		if got != want {
			t.Errorf("%T: got %q, want %q", obj, got, want)
		}
		if !IsTable(reflect.TypeOf(obj).Elem()) {
			t.Errorf("the type of %T is no table", obj)
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

func TestWriteOnly(t *testing.T) {
	t.Parallel()
	cause := errors.New("X can be written but not read")
	f := NewFormat("x", "text/x", cause)
	if f.Name() != "x" || !reflect.DeepEqual(f.MediaTypes(), []string{"text/x"}) || !f.Text() || f.Recognize([]byte("x")) != runtime.No {
		t.Errorf("%+v", f)
	}
	n := 0
	for doc, err := range f.Documents([]byte("x")) {
		if n++; doc != nil || !errors.Is(err, cause) || err.Error() != cause.Error() {
			t.Errorf("%v, %v", doc, err)
		}
	}
	if n != 1 {
		t.Errorf("%d documents", n)
	}
}
