package csv_test

import (
	"fmt"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/json"
)

func ExampleFormat() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format(), csv.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	table := &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Ports"}},
		Rows:              []metav1.TableRow{{Cells: []any{"web", "80,443"}}, {Cells: []any{"db", "5432"}}},
	}
	text, err := f.Append(nil, table, serializer.EncodeOptions{MediaType: "text/csv"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", text)
	// Output:
	// "Name,Ports\r\nweb,\"80,443\"\r\ndb,5432\r\n"
}
