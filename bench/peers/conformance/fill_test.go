package conformance

import (
	"math/rand/v2"
	"reflect"
	"time"

	peerv1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	peerruntime "k8s.io/apimachinery/pkg/runtime"
)

// filler fills values of the peer's types with random content.
type filler struct{ *rand.Rand }

var words = []string{
	"", "a", "web", "kube-system", "app.kubernetes.io/name", "größe", "日本", "a<b>&c", "line\nbreak\ttab",
	"\u2028\u2029", "quote\"back\\slash", "\x00\x1f\x7f", "🙂",
	"a longer text that does not fit into a word or two, as messages are",
}

func (f filler) word() string { return words[f.IntN(len(words))] }

func (f filler) raw() []byte {
	texts := []string{
		`{"kind":"A","apiVersion":"b/v1"}`, `{}`, `[1,2.50,"x"]`, `"<&>"`, `1e3`, `true`,
		`{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}`,
	}
	return []byte(texts[f.IntN(len(texts))])
}

func (f filler) time() time.Time {
	// From year 1 to 9999.
	const first, last = -62135596800, 253402300799
	t := time.Unix(first+f.Int64N(last-first), f.Int64N(1e9))
	if f.IntN(2) == 0 {
		return t.UTC()
	}
	return t
}

func (f filler) any(depth int) any {
	switch f.IntN(7 - min(depth, 1)*2) {
	case 0:
		return nil
	case 1:
		return f.word()
	case 2:
		return f.Int64N(1<<62) - 1<<61
	case 3:
		return f.NormFloat64() * 1e6
	case 4:
		return f.IntN(2) == 0
	case 5:
		return []any{f.any(depth + 1), f.any(depth + 1)}
	}
	return map[string]any{f.word(): f.any(depth + 1), f.word(): f.any(depth + 1)}
}

// fill fills v, which must be settable.
func (f filler) fill(v reflect.Value) {
	if f.IntN(4) == 0 && v.Kind() != reflect.Struct {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case **peerv1.Time:
		*x = &peerv1.Time{Time: f.time()} // a pointer to the zero time is written null and read as nil
		return
	case *peerv1.Time:
		if f.IntN(4) > 0 {
			x.Time = f.time()
		}
		return
	case *peerv1.MicroTime:
		x.Time = f.time()
		return
	case *peerruntime.RawExtension:
		if f.IntN(3) > 0 {
			x.Raw = f.raw()
		}
		return
	case *peerv1.FieldsV1:
		x.Raw = f.raw()
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.word())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(f.Int64N(1<<31) - 1<<30)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		n := f.IntN(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(5) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(f.word())
			f.fill(elem)
			v.SetMapIndex(key, elem)
		}
	case reflect.Interface:
		if a := f.any(0); a != nil {
			v.Set(reflect.ValueOf(a))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		panic("BUG: no filling for " + v.Type().String())
	}
}
