package runtime

import (
	"encoding"
	"errors"
	"reflect"
	"slices"
	"sync"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
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

// forgetRepeated removes secrets that are declared again.
func (w *build) forgetRepeated() {
	known := make(map[sensitiveField]bool, len(w.sensitive))
	w.sensitive = sorted.Delete(w.sensitive, func(f sensitiveField) bool {
		repeated := known[f]
		known[f] = true
		return repeated
	})
}

// secrets are the indexes of the sensitive fields of structs. They are found when they are first
// needed, because most programs never do and looking fields up takes as long as building a scheme.
type secrets struct {
	once   sync.Once
	fields map[reflect.Type][][]int
	err    error // about fields that do not exist

	members sync.Map // from reflect.Type to map[string]secretPlace, see membersOf
}

// sensitiveFields returns the indexes of the sensitive fields of structs, and an error if some of
// those that are declared do not exist.
func (s *Scheme) sensitiveFields() (map[reflect.Type][][]int, error) {
	found := &s.secrets
	found.once.Do(func() {
		var errs []error
		wrong := func(f sensitiveField, reason string) {
			errs = append(errs, &conflictError{
				What: "the sensitive field " + f.name + " of " + typeName(f.typ), First: reason,
			})
		}
		found.fields = make(map[reflect.Type][][]int, len(s.registered.sensitive))
		for _, declared := range s.registered.sensitive {
			if declared.typ.Kind() != reflect.Struct {
				wrong(declared, "it is not a struct")
			} else if f, ok := secretField(declared.typ, declared.name); !ok {
				wrong(declared, "it has no such field")
			} else {
				found.fields[declared.typ] = append(found.fields[declared.typ], f.Index)
			}
		}
		found.err = errors.Join(errs...)
	})
	return found.fields, found.err
}

// secretField returns the field with a name in JSON, or the embedded struct with a Go name, which
// may be unexported.
func secretField(t reflect.Type, name string) (reflect.StructField, bool) {
	if f, ok := fieldNamed(t, name); ok {
		return f, true
	}
	f, ok := t.FieldByName(name)
	return f, ok && f.Anonymous
}

// Redact returns a copy of an object for logs, in which the values of sensitive fields are
// replaced: texts and bytes by "<redacted>", keys and the number of elements stay, and everything
// else becomes zero. Objects in a [RawExtension] or an [Embedded] are redacted if the scheme knows
// their kind, and only state their kind otherwise; so are those in a RawExtension of
// k8s.io/apimachinery. The annotation with the configuration that kubectl applied last is redacted
// too, and managed fields do not list what they manage, because elements of lists are in it.
//
// It is an error if the kind has no Go type, because its sensitive fields are not known then, or if
// a field that is declared with [AddSensitive] does not exist, which [Scheme.Check] reports too.
func (s *Scheme) Redact(obj Object) (Object, error) {
	_, out, err := s.redact(obj)
	return out, err
}

// redact is Redact, and returns the kind of the copy.
func (s *Scheme) redact(obj Object) (*Kind, Object, error) {
	k, obj, err := s.typed(obj)
	if err != nil {
		return nil, nil, err
	}
	if k.untyped {
		return nil, nil, &ObjectError{
			Object: k.String(), Reason: "the kind has no Go type, so its secrets are not known",
		}
	}
	fields, err := s.sensitiveFields()
	if err != nil {
		return nil, nil, err
	}
	out, err := k.DeepCopy(obj)
	if err != nil {
		return nil, nil, err
	}
	redaction{s, fields}.value(reflect.ValueOf(out), false)
	return k, out, nil
}

// redaction replaces the secrets in a copy of an object.
type redaction struct {
	scheme *Scheme
	fields map[reflect.Type][][]int // see secrets
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
		} else if !v.IsNil() {
			own := settable(v.Elem())
			r.value(own, false)
			v.Set(own)
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
	switch {
	case t == rawExtensionType:
		r.embedded(v.Addr().Interface().(*RawExtension))
		return
	case holdsObject(t):
		r.foreign(v.FieldByName("Raw"), v.FieldByName("Object"))
		return
	}
	secrets := r.fields[t]
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.IsExported() || f.Anonymous: // the fields of an embedded struct may be exported
			sensitive := managedSet(t, f) ||
				slices.ContainsFunc(secrets, func(at []int) bool { return len(at) == 1 && at[0] == i })
			r.value(reflect.NewAt(f.Type, v.Field(i).Addr().UnsafePointer()).Elem(), secret || sensitive)
		case secret:
			v.SetZero() // what unexported fields contain cannot be seen
			return
		}
	}
	for _, at := range secrets {
		if f, err := v.FieldByIndexErr(at); err == nil && len(at) > 1 {
			r.value(f, true)
		}
	}
}

// managedSet reports whether a field of a struct lists managed fields.
func managedSet(t reflect.Type, f reflect.StructField) bool {
	return f.Name == "FieldsV1" && t.Name() == "ManagedFieldsEntry"
}

func (r redaction) entries(v reflect.Value, secret bool) {
	for entry := v.MapRange(); entry.Next(); {
		key, own := entry.Key(), settable(entry.Value())
		r.value(own, secret || key.Kind() == reflect.String && key.String() == lastApplied)
		v.SetMapIndex(key, own)
	}
}

// settable returns a variable with a value.
func settable(v reflect.Value) reflect.Value {
	own := reflect.New(v.Type()).Elem()
	own.Set(v)
	return own
}

// embedded redacts an object inside another.
func (r redaction) embedded(e *RawExtension) {
	obj, err := e.object(r.scheme)
	if err == nil && obj == nil {
		e.Object = nil // Raw, which takes precedence, is null
		return
	}
	var k *Kind
	if err == nil {
		k, obj, err = r.scheme.redact(obj)
	}
	if err != nil {
		*e = RawExtension{Raw: kindAlone(e.statedType())}
		return
	}
	e.hold(r.scheme, k, obj)
}

// holdsObject reports whether a type is like the RawExtension of k8s.io/apimachinery: it holds an
// object as JSON, or decoded.
func holdsObject(t reflect.Type) bool {
	if t.NumField() != 2 {
		return false
	}
	raw, hasRaw := t.FieldByName("Raw")
	object, hasObject := t.FieldByName("Object")
	return hasRaw && hasObject && raw.Type == reflect.TypeFor[[]byte]() && object.Type.Kind() == reflect.Interface
}

// foreign redacts an object in a type like RawExtension, and leaves it there as JSON.
func (r redaction) foreign(raw, object reflect.Value) {
	e := RawExtension{Raw: raw.Bytes()}
	if raw.IsNil() && !object.IsNil() {
		obj := object.Elem().Interface()
		e.Object = obj
		if k, err := r.scheme.KindOf(obj); err == nil {
			e.table = k.table
		}
	}
	if e.IsZero() {
		return
	}
	r.embedded(&e)
	text, err := AppendJSONRawExtension(nil, &e)
	if err != nil {
		text = kindAlone("", "")
	}
	raw.SetBytes(text)
	object.SetZero()
}

// statedType returns the kind that an object states, or under which it is held; blank if unknown.
func (e *RawExtension) statedType() (apiVersion, kind string) {
	switch {
	case e.Raw == nil && e.table.spec != nil:
		gvk := e.table.spec.GroupVersionKind
		return gvk.APIVersion(), gvk.Kind
	case pbwire.HasMagic(e.Raw):
		in, _ := pbwire.ParseEnvelope(e.Raw) // with the parts before an error
		return string(in.APIVersion), string(in.Kind)
	}
	apiVersion, kind, _ = jsonwire.SniffType(e.Raw) // blank after an error
	return apiVersion, kind
}

// kindAlone returns the JSON of an object with a kind and an apiVersion, and nothing else.
func kindAlone(apiVersion, kind string) []byte {
	if apiVersion == "" && kind == "" {
		return []byte("{}")
	}
	out := jsonwire.AppendString([]byte(`{"kind":`), kind)
	return append(jsonwire.AppendString(append(out, `,"apiVersion":`...), apiVersion), '}')
}
