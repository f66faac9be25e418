package serializer

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

const (
	// flushAt is the number of bytes that are collected before they are written.
	flushAt = 32 << 10
	// aheadAt is the number of bytes that are encoded before the size of the list is known, in
	// formats that write the size first. Short lists therefore need one pass.
	aheadAt = 2 * flushAt
)

// ErrListChanged: a sequence yielded different items in the second iteration. Formats that write
// the size of a list before its items need two iterations.
var ErrListChanged = errors.New("the items were not the same the second time")

// errAround: an as-kind function adds more than rows to a table.
var errAround = errors.New("serializer: the function that shows this item changes more of the table than its rows; " +
	"write the list as a whole, with Encode")

// encodeWhole writes an object in a single call of Write, from the cached form of a [Cached] if
// there is one.
func (r *Representation) encodeWhole(w io.Writer, obj runtime.Object) error {
	buf := r.factory.buffer()
	defer r.factory.release(buf)
	out, kept, err := encodeOnce((*buf)[:0], obj, r.key, r.appendShown)
	if err != nil {
		return err
	}
	if !kept {
		*buf = out
	}
	return writeAll(w, out)
}

// EncodeItems writes a list from a sequence of its items, which may be read from a store one by
// one. The head is an object of the list kind whose own items are ignored. The items are of its
// item kind, in any version, or a [Lazy] or [Cached] of such an object; a Lazy does not keep what
// is decoded here. [Representation.Encode] says how much memory this takes, here with one item at a
// time. If the list cannot be split, its items are collected first.
//
// An error in the sequence ends it and is returned. Some formats iterate over the sequence twice
// unless the list is short: those that write the size of a list before it, such as protobuf, the
// number of its items, such as CBOR, or columns, such as text. The sequence must yield the same
// items each time; otherwise the error is [ErrListChanged].
func (r *Representation) EncodeItems(w io.Writer, head runtime.Object, items iter.Seq2[runtime.Object, error]) error {
	if items == nil {
		return errors.New("serializer: the sequence of the items is nil; a list without items has an empty one")
	}
	k, err := r.factory.scheme.KindOf(head)
	if err != nil {
		return err
	}
	s := r.stream(w, k)
	return s.run(head, s.oneByOne(items), func(items []runtime.Object) error {
		list, err := s.collected(head, items)
		if err != nil {
			return err
		}
		return r.encodeWhole(w, list)
	})
}

// stream returns a writer for a list of the kind. It has a fixed time, so that ages do not depend
// on when an item is written.
func (r *Representation) stream(w io.Writer, k *runtime.Kind) *listStream {
	s := &listStream{
		factory: r.factory, format: r.format, options: r.encodeOptions(), scope: r.scope.Fixed(), w: w,
		kind: k, whole: r.sorts() || !r.byItem(k), tabular: r.tabular(),
	}
	if r.scope.ReportsDropped() {
		s.report = r.scope.Dropped
		s.scope = s.scope.WithDropped(func(d conversion.DroppedValue) { s.dropped = append(s.dropped, d) })
	}
	fixed := *r
	fixed.scope = s.scope
	s.show = fixed.show
	return s
}

// byItem reports whether a list can be written item by item: if each item is converted or shown
// separately, or becomes a row of a table. For other kinds that show a whole list, any field may
// depend on all items.
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

// sorts reports whether rows are to be sorted, which requires all of them.
func (r *Representation) sorts() bool {
	o, ok := r.options.(*metav1.TableOptions)
	return ok && o != nil && len(o.SortBy) > 0 && r.shown
}

// encodeWhole writes an object in a single call of Write.
func (f *Factory) encodeWhole(w io.Writer, obj runtime.Object, o EncodeOptions) error {
	return f.write(w, func(dst []byte) ([]byte, error) { return f.Append(dst, obj, o) })
}

func (f *Factory) stream(w io.Writer, k *runtime.Kind, o EncodeOptions) (*listStream, error) {
	fm, err := f.ForContentType(o.MediaType)
	if err != nil {
		return nil, err
	}
	show := func(obj runtime.Object) (*runtime.Kind, runtime.Object, error) { return f.inVersion(obj, o.Version) }
	return &listStream{
		factory: f, format: fm, options: format.Options{Pretty: o.Pretty}, scope: f.sharing, show: show, w: w,
		kind: k,
	}, nil
}

// listStream writes one list. Items are processed one or a few at a time: they are put into a list
// of their own, which is shown like any other list. The result is compared with that of a list
// without items: it is longer in exactly one field, and the elements of that field are written.
type listStream struct {
	factory *Factory
	format  *format.Format
	options format.Options
	scope   *conversion.Scope // for items of another version than the list
	show    func(runtime.Object) (*runtime.Kind, runtime.Object, error)
	w       io.Writer
	kind    *runtime.Kind // of the input list
	whole   bool          // the list must be written as a whole
	tabular bool          // the list is shown as a table, to which each item adds rows

	lists  *format.List
	window *format.Window
	shell  runtime.Object // the shown form of the list without items
	shown  *runtime.Kind
	parts  *format.Parts    // nil until the first item
	kept   []runtime.Object // the items of a list that cannot be split
	buf    *[]byte

	size, written format.ListSize // size holds the counts of the first pass
	index, next   int             // of the first of the current items, and of the one after them
	begun         bool            // the head has been written
	ahead         bool            // items are encoded while they are counted
	done          int             // number of input items encoded ahead

	// Items may be converted twice, but what they drop is reported once.
	report   func(conversion.DroppedValue) // nil if dropped values are not reported
	dropped  []conversion.DroppedValue     // by the current items
	reported int                           // number of input items whose dropped values were reported
}

// walk calls f for every item in order, alone or together with some that follow it, see
// [listStream.add].
type walk func(f func(n int) error) error

// run writes the list. If it cannot be split, nothing is written and whole is called instead with
// all items that were read one by one; the same applies to a list without items.
func (s *listStream) run(list runtime.Object, each walk, whole func([]runtime.Object) error) error {
	if !s.kind.IsList() {
		return fmt.Errorf("serializer: %s is not a list kind, and only lists are written item by item", s.kind)
	}
	if err := s.open(list); err != nil {
		return err
	}
	s.buf = s.factory.buffer()
	defer func() { s.factory.release(s.buf) }()
	if l := s.lists; s.window != nil && (l.Measure != nil || l.Counts) {
		s.ahead = true
		if err := each(s.measure); err != nil {
			return err
		}
		if s.parts == nil {
			return whole(s.kept)
		}
		if err := s.head(); err != nil {
			return err
		}
	}
	if !s.begun || s.written.Items < s.size.Items {
		if err := each(s.write); err != nil {
			return err
		}
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

// open prepares the parts that do not depend on items. The window stays nil if the list cannot be
// split.
func (s *listStream) open(list runtime.Object) error {
	if s.lists = s.format.List; s.lists == nil || s.whole {
		return nil
	}
	head, ok := format.WithoutItems(s.kind, list)
	if !ok {
		return nil
	}
	var err error
	s.shown, s.shell, err = s.show(head)
	s.dropped = s.dropped[:0]
	if err != nil {
		return err
	}
	if !s.format.CanEncode(s.shown) {
		return nil // Append returns an error for it
	}
	if s.lists.Encodes != nil && !s.lists.Encodes(s.shown) {
		return nil
	}
	s.window, _ = format.NewWindow(s.kind, head)
	return nil
}

// oneByOne iterates over a sequence. If the first item shows that the list cannot be split, all
// items are kept instead.
func (s *listStream) oneByOne(items iter.Seq2[runtime.Object, error]) walk {
	return func(f func(n int) error) error {
		s.index = -1
		for item, err := range items {
			if s.index++; err != nil {
				return err
			}
			if s.index < s.done {
				continue
			}
			if s.next = s.index + 1; s.window != nil {
				list, err := s.alone(item)
				if err == nil {
					err = s.add(list, f)
				}
				if err != nil {
					return atIndex(err, s.index)
				}
			}
			if s.window == nil { // perhaps because of this item
				s.kept = append(s.kept, item)
			}
		}
		return nil
	}
}

// most is the maximum number of items of a list in memory that are converted and encoded at once.
const most = 16

// inRanges visits the items of a list in ranges, in order.
func (s *listStream) inRanges(list runtime.Object) walk {
	return func(f func(n int) error) error {
		from, to := s.done, s.kind.Items(list).Len()
		for from < to && s.window != nil {
			s.index, s.next = from, from+min(s.fitting(), to-from)
			part, err := s.window.Range(list, s.index, s.next)
			if err == nil {
				err = s.add(part, f)
			}
			if err != nil {
				return atIndex(err, s.index)
			}
			from = s.next
		}
		return nil
	}
}

// counting reports whether items are only counted and measured.
func (s *listStream) counting() bool { return s.size.Items > 0 && !s.begun && !s.ahead }

// fitting estimates how many items have [flushAt] bytes together, from the previous items.
func (s *listStream) fitting() int {
	done := &s.written
	if s.counting() {
		done = &s.size
	}
	switch {
	case done.Items == 0:
		return 1
	case done.Bytes == 0: // items are only counted
		return most
	}
	return max(1, min(most, flushAt*done.Items/done.Bytes))
}

// add shows a list of items, takes the items of the result and calls f with their number. If the
// first list shows that the whole cannot be split, window becomes nil.
func (s *listStream) add(list runtime.Object, f func(n int) error) error {
	err := s.addShown(list, f)
	if s.window != nil && s.next > s.reported {
		s.reported = s.next
		s.reportDropped()
	}
	s.dropped = s.dropped[:0]
	return err
}

// reportDropped reports what the current items drop.
func (s *listStream) reportDropped() {
	for _, d := range s.dropped {
		s.report(d)
	}
	s.dropped = s.dropped[:0]
}

// addShown is add without the report of what the items drop.
func (s *listStream) addShown(list runtime.Object, f func(n int) error) error {
	k, obj, err := s.show(list)
	if err != nil {
		return err
	}
	if k.GroupVersionKind() != s.shown.GroupVersionKind() || k.Type() != s.shown.Type() {
		return fmt.Errorf("serializer: an item turns the list into a %s, the others into a %s", k, s.shown)
	}
	if s.parts == nil {
		var ok bool
		if s.parts, ok = format.NewParts(s.shown, s.shell, obj); !ok {
			s.window = nil
			return nil
		}
	}
	if s.tabular && !s.parts.Around(obj) {
		if s.written.Items > 0 || s.size.Items > 0 {
			return errAround
		}
		s.window, s.parts = nil, nil
		return nil
	}
	n, err := s.parts.Take(obj)
	if err == nil && n > 0 {
		err = f(n)
	}
	s.window.Clear()
	return err
}

// measure counts the n items that were taken. It also encodes the first ones, unless the format has
// to know all items first.
func (s *listStream) measure(n int) error {
	bytes := 0
	if s.lists.Measure != nil && (!s.ahead || s.size.Items == 0) {
		var err error
		if bytes, err = s.lists.Measure(s.parts, s.options); err != nil {
			return err
		}
		s.ahead = s.ahead && bytes > 0
	}
	if s.ahead {
		before := s.written.Bytes
		if err := s.items(n); err != nil {
			return err
		}
		if s.lists.Measure != nil {
			bytes = s.written.Bytes - before
		}
		s.done, s.ahead = s.next, len(*s.buf) < aheadAt
	}
	s.size.Items += n
	s.size.Bytes += bytes
	return nil
}

// write writes the n items that were taken.
func (s *listStream) write(n int) error {
	if !s.begun {
		if err := s.head(); err != nil {
			return err
		}
	}
	if err := s.items(n); err != nil {
		return err
	}
	if s.size.Items > 0 && (s.written.Items > s.size.Items || s.size.Bytes > 0 && s.written.Bytes > s.size.Bytes) {
		return ErrListChanged
	}
	return s.flush(flushAt)
}

// head inserts the output before the items, in front of the items encoded ahead.
func (s *listStream) head() error {
	ahead := len(*s.buf)
	err := s.append(func(dst []byte) ([]byte, error) { return s.lists.Head(dst, s.parts, s.size, s.options) })
	if err == nil && ahead > 0 {
		head := slices.Clone((*s.buf)[ahead:])
		copy((*s.buf)[len(head):], (*s.buf)[:ahead])
		copy(*s.buf, head)
	}
	s.begun = err == nil
	return err
}

// items appends the n items that were taken.
func (s *listStream) items(n int) error {
	before := len(*s.buf)
	err := s.append(func(dst []byte) ([]byte, error) {
		return s.lists.Items(dst, s.parts, s.written.Items, s.options)
	})
	if err == nil {
		s.written.Items += n
		s.written.Bytes += len(*s.buf) - before
	}
	return err
}

// alone returns a list that holds only the item.
func (s *listStream) alone(item runtime.Object) (runtime.Object, error) {
	item, err := s.asItem(item)
	var list runtime.Object
	if err == nil {
		list, err = s.window.Show(item)
	}
	if err != nil {
		return nil, schema.AtField(schema.AtIndex(err, 0), "items")
	}
	return list, nil
}

// asItem returns an item as the list's own item type: taken out of a [Cached] or [Lazy], converted
// to the version of the list, or embedded if items are of any kind.
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
	return s.factory.scheme.ConvertWith(item, s.kind.GroupVersion(), s.scope)
}

// held returns the object in a [Cached] or a [Lazy], and any other object unchanged. A Lazy is
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
	s.window, _ = format.NewWindow(s.kind, head)
	for i, item := range items {
		own, err := s.asItem(item)
		if err != nil {
			return nil, schema.AtField(schema.AtIndex(err, i), "items")
		}
		items[i] = own
		s.reportDropped()
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

// flush writes the buffer if it has enough bytes.
func (s *listStream) flush(enough int) error {
	if len(*s.buf) < enough {
		return nil
	}
	err := writeAll(s.w, *s.buf)
	*s.buf = (*s.buf)[:0]
	if cap(*s.buf) > 4*flushAt { // an item was large; the others may be small
		*s.buf = make([]byte, 0, flushAt)
	}
	return err
}

// atIndex corrects the index of an item in the path of an error from a list of items that begin at
// that index.
func atIndex(err error, index int) error {
	switch e := err.(type) {
	case *runtime.ConvertError:
		return &runtime.ConvertError{From: e.From, To: e.To, Err: atIndex(e.Err, index)}
	case *schema.PathError:
		steps := e.Path.Steps()
		if len(steps) < 2 || steps[1].Kind != schema.StepIndex {
			return err
		}
		path := schema.NewPath(steps[0].Name).Index(index + steps[1].Index).Append(steps[2:]...)
		return &schema.PathError{Path: path, Err: e.Err}
	}
	return err
}
