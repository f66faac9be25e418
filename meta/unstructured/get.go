package unstructured

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// AccessError reports that a value does not have the form that a call requires, with its path.
// errors.Is finds its cause, and errors.AsType[*AccessError] the error.
type AccessError struct {
	_ struct{} // literals name their fields

	// Path leads to the value, from the object or value on which the method was called.
	Path *schema.Path
	// Err is the cause: runtime.ErrWrongType, runtime.ErrOutOfRange or runtime.ErrInvalidValue.
	Err error
	// Message describes what was expected and found.
	Message string
}

// Error implements error.
func (e *AccessError) Error() string {
	if p := e.Path.String(); p != "" {
		return "unstructured: " + schema.Shorten(p, 256) + ": " + e.Message
	}
	return "unstructured: " + e.Message
}

// Unwrap returns the cause.
func (e *AccessError) Unwrap() error { return e.Err }

// wrongType returns the error for the value at the end of path.
func wrongType(root view, path []string, want string, found view) *AccessError {
	return &AccessError{Path: pathOf(root, path), Err: runtime.ErrWrongType, Message: "expected " + want + ", found " +
		found.typ().String()}
}

// pathOf converts steps to a printable path: the existing containers determine which steps are
// indexes, and steps that do not exist are treated as fields.
func pathOf(root view, steps []string) *schema.Path {
	var p *schema.Path
	for _, step := range steps {
		if i, ok := index(step); ok && root.typ() == TypeArray {
			p = p.Index(i)
		} else {
			p = p.Member(step)
		}
		root, _ = root.step(step)
	}
	return p
}

// Steps returns the steps of a path in the form that the methods of this package accept.
func Steps(p *schema.Path) []string {
	steps := p.Steps()
	out := make([]string, len(steps))
	for i, s := range steps {
		if out[i] = s.Name; s.Kind == schema.StepIndex {
			out[i] = strconv.Itoa(s.Index)
		}
	}
	return out
}

// index parses a step as the index of an array: decimal digits without leading zeros, as in a JSON
// Pointer.
func index(step string) (int, bool) {
	if step == "" || len(step) > 9 || step[0] == '0' && step != "0" {
		return 0, false
	}
	n := 0
	for i := range len(step) {
		c := step[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int(c)
	}
	return n, true
}

// search returns the index of the member with a name, or the index where it would be inserted.
func search(members []member, name string) (int, bool) {
	return slices.BinarySearchFunc(members,
		name, func(m member, name string) int { return strings.Compare(m.key.text, name) })
}

// step follows one step, and returns false if there is no such value.
func (v view) step(name string) (view, bool) {
	switch v.typ() {
	case TypeObject:
		members := v.members()
		if i, ok := search(members, name); ok {
			return members[i].v, true
		}
	case TypeArray:
		elements := v.elements()
		if i, ok := index(name); ok && i < len(elements) {
			return elements[i], true
		}
	}
	return view{}, false
}

// find follows a path. Null on the way counts as missing; another value without members is an
// error.
func (v view) find(path []string) (view, bool, error) {
	at := v
	for i, name := range path {
		next, ok := at.step(name)
		if !ok {
			return view{}, false, blocked(v, at, path[:i], name)
		}
		at = next
	}
	return at, true, nil
}

// blocked returns an error if the value at the end of path cannot have a member or element of that
// name.
func blocked(root, at view, path []string, name string) error {
	switch at.typ() {
	case TypeNull, TypeObject:
		return nil
	case TypeArray:
		if _, ok := index(name); ok {
			return nil
		}
		return &AccessError{
			Path: pathOf(root, path), Err: runtime.ErrWrongType,
			Message: fmt.Sprintf("expected an object with %s, found an array", schema.Quote(name)),
		}
	}
	return wrongType(root, path, "an object with "+schema.Quote(name), at)
}

// lookup is find for methods that need a value of some type: null counts as missing.
func (v view) lookup(path []string) (view, bool, error) {
	at, found, err := v.find(path)
	return at, found && at.typ() != TypeNull, err
}

// Get returns the value at the end of a path. Steps are the names of members, and in arrays indexes
// in decimal, as in a JSON Pointer:
//
//	v, found, err := obj.Get("spec", "containers", "0", "image")
//
// Without steps it is the value itself. A value that does not exist is not found. A value on the
// way that is neither an object nor an array is an [*AccessError] with its path.
func (v view) Get(path ...string) (value Value, found bool, err error) {
	at, found, err := v.find(path)
	return Value{at}, found, err
}

// Has reports whether a value other than null exists at the end of a path.
func (v view) Has(path ...string) bool {
	_, found, _ := v.lookup(path)
	return found
}

// String returns the string at the end of a path. A value that does not exist or is null is not
// found; a value of another type is an [*AccessError] with its path.
func (v view) String(path ...string) (s string, found bool, err error) {
	at, found, err := v.lookup(path)
	if !found {
		return "", false, err
	}
	if at.typ() != TypeString {
		return "", false, wrongType(v, path, "a string", at)
	}
	return at.text(), true, nil
}

// Bool is [Value.String] for booleans.
func (v view) Bool(path ...string) (b, found bool, err error) {
	at, found, err := v.lookup(path)
	if !found {
		return false, false, err
	}
	if at.typ() != TypeBool {
		return false, false, wrongType(v, path, "a boolean", at)
	}
	return at.n != 0, true, nil
}

// Int64 is [Value.String] for integers. A number without a fraction is accepted in any spelling;
// one that does not fit is an error.
func (v view) Int64(path ...string) (i int64, found bool, err error) {
	at, found, err := v.lookup(path)
	if !found {
		return 0, false, err
	}
	switch at.typ() {
	case TypeInt64:
		return int64(at.n), true, nil
	case TypeFloat64:
		f := math.Float64frombits(at.n)
		if i, ok := integral(f); ok {
			return i, true, nil
		}
		if f == math.Trunc(f) {
			return 0, false, outOfRange(v, path, at, "int64")
		}
	case TypeUint64:
		return 0, false, outOfRange(v, path, at, "int64")
	}
	return 0, false, wrongType(v, path, "an integer", at)
}

// Uint64 is [Value.Int64] for non-negative integers.
func (v view) Uint64(path ...string) (u uint64, found bool, err error) {
	at, found, err := v.lookup(path)
	if !found {
		return 0, false, err
	}
	switch at.typ() {
	case TypeUint64:
		return at.n, true, nil
	case TypeInt64:
		if int64(at.n) < 0 {
			return 0, false, outOfRange(v, path, at, "uint64")
		}
		return at.n, true, nil
	case TypeFloat64:
		if f := math.Float64frombits(at.n); f == math.Trunc(f) {
			if f < 0 || f >= 1<<64 {
				return 0, false, outOfRange(v, path, at, "uint64")
			}
			return uint64(f), true, nil
		}
	}
	return 0, false, wrongType(v, path, "an integer", at)
}

// Float64 is [Value.String] for numbers. An integer that no float64 holds exactly is an error.
func (v view) Float64(path ...string) (f float64, found bool, err error) {
	at, found, err := v.lookup(path)
	if !found {
		return 0, false, err
	}
	exact := false
	switch at.typ() {
	case TypeFloat64:
		return math.Float64frombits(at.n), true, nil
	case TypeInt64:
		f = float64(int64(at.n))
		i, ok := integral(f)
		exact = ok && i == int64(at.n)
	case TypeUint64:
		f = float64(at.n)
		exact = f < 1<<64 && uint64(f) == at.n
	default:
		return 0, false, wrongType(v, path, "a number", at)
	}
	if !exact {
		return 0, false, outOfRange(v, path, at, "float64")
	}
	return f, true, nil
}

func outOfRange(root view, path []string, at view, typ string) *AccessError {
	return &AccessError{
		Path: pathOf(root, path), Err: runtime.ErrOutOfRange,
		Message: "number " + string(appendView(nil, at)) + " is out of range for " + typ,
	}
}

// Strings is [Value.String] for arrays of strings. The caller owns the slice.
func (v view) Strings(path ...string) (s []string, found bool, err error) {
	at, found, err := v.lookup(path)
	if !found {
		return nil, false, err
	}
	if at.typ() != TypeArray {
		return nil, false, wrongType(v, path, "an array of strings", at)
	}
	elements := at.elements()
	s = make([]string, len(elements))
	for i, e := range elements {
		if e.typ() != TypeString {
			return nil, false, wrongType(at, []string{strconv.Itoa(i)}, "a string", e).under(v, path)
		}
		s[i] = e.text()
	}
	return s, true, nil
}

// StringMap is [Value.String] for objects whose members are strings, such as labels. A member that
// is null is blank, as in typed objects. The caller owns the map.
func (v view) StringMap(path ...string) (m map[string]string, found bool, err error) {
	at, found, err := v.lookup(path)
	if !found {
		return nil, false, err
	}
	if at.typ() != TypeObject {
		return nil, false, wrongType(v, path, "an object of strings", at)
	}
	members := at.members()
	m = make(map[string]string, len(members))
	for _, e := range members {
		text, ok := e.v.entry()
		if !ok {
			return nil, false, wrongType(at, []string{e.key.text}, "a string", e.v).under(v, path)
		}
		m[e.key.text] = text
	}
	return m, true, nil
}

// entry returns the value of a member of a map of strings.
func (v view) entry() (string, bool) {
	switch v.typ() {
	case TypeString:
		return v.text(), true
	case TypeNull:
		return "", true
	}
	return "", false
}

// under prefixes the path of the error with steps.
func (e *AccessError) under(root view, path []string) *AccessError {
	e.Path = pathOf(root, path).Join(e.Path)
	return e
}

// Members yields the members of the object at the end of a path, in lexical order of their names. A
// value that does not exist or is null has no members; a value of another type is an [*AccessError]
// with its path.
func (v view) Members(path ...string) (iter.Seq2[string, Value], error) {
	at, found, err := v.lookup(path)
	if found && at.typ() != TypeObject {
		err = wrongType(v, path, "an object", at)
	}
	return membersSeq(at), err
}

// Elements yields the elements of the array at the end of a path with their indexes. A value that
// does not exist or is null has no elements; a value of another type is an [*AccessError] with its
// path.
func (v view) Elements(path ...string) (iter.Seq2[int, Value], error) {
	at, found, err := v.lookup(path)
	if found && at.typ() != TypeArray {
		err = wrongType(v, path, "an array", at)
	}
	return elementsSeq(at), err
}

// Len returns the number of members or elements of the object or array at the end of a path, or 0
// for any other value.
func (v view) Len(path ...string) int {
	at, _, _ := v.find(path)
	if t := at.typ(); t == TypeArray || t == TypeObject {
		return int(at.n & maxLen)
	}
	return 0
}
