package fuzz

import (
	"hash/fnv"
	"reflect"
	"strings"
	"time"

	"github.com/askind/askind/runtime"
)

// exemplars creates an object of a kind in which every field is set, the same one each time. The
// value of a field depends only on its path, so adding a field does not change others.
type exemplars struct {
	funcs  []any
	filled map[reflect.Type]bool // the types that are filled by a function
}

// repeats bounds how often a recursive type occurs on the path to a value.
const repeats = 2

func newExemplars(funcs []any) *exemplars {
	e := &exemplars{funcs: funcs, filled: map[reflect.Type]bool{reflect.TypeFor[time.Time](): true}}
	for _, f := range append(leaves(), funcs...) {
		if t := reflect.TypeOf(f); t.Kind() == reflect.Func && t.NumIn() > 0 && t.In(0).Kind() == reflect.Pointer {
			e.filled[t.In(0).Elem()] = true
		}
	}
	return e
}

// object returns the object for a kind.
func (e *exemplars) object(k *runtime.Kind) (runtime.Object, error) {
	obj := k.New()
	e.fill(reflect.ValueOf(obj).Elem(), "", map[reflect.Type]int{})
	return obj, k.SetType(obj)
}

// fill sets v, which is at a path of names; above counts the types of the enclosing values.
func (e *exemplars) fill(v reflect.Value, path string, above map[reflect.Type]int) {
	switch {
	case !v.CanSet():
		return
	case e.filled[v.Type()]:
		Filler(number(path), e.funcs...).NilChance(0).NumElements(1, 1).Fuzz(v.Addr().Interface())
		return
	}
	above[v.Type()]++
	defer func() { above[v.Type()]-- }()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(number(path) % 100) // fits every size
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(number(path) % 100))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(number(path)%100) + 0.5)
	case reflect.String:
		v.SetString(path[strings.LastIndexByte(path, '.')+1:] + "Value")
	case reflect.Pointer:
		if above[v.Type().Elem()] < repeats {
			p := reflect.New(v.Type().Elem())
			e.fill(p.Elem(), path, above)
			v.Set(p)
		}
	case reflect.Slice:
		if above[v.Type().Elem()] < repeats {
			s := reflect.MakeSlice(v.Type(), 1, 1)
			e.fill(s.Index(0), path, above)
			v.Set(s)
		}
	case reflect.Array:
		for i := range v.Len() {
			e.fill(v.Index(i), path, above)
		}
	case reflect.Map:
		if above[v.Type().Elem()] < repeats {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			e.fill(key, path+"Key", above)
			e.fill(value, path, above)
			m := reflect.MakeMap(v.Type())
			m.SetMapIndex(key, value)
			v.Set(m)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			Filler(number(path), e.funcs...).Fuzz(v.Addr().Interface())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = strings.ToLower(f.Name[:1]) + f.Name[1:]
			}
			e.fill(v.Field(i), path+"."+name, above)
		}
	}
}

// number returns a number that depends only on a path and is never negative.
func number(path string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(path))
	return int64(h.Sum32())
}
