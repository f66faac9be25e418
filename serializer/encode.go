package serializer

import (
	"cmp"
	"io"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// EncodeOptions control how an object is written. The zero value writes it in the first format of
// the factory, in its own version, compact.
type EncodeOptions struct {
	_ struct{} // literals name their fields

	// MediaType is the format, in the form of a Content-Type header; blank means the first format.
	MediaType string
	// Pretty selects the indented form, if the format has one.
	Pretty bool
	// Version is the group version to convert to; empty means the object's own. Shared kinds are
	// always written in their own version.
	Version schema.GroupVersion
}

// Append appends the encoded object to dst. On error it returns dst unchanged. The object is not
// modified.
func (f *Factory) Append(dst []byte, obj runtime.Object, o EncodeOptions) ([]byte, error) {
	fm, err := f.ForContentType(o.MediaType)
	if err != nil {
		return dst, err
	}
	key := func() (formKey, bool) { return f.key(fm, o) }
	return once(dst, obj, key, func(dst []byte, obj runtime.Object) ([]byte, error) {
		k, obj, err := f.inVersion(obj, o.Version)
		if err != nil {
			return dst, err
		}
		return fm.Append(dst, k, obj, format.Options{Pretty: o.Pretty})
	})
}

// inVersion returns an object as it is written in a group version, and its kind.
func (f *Factory) inVersion(obj runtime.Object, gv schema.GroupVersion) (*runtime.Kind, runtime.Object, error) {
	k, err := f.scheme.KindOf(obj)
	if err != nil || gv.Empty() || gv == k.GroupVersion() || k.Info().Shared {
		return k, obj, err
	}
	if obj, err = f.scheme.ConvertWith(obj, gv, f.sharing); err != nil {
		return nil, nil, err
	}
	k, err = f.scheme.KindOf(obj)
	return k, obj, err
}

// Encode writes what [Factory.Append] appends to w. An object is written in a single call of Write,
// and nothing is written if encoding fails. A list is written as [Representation.Encode] does.
func (f *Factory) Encode(w io.Writer, obj runtime.Object, o EncodeOptions) error {
	k := listKind(f.scheme, obj)
	if k == nil {
		return f.encodeWhole(w, obj, o)
	}
	s, err := f.stream(w, k, o)
	if err != nil {
		return err
	}
	return s.run(obj, s.inRanges(obj), func([]runtime.Object) error { return f.encodeWhole(w, obj, o) })
}

// listKind returns the kind of an object that may be written item by item, nil for all others and
// for those that are not of the scheme.
func listKind(s *runtime.Scheme, obj runtime.Object) *runtime.Kind {
	if wrapped(obj) {
		return nil
	}
	if k, err := s.KindOf(obj); err == nil && k.IsList() {
		return k
	}
	return nil
}

// itemKind returns the kind of the items of a typed list, and any other kind unchanged.
func itemKind(k *runtime.Kind) *runtime.Kind { return cmp.Or(k.ItemKind(), k) }

// write passes the output of appendTo to w, through a pooled buffer.
func (f *Factory) write(w io.Writer, appendTo func([]byte) ([]byte, error)) error {
	buf := f.buffer()
	defer f.release(buf)
	out, err := appendTo((*buf)[:0])
	if err != nil {
		return err
	}
	*buf = out
	return writeAll(w, out)
}

// writeAll writes all of data. If the writer writes less without an error, the error is
// [io.ErrShortWrite].
func writeAll(w io.Writer, data []byte) error {
	n, err := w.Write(data)
	if err == nil && n < len(data) {
		return io.ErrShortWrite
	}
	return err
}
