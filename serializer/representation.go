package serializer

import (
	"fmt"
	"io"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/accept"
)

// Representation is the result of a negotiation: a format, and the kind and form of the objects
// written in it. It is immutable and safe for concurrent use. The zero value is not usable; use
// [Endpoint.Negotiate].
type Representation struct {
	factory     *Factory
	format      *format.Format
	contentType string
	scope       *conversion.Scope
	options     any   // the complete options if the format handles some of them, the rest being those of the scope
	now         int64 // the time in the scope, or 0
	place       *format.Place
	shape       shape

	offered schema.GroupVersionKind
	target  schema.GroupVersionKind
	shown   bool                      // the object is shown as another kind, not only converted
	failed  []schema.GroupVersionKind // targets that failed before
}

func (f *Factory) representation(s *shape, offered schema.GroupVersionKind) *Representation {
	m := &f.mediaTypes[s.media]
	r := &Representation{
		factory: f, format: f.formats[m.format], scope: f.sharing, shape: *s, offered: offered, target: s.target,
		shown: s.target.Kind != offered.Kind || s.stated&accept.HasAs != 0,
	}
	name, stream := m.Name, s.stream
	if e := r.format.Events; stream != "" && e != nil && e.MediaType != "" {
		name, stream = e.MediaType, ""
	}
	r.contentType = name + string(r.appendParameters(nil, stream))
	if s.include != "" {
		r.setTerms(conversion.ScopeOptions{})
	}
	return r
}

// setTerms sets the scope and the fields that depend on it.
func (r *Representation) setTerms(o conversion.ScopeOptions) {
	o.Sharing = true
	t, ok := tableOptions(o.Options)
	if r.shape.include != "" && ok {
		t.IncludeObject = metav1.IncludeObjectPolicy(r.shape.include)
		o.Options = &t
	}
	r.options = o.Options
	if r.format.Tables && ok && o.Options != nil {
		left := t
		left.NoHeaders, left.Wide = nil, nil
		o.Options = &left
	}
	r.scope = conversion.NewScope(o)
	if r.now = 0; !o.Now.IsZero() {
		r.now = o.Now.UnixNano()
	}
}

// encodeOptions returns the options for the format.
func (r *Representation) encodeOptions() format.Options {
	return format.Options{Pretty: r.shape.pretty, Terms: r.options, Place: r.place}
}

// At returns the representation for an object at a place, if the format writes links; for other
// formats it returns r. The caller may modify the place until something is written. The output is
// not shared with other requests.
func (r *Representation) At(p *format.Place) *Representation {
	if !r.format.Links {
		return r
	}
	out := *r
	out.place = p
	return &out
}

// appendParameters appends the parameters of the choice that the Content-Type repeats. It omits
// pretty, which does not affect how the output is read. It adds the name of a stream if frames are
// not simply documents one after the other.
func (r *Representation) appendParameters(dst []byte, stream string) []byte {
	s := &r.shape
	if s.stated&accept.Transforming != 0 {
		dst = appendTarget(dst, s.target, r.offered, s.as)
	}
	if s.stated&accept.HasInclude != 0 {
		dst = accept.AppendParameter(dst, "includeObject", s.include)
	}
	if s.stated&accept.HasServer != 0 {
		dst = accept.AppendParameter(dst, "sv", s.server)
	}
	if s.stated&accept.HasExport != 0 && s.export {
		dst = append(dst, ";export=1"...)
	}
	if s.drop {
		dst = append(dst, ";drop="+accept.ManagedFields...)
	}
	if s.stated&accept.HasProfile != 0 {
		dst = accept.AppendParameter(dst, "profile", s.profile)
	}
	if stream != "" && (s.stated&accept.HasStream != 0 || r.format.Name != "json") {
		dst = accept.AppendParameter(dst, "stream", stream)
	}
	return dst
}

// ContentType returns the value of the Content-Type header: the media type and, if the client
// requested them, the parameters that describe the content: g, v, as, includeObject, sv, export,
// drop, profile and stream.
func (r *Representation) ContentType() string { return r.contentType }

// Target returns the kind of the output. For as=PartialObjectMetadata on a list it is
// PartialObjectMetadataList.
func (r *Representation) Target() schema.GroupVersionKind { return r.target }

// Format returns the format of the output.
func (r *Representation) Format() *format.Format { return r.format }

// Pretty reports whether the output is indented for people. It is false for streams.
func (r *Representation) Pretty() bool { return r.shape.pretty }

// Whole reports whether objects are written with everything they have: with managedFields, unless
// the client requests the parameter drop, and with server-populated fields and defaults, which
// [runtime.Kind.Export] omits.
func (r *Representation) Whole() bool { return !r.shape.export && !r.shape.drop }

// Profile returns the profile that the client requested, one of those in the offer, or blank.
func (r *Representation) Profile() string { return r.shape.profile }

// With returns the representation with other terms: options for the function that shows an object
// as another kind, such as the options of a table, and the time to which ages are relative. The
// permission to share memory has no effect. A dropped value is reported once for each object that
// is written. What the Accept header says about the rows of a table is set in a copy of the
// options, if they are a [*metav1.TableOptions] or nil.
func (r *Representation) With(o conversion.ScopeOptions) *Representation {
	out := *r
	out.setTerms(o)
	return &out
}

// tableOptions returns a copy of the options of a table, which may be nil. ok is false for options
// of another type.
func tableOptions(options any) (o metav1.TableOptions, ok bool) {
	given, ok := options.(*metav1.TableOptions)
	if given != nil {
		o = *given
	}
	return o, ok || options == nil
}

// Append appends the representation of the object to dst. On error it returns dst unchanged. The
// object is not modified.
//
// The object may be of any version of the offered kind. It is first converted to the version of the
// offer, so that a table has the columns of that version. If a list was offered, the object may
// also be one item, as in watches. An object of a kind that every endpoint may return, such as the
// Status of an error, is written unchanged, in the version of the parameter sv if set; so is an
// object that already has the target kind. A list without items is written with an empty list,
// never null. If the object cannot be shown or converted the error is a [*runtime.ConvertError];
// see [Endpoint.NegotiateAfter].
func (r *Representation) Append(dst []byte, obj runtime.Object) ([]byte, error) {
	return once(dst, obj, r.key, r.appendShown)
}

// appendShown is [Representation.Append] for an object that is not in a [Cached].
func (r *Representation) appendShown(dst []byte, obj runtime.Object) ([]byte, error) {
	k, obj, err := r.show(obj)
	if err != nil {
		return dst, err
	}
	return r.format.Append(dst, k, obj, r.encodeOptions())
}

// Encode writes what [Representation.Append] appends to w. An object is written in a single call of
// Write, and nothing is written if encoding fails.
//
// A list is written in pieces: up to 16 items at a time, as many as have about 32 KiB together, are
// converted, or shown as another kind, and encoded. Besides the list it needs memory for about 64
// KiB of encoded items, or for 16 of the largest items if they follow small ones, and up to a
// quarter more because buffers grow in steps. It calls Write for about every 32 KiB, so an error
// after the first call leaves an incomplete document. Formats that write the size of a list before
// it range over the items twice.
//
// Some lists are encoded in memory and written in a single call: a list in a [Cached] or [Lazy]; a
// table that is to be sorted, because its last row may come first; and a list that cannot be split,
// because its format has no [format.Format].List, because its items are not in a slice of the
// object, as in untyped lists, or because it is shown as a kind, other than a table, that collects
// all items in one object. YAML and CBOR are made from the JSON of items and need the memory for
// them twice.
func (r *Representation) Encode(w io.Writer, obj runtime.Object) error {
	k := listKind(r.factory.scheme, obj)
	if k == nil {
		return r.encodeWhole(w, obj)
	}
	s := r.stream(w, k)
	return s.run(obj, s.inRanges(obj), func([]runtime.Object) error { return r.encodeWhole(w, obj) })
}

// ForStatus returns the representation in which to write the Status of an error in place of the
// object: in the same format, or the first one that can write a Status if this one cannot. Errors
// are never shown as another kind. Their apiVersion is v1, which every client expects, unless the
// client chose a version of meta.k8s.io with the parameter sv, or [Offer].Unversioned was set. A
// [metav1.Status] can be written even if the scheme does not have the kind.
func (r *Representation) ForStatus() *Representation {
	s := shape{
		media: r.shape.media, stated: r.shape.stated & accept.HasServer, pretty: r.shape.pretty, server: r.shape.server,
		unversioned: r.shape.unversioned, status: true,
	}
	f := r.factory
	if !f.writesStatus(&f.mediaTypes[s.media]) {
		for i := range f.mediaTypes {
			if f.writesStatus(&f.mediaTypes[i]) {
				s.media = i
				break
			}
		}
	}
	return f.representation(&s, schema.GroupVersionKind{}).At(r.place)
}

// statusKind returns the kind as which a Status is written.
func (r *Representation) statusKind(status runtime.Object) (*runtime.Kind, error) {
	f := r.factory
	own, ok := status.(*metav1.Status)
	ok = ok && own != nil
	switch {
	case ok && r.shape.unversioned && r.shape.server == "":
		return unversionedStatus, nil
	case f.status.Check(status) == nil:
		return f.status, nil
	}
	k, err := f.scheme.KindOf(status)
	if err != nil && ok {
		return unregisteredStatus, nil
	}
	return k, err
}

// The kinds of Status outside of any scheme: without a version, and for schemes that lack the kind.
var (
	unversionedStatus  = runtime.NewKind(schema.GroupVersionKind{Kind: statusKind}, &statusSpec)
	unregisteredStatus = runtime.NewKind(schema.GroupVersionKind{Version: "v1", Kind: statusKind}, &statusSpec)
)

var statusSpec = runtime.KindSpec[metav1.Status]{
	GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: statusKind},
	TypeMeta:         func(s *metav1.Status) (apiVersion, kind *string) { return &s.APIVersion, &s.Kind },
	AppendJSONFields: metav1.AppendJSONStatusFields,
	DecodeJSON:       metav1.DecodeJSONStatus,
	PrependProto:     metav1.PrependProtoStatus,
	DecodeProto:      metav1.DecodeProtoStatus,
}

// show returns the object to be written and its kind.
func (r *Representation) show(obj runtime.Object) (*runtime.Kind, runtime.Object, error) {
	if r.shape.status {
		k, err := r.statusKind(obj)
		if err != nil {
			return nil, nil, err
		}
		return r.generic(k, obj)
	}
	scheme := r.factory.scheme
	k, err := scheme.KindOf(obj)
	if err != nil {
		return nil, nil, err
	}
	if k, obj, err = r.typed(k, obj); err != nil {
		return nil, nil, err
	}
	if r.shape.drop {
		if obj, err = withoutManagedFields(k, obj); err != nil {
			return nil, nil, err
		}
	}
	if r.factory.generic[k] && k.GroupVersionKind() != r.target && !r.offersGeneric(k.Name()) {
		return r.generic(k, obj)
	}
	if !r.offered.Empty() && k.GroupVersionKind() != r.target {
		if obj, err = r.transform(k, obj); err != nil {
			return nil, nil, err
		}
		if k, err = scheme.KindOf(obj); err != nil {
			return nil, nil, err
		}
		if !r.isTarget(k) {
			return nil, nil, fmt.Errorf("serializer: %s was offered, but the object is of the kind %s", r.offered, k)
		}
	}
	if r.shape.export {
		if obj, err = k.Export(obj); err != nil {
			return nil, nil, err
		}
		clearServerFields(k, obj)
	}
	if !k.IsList() || !k.Items(obj).IsNil() {
		return k, obj, nil
	}
	if obj, err = k.DeepCopy(obj); err != nil { // cheap: the list has no items
		return nil, nil, err
	}
	k.Items(obj).Resize(0)
	return k, obj, nil
}

// offersGeneric reports whether the kind offered is a generic one of that name, and not one of the
// program that has its name by chance.
func (r *Representation) offersGeneric(name string) bool {
	if r.offered.Kind != name {
		return false
	}
	offered, ok := r.factory.scheme.Lookup(r.offered)
	return ok && r.factory.generic[offered]
}

// typed returns an untyped object as the Go type of its kind, if the scheme has one and it is
// needed: to convert or export the object, or because the format does not write untyped objects.
func (r *Representation) typed(k *runtime.Kind, obj runtime.Object) (*runtime.Kind, runtime.Object, error) {
	if _, ok := obj.(runtime.Untyped); !ok {
		return k, obj, nil
	}
	if !r.shape.export && (r.offered.Empty() || k.GroupVersionKind() == r.target) {
		if r.format.CanEncode(k) {
			return k, obj, nil
		}
	}
	obj, err := r.factory.scheme.Typed(obj)
	if err != nil {
		return nil, nil, err
	}
	k, err = r.factory.scheme.KindOf(obj)
	return k, obj, err
}

// isTarget reports whether a kind is the target or, for a list, the kind of its items.
func (r *Representation) isTarget(k *runtime.Kind) bool {
	if k.GroupVersionKind() == r.target {
		return true
	}
	list, ok := r.factory.scheme.Lookup(r.target)
	return ok && list.ItemKind() != nil && list.ItemKind().GroupVersionKind() == k.GroupVersionKind()
}

// generic returns an object of a kind that every endpoint may return in the version of the
// parameter sv. Without that, a Status is in the version that every client expects.
func (r *Representation) generic(k *runtime.Kind, obj runtime.Object) (*runtime.Kind, runtime.Object, error) {
	if r.shape.server == "" {
		if k != unversionedStatus && k.Type() == r.factory.status.Type() {
			k = r.factory.status
		}
		return k, obj, nil
	}
	gv := schema.GroupVersion{Group: metaGroup, Version: r.shape.server}
	to, ok := r.factory.scheme.Lookup(gv.WithKind(k.Name()))
	switch {
	case !ok || to.GroupVersion() != gv: // the kind may not have that version
		return k, obj, nil
	case to.Type() == k.Type():
		return to, obj, nil
	}
	if apiVersion, name := k.TypeOf(obj); apiVersion != k.APIVersion() || name != k.Name() {
		var err error
		if obj, err = k.DeepCopy(obj); err != nil {
			return nil, nil, err
		}
		if err := k.SetType(obj); err != nil {
			return nil, nil, err
		}
	}
	out, err := r.factory.scheme.ConvertWith(obj, gv, r.scope)
	return to, out, err
}

// clearServerFields clears the server-populated metadata of an object and of the items of a list.
func clearServerFields(k *runtime.Kind, obj runtime.Object) {
	switch m := k.Metadata(obj).(type) {
	case *metav1.ObjectMeta:
		metav1.ClearServerFields(m)
	case *metav1.ListMeta:
		if k.IsList() {
			//lint:ignore SA1019 old data may have the field, which belongs to the server
			m.SelfLink, m.ResourceVersion = "", ""
		}
	}
	if item := k.ItemKind(); item != nil {
		items := k.Items(obj)
		for i := range items.Len() {
			clearServerFields(item, items.At(i))
		}
	}
}

// transform converts and shows an object as the target.
func (r *Representation) transform(k *runtime.Kind, obj runtime.Object) (runtime.Object, error) {
	scheme := r.factory.scheme
	offered, target := r.offered, r.target
	if list, err := scheme.Kind(r.offered); err == nil && list.ItemKind() != nil && !k.IsList() {
		offered = list.ItemKind().GroupVersionKind()
		if list, err := scheme.Kind(r.target); err == nil && list.ItemKind() != nil {
			target = list.ItemKind().GroupVersionKind()
		}
		if k.GroupVersionKind() == target {
			return obj, nil
		}
	}
	if !r.shown {
		return scheme.ConvertWith(obj, target.GroupVersion(), r.scope)
	}
	if k.GroupVersionKind() != offered {
		var err error
		if obj, err = scheme.ConvertWith(obj, offered.GroupVersion(), r.scope); err != nil {
			return nil, err
		}
	}
	return scheme.AsWith(obj, target, r.scope)
}
