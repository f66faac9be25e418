package patches_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/askind/askind/patch"
	"github.com/askind/askind/patch/structure"
)

// thing has a field of each sort that strategic merge patches know.
type thing struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Items  []item            `json:"items" patchStrategy:"merge" patchMergeKey:"name"`
	Words  []string          `json:"words" patchStrategy:"merge"`
	Plain  []item            `json:"plain"`
	Keep   *item             `json:"keep" patchStrategy:"retainKeys"`
	Whole  *item             `json:"whole" patchStrategy:"replace"`
	Sub    *item             `json:"sub"`
	Kept   []item            `json:"kept" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
}

type item struct {
	Name   string            `json:"name"`
	Value  int               `json:"value"`
	Ports  []port            `json:"ports" patchStrategy:"merge" patchMergeKey:"port"`
	Words  []string          `json:"words" patchStrategy:"merge"`
	Labels map[string]string `json:"labels"`
	Sub    *item             `json:"sub"`
}

type port struct {
	Port int    `json:"port"`
	Name string `json:"name"`
}

func (r picker) words() []any {
	var out []any
	for _, w := range r.Perm(5)[:r.IntN(4)] {
		out = append(out, string(rune('a'+w)))
	}
	return out
}

func (r picker) labels() map[string]any {
	m := map[string]any{}
	for range r.IntN(3) {
		m[pick(r, "x", "y", "z")] = pick(r, "1", "2")
	}
	return m
}

func (r picker) ports() []any {
	var out []any
	for _, p := range r.Perm(4)[:r.IntN(3)] {
		out = append(out, map[string]any{"port": 80 + p, "name": pick(r, "http", "web")})
	}
	return out
}

// some deletes half of the members of an object, except for its name.
func (r picker) some(m map[string]any) map[string]any {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name != "name" && r.IntN(2) == 0 {
			delete(m, name)
		}
	}
	return m
}

func (r picker) item(name string, depth int) map[string]any {
	m := map[string]any{"name": name, "value": r.IntN(3), "ports": r.ports(), "words": r.words(), "labels": r.labels()}
	if depth > 0 {
		m["sub"] = r.item(pick(r, "p", "q"), depth-1)
	}
	return r.some(m)
}

func (r picker) items(depth int) []any {
	var out []any
	for _, i := range r.Perm(5)[:r.IntN(4)] {
		out = append(out, r.item(string(rune('k'+i)), depth))
	}
	return out
}

func (r picker) thing() map[string]any {
	return r.some(map[string]any{
		"name": pick(r, "t", "u"), "labels": r.labels(), "items": r.items(1), "words": r.words(), "plain": r.items(0),
		"keep":  r.item("keep", 1),
		"whole": r.item("whole", 1), "sub": r.item("sub", 1), "kept": r.items(0),
	})
}

// direct puts directives and nulls into a patch.
func (r picker) direct(patch map[string]any, inList bool) {
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		switch v := patch[name].(type) {
		case map[string]any:
			r.direct(v, false)
		case []any:
			for _, e := range v {
				if m, ok := e.(map[string]any); ok {
					r.direct(m, true)
				}
			}
			if name == "words" && r.IntN(3) == 0 {
				patch["$deleteFromPrimitiveList/words"] = r.others(v)
			}
			if (name == "words" || name == "items" || name == "ports") && r.IntN(3) == 0 && len(v) > 0 {
				patch["$setElementOrder/"+name] = r.order(v, name)
			}
			if name == "items" && r.IntN(4) == 0 {
				patch[name] = append(v, map[string]any{"$patch": "delete", "name": pick(r, "k", "l", "m", "z")})
			}
			if name == "items" && r.IntN(12) == 0 {
				patch[name] = append(v, map[string]any{"$patch": "replace"})
			}
		}
		if r.IntN(10) == 0 && name != "port" && !(inList && name == "name") {
			patch[name] = nil
		}
	}
	switch {
	case inList:
	case r.IntN(20) == 0:
		patch["$patch"] = pick(r, "replace", "delete")
	case r.IntN(8) == 0:
		var keep []any
		for _, name := range slices.Sorted(maps.Keys(patch)) {
			if patch[name] != nil && !strings.HasPrefix(name, "$") {
				keep = append(keep, name)
			}
		}
		patch["$retainKeys"] = append(keep, "value")
	}
}

// others returns words that a list does not have.
func (r picker) others(list []any) []any {
	out := []any{}
	for _, w := range []any{"a", "b", "c", "d", "e"} {
		if !slices.Contains(list, w) && r.IntN(2) == 0 {
			out = append(out, w)
		}
	}
	return out
}

// order returns an order for the elements of a list and further ones.
func (r picker) order(list []any, name string) []any {
	out := []any{}
	for _, e := range list {
		m, ok := e.(map[string]any)
		switch {
		case !ok:
			out = append(out, e)
		case name == "ports":
			out = append(out, map[string]any{"port": m["port"]})
		default:
			out = append(out, map[string]any{"name": m["name"]})
		}
	}
	return out
}

func TestStrategicMergePatchAsApimachinery(t *testing.T) {
	t.Parallel()
	r := newPicker(3)
	of := tagged(reflect.TypeFor[thing](), map[reflect.Type]*structure.Type{})
	applied := 0
	for range *cases {
		before, change := encode(r.thing()), r.thing()
		r.direct(change, false)
		text := encode(change)
		want, wantErr := safely(func() ([]byte, error) {
			return strategicpatch.StrategicMergePatch(before, text,
				thing{})
		})
		if wantErr != nil {
			continue // an empty list with an order is an error there; docs/patches.md
		}
		if strings.Contains(string(want), `"$patch"`) {
			continue // directives stay in elements that are added to a list; docs/patches.md
		}
		p, err := patch.Parse(patch.Strategic, text, patch.Options{Structure: of})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Append(nil, before)
		if err != nil || !agree(t, got, want, text) {
			t.Fatalf("%s\nby %s:\n got %s, %v\nwant %s", before, text, got, err, want)
		}
		applied++
	}
	if applied < *cases/2 {
		t.Errorf("only %d of %d patches applied", applied, *cases)
	}
}

// agree reports whether two results are the same. The order of a list counts unless the patch
// deletes elements: then apimachinery overwrites the list that it takes the order from, see
// docs/patches.md.
func agree(t *testing.T, a, b, change []byte) bool {
	if same(t, clean(a), clean(b)) {
		return true
	}
	if !strings.Contains(string(change), `"$patch":"delete"`) {
		return false
	}
	return reflect.DeepEqual(unordered(clean(a)), unordered(clean(b)))
}

// unordered returns a document with its lists in an order of their own.
func unordered(text []byte) any {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	var sorted func(v any) any
	sorted = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, x := range v {
				v[name] = sorted(x)
			}
		case []any:
			for i := range v {
				v[i] = sorted(v[i])
			}
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(string(encode(a)), string(encode(b))) })
		}
		return v
	}
	return sorted(v)
}

// clean leaves out the directives that apimachinery leaves in what a patch adds, and empty lists,
// which have no meaning in a typed object.
func clean(text []byte) []byte {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	return encode(cleaned(v))
}

func cleaned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if strings.HasPrefix(name, "$") || x == nil {
				delete(v, name)
				continue
			}
			v[name] = cleaned(x)
		}
	case []any:
		for i := range v {
			v[i] = cleaned(v[i])
		}
	}
	return v
}

// TestThreeWayAsKubectl compares what patches do, not their texts.
func TestThreeWayAsKubectl(t *testing.T) {
	t.Parallel()
	r := newPicker(4)
	known := map[reflect.Type]*structure.Type{}
	of := tagged(reflect.TypeFor[thing](), known)
	meta, err := strategicpatch.NewPatchMetaFromStruct(thing{})
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for range *cases {
		original, modified, current := encode(r.thing()), encode(r.thing()), encode(r.thing())
		change, wantErr := safely(func() ([]byte, error) {
			return strategicpatch.CreateThreeWayMergePatch(original, modified, current, meta, true)
		})
		var want []byte
		if wantErr == nil {
			want, wantErr = safely(func() ([]byte, error) {
				return strategicpatch.StrategicMergePatch(current, change,
					thing{})
			})
		}
		if wantErr != nil || strings.Contains(string(want), `"$patch"`) {
			continue
		}
		o := patch.Options{Structure: of}
		ours, err := patch.ThreeWay(patch.Strategic, original, modified, current, o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := patch.Parse(patch.Strategic, ours, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Append(nil, current)
		if strings.Contains(string(ours), "$setElementOrder/words") &&
			reflect.DeepEqual(unordered(clean(got)), unordered(clean(want))) {
			continue // apimachinery does not see that a list of scalars has another order; docs/patches.md
		}
		if err != nil || !agree(t, got, want, change) {
			t.Fatalf("original %s\nmodified %s\n current %s\nours %s\ntheirs %s\n got %s, %v\nwant %s", original,
				modified, current, ours, change, got, err, want)
		}
		theirs, err := strategicpatch.StrategicMergePatch(current, ours, thing{})
		if err != nil || !agree(t, theirs, want, change) {
			t.Fatalf("our patch %s by apimachinery: %s, %v\nwant %s", ours, theirs, err, want)
		}
		compared++
	}
	if compared < *cases/2 {
		t.Errorf("only %d of %d documents compared", compared, *cases)
	}
}
