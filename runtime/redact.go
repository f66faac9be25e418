package runtime

import (
	"encoding"
	"reflect"
	"slices"

	"github.com/askind/askind/wire/jsonwire"
)

// redacted is written in place of secrets.
const redacted = "<redacted>"

// lastApplied is the annotation in which kubectl keeps the configuration of an object as text, with
// all secrets in it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// sensitiveField is a field of a struct that holds secrets.
type sensitiveField struct {
	typ  reflect.Type
	name string
}

// AddSensitive declares fields of a struct as secrets, by their names in JSON, for all objects that
// contain the struct. Generated code calls it for fields with the marker +askind:sensitive. See
// [Scheme.Redact].
func AddSensitive[T any](b *Builder, fields ...string) {
	b.addSensitive(reflect.TypeFor[T](), fields)
}

func (b *Builder) addSensitive(t reflect.Type, names []string) {
	for _, name := range names {
		b.sensitive = append(b.sensitive, sensitiveField{t, name})
	}
}

// checkSensitive removes repetitions and reports declared fields that do not exist.
func (w *build) checkSensitive() {
	known := map[sensitiveField]bool{}
	w.sensitive = slices.DeleteFunc(w.sensitive, func(f sensitiveField) bool {
		repeated := known[f]
		known[f] = true
		return repeated
	})
	for _, s := range w.sensitive {
		if s.typ.Kind() != reflect.Struct {
			w.conflict("the sensitive field "+s.name+" of "+typeName(s.typ), "it is not a struct", "")
		} else if _, ok := fieldNamed(s.typ, s.name); !ok {
			w.conflict("the sensitive field "+s.name+" of "+typeName(s.typ), "it has no such field", "")
		}
	}
}

// Redact returns a copy of an object for logs, in which the values of sensitive fields are
// replaced: texts and bytes by "<redacted>", keys and the number of elements stay, and everything
// else becomes zero. Objects in a [RawExtension] or an [Embedded] are redacted if the scheme knows
// their kind, and only state their kind otherwise. The annotation with the configuration that
// kubectl applied last is redacted too.
//
// It is an error if the kind has no Go type, because its sensitive fields are not known then.
func (s *Scheme) Redact(obj Object) (Object, error) {
	k, obj, err := s.typed(obj)
	if err != nil {
		return nil, err
	}
	if k.untyped {
		return nil, &ObjectError{Object: k.String(), Reason: "the kind has no Go type, so its secrets are not known"}
	}
	out, err := k.DeepCopy(obj)
	if err != nil {
		return nil, err
	}
	r := redaction{scheme: s, fields: map[reflect.Type][][]int{}}
	for _, f := range s.registered.sensitive {
		if found, ok := fieldNamed(f.typ, f.name); ok {
			r.fields[f.typ] = append(r.fields[f.typ], found.Index)
		}
	}
	r.value(reflect.ValueOf(out), false)
	return out, nil
}

// redaction is one call of Redact.
type redaction struct {
	scheme *Scheme
	fields map[reflect.Type][][]int // the sensitive fields of structs
}

var (
	rawExtensionType  = reflect.TypeFor[RawExtension]()
	jsonMarshalerType = reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// value redacts what is below a value, and the value itself if it is secret.
func (r redaction) value(v reflect.Value, secret bool) {
	if secret && hasOwnForm(v.Type()) {
		v.SetZero()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.value(v.Elem(), secret)
		}
	case reflect.Interface:
		if secret {
			v.SetZero()
		} else if !v.IsNil() && v.Elem().Kind() == reflect.Pointer {
			r.value(v.Elem(), false)
		}
	case reflect.Struct:
		r.structure(v, secret)
	case reflect.Map:
		r.entries(v, secret)
	case reflect.Slice, reflect.Array:
		switch {
		case v.Type().Elem().Kind() != reflect.Uint8:
			for i := range v.Len() {
				r.value(v.Index(i), secret)
			}
		case secret && v.Kind() == reflect.Slice && v.Len() > 0:
			v.SetBytes([]byte(redacted))
		case secret:
			v.SetZero()
		}
	case reflect.String:
		if secret && v.Len() > 0 {
			v.SetString(redacted)
		}
	default:
		if secret {
			v.SetZero()
		}
	}
}

// hasOwnForm reports whether the encoding of a type does not follow from its fields, so that a
// redacted value may not be a valid one.
func hasOwnForm(t reflect.Type) bool {
	return t.Implements(jsonMarshalerType) || t.Implements(textMarshalerType) || t == rawExtensionType
}

func (r redaction) structure(v reflect.Value, secret bool) {
	t := v.Type()
	if t == rawExtensionType {
		r.embedded(v.Addr().Interface().(*RawExtension))
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct:
			sensitive := slices.ContainsFunc(r.fields[t], func(at []int) bool { return len(at) == 1 && at[0] == i })
			r.value(v.Field(i), secret || sensitive)
		case secret:
			v.SetZero() // what unexported fields contain cannot be seen
			return
		}
	}
	for _, at := range r.fields[t] {
		if f, err := v.FieldByIndexErr(at); err == nil && len(at) > 1 {
			r.value(f, true)
		}
	}
}

func (r redaction) entries(v reflect.Value, secret bool) {
	for key, elem := range v.Seq2() {
		own := reflect.New(elem.Type()).Elem()
		own.Set(elem)
		r.value(own, secret || key.Kind() == reflect.String && key.String() == lastApplied)
		v.SetMapIndex(key, own)
	}
}

// embedded redacts an object inside another.
func (r redaction) embedded(e *RawExtension) {
	if e.IsZero() {
		return
	}
	obj, err := e.object(r.scheme)
	if err == nil && obj != nil {
		if obj, err = r.scheme.Redact(obj); err == nil {
			if out, err := r.scheme.Embed(obj); err == nil {
				*e = out
				return
			}
		}
	}
	*e = RawExtension{Raw: kindAlone(e.Raw)}
}

// kindAlone returns JSON with the kind and apiVersion of an object in JSON, and nothing else.
func kindAlone(raw []byte) []byte {
	apiVersion, kind, err := jsonwire.SniffType(raw)
	if err != nil {
		return []byte("{}")
	}
	out := jsonwire.AppendString([]byte(`{"kind":`), kind)
	return append(jsonwire.AppendString(append(out, `,"apiVersion":`...), apiVersion), '}')
}
