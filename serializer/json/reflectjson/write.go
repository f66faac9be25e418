package reflectjson

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"sync"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
	"github.com/modern-go/reflect2"

	"github.com/askind/askind/wire/jsonwire"
)

// engine writes values with json-iterator, with replacements for the parts in which it differs from
// encoding/json: members of structs, strings, floats, untyped values, and types with methods of
// their own. json-iterator handles maps, slices, arrays, pointers, integers and booleans, and the
// lookup of the code for a type. An engine is safe for concurrent use.
type engine struct {
	api jsoniter.API

	mu    sync.Mutex
	nodes map[reflect.Type]*node
}

// newEngine returns an engine that knows some nodes already; it takes ownership of the map.
func newEngine(nodes map[reflect.Type]*node) *engine {
	e := &engine{nodes: nodes}
	// Not with EscapeHTML: its code for strings would take precedence over ours, which escapes as
	// well.
	e.api = jsoniter.Config{SortMapKeys: true}.Froze()
	e.api.RegisterExtension(&extension{engine: e})
	return e
}

// node returns the node of a type. Finished nodes are immutable.
func (e *engine) node(t reflect.Type) *node {
	e.mu.Lock()
	defer e.mu.Unlock()
	return compile(t, e.nodes)
}

// encodingState is the state of the encoder besides its output.
type encodingState struct {
	depth     int  // of structs, to find values that contain themselves
	annotated bool // the output is annotated, see jsonwire.Annotate
}

// maxDepth is the nesting at which a value is assumed to contain itself.
const maxDepth = 10000

var errDepth = errors.New("reflectjson: the value nests too deep, or contains itself")

// appendFields appends the members of a struct as `,"name":value` each. Without types, those named
// kind and apiVersion are left out; for a list of one kind, itemTypes has the same meaning for the
// elements of its member items.
func (e *engine) appendFields(dst []byte, n *node, v reflect.Value, types, itemTypes bool) ([]byte, error) {
	s := e.api.BorrowStream(nil)
	s.SetBuffer(dst)
	s.Attachment = &encodingState{annotated: jsonwire.Annotated(dst)}
	writeFields(s, n, v, types, itemTypes)
	out, err := s.Buffer(), s.Error
	s.SetBuffer(nil) // the pool must not keep what belongs to the caller
	e.api.ReturnStream(s)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func writeFields(s *jsoniter.Stream, n *node, v reflect.Value, types, itemTypes bool) {
	for i := range n.fields {
		f := &n.fields[i]
		if !types && (f.name == "kind" || f.name == "apiVersion") {
			continue
		}
		fv, ok := f.get(v)
		if !ok || f.omits(fv) {
			continue
		}
		raw(s, f.prefix)
		switch {
		case !itemTypes && f.name == "items" && f.node.shape == list && f.node.elem.hasTypeMeta():
			writeItems(s, f.node.elem, fv)
		case f.quoted:
			writeQuoted(s, fv)
		default:
			writeValue(s, f.node, fv)
		}
		if s.Error != nil {
			return
		}
	}
}

// writeValue writes a value: simple ones here, the rest through json-iterator. If json-iterator
// writes all of them, BenchmarkEncode takes 17 % longer.
func writeValue(s *jsoniter.Stream, n *node, v reflect.Value) {
	if n.plain {
		switch n.shape {
		case boolean:
			s.SetBuffer(jsonwire.AppendBool(s.Buffer(), v.Bool()))
			return
		case integer:
			s.SetBuffer(jsonwire.AppendInt(s.Buffer(), v.Int()))
			return
		case unsigned:
			s.SetBuffer(jsonwire.AppendUint(s.Buffer(), v.Uint()))
			return
		case text:
			s.SetBuffer(jsonwire.AppendString(s.Buffer(), v.String()))
			return
		case structure:
			writeStruct(s, n, v, true)
			return
		}
	}
	s.WriteVal(v.Addr().Interface())
}

// writeItems writes the items of a list of one kind, which state neither kind nor apiVersion.
func writeItems(s *jsoniter.Stream, n *node, v reflect.Value) {
	if v.IsNil() {
		s.WriteNil()
		return
	}
	s.WriteArrayStart()
	for i := range v.Len() {
		if i > 0 {
			s.WriteMore()
		}
		writeStruct(s, n, v.Index(i), false)
	}
	s.WriteArrayEnd()
}

func writeStruct(s *jsoniter.Stream, n *node, v reflect.Value, types bool) {
	state, ok := s.Attachment.(*encodingState)
	switch {
	case s.Error != nil:
		return
	case !ok || state.depth == maxDepth:
		s.Error = errDepth
		return
	}
	state.depth++
	start := len(s.Buffer())
	writeFields(s, n, v, types, true)
	s.SetBuffer(jsonwire.CloseObject(s.Buffer(), start))
	state.depth--
}

// writeQuoted writes a value inside a string; nil stays null.
func writeQuoted(s *jsoniter.Stream, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			s.WriteNil()
			return
		}
		v = v.Elem()
	}
	start := len(s.Buffer())
	s.WriteVal(v.Addr().Interface())
	if s.Error != nil {
		return
	}
	inner := string(s.Buffer()[start:])
	s.SetBuffer(jsonwire.AppendString(s.Buffer()[:start], inner))
}

// raw appends bytes unchanged.
func raw(s *jsoniter.Stream, b []byte) { s.SetBuffer(append(s.Buffer(), b...)) }

// extension replaces json-iterator's code for some types.
type extension struct {
	jsoniter.DummyExtension
	engine *engine
}

// CreateEncoder implements jsoniter.Extension.
func (x *extension) CreateEncoder(typ reflect2.Type) jsoniter.ValEncoder {
	t := typ.Type1()
	if enc := methodEncoder(t); enc != nil {
		return enc
	}
	switch t.Kind() {
	case reflect.Pointer:
		if enc := methodEncoder(t.Elem()); enc != nil {
			return encoder(func(p unsafe.Pointer, s *jsoniter.Stream) {
				if p = *(*unsafe.Pointer)(p); p == nil {
					s.WriteNil()
					return
				}
				enc(p, s)
			})
		}
	case reflect.String:
		if t == numberType {
			return encoder(func(p unsafe.Pointer, s *jsoniter.Stream) { write(s, *(*json.Number)(p), appendNumber) })
		}
		return encoder(writeString)
	case reflect.Float32:
		return encoder(func(p unsafe.Pointer, s *jsoniter.Stream) { write(s, *(*float32)(p), jsonwire.AppendFloat32) })
	case reflect.Float64:
		return encoder(func(p unsafe.Pointer, s *jsoniter.Stream) { write(s, *(*float64)(p), jsonwire.AppendFloat64) })
	case reflect.Slice:
		if x.engine.node(t).shape == binary {
			return encoder(func(p unsafe.Pointer, s *jsoniter.Stream) {
				write(s, reflect.NewAt(t, p).Elem().Bytes(), appendBytes)
			})
		}
	case reflect.Interface:
		return encoder(func(p unsafe.Pointer, s *jsoniter.Stream) {
			write(s, reflect.NewAt(t, p).Elem().Interface(), jsonwire.AppendAny)
		})
	case reflect.Struct:
		n := x.engine.node(t)
		return encoder(func(p unsafe.Pointer, s *jsoniter.Stream) {
			writeStruct(s, n,
				reflect.NewAt(t, p).Elem(), true)
		})
	}
	return nil
}

// CreateMapKeyEncoder implements jsoniter.Extension.
func (x *extension) CreateMapKeyEncoder(typ reflect2.Type) jsoniter.ValEncoder {
	switch t := typ.Type1(); t.Kind() {
	case reflect.String:
		return encoder(writeString)
	case reflect.Bool, reflect.Float32, reflect.Float64, reflect.Interface:
		if t.Implements(textMarshalerType) {
			return nil
		}
		return encoder(func(_ unsafe.Pointer, s *jsoniter.Stream) {
			s.Error = errors.New("reflectjson: a map with keys of the type " + t.String() + " has no JSON form")
		})
	}
	return nil
}

// encoder adapts a function to the interface of json-iterator. p points to a value of the type for
// which it was created.
type encoder func(p unsafe.Pointer, s *jsoniter.Stream)

// Encode implements jsoniter.ValEncoder.
func (f encoder) Encode(p unsafe.Pointer, s *jsoniter.Stream) { f(p, s) }

// IsEmpty is never called, because json-iterator writes no structs.
func (f encoder) IsEmpty(unsafe.Pointer) bool { return false }

// methodEncoder returns the encoder of a type that writes itself, or nil for other types.
func methodEncoder(t reflect.Type) encoder {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return nil
	}
	switch p := reflect.PointerTo(t); {
	case p.Implements(marshalerType):
		return func(p unsafe.Pointer, s *jsoniter.Stream) {
			m, _ := reflect.NewAt(t, p).Interface().(json.Marshaler)
			write(s, m, func(dst []byte, m json.Marshaler) ([]byte, error) { return jsonwire.AppendMarshaler(dst, m) })
		}
	case p.Implements(textMarshalerType):
		return func(p unsafe.Pointer, s *jsoniter.Stream) {
			m, _ := reflect.NewAt(t, p).Interface().(encoding.TextMarshaler)
			write(s, m, jsonwire.AppendTextMarshaler)
		}
	}
	return nil
}

// write appends a value with a function of the wire package.
func write[T any](s *jsoniter.Stream, v T, appendTo func([]byte, T) ([]byte, error)) {
	var out []byte
	var err error
	if state, ok := s.Attachment.(*encodingState); ok && state.annotated && !jsonwire.Annotated(s.Buffer()) {
		// The values of maps are written to a stream of their own.
		mark := jsonwire.Annotate(nil)
		if out, err = appendTo(mark, v); err == nil {
			out = append(s.Buffer(), out[len(mark):]...)
		}
	} else {
		out, err = appendTo(s.Buffer(), v)
	}
	if err != nil {
		if s.Error == nil {
			s.Error = err
		}
		return
	}
	s.SetBuffer(out)
}

func appendBytes(dst, b []byte) ([]byte, error) { return jsonwire.AppendBytes(dst, b), nil }

func writeString(p unsafe.Pointer, s *jsoniter.Stream) {
	s.SetBuffer(jsonwire.AppendString(s.Buffer(), *(*string)(p)))
}

// appendNumber appends a json.Number; blank is 0, as in encoding/json.
func appendNumber(dst []byte, n json.Number) ([]byte, error) {
	switch {
	case n == "":
		return append(dst, '0'), nil
	case !isNumber(string(n)):
		return dst, errors.New("reflectjson: a json.Number holds " + strconv.Quote(string(n)))
	}
	return append(dst, n...), nil
}
