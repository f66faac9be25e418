package text_test

import (
	"fmt"
	"os"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/text"
)

func ExampleFormat() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, text.Format(text.Options{Wide: true}))
	if err != nil {
		fmt.Println(err)
		return
	}
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
	if err := f.Encode(os.Stdout, table, serializer.EncodeOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// NAME     PHASE     SERIAL
	// robot1   Running   A-113
	// robot2             B-7
}
