package pbwire

import (
	"reflect"

	"github.com/askind/askind/wire/internal/batch"
)

// Count returns how many entries a map should have room for.
func (r *Reader) Count() int { return r.count() }

// Fill gives each field of a reader that Reset sets a value that is not zero.
func Fill(r *Reader) {
	kept := reflect.ValueOf(&r.values)
	var fill func(reflect.Value)
	fill = func(v reflect.Value) {
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()) // which may be set, exported or not
		switch v := v.Elem(); v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Field(i); f.Addr().UnsafePointer() != kept.UnsafePointer() || f.Type() != kept.Type().Elem() {
					fill(f)
				}
			}
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Interface:
			v.Set(reflect.ValueOf(anyChecker{}))
		case reflect.String:
			v.SetString("x")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			v.SetInt(7)
		default:
			v.SetUint(7)
		}
	}
	fill(reflect.ValueOf(r).Elem())
}

// State returns all that Reset sets.
func State(r *Reader) any {
	s := *r
	s.values = batch.Set{}
	return s
}

type anyChecker struct{}

func (anyChecker) CheckEmbedded(*Reader, []byte) {}
