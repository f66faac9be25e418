package runtime

import (
	"context"
	"reflect"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Object is a non-nil pointer to a struct whose type a [Scheme] knows. It needs no methods: the
// package of the type need not import this module, and existing types can be registered as they
// are. What the type cannot express is in its [Kind].
type Object = any

// Scope is where the objects of a kind live: in a namespace or not.
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
	// Source says where the type is declared, as "import/path/file.go:line"; errors show it. Blank
	// means the caller of [AddKind].
	Source string
	// Resource is the lower-case plural in URLs ("machines"); Singular its singular ("machine"), by
	// default the kind in lower case.
	Resource, Singular string
	// ShortNames are abbreviations for people ("mc"); Categories are the groups of resources that a
	// name such as "all" stands for.
	ShortNames, Categories []string
	// Scope says whether objects live in namespaces.
	Scope Scope
	// Storage marks the version in which objects of this group and kind are kept at rest. At most
	// one version has the mark; if none has it, the preferred version is the one.
	Storage bool
	// Shared makes the kind known in every group version of the scheme, as options and Status are.
	Shared bool
	// Status says that the kind has the subresource status: its field "status" is written there and
	// nowhere else.
	Status bool
	// Unserved keeps servers from serving this version, which can still be read and converted.
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
	// ABI is the [wire.Kinds] that the table was generated for; 0, in specs written by hand, means
	// the current one.
	ABI int

	// TypeMeta returns where the object keeps its apiVersion and kind. Without it the kind has no
	// such fields, on the wire neither.
	TypeMeta func(*T) (apiVersion, kind *string)
	// Metadata returns a pointer to the object's metadata, by convention to an ObjectMeta or, on
	// list kinds, to a ListMeta.
	Metadata func(*T) any
	// Items returns the items of a list kind: return (*Slice[E])(&list.Items).
	Items func(*T) Items
	// DeepCopyInto makes out a copy of in that shares no memory with it. Without it objects are
	// copied by reflection.
	DeepCopyInto func(in, out *T)
	// AppendJSONFields appends every field but kind and apiVersion to dst, each as `,"name":value`.
	// Without it the kind has no JSON.
	AppendJSONFields func(dst []byte, in *T) ([]byte, error)
	// DecodeJSON fills out from the next value of r. Without it the kind cannot be decoded from
	// JSON or YAML.
	DecodeJSON func(r *jsonwire.Reader, out *T)
	// PrependProto writes every field but kind and apiVersion as a protobuf message, from the last
	// field to the first. Without it the kind cannot be written as protobuf.
	PrependProto func(w *pbwire.Writer, in *T)
	// DecodeProto merges the fields that are left of the current message of r into out. Without it
	// the kind cannot be decoded from protobuf.
	DecodeProto func(r *pbwire.Reader, out *T)
	// Default sets fields that are unset to their defaults.
	Default func(*T) error
	// Validate returns what is wrong with an object.
	Validate func(context.Context, *T) FieldErrors
	// Export clears what the server sets: fields that a user neither writes nor wants to keep, such
	// as the status. See [Kind.Export].
	Export func(*T)
	// OmitDefaults unsets the fields of an object that hold what Default would set them to, such
	// that Default sets all of them again. With it, [Kind.Export] need not find out by trial which
	// fields those are.
	OmitDefaults func(*T)
	// ValidateChange returns what is wrong with an object that is to replace old, for whose sake
	// values that do not change are not checked again. With old nil it does what Validate does.
	// Without it Validate checks changed objects too.
	ValidateChange func(ctx context.Context, in, old *T) FieldErrors
	// SchemaName is the name of the schema of the objects among Schemas.
	SchemaName string
	// Schemas has the schemas of the package. Without it the kind has no schema.
	Schemas *Schemas
	// Encoded says what can be read of encoded objects alone. The zero value says that nothing can.
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
	// IsNil reports whether the slice is nil, which JSON shows as null.
	IsNil() bool
}

// Slice makes the items of a list kind reachable as [Items], without copying:
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

func (s *Slice[E]) itemType() reflect.Type { return reflect.TypeFor[E]() }

// identity is what a spec begins with: the part that does not depend on its type parameter.
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

// Spec is a *[KindSpec] of any type parameter, which is the only implementation: the same functions
// with the type erased. Every method that takes an object has been given one for which holds is
// true. The methods are instantiated by the compiler for each T, so a registered kind costs no
// closure and no reflection. What needs no T is in the record of the spec, see recordOf.
type Spec interface {
	structType() reflect.Type
	pointerType() typeID
	newObject() Object
	holds(obj Object) bool

	typeMeta(obj Object) (apiVersion, kind *string)
	metadata(obj Object) any
	items(obj Object) Items
	deepCopy(in Object) (Object, error)
	appendJSONFields(dst []byte, obj Object) ([]byte, error)
	decodeJSON(r *jsonwire.Reader, obj Object)
	prependProto(w *pbwire.Writer, obj Object)
	decodeProto(r *pbwire.Reader, obj Object)
	setDefaults(obj Object) error
	validate(ctx context.Context, obj Object) FieldErrors
	validateChange(ctx context.Context, obj, old Object) FieldErrors
	export(obj Object)
	omitDefaults(obj Object)
	assign(dst, src Object)
	reset(obj Object)
	encoded() encoded
	decodeJSONMetadata(r *jsonwire.Reader, obj Object)
	decodeProtoMetadata(r *pbwire.Reader, obj Object)
}

// functions says which of the optional functions of a spec are set.
type functions struct {
	typeMeta, metadata, items, appendJSON, decodeJSON, prependProto, decodeProto, setDefaults, validate, export,
	omitDefaults, validateChange bool
}

// has tells which functions the spec has.
func (r *record) has() functions {
	return functions{
		typeMeta: r.typeMeta != nil, metadata: r.metadata != nil, items: r.items != nil,
		appendJSON: r.appendJSON != nil,
		decodeJSON: r.decodeJSON != nil, prependProto: r.prependProto != nil, decodeProto: r.decodeProto != nil,
		setDefaults: r.setDefaults != nil, validate: r.validate != nil, export: r.export != nil,
		omitDefaults: r.omitDefaults != nil, validateChange: r.validateChange != nil,
	}
}

var _ Spec = (*KindSpec[struct{}])(nil)

func (k *KindSpec[T]) structType() reflect.Type { return reflect.TypeFor[T]() }

func (k *KindSpec[T]) pointerType() typeID { return typeOf((*T)(nil)) }

func (k *KindSpec[T]) newObject() Object { return new(T) }

func (k *KindSpec[T]) holds(obj Object) bool {
	p, ok := obj.(*T)
	return ok && p != nil
}

func (k *KindSpec[T]) typeMeta(obj Object) (apiVersion, kind *string) {
	if k.TypeMeta == nil {
		return nil, nil
	}
	return k.TypeMeta(obj.(*T))
}

func (k *KindSpec[T]) metadata(obj Object) any {
	if k.Metadata == nil {
		return nil
	}
	return k.Metadata(obj.(*T))
}

func (k *KindSpec[T]) items(obj Object) Items {
	if k.Items == nil {
		return nil
	}
	return k.Items(obj.(*T))
}

func (k *KindSpec[T]) deepCopy(in Object) (Object, error) {
	if k.DeepCopyInto == nil {
		return copyByReflection(in)
	}
	out := new(T)
	k.DeepCopyInto(in.(*T), out)
	return out, nil
}

func (k *KindSpec[T]) appendJSONFields(dst []byte, obj Object) ([]byte, error) {
	return k.AppendJSONFields(dst, obj.(*T))
}

func (k *KindSpec[T]) decodeJSON(r *jsonwire.Reader, obj Object) {
	k.DecodeJSON(r, obj.(*T))
}

func (k *KindSpec[T]) prependProto(w *pbwire.Writer, obj Object) {
	k.PrependProto(w, obj.(*T))
}

func (k *KindSpec[T]) decodeProto(r *pbwire.Reader, obj Object) {
	k.DecodeProto(r, obj.(*T))
}

func (k *KindSpec[T]) setDefaults(obj Object) error {
	if k.Default == nil {
		return nil
	}
	return k.Default(obj.(*T))
}

func (k *KindSpec[T]) validate(ctx context.Context, obj Object) FieldErrors {
	if k.Validate == nil {
		return nil
	}
	return k.Validate(ctx, obj.(*T))
}

func (k *KindSpec[T]) validateChange(ctx context.Context, obj, old Object) FieldErrors {
	return k.ValidateChange(ctx, obj.(*T), old.(*T))
}

func (k *KindSpec[T]) export(obj Object) {
	if k.Export != nil {
		k.Export(obj.(*T))
	}
}

func (k *KindSpec[T]) omitDefaults(obj Object) {
	k.OmitDefaults(obj.(*T))
}

// assign makes dst what src is. They share memory afterwards.
func (k *KindSpec[T]) assign(dst, src Object) { *dst.(*T) = *src.(*T) }
