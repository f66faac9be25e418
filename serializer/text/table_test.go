package text_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/serializer/text"
)

// columns makes column definitions of names; those that end with an exclamation mark are for the
// wide form.
func columns(names ...string) (out []metav1.TableColumnDefinition) {
	for _, name := range names {
		name, wide := strings.CutSuffix(name, "!")
		c := metav1.TableColumnDefinition{Name: name}
		if wide {
			c.Priority = 1
		}
		out = append(out, c)
	}
	return out
}

func rows(rows ...[]any) (out []metav1.TableRow) {
	for _, cells := range rows {
		out = append(out, metav1.TableRow{Cells: cells})
	}
	return out
}

func TestAppendTable(t *testing.T) {
	t.Parallel()
	pods := &metav1.Table{
		ColumnDefinitions: columns("Name", "Ready", "Status", "Restarts", "Age", "IP!", "Node!"),
		Rows: rows(
			[]any{"web-7d4b9c6f5-x2x8z", "1/1", "Running", int64(0), "3d4h", "10.1.0.12", "node-a"},
			[]any{"db-0", "0/1", "CrashLoopBackOff", int64(17), "52m", nil, "node-b"},
		),
	}
	for _, c := range []struct {
		name    string
		table   *metav1.Table
		options text.Options
		want    string
	}{
		{"like kubectl get pods", pods, text.Options{}, `
NAME                  READY   STATUS             RESTARTS   AGE
web-7d4b9c6f5-x2x8z   1/1     Running            0          3d4h
db-0                  0/1     CrashLoopBackOff   17         52m
`},
		{"like kubectl get pods -o wide", pods, text.Options{Wide: true}, `
NAME                  READY   STATUS             RESTARTS   AGE    IP          NODE
web-7d4b9c6f5-x2x8z   1/1     Running            0          3d4h   10.1.0.12   node-a
db-0                  0/1     CrashLoopBackOff   17         52m                node-b
`},
		{"like kubectl get pods --no-headers", pods, text.Options{NoHeaders: true}, `
web-7d4b9c6f5-x2x8z   1/1   Running            0     3d4h
db-0                  0/1   CrashLoopBackOff   17    52m
`},
		{"like kubectl get services", &metav1.Table{
			ColumnDefinitions: columns("Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector!"),
			Rows: rows([]any{
				"kubernetes", "ClusterIP", "10.96.0.1", "<none>", "443/TCP", "12d",
				"<none>",
			}),
		}, text.Options{}, `
NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
kubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   12d
`},
		{"no rows", &metav1.Table{ColumnDefinitions: columns("Name")}, text.Options{}, "\n"},
		{"no columns", &metav1.Table{Rows: rows(nil, nil)}, text.Options{}, "\n"},
		{
			"only wide columns", &metav1.Table{ColumnDefinitions: columns("Name!"), Rows: rows([]any{"a"})},
			text.Options{},
			"\n",
		},
		{
			"narrow columns", &metav1.Table{ColumnDefinitions: columns("A", "B", "C"), Rows: rows([]any{"a", "", "c"})},
			text.Options{},
			"\nA     B     C\na           c\n",
		},
		{"short and long rows", &metav1.Table{ColumnDefinitions: columns("A", "B"), Rows: rows([]any{"a"}, nil,
			[]any{"a", "b", "c"})}, text.Options{}, "\nA     B\na     \n      \na     b\n"},
		{
			"characters", &metav1.Table{ColumnDefinitions: columns("Größe", "B"), Rows: rows([]any{"müßig", "b"})},
			text.Options{},
			"\nGRÖßE   B\nmüßig   b\n",
		},
		{"wide characters", &metav1.Table{ColumnDefinitions: columns("名前", "B"), Rows: rows([]any{"서버", "b"},
			[]any{"web", "b"}, []any{"🚀x", "b"})}, text.Options{}, "\n名前   B\n서버   b\nweb    b\n🚀x    b\n"},
		{
			"combining marks", &metav1.Table{
				ColumnDefinitions: columns("Name", "B"),
				Rows: rows([]any{"cafe\u0301s", "b"},
					[]any{"\u200b\u200dxxxxx", "b"}),
			},
			text.Options{},
			"\nNAME    B\ncafe\u0301s   b\n\u200b\u200dxxxxx   b\n",
		},
		{
			"no change of direction", &metav1.Table{
				ColumnDefinitions: columns("A"),
				Rows:              rows([]any{"a\u202eb\u2066c\u200ed\u2028e"}),
			},
			text.Options{},
			"\nA\na\ufffdb\ufffdc\ufffdd\ufffde\n",
		},
		{"first line only", &metav1.Table{ColumnDefinitions: columns("A"), Rows: rows([]any{"a\nb"}, []any{"\rx"},
			[]any{"a\fb"})}, text.Options{}, "\nA\na...\n...\na...\n"},
		{
			"no commands", &metav1.Table{
				ColumnDefinitions: columns("A\x1b[1m"),
				Rows:              rows([]any{"\x1b[31mred\x07\tx\x7f"}, []any{"\u009b31m"}, []any{"\xff"}),
			},
			text.Options{},
			"\nA^[[1M\n^[[31mred^G^Ix^?\n\ufffd31m\n\ufffd\n",
		},
		{
			"no commands in lists and maps", &metav1.Table{
				ColumnDefinitions: columns("A"),
				Rows:              rows([]any{[]any{"\u009b31m", "\x7f"}}, []any{map[string]any{"\u202e": "\x1b"}}),
			},
			text.Options{},
			"\nA\n[\"\ufffd31m\",\"^?\"]\n{\"\ufffd\":\"\\u001b\"}\n",
		},
		{
			"no escapes for HTML", &metav1.Table{
				ColumnDefinitions: columns("A"),
				Rows:              rows([]any{[]any{"a<b>&", `\u003c`}}),
			},
			text.Options{},
			"\nA\n[\"a<b>&\",\"\\\\u003c\"]\n",
		},
		{
			"values", &metav1.Table{
				ColumnDefinitions: columns("A"),
				Rows: rows([]any{true}, []any{1.5}, []any{[]any{"x", int64(1)}}, []any{map[string]any{"k": nil}},
					[]any{metav1.Time{Time: time.Unix(0, 0)}}, []any{1i}),
			},
			text.Options{NoHeaders: true},
			"\ntrue\n1.5\n[\"x\",1]\n{\"k\":null}\n1970-01-01T00:00:00Z\n(0+1i)\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := strings.TrimPrefix(c.want, "\n")
			if diff := cmp.Diff(want, string(text.AppendTable(nil, c.table, c.options))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			var plain metav1.TabularOutput
			if err := metav1.TableAsTabularOutput(c.table, &plain, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(text.AppendTable(nil, &plain, c.options))); diff != "" {
				t.Errorf("TabularOutput (-want +got)\n%s", diff)
			}
		})
	}
}

// FuzzAppendTable compares with the writer of the standard library, set up as kubectl does it.
func FuzzAppendTable(f *testing.F) {
	f.Add("a", "b", "", "long text", true)
	f.Add("ä", "", "x y", "1", false)
	f.Fuzz(func(t *testing.T, a, b, c, d string, headers bool) {
		for _, s := range []string{a, b, c, d} {
			if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || 0x7f <= r && r <= 0x9f || r >= 0x300 }) {
				t.Skip("shown in another form, or in more or less than one column for each character")
			}
		}
		table := &metav1.Table{ColumnDefinitions: columns("A", "B", "C"), Rows: rows([]any{a, b, c}, []any{d, c, a})}
		var want bytes.Buffer
		w := tabwriter.NewWriter(&want, 6, 4, 3, ' ', 0)
		if headers {
			fmt.Fprintln(w, "A\tB\tC")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n%s\t%s\t%s\n", a, b, c, d, c, a)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := string(text.AppendTable(nil, table, text.Options{NoHeaders: !headers})); got != want.String() {
			t.Errorf("got\n%s\nwant\n%s", got, &want)
		}
	})
}

func BenchmarkAppendTable(b *testing.B) {
	table := &metav1.Table{ColumnDefinitions: columns("Name", "Ready", "Status", "Restarts", "Age")}
	for i := range 500 {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: []any{
			fmt.Sprint("web-7d4b9c6f5-", i), "1/1", "Running",
			int64(i), "3d4h",
		}})
	}
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = text.AppendTable(out[:0], table, text.Options{})
	}
	b.SetBytes(int64(len(out)))
}
