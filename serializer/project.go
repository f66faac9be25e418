package serializer

import (
	"errors"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Projected counts how objects were projected from their encoded form.
type Projected struct {
	_ struct{} // literals name their fields

	// Fast is the number of objects that were decoded in part.
	Fast int
	// Decoded is the number of objects decoded as a whole. It is 0 if the fast path handled all.
	Decoded int
}

// Project appends to dst what [Representation.Append] writes for the object or list that
// [Factory.Decode] reads from src. On error it returns dst unchanged.
//
// If the representation shows only metadata, or a table, objects are decoded only as far as needed
// wherever that is known to be equivalent, see [runtime.Scheme.Projection]. Metadata that is
// already in the form in which this module writes it is copied; other metadata, and the fields that
// a table shows, are decoded alone; the rest is skipped. Memory and allocations then do not depend
// on the size of what is not shown. The result counts the objects on each path. In all other cases
// src is decoded as a whole: if the options request reports of unknown fields or dropped values,
// validation or a low nesting limit, if the terms request reports of dropped values, and if
// anything in src is unusual or over a limit. Generated code allows this for metadata through
// generated conversions, and for tables of objects in the version whose columns are shown, or in
// one that a generated conversion leads from, unless a column is computed by a function that does
// not declare what it reads, or shows a field that a requested default may set. YAML is read in
// part unless it has anchors, tags and similar features, and CBOR if it has definite lengths and no
// uncommon items.
//
// Both paths write the same bytes for every src that can be decoded. A src that cannot be decoded
// is an error on both paths if the problem is in what is shown or in the syntax of the document. A
// value of the wrong type, or out of range, in a part that is not shown is an error only if src is
// decoded as a whole, and so is a conversion that fails there. In protobuf, which does not
// distinguish messages from strings, only the outermost field of a part that is not shown is
// checked for its syntax.
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

// EncodeProjected writes to w what [Representation.Append] appends for a list whose items are
// encoded objects, as a store has them. The head is an object of the list kind whose own items are
// ignored. Each item is read as Project reads it, so some of them may have to be decoded as a
// whole; those of another version are converted. An item need only be valid until the next one is
// requested.
//
// Output is written in pieces of about 192 KiB, so an error after the first call of Write leaves an
// incomplete document. Only tables in formats other than compact JSON are written in a single call.
// Formats that write the size of a list before it, see [Representation.EncodeItems], iterate over
// the sequence twice unless it is short. It must yield the same items each time; otherwise the
// error is [ErrListChanged].
//
// An error in the sequence ends it and is returned. So is the error of an item that cannot be
// decoded, with its index in the path.
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
	if len(out) > 0 { // otherwise it has been written
		err = writeAll(w, out)
	}
	return how, err
}

// ReadsOnlyMetadata reports whether what [Representation.Project] and
// [Representation.EncodeProjected] write for objects of a kind depends only on the kind, apiVersion
// and metadata of each, whatever its format. That holds for PartialObjectMetadata in every version
// whose conversions keep the metadata, and for tables of the object's own version whose columns
// show metadata alone. Such objects may be passed to EncodeProjected without their other members.
func (r *Representation) ReadsOnlyMetadata(k *runtime.Kind) bool {
	k, ok := r.factory.scheme.Lookup(k.GroupVersionKind()) // it may be that of another scheme
	if !ok {
		return false
	}
	p := r.projector(&DecodeOptions{})
	if p == nil {
		return false
	}
	defer p.release()
	s := p.project(k)
	switch {
	case s == nil:
		return false
	case !p.table:
		return true // then project requires a projection of metadata
	}
	return s.From() == s.As() && !slices.ContainsFunc(s.Fields(), func(path string) bool {
		return path != "metadata" && !strings.HasPrefix(path, "metadata.")
	})
}

// projectItems writes the list to w except for its end, which it returns in dst.
func (r *Representation) projectItems(w io.Writer, dst []byte, head runtime.Object, items iter.Seq2[[]byte, error],
	o *DecodeOptions,
) ([]byte, Projected, error) {
	if p := r.projector(o); p != nil {
		defer p.release()
		out, err := p.projectItems(w, dst, head, items)
		if !errors.Is(err, errNotProjected) { // otherwise the sequence has not been started yet
			return out, p.how, err
		}
	}
	how := Projected{}
	err := r.EncodeItems(w, head, objectsOf(items, func(data []byte, counts bool) (runtime.Object, error) {
		if counts {
			how.Decoded++
		}
		return r.factory.Decode(data, *o)
	}))
	return dst, how, err
}

// objectsOf yields what read makes of each encoded object. counts reports whether the sequence is
// iterated over for the first time.
func objectsOf(items iter.Seq2[[]byte, error], read func(data []byte, counts bool) (runtime.Object, error),
) iter.Seq2[runtime.Object, error] {
	runs := 0
	return func(yield func(runtime.Object, error) bool) {
		runs++
		i := 0
		for data, err := range items {
			var obj runtime.Object
			if err == nil {
				if obj, err = read(data, runs == 1); err != nil {
					obj, err = nil, atItem(err, i)
				}
			}
			if i++; !yield(obj, err) || err != nil {
				return
			}
		}
	}
}

// atItem adds the index of an item to the path of its error.
func atItem(err error, i int) error { return schema.AtField(schema.AtIndex(err, i), "items") }

// rowScope returns the terms for creating the rows of a table, and how much of an object is
// included with a row. ok reports whether rows can be created one by one and without decoded
// objects, which are then copied from their bytes. It is false if the options need more, such as an
// order; rows are then created from objects with all of their metadata.
func (r *Representation) rowScope() (scope *conversion.Scope, include metav1.IncludeObjectPolicy, ok bool) {
	scope = r.scope.Fixed()
	options, ok := tableOptions(r.scope.Options())
	if !ok {
		return scope, metav1.IncludeMetadata, false
	}
	switch include = options.IncludeObject; include {
	case metav1.IncludeNone, metav1.IncludeObject:
	default: // like where rows are created
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
