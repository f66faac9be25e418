package unstructured_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/wire/jsonwire"
)

// FuzzObject compares an object with nested maps: it is read if and only if they are, has the same
// content, is written as they are, and is read from that again.
func FuzzObject(f *testing.F) {
	f.Add(rollout(f))
	for _, s := range []string{
		machine, `{}`, `null`, `{"a":1,"a":2}`, `{"b":[1.0,-0,-0.0,1e21,18446744073709551616],"a":"\ud800\u2028<"}`,
		`{"":{"":[[],{}]}}`, ` { "z" : 1 , "y" : [ 2 , "3" ] } `,
		`{"items":[{"metadata":{"name":"a","labels":{"b":"c"}}},1]}`, "{\"a\":\"\xff\"}", `{"a":1e999}`,
		`{"\u0061":1,"a":2}`, `{"k":"a","j":"a","i":"a"}`, `[`, `{"a":tru}`,
		`{"long":"` + string(bytes.Repeat([]byte("x"), 300)) + `"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		plain := jsonwire.NewReader(data, jsonwire.Options{Strict: true})
		var want any
		if plain.Kind() == '{' {
			want = plain.Any()
		} else {
			plain.Object()
		}
		fast := jsonwire.NewReader(data, jsonwire.Options{Strict: true})
		var o unstructured.Object
		unstructured.DecodeJSONObject(fast, &o)
		m, _ := want.(map[string]any)
		if (fast.Err() == nil) != (plain.Err() == nil) {
			t.Fatalf("got %v, want %v", fast.Err(), plain.Err())
		}
		for _, name := range []string{"apiVersion", "kind", "metadata", "items"} {
			if _, ok := m[name]; ok {
				return // values that an object cannot have there are problems, and items of lists get their kind
			}
		}
		if plain.Err() != nil {
			return
		}
		if got, want := fast.Problems(), plain.Problems(); !reflect.DeepEqual(got, want) {
			t.Fatalf("problems %v, want %v", got, want)
		}
		if m == nil {
			m = map[string]any{}
		}
		if got := o.Map(); !reflect.DeepEqual(got, m) {
			t.Fatalf("got %v, want %v", got, m)
		}
		text, err := o.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := json.Marshal(m); err != nil || !bytes.Equal(text, want) {
			t.Fatalf("got %s, want %s, %v", text, want, err)
		}
		var again unstructured.Object
		if err := again.UnmarshalJSON(text); err != nil || !again.Equal(&o) {
			t.Fatalf("%s is read as %v, %v", text, again, err)
		}
		if clone := o.Clone(); !clone.Equal(&o) || !reflect.DeepEqual(clone.Map(), m) {
			t.Fatalf("the clone is %v", clone)
		}
		if back, err := unstructured.FromMap(m); err != nil || !back.Equal(&o) {
			t.Fatalf("the map makes %v, %v", back, err)
		}
	})
}

// FuzzChanges sets and deletes by arbitrary steps and looks whether what was written is there.
func FuzzChanges(f *testing.F) {
	f.Add([]byte(machine), "spec", "disks", "0", "x")
	f.Add([]byte(`{"a":[1,2]}`), "a", "-", "b", "y")
	f.Add([]byte(`{}`), "metadata", "labels", "a/b", "z")
	f.Fuzz(func(t *testing.T, data []byte, a, b, c, value string) {
		var o unstructured.Object
		if o.UnmarshalJSON(data) != nil {
			return
		}
		path := []string{a, b, c}
		before := o.Clone()
		if err := o.Set(value, path...); err != nil {
			if !o.Equal(before) {
				t.Fatalf("a failed Set has changed %v to %v", before, &o)
			}
			return
		}
		if a == "-" || b == "-" || c == "-" {
			return
		}
		if got, found, err := o.String(path...); got != value || !found || err != nil {
			t.Fatalf("got %q, %v, %v", got, found, err)
		}
		if found, err := o.Delete(path...); !found || err != nil {
			t.Fatalf("deleted: %v, %v", found, err)
		}
		if !o.Clone().Equal(&o) {
			t.Fatal("the clone is another object")
		}
	})
}
