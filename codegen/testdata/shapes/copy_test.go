package shapes_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/askind/askind/meta/resource"
)

// reachable collects the memory that a value leads to, other than that of texts, which nobody can write to.
func reachable(v reflect.Value, found map[unsafe.Pointer]reflect.Type) {
	switch v.Interface().(type) {
	case time.Time, resource.Quantity: // nobody can write to what they lead to
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().Size() > 0 {
			found[v.UnsafePointer()] = v.Type()
			reachable(v.Elem(), found)
		}
	case reflect.Slice:
		if v.Cap() > 0 && v.Type().Elem().Size() > 0 {
			found[v.UnsafePointer()] = v.Type()
		}
		for i := range v.Len() {
			reachable(v.Index(i), found)
		}
	case reflect.Array:
		for i := range v.Len() {
			reachable(v.Index(i), found)
		}
	case reflect.Map:
		if !v.IsNil() {
			found[v.UnsafePointer()] = v.Type()
		}
		for _, k := range v.MapKeys() {
			reachable(v.MapIndex(k), found)
		}
	case reflect.Interface:
		if !v.IsNil() {
			reachable(v.Elem(), found)
		}
	case reflect.Struct:
		// Fields that are not exported can be read in an addressable value only.
		a := reflect.New(v.Type()).Elem()
		a.Set(v)
		for i := range a.NumField() {
			f := a.Field(i)
			reachable(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem(), found)
		}
	}
}

// sharedMemory returns the type of something that both values lead to, or nil.
func sharedMemory(a, b any) reflect.Type {
	inA, inB := map[unsafe.Pointer]reflect.Type{}, map[unsafe.Pointer]reflect.Type{}
	reachable(reflect.ValueOf(a).Elem(), inA)
	reachable(reflect.ValueOf(b).Elem(), inB)
	for p, t := range inA {
		if _, ok := inB[p]; ok {
			return t
		}
	}
	return nil
}

// slowCopy copies by reflection.
func slowCopy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	if _, ok := v.Interface().(time.Time); ok {
		return out
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(slowCopy(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(slowCopy(v.Index(i)))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(slowCopy(v.Index(i)))
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMap(v.Type()))
			for _, k := range v.MapKeys() {
				out.SetMapIndex(k, slowCopy(v.MapIndex(k)))
			}
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(slowCopy(v.Elem()))
		}
	case reflect.Struct:
		a := reflect.New(v.Type()).Elem()
		a.Set(v)
		for i := range a.NumField() {
			from, to := a.Field(i), out.Field(i)
			from = reflect.NewAt(from.Type(), from.Addr().UnsafePointer()).Elem()
			reflect.NewAt(to.Type(), to.Addr().UnsafePointer()).Elem().Set(slowCopy(from))
		}
	}
	return out
}

// TestDeepCopy checks that a copy is equal, and shares nothing with the original.
func TestDeepCopy(t *testing.T) {
	t.Parallel()
	for kind := range kindsOf(t) {
		eachCell(t, kind.New, func(t *testing.T, _ *rand.Rand, obj any, _ int) {
			want := slowCopy(reflect.ValueOf(obj).Elem()).Addr().Interface()
			if shared := sharedMemory(obj, want); shared != nil {
				t.Fatalf("the slow copy shares %s", shared)
			}
			got, err := kind.DeepCopy(obj)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
			if shared := sharedMemory(obj, got); shared != nil {
				t.Errorf("the copy shares %s", shared)
			}
			if !reflect.DeepEqual(obj, want) {
				t.Error("the original has changed")
			}
		})
	}
}
