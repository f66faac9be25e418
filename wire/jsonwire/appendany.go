package jsonwire

import (
	"encoding"
	"reflect"
	"strconv"
)

// UnsupportedError reports a value that has no JSON representation.
type UnsupportedError struct {
	// What describes the value.
	What string
}

// Error implements the error interface.
func (e *UnsupportedError) Error() string { return "jsonwire: cannot write " + e.What }

// AppendAny appends an untyped value: nil, booleans, strings, all integers and floats, json.Number
// and the like, []any, map[string]any, []string, map[string]string, []byte, slices of such maps,
// values with methods that write their own JSON or text, and named types of these scalars. Maps are
// written with sorted keys. It returns an error for any other type, for NaN and infinity, and for
// nesting deeper than 10000, as in a map that contains itself.
func AppendAny(dst []byte, v any) ([]byte, error) { return appendAny(dst, v, 0) }

func appendAny(dst []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return AppendString(dst, v), nil
	case bool:
		return AppendBool(dst, v), nil
	case int64:
		return AppendInt(dst, v), nil
	case float64:
		return AppendFloat64(dst, v)
	case map[string]any:
		return appendAnyMap(dst, v, depth+1)
	case []any:
		return appendAnySlice(dst, v, depth+1)
	case []string:
		if v == nil {
			return append(dst, "null"...), nil
		}
		return AppendStrings(dst, v), nil
	case map[string]string:
		return AppendStringMap(dst, v), nil
	case []map[string]any:
		return appendAnySlice(dst, v, depth+1)
	case []byte:
		return AppendBytes(dst, v), nil
	case Appender:
		if isNilPointer(v) {
			return append(dst, "null"...), nil
		}
		return v.AppendJSON(dst)
	case jsonMarshaler:
		return AppendMarshaler(dst, v)
	case encoding.TextMarshaler:
		return AppendTextMarshaler(dst, v)
	case number:
		return appendNumber(dst, v.String())
	}
	return appendKind(dst, v)
}

// number is the interface of json.Number and similar types.
type number interface {
	String() string
	Int64() (int64, error)
	Float64() (float64, error)
}

// appendNumber appends a number that is held as its text; blank counts as 0.
func appendNumber(dst []byte, text string) ([]byte, error) {
	if text == "" {
		return append(dst, '0'), nil
	}
	start := len(dst)
	dst = append(dst, text...)
	if end, _, bad := scanNumber(dst, start); bad != "" || end != len(dst) {
		return dst[:start], &UnsupportedError{What: "invalid number " + quoteShort(text)}
	}
	return dst, nil
}

// appendKind appends the other numbers, and scalars of named types.
func appendKind(dst []byte, v any) ([]byte, error) {
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.String:
		return AppendString(dst, rv.String()), nil
	case reflect.Bool:
		return AppendBool(dst, rv.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return AppendInt(dst, rv.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(dst, rv.Uint(), 10), nil
	case reflect.Float32:
		return AppendFloat32(dst, float32(rv.Float()))
	case reflect.Float64:
		return AppendFloat64(dst, rv.Float())
	default:
		return dst, &UnsupportedError{What: "a value of type " + rv.Type().String()}
	}
}

func appendAnySlice[E any](dst []byte, v []E, depth int) ([]byte, error) {
	if v == nil {
		return append(dst, "null"...), nil
	}
	if depth > defaultMaxDepth {
		return dst, errDepth()
	}
	dst = append(dst, '[')
	for i, e := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendAny(dst, e, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func errDepth() error {
	return &UnsupportedError{What: "a value that nests deeper than " + strconv.Itoa(defaultMaxDepth)}
}

func appendAnyMap(dst []byte, m map[string]any, depth int) ([]byte, error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	if depth > defaultMaxDepth {
		return dst, errDepth()
	}
	start := len(dst)
	for _, key := range SortedKeys(m) {
		dst = append(dst, ',')
		dst = AppendString(dst, key)
		dst = append(dst, ':')
		var err error
		if dst, err = appendAny(dst, m[key], depth); err != nil {
			return dst, err
		}
	}
	return CloseObject(dst, start), nil
}

// AppendStrings appends s as an array, or null for a nil slice.
func AppendStrings(dst []byte, s []string) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, e := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, e)
	}
	return append(dst, ']')
}

// jsonMarshaler is json.Marshaler, declared here to avoid linking encoding/json.
type jsonMarshaler interface{ MarshalJSON() ([]byte, error) }

// AppendMarshaler appends the output of the MarshalJSON method of encoding/json, checked and
// compacted like [AppendRaw]; empty output is an error. A nil pointer is written as null without a
// call.
func AppendMarshaler(dst []byte, m interface{ MarshalJSON() ([]byte, error) }) ([]byte, error) {
	if isNilPointer(m) {
		return append(dst, "null"...), nil
	}
	b, err := m.MarshalJSON()
	if err != nil {
		return dst, err
	}
	return appendCompact(dst, b, true)
}

// AppendTextMarshaler appends the text as a string. A nil pointer is written as null without a
// call.
func AppendTextMarshaler(dst []byte, m encoding.TextMarshaler) ([]byte, error) {
	if isNilPointer(m) {
		return append(dst, "null"...), nil
	}
	b, err := m.MarshalText()
	if err != nil {
		return dst, err
	}
	return AppendString(dst, string(b)), nil
}

// isNilPointer reports whether v is nil or holds a nil pointer.
func isNilPointer(v any) bool {
	rv := reflect.ValueOf(v)
	return !rv.IsValid() || rv.Kind() == reflect.Pointer && rv.IsNil()
}
