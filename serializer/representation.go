package serializer

import (
	"io"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Representation is the outcome of a negotiation: a format, and what is written in it. It never changes and is safe for any number of
// goroutines.
type Representation struct {
	factory     *Factory
	format      Format
	contentType string
	pretty      bool
	scope       *conversion.Scope

	offered, target schema.GroupVersionKind
	shown           bool // the target is reached by showing as another kind, not by conversion alone
}

func (f *Factory) representation(c *choice, offer *Offer) *Representation {
	r := &Representation{
		factory: f, format: f.formats[c.media.format], contentType: c.media.name, pretty: c.pretty,
		scope: f.sharing, offered: offer.Kind, target: c.target,
	}
	if c.clause != nil && c.clause.has&transforming != 0 {
		r.contentType = string(appendTarget([]byte(r.contentType), c.target, offer.Kind, c.clause.as))
	}
	r.shown = c.target.Kind != offer.Kind.Kind || c.clause != nil && c.clause.has&hasAs != 0
	return r
}

// ContentType is the value of the Content-Type header: the media type and, where the client asked for them, the parameters that say what
// is written: g, v and as.
func (r *Representation) ContentType() string { return r.contentType }

// Target is the kind that is written. For as=PartialObjectMetadata on a list it is PartialObjectMetadataList.
func (r *Representation) Target() schema.GroupVersionKind { return r.target }

// Format is the format that is written.
func (r *Representation) Format() Format { return r.format }

// Pretty reports whether the form for people is written.
func (r *Representation) Pretty() bool { return r.pretty }

// With returns the representation on other terms: with options for the function that shows an object as another kind, such as the
// options of a table, and with the time from which it shows ages. Sharing has no meaning here; what is written is never kept.
func (r *Representation) With(o conversion.ScopeOptions) *Representation {
	o.Sharing = true
	out := *r
	out.scope = conversion.NewScope(o)
	return &out
}

// Append appends the representation of the object to dst. On error dst is returned as it was. The object is not changed.
//
// The object may be of any version of the kind that was offered; it is converted to that of the offer first, so that a table has the
// columns of the endpoint's version. Where a list was offered, it may also be one item, as watches send them. An object of a shared
// kind, such as the Status of an error, and one that is of the target kind already are written as they are. A list without items is
// written with an empty list, never null.
func (r *Representation) Append(dst []byte, obj runtime.Object) ([]byte, error) {
	k, obj, err := r.show(obj)
	if err != nil {
		return dst, err
	}
	return r.format.Append(dst, k, obj, runtime.EncodeOptions{Pretty: r.pretty})
}

// Encode writes the representation of the object to w, in one call of its Write method. Nothing is written if there is an error before.
func (r *Representation) Encode(w io.Writer, obj runtime.Object) error {
	return r.factory.write(w, func(dst []byte) ([]byte, error) { return r.Append(dst, obj) })
}

// show makes what is to be written.
func (r *Representation) show(obj runtime.Object) (*runtime.Kind, runtime.Object, error) {
	scheme := r.factory.scheme
	k, err := scheme.KindOf(obj)
	if err != nil {
		return nil, nil, err
	}
	if !r.offered.Empty() && k.GroupVersionKind() != r.target && (!k.Shared() || k.Name() == r.offered.Kind) {
		if obj, err = r.transform(k, obj); err != nil {
			return nil, nil, err
		}
		if k, err = scheme.KindOf(obj); err != nil {
			return nil, nil, err
		}
	}
	if !k.IsList() || !k.Items(obj).IsNil() {
		return k, obj, nil
	}
	if obj, err = k.DeepCopy(obj); err != nil { // small: the list has no items
		return nil, nil, err
	}
	k.Items(obj).Resize(0)
	return k, obj, nil
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
