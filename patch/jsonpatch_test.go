package patch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// jsonCases are documents, patches and results. A blank result means that the patch does not apply,
// for the reason given.
var jsonCases = []struct {
	name, doc, patch, want string
	err                    error
}{
	// The examples of RFC 6902, appendix A.
	{
		name: "A.1 add an object member", doc: `{"foo":"bar"}`, patch: `[{"op":"add","path":"/baz","value":"qux"}]`,
		want: `{"foo":"bar","baz":"qux"}`,
	},
	{
		name: "A.2 add an array element", doc: `{"foo":["bar","baz"]}`,
		patch: `[{"op":"add","path":"/foo/1","value":"qux"}]`, want: `{"foo":["bar","qux","baz"]}`,
	},
	{
		name: "A.3 remove an object member", doc: `{"baz":"qux","foo":"bar"}`, patch: `[{"op":"remove","path":"/baz"}]`,
		want: `{"foo":"bar"}`,
	},
	{
		name: "A.4 remove an array element", doc: `{"foo":["bar","qux","baz"]}`,
		patch: `[{"op":"remove","path":"/foo/1"}]`, want: `{"foo":["bar","baz"]}`,
	},
	{
		name: "A.5 replace a value", doc: `{"baz":"qux","foo":"bar"}`,
		patch: `[{"op":"replace","path":"/baz","value":"boo"}]`, want: `{"baz":"boo","foo":"bar"}`,
	},
	{
		name: "A.6 move a value", doc: `{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`,
		patch: `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`,
		want:  `{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`,
	},
	{
		name: "A.7 move an array element", doc: `{"foo":["all","grass","cows","eat"]}`,
		patch: `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, want: `{"foo":["all","cows","eat","grass"]}`,
	},
	{
		name: "A.8 test a value", doc: `{"baz":"qux","foo":["a",2,"c"]}`,
		patch: `[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`,
		want:  `{"baz":"qux","foo":["a",2,"c"]}`,
	},
	{
		name: "A.9 a test that fails", doc: `{"baz":"qux"}`, patch: `[{"op":"test","path":"/baz","value":"bar"}]`,
		err: patch.ErrTest,
	},
	{
		name: "a test of what is not there", doc: `{"baz":"qux"}`,
		patch: `[{"op":"test","path":"/foo","value":"bar"}]`, err: patch.ErrMissing,
	},
	{
		name: "A.10 add a nested object", doc: `{"foo":"bar"}`,
		patch: `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`,
		want:  `{"foo":"bar","child":{"grandchild":{}}}`,
	},
	{
		name: "A.11 ignore unknown members", doc: `{"foo":"bar"}`,
		patch: `[{"op":"add","path":"/baz","value":"qux","xyz":123}]`, want: `{"foo":"bar","baz":"qux"}`,
	},
	{
		name: "A.12 add to a target that does not exist", doc: `{"foo":"bar"}`,
		patch: `[{"op":"add","path":"/baz/bat","value":"qux"}]`, err: patch.ErrMissing,
	},
	{
		name: "A.14 escapes", doc: `{"/":9,"~1":10}`, patch: `[{"op":"test","path":"/~01","value":10}]`,
		want: `{"/":9,"~1":10}`,
	},
	{
		name: "A.15 strings are not numbers", doc: `{"/":9,"~1":10}`,
		patch: `[{"op":"test","path":"/~01","value":"10"}]`,
		err:   patch.ErrTest,
	},
	{
		name: "A.16 add an array value", doc: `{"foo":["bar"]}`,
		patch: `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, want: `{"foo":["bar",["abc","def"]]}`,
	},

	// Section 4 of the RFC, and JSON Pointers.
	{name: "no operations", doc: `{"a":1}`, patch: `[]`, want: `{"a":1}`},
	{
		name: "add replaces an existing member", doc: `{"a":1}`, patch: `[{"op":"add","path":"/a","value":2}]`,
		want: `{"a":2}`,
	},
	{name: "add null", doc: `{}`, patch: `[{"op":"add","path":"/a","value":null}]`, want: `{"a":null}`},
	{name: "add the whole document", doc: `{"a":1}`, patch: `[{"op":"add","path":"","value":[1]}]`, want: `[1]`},
	{
		name: "replace the whole document", doc: `{"a":1}`,
		patch: `[{"op":"replace","path":"","value":{"b":2}},{"op":"add","path":"/c","value":3}]`,
		want:  `{"b":2,"c":3}`,
	},
	{
		name: "test the whole document", doc: `{"a":1,"b":[{}]}`,
		patch: `[{"op":"test","path":"","value":{"b":[{}],"a":1}}]`, want: `{"a":1,"b":[{}]}`,
	},
	{name: "remove the whole document", doc: `{}`, patch: `[{"op":"remove","path":""}]`, err: patch.ErrOperation},
	{
		name: "a member with a blank name", doc: `{"":1}`, patch: `[{"op":"replace","path":"/","value":2}]`,
		want: `{"":2}`,
	},
	{name: "a member whose name is a number", doc: `{"0":1}`, patch: `[{"op":"remove","path":"/0"}]`, want: `{}`},
	{name: "a member whose name is a minus", doc: `{"-":1}`, patch: `[{"op":"remove","path":"/-"}]`, want: `{}`},
	{
		name: "a member name with an escape in JSON", doc: `{"a\u0062":1}`,
		patch: `[{"op":"replace","path":"/ab","value":2}]`, want: `{"ab":2}`,
	},
	{name: "add behind the last element", doc: `[1,2]`, patch: `[{"op":"add","path":"/2","value":3}]`, want: `[1,2,3]`},
	{
		name: "add beyond the last element", doc: `[1,2]`, patch: `[{"op":"add","path":"/3","value":3}]`,
		err: patch.ErrIndex,
	},
	{
		name: "remove the place behind the last element", doc: `[1]`, patch: `[{"op":"remove","path":"/-"}]`,
		err: patch.ErrIndex,
	},
	{name: "an index with a leading zero", doc: `[1,2]`, patch: `[{"op":"remove","path":"/01"}]`, err: patch.ErrIndex},
	{name: "an index with a plus", doc: `[1,2]`, patch: `[{"op":"remove","path":"/+1"}]`, err: patch.ErrIndex},
	{
		name: "an index with an exponent", doc: `[1,2]`, patch: `[{"op":"test","path":"/1e0","value":2}]`,
		err: patch.ErrIndex,
	},
	{
		name: "an index beyond all integers", doc: `[1,2]`, patch: `[{"op":"remove","path":"/99999999999999999999"}]`,
		err: patch.ErrIndex,
	},
	{name: "a word for an index", doc: `[1,2]`, patch: `[{"op":"add","path":"/one","value":1}]`, err: patch.ErrIndex},
	{
		name: "a path through a string", doc: `{"a":"b"}`, patch: `[{"op":"add","path":"/a/b","value":1}]`,
		err: patch.ErrWrongType,
	},
	{
		name: "a path through null", doc: `{"a":null}`, patch: `[{"op":"add","path":"/a/b/c","value":1}]`,
		err: patch.ErrWrongType,
	},
	{name: "remove what does not exist", doc: `{"a":1}`, patch: `[{"op":"remove","path":"/b"}]`, err: patch.ErrMissing},
	{
		name: "copy", doc: `{"a":{"b":[1]}}`,
		patch: `[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/b/-","value":2}]`,
		want:  `{"a":{"b":[1]},"c":{"b":[1,2]}}`,
	},
	{
		name: "copy what was changed before", doc: `{"a":{"b":1}}`,
		patch: `[{"op":"add","path":"/a/c","value":2},{"op":"copy","from":"/a","path":"/d"},{"op":"remove","path":"/d/b"}]`, want: `{"a":{"b":1,"c":2},"d":{"c":2}}`,
	},
	{
		name: "copy the whole document into itself", doc: `{"a":1}`, patch: `[{"op":"copy","from":"","path":"/b"}]`,
		want: `{"a":1,"b":{"a":1}}`,
	},
	{
		name: "copy what does not exist", doc: `{"a":1}`, patch: `[{"op":"copy","from":"/b","path":"/c"}]`,
		err: patch.ErrMissing,
	},
	{name: "move to the same place", doc: `{"a":1}`, patch: `[{"op":"move","from":"/a","path":"/a"}]`, want: `{"a":1}`},
	{
		name: "move what does not exist to the same place", doc: `{"a":1}`,
		patch: `[{"op":"move","from":"/b","path":"/b"}]`, err: patch.ErrMissing,
	},
	{
		name: "move into itself", doc: `{"a":{"b":1}}`, patch: `[{"op":"move","from":"/a","path":"/a/b"}]`,
		err: patch.ErrOperation,
	},
	{
		name: "move beside a name that begins alike", doc: `{"a":1,"ab":{}}`,
		patch: `[{"op":"move","from":"/a","path":"/ab/c"}]`, want: `{"ab":{"c":1}}`,
	},
	{
		name: "test numbers by value", doc: `[1,1.50,1e2,0]`,
		patch: `[{"op":"test","path":"","value":[1.0,15e-1,100,-0.0]}]`, want: `[1,1.50,1e2,0]`,
	},
	{
		name: "test numbers beyond 64 bits", doc: `[100000000000000000000001]`,
		patch: `[{"op":"test","path":"/0","value":100000000000000000000002}]`, err: patch.ErrTest,
	},
	{
		name: "test strings by characters", doc: `["A\u00e9"]`, patch: `[{"op":"test","path":"/0","value":"\u0041é"}]`,
		want: `["A\u00e9"]`,
	},
	{name: "test arrays in order", doc: `[1,2]`, patch: `[{"op":"test","path":"","value":[2,1]}]`, err: patch.ErrTest},
	{
		name: "test an object with one member more", doc: `{"a":{"b":1}}`,
		patch: `[{"op":"test","path":"/a","value":{"b":1,"c":null}}]`, err: patch.ErrTest,
	},
	{
		name: "test false and null", doc: `{"a":false}`, patch: `[{"op":"test","path":"/a","value":null}]`,
		err: patch.ErrTest,
	},
	{
		name: "operations see what the ones before did", doc: `{}`,
		patch: `[{"op":"add","path":"/a","value":[]},{"op":"add","path":"/a/0","value":{}},{"op":"add","path":"/a/0/b","value":1},{"op":"move","from":"/a/0/b","path":"/c"}]`, want: `{"a":[{}],"c":1}`,
	},
	{
		name: "of members that repeat the last counts", doc: `{"a":1,"b":2,"a":3}`,
		patch: `[{"op":"test","path":"/a","value":3},{"op":"remove","path":"/b"}]`, want: `{"a":3}`,
	},
	{
		name: "of members that repeat at once the last counts", doc: `{"a":1,"a":3}`,
		patch: `[{"op":"test","path":"/a","value":3},{"op":"add","path":"/b","value":1}]`, want: `{"a":3,"b":1}`,
	},

	// What Kubernetes adds.
	{name: "replace adds a member", doc: `{}`, patch: `[{"op":"replace","path":"/a","value":1}]`, want: `{"a":1}`},
	{
		name: "replace does not add an element", doc: `[]`, patch: `[{"op":"replace","path":"/0","value":1}]`,
		err: patch.ErrIndex,
	},
	{
		name: "a negative index counts from the end", doc: `[1,2,3]`,
		patch: `[{"op":"remove","path":"/-1"},{"op":"replace","path":"/-2","value":4}]`, want: `[4,2]`,
	},
	{
		name: "a negative index adds before the end", doc: `[1,2]`,
		patch: `[{"op":"add","path":"/-1","value":3},{"op":"add","path":"/-4","value":0}]`, want: `[0,1,2,3]`,
	},
	{
		name: "a negative index before the first element", doc: `[1]`, patch: `[{"op":"remove","path":"/-2"}]`,
		err: patch.ErrIndex,
	},
	{
		name: "null is equal to a missing member", doc: `{"a":{}}`, patch: `[{"op":"test","path":"/a/b","value":null}]`,
		want: `{"a":{}}`,
	},
	{
		name: "null is not equal to an element", doc: `[1]`, patch: `[{"op":"test","path":"/0","value":null}]`,
		err: patch.ErrTest,
	},
	{
		name: "null is not equal to a missing element", doc: `[1]`,
		patch: `[{"op":"test","path":"/1","value":null}]`, err: patch.ErrIndex,
	},
	{
		name: "null is not equal to a missing object", doc: `{}`, patch: `[{"op":"test","path":"/a/b","value":null}]`,
		err: patch.ErrMissing,
	},

	// Malformed patches.
	{name: "an unknown operation", doc: `{}`, patch: `[{"op":"Add","path":"/a","value":1}]`, err: patch.ErrOperation},
	{name: "no operation", doc: `{}`, patch: `[{"path":"/a","value":1}]`, err: patch.ErrOperation},
	{name: "no path", doc: `{}`, patch: `[{"op":"add","value":1}]`, err: patch.ErrOperation},
	{name: "path null", doc: `{}`, patch: `[{"op":"add","path":null,"value":1}]`, err: patch.ErrOperation},
	{name: "no value", doc: `{}`, patch: `[{"op":"add","path":"/a"}]`, err: patch.ErrOperation},
	{name: "from null", doc: `{}`, patch: `[{"op":"copy","from":null,"path":"/a"}]`, err: patch.ErrOperation},
	{name: "no from", doc: `{}`, patch: `[{"op":"move","path":"/a"}]`, err: patch.ErrOperation},
	{name: "a path without a slash", doc: `{"a":1}`, patch: `[{"op":"remove","path":"a"}]`, err: patch.ErrOperation},
	{name: "an unknown escape", doc: `{"a~2":1}`, patch: `[{"op":"remove","path":"/a~2"}]`, err: patch.ErrOperation},
	{name: "an escape that ends", doc: `{"a~":1}`, patch: `[{"op":"remove","path":"/a~"}]`, err: patch.ErrOperation},
	{name: "not JSON", doc: `{}`, patch: `[{"op":"add"`, err: patch.ErrSyntax},
	{name: "more than JSON", doc: `{}`, patch: `[] []`, err: patch.ErrSyntax},
	{name: "an object", doc: `{}`, patch: `{"op":"add","path":"/a","value":1}`, err: patch.ErrSyntax},
	{name: "an operation that is not an object", doc: `{}`, patch: `["add"]`, err: patch.ErrSyntax},
	{name: "an operation that is null", doc: `{}`, patch: `[null]`, err: patch.ErrSyntax},
	{name: "a path that is a number", doc: `{}`, patch: `[{"op":"remove","path":1}]`, err: patch.ErrSyntax},
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range jsonCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, patch.JSON, tt.doc, tt.patch, tt.want, tt.err)
		})
	}
}

// check applies a patch to a text and to a Go value and compares both results with the one that is
// wanted.
func check(t *testing.T, typ patch.Type, doc, change, want string, wantErr error) {
	t.Helper()
	checkWith(t, typ, patch.Options{}, doc, change, want, wantErr)
}

func checkWith(t *testing.T, typ patch.Type, o patch.Options, doc, change, want string, wantErr error) {
	t.Helper()
	p, err := patch.Parse(typ, []byte(change), o)
	if err == nil {
		var got []byte
		got, err = p.Append([]byte("before "), []byte(doc))
		if text := strings.TrimPrefix(string(got), "before "); err == nil && !sameJSON(t, text, want) {
			t.Errorf("Append:\n got %s\nwant %s", text, want)
		}
		value, anyErr := p.Apply(untyped(t, doc))
		if !errors.Is(anyErr, wantErr) || (anyErr == nil) != (err == nil) {
			t.Errorf("Apply: got error %v, and %v of Append", anyErr, err)
		}
		if anyErr == nil && !reflect.DeepEqual(plain(t, value), untyped(t, want)) {
			t.Errorf("Apply:\n got %v\nwant %s", value, want)
		}
	}
	if !errors.Is(err, wantErr) || err != nil && wantErr == nil {
		t.Errorf("got error %v, want %v", err, wantErr)
	}
}

func untyped(t *testing.T, text string) (value any) {
	t.Helper()
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// plain returns a value as encoding/json would read it.
func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return untyped(t, string(text))
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	return reflect.DeepEqual(untyped(t, a), untyped(t, b))
}

func TestJSONErrors(t *testing.T) {
	t.Parallel()
	const doc = `{"spec":{"replicas":3,"ports":[80],"image":"a"}}`
	for _, tt := range []struct {
		name, patch, want string
		code              int
	}{
		{
			"a name nearby", `[{"op":"test","path":"/spec/replicas","value":3},` + "\n" +
				` {"op":"remove","path":"/spec/imag"}]`,
			`patch: JSON patch, operation 1 (remove "/spec/imag") at 2:2: "/spec/imag" does not exist, did you mean "image"?`, 422,
		},
		{
			"a failed test", `[{"op":"test","path":"/spec/replicas","value":4}]`,
			`patch: JSON patch, operation 0 (test "/spec/replicas") at 1:2: found 3, expected 4`, 422,
		},
		{
			"a failed test of an object", `[{"op":"test","path":"/spec","value":{"replicas":4}}]`,
			`patch: JSON patch, operation 0 (test "/spec") at 1:2: the content of an object differs`, 422,
		},
		{
			"a failed test of an array", `[{"op":"test","path":"/spec/ports","value":{"replicas":4}}]`,
			`patch: JSON patch, operation 0 (test "/spec/ports") at 1:2: found an array, expected an object`, 422,
		},
		{
			"an index beyond the end", `[{"op":"remove","path":"/spec/ports/1"}]`,
			`patch: JSON patch, operation 0 (remove "/spec/ports/1") at 1:2: "1" is not an index of "/spec/ports", an array of 1 element`, 422,
		},
		{
			"a path through a number", `[{"op":"add","path":"/spec/replicas/x","value":1}]`,
			`patch: JSON patch, operation 0 (add "/spec/replicas/x") at 1:2: "/spec/replicas" is a number, not an object or array`, 422,
		},
		{
			"a move", `[{"op":"move","from":"/spec/x","path":"/spec/y"}]`,
			`patch: JSON patch, operation 0 (move from /spec/x to "/spec/y") at 1:2: "/spec/x" does not exist`, 422,
		},
		{
			"an operation in capitals", `[{"op":"Replace","path":"/spec","value":1}]`,
			`patch: JSON patch, operation 0 (Replace "") at 1:2: unknown operation "Replace", did you mean "replace"?`,
			422,
		},
		{"not JSON", "[\n{]", `patch: JSON patch at 2:2: unexpected character ']', expected a member name or '}'`, 400},
		{"not a list", `{}`, `patch: JSON patch at 1:1: a JSON patch is an array of operations`, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := patch.Parse(patch.JSON, []byte(tt.patch), patch.Options{})
			if err == nil {
				_, err = p.Append(nil, []byte(doc))
			}
			e, ok := errors.AsType[*patch.Error](err)
			if !ok || e.Error() != tt.want || e.Code() != tt.code {
				t.Errorf("got %v (%d)\nwant %s (%d)", err, e.Code(), tt.want, tt.code)
			}
		})
	}
}

func TestUntouchedPartsAreCopied(t *testing.T) {
	t.Parallel()
	const doc = "{\"spec\" : { \"a\" : 1.50,\n\"b\":[ 1, 2 ] }, \"status\":\t{\"x\": \"\\u0041\"} }"
	p, err := patch.Parse(patch.JSON, []byte(`[{"op":"add","path":"/spec/c","value":[ 3 ]}]`), patch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Append(nil, []byte(doc))
	if want := "{\"spec\":{\"a\":1.50,\"b\":[ 1, 2 ],\"c\":[ 3 ]},\"status\":{\"x\": \"\\u0041\"}}"; string(got) != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// TestAppendDoesNotKeepTheDocument overwrites documents after patches have been applied to them.
// Results and errors stay as they were.
func TestAppendDoesNotKeepTheDocument(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2000)
	for _, tt := range []struct {
		name   string
		format patch.Type
		patch  string
	}{
		{"JSON", patch.JSON, `[{"op":"copy","from":"/b","path":"/d"},{"op":"move","from":"/a","path":"/d/0"}]`},
		{"failed test", patch.JSON, `[{"op":"test","path":"/b/1","value":2}]`},
		{"missing", patch.JSON, `[{"op":"remove","path":"/longnam"}]`},
		{"no index", patch.JSON, `[{"op":"remove","path":"/b/7"}]`},
		{"merge", patch.Merge, `{"a":null,"e":{"f":1}}`},
		{"strategic", patch.Strategic, `{"e":{"g":2},"b":null}`},
		{"strategic error", patch.Strategic, `{"$setElementOrder/e":[1],"e":[1]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := patch.Parse(tt.format, []byte(tt.patch), patch.Options{Structure: structure.Deduced})
			if err != nil {
				t.Fatal(err)
			}
			text := `{"a":"one","b":["two","three"],"longname":"` + long + `","e":{"f":"four"}}`
			doc := []byte(text)
			got, err := p.Append(nil, doc)
			want, message := string(got), fmt.Sprint(err)
			for i := range doc {
				doc[i] = '#'
			}
			if string(got) != want || fmt.Sprint(err) != message {
				t.Errorf("became %s, %v; was %s, %s", got, err, want, message)
			}
			// Into the array of the document, before and behind it.
			for _, behind := range []bool{false, true} {
				for _, clipped := range []bool{false, true} {
					doc = append(make([]byte, 0, 3*len(text)), text...)
					dst := doc[:0]
					if behind {
						dst = doc
					}
					if clipped {
						doc = slices.Clip(doc)
					}
					got, err = p.Append(dst, doc)
					if fmt.Sprint(err) != message || string(got[len(dst):]) != want {
						t.Errorf("behind %t, clipped %t: %s, %v; want %s", behind, clipped, got[len(dst):], err, want)
					}
				}
			}
		})
	}
}

func TestApplyLeavesTheValueAsItIs(t *testing.T) {
	t.Parallel()
	const text = `{"a":{"b":[1,{"c":2}]},"d":{}}`
	doc := untyped(t, text)
	p, err := patch.Parse(
		patch.JSON, []byte(
			`[{"op":"remove","path":"/a/b/1/c"},{"op":"add","path":"/a/b/-","value":9},{"op":"copy","from":"/a","path":"/d/a"},{"op":"remove","path":"/a"}]`,
		), patch.Options{},
	)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.Apply(doc); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(doc, untyped(t, text)) {
		t.Errorf("the value became %v", doc)
	}
}

func TestApplyRefusesWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	loop := map[string]any{}
	loop["loop"] = loop
	p, err := patch.Parse(patch.JSON, []byte(`[]`), patch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]any{"a channel": map[string]any{"a": []any{make(chan int)}}, "a loop": loop} {
		if _, err := p.Apply(doc); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestApplyLimitsCopies checks that the sizes of values count, although the result shares them.
func TestApplyLimitsCopies(t *testing.T) {
	t.Parallel()
	p, err := patch.Parse(patch.JSON, []byte("["+strings.Repeat(`{"op":"copy","from":"/a","path":"/l/-"},`, 99)+
		`{"op":"copy","from":"/a","path":"/l/-"}]`), patch.Options{Limits: patch.Limits{Growth: 50_000}})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 1000)
	for name, v := range map[string]any{
		"a string": long, "a map": map[string]any{"b": map[string]any{"c": long}}, "a list": []any{[]any{long}},
		"a name": map[string]any{long: true},
	} {
		_, err := p.Apply(map[string]any{"a": v, "l": []any{}})
		e, ok := errors.AsType[*patch.Error](err)
		if !ok || !errors.Is(err, schema.ErrLimit) || e.Operation < 45 || e.Operation > 50 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestApplyReportsWhatGoCannotHold checks that a value of a patch is not lost.
func TestApplyReportsWhatGoCannotHold(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for _, tt := range []struct{ value, want string }{
		{"1e400", "patch: JSON patch: number 1e400 is out of range for float64"},
		{`[{"a":-1e400}]`, "patch: JSON patch: number -1e400 is out of range for float64"},
		{deep, ""},
	} {
		p, err := patch.Parse(patch.JSON, []byte(`[{"op":"add","path":"/b","value":`+tt.value+`}]`), patch.Options{
			Limits: patch.Limits{Limits: schema.Limits{Depth: 50_000}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Apply(map[string]any{"a": true})
		if tt.want == "" && (err != nil || got.(map[string]any)["b"] == nil) ||
			tt.want != "" && (err == nil || err.Error() != tt.want) {
			t.Errorf("%.20s: got %.100v, %v; want %s", tt.value, got, err, tt.want)
		}
	}
}

func TestHostileJSON(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0,", 400_000)
	for _, tt := range []struct{ name, doc, patch, limit string }{
		{"many operations", `{}`, "[" + strings.Repeat(`{"op":"test","path":"","value":{}},`, 100_000) +
			`{"op":"test","path":"","value":{}}]`, "Operations"},
		{
			"copies of copies", `{"a":"` + strings.Repeat("x", 1000) + `"}`,
			"[" + strings.Repeat(`{"op":"copy","from":"","path":"/b"},`, 200) +
				`{"op":"copy","from":"","path":"/b"}]`, "Growth",
		},
		{"an array that shifts", "[" + long + "0]", "[" + strings.Repeat(`{"op":"remove","path":"/0"},`, 9000) +
			`{"op":"remove","path":"/0"}]`, "Work"},
		{"tests of a large value", "[" + long + "0]", "[" + strings.Repeat(`{"op":"test","path":"","value":[`+
			long[:8000]+`0]},`, 10) + `{"op":"test","path":"/0","value":0}]`, ""},
		{
			"a deep value at a deep path", strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
			`[{"op":"copy","from":"","path":"` + strings.Repeat("/a", 9000) + `"}]`, "Depth",
		},
		{"a deep patch", `{}`, `[{"op":"add","path":"/a","value":` + strings.Repeat("[", 20_000) +
			strings.Repeat("]", 20_000) + `}]`, "Depth"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := patch.Parse(patch.JSON, []byte(tt.patch), patch.Options{})
			if err == nil {
				_, err = p.Append(nil, []byte(tt.doc))
			}
			if tt.limit == "" {
				if !errors.Is(err, patch.ErrTest) {
					t.Errorf("got %v", err)
				}
				return
			}
			e, ok := errors.AsType[*schema.LimitError](err)
			if !ok || e.Limit != tt.limit || !errors.Is(err, schema.ErrLimit) {
				t.Fatalf("got %v, want the limit %s", err, tt.limit)
			}
			if pe, ok := errors.AsType[*patch.Error](err); !ok || pe.Code() != 413 {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestLimitsOfEachOperation checks that every operation that can cost more than its text counts.
func TestLimitsOfEachOperation(t *testing.T) {
	t.Parallel()
	long := "[" + strings.Repeat("0,", 200) + "0]"
	deep := `{"a":{"b":{"c":1,"d":[[0]]}}}`
	for _, tt := range []struct{ name, doc, operation, limit string }{
		{"add", long, `{"op":"add","path":"/0","value":1}`, "Work"},
		{"remove", long, `{"op":"remove","path":"/0"}`, "Work"},
		{"test", long, `{"op":"test","path":"","value":` + long + `}`, "Work"},
		{"move", `{"a":` + long + `}`, `{"op":"move","from":"/a","path":"/b"}`, "Work"},
		{"copy", `{"a":` + long + `}`, `{"op":"copy","from":"/a","path":"/b"}`, "Growth"},
		{"add at the end", long, `{"op":"add","path":"/-","value":1}`, ""},
		{"add deep", deep, `{"op":"add","path":"/a/b/e","value":[[[0]]]}`, "Depth"},
		{"replace deep", deep, `{"op":"replace","path":"/a/b/c","value":[[[0]]]}`, "Depth"},
		{"move deep", `{"x":[[[0]]],"a":{"b":{"c":1}}}`, `{"op":"move","from":"/x","path":"/a/b/c"}`, "Depth"},
		{"copy deep", deep, `{"op":"copy","from":"/a/b/d","path":"/a/b/d/0/0"}`, "Depth"},
		{"replace", deep, `{"op":"replace","path":"/a/b/c","value":[[0]]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			limits := patch.Limits{Work: 100, Growth: 100}
			limits.Depth = 5
			p, err := patch.Parse(patch.JSON, []byte("["+tt.operation+"]"), patch.Options{Limits: limits})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Append(nil, []byte(tt.doc))
			e, ok := errors.AsType[*schema.LimitError](err)
			if tt.limit == "" && err != nil || tt.limit != "" && (!ok || e.Limit != tt.limit) {
				t.Errorf("got %v, want the limit %q", err, tt.limit)
			}
		})
	}
}

// TestLimitsAreMet checks that a patch may cost as much as each limit says, and no more.
func TestLimitsAreMet(t *testing.T) {
	t.Parallel()
	const one = `{"op":"test","path":"","value":{}}`
	for _, tt := range []struct {
		name, doc, operations string
		limits                func(n int) patch.Limits
		most                  int
	}{
		{
			"operations", `{}`, one + "," + one + "," + one,
			func(n int) patch.Limits { return patch.Limits{Operations: n} }, 3,
		},
		{
			"growth", `{"a":[1,2,3]}`, `{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/c"}`,
			func(n int) patch.Limits { return patch.Limits{Growth: n} }, 2 * len(`[1,2,3]`),
		},
		{
			"work", `[1,2,3,4,5]`, `{"op":"remove","path":"/0"},{"op":"add","path":"/0","value":1}`,
			func(n int) patch.Limits { return patch.Limits{Work: n} }, 5 + 4, // the elements from there on
		},
	} {
		for less, want := range map[int]bool{0: true, 1: false} {
			p, err := patch.Parse(patch.JSON, []byte("["+tt.operations+"]"),
				patch.Options{Limits: tt.limits(tt.most - less)})
			if err == nil {
				_, err = p.Append(nil, []byte(tt.doc))
			}
			if (err == nil) != want || err != nil && !errors.Is(err, schema.ErrLimit) {
				t.Errorf("%s, %d less than it takes: %v", tt.name, less, err)
			}
		}
	}
}
