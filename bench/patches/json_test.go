package patches_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"

	"github.com/askind/askind/patch"
)

// value returns a random JSON value.
func (r picker) value(depth int) any {
	n := 9
	if depth == 0 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2, 3:
		return r.IntN(3)
	case 4, 5:
		return pick(r, "", "a", "b/c", "~d", "é<")
	case 6:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = r.value(depth - 1)
		}
		return list
	}
	return r.object(depth)
}

func (r picker) object(depth int) map[string]any {
	m := map[string]any{}
	for range r.IntN(5) {
		m[r.name()] = r.value(depth - 1)
	}
	return m
}

func (r picker) name() string { return pick(r, "a", "b", "c", "d/e", "~f", "0", "1", "-", "-1") }

// path returns a random path, mostly one that exists in a value.
func (r picker) path(v any) string {
	var b strings.Builder
	for r.IntN(6) > 0 {
		switch x := v.(type) {
		case map[string]any:
			name := r.name()
			if len(x) > 0 && r.IntN(4) > 0 {
				name = pick(r, slices.Sorted(maps.Keys(x))...)
			}
			b.WriteString("/" + escape(name))
			v = x[name]
		case []any:
			i := r.IntN(len(x)+2) - 1
			step := strconv.Itoa(i)
			if r.IntN(5) == 0 {
				step = pick(r, "-", "x", "-2", "7")
			}
			b.WriteString("/" + step)
			v = nil
			if i >= 0 && i < len(x) {
				v = x[i]
			}
		default:
			if b.Len() > 0 && r.IntN(4) > 0 {
				return b.String()
			}
			b.WriteString("/" + escape(r.name()))
			v = nil
		}
	}
	return b.String()
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

func TestJSONPatchAsEvanphx(t *testing.T) {
	t.Parallel()
	r := newPicker(1)
	applied := 0
	for range *cases {
		doc := r.object(3)
		var ops []map[string]any
		for range 1 + r.IntN(3) {
			op := map[string]any{"op": pick(r, "add", "remove", "replace", "move", "copy", "test"), "path": r.path(doc)}
			switch op["op"] {
			case "move", "copy":
				op["from"] = r.path(doc)
			case "add", "replace", "test":
				op["value"] = r.value(2)
			}
			ops = append(ops, op)
		}
		before, change := encode(doc), encode(ops)
		theirs, err := jsonpatch.DecodePatch(change)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := safely(func() ([]byte, error) { return theirs.Apply(before) })
		var got []byte
		ours, gotErr := patch.Parse(patch.JSON, change, patch.Options{})
		if gotErr == nil {
			got, gotErr = ours.Append(nil, before)
		}
		switch {
		case wantErr == nil && gotErr == nil:
			applied++
			if !same(t, got, want) {
				t.Fatalf("%s\nby %s:\n got %s\nwant %s", before, change, got, want)
			}
		case (wantErr == nil) != (gotErr == nil) && !knownJSON(ops, gotErr, wantErr):
			t.Fatalf("%s\nby %s:\n got %s, %v\nwant %s, %v", before, change, got, gotErr, want, wantErr)
		}
	}
	if applied < *cases/10 {
		t.Errorf("only %d of %d patches applied", applied, *cases)
	}
}

// safely makes an error of a panic.
func safely(f func() ([]byte, error)) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanic
		}
	}()
	return f()
}

var errPanic = errors.New("panic")

// knownJSON reports whether one of the differences that docs/patches.md names explains that one
// side refuses a patch which the other applies.
func knownJSON(ops []map[string]any, ours, theirs error) bool {
	nullSet, nullCopied := false, false
	for _, op := range ops {
		path, _ := op["path"].(string)
		from, _ := op["from"].(string)
		switch op["op"] {
		case "add", "copy", "replace", "move":
			// The whole document can be added, replaced by any value, copied and moved to.
			if path == "" || op["op"] == "copy" && from == "" {
				return true
			}
		}
		if op["op"] == "copy" || op["op"] == "move" {
			// A member that does not exist cannot be copied; moving a value to where it is changes
			// nothing.
			if errors.Is(ours, patch.ErrMissing) || path == from || strings.HasPrefix(path, from+"/") {
				return true
			}
		}
		// evanphx finds a null that the patch has set unequal to null in a test of what holds it,
		// and takes it for an empty object once it is copied.
		nullCopied = nullCopied || nullSet && op["op"] == "copy"
		if e, ok := errors.AsType[*patch.Error](ours); ok && nullCopied && theirs == nil &&
			errors.Is(e, patch.ErrWrongType) && strings.Contains(e.Message, " is null, ") {
			return true
		}
		value, hasValue := op["value"]
		if hasValue && holdsNull(value) {
			if op["op"] == "test" && nullSet && ours == nil && (nullCopied || value != nil) {
				return true
			}
			nullSet = nullSet || op["op"] != "test" && value == nil
		}
		// A test of null passes through what evanphx takes for missing.
		if op["op"] == "test" && errors.Is(theirs, errPanic) {
			return true
		}
	}
	return errors.Is(theirs, errPanic)
}

// holdsNull reports whether a value is null or has null in it.
func holdsNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(v, holdsNull)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), holdsNull)
	}
	return false
}

func TestMergePatchAsEvanphx(t *testing.T) {
	t.Parallel()
	r := newPicker(2)
	for range *cases {
		before, change := encode(r.object(3)), r.object(3)
		if nullInArray(change) {
			continue // docs/patches.md
		}
		text := encode(change)
		want, err := jsonpatch.MergePatch(before, text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := patch.Parse(patch.Merge, text, patch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Append(nil, before)
		if err != nil || !same(t, got, want) {
			t.Fatalf("%s\nby %s:\n got %s, %v\nwant %s", before, text, got, err, want)
		}
	}
}

// TestThreeWayMergeAsKubectl compares what the patches do that kubectl sends for custom resources.
func TestThreeWayMergeAsKubectl(t *testing.T) {
	t.Parallel()
	r := newPicker(6)
	for range *cases {
		configs := [2]map[string]any{r.object(3), r.object(3)}
		live := cleaned(r.object(3)) // a server stores no nulls
		if nullInArray(configs[1]) {
			continue // docs/patches.md
		}
		original, modified, current := encode(configs[0]), encode(configs[1]), encode(live)
		theirs, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, current)
		if err != nil {
			t.Fatal(err)
		}
		ours, err := patch.ThreeWay(patch.Merge, original, modified, current, patch.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := jsonpatch.MergePatch(current, theirs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jsonpatch.MergePatch(current, ours)
		if err != nil || !same(t, got, want) {
			t.Fatalf("original %s\nmodified %s\n current %s\nours %s\ntheirs %s\n got %s, %v\nwant %s", original,
				modified, current, ours, theirs, got, err, want)
		}
	}
}

// nullInArray reports whether an object in an array has a member that is null.
func nullInArray(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			if nullInArray(x) {
				return true
			}
		}
	case []any:
		text, _ := json.Marshal(v)
		return strings.Contains(string(text), ":null")
	}
	return false
}
