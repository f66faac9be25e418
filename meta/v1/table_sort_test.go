package v1_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
)

// show writes a table on one line.
func show(t *metav1.Table) string {
	out := fmt.Sprint(names(t))
	var rows []any
	for _, r := range t.Rows {
		rows = append(rows, r.Cells)
	}
	return out + fmt.Sprint(rows)
}

// ages is a table of objects that are 45 days and some seconds old.
func ages(s *conversion.Scope) *metav1.Table {
	now := time.Unix(10_000_000, 0)
	table := &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Name"}, {Name: "Age"}}}
	for i, seconds := range []int{20, 10, 30} {
		began := now.Add(-45*24*time.Hour - time.Duration(seconds)*time.Second)
		table.Rows = append(table.Rows,
			metav1.TableRow{Cells: []any{string(rune('a' + i)), metav1.AgeCell(began, now, s)}})
	}
	table.Rows = append(table.Rows, metav1.TableRow{Cells: []any{"d", nil}})
	return table
}

func TestAgeCell(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*conversion.Scope{
		"nil": nil, "no order": tableScope(&metav1.TableOptions{}, false),
		"no options": tableScope(nil, false),
	} {
		if got := metav1.AgeCell(time.Unix(0, 0), time.Unix(90, 0), s); got != "90s" {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestSortTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cells []any
		want  string // the rows in order, by the places that they had
	}{
		{"texts", []any{"b", "a", "c"}, "1 0 2"},
		{"numbers in texts", []any{"node-10", "node-9", "node-09", "node-1", "node-1a", "node"}, "5 3 4 2 1 0"},
		{"upper case first", []any{"b", "A", "a", "B"}, "1 3 2 0"},
		{"beyond ASCII", []any{"é", "z", "e"}, "2 1 0"},
		{"integers", []any{int64(10), int64(9), int64(-1)}, "2 1 0"},
		{"large integers", []any{int64(1<<53 + 1), int64(1 << 53), int64(1<<53 + 2)}, "1 0 2"},
		{"numbers", []any{1.5, int64(1), float32(1.25), int32(2), 0}, "4 1 2 0 3"},
		{"booleans", []any{true, false, true}, "1 0 2"},
		{"ages", []any{"3d4h", "45s", "2y100d", "95m", "31h", "12y"}, "1 3 4 0 2 5"},
		{"ages with gaps", []any{"31h", "<unknown>", "95m", nil}, "2 0 1 3"},
		{"sizes", []any{"8Gi", "512Mi", "1", "1500m", "100k", "1e3"}, "2 3 5 4 1 0"},
		{"percentages", []any{"100%", "9%", "10.5%"}, "1 2 0"},
		{"minutes or thousandths", []any{"10m", "9m"}, "1 0"},
		{"thousandths", []any{"1", "900m"}, "1 0"},
		{"minutes", []any{"1h", "90m"}, "0 1"},
		{"sizes of equal value", []any{"1024Mi", "1Gi", "1024"}, "2 1 0"},
		{"no sizes", []any{"8Gi", "x", "512Mi"}, "0 2 1"},
		{"nothing", []any{nil, "", "<none>", "a"}, "1 3 0 2"},
		{"stable", []any{"a", "b", "a", "b"}, "0 2 1 3"},
		{"lists", []any{[]any{"b"}, []any{"a"}}, "1 0"},
		{"mixed", []any{"10", int64(9), true}, "1 0 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			table := &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "Place"}, {Name: "Value"}}}
			for i, cell := range c.cells {
				table.Rows = append(table.Rows, metav1.TableRow{Cells: []any{i, cell}})
			}
			if got := places(t, table, "Value"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// places puts the rows in order and returns their first cells.
func places(t *testing.T, table *metav1.Table, by ...string) string {
	t.Helper()
	if err := metav1.SortTable(table, by...); err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, r := range table.Rows {
		out = append(out, r.Cells[0])
	}
	s := fmt.Sprint(out)
	return s[1 : len(s)-1]
}

func TestSortTableBy(t *testing.T) {
	t.Parallel()
	table := func() *metav1.Table {
		return &metav1.Table{
			ColumnDefinitions: []metav1.TableColumnDefinition{
				{Name: "N"},
				{Name: "Zone"},
				{Name: "Size"},
				{Name: "size"},
				{Name: "-odd"},
				{Name: "A,B"},
			},
			Rows: []metav1.TableRow{
				{Cells: []any{0, "x", int64(2), "s", "b", "2"}},
				{Cells: []any{1, "y", int64(1), "s", "a", "1"}},
				{Cells: []any{2, "x", int64(1), "s", "c", "3"}},
				{Cells: []any{3}},
			},
		}
	}
	for _, c := range []struct {
		name string
		by   []string
		want string
	}{
		{"nothing", nil, "0 1 2 3"},
		{"one", []string{"Zone"}, "0 2 1 3"},
		{"down", []string{"-Zone"}, "1 0 2 3"},
		{"two", []string{"Zone", "Size"}, "2 0 1 3"},
		{"two in one text", []string{" Zone , -Size,"}, "0 2 1 3"},
		{"any case", []string{"zone"}, "0 2 1 3"},
		{"the case decides", []string{"size", "Size"}, "1 2 0 3"},
		{"a minus in the name", []string{"-odd"}, "1 0 2 3"},
		{"turned round", []string{"--odd"}, "2 0 1 3"},
		{"a comma in the name", []string{"-A,B"}, "2 0 1 3"},
	} {
		if got := places(t, table(), c.by...); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	for _, c := range []struct{ by, want string }{
		{"Zon", `sortBy: there is no column "Zon", only N, Zone, Size, size, -odd, A,B (did you mean "Zone"?)`},
		{"Zone,-nothing", `sortBy: there is no column "nothing", only N, Zone, Size, size, -odd, A,B`},
		{"SIZE", `sortBy: there is no column "SIZE", only N, Zone, Size, size, -odd, A,B (did you mean "Size"?)`},
	} {
		in := table()
		err := metav1.SortTable(in, "Zone", c.by)
		if metav1.ReasonOf(err) != metav1.StatusReasonBadRequest || err.Error() != c.want {
			t.Errorf("%s: got %v\nwant %s", c.by, err, c.want)
		}
		if in.Rows[0].Cells[0] != 0 || in.Rows[1].Cells[0] != 1 {
			t.Errorf("%s: in spite of the error the rows have moved", c.by)
		}
	}
}

// TestSortTableOrders holds, for random cells of every form, that the result does not depend on
// where rows were before, and that the opposite order is the opposite.
func TestSortTableOrders(t *testing.T) {
	t.Parallel()
	forms := map[string]func(r *rand.Rand) any{
		"texts": func(r *rand.Rand) any {
			return fmt.Sprintf("%c%0*d%c", 'a'+r.IntN(2), 1+r.IntN(3), r.IntN(12), 'a'+r.IntN(2))
		},
		"numbers": func(r *rand.Rand) any { return []any{int64(r.IntN(5)), float64(r.IntN(5)) / 2}[r.IntN(2)] },
		"ages": func(r *rand.Rand) any {
			return metav1.HumanDuration(time.Duration(r.IntN(1_000_000)) * time.Second)
		},
		"sizes": func(r *rand.Rand) any { return fmt.Sprint(r.IntN(2000), []string{"", "m", "k", "Ki"}[r.IntN(4)]) },
		"mixed": func(r *rand.Rand) any { return []any{"10", "x", int64(9), true, 1.5}[r.IntN(5)] },
	}
	for name, form := range forms {
		r := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			table := &metav1.Table{ColumnDefinitions: []metav1.TableColumnDefinition{{Name: "V"}}}
			for range 12 {
				table.Rows = append(table.Rows, metav1.TableRow{Cells: []any{form(r)}})
			}
			up := places(t, table, "V")
			r.Shuffle(len(table.Rows), func(i, j int) { table.Rows[i], table.Rows[j] = table.Rows[j], table.Rows[i] })
			if again := places(t, table, "V"); again != up {
				t.Fatalf("%s: once %s, once %s", name, up, again)
			}
			down := places(t, table, "-V")
			slices.Reverse(table.Rows)
			var back []any
			for _, row := range table.Rows {
				back = append(back, row.Cells[0])
			}
			if got := fmt.Sprint(back); got[1:len(got)-1] != up {
				t.Fatalf("%s: down %s, up %s", name, down, up)
			}
		}
	}
}
