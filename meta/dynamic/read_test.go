package dynamic_test

import (
	goruntime "runtime"
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
