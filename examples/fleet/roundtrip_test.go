package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// sample is an object of the example, under the name of its test.
type sample struct {
	name string
	kind *runtime.Kind
	obj  runtime.Object
}

// authored returns the objects of the files as they were written, each in its own version, with the
// defaults of that.
func authored(t *testing.T, f *serializer.Factory) []sample {
	t.Helper()
	var out []sample
	names, err := fs.Glob(files(t), "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(files(t), name)
		if err != nil {
			t.Fatal(err)
		}
		for obj, err := range f.DecodeAll(data, serializer.DecodeOptions{
			File: name, MediaType: "application/yaml",
			Strictness: serializer.FailOnProblems, Default: true,
		}) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, samplesOf(t, f.Scheme(), obj)...)
		}
	}
	return out
}

// samplesOf returns the object itself or, of a list, the items.
func samplesOf(t *testing.T, scheme *runtime.Scheme, obj runtime.Object) []sample {
	t.Helper()
	kind, err := scheme.KindOf(obj)
	if err != nil {
		t.Fatal(err)
	}
	objects := []runtime.Object{obj}
	if kind.ItemKind() != nil {
		if objects, err = meta.Extract(kind, obj); err != nil {
			t.Fatal(err)
		}
		kind = kind.ItemKind()
	}
	out := make([]sample, len(objects))
	for i, obj := range objects {
		m, err := meta.Accessor(kind, obj)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = sample{
			name: fmt.Sprintf("%s/%s/%s", kind.Name(), kind.GroupVersion().Version, m.Name),
			kind: kind, obj: obj,
		}
	}
	return out
}

// kept returns the objects as they are stored.
func kept(t *testing.T, f *serializer.Factory) []sample {
	t.Helper()
	var out []sample
	for _, in := range authored(t, f) {
		k, err := f.Scheme().StorageVersion(in.kind.GroupVersionKind().GroupKind())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sample{name: in.name, kind: k, obj: convert(t, f.Scheme(), in.obj, k.GroupVersion())})
	}
	return out
}

// targets returns the group versions that an object can be converted to, its own included.
func targets(scheme *runtime.Scheme, k *runtime.Kind) []schema.GroupVersion {
	var out []schema.GroupVersion
	for _, group := range groups {
		for _, gv := range scheme.Versions(group) {
			if scheme.CanConvert(k.GroupVersionKind(), gv) {
				out = append(out, gv)
			}
		}
	}
	return out
}

// TestAuthoredRoundTrip converts every object, from the version that it is written in, to the hub
// and back.
func TestAuthoredRoundTrip(t *testing.T) {
	t.Parallel()
	f := mustFactory(t)
	scheme, converted := f.Scheme(), 0
	for _, in := range authored(t, f) {
		if !scheme.CanConvert(in.kind.GroupVersionKind(), v1.GroupVersion) {
			continue
		}
		converted++
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			hub := convert(t, scheme, in.obj, v1.GroupVersion)
			back := convert(t, scheme, hub, in.kind.GroupVersion())
			equal(t, scheme, in.obj, back, losses(t, scheme, in.kind, v1.GroupVersion))
		})
	}
	if converted < 12 {
		t.Errorf("only %d objects were converted", converted)
	}
}

// TestStoredRoundTrip takes every stored object of the hub's group to every version, from there to
// every version, and back.
func TestStoredRoundTrip(t *testing.T) {
	t.Parallel()
	f := mustFactory(t)
	scheme := f.Scheme()
	for _, in := range kept(t, f) {
		if in.kind.GroupVersion() != v1.GroupVersion {
			continue
		}
		for _, there := range targets(scheme, in.kind) {
			for _, via := range targets(scheme, in.kind) {
				t.Run(fmt.Sprintf("%s/%s/%s", in.name, there, via), func(t *testing.T) {
					t.Parallel()
					first := convert(t, scheme, in.obj, there)
					second := convert(t, scheme, first, via)
					back := convert(t, scheme, second, in.kind.GroupVersion())
					equal(t, scheme, in.obj, back, append(losses(t, scheme, in.kind, there),
						losses(t, scheme, in.kind, via)...))
				})
			}
		}
	}
}

// TestFormatRoundTrip writes every object, in every version, in every format, and reads it again.
func TestFormatRoundTrip(t *testing.T) {
	t.Parallel()
	f := mustFactory(t)
	scheme := f.Scheme()
	for _, in := range kept(t, f) {
		for _, gv := range targets(scheme, in.kind) {
			obj := convert(t, scheme, in.obj, gv)
			for name, o := range map[string]serializer.EncodeOptions{
				"json": {MediaType: "application/json"}, "pretty": {MediaType: "application/json", Pretty: true},
				"yaml": {MediaType: "application/yaml"},
			} {
				t.Run(fmt.Sprintf("%s/%s/%s", in.name, gv, name), func(t *testing.T) {
					t.Parallel()
					text, err := f.Append(nil, obj, o)
					if err != nil {
						t.Fatal(err)
					}
					back, err := f.Decode(text, serializer.DecodeOptions{
						MediaType:  o.MediaType,
						Strictness: serializer.FailOnProblems,
					})
					if err != nil {
						t.Fatalf("%v\n%s", err, text)
					}
					equal(t, scheme, obj, back, nil)
					again, err := f.Append(nil, back, o)
					if err != nil {
						t.Fatal(err)
					}
					if d := cmp.Diff(string(text), string(again)); d != "" {
						t.Errorf("written again (-first +second):\n%s", d)
					}
				})
			}
		}
	}
}

// convert converts, and fails if that changes the object that is converted.
func convert(t *testing.T, scheme *runtime.Scheme, obj runtime.Object, gv schema.GroupVersion) runtime.Object {
	t.Helper()
	before := jsonOf(t, scheme, obj)
	out, err := scheme.ConvertTo(obj, gv)
	if err != nil {
		t.Fatal(err)
	}
	if after := jsonOf(t, scheme, obj); after != before {
		t.Errorf("converting to %s changed the object (-before +after):\n%s", gv, cmp.Diff(before, after))
	}
	return out
}

func losses(t *testing.T, scheme *runtime.Scheme, from *runtime.Kind, to schema.GroupVersion) []conversion.Loss {
	t.Helper()
	out, err := scheme.Losses(from.GroupVersionKind(), to)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func jsonOf(t *testing.T, scheme *runtime.Scheme, obj runtime.Object) string {
	t.Helper()
	kind, err := scheme.KindOf(obj)
	if err != nil {
		t.Fatal(err)
	}
	text, err := kind.AppendJSON(nil, obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// equal compares two objects but for what is declared to be lost.
func equal(t *testing.T, scheme *runtime.Scheme, want, got runtime.Object, lost []conversion.Loss) {
	t.Helper()
	if d := cmp.Diff(tree(t, jsonOf(t, scheme, want), lost), tree(t, jsonOf(t, scheme, got), lost)); d != "" {
		t.Errorf("not the same (-want +got):\n%s", d)
	}
}

// tree parses JSON and takes out what is declared to be lost.
func tree(t *testing.T, text string, lost []conversion.Loss) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	// Those that say "empty and unset become one" come last, when all that is lost below them is
	// out. They do not excuse a value that is neither.
	merges := func(l conversion.Loss) bool { return strings.HasSuffix(l.Reason, "become one") }
	for _, l := range lost {
		if !merges(l) {
			prune(v, splitPath(l.Path), false)
		}
	}
	for _, l := range slices.Backward(lost) { // the inner ones first
		if merges(l) {
			prune(v, splitPath(l.Path), true)
		}
	}
	return v
}

// splitPath returns the steps of a path in a loss, where [*] means all elements of a list or map.
func splitPath(path string) []string {
	return strings.Split(strings.ReplaceAll(path, "[*]", ".[*]"), ".")
}

// prune takes out what is at a path, with the objects around it that become empty; with onlyEmpty,
// just if it is empty itself.
func prune(v any, path []string, onlyEmpty bool) {
	if path[0] == "[*]" {
		switch v := v.(type) {
		case []any:
			for _, elem := range v {
				prune(elem, path[1:], onlyEmpty)
			}
		case map[string]any:
			for _, elem := range v {
				prune(elem, path[1:], onlyEmpty)
			}
		}
		return
	}
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	member, ok := object[path[0]]
	if !ok {
		return
	}
	if len(path) > 1 {
		prune(member, path[1:], onlyEmpty)
	} else if !onlyEmpty {
		delete(object, path[0])
		return
	}
	if isEmpty(member) {
		delete(object, path[0])
	}
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == nil || v == "" || v == 0.0 || v == false
}
