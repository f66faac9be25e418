package shapes_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
)

// TestJSON holds JSON equal to encoding/json: what is written, and what becomes of it when it is read.
func TestJSON(t *testing.T) {
	t.Parallel()
	for kind := range kindsOf(t) {
		eachCell(t, kind.New, func(t *testing.T, rnd *rand.Rand, obj any, index int) {
			if err := kind.SetType(obj); err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			got, err := kind.AppendJSON([]byte("before"), obj)
			if err != nil {
				t.Fatal(err)
			}
			if got = bytes.TrimPrefix(got, []byte("before")); kind.Name() == "KCustom" || kind.Name() == "KMarked" {
				comparePart(t, got, cellKey(obj, index), reflect.ValueOf(obj).Elem().Field(index))
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			compareDecoded(t, kind, want)
			for range 3 {
				if broken, ok := breakJSON(rnd, want, cellKey(obj, index)); ok {
					compareDecoded(t, kind, broken)
				}
			}
		})
	}
}

// comparePart compares one member with what encoding/json writes for values that have an address: a method with a pointer receiver writes
// them all, in maps too, where encoding/json does not call it.
func comparePart(t *testing.T, got []byte, key string, v reflect.Value) {
	t.Helper()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(got, &doc); err != nil {
		t.Fatal(err)
	}
	part, ok := doc[key]
	want := addressed(t, v)
	if !ok && v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0 || v.Kind() == reflect.Slice && v.Len() == 0 {
		return // left out, or the same either way
	}
	if !bytes.Equal(part, want) {
		t.Errorf("\n got %s\nwant %s", part, want)
	}
}

// addressed writes a value as encoding/json does if everything in it has an address.
func addressed(t *testing.T, v reflect.Value) json.RawMessage {
	t.Helper()
	raw := reflect.TypeFor[json.RawMessage]()
	var out any = "unset"
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil(), v.Kind() == reflect.Slice && v.IsNil(), v.Kind() == reflect.Map && v.IsNil():
		return json.RawMessage("null")
	case v.Kind() == reflect.Pointer:
		return addressed(t, v.Elem())
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		list := []json.RawMessage{}
		for i := range v.Len() {
			list = append(list, addressed(t, v.Index(i)))
		}
		out = list
	case v.Kind() == reflect.Map:
		m := reflect.MakeMap(reflect.MapOf(v.Type().Key(), raw))
		for _, k := range v.MapKeys() {
			m.SetMapIndex(k, reflect.ValueOf(addressed(t, v.MapIndex(k))))
		}
		out = m.Interface()
	case v.NumField() == 1 && v.Type().Field(0).Name[0] == 'V': // the struct without a name, or the generic one
		out = map[string]json.RawMessage{v.Type().Field(0).Tag.Get("json"): addressed(t, v.Field(0))}
	default:
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		out = p.Interface()
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// compareDecoded reads a text in both ways.
func compareDecoded(t *testing.T, kind *runtime.Kind, text []byte) {
	t.Helper()
	got, want := kind.New(), kind.New()
	r := jsonwire.NewReader(text, jsonwire.Options{})
	if err := kind.DecodeJSON(r, got); err != nil {
		t.Fatal(err)
	}
	r.End()
	problems := r.Problems()
	wantErr := json.Unmarshal(text, want)
	switch {
	case wantErr == nil && len(problems) > 0 && kind.Name() == "KNumber":
		// We read a number from a number only.
	case (len(problems) > 0) != (wantErr != nil):
		t.Errorf("%s:\n got %v\nwant %v", text, problems, wantErr)
	case wantErr != nil:
	case !reflect.DeepEqual(exactNumbers(got), exactNumbers(want)):
		t.Errorf("%s:\n got %+v\nwant %+v", text, got, want)
	}
}

// exactNumbers is an object in JSON, which is where numbers inside of any are the same: we keep integers as such.
func exactNumbers(obj any) any {
	text, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	var generic any
	if err := json.Unmarshal(text, &generic); err != nil {
		return err
	}
	return []any{generic, nilness(reflect.ValueOf(obj))}
}

// nilness tells nil from empty, which JSON does not where a value can be left out. A raw message that is null is nil for us.
func nilness(v reflect.Value) any {
	if _, ok := v.Interface().(json.RawMessage); ok {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return []any{nilness(v.Elem())}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return "nil"
		}
		out := []any{}
		for i := range v.Len() {
			out = append(out, nilness(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return "nil"
		}
		out := map[any]any{}
		for _, k := range v.MapKeys() {
			out[k.Interface()] = nilness(v.MapIndex(k))
		}
		return out
	case reflect.Struct:
		out := []any{}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out = append(out, nilness(v.Field(i)))
			}
		}
		return out
	}
	return nil
}

// cellKey is the name of a cell in JSON.
func cellKey(obj any, index int) string {
	key, _, _ := bytes.Cut([]byte(reflect.TypeOf(obj).Elem().Field(index).Tag.Get("json")), []byte(","))
	return string(key)
}

// breakJSON puts another value in the place of a random one below a member.
func breakJSON(rnd *rand.Rand, text []byte, key string) ([]byte, bool) {
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil || doc[key] == nil {
		return nil, false
	}
	doc[key] = breakValue(rnd, doc[key])
	out, err := json.Marshal(doc)
	return out, err == nil
}

func breakValue(rnd *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, elem := range v {
			if rnd.IntN(3) > 0 {
				v[k] = breakValue(rnd, elem)
				return v
			}
		}
	case []any:
		if len(v) > 0 && rnd.IntN(3) > 0 {
			i := rnd.IntN(len(v))
			v[i] = breakValue(rnd, v[i])
			return v
		}
	}
	return pick[any](rnd, nil, "x", "7", "", json.Number("5"), json.Number("-300"), json.Number("1.5"), true, []any{}, []any{json.Number("1"), "y", nil}, map[string]any{}, map[string]any{"a": "b"})
}
