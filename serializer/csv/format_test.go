package csv_test

import (
	stdcsv "encoding/csv"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/json"
)

func tableOf(columns []string, rows ...[]any) *metav1.Table {
	t := &metav1.Table{}
	for _, name := range columns {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{
			Name:     name,
			Priority: int32(len(t.ColumnDefinitions) % 2),
		})
	}
	for _, cells := range rows {
		t.Rows = append(t.Rows, metav1.TableRow{Cells: cells})
	}
	return t
}

func TestAppend(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options csv.Options
		table   *metav1.Table
		want    string
	}{
		{"nothing", csv.Options{}, tableOf(nil), "\r\n"},
		{"header only", csv.Options{}, tableOf([]string{"Name", "Age"}), "Name,Age\r\n"},
		{
			"rows",
			csv.Options{},
			tableOf([]string{"Name", "Age"}, []any{"a", "3d"}, []any{"b", "5h"}),
			"Name,Age\r\na,3d\r\nb,5h\r\n",
		},
		{"no header", csv.Options{NoHeader: true}, tableOf([]string{"Name", "Age"}, []any{"a", "3d"}), "a,3d\r\n"},
		{
			"types",
			csv.Options{NoHeader: true},
			tableOf(make([]string, 7), []any{nil, int64(-1), 1.5, true, 3, uint8(4), ""}), ",-1,1.5,true,3,4,\r\n",
		},
		{"nested", csv.Options{NoHeader: true}, tableOf(make([]string, 2),
			[]any{[]any{"x", int64(1)}, map[string]any{"k": "<v>"}}), `"[""x"",1]","{""k"":""<v>""}"` + "\r\n"},
		{"comma", csv.Options{NoHeader: true}, tableOf([]string{""}, []any{"a,b"}), "\"a,b\"\r\n"},
		{"quote", csv.Options{NoHeader: true}, tableOf([]string{""}, []any{`a "b" c`}), `"a ""b"" c"` + "\r\n"},
		{"only a quote", csv.Options{NoHeader: true}, tableOf([]string{""}, []any{`"`}), `""""` + "\r\n"},
		{"line feed", csv.Options{NoHeader: true}, tableOf([]string{""}, []any{"a\nb"}), "\"a\nb\"\r\n"},
		{"carriage return", csv.Options{NoHeader: true}, tableOf([]string{""}, []any{"a\rb"}), "\"a\rb\"\r\n"},
		{
			"spaces at the ends",
			csv.Options{NoHeader: true},
			tableOf(make([]string, 3), []any{" a", "a ", "a b"}),
			"\" a\",\"a \",a b\r\n",
		},
		{
			"one empty field",
			csv.Options{NoHeader: true},
			tableOf([]string{""}, []any{nil}, []any{""}),
			"\"\"\r\n\"\"\r\n",
		},
		{
			"time",
			csv.Options{NoHeader: true},
			tableOf([]string{""}, []any{metav1.Time{Time: time.Unix(0, 0)}}),
			"1970-01-01T00:00:00Z\r\n",
		},
		{
			"a byte order mark in the first field",
			csv.Options{NoHeader: true},
			tableOf([]string{""}, []any{"\uFEFFa"}),
			"\"\uFEFFa\"\r\n",
		},
		{"formulas as they are", csv.Options{}, tableOf([]string{"=A"}, []any{"=1+1"}), "=A\r\n=1+1\r\n"},
		{
			"formulas made safe",
			csv.Options{FormulaSafe: true},
			tableOf([]string{"=A", "B"}, []any{"=1+1", "@x"}, []any{"+cmd|x", "-cmd"}, []any{"\tx", "＝1"},
				[]any{"-1.5", "+7"}, []any{int64(-3), "a=b"}, []any{"--1", "-"}, []any{"\uFEFF=1", "\uFEFF"}),
			"'=A,B\r\n'=1+1,'@x\r\n'+cmd|x,'-cmd\r\n'\tx,'＝1\r\n-1.5,+7\r\n-3,a=b\r\n'--1,'-\r\n\"'\uFEFF=1\",\"\uFEFF\"\r\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := csv.Format(c.options).Append([]byte("> "), nil, c.table, format.Options{})
			if err != nil || string(got) != "> "+c.want {
				t.Errorf("got %q, %v\nwant %q", got, err, c.want)
			}
			var plain metav1.TabularOutput
			if err := metav1.TableAsTabularOutput(c.table, &plain, nil); err != nil {
				t.Fatal(err)
			}
			again, err := csv.Format(c.options).Append([]byte("> "), nil, &plain, format.Options{Pretty: true})
			if err != nil || string(again) != string(got) {
				t.Errorf("the TabularOutput is written %q, %v", again, err)
			}
		})
	}
}

func TestAppendErrors(t *testing.T) {
	t.Parallel()
	for name, obj := range map[string]runtime.Object{
		"no table":      &metav1.Status{},
		"nil":           nil,
		"short row":     tableOf([]string{"a", "b"}, []any{"x", "y"}, []any{"x"}),
		"long row":      tableOf([]string{"a"}, []any{"x", "y"}),
		"no JSON value": tableOf([]string{"a"}, []any{make(chan int)}),
		"tabular": &metav1.TabularOutput{
			Columns: make([]metav1.TabularOutputColumn, 1),
			Items:   make([]metav1.TabularOutputItem, 1),
		},
	} {
		if got, err := csv.Format().Append([]byte("kept"), nil, obj, format.Options{}); err == nil ||
			string(got) != "kept" {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// FuzzAppend reads back what was written with another implementation.
func FuzzAppend(f *testing.F) {
	f.Add("a", "b", false)
	f.Add("", `"`, true)
	f.Add(" x,\r\n", "=1\n", true)
	f.Fuzz(func(t *testing.T, a, b string, safe bool) {
		in := tableOf([]string{"A", "B"}, []any{a, b}, []any{b, a})
		out, err := csv.Format(csv.Options{FormulaSafe: safe}).Append(nil, nil, in, format.Options{})
		if err != nil {
			t.Fatal(err)
		}
		records, err := stdcsv.NewReader(strings.NewReader(string(out))).ReadAll()
		if err != nil || len(records) != 3 {
			t.Fatalf("%q is read back as %q, %v", out, records, err)
		}
		for i, want := range [][]string{{"A", "B"}, {a, b}, {b, a}} {
			for j, w := range want {
				got := records[i][j]
				if safe {
					if got != "" && strings.ContainsAny(got[:1], "=@\t\r\n") {
						t.Errorf("%q begins as a formula", got)
					}
					got, w = strings.TrimPrefix(got, "'"), strings.TrimPrefix(w, "'")
				}
				// The reader of the standard library turns CR LF inside quotes into LF.
				if w = strings.ReplaceAll(w, "\r\n", "\n"); got != w {
					t.Errorf("field %d,%d of %q is %q, want %q", i, j, out, got, w)
				}
			}
		}
	})
}

func TestFormat(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	f := csv.Format()
	for _, k := range []string{"Table", "TabularOutput", "Status", "Scale", "PartialObjectMetadataList"} {
		kind, err := scheme.Kind(schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: k})
		if err != nil {
			t.Fatal(err)
		}
		if want := k == "Table" || k == "TabularOutput"; f.Encodes(kind) != want {
			t.Errorf("Encodes(%s) is %t", k, !want)
		}
	}
	if f.Name != "csv" || f.MediaTypes[0] != "text/csv" || !f.Text ||
		f.Reads() {
		t.Error("the format does not describe itself")
	}
	factory, err := serializer.NewFactory(scheme, json.Format(), f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := factory.Decode([]byte("a,b\r\n"), serializer.DecodeOptions{MediaType: "text/csv"}); !errors.Is(err,
		format.ErrWriteOnly) {
		t.Errorf("reading: %v", err)
	}
}
