package runtime

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// IsSensitive reports whether a path in objects of a kind leads to a value that [Scheme.Redact]
// replaces, or into one, so that messages must not show it. The kinds of objects in a
// [RawExtension] are not known from a path: in them, fields count that have the name in JSON of any
// sensitive field of the scheme. Kinds without a Go type have no sensitive fields.
func (s *Scheme) IsSensitive(k *Kind, path *schema.Path) bool {
	at := s.rootPlace(k)
	for _, step := range path.Steps() {
		if at = s.below(at, step.Name); at.state == placeSecret || at.state == placeNone {
			break
		}
	}
	return at.state == placeSecret
}

// RedactJSON appends the JSON of an object of a kind to dst, with <redacted> in place of numbers,
// booleans and texts for which [Scheme.IsSensitive] is true, and reports whether there are any. It
// is for people to read; see [Scheme.Redact] for a copy of the object.
func (s *Scheme) RedactJSON(dst []byte, k *Kind, text []byte) (out []byte, found bool, err error) {
	w := jsonRedaction{s, jsonwire.NewReader(text, jsonwire.Options{Room: math.MaxInt}), dst, false}
	w.value(s.rootPlace(k))
	if err := w.r.Err(); err != nil {
		return dst, false, err
	}
	return w.out, w.found, nil
}

type jsonRedaction struct {
	scheme *Scheme
	r      *jsonwire.Reader
	out    []byte
	found  bool
}

// value copies the next value.
func (w *jsonRedaction) value(at secretPlace) {
	kind := w.r.Kind()
	switch {
	case kind == '{':
		start := len(w.out)
		for key := w.r.Object(); key != nil; key = w.r.NextKey() {
			name := string(key)
			w.out = append(jsonwire.AppendString(append(w.out, ','), name), ':')
			w.value(w.scheme.below(at, name))
		}
		w.out = jsonwire.CloseObject(w.out, start)
	case kind == '[':
		w.out = append(w.out, '[')
		for i, more := 0, w.r.Array(); more; i, more = i+1, w.r.NextElem() {
			w.out = jsonwire.AppendComma(w.out, i)
			w.value(w.scheme.below(at, ""))
		}
		w.out = append(w.out, ']')
	case at.state == placeSecret && kind != 'n':
		w.r.Skip()
		w.found = true
		w.out = jsonwire.AppendString(w.out, redacted)
	case kind == 'n':
		w.r.Skip()
		w.out = append(w.out, "null"...)
	default:
		w.out = append(w.out, w.r.Raw()...)
	}
}

// secretPlace is a place in an object: a value of a Go type, or something without one.
type secretPlace struct {
	state placeState
	typ   reflect.Type // of a placeTyped, not a pointer
}

type placeState uint8

const (
	placeNone    placeState = iota // unknown, and not secret
	placeTyped                     // a value of a Go type
	placeUntyped                   // in an object of a kind without a Go type
	placeAny                       // in an object of any kind
	placeSecret                    // a secret, or in one
)

// rootPlace is the place of an object.
func (s *Scheme) rootPlace(k *Kind) secretPlace {
	switch {
	case k == nil:
		return secretPlace{}
	case k.untyped:
		return secretPlace{state: placeUntyped}
	}
	return placeOf(k.Type())
}

func placeOf(t reflect.Type) secretPlace {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if holdsAnyObject(t) {
		return secretPlace{state: placeAny}
	}
	return secretPlace{placeTyped, t}
}

// holdsAnyObject reports whether a struct holds an object whose kind is not known from its type.
func holdsAnyObject(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return false
	}
	first := t.Field(0)
	return t == rawExtensionType || holdsObject(t) || first.Anonymous && first.Type == rawExtensionType
}

// below returns the place of a member, or of an element of a list, whose name does not matter.
func (s *Scheme) below(at secretPlace, name string) secretPlace {
	if name == lastApplied && at.state != placeNone {
		return secretPlace{state: placeSecret}
	}
	switch at.state {
	case placeAny:
		if slices.ContainsFunc(s.registered.sensitive, func(f sensitiveField) bool { return f.name == name }) {
			return secretPlace{state: placeSecret}
		}
		return at
	case placeTyped:
		switch at.typ.Kind() {
		case reflect.Struct:
			return s.membersOf(at.typ)[name]
		case reflect.Map, reflect.Slice, reflect.Array:
			return placeOf(at.typ.Elem())
		}
		return secretPlace{}
	}
	return at
}

// membersOf returns the places of the members of a struct by their names.
func (s *Scheme) membersOf(t reflect.Type) map[string]secretPlace {
	if known, ok := s.secrets.members.Load(t); ok {
		return known.(map[string]secretPlace)
	}
	fields, _ := s.sensitiveFields() // an error is about fields that do not exist
	out := map[string]secretPlace{}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		name := cmp.Or(tag, f.Name)
		if own, ok := secretField(t, name); !ok || !slices.Equal(own.Index, f.Index) {
			continue // not the field of that name
		}
		if out[name] = placeOf(f.Type); sensitiveAlong(fields, t, f) {
			out[name] = secretPlace{state: placeSecret}
		}
	}
	known, _ := s.secrets.members.LoadOrStore(t, out)
	return known.(map[string]secretPlace)
}

// sensitiveAlong reports whether a field of a struct is sensitive, or an embedded struct that it is
// promoted from.
func sensitiveAlong(fields map[reflect.Type][][]int, t reflect.Type, f reflect.StructField) bool {
	for i, at := range f.Index {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		rest := f.Index[i:]
		own := t.Field(at)
		if managedSet(t, own) || slices.ContainsFunc(fields[t], func(declared []int) bool {
			return len(declared) <= len(rest) && slices.Equal(declared, rest[:len(declared)])
		}) {
			return true
		}
		t = own.Type
	}
	return false
}

// hiddenValue is what messages say about a sensitive value in place of its error.
const hiddenValue = "the value is invalid, and not shown because it is sensitive"

// hiddenError is an error about a sensitive value, which its text may contain.
type hiddenError struct{ err error }

func (e *hiddenError) Error() string {
	return hiddenValue
}

// Unwrap returns the error about the value.
func (e *hiddenError) Unwrap() error { return e.err }

// withoutSecrets returns the error of a conversion from a kind without the values of sensitive
// fields.
func (s *Scheme) withoutSecrets(k *Kind, err error) error {
	if err == nil || len(s.registered.sensitive) == 0 {
		return err
	}
	switch e := err.(type) {
	case *ConvertError:
		if from, ok := s.Lookup(e.From); ok {
			k = from
		}
		return &ConvertError{From: e.From, To: e.To, Err: s.withoutSecrets(k, e.Err)}
	case *schema.PathError:
		if _, ok := errors.AsType[*ConvertError](e.Err); ok {
			return &schema.PathError{Path: e.Path, Err: s.withoutSecrets(k, e.Err)}
		}
		if s.IsSensitive(k, e.Path) {
			return &schema.PathError{Path: e.Path, Err: &hiddenError{e.Err}}
		}
	}
	return err
}

// HideSensitive removes the values of sensitive fields from the messages of problems found in an
// object of a kind. Their causes remain.
func (s *Scheme) HideSensitive(k *Kind, problems []Problem) {
	if len(s.registered.sensitive) == 0 {
		return
	}
	for i := range problems {
		p := &problems[i]
		switch p.Cause {
		case ErrSyntax, ErrLimit, ErrUnknownField, ErrDuplicateField:
			continue // their messages have no values
		}
		if path, err := schema.ParsePath(p.Path); err != nil || !s.IsSensitive(k, path) {
			continue
		}
		p.Err = nil
		switch expected, _, ok := strings.Cut(p.Message, ", found "); {
		case p.Cause == ErrWrongType && ok:
			p.Message = expected
		case p.Cause == ErrOutOfRange:
			p.Message = "the number is out of range"
		default:
			p.Message = hiddenValue
		}
	}
}
