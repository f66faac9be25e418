package fuzz

import (
	"encoding/json"
	"reflect"
	"time"

	gofuzz "github.com/google/gofuzz"

	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Filler returns a gofuzz filler that is deterministic for a seed. It handles the leaf types of
// this module, whose values follow rules that random fields would violate: times have whole
// seconds, quantities are canonical, raw values are JSON. [RoundTrip] and [Compatibility] fill the
// leaf types of k8s.io/apimachinery in the same way.
func Filler(seed int64, funcs ...any) *gofuzz.Fuzzer {
	return gofuzz.NewWithSeed(seed).NilChance(0.3).NumElements(1, 3).MaxDepth(12).
		Funcs(leaves()...).Funcs(fillBytes).Funcs(funcs...)
}

// collapse replaces pointers to nil by nil, because JSON has null for both, and nil bytes in maps
// by empty ones, as which protobuf reads them.
func collapse(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		inner := v.Elem()
		collapse(inner)
		switch inner.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
			if inner.IsNil() && v.CanSet() {
				v.SetZero()
			}
		}
	case reflect.Struct:
		for f, field := range v.Fields() {
			if f.IsExported() {
				collapse(field)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			collapse(v.Index(i))
		}
	case reflect.Map:
		if !v.CanSet() {
			return
		}
		for key, value := range v.Seq2() {
			c := reflect.New(value.Type()).Elem()
			c.Set(value)
			collapse(c)
			if c.Kind() == reflect.Slice && c.Type().Elem().Kind() == reflect.Uint8 && c.IsNil() {
				c.Set(reflect.MakeSlice(c.Type(), 0, 0))
			}
			v.SetMapIndex(key, c)
		}
	}
}

// fillBytes fills a map without nil values: in protobuf these are read as empty ones.
func fillBytes(m *map[string][]byte, c gofuzz.Continue) {
	*m = map[string][]byte{}
	for range c.Intn(3) {
		(*m)[c.RandString()] = []byte(c.RandString())
	}
	if len(*m) == 0 {
		*m = nil
	}
}

// leaves returns the fill functions for the leaf types of this module.
func leaves() []any {
	return []any{
		// Kinds set the TypeMeta of objects and of list items; objects at deeper levels have none
		// in protobuf.
		func(*metav1.TypeMeta, gofuzz.Continue) {},
		func(t *metav1.Time, c gofuzz.Continue) { *t = randomTime(c) },
		func(t *metav1.MicroTime, c gofuzz.Continue) { *t = randomMicroTime(c) },
		func(d *metav1.Duration, c gofuzz.Continue) { d.Duration = randomDuration(c) },
		func(q *resource.Quantity, c gofuzz.Continue) {
			switch c.Intn(3) {
			case 0:
				// without a suffix it would be read as decimal
				*q = resource.NewQuantity((c.Int63n(1<<40)+1)<<10, resource.BinarySI)
			case 1:
				*q = resource.NewMilliQuantity(c.Int63n(1<<40)+1, resource.DecimalSI)
			default:
				*q = resource.NewQuantity(c.Int63n(1<<20)*1000+1000, resource.DecimalExponent)
			}
		},
		func(v *intstr.IntOrString, c gofuzz.Continue) {
			if c.RandBool() {
				*v = intstr.FromInt32(c.Int31())
			} else {
				*v = intstr.FromString(c.RandString())
			}
		},
		func(f *metav1.FieldsV1, c gofuzz.Continue) { f.Raw = randomJSON(c) },
		func(e *runtime.RawExtension, c gofuzz.Continue) { *e = runtime.RawExtension{Raw: randomJSON(c)} },
		func(m *json.RawMessage, c gofuzz.Continue) { *m = randomJSON(c) },
		func(v *any, c gofuzz.Continue) { *v = randomValue(c, 3) },
	}
}

func randomTime(c gofuzz.Continue) metav1.Time {
	return metav1.NewTime(time.Unix(c.Int63n(4_000_000_000), 0))
}

func randomMicroTime(c gofuzz.Continue) metav1.MicroTime {
	return metav1.NewMicroTime(time.Unix(c.Int63n(4_000_000_000), 1000*c.Int63n(1_000_000)))
}

func randomDuration(c gofuzz.Continue) time.Duration {
	return time.Duration(c.Int63n(int64(1000 * time.Hour)))
}

// randomJSON returns a non-empty JSON object. Its keys are lower-case letters of equal length,
// which every format sorts alike: raw values are kept as written, so another order would be another
// value.
func randomJSON(c gofuzz.Continue) []byte {
	b, err := json.Marshal(map[string]any{"key": randomValue(c, 3), "and": "v1"})
	if err != nil {
		return []byte(`{"key":1}`) // no such value exists
	}
	return b
}

// randomValue returns a value of a type that decoding produces.
func randomValue(c gofuzz.Continue, depth int) any {
	n := 7
	if depth == 0 {
		n = 5
	}
	switch c.Intn(n) {
	case 0:
		return c.RandString()
	case 1:
		return c.Int63()
	case 2:
		return float64(c.Intn(1000)) + 0.5
	case 3:
		return c.RandBool()
	case 4:
		return nil
	case 5:
		m := map[string]any{}
		for range c.Intn(3) {
			m[string(rune('a'+c.Intn(26)))] = randomValue(c, depth-1)
		}
		return m
	}
	s := []any{}
	for range c.Intn(3) {
		s = append(s, randomValue(c, depth-1))
	}
	return s
}
