package shapes_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	metav1 "github.com/askind/askind/meta/v1"
)

// defaults is what the markers in the source say, by type and field.
var defaults = map[string]map[string]any{
	"Defaulted": {
		"Role": "worker", "Count": int32(3), "On": true, "Every": metav1.Duration{Duration: 90 * time.Minute}, "Level": "High",
		"Words": []string{"a", "b"}, "Labels": map[string]string{"k": "v"},
	},
	"Tree": {"Depth": int32(1)},
}

// slowDefault sets defaults by reflection, wherever a value can be reached: through pointers, lists, arrays, maps and structs.
func slowDefault(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			slowDefault(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			slowDefault(v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(k))
			slowDefault(elem)
			v.SetMapIndex(k, elem)
		}
	case reflect.Struct:
		for name, value := range defaults[v.Type().Name()] {
			f, d := v.FieldByName(name), reflect.ValueOf(value)
			switch {
			case !f.IsZero():
			case f.Kind() == reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
				f.Elem().Set(d.Convert(f.Type().Elem()))
			default:
				f.Set(slowCopy(d.Convert(f.Type())))
			}
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				slowDefault(v.Field(i))
			}
		}
	}
}

// TestDefaults checks that defaults are set wherever they can be reached, and are not memory that two objects share.
func TestDefaults(t *testing.T) {
	t.Parallel()
	found := 0
	for kind := range kindsOf(t) {
		if item := kind.ItemKind(); kind.Info().Defaults || item != nil && item.Info().Defaults {
			found++
		}
		eachCell(t, kind.New, func(t *testing.T, _ *rand.Rand, obj any, _ int) {
			want := slowCopy(reflect.ValueOf(obj).Elem()).Addr()
			other := slowCopy(reflect.ValueOf(obj).Elem()).Addr().Interface()
			slowDefault(want.Elem())
			for _, o := range []any{obj, other} {
				if err := kind.Default(o); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(obj, want.Interface()) {
				t.Errorf("\n got %+v\nwant %+v", obj, want)
			}
			if shared := sharedMemory(obj, other); shared != nil {
				t.Errorf("two objects share %s", shared)
			}
		})
	}
	if found != 2 {
		t.Errorf("%d kinds have defaults", found)
	}
}
