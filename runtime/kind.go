package runtime

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Kind is a registered kind with everything that its scheme knows about it. It is immutable and
// safe for concurrent use. Methods that take an object return an error if the object is nil or of
// another type.
type Kind struct {
	*identity // of the spec, or a completed copy
	table     Spec

	apiVersion string
	opened     atomic.Pointer[[]byte] // see opening
	pointer    typeID                 // to the objects
	has        functions
	untyped    bool      // its objects are [Untyped]
	place      int       // among the scheme's kinds in order
	as         []*asEdge // as-kind edges, if it is the preferred kind of its type
	added      *added    // never nil
	listKind   *Kind
	itemKind   *Kind

	routes routeCache
}

// added holds what only a few kinds have.
type added struct {
	defaults  []func(Object) error
	validates []func(context.Context, Object) FieldErrors
	kinds     []*Kind // of its type, if there are several, starting with itself
}

// noneAdded is what most kinds have.
var noneAdded added

// adding returns added of a kind under construction.
func (k *Kind) adding() *added {
	if k.added == &noneAdded {
		k.added = new(added)
	}
	return k.added
}

// opening returns the start of an object in JSON, with kind and apiVersion; it is empty if the kind
// has no such fields. It is built on first use, because most programs write few of the kinds that
// they register.
func (k *Kind) opening() []byte {
	if !k.has.typeMeta {
		return nil
	}
	if text := k.opened.Load(); text != nil {
		return *text
	}
	text := slices.Clip(appendType(nil, k.gvk))
	k.opened.Store(&text)
	return text
}

// GroupVersionKind returns the identity of the kind.
func (k *Kind) GroupVersionKind() schema.GroupVersionKind { return k.gvk }

// GroupVersion returns the group version of the kind.
func (k *Kind) GroupVersion() schema.GroupVersion { return k.gvk.GroupVersion() }

// APIVersion returns the group version in the form of a document: "fleet.example.com/v1".
func (k *Kind) APIVersion() string { return k.apiVersion }

// Name returns the name of the kind: "Machine".
func (k *Kind) Name() string { return k.gvk.Kind }

// GroupVersionResource returns the identity of the resource that serves the kind.
func (k *Kind) GroupVersionResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.gvk.Group, Version: k.gvk.Version, Resource: k.resource}
}

// Info returns the declarations of the spec about the kind's names, how it is served and where
// parts of its encoded objects are found, and which of its functions are set. The slices must not
// be modified.
func (k *Kind) Info() KindInfo {
	spec := k.table.spec
	return KindInfo{
		Source: k.source, Resource: k.resource, Singular: k.singular, ShortNames: k.shortNames,
		Categories: k.categories, Scope: k.scope, Status: k.status, Storage: k.storage, Unserved: k.unserved,
		Deprecated: k.deprecated, SelectableFields: k.selectableFields,
		Shared: k.shared, JSON: k.hasJSON(), Proto: k.hasProto(),
		Defaults:   k.has.setDefaults || len(k.added.defaults) > 0,
		SchemaName: spec.SchemaName, Schemas: spec.Schemas, ProtoMetadata: spec.Encoded.ProtoMetadata,
		JSONItems: spec.Encoded.JSONItems, ProtoItems: spec.Encoded.ProtoItems,
	}
}

// KindInfo is what a [KindSpec] declares about its kind.
type KindInfo struct {
	// Source is where the kind was declared or registered, for messages. It is never blank.
	Source string
	// Resource is the lower-case plural used in URLs, blank for kinds that are not served.
	Resource string
	// Singular is the singular of the resource: by default the kind in lower case. It is blank for
	// kinds without a resource.
	Singular string
	// ShortNames are abbreviations of the resource, and Categories the groups of resources that it
	// belongs to.
	ShortNames, Categories []string
	// Scope states whether objects live in namespaces.
	Scope Scope
	// Status reports whether the kind has the subresource status.
	Status bool
	// Storage reports whether the spec marks this version as the one in which objects are stored.
	Storage bool
	// Unserved reports whether servers do not serve this version.
	Unserved bool
	// Deprecated is the warning for clients that use this version, or blank.
	Deprecated string
	// SelectableFields are the JSON paths by which clients may select objects, besides their name
	// and namespace.
	SelectableFields []string
	// Shared reports whether the kind exists in every group version.
	Shared bool
	// JSON and Proto report whether the kind has functions that write and read these formats.
	JSON, Proto bool
	// Defaults reports whether Default can change an object other than in the items of a list.
	Defaults bool
	// SchemaName is the name of the schema of the objects among Schemas, which is nil if the kind
	// has none.
	SchemaName string
	Schemas    *Schemas
	// ProtoMetadata is the number of the protobuf field that holds the metadata, and ProtoItems of
	// the one that holds the items of a list; they are 0 if unknown. JSONItems reports whether the
	// items of a list are the value of the member "items" in JSON.
	ProtoMetadata, ProtoItems int
	JSONItems                 bool
}

// Type returns the struct type of the objects.
func (k *Kind) Type() reflect.Type { return k.table.structType() }

// IsList reports whether the objects are lists of objects.
func (k *Kind) IsList() bool { return k.has.items }

// ListKind returns the kind of lists of this kind, or nil if no list kind is registered.
func (k *Kind) ListKind() *Kind { return k.listKind }

// ItemKind returns the kind of the items of a list kind. It is nil unless k is a list kind with
// items of a single kind.
func (k *Kind) ItemKind() *Kind { return k.itemKind }

// String returns "group/version, Kind=Kind".
func (k *Kind) String() string { return k.gvk.String() }

// New returns a new object with its kind and apiVersion set.
func (k *Kind) New() Object {
	obj := k.table.newObject()
	k.stamp(obj)
	return obj
}

// Check returns an error unless obj is a non-nil object of this kind's type.
func (k *Kind) Check(obj Object) error {
	if k.table.holds(obj) {
		return nil
	}
	if err := checkObject(obj); err != nil {
		return err
	}
	return &ObjectError{Object: fmt.Sprintf("%T", obj), Reason: fmt.Sprintf("the kind %s has objects of type *%s",
		k.gvk, k.Type())}
}

// TypeOf returns the apiVersion and kind that the object states, blank if the kind has no such
// fields.
func (k *Kind) TypeOf(obj Object) (apiVersion, kind string) {
	if !k.table.holds(obj) {
		return "", ""
	}
	a, n := k.table.typeMeta(obj)
	if a == nil || n == nil {
		if u, ok := obj.(Untyped); ok {
			return u.APIVersion(), u.Kind()
		}
		return "", ""
	}
	return *a, *n
}

// SetType sets kind and apiVersion in the object and, if it is a list of one kind, in all items.
func (k *Kind) SetType(obj Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	k.stamp(obj)
	return nil
}

// stamp is SetType for an object of the right type.
func (k *Kind) stamp(obj Object) {
	if a, n := k.table.typeMeta(obj); a != nil && n != nil {
		*a, *n = k.apiVersion, k.gvk.Kind
	} else if u, ok := obj.(Untyped); ok {
		u.SetType(k.apiVersion, k.gvk.Kind)
	}
	if k.itemKind == nil || !k.itemKind.has.typeMeta {
		return
	}
	items := k.table.items(obj)
	for i := range items.Len() {
		k.itemKind.stamp(items.At(i))
	}
}

// Metadata returns a pointer to the metadata of the object, as the spec declares it, nil if the
// kind has none.
func (k *Kind) Metadata(obj Object) any {
	if !k.table.holds(obj) {
		return nil
	}
	return k.table.metadata(obj)
}

// Items returns a view of the items of a list object, or nil unless k is a list kind.
func (k *Kind) Items(obj Object) Items {
	if !k.table.holds(obj) {
		return nil
	}
	return k.table.items(obj)
}

// DeepCopy returns a copy that shares no memory with the object. Without a generated function it
// uses reflection, which fails on references in unexported fields unless their type is a
// [DeepCopier].
func (k *Kind) DeepCopy(obj Object) (Object, error) {
	if err := k.Check(obj); err != nil {
		return nil, err
	}
	return k.table.deepCopy(obj)
}

// hasJSON reports whether objects can be written as JSON and read from it.
func (k *Kind) hasJSON() bool { return k.has.appendJSON && k.has.decodeJSON }

// AppendJSON appends the object to dst as compact JSON, starting with the kind and apiVersion of k,
// whatever the object itself states. On error it returns dst unchanged.
func (k *Kind) AppendJSON(dst []byte, obj Object) ([]byte, error) {
	if err := k.Check(obj); err != nil {
		return dst, err
	}
	if !k.has.appendJSON {
		return dst, &NoFunctionError{Kind: k.gvk, Function: "AppendJSONFields"}
	}
	start := len(dst)
	return appendFields(append(dst, k.opening()...), start, k.table, obj)
}

// DecodeJSON fills the object from the next value of the reader and sets kind and apiVersion, also
// in the items of a list. The reader records problems of the text.
func (k *Kind) DecodeJSON(r *jsonwire.Reader, obj Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	if !k.has.decodeJSON {
		return &NoFunctionError{Kind: k.gvk, Function: "DecodeJSON"}
	}
	from := r.Offset()
	k.table.decodeJSON(r, obj)
	if r.Strict() && k.itemKind != nil && r.Err() == nil {
		k.checkItems(r, from, obj)
	}
	k.stamp(obj)
	return nil
}

// checkItems records items of a list that state another kind than the list's item kind. from is the
// offset of the list.
func (k *Kind) checkItems(r *jsonwire.Reader, from int, list Object) {
	items := k.table.items(list)
	for i := range items.Len() {
		apiVersion, kind := k.itemKind.table.typeMeta(items.At(i))
		if apiVersion == nil || kind == nil {
			return
		}
		if field, message := k.itemKind.gvk.Mismatch(*apiVersion, *kind); field != "" {
			r.Report(wire.OtherKind, from, schema.NewPath("items").Index(i).Child(field), message)
		}
	}
}

// hasProto reports whether objects can be written as protobuf and read from it.
func (k *Kind) hasProto() bool { return k.has.prependProto && k.has.decodeProto }

// PrependProto writes the object as a protobuf message, without kind and apiVersion, before the
// bytes that w already holds. The error is the first one of the writer.
func (k *Kind) PrependProto(w *pbwire.Writer, obj Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	if !k.has.prependProto {
		return &NoFunctionError{Kind: k.gvk, Function: "PrependProto"}
	}
	k.table.prependProto(w, obj)
	return w.Err()
}

// DecodeProto merges the rest of the reader's current message into the object and sets kind and
// apiVersion, also in the items of a list. The reader records problems of the message.
func (k *Kind) DecodeProto(r *pbwire.Reader, obj Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	if !k.has.decodeProto {
		return &NoFunctionError{Kind: k.gvk, Function: "DecodeProto"}
	}
	k.table.decodeProto(r, obj)
	k.stamp(obj)
	return nil
}

// Default sets the defaults of an object and of the items of a list: first by the function of the
// spec, then by those of [AddDefault] in the order in which they were added.
func (k *Kind) Default(obj Object) error {
	if err := k.Check(obj); err != nil {
		return err
	}
	return k.setDefaults(obj)
}

func (k *Kind) setDefaults(obj Object) error {
	if err := k.table.setDefaults(obj); err != nil {
		return err
	}
	for _, f := range k.added.defaults {
		if err := f(obj); err != nil {
			return err
		}
	}
	if k.itemKind == nil || !k.itemKind.hasDefaults() {
		return nil
	}
	items := k.table.items(obj)
	for i := range items.Len() {
		if err := k.itemKind.setDefaults(items.At(i)); err != nil {
			return schema.AtField(schema.AtIndex(err, i), "items")
		}
	}
	return nil
}

// hasDefaults reports whether Default can change an object.
func (k *Kind) hasDefaults() bool {
	return k.has.setDefaults || len(k.added.defaults) > 0 || k.itemKind != nil && k.itemKind.hasDefaults()
}

// Validate returns the violations in an object and in the items of a list, in the order of the
// functions: first that of the spec, then those of [AddValidation].
func (k *Kind) Validate(ctx context.Context, obj Object) FieldErrors {
	if err := k.Check(obj); err != nil {
		return FieldErrors{{Code: FieldInvalid, Detail: err.Error()}}
	}
	return k.withAdded(ctx, obj, k.table.validate(ctx, obj))
}

// ValidateChange returns the violations in an object that is to replace old. Generated functions
// check only values that differ from those of old, so that an object that a new rule made invalid
// can still be changed elsewhere. Hand-written functions check everything. If old is nil it is
// [Kind.Validate].
func (k *Kind) ValidateChange(ctx context.Context, obj, old Object) FieldErrors {
	if old == nil || !k.has.validateChange {
		return k.Validate(ctx, obj)
	}
	for _, o := range []Object{obj, old} {
		if err := k.Check(o); err != nil {
			return FieldErrors{{Code: FieldInvalid, Detail: err.Error()}}
		}
	}
	return k.withAdded(ctx, obj, k.table.validateChange(ctx, obj, old))
}

// withAdded runs the additional functions for the type of an object and for the items of a list.
func (k *Kind) withAdded(ctx context.Context, obj Object, found FieldErrors) FieldErrors {
	for _, f := range k.added.validates {
		found = append(found, f(ctx, obj)...)
	}
	found = found.present()
	if k.itemKind == nil {
		return found
	}
	items := k.table.items(obj)
	for i := range items.Len() {
		for _, e := range k.itemKind.Validate(ctx, items.At(i)) {
			e.Path = schema.NewPath("items").Index(i).Join(e.Path)
			found = append(found, e)
		}
	}
	return found
}
