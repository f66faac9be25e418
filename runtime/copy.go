package runtime

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/askind/askind/schema"
)

// DeepCopyAny returns a deep copy of a value as JSON decoding produces it: nil, booleans, strings,
// numbers, []any, map[string]any, and slices and maps of strings. Other types are copied by
// reflection; where that is not safe (see [Kind.DeepCopy]) the copy is shallow. Generated code
// calls it for fields of type any.
func DeepCopyAny(v any) any {
	switch v := v.(type) {
	case nil, bool, string, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64:
		return v
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = DeepCopyAny(value)
		}
		return out
	case []any:
		if v == nil {
			return v
		}
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = DeepCopyAny(value)
		}
		return out
	case []string:
		return slices.Clone(v)
	case map[string]string:
		return maps.Clone(v)
	}
	out, err := copyValue(reflect.ValueOf(v), nil)
	if err != nil {
		return v
	}
	return out.Interface()
}

// DeepCopier is implemented by types with references in unexported fields, so that objects that
// contain them can be copied by reflection. The result has the type of the receiver and shares no
// mutable memory with it.
type DeepCopier interface {
	DeepCopyAny() any
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	copierType = reflect.TypeFor[DeepCopier]()
)

// copyByReflection is the plain twin of a generated DeepCopyInto.
func copyByReflection(in Object) (Object, error) {
	out, err := copyValue(reflect.ValueOf(in), nil)
	if err != nil {
		return nil, err
	}
	return out.Interface(), nil
}

// copyValue returns a copy of v that shares no writable memory with it. The path is used in errors.
func copyValue(v reflect.Value, path *schema.Path) (reflect.Value, error) {
	t := v.Type()
	if flat(t) {
		return v, nil
	}
	if t.Implements(copierType) && v.CanInterface() && (t.Kind() != reflect.Pointer || !v.IsNil()) {
		out := reflect.ValueOf(v.Interface().(DeepCopier).DeepCopyAny())
		if out.IsValid() && out.Type() == t {
			return out, nil
		}
		return v, fmt.Errorf("runtime: the method DeepCopyAny of %s does not return its own type", t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v, nil
		}
		elem, err := copyValue(v.Elem(), path)
		if err != nil {
			return v, err
		}
		out := reflect.New(t.Elem())
		out.Elem().Set(elem)
		return out.Convert(t), nil
	case reflect.Interface:
		if v.IsNil() {
			return v, nil
		}
		elem, err := copyValue(v.Elem(), path)
		if err != nil {
			return v, err
		}
		out := reflect.New(t).Elem()
		out.Set(elem)
		return out, nil
	case reflect.Slice:
		if v.IsNil() {
			return v, nil
		}
		out := reflect.MakeSlice(t, v.Len(), v.Len())
		return out, copyElements(v, out, path)
	case reflect.Array:
		out := reflect.New(t).Elem()
		return out, copyElements(v, out, path)
	case reflect.Map:
		if v.IsNil() {
			return v, nil
		}
		out := reflect.MakeMapWithSize(t, v.Len())
		for it := v.MapRange(); it.Next(); {
			elem, err := copyValue(it.Value(), path.Key(fmt.Sprint(it.Key())))
			if err != nil {
				return v, err
			}
			out.SetMapIndex(it.Key(), elem)
		}
		return out, nil
	case reflect.Struct:
		out := reflect.New(t).Elem()
		out.Set(v)
		for i := range t.NumField() {
			f := t.Field(i)
			if flat(f.Type) {
				continue
			}
			if !f.IsExported() {
				return v, fmt.Errorf(
					"runtime: a %s cannot be copied by reflection: the field %s is not exported; give the kind a DeepCopyInto function", t, path.Child(f.Name),
				)
			}
			elem, err := copyValue(v.Field(i), path.Child(f.Name))
			if err != nil {
				return v, err
			}
			out.Field(i).Set(elem)
		}
		return out, nil
	}
	return v, fmt.Errorf("runtime: the field %s of type %s cannot be copied", path, t)
}

func copyElements(in, out reflect.Value, path *schema.Path) error {
	for i := range in.Len() {
		elem, err := copyValue(in.Index(i), path.Index(i))
		if err != nil {
			return err
		}
		out.Index(i).Set(elem)
	}
	return nil
}

// flat reports whether assigning a value of the type copies all of it.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Chan, reflect.Func,
		reflect.UnsafePointer:
		return false
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		if t == timeType { // its location is immutable
			return true
		}
		if t.Implements(copierType) {
			return false
		}
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
	}
	return true
}
