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

// refiner reads a value with a jsonwire.Reader, driven by the nodes of its type, and writes it as
// unambiguous JSON for json-iterator: values of the right types and ranges, no annotated scalars.
// The Reader records all problems with their positions in the input, so json-iterator never
// encounters them.
//
// The object of a struct becomes an array, in which each value follows the number of its field, so
// that no name is compared twice. Values that json-iterator would read differently, untyped ones
// and those of types with methods of their own, are read here and replaced by their index in
// values. The array of a slice begins with the index of its length in lengths, so that its memory
// is allocated once.
//
// The refiner also counts the memory of the object, because it can still end the text.
type refiner struct {
	r   *jsonwire.Reader
	out []byte
	refined
}

// refined is a refined text and its values.
type refined struct {
	values  []reflect.Value
	lengths []int
}

// value refines the next value.
func (f *refiner) value(n *node) {
	if n.shape != ownJSON && f.r.Null() { // a method may handle null
		f.out = append(f.out, "null"...)
		return
	}
	switch n.shape {
	case boolean:
		f.out = jsonwire.AppendBool(f.out, f.r.Bool(false))
	case integer:
		f.integer(n.typ)
	case unsigned:
		f.unsigned(n.typ)
	case floating:
		f.floating(n.typ)
	case text:
		f.out = jsonwire.AppendString(f.out, f.r.String(""))
	case number:
		f.number()
	case binary:
		f.out = jsonwire.AppendBytes(f.out, f.r.Bytes())
	case untyped:
		v := reflect.New(n.typ).Elem()
		if x := f.r.Any(); x != nil {
			v.Set(reflect.ValueOf(x))
		}
		f.hold(v)
	case ownJSON:
		f.r.Spend(int(n.typ.Size()))
		p := reflect.New(n.typ)
		f.r.Unmarshaler(p.Interface().(json.Unmarshaler))
		f.hold(p.Elem())
	case ownText:
		f.r.Spend(int(n.typ.Size()))
		p := reflect.New(n.typ)
		f.r.TextUnmarshaler(p.Interface().(encoding.TextUnmarshaler))
		f.hold(p.Elem())
	case pointer:
		f.r.Spend(int(n.elem.typ.Size()))
		f.value(n.elem)
	case list, array:
		f.list(n)
	case dict:
		f.dict(n)
	case structure:
		f.structure(n)
	default:
		f.r.Skip()
		f.r.Invalid(errors.New("the Go type " + n.typ.String() + " has no JSON form"))
		f.out = append(f.out, "null"...)
	}
}

// hold stores a complete value and writes its index.
func (f *refiner) hold(v reflect.Value) {
	f.out = strconv.AppendInt(f.out, int64(len(f.values)), 10)
	f.values = append(f.values, v)
}

func (f *refiner) integer(t reflect.Type) {
	var v int64
	switch t.Kind() {
	case reflect.Int8:
		v = int64(f.r.Int8(0))
	case reflect.Int16:
		v = int64(f.r.Int16(0))
	case reflect.Int32:
		v = int64(f.r.Int32(0))
	case reflect.Int64:
		v = f.r.Int64(0)
	default:
		v = int64(f.r.Int(0))
	}
	f.out = jsonwire.AppendInt(f.out, v)
}

func (f *refiner) unsigned(t reflect.Type) {
	var v uint64
	switch t.Kind() {
	case reflect.Uint8:
		v = uint64(f.r.Uint8(0))
	case reflect.Uint16:
		v = uint64(f.r.Uint16(0))
	case reflect.Uint32:
		v = uint64(f.r.Uint32(0))
	case reflect.Uint64:
		v = f.r.Uint64(0)
	default:
		v = uint64(f.r.Uint(0))
	}
	f.out = strconv.AppendUint(f.out, v, 10)
}

func (f *refiner) floating(t reflect.Type) {
	var err error
	if t.Kind() == reflect.Float32 {
		f.out, err = jsonwire.AppendFloat32(f.out, f.r.Float32(0))
	} else {
		f.out, err = jsonwire.AppendFloat64(f.out, f.r.Float64(0))
	}
	f.r.Invalid(err)
}

// number refines a json.Number, which, as in encoding/json, may also be written as a string.
func (f *refiner) number() {
	v := reflect.New(numberType).Elem()
	if f.r.Kind() == '"' {
		s := f.r.String("")
		if !isNumber(s) {
			f.r.Invalid(errors.New("not a number"))
		}
		v.SetString(s)
	} else {
		v.SetString(string(f.r.Number()))
	}
	f.hold(v)
}

// isNumber reports whether s is a JSON number.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || '0' <= s[0] && s[0] <= '9') && jsonwire.Valid([]byte(s)) && s[len(s)-1] != ' '
}

func (f *refiner) list(n *node) {
	f.out = append(f.out, '[')
	count, at, size := 0, len(f.lengths), int(n.elem.typ.Size())
	if n.shape == list {
		f.lengths = append(f.lengths, 0)
		f.out = strconv.AppendInt(f.out, int64(at), 10)
	}
	for more := f.r.Array(); more; more = f.r.NextElem() {
		if n.shape == array && count >= n.typ.Len() {
			f.r.Skip() // like encoding/json
			continue
		}
		if count > 0 || n.shape == list {
			f.out = append(f.out, ',')
		}
		count++
		if n.shape == list {
			f.r.Spend(size)
		}
		f.value(n.elem)
	}
	if n.shape == list {
		f.lengths[at] = count
	}
	f.out = append(f.out, ']')
}

func (f *refiner) dict(n *node) {
	// A map has room for up to twice its entries and copies them as it grows, and so does the map
	// of names.
	each := 2 * int(n.typ.Key().Size()+n.elem.typ.Size())
	start := len(f.out)
	var seen map[string]struct{}
	if f.r.Strict() {
		each += 2 * int(reflect.TypeFor[string]().Size())
		seen = map[string]struct{}{}
	}
	for key := f.r.Object(); key != nil; key = f.r.NextKey() {
		name := string(key)
		f.r.Spend(each)
		if seen != nil {
			if _, twice := seen[name]; twice {
				f.r.Duplicate(key)
			}
			seen[name] = struct{}{}
		}
		member := len(f.out)
		f.out = append(f.out, ',')
		f.out = jsonwire.AppendString(f.out, name)
		f.out = append(f.out, ':')
		f.value(n.elem)
		if err := n.key.checkKey(name); err != nil {
			f.r.Invalid(err)
			f.out = f.out[:member]
		}
	}
	f.out = jsonwire.CloseObject(f.out, start)
}

// checkKey returns an error if a name is not a valid map key of the type.
func (n *node) checkKey(name string) error {
	var err error
	switch n.shape {
	case integer:
		_, err = strconv.ParseInt(name, 10, n.typ.Bits())
	case unsigned:
		_, err = strconv.ParseUint(name, 10, n.typ.Bits())
	case ownText:
		return reflect.New(n.typ).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(name))
	}
	if err != nil {
		return errors.New("the key " + strconv.Quote(name) + " is not a number of the type " + n.typ.String())
	}
	return nil
}

func (f *refiner) structure(n *node) {
	f.out = append(f.out, '[')
	var room [2]uint64
	seen := room[:]
	if words := (len(n.fields) + 63) / 64; words > len(room) {
		seen = make([]uint64, words)
	}
	first := true
	for key := f.r.Object(); key != nil; key = f.r.NextKey() {
		i, ok := n.byName[string(key)]
		if !ok {
			f.r.Unknown(key, n.names)
			continue
		}
		f.r.Seen(&seen[i/64], uint(i%64), key)
		m := &n.fields[i]
		switch m.node.shape {
		case boolean, integer, unsigned, floating, text, number, ownText, array, structure:
			if f.r.Null() { // leaves the field unchanged
				continue
			}
		}
		if !first {
			f.out = append(f.out, ',')
		}
		first = false
		f.out = strconv.AppendInt(f.out, int64(i), 10)
		f.out = append(f.out, ',')
		if m.quoted {
			f.quoted(m.node)
		} else {
			f.value(m.node)
		}
	}
	f.out = append(f.out, ']')
}

// quoted refines a value inside a string.
func (f *refiner) quoted(n *node) {
	if f.r.Null() {
		f.out = append(f.out, "null"...)
		return
	}
	inner := bytes.Clone(f.r.Text())
	if inner == nil { // another type; it was recorded
		f.out = append(f.out, "null"...)
		return
	}
	outer := f.r
	f.r = jsonwire.NewReader(inner, jsonwire.Options{})
	f.value(n)
	f.r.End()
	problems := f.r.Problems()
	f.r = outer
	if len(problems) > 0 {
		f.r.Invalid(errors.New("inside of the string: " + problems[0].Message))
	}
}
