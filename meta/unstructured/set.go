package unstructured

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// root is the mutable tree of an object. It is an object, and its apiVersion, kind and metadata, if
// present, are two strings and an object; all methods preserve that. The zero root is an object
// without members.
type root struct{ view }

// emptyObject is an object without members, and emptyArray an array without elements.
var (
	emptyObject = view{n: uint64(TypeObject) << typeShift}
	emptyArray  = view{n: uint64(TypeArray) << typeShift}
)

// tree returns the root as an object.
func (r *root) tree() view {
	if r.typ() != TypeObject {
		return emptyObject
	}
	return r.view
}

// Set copies a value to the end of a path and creates missing containers on the way: an object for
// a name, and an array for the step "-". In an array, "-" and the index equal to its length append
// an element.
//
// A value is nil, a boolean, a number, a string, a slice or map of such values, a [Value], an
// [*Object] or a [*List]; any other value is converted by its own JSON methods. Set returns an
// error, and changes nothing, if the value cannot be converted to JSON, if a value on the way has
// no members, if an index is out of range, or if the object would become malformed: apiVersion and
// kind must be strings, and metadata an object.
func (r *root) Set(value any, path ...string) error {
	b := newBuilder()
	defer b.release()
	v, err := b.from(value, 0)
	if err != nil {
		return err.under(r.tree(), path)
	}
	return r.put(b.flush(v), path)
}

// put is Set for a value that is not shared.
func (r *root) put(v view, path []string) error {
	if err := checkMember(r.tree(), v, path); err != nil {
		return err
	}
	if len(path) == 0 {
		r.view = v
		return nil
	}
	r.view = r.tree()
	return put(&r.view, r.view, v, path, 0)
}

// checkMember rejects values that would make the object malformed.
func checkMember(tree, v view, path []string) error {
	switch len(path) {
	case 0:
		if v.typ() != TypeObject {
			return wrongType(tree, path, "an object", v)
		}
		for _, m := range v.members() {
			if err := checkMember(tree, m.v, []string{m.key.text}); err != nil {
				return err
			}
		}
	case 1:
		want := memberType(path[0])
		if t := v.typ(); want != TypeNull && t != want && t != TypeNull {
			return wrongType(tree, path, want.String(), v)
		}
	}
	return nil
}

// memberType returns the type that a member of an object must have, or TypeNull for any type.
func memberType(name string) Type {
	switch name {
	case "apiVersion", "kind":
		return TypeString
	case "metadata":
		return TypeObject
	}
	return TypeNull
}

// put writes v to the end of path, where at is the value after depth steps. It changes nothing if
// it fails.
func put(at *view, tree, v view, path []string, depth int) error {
	if depth == len(path) {
		*at = v
		return nil
	}
	name := path[depth]
	switch at.typ() {
	case TypeNull:
		*at = nested(v, path[depth:])
		return nil
	case TypeObject:
		members := at.members()
		i, ok := search(members, name)
		if ok {
			return put(&members[i].v, tree, v, path, depth+1)
		}
		*at = objectView(sorted.Insert(members, i, member{intern(name), nested(v, path[depth+1:])}))
		return nil
	case TypeArray:
		elements := at.elements()
		i, ok := index(name)
		if name == "-" {
			i, ok = len(elements), true
		}
		switch {
		case !ok:
			return blocked(tree, *at, path[:depth], name)
		case i < len(elements):
			return put(&elements[i], tree, v, path, depth+1)
		case i > len(elements):
			return &AccessError{
				Path: pathOf(tree, path[:depth]), Err: runtime.ErrOutOfRange,
				Message: fmt.Sprintf("index %d is out of range of the array, which has %d elements", i, len(elements)),
			}
		}
		*at = arrayView(append(elements, nested(v, path[depth+1:])))
		return nil
	}
	return blocked(tree, *at, path[:depth], name)
}

// nested wraps v in the containers for the steps.
func nested(v view, steps []string) view {
	for _, name := range slices.Backward(steps) {
		if name == "-" {
			v = arrayView([]view{v})
		} else {
			v = objectView([]member{{intern(name), v}})
		}
	}
	return v
}

// Delete removes the value at the end of a path, and reports whether it existed. Later elements
// move up. A value on the way that has no members is an [*AccessError]. Without steps it removes
// all members.
//
// Memory that the deleted value shares with other parts of the tree is freed only by copying the
// object, see Clone.
func (r *root) Delete(path ...string) (found bool, err error) {
	if len(path) == 0 {
		found = r.Len() > 0
		r.view = emptyObject
		return found, nil
	}
	r.view = r.tree()
	at := &r.view
	for i, name := range path {
		switch at.typ() {
		case TypeObject:
			members := at.members()
			at0, ok := search(members, name)
			if ok && i == len(path)-1 {
				*at = objectView(without(members, at0))
				return true, nil
			}
			if !ok {
				return false, nil
			}
			at = &members[at0].v
			continue
		case TypeArray:
			elements := at.elements()
			at0, ok := index(name)
			if ok && at0 < len(elements) && i == len(path)-1 {
				*at = arrayView(without(elements, at0))
				return true, nil
			}
			if ok && at0 < len(elements) {
				at = &elements[at0]
				continue
			}
		}
		return false, blocked(r.view, *at, path[:i], name)
	}
	return false, nil
}

// without returns a copy of s without element i. It does not modify the array of s, because values
// taken from the object refer to it.
func without[E any](s []E, i int) []E {
	out := make([]E, 0, len(s)-1)
	return append(append(out, s[:i]...), s[i+1:]...)
}

// maxDepth is the maximum nesting of values that are put into an object.
const maxDepth = 10000

// from copies a Go value.
func (b *builder) from(value any, depth int) (view, *AccessError) {
	if depth > maxDepth {
		return view{}, &AccessError{
			Err:     runtime.ErrLimit,
			Message: fmt.Sprintf("the value is nested deeper than %d levels", maxDepth),
		}
	}
	switch v := value.(type) {
	case nil:
		return view{}, nil
	case string:
		return b.string(v), nil
	case bool:
		if v {
			return scalarView(TypeBool, 1), nil
		}
		return scalarView(TypeBool, 0), nil
	case int64:
		return scalarView(TypeInt64, uint64(v)), nil
	case int:
		return scalarView(TypeInt64, uint64(v)), nil
	case int32:
		return scalarView(TypeInt64, uint64(v)), nil
	case uint64:
		return unsignedView(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return view{}, &AccessError{Err: runtime.ErrInvalidValue, Message: "JSON has no number " +
				strconv.FormatFloat(v, 'g', -1, 64)}
		}
		return scalarView(TypeFloat64, math.Float64bits(v)), nil
	case map[string]any:
		return fromMap(b, v, depth)
	case map[string]string:
		return fromMap(b, v, depth)
	case []any:
		return fromSlice(b, v, depth)
	case []string:
		return fromSlice(b, v, depth)
	case []map[string]any:
		return fromSlice(b, v, depth)
	case Value:
		return b.copy(v.view), nil
	case *Object:
		if v == nil {
			return view{}, nil
		}
		return b.copy(v.tree()), nil
	case *List:
		if v == nil {
			return view{}, nil
		}
		return b.copy(v.tree()), nil
	case Object:
		return b.copy(v.tree()), nil
	}
	return b.fromJSON(value)
}

// unsignedView returns an integer of the type that readers would use for it.
func unsignedView(v uint64) view {
	if v <= math.MaxInt64 {
		return scalarView(TypeInt64, v)
	}
	return scalarView(TypeUint64, v)
}

func fromMap[V any](b *builder, m map[string]V, depth int) (view, *AccessError) {
	if m == nil {
		return view{}, nil
	}
	base := b.open()
	for name, value := range m {
		v, err := b.from(value, depth+1)
		if err != nil {
			b.pop(base)
			return view{}, err.under(objectView([]member{{newKey(name), view{}}}), []string{name})
		}
		b.push(b.keys.get(name), v)
	}
	return b.object(base, false), nil
}

func fromSlice[V any](b *builder, s []V, depth int) (view, *AccessError) {
	if s == nil {
		return view{}, nil
	}
	base := b.open()
	for i, value := range s {
		v, err := b.from(value, depth+1)
		if err != nil {
			b.pop(base)
			return view{}, err.under(emptyArray, []string{strconv.Itoa(i)})
		}
		b.push(nil, v)
	}
	return b.array(base), nil
}

// fromJSON converts a value through its JSON.
func (b *builder) fromJSON(value any) (view, *AccessError) {
	text, err := jsonwire.AppendAny(nil, value)
	if err != nil {
		return view{}, &AccessError{Err: runtime.ErrInvalidValue, Message: fmt.Sprintf("a %T has no JSON: %s", value,
			schema.MessageOf(err))}
	}
	r := jsonwire.NewReader(text, jsonwire.Options{})
	v := b.read(r, anything)
	r.End()
	if problems := r.Problems(); len(problems) > 0 {
		return view{}, &AccessError{
			Err:     runtime.CauseOf(problems[0].Code),
			Message: fmt.Sprintf("a %T wrote unusable JSON: %s", value, problems[0].Message),
		}
	}
	return v, nil
}

// copy copies a value.
func (b *builder) copy(v view) view {
	switch v.typ() {
	case TypeString:
		return b.string(v.text())
	case TypeArray:
		base := b.open()
		for _, e := range v.elements() {
			b.push(nil, b.copy(e))
		}
		return b.array(base)
	case TypeObject:
		base := b.open()
		for _, m := range v.members() {
			b.push(m.key, b.copy(m.v))
		}
		return b.object(base, true)
	}
	return v
}
