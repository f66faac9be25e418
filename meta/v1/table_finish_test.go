package v1_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	metav1 "github.com/askind/askind/meta/v1"
)

func ptr[T any](v T) *T { return &v }

func TestFinishTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options *metav1.TableOptions
		want    string
	}{
		{"no options", nil, `[Name Size Zone][[b 2 x] [a 1 y] [short]]`},
		{"nothing asked for", &metav1.TableOptions{}, `[Name Size Zone][[b 2 x] [a 1 y] [short]]`},
		{"wide", &metav1.TableOptions{Wide: ptr(true)}, `[Name Size Zone][[b 2 x] [a 1 y] [short]]`},
		{"narrow", &metav1.TableOptions{Wide: ptr(false)}, `[Name Zone][[b x] [a y] [short]]`},
		{"no headers", &metav1.TableOptions{NoHeaders: ptr(true)}, `[][[b 2 x] [a 1 y] [short]]`},
		{"in order", &metav1.TableOptions{SortBy: []string{"name"}}, `[Name Size Zone][[a 1 y] [b 2 x] [short]]`},
		{
			"everything", &metav1.TableOptions{SortBy: []string{"Size"}, Wide: ptr(false), NoHeaders: ptr(true)},
			`[][[a y] [b x] [short]]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			columns := []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Size", Priority: 1}, {Name: "Zone"}}
			table := &metav1.Table{ColumnDefinitions: columns, Rows: []metav1.TableRow{
				{Cells: []any{"b", int64(2), "x"}},
				{Cells: []any{"a", int64(1), "y"}},
				{Cells: []any{"short"}},
			}}
			if err := metav1.FinishTable(table, tableScope(c.options, true)); err != nil {
				t.Fatal(err)
			}
			if got := show(table); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if len(columns) != 3 || columns[1].Name != "Size" {
				t.Error("the columns that were shared have changed")
			}
		})
	}
}

func TestFinishTableForgetsTimes(t *testing.T) {
	t.Parallel()
	s := tableScope(&metav1.TableOptions{SortBy: []string{"-Age"}}, false)
	table := ages(s)
	if text, err := json.Marshal(table.Rows[0].Cells); err != nil || string(text) != `["a","45d"]` {
		t.Errorf("before it is finished an age is %s, %v", text, err)
	}
	if err := metav1.FinishTable(table, s); err != nil {
		t.Fatal(err)
	}
	want := [][]any{{"c", "45d"}, {"a", "45d"}, {"b", "45d"}, {"d", nil}}
	var got [][]any
	for _, r := range table.Rows {
		got = append(got, r.Cells)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	table = ages(s)
	if err := metav1.FinishTable(table, tableScope(&metav1.TableOptions{SortBy: []string{"Size"}},
		false)); metav1.ReasonOf(err) != metav1.StatusReasonBadRequest {
		t.Errorf("got %v", err)
	}
	if _, ok := table.Rows[0].Cells[1].(string); !ok {
		t.Errorf("in spite of the error the cell is %T", table.Rows[0].Cells[1])
	}
}
