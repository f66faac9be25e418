package dynamic_test

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/meta/dynamic"
)

// TestDeepSchemas compiles schemas that are nested deeply. What is allocated grows with the text,
// not with its square.
func TestDeepSchemas(t *testing.T) { // not in parallel: it counts what is allocated
	large := `{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"p":{"type":"string"},`, 10_000), ",") + "}}"
	for name, tt := range map[string]struct {
		open, inside, shut string
		err                string
	}{
		"maps":             {`{"type":"object","additionalProperties":`, `{"type":"string"}`, `}`, ""},
		"maps of a schema": {`{"type":"object","additionalProperties":`, large, `}`, ""},
		"objects":          {`{"type":"object","properties":{"a":`, `{"type":"string"}`, `}}`, ""},
		"lists":            {`{"type":"array","items":`, `{"type":"string"}`, `}`, ""},
		"defaults": {
			`{"type":"object","default":{},"properties":{"a":`, `{"type":"string"}`, `}}`,
			"the defaults of the schema have more than 262144 bytes together",
		},
		"without types": {`{"properties":{"a":`, `{"type":"string"}`, `}}`, "more problems"},
	} {
		const levels = 2000
		text := `{"type":"object","properties":{"spec":` + strings.Repeat(tt.open, levels) + tt.inside +
			strings.Repeat(tt.shut, levels) + `}}`
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		_, err := dynamic.New(dynamic.Definition{
			Group: "a.b", Kind: "Thing", Resource: "things",
			Versions: []dynamic.Version{{Name: "v1", Storage: true, Schema: []byte(text)}},
		})
		message := ""
		if err != nil {
			message = err.Error()
		}
		goruntime.ReadMemStats(&after)
		if message == "" != (tt.err == "") || !strings.Contains(message, tt.err) || len(message) > 100_000 {
			t.Errorf("%s: got an error of %d bytes, want %q: %.2000s", name, len(message), tt.err, message)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20+200*uint64(len(text)) {
			t.Errorf("%s: a schema of %d bytes takes %d", name, len(text), used)
		}
	}
}

// TestWideSchemas compiles schemas with many members, equal and different ones. What is allocated
// grows with the text.
func TestWideSchemas(t *testing.T) { // not in parallel: it counts what is allocated
	const n = 10_000
	members := func(of func(i int) string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"m%d":%s`, i, of(i))
		}
		return `{"type":"object","properties":{` + b.String()[1:] + `}}`
	}
	for name, text := range map[string]string{
		"equal":     members(func(int) string { return `{"type":"string","maxLength":5}` }),
		"different": members(func(i int) string { return fmt.Sprintf(`{"type":"string","maxLength":%d}`, i) }),
		"objects": members(func(i int) string {
			inside := `{"type":"object","properties":{"b":{"type":"string"}}}`
			return fmt.Sprintf(`{"type":"object","properties":{"a%d":%s}}`, i%3, inside)
		}),
		"defaults": members(func(i int) string { return fmt.Sprintf(`{"type":"integer","default":%d}`, i%7) }),
	} {
		d := dynamic.Definition{Group: "a.b", Kind: "Thing", Resource: "things"}
		for i := range 3 {
			d.Versions = append(d.Versions,
				dynamic.Version{Name: fmt.Sprint("v", i), Storage: i == 0, Schema: []byte(text)})
		}
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		r, err := dynamic.New(d)
		if err != nil {
			t.Fatal(name, err)
		}
		goruntime.ReadMemStats(&after)
		size := uint64(3 * len(text))
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20+60*size {
			t.Errorf("%s: schemas of %d bytes take %d", name, size, used)
		}
		goruntime.KeepAlive(r)
	}
}

// TestManyOfDefinitions compiles definitions with too much of something. What is allocated grows
// with their number.
func TestManyOfDefinitions(t *testing.T) { // not in parallel: it counts what is allocated
	const n = 20_000
	for name, tt := range map[string]struct {
		change func(*dynamic.Definition)
		err    string
	}{
		"versions of one name": {func(d *dynamic.Definition) {
			d.Versions = slices.Repeat(d.Versions, n)
		}, "spec.versions: Too many: 20000: must have at most 100 items"},
		"selectable fields": {func(d *dynamic.Definition) {
			for i := range n {
				d.Versions[0].SelectableFields = append(d.Versions[0].SelectableFields, fmt.Sprint(".spec.a", i))
			}
		}, "spec.versions[0].selectableFields: Too many: 20000: must have at most 8 items"},
		"short names": {func(d *dynamic.Definition) {
			d.ShortNames = slices.Repeat([]string{"X"}, n)
		}, "more problems"},
		"columns": {func(d *dynamic.Definition) {
			d.Versions[0].Columns = slices.Repeat([]dynamic.Column{{Name: "C", Type: "text", JSONPath: ".x["}}, n)
		}, "more problems"},
	} {
		d := dynamic.Definition{
			Group: "a.b", Kind: "Thing", Resource: "things", Versions: []dynamic.Version{{Name: "v1", Storage: true}},
		}
		tt.change(&d)
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		_, err := dynamic.New(d)
		if err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got %.2000v, want %q", name, err, tt.err)
		}
		goruntime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Errorf("%s: %d bytes are allocated", name, used)
		}
	}
}
