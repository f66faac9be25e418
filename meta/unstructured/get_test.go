package unstructured_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

const machine = `{
	"apiVersion": "fleet.example.com/v1", "kind": "Machine",
	"metadata": {"name": "web-1", "labels": {"app": "web", "app.kubernetes.io/part-of": "shop"}},
	"spec": {
		"cores": 16, "memory": 68719476736.0, "load": 0.25, "serial": 18446744073709551615, "paused": false, "owner": null, "half": 9223372036854775808, "negative": -1,
		"disks": [{"name": "root", "tags": ["a", "b"]}, {"name": "data", "tags": ["a", 1]}]
	}
}`

func TestGetters(t *testing.T) {
	t.Parallel()
	o := parse(t, machine)
	type got struct {
		value any
		found bool
		err   error
	}
	get := func(v any, found bool, err error) got { return got{v, found, err} }
	text := func(path ...string) got { v, found, err := o.String(path...); return get(v, found, err) }
	boolean := func(path ...string) got { v, found, err := o.Bool(path...); return get(v, found, err) }
	integer := func(path ...string) got { v, found, err := o.Int64(path...); return get(v, found, err) }
	unsigned := func(path ...string) got { v, found, err := o.Uint64(path...); return get(v, found, err) }
	float := func(path ...string) got { v, found, err := o.Float64(path...); return get(v, found, err) }
	list := func(path ...string) got { v, found, err := o.Strings(path...); return get(v, found, err) }
	dict := func(path ...string) got { v, found, err := o.StringMap(path...); return get(v, found, err) }
	for _, c := range []struct {
		name  string
		got   got
		value any
		found bool
		err   string
	}{
		{"string", text("metadata", "name"), "web-1", true, ""},
		{"key with dots", text("metadata", "labels", "app.kubernetes.io/part-of"), "shop", true, ""},
		{"element", text("spec", "disks", "1", "name"), "data", true, ""},
		{"missing", text("spec", "image", "name"), "", false, ""},
		{"beyond the array", text("spec", "disks", "2", "name"), "", false, ""},
		{"null", text("spec", "owner"), "", false, ""},
		{"below null", text("spec", "owner", "name"), "", false, ""},
		{
			"not a string", text("spec", "cores"), "", false,
			"unstructured: spec.cores: expected a string, found an integer",
		},
		{
			"below a string", text("metadata", "name", "first"), "", false,
			`unstructured: metadata.name: expected an object with "first", found a string`,
		},
		{
			"name in an array", text("spec", "disks", "root", "name"), "", false,
			`unstructured: spec.disks: expected an object with "root", found an array`,
		},
		{
			"leading zero", text("spec", "disks", "01"), "", false,
			`unstructured: spec.disks: expected an object with "01", found an array`,
		},
		{
			"path with index and key", text("spec", "disks", "0", "name", "a/b", "c"), "", false,
			`unstructured: spec.disks[0].name: expected an object with "a/b", found a string`,
		},
		{"boolean", boolean("spec", "paused"), false, true, ""},
		{
			"not a boolean", boolean("spec", "disks"), false, false,
			"unstructured: spec.disks: expected a boolean, found an array",
		},
		{"integer", integer("spec", "cores"), int64(16), true, ""},
		{"integral float", integer("spec", "memory"), int64(68719476736), true, ""},
		{
			"fraction", integer("spec", "load"), int64(0), false,
			"unstructured: spec.load: expected an integer, found a number",
		},
		{
			"too large", integer("spec", "serial"), int64(0), false,
			"unstructured: spec.serial: number 18446744073709551615 is out of range for int64",
		},
		{"unsigned", unsigned("spec", "serial"), uint64(18446744073709551615), true, ""},
		{"unsigned from a float", unsigned("spec", "memory"), uint64(68719476736), true, ""},
		{
			"negative", unsigned("spec", "negative"), uint64(0), false,
			"unstructured: spec.negative: number -1 is out of range for uint64",
		},
		{"float", float("spec", "load"), 0.25, true, ""},
		{"float from an integer", float("spec", "cores"), 16.0, true, ""},
		{
			"inexact", float("spec", "serial"), 0.0, false,
			"unstructured: spec.serial: number 18446744073709551615 is out of range for float64",
		},
		{"largest float that is an integer", float("spec", "half"), 9223372036854775808.0, true, ""},
		{"not a number", float("metadata"), 0.0, false, "unstructured: metadata: expected a number, found an object"},
		{"strings", list("spec", "disks", "0", "tags"), []string{"a", "b"}, true, ""},
		{
			"mixed", list("spec", "disks", "1", "tags"), []string(nil), false,
			"unstructured: spec.disks[1].tags[1]: expected a string, found an integer",
		},
		{
			"map", dict("metadata", "labels"),
			map[string]string{"app": "web", "app.kubernetes.io/part-of": "shop"},
			true,
			"",
		},
		{
			"mixed map", dict("metadata"), map[string]string(nil), false,
			"unstructured: metadata.labels: expected a string, found an object",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !reflect.DeepEqual(c.got.value, c.value) || c.got.found != c.found {
				t.Errorf("got %#v, %v, want %#v, %v", c.got.value, c.got.found, c.value, c.found)
			}
			switch {
			case c.err == "" && c.got.err != nil:
				t.Error(c.got.err)
			case c.err != "" && (c.got.err == nil || c.got.err.Error() != c.err):
				t.Errorf("got  %v\nwant %s", c.got.err, c.err)
			case c.err != "" && !errors.Is(c.got.err, runtime.ErrWrongType) &&
				!errors.Is(c.got.err, runtime.ErrOutOfRange):
				t.Errorf("the cause of %v is unknown", c.got.err)
			}
		})
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	o := parse(t, machine)
	v, found, err := o.Get("spec", "owner")
	if v.Type() != unstructured.TypeNull || !found || err != nil {
		t.Errorf("null: got %v, %v, %v", v, found, err)
	}
	v, found, err = o.Get()
	if v.Type() != unstructured.TypeObject || !found || err != nil {
		t.Errorf("the object itself: got %v, %v, %v", v, found, err)
	}
	if o.Has("spec", "owner") || !o.Has("spec", "cores") || o.Has("spec", "cores", "x") {
		t.Error("Has is wrong")
	}
	p, err := schema.ParsePath("spec.disks[1].name")
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err := o.String(unstructured.Steps(p)...); s != "data" || err != nil {
		t.Errorf("by path: got %q, %v", s, err)
	}
	if n := o.Len("spec", "disks"); n != 2 {
		t.Errorf("got %d disks", n)
	}
	if n := o.Len("metadata", "name"); n != 0 {
		t.Errorf("a string has %d elements", n)
	}
}

func TestIteration(t *testing.T) {
	t.Parallel()
	o := parse(t, machine)
	var names []string
	for name := range o.All() {
		names = append(names, name)
	}
	if want := []string{"apiVersion", "kind", "metadata", "spec"}; !slices.Equal(names, want) {
		t.Errorf("got %v", names)
	}
	members, err := o.Members("metadata", "labels")
	if err != nil {
		t.Fatal(err)
	}
	if got := maps.Collect(members); len(got) != 2 || fmt.Sprint(got["app"]) != `"web"` {
		t.Errorf("got %v", got)
	}
	disks, err := o.Elements("spec", "disks")
	if err != nil {
		t.Fatal(err)
	}
	for i, disk := range disks {
		if _, _, err := disk.Strings("tags"); (err != nil) != (i == 1) {
			t.Errorf("disk %d: %v", i, err)
		}
		if i == 0 {
			break
		}
	}
	if none, err := o.Elements("spec", "owner"); err != nil || len(maps.Collect(none)) != 0 {
		t.Error("null has elements")
	}
	if _, err := o.Elements("spec"); !errors.Is(err, runtime.ErrWrongType) {
		t.Errorf("got %v", err)
	}
	if none, err := o.Members("spec", "disks"); !errors.Is(err, runtime.ErrWrongType) || len(maps.Collect(none)) != 0 {
		t.Errorf("got %v", err)
	}
}
