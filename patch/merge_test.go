package patch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/structure"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, doc, patch, want string
		err                    error
	}{
		// The table of RFC 7386, appendix A.
		{name: "replace a member", doc: `{"a":"b"}`, patch: `{"a":"c"}`, want: `{"a":"c"}`},
		{name: "add a member", doc: `{"a":"b"}`, patch: `{"b":"c"}`, want: `{"a":"b","b":"c"}`},
		{name: "remove the only member", doc: `{"a":"b"}`, patch: `{"a":null}`, want: `{}`},
		{name: "remove a member", doc: `{"a":"b","b":"c"}`, patch: `{"a":null}`, want: `{"b":"c"}`},
		{name: "a string for an array", doc: `{"a":["b"]}`, patch: `{"a":"c"}`, want: `{"a":"c"}`},
		{name: "an array for a string", doc: `{"a":"c"}`, patch: `{"a":["b"]}`, want: `{"a":["b"]}`},
		{
			name: "merge and remove below", doc: `{"a":{"b":"c"}}`, patch: `{"a":{"b":"d","c":null}}`,
			want: `{"a":{"b":"d"}}`,
		},
		{name: "arrays are replaced", doc: `{"a":[{"b":"c"}]}`, patch: `{"a":[1]}`, want: `{"a":[1]}`},
		{name: "a document that is an array", doc: `["a","b"]`, patch: `["c","d"]`, want: `["c","d"]`},
		{name: "an array for a document", doc: `{"a":"b"}`, patch: `["c"]`, want: `["c"]`},
		{name: "null for a document", doc: `{"a":"foo"}`, patch: `null`, want: `null`},
		{name: "a string for a document", doc: `{"a":"foo"}`, patch: `"bar"`, want: `"bar"`},
		{name: "null in the document stays", doc: `{"e":null}`, patch: `{"a":1}`, want: `{"e":null,"a":1}`},
		{name: "an object for an array", doc: `[1,2]`, patch: `{"a":"b","c":null}`, want: `{"a":"b"}`},
		{
			name: "null is nowhere in what is new", doc: `{}`, patch: `{"a":{"bb":{"ccc":null}}}`,
			want: `{"a":{"bb":{}}}`,
		},

		{name: "nothing", doc: `{"a":1}`, patch: `{}`, want: `{"a":1}`},
		{name: "null below what is not an object", doc: `{"a":1}`, patch: `{"a":{"b":null}}`, want: `{"a":{}}`},
		{
			name: "null inside of an array stays", doc: `{}`, patch: `{"a":[null,{"b":null}]}`,
			want: `{"a":[null,{"b":null}]}`,
		},
		{name: "of members that repeat the last counts", doc: `{}`, patch: `{"a":1,"a":2}`, want: `{"a":2}`},
		{
			name: "many members", doc: `{` + members(40, "1") + `}`, patch: `{` + members(30, "null") + `,"m31":{}}`,
			want: strings.Replace(`{`+members(40, "1")[len(members(30, "1"))+1:]+`}`, `"m31":1`, `"m31":{}`, 1),
		},
		{name: "not JSON", doc: `{}`, patch: `{"a"}`, err: patch.ErrSyntax},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, patch.Merge, tt.doc, tt.patch, tt.want, tt.err)
		})
	}
}

// members returns the members m0 to m<n-1> of an object.
func members(n int, value string) string {
	var list []string
	for i := range n {
		list = append(list, `"m`+string(rune('0'+i/10))+string(rune('0'+i%10))+`":`+value)
	}
	return strings.Join(list, ",")
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for _, typ := range []patch.Type{patch.JSON, patch.Merge, patch.Strategic, patch.Apply} {
		if got, ok := patch.TypeOf(typ.MediaType() + "; charset=utf-8"); got != typ || !ok {
			t.Errorf("%s: got %v, %t", typ.MediaType(), got, ok)
		}
	}
	if got, ok := patch.TypeOf("application/apply-patch+cbor"); got != patch.Apply || !ok {
		t.Errorf("got %v, %t", got, ok)
	}
	for _, name := range []string{"", "application/json", "application/json-patch", ";"} {
		if got, ok := patch.TypeOf(name); ok {
			t.Errorf("%q: got %v", name, got)
		}
	}
	if _, err := patch.Parse(patch.Apply, []byte(`{}`), patch.Options{}); !errors.Is(err, patch.ErrType) {
		t.Errorf("got %v", err)
	}
}

// TestPositionOfMistakes checks that the error for a patch that is not JSON has line and column.
func TestPositionOfMistakes(t *testing.T) {
	t.Parallel()
	const text = "{\n  \"spec\": tru\n}"
	for kind, data := range map[patch.Type]string{
		patch.Merge: text, patch.Strategic: text, patch.JSON: "[{\n  \"op\": tru\n}]",
	} {
		_, err := patch.Parse(kind, []byte(data), patch.Options{Structure: structure.Deduced})
		if e, ok := errors.AsType[*patch.Error](err); !ok || e.Position.Line != 2 ||
			!strings.Contains(err.Error(), " at 2:") {
			t.Errorf("%v: %v", kind, err)
		}
	}
}
