package html_test

import (
	"fmt"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/html"
	"github.com/askind/askind/serializer/json"
)

func ExampleFormat() {
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := serializer.NewFactory(scheme, json.Format(), html.Format())
	if err != nil {
		fmt.Println(err)
		return
	}
	table := &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Ports"}},
		Rows:              []metav1.TableRow{{Cells: []any{"<web>", "80,443"}}},
	}
	page, err := f.Append(nil, table, serializer.EncodeOptions{MediaType: "text/html"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, body, _ := strings.Cut(string(page), "<tbody>\n")
	body, _, _ = strings.Cut(body, "</tbody>")
	fmt.Print(body)
	// Output: <tr><td data-column="Name">&lt;web&gt;</td><td data-column="Ports">80,443</td></tr>
}
