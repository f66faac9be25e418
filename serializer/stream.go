package serializer

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// flushAt is how much is collected before it is written.
const flushAt = 32 << 10

// ErrListChanged: a sequence of items was not the same when it was gone through for the second
// time, as formats need that write the size of a list in front.
var ErrListChanged = errors.New("the items were not the same the second time")

// errAround: an as-kind function adds more than rows to a table.
var errAround = errors.New("serializer: the function that shows this item changes more of the table than its rows; " +
	"write the list as a whole, with Encode")

// EncodeList writes a list as [Representation.Encode] does, with the same bytes, but item by item:
// each item is converted, or shown as another kind, when its turn comes, and at most one is in
// memory at a time. Besides the list it needs memory for the encoded form of the largest item, up
// to a quarter more because buffers grow in steps, and 64 KiB. It calls Write for about every 32
// KiB, so an error after the first call leaves an incomplete document.
//
// Some objects are written as Encode writes them: an object that is not a list; a list in a
// [Cached] or [Lazy]; a table that is to be sorted, because its last row may come first; and a list
// that cannot be split, because its format has no [format.Format].List, because its items are not
// in a slice of the object, as in untyped lists, or because it is shown as a kind, other than a
// table, that collects all items in one object. YAML and CBOR are made from the JSON of an item and
// need the memory for an item twice.
func (r *Representation) EncodeList(w io.Writer, list runtime.Object) error {
	if wrapped(list) {
		return r.Encode(w, list)
	}
	k, err := r.factory.scheme.KindOf(list)
	if err != nil {
		return err
	}
	if !k.IsList() {
		return r.Encode(w, list)
	}
	return r.stream(w, k).run(list, itemsOf(k, list), func([]runtime.Object) error { return r.Encode(w, list) })
}

// EncodeItems writes a list from a sequence of its items, which may be read from a store one by
// one. The head is an object of the list kind whose own items are ignored. The items are of its
// item kind, in any version, or a [Lazy] or [Cached] of such an object; a Lazy does not keep what
// is decoded here. [Representation.EncodeList] says how much memory this takes. If the list cannot
// be split, its items are collected first.
//
// An error in the sequence ends it and is returned. Some formats range over the sequence twice:
// those that write the size of a list before it, as protobuf does, or the number of its items, as
// CBOR does, or columns, as text does. The sequence must yield the same items each time; otherwise
// the error is [ErrListChanged].
func (r *Representation) EncodeItems(w io.Writer, head runtime.Object, items iter.Seq2[runtime.Object, error]) error {
	k, err := r.factory.scheme.KindOf(head)
	if err != nil {
		return err
	}
	s := r.stream(w, k)
	return s.run(head, items, func(items []runtime.Object) error {
		list, err := s.collected(head, items)
		if err != nil {
			return err
		}
		return r.Encode(w, list)
	})
}

// stream returns what writes a list of the kind. The time stands still for it, so that ages do not
// depend on when the turn of an item comes.
func (r *Representation) stream(w io.Writer, k *runtime.Kind) *listStream {
	fixed := *r
	fixed.scope = r.scope.Fixed()
	return &listStream{
		factory: r.factory, format: r.format, options: r.encodeOptions(), show: fixed.show, w: w,
		kind: k, whole: r.sorts() || !r.byItem(k), tabular: r.tabular(),
	}
}

// byItem reports whether a list can be written item by item: if each item is converted or shown
// alone, or becomes a row of a table. Of other kinds that show a whole list any field may depend on
// all items.
func (r *Representation) byItem(k *runtime.Kind) bool {
	scheme := r.factory.scheme
	if r.offered.Empty() || k.GroupVersionKind() == r.target {
		return true
	}
	from := k
	if r.shown && k.GroupVersionKind() != r.offered {
		offered, ok := scheme.Lookup(r.offered)
		if !ok || !scheme.ShowsItemsAlone(k, r.offered) {
			return false
		}
		from = offered
	}
	return r.tabular() || scheme.ShowsItemsAlone(from, r.target)
}

// tabular reports whether the target is a table.
func (r *Representation) tabular() bool {
	k, ok := r.factory.scheme.Lookup(r.target)
	if !ok {
		return false
	}
	t := k.Type()
	return t == reflect.TypeFor[metav1.Table]() || t == reflect.TypeFor[metav1.TabularOutput]()
}

// sorts reports whether rows are to be put in order, for which all of them have to be there.
func (r *Representation) sorts() bool {
	o, ok := r.options.(*metav1.TableOptions)
	return ok && o != nil && len(o.SortBy) > 0 && r.shown
}

// EncodeList is [Factory.Encode] for a list item by item, see [Representation.EncodeList].
func (f *Factory) EncodeList(w io.Writer, list runtime.Object, o EncodeOptions) error {
	if wrapped(list) {
		return f.Encode(w, list, o)
	}
	k, err := f.scheme.KindOf(list)
	if err != nil {
		return err
	}
	if !k.IsList() {
		return f.Encode(w, list, o)
	}
	s, err := f.stream(w, k, o)
	if err != nil {
		return err
	}
	return s.run(list, itemsOf(k, list), func([]runtime.Object) error { return f.Encode(w, list, o) })
}

// EncodeItems writes a list from a sequence of its items, see [Representation.EncodeItems].
func (f *Factory) EncodeItems(w io.Writer, head runtime.Object, items iter.Seq2[runtime.Object, error],
	o EncodeOptions,
) error {
	k, err := f.scheme.KindOf(head)
	if err != nil {
		return err
	}
	s, err := f.stream(w, k, o)
	if err != nil {
		return err
	}
	return s.run(head, items, func(items []runtime.Object) error {
		list, err := s.collected(head, items)
		if err != nil {
			return err
		}
		return f.Encode(w, list, o)
	})
}

func (f *Factory) stream(w io.Writer, k *runtime.Kind, o EncodeOptions) (*listStream, error) {
	fm, err := f.ForContentType(o.MediaType)
	if err != nil {
		return nil, err
	}
	show := func(obj runtime.Object) (*runtime.Kind, runtime.Object, error) { return f.inVersion(obj, o.Version) }
	return &listStream{
		factory: f, format: fm, options: format.Options{Pretty: o.Pretty}, show: show, w: w,
		kind: k,
	}, nil
}

// itemsOf yields pointers to the items of a list.
func itemsOf(k *runtime.Kind, list runtime.Object) iter.Seq2[runtime.Object, error] {
	items := k.Items(list)
	return func(yield func(runtime.Object, error) bool) {
		for i := range items.Len() {
			if !yield(items.At(i), nil) {
				return
			}
		}
	}
}

// listStream writes one list. An item takes this way: it is put into a list of its own, which goes
// through the same function as any list does before it is written; what that function made of it is
// longer than what it makes of a list without items in one place, and the items there are what is
// written.
type listStream struct {
	factory *Factory
	format  *format.Format
	options format.Options
	show    func(runtime.Object) (*runtime.Kind, runtime.Object, error)
	w       io.Writer
	kind    *runtime.Kind // of the list as it comes
	whole   bool          // it is to be written as a whole
	tabular bool          // it is shown as a table, to which each item adds rows

	lists  *format.List
	window *format.Window
	shell  runtime.Object // what is shown of the list without items
	shown  *runtime.Kind
	parts  *format.Parts    // nil until an item has come
	kept   []runtime.Object // the items of a list that cannot be taken apart
	buf    *[]byte

	size, written format.ListSize // size is what was counted and measured before
}

// run writes the list. If it cannot be taken apart, nothing is written and whole is called with all
// items instead; so it is for a list without items.
func (s *listStream) run(list runtime.Object, items iter.Seq2[runtime.Object, error],
	whole func([]runtime.Object) error,
) error {
	if !s.kind.IsList() {
		return fmt.Errorf("serializer: a list is to be written, but %s is none", s.kind)
	}
	if err := s.open(list); err != nil {
		return err
	}
	s.buf = s.factory.buffer()
	defer func() { s.factory.release(s.buf) }()
	if l := s.lists; s.window != nil && (l.Measure != nil || l.Counts) {
		err := s.each(items, func(n int) (err error) {
			bytes := 0
			if l.Measure != nil {
				bytes, err = l.Measure(s.parts, s.options)
			}
			s.size.Items += n
			s.size.Bytes += bytes
			return err
		})
		if err != nil {
			return err
		}
		if s.parts == nil {
			return whole(s.kept)
		}
	}
	if err := s.each(items, s.write); err != nil {
		return err
	}
	switch {
	case s.size.Items > 0 && (s.written.Items != s.size.Items || s.size.Bytes > 0 && s.written.Bytes != s.size.Bytes):
		return ErrListChanged
	case s.written.Items == 0:
		return whole(s.kept)
	}
	if err := s.append(func(dst []byte) ([]byte, error) {
		return s.lists.Tail(dst, s.parts,
			s.options)
	}); err != nil {
		return err
	}
	return s.flush(1)
}

// open prepares what does not depend on items. The window stays nil if the list cannot be taken
// apart.
func (s *listStream) open(list runtime.Object) error {
	if s.lists = s.format.List; s.lists == nil || s.whole {
		return nil
	}
	head, ok := format.WithoutItems(s.kind, list)
	if !ok {
		return nil
	}
	var err error
	if s.shown, s.shell, err = s.show(head); err != nil {
		return err
	}
	if !s.format.CanEncode(s.shown) {
		return nil // Append has an error for it
	}
	if s.lists.Encodes != nil && !s.lists.Encodes(s.shown) {
		return nil
	}
	s.window, _ = format.NewWindow(s.kind)
	return nil
}

// each calls f for the items of every item that has come. If the first one shows that the list
// cannot be taken apart, all are kept instead.
func (s *listStream) each(items iter.Seq2[runtime.Object, error], f func(n int) error) error {
	index := -1
	for item, err := range items {
		index++
		if err != nil {
			return err
		}
		if s.window == nil {
			s.kept = append(s.kept, item)
			continue
		}
		obj, err := s.alone(item)
		if err != nil {
			return atIndex(err, index)
		}
		if s.parts == nil {
			var ok bool
			if s.parts, ok = format.NewParts(s.shown, s.shell, obj); !ok {
				s.window, s.kept = nil, append(s.kept, item)
				continue
			}
		}
		if s.tabular && !s.parts.Around(obj) {
			if s.written.Items > 0 || s.size.Items > 0 {
				return atIndex(errAround, index)
			}
			s.window, s.parts, s.kept = nil, nil, append(s.kept, item)
			continue
		}
		n, err := s.parts.Take(obj)
		if err == nil && n > 0 {
			err = f(n)
		}
		if err != nil {
			return atIndex(err, index)
		}
		s.window.Clear()
	}
	return nil
}

// write writes the items that were taken, n of them.
func (s *listStream) write(n int) error {
	if s.written.Items == 0 {
		if err := s.append(func(dst []byte) ([]byte, error) {
			return s.lists.Head(dst, s.parts, s.size,
				s.options)
		}); err != nil {
			return err
		}
	}
	before := len(*s.buf)
	if err := s.append(func(dst []byte) ([]byte, error) {
		return s.lists.Items(dst, s.parts, s.written.Items, s.options)
	}); err != nil {
		return err
	}
	s.written.Items += n
	s.written.Bytes += len(*s.buf) - before
	if s.size.Items > 0 && (s.written.Items > s.size.Items || s.size.Bytes > 0 && s.written.Bytes > s.size.Bytes) {
		return ErrListChanged
	}
	return s.flush(flushAt)
}

// alone shows the list that holds the item alone.
func (s *listStream) alone(item runtime.Object) (runtime.Object, error) {
	item, err := s.asItem(item)
	if err != nil {
		return nil, schema.AtField(schema.AtIndex(err, 0), "items")
	}
	list, err := s.window.Show(item)
	if err != nil {
		return nil, schema.AtField(schema.AtIndex(err, 0), "items")
	}
	k, list, err := s.show(list)
	if err == nil && k != s.shown {
		err = fmt.Errorf("serializer: an item makes the list a %s, the others make it a %s", k, s.shown)
	}
	return list, err
}

// asItem returns an item as one of the list's own type: taken out of a [Cached] or [Lazy],
// converted to the version of the list, or embedded where items are of any kind.
func (s *listStream) asItem(item runtime.Object) (runtime.Object, error) {
	item, err := held(item)
	switch {
	case err != nil:
		return nil, err
	case s.window == nil || s.window.Holds(item):
		return item, nil
	case s.window.Embeds():
		raw, err := s.factory.scheme.Embed(item)
		return &raw, err
	}
	if _, err := s.factory.scheme.KindOf(item); err != nil {
		return nil, err
	}
	return s.factory.scheme.ConvertWith(item, s.kind.GroupVersion(), s.factory.sharing)
}

// held returns the object that a [Cached] or a [Lazy] holds, and any other as it is. A Lazy is
// decoded without keeping the object, so that many of them can be written in the memory of one.
func held(obj runtime.Object) (runtime.Object, error) {
	if c, ok := obj.(*Cached); ok && c != nil {
		if c.options.Object != nil {
			return c.options.Object()
		}
		obj = c.obj
	}
	if l, ok := obj.(*Lazy); ok && l != nil {
		return l.factory.Decode(l.data, l.options)
	}
	return obj, nil
}

// collected returns a list of the items that were kept.
func (s *listStream) collected(head runtime.Object, items []runtime.Object) (runtime.Object, error) {
	s.window, _ = format.NewWindow(s.kind)
	for i, item := range items {
		own, err := s.asItem(item)
		if err != nil {
			return nil, schema.AtField(schema.AtIndex(err, i), "items")
		}
		items[i] = own
	}
	return format.WithItems(s.kind, head, items)
}

func (s *listStream) append(f func([]byte) ([]byte, error)) error {
	out, err := f(*s.buf)
	if err == nil {
		*s.buf = out
	}
	return err
}

// flush writes what has been collected if that is much.
func (s *listStream) flush(enough int) error {
	if len(*s.buf) < enough {
		return nil
	}
	err := writeAll(s.w, *s.buf)
	*s.buf = (*s.buf)[:0]
	if cap(*s.buf) > 2*flushAt { // an item was large, which the others need not be
		*s.buf = make([]byte, 0, flushAt)
	}
	return err
}

// atIndex puts the index of an item into the path of an error that was found in a list that held
// that item alone.
func atIndex(err error, index int) error {
	switch e := err.(type) {
	case *runtime.ConvertError:
		return &runtime.ConvertError{From: e.From, To: e.To, Err: atIndex(e.Err, index)}
	case *schema.PathError:
		steps := e.Path.Steps()
		if len(steps) < 2 || steps[1].Kind != schema.StepIndex || steps[1].Index != 0 {
			return err
		}
		path := schema.NewPath(steps[0].Name).Index(index)
		for _, step := range steps[2:] {
			switch step.Kind {
			case schema.StepIndex:
				path = path.Index(step.Index)
			case schema.StepKey:
				path = path.Key(step.Name)
			default:
				path = path.Child(step.Name)
			}
		}
		return &schema.PathError{Path: path, Err: e.Err}
	}
	return err
}
