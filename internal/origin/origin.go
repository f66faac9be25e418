// Package origin finds out which field of one version of an object a conversion makes a field of
// another version from, so that a mistake is reported where its author can correct it. It cannot
// inspect conversions, so it experiments: it changes the value of a field, converts the object
// back, and compares the results.
package origin

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Limits bound what a [Tracer] does for one object: the bytes of the objects that are converted,
// their number, and the time, because a conversion may take long even for a small object.
type Limits struct {
	Bytes   int
	Objects int
	Time    time.Duration
}

// Tracer finds the field of a version from which a field of another version is made. It must not be
// used concurrently.
type Tracer struct {
	scheme   *runtime.Scheme
	from, to *runtime.Kind
	obj      runtime.Object // the object, of the kind to

	begun time.Time
	left  Limits // Bytes and Objects are what remains to be read and converted

	text, back []byte // the object in both versions, once they are needed
	backValue  any
	unusable   bool // the object cannot be converted back, or a limit is reached
}

// New returns a Tracer for an object of the kind to, which was converted from the kind from. The
// object must not be modified while the Tracer is used.
func New(s *runtime.Scheme, from, to *runtime.Kind, obj runtime.Object, l Limits) *Tracer {
	return &Tracer{scheme: s, from: from, to: to, obj: obj, begun: time.Now(), left: l}
}

// Of returns the path in the version from that corresponds to a path in the version to. A value
// that is missing is added to find out; if that has no effect, the path is that of the struct
// around it. Of returns the same path and false if nothing in the version from corresponds to it,
// if the object cannot be converted back, or if a limit has been reached.
func (t *Tracer) Of(path *schema.Path) (*schema.Path, bool) {
	if t.begin(); t.unusable {
		return path, false
	}
	steps := path.Steps()
	for n := len(steps); n > 0; n-- { // for a missing value, use the enclosing struct
		at := (*schema.Path)(nil).Append(steps[:n]...)
		// Each step reads the rest of the text, which is several times faster than a conversion.
		if t.spend(len(t.text) * n / 8); t.unusable {
			return path, false
		}
		start, end, ok := jsonwire.OffsetOf(t.text, at)
		if !ok {
			continue
		}
		var tries [][]byte
		if n == len(steps)-1 {
			tries = with(t.text[start:end], steps[n])
		}
		for _, other := range append(tries, others(t.text[start:end])...) {
			if t.unusable {
				return path, false
			}
			changed := append(bytes.Clone(t.text[:start]), other...)
			if found := t.differs(append(changed, t.text[end:]...)); found != nil {
				return found, true
			}
		}
	}
	return path, false
}

// spend counts bytes read, and ends the tracing when a limit is exceeded.
func (t *Tracer) spend(bytes int) {
	t.left.Bytes -= bytes
	if t.left.Bytes < 0 || t.left.Objects < 0 || time.Since(t.begun) > t.left.Time {
		t.unusable = true
	}
}

// begin prepares the texts.
func (t *Tracer) begin() {
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
func (t *Tracer) convert(text []byte) (back []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("origin: a conversion panics: %v", r)
		}
	}()
	t.left.Objects--
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
func (t *Tracer) differs(text []byte) *schema.Path {
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

// with returns an object with one more member, once for each type that the member may have. It
// returns nil if the step leads into something else.
func with(object []byte, member schema.Step) (out [][]byte) {
	if object[0] != '{' || member.Kind != schema.StepField {
		return nil
	}
	comma := ","
	if len(bytes.TrimSpace(object[1:])) == 1 {
		comma = ""
	}
	for _, value := range []string{`"x"`, `"1"`, "1", "true", "{}", "[]"} {
		begin := append(jsonwire.AppendString([]byte{'{'}, member.Name), ":"+value+comma...)
		out = append(out, append(begin, object[1:]...))
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
