package serializer

import (
	"errors"
	"io"
	"iter"
	"reflect"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Projected counts how objects were projected from their encoded form.
type Projected struct {
	_ struct{} // literals name their fields

	// Fast is the number of objects decoded only as far as they are shown.
	Fast int
	// Decoded is the number of objects decoded as a whole. It is 0 if the fast path took all.
	Decoded int
}

// Project appends to dst the representation of a stored object or list whose media type is known,
// see [Representation.Project].
func (f *Factory) Project(dst, src []byte, srcMediaType string, rep *Representation) ([]byte, Projected, error) {
	return rep.Project(dst, src, DecodeOptions{MediaType: srcMediaType})
}

// Project appends to dst what [Representation.Append] writes for the object or list that
// [Factory.Decode] reads from src. On error it returns dst unchanged.
//
// If the representation shows only metadata, or a table, objects are decoded only as far as needed
// wherever that is known to be equivalent, see [runtime.Scheme.Projection]. Metadata that is
// already in the form in which this module writes it is copied; other metadata, and the fields that
// a table shows, are decoded alone; the rest is skipped. Memory and allocations then do not depend
// on the size of what is not shown. The result tells how many objects took which path. In all other
// cases src is decoded as a whole: if the options ask for unknown fields, validation or a low
// nesting limit, and if anything in src is unusual or over a limit. Generated code allows this for
// metadata through generated conversions, and for tables of objects in the version whose columns
// are shown, or in one that a generated conversion leads from, unless a column is computed by a
// function that does not declare what it reads, or shows a field that a requested default may set.
// YAML is read in part unless it has anchors, tags and similar features, and CBOR in the form in
// which programs write it.
//
// Both paths write the same bytes for every src that can be decoded. A src that cannot be decoded
// is an error on both paths if the problem is in what is shown or in the syntax of the document. A
// value of the wrong type, or out of range, in a part that is not shown is an error only if src is
// decoded as a whole, and so is a conversion that fails there. In protobuf, where messages cannot
// be told from text, the syntax of a part that is not shown is checked for its outermost field
// only.
func (r *Representation) Project(dst, src []byte, o DecodeOptions) ([]byte, Projected, error) {
	if p := r.projector(&o); p != nil {
		out, n, ok := p.document(dst, src)
		p.release()
		if ok {
			return out, Projected{Fast: n}, nil
		}
	}
	obj, err := r.factory.Decode(src, o)
	if err != nil {
		return dst, Projected{}, err
	}
	out, err := r.Append(dst, obj)
	if err != nil {
		return dst, Projected{}, err
	}
	n := 1
	if k, err := r.factory.scheme.KindOf(obj); err == nil && k.IsList() {
		n = k.Items(obj).Len()
	}
	return out, Projected{Decoded: n}, nil
}

// ProjectItems appends to dst what [Representation.Append] writes for a list whose items are
// encoded objects, as a store has them. The head is an object of the list kind whose own items are
// ignored. Each item is read as Project reads it, so some of them may have to be decoded as a
// whole; those of another version are converted. An item need only be valid until the next one is
// requested.
//
// An error in the sequence ends it and is returned. So is the error of an item that cannot be
// decoded, with its index in the path. On error dst is returned unchanged.
func (r *Representation) ProjectItems(dst []byte, head runtime.Object, items iter.Seq2[[]byte, error],
	o DecodeOptions,
) ([]byte, Projected, error) {
	out, how, err := r.projectItems(nil, dst, head, items, &o)
	if err != nil {
		return dst, Projected{}, err
	}
	return out, how, nil
}

// EncodeProjected writes to w what ProjectItems appends. Compact JSON is written for about every 64
// KiB, so an error after the first call of Write leaves an incomplete document. Other formats are
// written in a single call.
func (r *Representation) EncodeProjected(w io.Writer, head runtime.Object, items iter.Seq2[[]byte, error],
	o DecodeOptions,
) (Projected, error) {
	buf := r.factory.buffer()
	defer r.factory.release(buf)
	out, how, err := r.projectItems(w, (*buf)[:0], head, items, &o)
	if err != nil {
		return Projected{}, err
	}
	*buf = out
	return how, writeAll(w, out)
}

// projectItems is ProjectItems. If w is not nil it may write what it has to w and go on with an
// empty buffer.
func (r *Representation) projectItems(w io.Writer, dst []byte, head runtime.Object, items iter.Seq2[[]byte, error],
	o *DecodeOptions,
) ([]byte, Projected, error) {
	if p := r.projector(o); p != nil {
		defer p.release()
		out, err := p.projectItems(w, dst, head, items)
		if !errors.Is(err, errNotProjected) { // else nothing of the sequence has been asked for yet
			return out, p.how, err
		}
	}
	var how Projected
	decoded := func(yield func(runtime.Object, error) bool) {
		i := 0
		for data, err := range items {
			var obj runtime.Object
			if err == nil {
				if obj, err = r.factory.Decode(data, *o); err != nil {
					obj, err = nil, atItem(err, i)
				}
			}
			how.Decoded++
			if i++; !yield(obj, err) || err != nil {
				return
			}
		}
	}
	// Formats may want to go through the sequence twice, which cannot be asked of this one.
	var objects []runtime.Object
	for obj, err := range decoded {
		if err != nil {
			return dst, how, err
		}
		objects = append(objects, obj)
	}
	list, err := r.listOf(head, objects)
	if err == nil {
		dst, err = r.Append(dst, list)
	}
	return dst, how, err
}

// listOf returns a list of the head's kind with other items.
func (r *Representation) listOf(head runtime.Object, items []runtime.Object) (runtime.Object, error) {
	k, err := r.factory.scheme.KindOf(head)
	if err != nil {
		return nil, err
	}
	s := r.stream(nil, k)
	return s.collected(head, items)
}

// atItem puts the index of an item into the path of its error.
func atItem(err error, i int) error { return schema.AtField(schema.AtIndex(err, i), "items") }

// rowScope returns the terms on which the rows of a table are made, and how much of an object comes
// with a row. ok says that rows can be made one by one and without objects, which are written from
// their bytes; otherwise options ask for more, such as an order, and rows are made of objects that
// have all of their metadata.
func (r *Representation) rowScope() (scope *conversion.Scope, include metav1.IncludeObjectPolicy, ok bool) {
	scope = r.scope.Fixed()
	var options metav1.TableOptions
	switch o := r.scope.Options().(type) {
	case nil:
	case *metav1.TableOptions:
		if o != nil {
			options = *o
		}
	default:
		return scope, metav1.IncludeMetadata, false
	}
	switch include = options.IncludeObject; include {
	case metav1.IncludeNone, metav1.IncludeObject:
	default: // as where rows are made
		include = metav1.IncludeMetadata
	}
	options.TypeMeta, options.IncludeObject = metav1.TypeMeta{}, ""
	if !reflect.ValueOf(options).IsZero() {
		return scope, include, false
	}
	without := &metav1.TableOptions{IncludeObject: metav1.IncludeNone}
	return conversion.NewScope(conversion.ScopeOptions{Sharing: true, Now: scope.Now(), Options: without}),
		include, true
}
