package shapes_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"example.com/shapes/other"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// rounds is how often each cell is tried with other values.
const rounds = 5

// eachCell calls f for every cell of a kind, as a subtest, several times, each time with a new object in which that cell alone is filled.
func eachCell(t *testing.T, newObject func() any, f func(t *testing.T, rnd *rand.Rand, obj any, index int)) {
	t.Helper()
	typ := reflect.TypeOf(newObject()).Elem()
	t.Run(typ.Name(), func(t *testing.T) {
		t.Parallel()
		for i := range typ.NumField() {
			if typ.Field(i).Anonymous {
				continue
			}
			rnd := rand.New(rand.NewPCG(uint64(i), 7))
			for range rounds {
				obj := newObject()
				fill(rnd, reflect.ValueOf(obj).Elem().Field(i), 0)
				f(t, rnd, obj, i)
				if t.Failed() {
					t.Fatalf("the cell is %s.%s %s", typ.Name(), typ.Field(i).Name, typ.Field(i).Type)
				}
			}
		}
	})
}

// pick returns one of its arguments.
func pick[T any](rnd *rand.Rand, values ...T) T { return values[rnd.IntN(len(values))] }

// fill sets a value to something random: zero, nil, empty and filled ones all occur. Types with a form of their own are set so that the
// form can be written.
func fill(rnd *rand.Rand, v reflect.Value, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = pick(rnd, time.Time{}, time.Unix(rnd.Int64N(1<<32), rnd.Int64N(1e9)).UTC())
		return
	case *metav1.Time:
		*p = pick(rnd, metav1.Time{}, metav1.Time{Time: time.Unix(rnd.Int64N(1<<32), 0).UTC()})
		return
	case *metav1.Duration:
		p.Duration = pick(rnd, 0, time.Duration(rnd.Int64N(1e15)))
		return
	case *resource.Quantity:
		*p = pick(rnd, quantity("0"), quantity("100m"), quantity("3Gi"), quantity("123456789012345678901234567890"))
		return
	case *intstr.IntOrString:
		*p = pick(rnd, intstr.FromInt32(int32(rnd.Int32())), intstr.FromString("50%"))
		return
	case *runtime.RawExtension:
		p.Raw = pick(rnd, nil, []byte(`{"kind":"Thing","apiVersion":"v1","x":[1,"<&>"]}`), []byte(`{}`))
		return
	case *json.RawMessage:
		*p = pick(rnd, nil, json.RawMessage(`{"a":[1,"<"]}`), json.RawMessage(`3`))
		return
	case *json.Number:
		*p = pick[json.Number](rnd, "0", "-12.50", "1e5")
		return
	case *other.Shared:
		*p = pick(rnd, other.Shared{}, other.Of(), other.Of("a", "b"))
		return
	case *other.Version:
		*p = other.NewVersion(rnd.IntN(4), rnd.IntN(4))
		return
	case *any:
		*p = pick[any](rnd, nil, "text", true, map[string]any{"a": []any{nil, "x"}, "b": map[string]any{}}, []any{}, []any{"y"})
		return
	case interface{ Hide(words ...string) }:
		p.Hide(pick(rnd, nil, []string{}, []string{"a", "b"})...)
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rnd.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(pick(rnd, 0, 1, -1, rnd.Int64()>>(64-v.Type().Bits())))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(pick(rnd, 0, 1, rnd.Uint64()>>(64-v.Type().Bits())))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(pick(rnd, 0, 1.5, -2, float64(rnd.Float32())*1e10, 1e21, 1e-7))
	case reflect.String:
		v.SetString(pick(rnd, "", "a", "<b>&\u2028", "ü\"\\\n\x01", "a text that does not fit into one word"))
	case reflect.Pointer:
		if rnd.IntN(3) > 0 && depth < 5 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rnd, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := rnd.IntN(4) - 1; n >= 0 && depth < 5 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				fill(rnd, v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if n := rnd.IntN(4) - 1; n >= 0 && depth < 5 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(rnd, key, depth+1)
				fill(rnd, elem, depth+1)
				v.SetMapIndex(key, elem)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(rnd, v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(rnd, v.Field(i), depth)
			}
		}
	default:
		panic(fmt.Sprintf("no values for %s", v.Type()))
	}
}

func quantity(text string) resource.Quantity {
	q, err := resource.Parse(text)
	if err != nil {
		panic(err)
	}
	return q
}
