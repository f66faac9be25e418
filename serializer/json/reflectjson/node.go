package reflectjson

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/askind/askind/wire/jsonwire"
)

// shape is the form of a type's values in JSON.
type shape uint8

const (
	unsupported shape = iota
	boolean
	integer
	unsigned
	floating
	text
	number    // json.Number
	binary    // []byte, as base64
	untyped   // any
	ownJSON   // a type with UnmarshalJSON or MarshalJSON
	ownText   // a type with UnmarshalText or MarshalText
	pointer   // to elem
	list      // of elem; a slice
	array     // of elem, of fixed length
	dict      // a map from key to elem
	structure // with fields
)

// node describes one Go type. Nodes of recursive types are cyclic.
type node struct {
	typ   reflect.Type
	shape shape // for reading
	plain bool  // not written by a method, but by its shape
	key   *node
	elem  *node

	fields []field
	byName map[string]int
	names  []string
}

// field is a member of the JSON object of a struct.
type field struct {
	name   string
	prefix []byte // `,"name":`
	index  []int  // path of Go fields, through embedded structs
	node   *node

	omitEmpty, omitZero bool
	quoted              bool // the option string: the value is written inside a JSON string
}

var (
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	marshalerType       = reflect.TypeFor[json.Marshaler]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	numberType          = reflect.TypeFor[json.Number]()
	zeroerType          = reflect.TypeFor[interface{ IsZero() bool }]()
)

// compile returns the node of a type. known holds the existing nodes, finished or not, and receives
// new ones.
func compile(t reflect.Type, known map[reflect.Type]*node) *node {
	if n, ok := known[t]; ok {
		return n
	}
	p := reflect.PointerTo(t)
	n := &node{typ: t, plain: !p.Implements(marshalerType) && !p.Implements(textMarshalerType)}
	known[t] = n
	switch {
	case t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && p.Implements(unmarshalerType):
		n.shape = ownJSON
		return n
	case t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface && p.Implements(textUnmarshalerType):
		n.shape = ownText
		return n
	case t == numberType:
		n.shape = number
		return n
	}
	switch t.Kind() {
	case reflect.Bool:
		n.shape = boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.shape = integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n.shape = unsigned
	case reflect.Float32, reflect.Float64:
		n.shape = floating
	case reflect.String:
		n.shape = text
	case reflect.Interface:
		if t.NumMethod() == 0 {
			n.shape = untyped
		}
	case reflect.Pointer:
		n.shape, n.elem = pointer, compile(t.Elem(), known)
	case reflect.Slice:
		n.shape, n.elem = list, compile(t.Elem(), known)
		if t.Elem().Kind() == reflect.Uint8 && n.elem.shape == unsigned {
			n.shape = binary
		}
	case reflect.Array:
		n.shape, n.elem = array, compile(t.Elem(), known)
	case reflect.Map:
		n.key, n.elem = compile(t.Key(), known), compile(t.Elem(), known)
		switch n.key.shape {
		case text, integer, unsigned, ownText:
			n.shape = dict
		}
	case reflect.Struct:
		n.shape = structure
		n.setFields(known)
	}
	return n
}

// candidate is a field that may become a member, before conflicts between names are resolved.
type candidate struct {
	field
	typ    reflect.Type
	tagged bool
}

// setFields finds the members of a struct by the rules of encoding/json: the fields of embedded
// structs count as fields of the struct; of several with one name the least deeply embedded wins,
// then the only one whose name is stated in a tag; otherwise none is a member.
func (n *node) setFields(known map[reflect.Type]*node) {
	var found []candidate
	collect(n.typ, nil, nil, &found)
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)),
			compareBool(b.tagged, a.tagged))
	})
	for len(found) > 0 {
		same := 1
		for same < len(found) && found[same].name == found[0].name {
			same++
		}
		first := &found[0]
		if same == 1 || len(found[1].index) > len(first.index) || first.tagged && !found[1].tagged {
			first.node = compile(first.typ, known)
			first.prefix = append(jsonwire.AppendString([]byte{','}, first.name), ':')
			switch first.node.shape {
			case boolean, integer, unsigned, floating, text, number:
			case pointer:
				first.quoted = first.quoted && first.node.elem.shape >= boolean && first.node.elem.shape <= text
			default:
				first.quoted = false // the option has no meaning for other types
			}
			n.fields = append(n.fields, first.field)
		}
		found = found[same:]
	}
	slices.SortFunc(n.fields, func(a, b field) int { return slices.Compare(a.index, b.index) })
	n.byName = make(map[string]int, len(n.fields))
	for i := range n.fields {
		n.byName[n.fields[i].name] = i
		n.names = append(n.names, n.fields[i].name)
	}
}

// collect appends the candidates of a struct type at an index path. above lists the enclosing
// struct types; a type inside itself adds nothing, because its fields have been collected at a
// lower depth.
func collect(t reflect.Type, index []int, above []reflect.Type, found *[]candidate) {
	if slices.Contains(above, t) {
		return
	}
	above = append(slices.Clip(above), t)
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" {
			continue
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer && inner.Name() == "" {
			inner = inner.Elem()
		}
		embedded := f.Anonymous && inner.Kind() == reflect.Struct
		if !f.IsExported() && !embedded {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !isName(name) {
			name = ""
		}
		path := append(slices.Clip(index), i)
		if embedded && name == "" {
			collect(inner, path, above, found)
			continue
		}
		if !f.IsExported() && f.Type.Kind() == reflect.Pointer { // it cannot be set
			continue
		}
		c := candidate{typ: f.Type, tagged: name != "", field: field{name: cmp.Or(name, f.Name), index: path}}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				c.omitEmpty = true
			case "omitzero":
				c.omitZero = true
			case "string":
				c.quoted = true
			}
		}
		*found = append(*found, c)
	}
}

// isName reports whether encoding/json takes a name from a tag rather than ignoring it.
func isName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// get returns the field of a struct value. ok is false if it is inside a nil embedded pointer.
func (f *field) get(v reflect.Value) (fv reflect.Value, ok bool) {
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, true
}

// make returns the field of a struct value and allocates embedded structs as needed. ok is false if
// one of them cannot be allocated because its type is not exported.
func (f *field) make(v reflect.Value) (fv reflect.Value, ok bool) {
	for i, x := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, false
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v, true
}

// omits reports whether the value of a field is omitted.
func (f *field) omits(v reflect.Value) bool {
	return f.omitEmpty && isEmpty(v) || f.omitZero && isZero(v)
}

// isEmpty implements omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint,
		reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Interface,
		reflect.Pointer:
		return v.IsZero()
	}
	return false
}

// isZero implements omitzero: the result of the IsZero method that the type of the field has, or
// whether the value is the zero value. v is addressable.
func isZero(v reflect.Value) bool {
	with := v // the value with the method
	if k := v.Kind(); k != reflect.Pointer && k != reflect.Interface {
		with = v.Addr()
	}
	if v == with && v.IsNil() || !with.Type().Implements(zeroerType) {
		return v.IsZero()
	}
	if in := with.Elem(); v.Kind() == reflect.Interface && in.Kind() == reflect.Pointer && in.IsNil() {
		return true // its method may not expect nil
	}
	z, ok := with.Interface().(interface{ IsZero() bool })
	return ok && z.IsZero()
}
