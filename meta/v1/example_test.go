package v1_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// A store returns an error; the server sends what clients expect.
func ExampleNotFound() {
	get := func(name string) error {
		return metav1.NotFound(schema.GroupResource{Group: "fleet.example.com", Resource: "machines"}, name)
	}

	err := fmt.Errorf("reading the store: %w", get("m1"))
	fmt.Println(err)
	if status, ok := errors.AsType[*metav1.StatusError](err); ok {
		text, _ := json.Marshal(status.Status)
		fmt.Println(string(text))
	}
	// Output:
	// reading the store: machines.fleet.example.com "m1" not found
	// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"machines.fleet.example.com \"m1\" not found","reason":"NotFound","details":{"name":"m1","group":"fleet.example.com","kind":"machines"},"code":404}
}

func ExampleHumanDuration() {
	for _, d := range []time.Duration{
		45 * time.Second, 200 * time.Second, 4*time.Hour + 5*time.Minute,
		1080 * time.Hour,
	} {
		fmt.Println(metav1.HumanDuration(d))
	}
	// Output:
	// 45s
	// 3m20s
	// 4h5m
	// 45d
}

// The wire has whole seconds in UTC.
func ExampleTime() {
	at := metav1.NewTime(time.Date(2020, 1, 2, 4, 4, 5, 999, time.FixedZone("CET", 3600)))
	text, err := json.Marshal(map[string]metav1.Time{"created": at, "deleted": {}})
	fmt.Println(string(text), err)
	// Output:
	// {"created":"2020-01-02T03:04:05Z","deleted":null} <nil>
}

// Rows are put in order by columns, as a request with sortBy=-Memory,Name asks for it.
func ExampleSortTable() {
	table := &metav1.Table{
		ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Memory"}},
		Rows: []metav1.TableRow{
			{Cells: []any{"node-10", "512Mi"}},
			{Cells: []any{"node-9", "512Mi"}},
			{Cells: []any{"node-1", nil}},
			{Cells: []any{"node-2", "8Gi"}},
		},
	}
	if err := metav1.SortTable(table, "-Memory", "Name"); err != nil {
		fmt.Println(err)
	}
	for _, row := range table.Rows {
		fmt.Println(row.Cells...)
	}
	fmt.Println(metav1.SortTable(table, "Memroy"))
	// Output:
	// node-2 8Gi
	// node-9 512Mi
	// node-10 512Mi
	// node-1 <nil>
	// sortBy: there is no column "Memroy", only Name, Memory (did you mean "Memory"?)
}
