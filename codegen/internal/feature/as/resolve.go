package as

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/jsonpath"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// route is a JSON path resolved against Go types: the operations that lead from an object to the
// values that the path selects in the object's JSON form. Resolving finds all errors; writing a
// route as Go code cannot fail.
type route struct {
	path   *jsonpath.Path
	ops    []op
	leaf   types.Type // the type of the values, without pointers
	quoted bool       // JSON shows the value as text, by the string option of its field
}

// op is one operation of a route.
type op struct {
	kind opKind
	// name is the Go name of the field that opField selects.
	name string
	// absent says when the field that opField selects is missing from the JSON form.
	absent absence
	// index is the element of opIndex, counted from the end if negative. bound is the length of an
	// array, or -1 for a slice.
	index int
	bound int64
	// mapKey is the type of the keys when opEach takes the values of a map.
	mapKey *types.Basic
	// key is the constant of opKey as Go source. unread means that only its presence matters.
	key    string
	unread bool
	// typ is the type after the operation.
	typ types.Type
	// test selects the elements of opEach; nil selects all.
	test *test
}

// opKind is the kind of an op.
type opKind uint8

const (
	opField    opKind = iota + 1 // select a field of a struct
	opDeref                      // follow a pointer; nil finds nothing
	opIndex                      // take one element of a list, if it is that long
	opKey                        // take one value of a map, if it is there
	opEach                       // take all elements of a list, or those that pass the test, or all values of a map
	opLen                        // count the elements of a list or map
	opEmbedded                   // take the object of a runtime.Embedded, if it has one of its type
)

// absence is the condition under which encoding/json omits a field.
type absence uint8

const (
	never    absence = iota
	ifEmpty          // omitempty: false, 0, "", nil, no elements
	ifZero           // omitzero on a type without an IsZero method
	ifIsZero         // omitzero on a type with an IsZero method
)

// test is the condition of a filter: a route from an element to a value, and a comparison with a
// constant. Without an operator, the condition is that the value exists.
type test struct {
	route   *route
	op      string
	literal string // Go source
}

// pathError is an error in a path, with its byte range.
type pathError struct {
	offset, end int
	message     string
	suggestion  string // a whole path, or blank
}

// report reports the error, which is in the value of an argument of a marker, from a byte on.
func (e *pathError) report(c *feature.Context, code string, m *marker.Marker, a *marker.Arg, begin int) {
	d := c.Errorf(argPos(m, a, begin+e.offset), code, "%s", e.message)
	if e.suggestion != "" {
		d.Suggest("%s", e.suggestion)
	}
}

// resolver follows one path.
type resolver struct {
	u    *model.Universe
	path *jsonpath.Path
	ops  []op
	// quoted is set if the last step selected a field with the string option.
	quoted bool
	err    *pathError
}

// resolve follows a path from an object of type t. Exactly one of the results is not nil.
func resolve(u *model.Universe, t types.Type, text string) (*route, *pathError) {
	path, err := jsonpath.Parse(text)
	if err != nil {
		e := err.(*jsonpath.Error) // the documented type
		return nil, &pathError{e.Offset, e.End, e.Message, e.Suggestion}
	}
	r := &resolver{u: u, path: path}
	leaf := r.steps(t, path.Steps, "$")
	if r.err != nil {
		return nil, r.err
	}
	return &route{path: path, ops: r.ops, leaf: leaf, quoted: r.quoted}, nil
}

func (r *resolver) fail(s *jsonpath.Step, suggestion, format string, args ...any) types.Type {
	if r.err == nil {
		// The error is in the name of .name, not in its dot.
		offset := s.Offset
		if s.Kind == jsonpath.Field || s.Kind == jsonpath.Length {
			offset++
		}
		r.err = &pathError{offset, s.End, fmt.Sprintf(format, args...), suggestion}
	}
	return nil
}

// replaced returns the path with the bytes of one step replaced.
func (r *resolver) replaced(s *jsonpath.Step, with string) string {
	return r.path.Text[:s.Offset] + with + r.path.Text[s.End:]
}

// steps follows the steps from a value of type t and returns the type of the result, with pointers
// dereferenced. Messages refer to the value as where.
func (r *resolver) steps(t types.Type, steps []jsonpath.Step, where string) types.Type {
	t = r.deref(t)
	for i := range steps {
		s := &steps[i]
		r.quoted = false
		t = r.step(t, s, where)
		if r.err != nil {
			return nil
		}
		where = strings.TrimPrefix(r.path.Text[:s.End], "$")
		t = r.deref(t)
	}
	return t
}

// deref follows pointers.
func (r *resolver) deref(t types.Type) types.Type {
	for {
		p, ok := types.Unalias(t).Underlying().(*types.Pointer)
		if !ok || model.WritesItself(t) {
			return t
		}
		t = p.Elem()
		r.ops = append(r.ops, op{kind: opDeref, typ: t})
	}
}

func (r *resolver) step(t types.Type, s *jsonpath.Step, where string) types.Type {
	if held, ok := embedded(t); ok {
		if t = r.enter(held, s, where); t == nil {
			return nil
		}
	}
	if model.WritesItself(t) {
		return r.fail(s, "", "%s is %s, which has its own JSON form; a path cannot enter it", where,
			describe(t))
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return r.inStruct(t, u, s, where)
	case *types.Map:
		return r.inMap(t, u, s, where)
	case *types.Slice:
		if !model.IsBytes(t) {
			return r.inList(t, u.Elem(), -1, s, where)
		}
	case *types.Array:
		return r.inList(t, u.Elem(), u.Len(), s, where)
	case *types.Interface:
		return r.fail(s, "", "%s can hold any value; a path can be followed only where the type is known", where)
	}
	switch s.Kind {
	case jsonpath.Field:
		return r.fail(s, "", "%s is %s, which has no members", where, describe(t))
	case jsonpath.Length:
		return r.fail(s, "", "%s is %s; only lists and maps have a length", where, describe(t))
	default:
		return r.fail(s, "", "%s is %s, which has no elements", where, describe(t))
	}
}

// embedded reports whether t is the type of a field that holds an object, and returns the declared
// type of the object, or nil for a RawExtension, which holds any.
func embedded(t types.Type) (held types.Type, ok bool) {
	if model.IsNamed(t, emit.Runtime, "Embedded") {
		return types.Unalias(t).(*types.Named).TypeArgs().At(0), true
	}
	return nil, model.IsNamed(t, emit.Runtime, "RawExtension")
}

// enter goes into an object inside the object and returns its type, which is known statically only
// for a pointer to a struct.
func (r *resolver) enter(held types.Type, s *jsonpath.Step, where string) types.Type {
	if held == nil {
		return r.fail(
			s, "", "%s holds any object; make it a runtime.Embedded of the type that it has, or use +askind:column with a function", where,
		)
	}
	p, ok := held.Underlying().(*types.Pointer)
	if !ok || !model.IsStruct(p.Elem()) {
		return r.fail(s, "", "%s holds objects of several kinds (%s); use +askind:column with a function", where,
			types.TypeString(held, (*types.Package).Name))
	}
	r.ops = append(r.ops, op{kind: opEmbedded, typ: p.Elem()})
	return p.Elem()
}

func (r *resolver) inStruct(t types.Type, u *types.Struct, s *jsonpath.Step, where string) types.Type {
	switch s.Kind {
	case jsonpath.Field:
	case jsonpath.Length:
		return r.fail(s, "", "%s is %s; only lists and maps have a length", where, describe(t))
	default:
		return r.fail(s, "", "%s is %s, which has members but no elements", where, describe(t))
	}
	fields := r.u.JSONFields(u)
	var names []string
	for _, f := range fields {
		if f.Key == s.Name {
			if r.u.PathTrait(model.Sensitive, f.Path) {
				return r.fail(s, "", "%s is marked +%s and must not be shown", f.Key, model.Sensitive)
			}
			r.ops = append(r.ops, fieldOps(f)...)
			r.quoted = f.Quoted
			return f.Type
		}
		names = append(names, f.Key)
	}
	holder := "the object"
	if where != "$" {
		holder = where
	}
	for _, f := range fields {
		if f.Name == s.Name {
			return r.fail(s, r.replaced(s, "."+f.Key), "paths use JSON names; the Go field %s is %q", f.Name, f.Key)
		}
	}
	for _, f := range r.u.Fields(u) {
		if f.Name == s.Name && !f.Embedded {
			return r.fail(s, "", "the Go field %s is not part of the JSON form of %s", f.Name, holder)
		}
	}
	suggestion := ""
	if near, ok := schema.Nearest(s.Name, names); ok {
		suggestion = r.replaced(s, "."+near)
	}
	return r.fail(s, suggestion, "%s has no member %q", holder, s.Name)
}

func (r *resolver) inMap(t types.Type, u *types.Map, s *jsonpath.Step, where string) types.Type {
	switch s.Kind {
	case jsonpath.Field:
		if model.WritesItself(u.Key()) {
			return r.fail(s, "", "a path cannot name a key of %s: %s has its own text form", where,
				types.TypeString(u.Key(), (*types.Package).Name))
		}
		key, ok := keyLiteral(u.Key(), s.Name)
		if !ok {
			return r.fail(s, "", "the keys of %s are %s, and %q is not one", where, describe(u.Key()), s.Name)
		}
		r.ops = append(r.ops, op{kind: opKey, key: key, typ: u.Elem()})
		return u.Elem()
	case jsonpath.Wildcard:
		// Values are ordered by their keys, as in JSON.
		key := basic(u.Key())
		if key == nil || key.Info()&(types.IsString|types.IsInteger) == 0 || key.Kind() == types.Uintptr ||
			model.WritesItself(u.Key()) {
			return r.fail(s, "", "the keys of %s are %s and have no order", where, describe(u.Key()))
		}
		r.ops = append(r.ops, op{kind: opEach, mapKey: key, typ: u.Elem()})
		return u.Elem()
	case jsonpath.Length:
		r.ops = append(r.ops, op{kind: opLen, typ: types.Typ[types.Int]})
		return types.Typ[types.Int]
	case jsonpath.Filter:
		return r.fail(s, "", "%s is %s; filters choose among the elements of a list", where, describe(t))
	default:
		return r.fail(s, r.replaced(s, "['"+strconv.Itoa(s.Index)+"']"), "%s is %s; name a value by its key", where,
			describe(t))
	}
}

func (r *resolver) inList(t, elem types.Type, bound int64, s *jsonpath.Step, where string) types.Type {
	switch s.Kind {
	case jsonpath.Index:
		if at := int64(s.Index); bound >= 0 && (at >= bound || at < -bound) {
			return r.fail(s, "", "%s has %d elements", where, bound)
		}
		r.ops = append(r.ops, op{kind: opIndex, index: s.Index, bound: bound, typ: elem})
	case jsonpath.Wildcard:
		r.ops = append(r.ops, op{kind: opEach, bound: bound, typ: elem})
	case jsonpath.Filter:
		test := r.filter(elem, s, where)
		if r.err != nil {
			return nil
		}
		r.ops = append(r.ops, op{kind: opEach, bound: bound, typ: elem, test: test})
	case jsonpath.Length:
		r.ops = append(r.ops, op{kind: opLen, typ: types.Typ[types.Int]})
		return types.Typ[types.Int]
	default:
		suggestion := r.path.Text[:s.Offset] + "[*]" + r.path.Text[s.Offset:]
		switch s.Name {
		case "length", "len", "size", "count":
			suggestion = r.replaced(s, ".length()")
		}
		return r.fail(s, suggestion, "%s is %s; name one element or all of them before a member", where, describe(t))
	}
	return elem
}

// filter resolves the test of a filter against the element type of a list.
func (r *resolver) filter(elem types.Type, s *jsonpath.Step, where string) *test {
	inner := &resolver{u: r.u, path: r.path}
	f := s.Filter
	leaf := inner.steps(elem, f.Steps, "an element of "+where)
	if inner.err != nil {
		r.err = inner.err
		return nil
	}
	t := &test{route: &route{ops: inner.ops, leaf: leaf}, op: f.Op}
	if f.Op == "" {
		return t
	}
	v := f.Value
	fail := func(offset, end int, format string, args ...any) *test {
		r.err = &pathError{offset: offset, end: end, message: fmt.Sprintf(format, args...)}
		return nil
	}
	mistyped := func(need string) *test {
		return fail(v.Offset, v.End, "the value on the left is %s; compare it with %s", describe(leaf), need)
	}
	b := basic(leaf)
	switch {
	case inner.quoted:
		return fail(f.OpOffset, v.End,
			"a filter cannot compare this value, which is a string in JSON because of the string option of its field")
	case model.WritesItself(leaf) || b == nil:
		return fail(f.OpOffset, v.End,
			"a filter compares strings, numbers and booleans; the value on the left is %s", describe(leaf))
	case b.Info()&types.IsString != 0:
		if v.Kind != jsonpath.String {
			mistyped("a quoted text")
			r.err.suggestion = r.path.Text[:v.Offset] + strconv.Quote(v.Text) + r.path.Text[v.End:]
			return nil
		}
		t.literal = strconv.Quote(v.Text)
	case b.Info()&types.IsBoolean != 0:
		if v.Kind != jsonpath.Bool {
			return mistyped("true or false")
		}
		if f.Op != "==" && f.Op != "!=" {
			return fail(f.OpOffset, f.OpOffset+len(f.Op), "booleans can only be compared with == and !=")
		}
		t.literal = v.Text
	default:
		if v.Kind != jsonpath.Number {
			return mistyped("a number")
		}
		if !representable(number(v.Text), b) {
			return mistyped("a number that fits its Go type " + b.Name())
		}
		t.literal = v.Text
	}
	return t
}

// number returns the value of a number, which is unknown if the text is not one.
func number(text string) constant.Value {
	tok := token.INT
	if strings.ContainsAny(text, ".eE") {
		tok = token.FLOAT
	}
	digits, negative := strings.CutPrefix(text, "-")
	c := constant.MakeFromLiteral(digits, tok, 0)
	if negative && c.Kind() != constant.Unknown {
		c = constant.UnaryOp(token.SUB, c, 0)
	}
	return c
}

// representable reports whether a number is a value of the type, for floats after rounding, on the
// platform with the smallest integers.
func representable(c constant.Value, b *types.Basic) bool {
	if b.Info()&types.IsFloat != 0 {
		limit := math.MaxFloat64
		if b.Kind() == types.Float32 {
			limit = math.MaxFloat32
		}
		v, _ := constant.Float64Val(c)
		return c.Kind() != constant.Unknown && math.Abs(v) <= limit
	}
	c = constant.ToInt(c)
	if c.Kind() != constant.Int {
		return false
	}
	bits, signed := intBits(b)
	if signed {
		v, exact := constant.Int64Val(c)
		return exact && (bits == 64 || v >= -1<<(bits-1) && v < 1<<(bits-1))
	}
	v, exact := constant.Uint64Val(c)
	return exact && (bits == 64 || v < 1<<bits)
}

// intBits returns the size of an integer type and whether it is signed. For int and uint it returns
// the smaller size, because a constant must fit on all platforms.
func intBits(b *types.Basic) (bits int, signed bool) {
	return model.Bits(b, "386"), b.Info()&types.IsUnsigned == 0
}

// keyLiteral returns the constant for a map key as Go source. JSON writes integer keys as strings.
func keyLiteral(key types.Type, name string) (string, bool) {
	b := basic(key)
	switch {
	case b == nil || model.WritesItself(key):
		return "", false
	case b.Info()&types.IsString != 0:
		return strconv.Quote(name), true
	case b.Info()&types.IsInteger != 0:
		c := number(name)
		// Only a string that encoding/json would write can be found.
		if c.Kind() != constant.Int || c.ExactString() != name || !representable(c, b) {
			return "", false
		}
		return name, true
	}
	return "", false
}

// basic returns the basic type under t, or nil.
func basic(t types.Type) *types.Basic {
	if t == nil {
		return nil
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsString|types.IsBoolean|types.IsInteger|types.IsFloat) == 0 {
		return nil
	}
	return b
}

// describe describes a type in terms of JSON, with the Go type where that helps.
func describe(t types.Type) string {
	name := ""
	if n, ok := types.Unalias(t).(*types.Named); ok {
		name = " (" + types.TypeString(n, (*types.Package).Name) + ")"
	}
	if model.WritesItself(t) {
		return "a value" + name
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return "an object" + name
	case *types.Map:
		return "a map" + name
	case *types.Slice:
		if model.IsBytes(t) {
			return "bytes" + name
		}
		return "a list" + name
	case *types.Array:
		return "a list" + name
	case *types.Interface:
		return "any value" + name
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return "a string" + name
		case u.Info()&types.IsBoolean != 0:
			return "a boolean" + name
		case u.Info()&types.IsInteger != 0:
			return "an integer" + name
		case u.Info()&types.IsFloat != 0:
			return "a number" + name
		}
	}
	return "a value of the Go type " + types.TypeString(t, (*types.Package).Name)
}

// fieldOps returns the operations that lead from a struct to one of its JSON members, through
// embedded structs.
func fieldOps(f *model.JSONField) []op {
	var ops []op
	for i, step := range f.Path {
		o := op{kind: opField, name: step.Name, typ: step.Type}
		if i == len(f.Path)-1 {
			o.absent = absenceOf(step)
			return append(ops, o)
		}
		ops = append(ops, o)
		if p, ok := types.Unalias(step.Type).(*types.Pointer); ok {
			ops = append(ops, op{kind: opDeref, typ: p.Elem()})
		}
	}
	return ops
}

// absenceOf returns when encoding/json omits a field. Pointers need no condition unless a method
// decides, because following them tests for nil anyway.
func absenceOf(f *model.Field) absence {
	if f.JSON.OmitEmpty {
		switch u := f.Type.Underlying().(type) {
		case *types.Basic, *types.Map, *types.Slice, *types.Interface:
			return ifEmpty
		case *types.Array:
			if u.Len() == 0 {
				return ifEmpty
			}
		}
	}
	if f.JSON.OmitZero {
		if model.HasIsZero(f.Type) {
			return ifIsZero
		}
		return ifZero
	}
	return never
}
