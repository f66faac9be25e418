package reflectjson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	"github.com/askind/askind/wire/jsonwire"
)

// read reads the next value into v, a value of the type n. Null sets v to nil if it can be nil, and
// otherwise leaves it unchanged. A value that v cannot hold is recorded, and reading continues
// behind it.
func read(r *jsonwire.Reader, n *node, v reflect.Value) {
	if n.shape != ownJSON && r.Null() { // a method may handle null
		if n.canBeNil() {
			v.SetZero()
		}
		return
	}
	switch n.shape {
	case boolean:
		v.SetBool(r.Bool(false))
	case integer:
		v.SetInt(readInteger(r, v.Kind()))
	case unsigned:
		v.SetUint(readUnsigned(r, v.Kind()))
	case floating:
		if v.Kind() == reflect.Float32 {
			v.SetFloat(float64(r.Float32(0)))
		} else {
			v.SetFloat(r.Float64(0))
		}
	case text:
		v.SetString(r.String(""))
	case number:
		v.SetString(readNumber(r))
	case binary:
		v.SetBytes(r.Bytes())
	case untyped:
		v.SetZero()
		if x := r.Any(); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case ownJSON:
		p := reflect.New(n.typ)
		r.Unmarshaler(p.Interface().(json.Unmarshaler))
		v.Set(p.Elem())
	case ownText:
		p := reflect.New(n.typ)
		r.TextUnmarshaler(p.Interface().(encoding.TextUnmarshaler))
		v.Set(p.Elem())
	case pointer:
		if v.IsNil() {
			r.Spend(int(n.elem.typ.Size()))
			v.Set(reflect.New(n.elem.typ))
		}
		read(r, n.elem, v.Elem())
	case list:
		readList(r, n, v)
	case array:
		readArray(r, n, v)
	case dict:
		readMap(r, n, v)
	case structure:
		readStruct(r, n, v)
	default:
		r.Skip()
		r.Invalid(errors.New("the Go type " + n.typ.String() + " has no JSON form"))
	}
}

// canBeNil reports whether values of the type can be nil.
func (n *node) canBeNil() bool {
	switch n.shape {
	case binary, untyped, pointer, list, dict:
		return true
	}
	return false
}

func readInteger(r *jsonwire.Reader, k reflect.Kind) int64 {
	switch k {
	case reflect.Int8:
		return int64(r.Int8(0))
	case reflect.Int16:
		return int64(r.Int16(0))
	case reflect.Int32:
		return int64(r.Int32(0))
	case reflect.Int64:
		return r.Int64(0)
	}
	return int64(r.Int(0))
}

func readUnsigned(r *jsonwire.Reader, k reflect.Kind) uint64 {
	switch k {
	case reflect.Uint8:
		return uint64(r.Uint8(0))
	case reflect.Uint16:
		return uint64(r.Uint16(0))
	case reflect.Uint32:
		return uint64(r.Uint32(0))
	case reflect.Uint64:
		return r.Uint64(0)
	}
	return uint64(r.Uint(0))
}

// readNumber reads a json.Number, which, as in encoding/json, may also be written as a string.
func readNumber(r *jsonwire.Reader) string {
	if r.Kind() != '"' {
		return string(r.Number())
	}
	s := r.String("")
	if !isNumber(s) {
		r.Invalid(errors.New("not a number"))
	}
	return s
}

// isNumber reports whether s is a JSON number.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || isDigit(s[0])) && isDigit(s[len(s)-1]) && jsonwire.Valid([]byte(s))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func readList(r *jsonwire.Reader, n *node, v reflect.Value) {
	v.SetZero()
	size := int(n.elem.typ.Size())
	for more := r.Array(); more; more = r.NextElem() {
		i := v.Len()
		if i == v.Cap() {
			if r.Spend(2 * max(1, i) * size); r.Err() != nil {
				break
			}
			v.Grow(max(1, i))
		}
		v.SetLen(i + 1)
		read(r, n.elem, v.Index(i))
	}
	if v.IsNil() {
		v.Set(reflect.MakeSlice(n.typ, 0, 0))
	}
}

// readArray ignores elements for which the array has no room, like encoding/json.
func readArray(r *jsonwire.Reader, n *node, v reflect.Value) {
	i := 0
	for more := r.Array(); more; more = r.NextElem() {
		if i < v.Len() {
			read(r, n.elem, v.Index(i))
		} else {
			r.Skip()
		}
		i++
	}
}

func readMap(r *jsonwire.Reader, n *node, v reflect.Value) {
	// A map has room for up to twice its entries and copies them as it grows, and so does the map
	// of names.
	each := 2 * int(n.typ.Key().Size()+n.elem.typ.Size())
	var seen map[string]struct{}
	if r.Strict() {
		each += 2 * int(reflect.TypeFor[string]().Size())
		seen = map[string]struct{}{}
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(n.typ))
	}
	key, elem := reflect.New(n.key.typ).Elem(), reflect.New(n.elem.typ).Elem()
	for member := r.Object(); member != nil; member = r.NextKey() {
		name := string(member)
		r.Spend(each)
		if seen != nil {
			if _, twice := seen[name]; twice {
				r.Duplicate(member)
			}
			seen[name] = struct{}{}
		}
		elem.SetZero()
		read(r, n.elem, elem)
		if err := n.key.readKey(key, name); err != nil {
			r.Invalid(err)
			continue
		}
		v.SetMapIndex(key, elem)
	}
}

// readKey sets the key of a map, a value of the type n, to the one with a name.
func (n *node) readKey(v reflect.Value, name string) error {
	switch n.shape {
	case integer:
		if i, err := strconv.ParseInt(name, 10, n.typ.Bits()); err == nil {
			v.SetInt(i)
			return nil
		}
	case unsigned:
		if u, err := strconv.ParseUint(name, 10, n.typ.Bits()); err == nil {
			v.SetUint(u)
			return nil
		}
	case ownText:
		v.SetZero()
		return v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name))
	default:
		v.SetString(name)
		return nil
	}
	return errors.New("the key " + strconv.Quote(name) + " is not a number of the type " + n.typ.String())
}

func readStruct(r *jsonwire.Reader, n *node, v reflect.Value) {
	var room [2]uint64
	seen := room[:]
	if words := (len(n.fields) + 63) / 64; words > len(room) {
		seen = make([]uint64, words)
	}
	for key := r.Object(); key != nil; key = r.NextKey() {
		i, ok := n.byName[string(key)]
		if !ok {
			r.Unknown(key, n.names)
			continue
		}
		r.Seen(&seen[i/64], uint(i%64), key)
		f := &n.fields[i]
		fv, ok := f.make(v)
		switch {
		case !ok:
			r.Skip()
			r.Invalid(errors.New("the embedded struct around " + f.name +
				" is a nil pointer to a type that is not exported"))
		case f.node.shape != ownJSON && r.Null():
			if f.node.canBeNil() {
				fv.SetZero()
			}
		case f.quoted:
			readQuoted(r, f.node, fv)
		default:
			read(r, f.node, fv)
		}
	}
}

// readQuoted reads a value inside a string.
func readQuoted(r *jsonwire.Reader, n *node, v reflect.Value) {
	text := bytes.Clone(r.Text())
	if text == nil { // another type; it was recorded
		return
	}
	inner := jsonwire.NewReader(text, jsonwire.Options{})
	read(inner, n, v)
	inner.End()
	if problems := inner.Problems(); len(problems) > 0 {
		r.Invalid(errors.New("inside of the string: " + problems[0].Message))
	}
}
