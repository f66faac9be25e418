package shapes_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"example.com/shapes/v1beta1"
	"github.com/askind/askind/conversion"
)

// slowConvert converts by reflection: fields by their names in JSON, everything else by its structure.
func slowConvert(from reflect.Value, to reflect.Value) {
	if from.Type() == to.Type() {
		to.Set(slowCopy(from))
		return
	}
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
			slowConvert(from.Elem(), to.Elem())
		}
	case reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				slowConvert(from.Index(i), to.Index(i))
			}
		}
	case reflect.Array:
		for i := range from.Len() {
			slowConvert(from.Index(i), to.Index(i))
		}
	case reflect.Map:
		if !from.IsNil() {
			to.Set(reflect.MakeMap(to.Type()))
			for _, k := range from.MapKeys() {
				key, elem := reflect.New(to.Type().Key()).Elem(), reflect.New(to.Type().Elem()).Elem()
				slowConvert(k, key)
				slowConvert(from.MapIndex(k), elem)
				to.SetMapIndex(key, elem)
			}
		}
	case reflect.Struct:
		for i := range from.NumField() {
			if from.Field(i).IsZero() {
				continue
			}
			f := from.Type().Field(i)
			if f.Anonymous && f.Type.Kind() == reflect.Pointer && !from.Field(i).IsNil() && from.Field(i).Elem().IsZero() {
				continue // an embedded pointer is there if one of its fields is
			}
			if j, ok := named(to.Type())[nameIn(f)]; ok {
				slowConvert(from.Field(i), to.Field(j))
			}
		}
	default:
		to.Set(from.Convert(to.Type()))
	}
}

var byName sync.Map

// named returns the fields of a struct by name.
func named(t reflect.Type) map[string]int {
	if m, ok := byName.Load(t); ok {
		return m.(map[string]int)
	}
	m := map[string]int{}
	for i := range t.NumField() {
		m[nameIn(t.Field(i))] = i
	}
	byName.Store(t, m)
	return m
}

// nameIn is the name of a field in JSON, or that of the embedded type.
func nameIn(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" {
		return "Go:" + f.Name
	}
	return name
}

// TestConversion converts every cell to a version in which all fields stand in the opposite order, and back.
func TestConversion(t *testing.T) {
	t.Parallel()
	if len(v1beta1.Conversions) < 40 {
		t.Errorf("%d conversions", len(v1beta1.Conversions))
	}
	sharing := conversion.NewScope(conversion.ScopeOptions{Sharing: true})
	for _, c := range v1beta1.Conversions {
		eachCell(t, c.New, func(t *testing.T, rnd *rand.Rand, obj any, index int) {
			before := slowCopy(reflect.ValueOf(obj).Elem()).Addr().Interface()
			want := reflect.New(reflect.TypeOf(c.NewHub()).Elem())
			slowConvert(reflect.ValueOf(obj).Elem(), want.Elem())
			// What the target held before must not matter.
			hub := c.NewHub()
			cell := reflect.TypeOf(obj).Elem().Field(index).Name
			fill(rnd, reflect.ValueOf(hub).Elem().FieldByName(cell), 0)
			if err := c.To(obj, hub, nil); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(hub, want.Interface()) {
				t.Errorf("\n got %+v\nwant %+v", hub, want)
			}
			back := c.New()
			fill(rnd, reflect.ValueOf(back).Elem().Field(index), 0)
			if err := c.From(hub, back, nil); err != nil {
				t.Fatal(err)
			}
			round := reflect.New(reflect.TypeOf(obj).Elem())
			slowConvert(want.Elem(), round.Elem())
			if !reflect.DeepEqual(back, round.Interface()) {
				t.Errorf("back:\n got %+v\nwant %+v", back, round)
			}
			for _, other := range []any{hub, back} {
				if shared := sharedMemory(obj, other); shared != nil {
					t.Errorf("the result shares %s", shared)
				}
			}
			if shared := sharedMemory(hub, back); shared != nil {
				t.Errorf("the way back shares %s", shared)
			}
			shared := c.NewHub()
			if err := c.To(obj, shared, sharing); err != nil || !reflect.DeepEqual(shared, want.Interface()) {
				t.Errorf("sharing: %v\n got %+v\nwant %+v", err, shared, want)
			}
			if !reflect.DeepEqual(obj, before) {
				t.Error("the source has changed")
			}
		})
	}
}
