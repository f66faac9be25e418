package runtime

import (
	"context"
	"reflect"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Object is a non-nil pointer to a struct whose type a [Scheme] knows. It needs no methods: the
// package of the type does not have to import this module, and existing types can be registered
// unchanged. Its [Kind] provides what the type cannot express.
type Object = any

// Scope states whether the objects of a kind live in a namespace.
type Scope int

const (
	// Namespaced kinds have objects in namespaces. It is the zero value.
	Namespaced Scope = iota
	// Cluster kinds have objects outside of any namespace.
	Cluster
)

// String returns "Namespaced" or "Cluster", the words that API documents use.
func (s Scope) String() string {
	if s == Cluster {
		return "Cluster"
	}
	return "Namespaced"
}

// KindSpec declares a kind: its identity and a table of functions. Generated code declares one
// package variable for each kind, which the compiler initializes statically. In a hand-written
// spec, set only the fields that are needed. A spec belongs to the scheme once it has been added
// and must not be changed afterwards.
//
// Later versions of this module may add fields, so use field names in literals.
type KindSpec[T any] struct {
	// GroupVersionKind identifies the kind. Version and Kind must not be blank.
	GroupVersionKind schema.GroupVersionKind
	// Source is where the type is declared, as "import/path/file.go:line", for errors. Blank means
	// the caller of [AddKind].
	Source string
	// Resource is the lower-case plural in URLs ("machines"); Singular is its singular ("machine"),
	// by default the kind in lower case.
	Resource, Singular string
	// ShortNames are abbreviations for people ("mc"); Categories are names for groups of resources,
	// such as "all".
	ShortNames, Categories []string
	// Scope states whether objects live in namespaces. It is the same in all versions of a kind.
	Scope Scope
	// Storage marks the version in which objects of this group and kind are kept at rest. At most
	// one version may have the mark; if none has it, the preferred version is used.
	Storage bool
	// Shared makes the kind available in every group version of the scheme, like options and
	// Status.
	Shared bool
	// Status declares the subresource status: the field "status" is written only there.
	Status bool
	// Unserved prevents servers from serving this version, which can still be read and converted.
	Unserved bool
	// Deprecated is the warning for clients that use this version; blank if it is not deprecated.
	Deprecated string
	// SelectableFields are the fields by which clients may select objects, besides their name and
	// namespace, as JSON paths: ".spec.site".
	SelectableFields []string
	// List is the kind name of the list of this kind, in the same group version; blank if it has
	// none.
	List string
	// Item is, on a list kind, the kind name of its items in the same group version; blank when
	// items are of any kind.
	Item string
	// ABI is the [wire.Kinds] that the table was generated for. In hand-written specs 0 means the
	// current one.
	ABI int

	// TypeMeta returns pointers to the object's apiVersion and kind. Without it the kind has no
	// such fields, also when encoded. A struct that embeds its type meta must do so without a name
	// in JSON; building the scheme checks this if Source is blank.
	TypeMeta func(*T) (apiVersion, kind *string)
	// Metadata returns a pointer to the object's metadata, by convention to an ObjectMeta or, on
	// list kinds, to a ListMeta.
	Metadata func(*T) any
	// Items returns the items of a list kind: return (*Slice[E])(&list.Items).
	Items func(*T) Items
	// DeepCopyInto makes out a copy of in that shares no memory with it. Without it objects are
	// copied by reflection.
	DeepCopyInto func(in, out *T)
	// AppendJSONFields appends every field except kind and apiVersion to dst, each as
	// `,"name":value`. Without it the kind has no JSON.
	AppendJSONFields func(dst []byte, in *T) ([]byte, error)
	// DecodeJSON fills out from the next value of r. Without it the kind cannot be decoded from
	// JSON or YAML.
	DecodeJSON func(r *jsonwire.Reader, out *T)
	// PrependProto writes every field except kind and apiVersion as a protobuf message, from the
	// last field to the first. Without it the kind cannot be written as protobuf.
	PrependProto func(w *pbwire.Writer, in *T)
	// DecodeProto merges the remaining fields of the current message of r into out. Without it the
	// kind cannot be decoded from protobuf.
	DecodeProto func(r *pbwire.Reader, out *T)
	// Default sets fields that are unset to their defaults.
	Default func(*T) error
	// Validate returns the violations in an object.
	Validate func(context.Context, *T) FieldErrors
	// Export clears server-populated fields: fields that a user neither writes nor wants to keep,
	// such as the status. See [Kind.Export].
	Export func(*T)
	// OmitDefaults unsets the fields of an object that have the value that Default would set, such
	// that Default restores all of them. With it, [Kind.Export] does not have to find these fields
	// by trial.
	OmitDefaults func(*T)
	// ValidateChange returns the violations in an object that is to replace old. It does not check
	// unchanged values again. If old is nil it does what Validate does. Without ValidateChange,
	// Validate checks changed objects too.
	ValidateChange func(ctx context.Context, in, old *T) FieldErrors
	// SchemaName is the name of the schema of the objects among Schemas.
	SchemaName string
	// Schemas holds the schemas of the package. Without it the kind has no schema.
	Schemas *Schemas
	// Encoded declares what can be read separately from encoded objects. The zero value declares
	// nothing.
	Encoded Encoded[T]
}

// Items is a view of the items of a list object. Changes apply to the list.
type Items interface {
	// Len returns the number of items.
	Len() int
	// At returns a pointer to item i inside the list.
	At(i int) Object
	// Resize makes the list n new zero items long; it is not nil afterwards, even for n = 0.
	Resize(n int)
	// IsNil reports whether the slice is nil, which is null in JSON.
	IsNil() bool
}

// Slice adapts the items of a list kind to [Items], without copying:
// (*Slice[Machine])(&list.Items).
type Slice[E any] []E

// Len implements [Items].
func (s *Slice[E]) Len() int { return len(*s) }

// At implements [Items].
func (s *Slice[E]) At(i int) Object { return &(*s)[i] }

// Resize implements [Items].
func (s *Slice[E]) Resize(n int) { *s = make([]E, n) }

// IsNil implements [Items].
func (s *Slice[E]) IsNil() bool { return *s == nil }

// identity is the start of a spec: the part that does not depend on its type parameter.
type identity struct {
	gvk                    schema.GroupVersionKind
	source                 string
	resource, singular     string
	shortNames, categories []string
	scope                  Scope
	storage, shared        bool
	status, unserved       bool
	deprecated             string
	selectableFields       []string
	list, item             string
	abi                    int
}

// Spec is a [KindSpec] with its type parameter erased. The compiler makes one copy of each generic
// function for each struct type, under a name that spells out all fields of the struct, so only the
// inlined conversion to a Spec depends on the type. Callers pass only objects for which holds is
// true.
type Spec struct {
	spec    *anySpec // nil for the spec of no kind
	pointer typeID   // to the objects
}

// anySpec is a spec whose functions take objects of a type that is not stated.
type anySpec = KindSpec[opaque]

// specOf erases the type parameter of a spec.
func specOf[T any](spec *KindSpec[T]) Spec { return Spec{erase(spec), typeOf((*T)(nil))} }

// functions records which of the optional functions of a spec are set.
type functions struct {
	typeMeta, metadata, items, appendJSON, decodeJSON, prependProto, decodeProto, setDefaults, validate, export,
	omitDefaults, validateChange bool
}

// has returns which functions the spec has.
func (s Spec) has() functions {
	k := s.spec
	return functions{
		typeMeta: k.TypeMeta != nil, metadata: k.Metadata != nil, items: k.Items != nil,
		appendJSON: k.AppendJSONFields != nil, decodeJSON: k.DecodeJSON != nil,
		prependProto: k.PrependProto != nil, decodeProto: k.DecodeProto != nil,
		setDefaults: k.Default != nil, validate: k.Validate != nil, export: k.Export != nil,
		omitDefaults: k.OmitDefaults != nil, validateChange: k.ValidateChange != nil,
	}
}

func (s Spec) structType() reflect.Type { return structOf(s.pointer) }

func (s Spec) newObject() Object { return newOf(s.pointer) }

func (s Spec) holds(obj Object) bool { return typeOf(obj) == s.pointer && !isNil(obj) }

func (s Spec) typeMeta(obj Object) (apiVersion, kind *string) {
	if s.spec.TypeMeta == nil {
		return nil, nil
	}
	return s.spec.TypeMeta(hide(obj))
}

func (s Spec) metadata(obj Object) any {
	if s.spec.Metadata == nil {
		return nil
	}
	return s.spec.Metadata(hide(obj))
}

func (s Spec) items(obj Object) Items {
	if s.spec.Items == nil {
		return nil
	}
	return s.spec.Items(hide(obj))
}

func (s Spec) deepCopy(in Object) (Object, error) {
	if s.spec.DeepCopyInto == nil {
		return copyByReflection(in)
	}
	out := s.newObject()
	s.spec.DeepCopyInto(hide(in), hide(out))
	return out, nil
}

func (s Spec) appendJSONFields(dst []byte, obj Object) ([]byte, error) {
	return s.spec.AppendJSONFields(dst, hide(obj))
}

func (s Spec) decodeJSON(r *jsonwire.Reader, obj Object) { s.spec.DecodeJSON(r, hide(obj)) }

func (s Spec) prependProto(w *pbwire.Writer, obj Object) { s.spec.PrependProto(w, hide(obj)) }

func (s Spec) decodeProto(r *pbwire.Reader, obj Object) { s.spec.DecodeProto(r, hide(obj)) }

func (s Spec) setDefaults(obj Object) error {
	if s.spec.Default == nil {
		return nil
	}
	return s.spec.Default(hide(obj))
}

func (s Spec) validate(ctx context.Context, obj Object) FieldErrors {
	if s.spec.Validate == nil {
		return nil
	}
	return s.spec.Validate(ctx, hide(obj))
}

func (s Spec) validateChange(ctx context.Context, obj, old Object) FieldErrors {
	return s.spec.ValidateChange(ctx, hide(obj), hide(old))
}

func (s Spec) export(obj Object) {
	if s.spec.Export != nil {
		s.spec.Export(hide(obj))
	}
}

func (s Spec) omitDefaults(obj Object) { s.spec.OmitDefaults(hide(obj)) }

// assign copies src to dst. They share memory afterwards.
func (s Spec) assign(dst, src Object) {
	reflect.ValueOf(dst).Elem().Set(reflect.ValueOf(src).Elem())
}
