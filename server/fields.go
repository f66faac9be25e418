package server

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// selectableFields returns the fields by which objects of a group and kind can be selected: those
// of the storage version, which all versions must have under the same paths if they declare any.
func selectableFields(s *runtime.Scheme, gk schema.GroupKind) ([]store.Field, error) {
	k, err := s.StorageVersion(gk)
	if err != nil {
		return nil, err
	}
	var out []store.Field
	declared := k.Info().SelectableFields
	for _, path := range declared {
		value, err := fieldOf(k.Type(), path)
		if _, untyped := k.New().(*dynamic.Object); untyped {
			value, err = contentOf(path), nil
		}
		if err != nil {
			return nil, fmt.Errorf("server: the selectable field %s of %s: %w", path, k, err)
		}
		out = append(out, store.Field{Path: strings.TrimPrefix(path, "."), Value: value, Index: true})
	}
	for _, gv := range s.VersionsOf(gk) {
		other, err := s.Kind(gv.WithKind(gk.Kind))
		if err != nil {
			return nil, err
		}
		for _, path := range other.Info().SelectableFields {
			if !slices.Contains(declared, path) {
				return nil, fmt.Errorf(
					"server: %s declares the selectable field %s, which the storage version %s does not", other, path,
					k.GroupVersion(),
				)
			}
		}
	}
	return out, nil
}

// contentOf returns the function that reads the member at a JSON path of an object without a Go
// type.
func contentOf(path string) func(runtime.Object) string {
	steps := strings.Split(strings.TrimPrefix(path, "."), ".")
	return func(obj runtime.Object) string {
		o, ok := obj.(*dynamic.Object)
		if !ok {
			return ""
		}
		return o.Text(steps...)
	}
}

// fieldOf returns the function that reads the field at a JSON path: a text, a whole number or a
// boolean. What is absent is blank.
func fieldOf(t reflect.Type, path string) (func(runtime.Object) string, error) {
	var steps [][]int
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return nil, fmt.Errorf("%s has no members", t)
		}
		index := memberOf(t, name)
		if index == nil {
			return nil, fmt.Errorf("%s has no field with the JSON name %s", t, name)
		}
		steps = append(steps, index)
		t = t.FieldByIndex(index).Type
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	default:
		return nil, fmt.Errorf("%s is neither a text nor a whole number nor a boolean", t)
	}
	return func(obj runtime.Object) string { return valueAt(reflect.ValueOf(obj), steps) }, nil
}

// valueAt returns the text of the field that steps lead to, blank if a pointer on the way is nil.
func valueAt(v reflect.Value, steps [][]int) string {
	for _, index := range steps {
		if v = indirect(v); !v.IsValid() {
			return ""
		}
		v = v.FieldByIndex(index)
	}
	switch v = indirect(v); {
	case !v.IsValid():
		return ""
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

// indirect follows a pointer. The result is not valid if it is nil.
func indirect(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		return v.Elem()
	}
	return v
}
