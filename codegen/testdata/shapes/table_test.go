package shapes_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/shapes/one"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

var step = regexp.MustCompile(`\.\w+|\[\d+\]|\['[^']*'\]`)

// lookup follows a path through JSON.
func lookup(v any, path string) any {
	for _, s := range step.FindAllString(path, -1) {
		switch x := v.(type) {
		case map[string]any:
			name := s[1:]
			if s[0] == '[' {
				name = s[2 : len(s)-2]
			}
			v = x[name]
		case []any:
			if i := int(s[1] - '0'); i < len(x) {
				v = x[i]
			} else {
				return nil
			}
		default:
			return nil
		}
	}
	return v
}

// slowCell makes a cell of a value in JSON.
func slowCell(t *testing.T, v any, columnType string) any {
	t.Helper()
	var err error
	var out any = v
	switch x := v.(type) {
	case json.Number:
		switch columnType {
		case "integer":
			out, err = x.Int64()
		case "number":
			out, err = x.Float64()
		default:
			out = x.String()
			if f, err := x.Float64(); err == nil && strings.ContainsRune(x.String(), 'e') {
				out = strconv.FormatFloat(f, 'f', -1, 64)
			}
		}
	case bool:
		if columnType == "string" {
			out = map[bool]string{true: "true", false: "false"}[x]
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTable compares the cells of tables with what their paths find in JSON.
func TestTable(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(one.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for kind := range kindsOf(t) {
		eachCell(t, kind.New, func(t *testing.T, _ *rand.Rand, obj any, _ int) {
			table, err := runtime.As[metav1.Table](scheme, obj)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			var doc any
			d := json.NewDecoder(bytes.NewReader(text))
			d.UseNumber()
			if err := d.Decode(&doc); err != nil {
				t.Fatal(err)
			}
			for i, c := range table.ColumnDefinitions {
				path := one.Columns[kind.Name()+"."+c.Name]
				if path == "" {
					continue
				}
				got, want := table.Rows[0].Cells[i], slowCell(t, lookup(doc, path), c.Type)
				// These are defined apart from their form in JSON.
				if want == "0001-01-01T00:00:00Z" {
					want = nil
				}
				if kind.Name() == "KNumber" && (got == "" || got == "1e5") {
					want = got
				}
				a, _ := json.Marshal(got)
				b, _ := json.Marshal(want)
				if !bytes.Equal(a, b) {
					t.Errorf("%s: got %s, want %s in %s", path, a, b, text)
				}
			}
		})
		for name := range one.Columns {
			if len(name) > len(kind.Name()) && name[:len(kind.Name())+1] == kind.Name()+"." {
				shown++
			}
		}
	}
	if shown < 200 || shown != len(one.Columns) {
		t.Errorf("%d columns of %d", shown, len(one.Columns))
	}
}

// TestPartialObjectMetadata checks that every kind is shown by its metadata alone.
func TestPartialObjectMetadata(t *testing.T) {
	t.Parallel()
	scheme, err := runtime.NewScheme(one.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	for kind := range kindsOf(t) {
		obj := kind.New()
		meta := kind.Metadata(obj).(*metav1.ObjectMeta)
		meta.Name, meta.Labels = "x", map[string]string{"a": "b"}
		got, err := runtime.As[metav1.PartialObjectMetadata](scheme, obj)
		if err != nil || got.Name != "x" || got.Labels["a"] != "b" {
			t.Errorf("%s: %v %v", kind, got, err)
		}
	}
}
