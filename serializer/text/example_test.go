package text_test

import (
	"os"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer/text"
)

func ExampleAppendTable() {
	table := &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{
			{Name: "Name"},
			{Name: "Phase"},
			{Name: "Serial", Priority: 1},
		},
		Rows: []metav1.TableRow{
			{Cells: []any{"robot1", "Running", "A-113"}},
			{Cells: []any{"robot2", nil, "B-7"}},
		},
	}
	_, _ = os.Stdout.Write(text.AppendTable(nil, table, text.Options{Wide: true}))
	// Output:
	// NAME     PHASE     SERIAL
	// robot1   Running   A-113
	// robot2             B-7
}
