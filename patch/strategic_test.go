package patch_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/structure"
	"github.com/askind/askind/schema"
)

// web is the structure of a kind with a field of each sort.
var web = func() *structure.Type {
	port := &structure.Type{Kind: structure.Struct}
	container := &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{Name: "args", Type: &structure.Type{Kind: structure.List}, Merge: true},
		{
			Name: "ports", Type: &structure.Type{Kind: structure.List, Elem: port, Keys: []string{"port", "protocol"}},
			Merge: true, MergeKey: "port",
		},
	}}
	containers := &structure.Type{Kind: structure.List, Elem: container, Keys: []string{"name"}}
	return &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{Name: "broken", Type: &structure.Type{Kind: structure.List}, Merge: true},
		{Name: "containers", Type: containers, Merge: true, MergeKey: "name"},
		{Name: "finalizers", Type: &structure.Type{Kind: structure.List, Set: true}, Merge: true},
		{Name: "labels", Type: &structure.Type{Kind: structure.Map}},
		{Name: "plain", Type: containers},
		{Name: "strategy", Type: &structure.Type{Kind: structure.Struct}, RetainKeys: true},
		{Name: "whole", Type: &structure.Type{Kind: structure.Struct}, Replace: true},
	}}
}()

func TestStrategic(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, doc, patch, want string
		err                    error
	}{
		{
			name: "maps are merged", doc: `{"labels":{"a":"1","b":"2"}}`, patch: `{"labels":{"b":null,"c":"3"}}`,
			want: `{"labels":{"a":"1","c":"3"}}`,
		},
		{
			name: "what is not a name is not retained", doc: `{"labels":{"a":"1","ru":"2"}}`,
			patch: `{"labels":{"$retainKeys":["ru",true]}}`, want: `{"labels":{"ru":"2"}}`,
		},
		{
			name: "elements are merged by key", doc: `{"containers":[{"name":"a","image":"1"},{"name":"b"}]}`,
			patch: `{"containers":[{"name":"a","image":"2"}]}`,
			want:  `{"containers":[{"name":"a","image":"2"},{"name":"b"}]}`,
		},
		{
			name: "new elements come where the patch has them", doc: `{"containers":[{"name":"a"}]}`,
			patch: `{"containers":[{"name":"b","image":"x"}]}`,
			want:  `{"containers":[{"name":"b","image":"x"},{"name":"a"}]}`,
		},
		{
			name: "lists in elements are merged", doc: `{"containers":[{"name":"a","ports":[{"port":80,"name":"x"}]}]}`,
			patch: `{"containers":[{"name":"a","ports":[{"port":80,"name":"y"},{"port":81}]}]}`,
			want:  `{"containers":[{"name":"a","ports":[{"port":80,"name":"y"},{"port":81}]}]}`,
		},
		{
			name: "a list without a strategy is replaced", doc: `{"plain":[{"name":"a"}]}`,
			patch: `{"plain":[{"name":"b"}]}`, want: `{"plain":[{"name":"b"}]}`,
		},
		{
			name: "delete an element", doc: `{"containers":[{"name":"a"},{"name":"b"}]}`,
			patch: `{"containers":[{"$patch":"delete","name":"a"}]}`, want: `{"containers":[{"name":"b"}]}`,
		},
		{
			name: "replace a list", doc: `{"containers":[{"name":"a"},{"name":"b"}]}`,
			patch: `{"containers":[{"$patch":"replace"},{"name":"c"}]}`, want: `{"containers":[{"name":"c"}]}`,
		},
		{
			name: "replace a map", doc: `{"labels":{"a":"1"}}`, patch: `{"labels":{"$patch":"replace","b":"2"}}`,
			want: `{"labels":{"b":"2"}}`,
		},
		{
			name: "delete what is in a map", doc: `{"labels":{"a":"1"}}`, patch: `{"labels":{"$patch":"delete"}}`,
			want: `{"labels":{}}`,
		},
		{
			name: "a field that is replaced", doc: `{"whole":{"a":1}}`, patch: `{"whole":{"b":2}}`,
			want: `{"whole":{"b":2}}`,
		},
		{
			name: "scalars are added once", doc: `{"finalizers":["a","b"]}`, patch: `{"finalizers":["b","c"]}`,
			want: `{"finalizers":["a","b","c"]}`,
		},
		{
			name: "scalars are deleted", doc: `{"finalizers":["a","b","c"]}`,
			patch: `{"$deleteFromPrimitiveList/finalizers":["a","c","x"]}`, want: `{"finalizers":["b"]}`,
		},
		{
			name: "the order of scalars", doc: `{"finalizers":["a","b","c"]}`,
			patch: `{"$setElementOrder/finalizers":["c","a"]}`, want: `{"finalizers":["b","c","a"]}`,
		},
		{
			name: "the order of elements", doc: `{"containers":[{"name":"a"},{"name":"s"},{"name":"b"}]}`,
			patch: `{"$setElementOrder/containers":[{"name":"b"},{"name":"n"},{"name":"a"}],"containers":[{"name":"n"}]}`, want: `{"containers":[{"name":"s"},{"name":"b"},{"name":"n"},{"name":"a"}]}`,
		},
		{
			name: "members that are not to be retained", doc: `{"strategy":{"type":"Rolling","rolling":{"x":1}}}`,
			patch: `{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}`, want: `{"strategy":{"type":"Recreate"}}`,
		},
		{
			name: "members that are retained beside one that is removed", doc: `{"strategy":{"type":"Rolling","rolling":{}}}`,
			patch: `{"strategy":{"$retainKeys":["type"],"type":"Recreate","rolling":null}}`,
			want:  `{"strategy":{"type":"Recreate"}}`,
		},
		{
			name: "booleans", doc: `{"finalizers":[true]}`, patch: `{"finalizers":[false,true]}`,
			want: `{"finalizers":[false,true]}`,
		},
		{
			name: "objects are not deleted as scalars", doc: `{"containers":[{"name":"a"}]}`,
			patch: `{"$deleteFromPrimitiveList/containers":[{"name":"a"}]}`, want: `{"containers":[{"name":"a"}]}`,
		},
		{
			name: "an element that is new, twice", doc: `{"containers":[{"name":"a"}]}`,
			patch: `{"containers":[{"name":"b","x":1},{"name":"b","y":2}]}`,
			want:  `{"containers":[{"name":"b","x":1,"y":2},{"name":"a"}]}`,
		},
		{
			name: "delete an object that is a scalar", doc: `{"labels":"a"}`, patch: `{"labels":{"$patch":"delete"}}`,
			want: `{}`,
		},
		{
			name: "an object that is new, with nulls and directives", doc: `{}`,
			patch: `{"labels":{"a":null,"b":"1","c":{"$patch":"delete"},"$retainKeys":["b"]}}`,
			want:  `{"labels":{"b":"1"}}`,
		},
		{
			name: "a list that is new, with directives", doc: `{}`,
			patch: `{"containers":[{"name":"a","x":null},{"$patch":"delete","name":"b"}]}`,
			want:  `{"containers":[{"name":"a"}]}`,
		},
		{
			name: "an element that is new, with directives", doc: `{"containers":[]}`,
			patch: `{"containers":[{"name":"a","$retainKeys":["name"],"x":null}]}`,
			want:  `{"containers":[{"name":"a"}]}`,
		},
		{
			name: "a value of another type", doc: `{"labels":"a"}`, patch: `{"labels":{"b":"1"}}`,
			want: `{"labels":{"b":"1"}}`,
		},
		{
			name: "null for a list that is ordered", doc: `{"containers":null}`,
			patch: `{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a"}]}`,
			want:  `{"containers":[{"name":"a"}]}`,
		},
		{name: "everything goes", doc: `{"labels":{"a":"1"}}`, patch: `{"$patch":"delete"}`, want: `{}`},

		{
			name: "an unknown directive", doc: `{"labels":{}}`, patch: `{"labels":{"$patch":"merge"}}`,
			err: patch.ErrSyntax,
		},
		{
			name: "an unknown directive in a list", doc: `{"containers":[]}`,
			patch: `{"containers":[{"name":"a","$patch":"merge"}]}`, err: patch.ErrSyntax,
		},
		{
			name: "an element without the key", doc: `{"containers":[{"name":"a"}]}`,
			patch: `{"containers":[{"image":"x"}]}`, err: patch.ErrMissing,
		},
		{
			name: "an element of the document without the key", doc: `{"containers":[{"image":"a"}]}`,
			patch: `{"containers":[{"name":"x"}]}`, err: patch.ErrMissing,
		},
		{
			name: "elements of several types", doc: `{"finalizers":["a"]}`, patch: `{"finalizers":[1]}`,
			err: patch.ErrWrongType,
		},
		{
			name: "lists in a list", doc: `{"finalizers":["a"]}`, patch: `{"finalizers":[["a"]]}`,
			err: patch.ErrWrongType,
		},
		{name: "null in a list", doc: `{"finalizers":["a"]}`, patch: `{"finalizers":[null]}`, err: patch.ErrWrongType},
		{
			name: "objects without a merge key", doc: `{"broken":[{"a":1}]}`, patch: `{"broken":[{"a":2}]}`,
			err: patch.ErrWrongType,
		},
		{
			name: "retainKeys that lacks a member", doc: `{"strategy":{}}`,
			patch: `{"strategy":{"$retainKeys":["a"],"b":1}}`, err: patch.ErrSyntax,
		},
		{
			name: "retainKeys that is not a list", doc: `{"strategy":{}}`, patch: `{"strategy":{"$retainKeys":"a"}}`,
			err: patch.ErrSyntax,
		},
		{
			name: "an order that the elements do not have", doc: `{}`,
			patch: `{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[{"name":"b"},{"name":"a"}]}`, err: patch.ErrSyntax,
		},
		{
			name: "an element twice that the order has once", doc: `{}`,
			patch: `{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a"},{"name":"a"}]}`,
			err:   patch.ErrSyntax,
		},
		{
			name: "an order that is not a list", doc: `{}`, patch: `{"$setElementOrder/containers":1}`,
			err: patch.ErrSyntax,
		},
		{
			name: "an order for an object", doc: `{"labels":{}}`, patch: `{"$setElementOrder/labels":["a"]}`,
			err: patch.ErrWrongType,
		},
		{
			name: "a list of deletions that is not a list", doc: `{}`,
			patch: `{"$deleteFromPrimitiveList/finalizers":"a"}`, err: patch.ErrSyntax,
		},
		{name: "a document that is not an object", doc: `[]`, patch: `{}`, err: patch.ErrWrongType},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkWith(t, patch.Strategic, patch.Options{Structure: web}, tt.doc, tt.patch, tt.want, tt.err)
		})
	}
}

// TestStrategicRepeatedKeys checks that of elements with one key the first is merged, in long
// lists, which have an index, as in short ones.
func TestStrategicRepeatedKeys(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 16, 40} {
		var between strings.Builder
		for i := range n {
			fmt.Fprintf(&between, `,{"name":"b%d"}`, i)
		}
		checkWith(t, patch.Strategic, patch.Options{Structure: web},
			`{"containers":[{"name":"a","x":1},{"name":"a","x":2}`+between.String()+`,{"name":"a","x":3}]}`,
			`{"containers":[{"name":"a","y":3}]}`,
			`{"containers":[{"name":"a","x":1,"y":3},{"name":"a","x":2},{"name":"a","x":3}`+between.String()+`]}`, nil)
	}
}

func TestStrategicErrors(t *testing.T) {
	t.Parallel()
	_, err := patch.Parse(patch.Strategic, []byte(`{}`), patch.Options{})
	if e, ok := errors.AsType[*patch.Error](err); !ok || !errors.Is(err, patch.ErrNoStructure) || e.Code() != 415 {
		t.Errorf("without a structure: got %v", err)
	}
	if _, err = patch.Parse(patch.Strategic, []byte(`[]`), patch.Options{Structure: web}); !errors.Is(err,
		patch.ErrSyntax) {
		t.Errorf("an array: got %v", err)
	}
	p, err := patch.Parse(patch.Strategic, []byte(`{"containers":[{"name":"a","ports":[{"port":1},{"name":"x"}]}]}`),
		patch.Options{Structure: web})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Append(nil, []byte(`{"containers":[{"name":"a","ports":[]}]}`))
	want := `patch: strategic merge patch, containers[0].ports[1]: the element lacks "port", by which the elements of this list are told apart`
	if e, ok := errors.AsType[*patch.Error](err); !ok || err.Error() != want || e.Code() != 422 {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestStrategicListErrors checks that a patch of a list that could be misread changes nothing.
func TestStrategicListErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, doc, patch string
		cause            error
		path             string
	}{
		{
			"a deletion of nothing", `{"containers":[{"name":"a"}]}`, `{"containers":[{"$patch":"delete"}]}`,
			patch.ErrMissing, "containers[0]",
		},
		{
			"an element without a key after a deletion", `{"containers":[{"name":"a"}]}`,
			`{"containers":[{"$patch":"delete","name":"a"},{"image":"x"}]}`, patch.ErrMissing, "containers[1]",
		},
		{
			"scalars among objects", `{"finalizers":[{"x":1}]}`,
			`{"$setElementOrder/finalizers":["a"],"finalizers":["a"]}`, patch.ErrWrongType,
			"$setElementOrder/finalizers",
		},
	} {
		p, err := patch.Parse(patch.Strategic, []byte(tt.patch), patch.Options{Structure: web})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Append(nil, []byte(tt.doc))
		e, ok := errors.AsType[*patch.Error](err)
		if !ok || !errors.Is(err, tt.cause) || e.Path != tt.path || got != nil {
			t.Errorf("%s: got %s, %v", tt.name, got, err)
		}
	}
}

// TestStrategicLongNames checks that errors do not repeat long names.
func TestStrategicLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct{ doc, patch string }{
		{`{}`, `{"labels":{"$retainKeys":[],"` + long + `":1}}`},
		{`{}`, `{"labels":{"$setElementOrder/` + long + `":[],"` + long + `":1}}`},
		{`{"labels":{"` + long + `":1}}`, `{"labels":{"$setElementOrder/` + long + `":[]}}`},
	} {
		p, err := patch.Parse(patch.Strategic, []byte(tt.patch), patch.Options{Structure: web})
		if err != nil {
			t.Fatal(err)
		}
		doc := strings.Replace(tt.doc, "{}", `{"labels":{"y":1}}`, 1)
		if _, err = p.Append(nil, []byte(doc)); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.30s: got %.1000v", tt.patch, err)
		}
	}
}

func TestHostileStrategic(t *testing.T) {
	t.Parallel()
	var doc, change []string
	for i := range 30_000 {
		doc = append(doc, `{"name":"d`+strconv.Itoa(i)+`"}`)
		change = append(change, `{"name":"d`+strconv.Itoa(29_999-i)+`","$patch":"delete"}`)
	}
	o := patch.Options{Structure: web}
	p, err := patch.Parse(patch.Strategic, []byte(`{"containers":[`+strings.Join(change, ",")+`]}`), o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Append(nil, []byte(`{"containers":[`+strings.Join(doc, ",")+`]}`))
	if string(got) != `{"containers":[]}` || err != nil {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	o.Limits.Work = 1000
	if p, err = patch.Parse(patch.Strategic, []byte(`{"containers":[{"name":"a"}]}`), o); err != nil {
		t.Fatal(err)
	}
	if _, err = p.Append(nil, []byte(`{"containers":[`+strings.Join(doc, ",")+`]}`)); !errors.Is(err, schema.ErrLimit) {
		t.Errorf("beyond the limit of work: %v", err)
	}
}

func TestThreeWay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, original, modified, current, strategic, merge string }{
		{"nothing to do", `{"a":1}`, `{"a":1}`, `{"a":1,"status":2}`, `{}`, `{}`},
		{"the first time", ``, `{"a":1,"b":null}`, `{"a":2}`, `{"a":1,"b":null}`, `{"a":1,"b":null}`},
		{
			"null again", `{"a":null,"b":null,"c":1}`, `{"a":null,"c":null}`, `{"a":1,"b":2,"c":3}`,
			`{"a":null,"b":null,"c":null}`, `{"b":null,"c":null}`,
		},
		{
			"what is no longer there", `{"labels":{"a":"1","b":"2"}}`, `{"labels":{"a":"1"}}`,
			`{"labels":{"a":"1","b":"2","c":"3"}}`, `{"labels":{"b":null}}`, `{"labels":{"b":null}}`,
		},
		{
			"what others have set stays", `{"labels":{"a":"1"}}`, `{"labels":{"a":"2"}}`,
			`{"labels":{"a":"1","c":"3"},"x":1}`, `{"labels":{"a":"2"}}`, `{"labels":{"a":"2"}}`,
		},
		{
			"elements", `{"containers":[{"name":"a"},{"name":"b"}]}`, `{"containers":[{"name":"a","image":"2"}]}`,
			`{"containers":[{"name":"a","image":"1"},{"name":"b"},{"name":"sidecar"}]}`,
			`{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"image":"2","name":"a"},{"$patch":"delete","name":"b"}]}`, `{"containers":[{"name":"a","image":"2"}]}`,
		},
		{
			"scalars", `{"finalizers":["a","b"]}`, `{"finalizers":["a","c"]}`, `{"finalizers":["a","b","x"]}`,
			`{"$deleteFromPrimitiveList/finalizers":["b"],"$setElementOrder/finalizers":["a","c"],"finalizers":["c"]}`,
			`{"finalizers":["a","c"]}`,
		},
		{
			"members that are not retained", `{"strategy":{"type":"a"}}`, `{"strategy":{"type":"b"}}`,
			`{"strategy":{"type":"a","x":1}}`, `{"strategy":{"$retainKeys":["type"],"type":"b"}}`,
			`{"strategy":{"type":"b"}}`,
		},
		{
			"only members that are not retained", `{"strategy":{"type":"a"}}`, `{"strategy":{"type":"a"}}`,
			`{"strategy":{"type":"a","x":1}}`, `{"strategy":{"$retainKeys":["type"]}}`, `{}`,
		},
		{
			"null is not retained", `{"strategy":{"type":"a"}}`, `{"strategy":{"type":"b","x":null}}`,
			`{"strategy":{"type":"a"}}`, `{"strategy":{"$retainKeys":["type"],"type":"b","x":null}}`,
			`{"strategy":{"type":"b","x":null}}`,
		},
		{
			"null need not be removed", `{"strategy":{"type":"a"}}`, `{"strategy":{"type":"a"}}`,
			`{"strategy":{"type":"a","x":null}}`, `{}`, `{}`,
		},
		{
			"the first elements", ``, `{"finalizers":["a"]}`, `{"finalizers":[]}`, `{"finalizers":["a"]}`,
			`{"finalizers":["a"]}`,
		},
		{
			"an element that was repeated", `{"finalizers":["a","b","b"]}`, `{"finalizers":["a"]}`,
			`{"finalizers":["a","b"]}`, `{"$deleteFromPrimitiveList/finalizers":["b"],"$setElementOrder/finalizers":["a"]}`,
			`{"finalizers":["a"]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for typ, want := range map[patch.Type]string{patch.Strategic: tt.strategic, patch.Merge: tt.merge} {
				got, err := patch.ThreeWay(typ, []byte(tt.original), []byte(tt.modified), []byte(tt.current),
					patch.Options{Structure: web})
				if string(got) != want || err != nil {
					t.Errorf("%v:\n got %s, %v\nwant %s", typ, got, err, want)
				}
			}
		})
	}
	if _, err := patch.ThreeWay(patch.Strategic, nil, []byte(`{"finalizers":["a"]}`), []byte(`{"finalizers":[1]}`),
		patch.Options{Structure: web}); !errors.Is(err, patch.ErrWrongType) {
		t.Errorf("elements of several types: got %v", err)
	}
	if _, err := patch.ThreeWay(patch.JSON, nil, []byte(`{}`), []byte(`{}`), patch.Options{}); !errors.Is(err,
		patch.ErrType) {
		t.Errorf("got %v", err)
	}
	if _, err := patch.ThreeWay(patch.Strategic, nil, []byte(`{}`), []byte(`{}`), patch.Options{}); !errors.Is(err,
		patch.ErrNoStructure) {
		t.Errorf("got %v", err)
	}
}

func ExampleThreeWay() {
	container := &structure.Type{Kind: structure.Struct}
	kind := &structure.Type{Kind: structure.Struct, Fields: []structure.Field{
		{
			Name: "containers", Type: &structure.Type{Kind: structure.List, Elem: container}, Merge: true,
			MergeKey: "name",
		},
	}}
	change, err := patch.ThreeWay(patch.Strategic,
		[]byte(`{"labels":{"app":"web","old":"yes"},"containers":[{"name":"web","image":"web:1"}]}`),
		[]byte(`{"labels":{"app":"web"},"containers":[{"name":"web","image":"web:2"}]}`),
		[]byte(`{"labels":{"app":"web","old":"yes","team":"blue"},"containers":[{"name":"web","image":"web:1"}]}`),
		patch.Options{Structure: kind})
	fmt.Println(string(change), err)
	// Output: {"$setElementOrder/containers":[{"name":"web"}],"containers":[{"image":"web:2","name":"web"}],"labels":{"old":null}} <nil>
}

// TestStrategicConcurrently applies one patch in several goroutines. It orders elements with many
// members, which are looked up by name.
func TestStrategicConcurrently(t *testing.T) {
	t.Parallel()
	members := `"name":"a"`
	for i := range 100 {
		members += fmt.Sprintf(`,"m%d":%d`, i, i)
	}
	p, err := patch.Parse(patch.Strategic, []byte(
		`{"$setElementOrder/containers":[{"name":"a"}],"containers":[{`+members+`}]}`), patch.Options{Structure: web})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			got, err := p.Append(nil, []byte(`{"containers":[{"name":"a"}]}`))
			if want := `{"containers":[{` + members + `}]}`; err != nil || string(got) != want {
				t.Errorf("got %.100s, %v", got, err)
			}
		})
	}
	all.Wait()
}
