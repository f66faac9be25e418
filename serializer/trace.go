package serializer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// validateConverted defaults and validates an object that was converted from a document of the kind
// k, and locates the sources of invalid values in the document.
func (f *Factory) validateConverted(doc format.Document, k *runtime.Kind, obj runtime.Object,
	o *DecodeOptions,
) (runtime.FieldErrors, error) {
	to, err := f.scheme.KindOf(obj)
	if err != nil {
		return nil, err
	}
	if o.Default {
		if err := to.Default(obj); err != nil {
			return nil, atFile(o, problemAt(doc, err))
		}
	}
	errs := to.Validate(context.Background(), obj)
	if len(errs) == 0 {
		return nil, nil
	}
	t := newTracer(f.scheme, k, to, obj)
	locate(doc, errs, o, t.origin)
	return errs, nil
}

// These limits bound the tracing of errors in one document: the bytes of the objects that are
// converted, their number, and the time, because a conversion may take long even for a small
// object. Further errors are located by the names of the other version.
const (
	maxTracedBytes   = 4 << 20
	maxTracedObjects = 1000
	maxTracing       = time.Second
)

// tracer finds the field of a version from which a field of another version is made. It cannot
// inspect conversions, so it experiments: it changes the value of a field, converts the object
// back, and compares the results.
type tracer struct {
	scheme   *runtime.Scheme
	from, to *runtime.Kind
	obj      runtime.Object // the object, of the kind to

	now     func() time.Time
	begun   time.Time
	bytes   int // remaining bytes to read
	objects int // remaining objects to convert

	text, back []byte // the object in both versions, once they are needed
	backValue  any
	unusable   bool // the object cannot be converted back, or a limit is reached
}

func newTracer(s *runtime.Scheme, from, to *runtime.Kind, obj runtime.Object) *tracer {
	return &tracer{
		scheme: s, from: from, to: to, obj: obj,
		now: time.Now, begun: time.Now(), bytes: maxTracedBytes, objects: maxTracedObjects,
	}
}

// origin returns the path in the version of the document that corresponds to a path in the other
// version, or the same path if it cannot be determined.
func (t *tracer) origin(path *schema.Path) *schema.Path {
	if t.begin(); t.unusable {
		return path
	}
	steps := path.Steps()
	for n := len(steps); n > 0; n-- { // for a missing value, use the enclosing struct
		at := (*schema.Path)(nil).Append(steps[:n]...)
		// Each step reads the rest of the text, which is several times faster than a conversion.
		if t.spend(len(t.text) * n / 8); t.unusable {
			return path
		}
		start, end, ok := jsonwire.OffsetOf(t.text, at)
		if !ok {
			continue
		}
		for _, other := range others(t.text[start:end]) {
			if t.unusable {
				return path
			}
			changed := append(bytes.Clone(t.text[:start]), other...)
			if found := t.differs(append(changed, t.text[end:]...)); found != nil {
				return found
			}
		}
	}
	return path
}

// spend counts bytes read, and ends the tracing when a limit is exceeded.
func (t *tracer) spend(bytes int) {
	t.bytes -= bytes
	if t.bytes < 0 || t.objects < 0 || t.now().Sub(t.begun) > maxTracing {
		t.unusable = true
	}
}

// begin prepares the texts.
func (t *tracer) begin() {
	if t.text != nil || t.unusable {
		return
	}
	var err error
	if t.text, err = t.to.AppendJSON(nil, t.obj); err == nil {
		t.back, err = t.convert(t.text)
	}
	if t.unusable = err != nil; !t.unusable {
		t.backValue = jsonwire.NewReader(t.back, jsonwire.Options{}).Any()
	}
}

// convert returns an object, given as JSON of one version, as JSON of the other. Carried values are
// left in the annotation. A panic of a conversion is returned as an error: conversions may rely on
// values that every document has, and the objects tried here lack some.
func (t *tracer) convert(text []byte) (back []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("serializer: a conversion panics: %v", r)
		}
	}()
	t.objects--
	if t.spend(len(text)); t.unusable {
		return nil, schema.ErrLimit
	}
	obj := t.to.New()
	r := jsonwire.NewReader(text, jsonwire.Options{})
	if err := t.to.DecodeJSON(r, obj); err != nil {
		return nil, err
	}
	if r.End(); len(r.Problems()) > 0 {
		return nil, errors.New(r.Problems()[0].Message)
	}
	terms := conversion.NewScope(conversion.ScopeOptions{Sharing: true, CarryLimit: -1})
	out, err := t.scheme.ConvertWith(obj, t.from.GroupVersion(), terms)
	if err != nil {
		return nil, err
	}
	return t.from.AppendJSON(nil, out)
}

// differs returns the common path of all differences after an object with another value is
// converted. It returns nil if there are no differences or too many, or if the object cannot be
// converted.
func (t *tracer) differs(text []byte) *schema.Path {
	back, err := t.convert(text)
	if err != nil || bytes.Equal(back, t.back) {
		return nil
	}
	steps, _ := difference(t.backValue, jsonwire.NewReader(back, jsonwire.Options{}).Any())
	slices.Reverse(steps)
	return (*schema.Path)(nil).Append(steps...)
}

// others returns values to try instead of the given one: null, which most fields treat as unset,
// and one of the same type.
func others(value []byte) [][]byte {
	out := [][]byte{[]byte("null")}
	switch value[0] {
	case '"':
		out = append(out, []byte(`"x"`), []byte(`"1"`), []byte(`"2"`))
	case 't':
		out = append(out, []byte("false"))
	case 'f':
		out = append(out, []byte("true"))
	case '{':
		out = append(out, []byte("{}"))
	case '[':
		out = append(out, []byte("[]"))
	default:
		out = append(out, []byte("1"), []byte("2"))
	}
	return out
}

// difference returns the steps, in reverse order, of the longest path that contains all differences
// between two values, and whether there are any. It visits each part of the values once.
func difference(a, b any) (steps []schema.Step, differ bool) {
	only := schema.Step{}
	several := false
	child := func(step schema.Step, a, b any) {
		switch below, found := difference(a, b); {
		case found && differ:
			several = true
		case found:
			steps, only, differ = below, step, true
		}
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return nil, true
		}
		for name := range a {
			other, ok := b[name]
			if !ok {
				other = absent{}
			}
			child(schema.Step{Kind: schema.StepField, Name: name}, a[name], other)
		}
		for name := range b {
			if _, ok := a[name]; !ok {
				child(schema.Step{Kind: schema.StepField, Name: name}, absent{}, b[name])
			}
		}
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return nil, true
		}
		for i := range a {
			child(schema.Step{Kind: schema.StepIndex, Index: i}, a[i], b[i])
		}
	default:
		return nil, !reflect.DeepEqual(a, b)
	}
	if several {
		return nil, true
	}
	if differ {
		steps = append(steps, only)
	}
	return steps, differ
}

// absent represents the value of a member that only the other object has.
type absent struct{}
