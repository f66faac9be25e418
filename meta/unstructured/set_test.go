package unstructured_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

func TestSet(t *testing.T) {
	t.Parallel()
	other := parse(t, `{"x":{"y":[1]}}`)
	part, _, _ := other.Get("x")
	type path = []string
	for _, c := range []struct {
		name  string
		in    string
		value any
		path  path
		want  string
		err   string
	}{
		{"new member", `{"b":1}`, "x", path{"a"}, `{"a":"x","b":1}`, ""},
		{"replaced", `{"a":1}`, true, path{"a"}, `{"a":true}`, ""},
		{"missing objects", `{}`, 1, path{"spec", "a", "b"}, `{"spec":{"a":{"b":1}}}`, ""},
		{"null on the way", `{"spec":null}`, 1, path{"spec", "a"}, `{"spec":{"a":1}}`, ""},
		{"element", `{"a":[1,2]}`, 3, path{"a", "1"}, `{"a":[1,3]}`, ""},
		{"appended", `{"a":[1]}`, 2, path{"a", "-"}, `{"a":[1,2]}`, ""},
		{"appended by index", `{"a":[1]}`, 2, path{"a", "1"}, `{"a":[1,2]}`, ""},
		{"missing array", `{}`, 1, path{"a", "-", "b"}, `{"a":[{"b":1}]}`, ""},
		{
			"beyond", `{"a":[1]}`, 2,
			path{"a", "2"},
			`{"a":[1]}`,
			"unstructured: a: index 2 is out of range of the array, which has 1 elements",
		},
		{
			"name in an array", `{"a":[1]}`, 2,
			path{"a", "b"},
			`{"a":[1]}`,
			`unstructured: a: expected an object with "b", found an array`,
		},
		{
			"below a string", `{"a":"s"}`, 2,
			path{"a", "b", "c"},
			`{"a":"s"}`,
			`unstructured: a: expected an object with "b", found a string`,
		},
		{"all", `{"a":1}`, map[string]any{"b": 1}, nil, `{"b":1}`, ""},
		{"all but no object", `{"a":1}`, []any{}, nil, `{"a":1}`, `unstructured: expected an object, found an array`},
		{
			"kind", `{"kind":"A"}`, 1,
			path{"kind"},
			`{"kind":"A"}`,
			`unstructured: kind: expected a string, found an integer`,
		},
		{"kind below", `{}`, map[string]any{"kind": 1}, path{"spec"}, `{"spec":{"kind":1}}`, ""},
		{"map", `{}`, map[string]string{"b": "2", "a": "1"}, path{"a"}, `{"a":{"a":"1","b":"2"}}`, ""},
		{"nil map", `{}`, map[string]any(nil), path{"a"}, `{"a":null}`, ""},
		{
			"slices", `{}`,
			[]any{[]string{"a"}, []map[string]any{{}}, []any(nil)},
			path{"a"},
			`{"a":[["a"],[{}],null]}`, "",
		},
		{
			"numbers", `{}`,
			[]any{
				int8(-1), int16(2), int32(3), int64(4), 5, uint8(6), uint16(7), uint32(8),
				uint64(math.MaxUint64), uint(9), float32(0.5), 0.1, json.Number("1e2"),
			},
			path{"a"},
			`{"a":[-1,2,3,4,5,6,7,8,18446744073709551615,9,0.5,0.1,100]}`, "",
		},
		{
			"marshalers", `{}`,
			[]any{json.RawMessage(`{"b":[1]}`), metav1.Duration{Duration: time.Minute}, struct{}{}},
			path{"a"},
			`{}`, "unstructured: a[2]: a struct {} has no JSON: cannot write a value of type struct {}",
		},
		{"duration", `{}`, metav1.Duration{Duration: time.Minute}, path{"a"}, `{"a":"1m0s"}`, ""},
		{"raw", `{}`, json.RawMessage(`{"b":[1,"\u0061"]}`), path{"a"}, `{"a":{"b":[1,"a"]}}`, ""},
		{"value", `{}`, part, path{"a"}, `{"a":{"y":[1]}}`, ""},
		{"object", `{}`, other, path{"a"}, `{"a":{"x":{"y":[1]}}}`, ""},
		{"object value", `{}`, *other, path{"a"}, `{"a":{"x":{"y":[1]}}}`, ""},
		{"nil object", `{}`, (*unstructured.Object)(nil), path{"a"}, `{"a":null}`, ""},
		{"infinity", `{}`, math.Inf(1), path{"a", "b"}, `{}`, "unstructured: a.b: JSON has no number +Inf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := parse(t, c.in)
			err := o.Set(c.value, c.path...)
			if got := fmt.Sprint(o); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			switch {
			case err == nil && c.err != "", err != nil && err.Error() != c.err:
				t.Errorf("got error %v, want %s", err, c.err)
			}
		})
	}
}

func TestSetCopies(t *testing.T) {
	t.Parallel()
	m := map[string]any{"a": []any{"b"}}
	o := parse(t, `{}`)
	if err := o.Set(m, "x"); err != nil {
		t.Fatal(err)
	}
	m["a"].([]any)[0] = "changed"
	part, _, _ := o.Get("x")
	if err := o.Set(part, "y"); err != nil {
		t.Fatal(err)
	}
	if err := o.Set("c", "x", "a", "0"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(o); got != `{"x":{"a":["c"]},"y":{"a":["b"]}}` {
		t.Errorf("got %s", got)
	}
	// An object can be put into itself.
	if err := o.Set(o, "x"); err != nil || fmt.Sprint(o) != `{"x":{"x":{"a":["c"]},"y":{"a":["b"]}},"y":{"a":["b"]}}` {
		t.Errorf("got %v, %v", o, err)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		path  []string
		want  string
		found bool
		err   error
	}{
		{"member", []string{"a"}, `{"b":[1,{"c":2},3],"d":null}`, true, nil},
		{"element", []string{"b", "1"}, `{"a":"s","b":[1,3],"d":null}`, true, nil},
		{"below", []string{"b", "1", "c"}, `{"a":"s","b":[1,{},3],"d":null}`, true, nil},
		{"missing", []string{"x", "y"}, `{"a":"s","b":[1,{"c":2},3],"d":null}`, false, nil},
		{"below null", []string{"d", "y"}, `{"a":"s","b":[1,{"c":2},3],"d":null}`, false, nil},
		{"beyond", []string{"b", "3"}, `{"a":"s","b":[1,{"c":2},3],"d":null}`, false, nil},
		{"below a string", []string{"a", "y"}, `{"a":"s","b":[1,{"c":2},3],"d":null}`, false, runtime.ErrWrongType},
		{"name in an array", []string{"b", "y"}, `{"a":"s","b":[1,{"c":2},3],"d":null}`, false, runtime.ErrWrongType},
		{"all", nil, `{}`, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := parse(t, `{"a":"s","b":[1,{"c":2},3],"d":null}`)
			before, _, _ := o.Get()
			found, err := o.Delete(c.path...)
			if found != c.found || !errors.Is(err, c.err) || fmt.Sprint(o) != c.want {
				t.Errorf("got %v, %v, %v", o, found, err)
			}
			if got := before.Len(); got != 3 {
				t.Errorf("the value taken before has %d members", got)
			}
			_ = fmt.Sprint(before) // shows one state or the other, and does not fail
		})
	}
}

// TestRandomChanges makes random changes to an object and to nested maps, which must stay the same.
func TestRandomChanges(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	names := []string{"a", "b", "c", "dd", "ee", "f-long-name-of-a-member", "0", "1"}
	for range 200 {
		o, m := new(unstructured.Object), map[string]any{}
		var kept []unstructured.Value
		for range 60 {
			path := make([]string, 1+random.IntN(4))
			for i := range path {
				path[i] = names[random.IntN(len(names))]
			}
			var value any
			switch random.IntN(5) {
			case 0:
				value = map[string]any{}
			case 1:
				value = []any{"x", map[string]any{"a": int64(1)}}
			case 2:
				value = strconv.Itoa(random.IntN(1000))
			case 3:
				value = int64(random.Int())
			}
			if random.IntN(4) == 0 {
				_, err := o.Delete(path...)
				if ok := remove(m, path); ok == (err != nil) {
					t.Fatalf("delete %q: %v, but in the map %v", path, err, ok)
				}
			} else if err := o.Set(value, path...); (err == nil) != assign(m, path, value) {
				t.Fatalf("set %q: %v, but not in the map", path, err)
			}
			v, _, _ := o.Get(path...)
			kept = append(kept, v)
			if got := o.Map(); !reflect.DeepEqual(got, m) {
				t.Fatalf("after %q: got %v\nwant %v", path, got, m)
			}
		}
		for _, v := range kept {
			_ = fmt.Sprint(v)
		}
		if !o.Clone().Equal(o) {
			t.Fatal("the clone is another object")
		}
	}
}

// assign is Set on nested maps; false if something is in the way.
func assign(at any, path []string, value any) bool {
	clone := func() any { o, _ := unstructured.FromMap(map[string]any{"v": value}); return o.Map()["v"] }
	next := func(old any) (any, bool) {
		if len(path) == 1 {
			return clone(), true
		}
		if old == nil {
			old = map[string]any{}
		}
		if s, ok := old.([]any); ok { // an element may be added, so the slice may be replaced
			i, err := strconv.Atoi(path[1])
			if err == nil && i == len(s) {
				s = append(slices.Clone(s), nil)
				return s, assign(s, path[1:], value)
			}
		}
		return old, assign(old, path[1:], value)
	}
	switch at := at.(type) {
	case map[string]any:
		v, ok := next(at[path[0]])
		if ok {
			at[path[0]] = v
		}
		return ok
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(at) {
			return false
		}
		v, ok := next(at[i])
		if ok {
			at[i] = v
		}
		return ok
	}
	return false
}

// remove is Delete on nested maps; false if something is in the way.
func remove(root map[string]any, path []string) bool {
	var at any = root
	var replace func(any)
	for i, name := range path {
		last := i == len(path)-1
		switch c := at.(type) {
		case nil:
			return true
		case map[string]any:
			if last {
				delete(c, name)
				return true
			}
			at, replace = c[name], func(v any) { c[name] = v }
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil {
				return false
			}
			if n >= len(c) {
				return true
			}
			if last {
				replace(slices.Delete(slices.Clone(c), n, n+1))
				return true
			}
			at, replace = c[n], func(v any) { c[n] = v }
		default:
			return false
		}
	}
	return true
}
