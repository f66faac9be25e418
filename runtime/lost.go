package runtime

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
)

// lostFields finds the values of an object that an edge drops. The paths of the declared losses are
// resolved when the first conversion reports them.
type lostFields struct {
	edge     *conversionEdge
	from, to *Kind

	resolve sync.Once
	fields  []lostField
}

// lostField is a field that the target does not have.
type lostField struct {
	steps  []lostStep
	reason string
}

// lostStep leads from a struct to a field, or from a list or map to all of its elements if the
// index is nil.
type lostStep struct {
	name  string
	index []int
}

// lostBetween returns the fields that an edge between two kinds drops, or nil if there are none.
func lostBetween(e *conversionEdge, from, to *Kind) *lostFields {
	for _, l := range e.losses {
		if !l.Partial {
			return &lostFields{edge: e, from: from, to: to}
		}
	}
	return nil
}

// report reports the values of an object that the edge drops to the function of the scope.
func (l *lostFields) report(in Object, scope *conversion.Scope) {
	l.resolve.Do(func() {
		for _, loss := range l.edge.losses {
			if steps, ok := lostSteps(l.edge.from(), loss.Path); ok && !loss.Partial {
				l.fields = append(l.fields, lostField{steps, loss.Reason})
			}
		}
	})
	for _, f := range l.fields {
		f.find(reflect.ValueOf(in), f.steps, nil, func(path *schema.Path, v reflect.Value) {
			scope.Dropped(conversion.DroppedValue{
				Kind: l.from.apiVersion + "/" + l.from.Name(), Path: path.String(),
				To: l.to.apiVersion + "/" + l.to.Name(), Reason: f.reason, Value: v.Interface(),
			})
		})
	}
}

// find calls found with the path and value of each field that is set.
func (f lostField) find(v reflect.Value, steps []lostStep, path *schema.Path, found func(*schema.Path, reflect.Value)) {
	if len(steps) == 0 {
		if isSet(v) {
			found(path, v)
		}
		return
	}
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	s := steps[0]
	switch {
	case s.index != nil:
		if v, err := v.FieldByIndexErr(s.index); err == nil { // no error, unless an embedded pointer is nil
			f.find(v, steps[1:], path.Child(s.name), found)
		}
	case v.Kind() == reflect.Map:
		names := map[string]reflect.Value{}
		for entry := v.MapRange(); entry.Next(); {
			names[fmt.Sprint(entry.Key())] = entry.Value()
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			f.find(names[name], steps[1:], path.Key(name), found)
		}
	default:
		for i := range v.Len() {
			f.find(v.Index(i), steps[1:], path.Index(i), found)
		}
	}
}

// isSet reports whether a value differs from that of an object without the field.
func isSet(v reflect.Value) bool {
	if k := v.Kind(); k == reflect.Slice || k == reflect.Map {
		return v.Len() > 0
	}
	return !v.IsZero()
}

// lostSteps returns the steps to the place of a loss in objects of a type, in which [*] stands for
// all elements of a list or map. It returns false if the type has no such place.
func lostSteps(t reflect.Type, path string) ([]lostStep, bool) {
	p, err := schema.ParsePath(path)
	if err != nil {
		return nil, false
	}
	var out []lostStep
	for _, s := range p.Steps() {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch k := t.Kind(); {
		case s.Kind == schema.StepField && k == reflect.Struct:
			f, ok := fieldNamed(t, s.Name)
			if !ok {
				return nil, false
			}
			out, t = append(out, lostStep{s.Name, f.Index}), f.Type
		case s.Kind == schema.StepKey && s.Name == "*" &&
			(k == reflect.Slice || k == reflect.Array || k == reflect.Map):
			out, t = append(out, lostStep{}), t.Elem()
		default:
			return nil, false
		}
	}
	return out, len(out) > 0
}

// fieldNamed returns the exported field with a name in JSON, or with a Go name if it has none in
// JSON. The fields of embedded structs count, unless nearer ones have the same name.
func fieldNamed(t reflect.Type, name string) (found reflect.StructField, ok bool) {
	for _, f := range reflect.VisibleFields(t) {
		tag, _, options := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "" || tag == "-" && !options {
			tag = f.Name
		}
		if tag == name && f.IsExported() && (!ok || len(f.Index) < len(found.Index)) {
			found, ok = f, true
		}
	}
	return found, ok
}
