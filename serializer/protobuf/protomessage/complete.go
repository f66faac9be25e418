package protomessage

import (
	"reflect"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Message is the constraint for pointers to generated structs.
type Message[T any] interface {
	*T
	proto.Message
}

// Complete returns the spec with missing functions filled in: AppendJSONFields, DecodeJSON,
// PrependProto, DecodeProto, DeepCopyInto, and TypeMeta if the message has the fields for it. The
// argument is not modified.
func Complete[T any, M Message[T]](spec runtime.KindSpec[T]) *runtime.KindSpec[T] {
	c := &codec{
		message: M(new(T)).ProtoReflect().Descriptor(), gvk: spec.GroupVersionKind,
		costs: sync.OnceValue(func() costs { return costsOf(M(new(T)).ProtoReflect()) }),
	}
	if spec.TypeMeta == nil {
		spec.TypeMeta = typeMeta[T](c.message)
	}
	c.typed = spec.TypeMeta != nil
	if spec.AppendJSONFields == nil {
		spec.AppendJSONFields = func(dst []byte, in *T) ([]byte, error) { return c.appendJSON(dst, M(in)) }
	}
	if spec.DecodeJSON == nil {
		spec.DecodeJSON = func(r *jsonwire.Reader, out *T) { c.decodeJSON(r, M(out)) }
	}
	if spec.PrependProto == nil {
		spec.PrependProto = func(w *pbwire.Writer, in *T) { c.prependProto(w, M(in)) }
	}
	if spec.DecodeProto == nil {
		spec.DecodeProto = func(r *pbwire.Reader, out *T) { c.decodeProto(r, M(out)) }
	}
	if spec.DeepCopyInto == nil {
		spec.DeepCopyInto = func(in, out *T) {
			proto.Reset(M(out))
			proto.Merge(M(out), M(in))
		}
	}
	return &spec
}

// The JSON names of the fields that state the type of an object.
const (
	kindName       = "kind"
	apiVersionName = "apiVersion"
)

// typeField returns the field of a message that can hold the kind or the apiVersion, or nil if the
// message has no such field.
func typeField(m protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	f := m.Fields().ByJSONName(name)
	if f == nil || f.Kind() != protoreflect.StringKind || f.IsList() || f.HasPresence() {
		return nil
	}
	return f
}

// typeMeta returns the accessor of the two fields of the generated struct, or nil if it does not
// have them as plain strings.
func typeMeta[T any](m protoreflect.MessageDescriptor) func(*T) (apiVersion, kind *string) {
	apiVersion, kind := structField[T](typeField(m, apiVersionName)), structField[T](typeField(m, kindName))
	if apiVersion == nil || kind == nil {
		return nil
	}
	return func(obj *T) (a, k *string) {
		v := reflect.ValueOf(obj).Elem()
		return v.FieldByIndex(apiVersion).Addr().Interface().(*string),
			v.FieldByIndex(kind).Addr().Interface().(*string)
	}
}

// structField finds the string field of a generated struct for a field descriptor, by the tag that
// protoc-gen-go writes.
func structField[T any](f protoreflect.FieldDescriptor) []int {
	if f == nil {
		return nil
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		for part := range strings.SplitSeq(field.Tag.Get("protobuf"), ",") {
			if part == "name="+string(f.Name()) && field.Type == reflect.TypeFor[string]() && field.IsExported() {
				return field.Index
			}
		}
	}
	return nil
}
