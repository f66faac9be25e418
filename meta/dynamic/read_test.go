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
