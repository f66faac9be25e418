package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestMerged has the examples of RFC 7396, appendix A.
func TestMerged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ value, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"n":12345678901234567890}`, `{}`, `{"n":12345678901234567890}`},
	} {
		value, err := untyped([]byte(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		patch, err := untyped([]byte(tt.patch))
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(merged(value, patch))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s with %s: got %s, %v, want %s", tt.value, tt.patch, got, err, tt.want)
		}
	}
	for _, text := range []string{``, `{`, `{} {}`, `{}]`} {
		if v, err := untyped([]byte(text)); err == nil {
			t.Errorf("%q is taken for %v", text, v)
		}
	}
}

// TestPatches sends patches to one store, in their order.
func TestPatches(t *testing.T) {
	t.Parallel()
	h, _ := mustServe(t)
	const merge = "application/merge-patch+json"
	for _, tt := range []struct {
		name, path, body, contentType string
		code                          int
		want                          string // in the answer
	}{
		{"a label", sites + "/fra-1", `{"metadata":{"labels":{"floor":"3"}}}`, merge, 200, `"floor": "3"`},
		{"and without it", sites + "/fra-1", `{"metadata":{"labels":{"floor":null}}}`, merge + "; charset=utf-8", 200, `"kind": "Site"`},
		{"a field in an old version", alphas + "/web-1", `{"spec":{"cpu":"6"}}`, merge, 200, `"cpu": "6"`},
		{"a dry run", sites + "/fra-1?dryRun=All", `{"spec":{"address":"elsewhere"}}`, merge, 200, "elsewhere"},
		{"an unknown field", sites + "/fra-1", `{"spec":{"adress":"x"}}`, merge, 400, `did you mean \"address\"?`},
		{"what is not valid", sites + "/fra-1", `{"spec":{"address":null}}`, merge, 422, `"field": "spec.address"`},
		{"another name", sites + "/fra-1", `{"metadata":{"name":"x"}}`, merge, 400, "the path says"},
		{"another kind", sites + "/fra-1", `{"kind":"Machine"}`, merge, 400, ""},
		{"an old version of it", sites + "/fra-1", `{"metadata":{"resourceVersion":"1"}}`, merge, 409, "Conflict"},
		{"nobody", sites + "/nobody", `{}`, merge, 404, "NotFound"},
		{"no JSON", sites + "/fra-1", `{`, merge, 400, "not JSON"},
		{"no object", sites + "/fra-1", `[]`, merge, 400, ""},
		{"a JSON patch", sites + "/fra-1", `[]`, "application/json-patch+json", 415, merge},
		{"no type", sites + "/fra-1", `{}`, "", 415, merge},
	} {
		code, answer := send(t, h, "PATCH", tt.path, tt.body, "Content-Type", tt.contentType)
		if code != tt.code || !strings.Contains(answer, tt.want) {
			t.Errorf("%s: got %d %s, want %d with %s", tt.name, code, answer, tt.code, tt.want)
		}
	}
}
