package csv_test

import (
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/format"
)

func TestOptionsOfTables(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	table := tableOf([]string{"A", "B", "C"}, []any{"a", "b", "c"}) // every second one for the wide form
	for _, c := range []struct {
		name    string
		format  *format.Format
		options any
		want    string
	}{
		{"nothing said", csv.Format(), &metav1.TableOptions{}, "A,B,C\r\na,b,c\r\n"},
		{"options of something else", csv.Format(), 1, "A,B,C\r\na,b,c\r\n"},
		{"wide", csv.Format(), &metav1.TableOptions{Wide: &yes}, "A,B,C\r\na,b,c\r\n"},
		{"narrow", csv.Format(), &metav1.TableOptions{Wide: &no}, "A,C\r\na,c\r\n"},
		{"no headers", csv.Format(), &metav1.TableOptions{NoHeaders: &yes}, "a,b,c\r\n"},
		{
			"neither", csv.Format(csv.Options{NoHeader: true}),
			&metav1.TableOptions{Wide: &no, NoHeaders: &no}, "a,c\r\n",
		},
	} {
		got, err := c.format.Append(nil, nil, table, format.Options{Terms: c.options})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}
