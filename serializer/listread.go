package serializer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// ListReader reads the items of one list, one at a time. It is not safe for concurrent use.
type ListReader struct {
	factory *Factory
	options DecodeOptions
	r       io.Reader
	head    runtime.Object

	kind   *runtime.Kind // of the list, once it is known
	guess  bool          // whether kind is a guess
	looked bool          // whether the text before the items has been searched for the kind
	item   DecodeOptions // for items
	index  int
	kept   []keptItem // items that precede the type of the list
	first  int64      // what in.N was at the first of them

	in *io.LimitedReader // counts what is read, without a limit

	// The first two kinds of items that were decoded by their own type. At least one of two is not
	// the kind of the items of a list.
	stated []schema.GroupVersionKind
}

// keptItem is an item that has not been decoded yet.
type keptItem struct {
	doc   format.Document
	index int
}

// ReadList returns a reader for the one list in r.
//
//	list := f.ReadList(response.Body)
//	for item, err := range list.Items() {
//		…
//	}
//	head := list.Head() // with the resource version
func (f *Factory) ReadList(r io.Reader, options ...DecodeOptions) *ListReader {
	o := last(options)
	o.Limits = o.Limits.Or(f.limits)
	return &ListReader{factory: f, options: o, r: r}
}

// Head returns the list without its items: its kind and metadata. It is nil until the sequence of
// items has ended, because metadata may follow the items, and if the list cannot be read.
func (l *ListReader) Head() runtime.Object { return l.head }

// Items reads the list and yields its items. Each is decoded, defaulted, validated and converted
// according to the options, and states its kind and apiVersion. Paths of problems start at the
// list. The default kind of the options is that of the list. An invalid item is yielded as
// [Factory.Decode] would return it and does not stop the sequence; neither does an item over
// Limits.Item, which is skipped. A problem with the rest of the list is yielded last.
//
// If the list states its type before the items, as this module and Kubernetes write it in JSON and
// protobuf, at most one item is in memory at a time. In CBOR the kind precedes the items and the
// apiVersion follows them; until it is known, items are read as those of a list of the default
// version, or of the only list of that name in the scheme. In YAML it is the other way round: items
// are read as those of the default kind, if that is a list of the version already read. If the
// guess turns out to be wrong, an error is yielded last. If there is no basis for a guess, items
// that do not state their own type are kept encoded until the type of the list is known, up to
// Limits.Size. A YAML list that is not laid out in the usual way is kept in memory from that point
// on, see [github.com/askind/askind/serializer/yaml]. Formats without [format.Format].ReadList are
// read as a whole. The sequence can be ranged over once.
func (l *ListReader) Items() iter.Seq2[runtime.Object, error] {
	return func(yield func(runtime.Object, error) bool) {
		start := make([]byte, 512)
		n, err := io.ReadFull(l.r, start)
		if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
			yield(nil, err)
			return
		}
		l.in = &io.LimitedReader{R: io.MultiReader(bytes.NewReader(start[:n]), l.r), N: math.MaxInt64}
		l.r = l.in
		fm, err := l.factory.formatOf(start[:n], l.options.MediaType)
		if err != nil {
			yield(nil, inFile(&l.options, err))
			return
		}
		if fm.ReadList != nil {
			l.stream(fm, yield)
			return
		}
		l.whole(yield)
	}
}

// whole decodes the list and yields its items. For a list that is too large it reads only as much
// as needed to detect that.
func (l *ListReader) whole(yield func(runtime.Object, error) bool) {
	r := l.r
	if most := int64(l.options.Limits.OrDefaults().Size); most < math.MaxInt64 {
		r = io.LimitReader(r, most+1)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		yield(nil, err)
		return
	}
	list, err := l.factory.Decode(data, l.options)
	if list == nil {
		yield(nil, err)
		return
	}
	k, kindErr := l.factory.scheme.KindOf(list)
	switch {
	case kindErr != nil:
		yield(nil, kindErr)
		return
	case !k.IsList():
		yield(nil, l.noList(k, nil))
		return
	}
	for item := range itemsOf(k, list) {
		if !yield(item, nil) {
			return
		}
	}
	if head, ok := format.WithoutItems(k, list); ok {
		l.head = head
	} else if head, headErr := format.WithItems(k, list, nil); headErr == nil {
		l.head = head
	}
	if err != nil {
		yield(nil, err)
	}
}

func (l *ListReader) stream(fm *format.Format, yield func(runtime.Object, error) bool) {
	ended := false
	for part, err := range fm.ReadList(l.r, format.ListReadOptions{Limits: l.options.Limits, Kind: l.lookup}) {
		switch {
		case err != nil:
			if !yield(nil, inFile(&l.options, err)) {
				return
			}
			l.index++
		case part.Item != nil:
			if !l.yieldItem(part, yield) {
				return
			}
		default:
			ended = true
			if !l.end(part.Head, yield) {
				return
			}
		}
	}
	if !ended && l.index == 0 && l.kept == nil {
		yield(nil, atFile(&l.options, runtime.Problem{Cause: ErrNoDocument, Message: "the input contains no list"}))
	}
}

// yieldItem decodes an item if its kind can be determined.
func (l *ListReader) yieldItem(part format.ListPart, yield func(runtime.Object, error) bool) bool {
	if l.kind == nil && !l.looked { // all items have the same text before them
		l.looked = true
		apiVersion, kind, err := part.Head.Type()
		switch {
		case err != nil || apiVersion == "" && kind == "":
		case apiVersion == "":
			l.presumeVersion(kind)
		case kind == "":
			l.presumeKind(apiVersion)
		default:
			if err := l.know(part.Head); err != nil {
				yield(nil, err)
				return false
			}
		}
	}
	if l.kind == nil {
		if apiVersion, kind, err := part.Item.Type(); len(l.kept) > 0 || err != nil || apiVersion == "" || kind == "" {
			if l.kept == nil {
				l.first = l.in.N
			}
			l.kept = append(l.kept, keptItem{part.Item, l.index})
			l.index++
			large := l.options.Limits.CheckSize("the list before its type", int(l.first-l.in.N))
			if large != nil {
				yield(nil, atFile(&l.options, runtime.Problem{
					Cause: runtime.ErrLimit, Message: large.Error(), Err: large,
				}))
			}
			return large == nil
		}
		l.item = l.options // the item states its own kind
		return yield(l.decodeStated(part.Item))
	}
	return yield(l.decode(part.Item))
}

// lookup returns the kind of a list for a format.
func (l *ListReader) lookup(apiVersion, kind string) *runtime.Kind {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return nil
	}
	k, err := l.factory.scheme.Kind(gv.WithKind(kind))
	if err != nil && l.options.Unknown != nil {
		return l.options.Unknown(gv.WithKind(kind))
	}
	return k
}

// presumeKind handles a list that states its version before the items and its kind after them, as
// in YAML, where keys are sorted: it assumes the default kind. The end of the list confirms or
// refutes that.
func (l *ListReader) presumeKind(apiVersion string) {
	d := l.options.DefaultKind
	if gv, err := schema.ParseGroupVersion(apiVersion); err == nil && d.Kind != "" &&
		(d.Version == "" || d.GroupVersion() == gv) {
		l.suppose(gv.WithKind(d.Kind))
	}
}

// suppose assumes a kind if it is that of a list.
func (l *ListReader) suppose(gvk schema.GroupVersionKind) {
	if k, err := l.factory.scheme.Kind(gvk); err == nil && k.IsList() {
		l.read(k)
		l.guess = true
	}
}

// presumeVersion does the same for a list that states its kind before the items and its version
// after them, as in CBOR, where longer names come last: it assumes the default version, or the only
// list with that name.
func (l *ListReader) presumeVersion(kind string) {
	d := l.options.DefaultKind
	if d.Version != "" && (d.Kind == "" || d.Kind == kind) {
		l.suppose(d.GroupVersion().WithKind(kind))
		return
	}
	if l.options.Unknown != nil {
		return // it may be one that is not in the scheme
	}
	var only *runtime.Kind
	for k := range l.factory.scheme.Kinds() {
		if k.Name() != kind || !k.IsList() {
			continue
		}
		if only != nil {
			return
		}
		only = k
	}
	if only != nil {
		l.suppose(only.GroupVersionKind())
	}
}

// know records the kind of the list.
func (l *ListReader) know(list format.Document) error {
	k, err := l.factory.kindOf(list, &l.options)
	if err != nil {
		return inFile(&l.options, err)
	}
	if !k.IsList() {
		return l.noList(k, list)
	}
	if l.guess && k != l.kind {
		field, what := apiVersionField, "version"
		if k.GroupVersion() == l.kind.GroupVersion() {
			field, what = kindField, "kind"
		}
		return l.invalid(list, field,
			"the list is of the kind %s, but its items were read as those of %s: set its %s as the default", k, l.kind, what)
	}
	if item := k.ItemKind(); item != nil {
		for _, gvk := range l.stated {
			if gvk != item.GroupVersionKind() {
				return l.invalid(list, kindField,
					"the list is of the kind %s, but an earlier item was read as %s: set the kind of the list as the default", k, gvk)
			}
		}
	}
	l.guess = false
	l.read(k)
	return nil
}

// read sets the kind of the list.
func (l *ListReader) read(k *runtime.Kind) {
	l.kind, l.item = k, l.options
	l.item.DefaultKind = l.item.DefaultKind.GroupVersion().WithKind("")
	if item := k.ItemKind(); item != nil {
		l.item.DefaultKind = item.GroupVersionKind()
	} else if name, ok := strings.CutSuffix(k.Name(), "List"); ok && name != "" {
		if _, known := l.factory.scheme.Lookup(k.GroupVersionKind()); !known {
			l.item.DefaultKind = k.GroupVersion().WithKind(name) // as in untyped lists
		}
	}
}

// noList returns the error for a document that is not a list.
func (l *ListReader) noList(k *runtime.Kind, doc format.Document) error {
	return l.invalid(doc, kindField, "expected a list, found %s", k)
}

// invalid returns the error for a field of the list.
func (l *ListReader) invalid(doc format.Document, field *schema.Path, format string, args ...any) error {
	return atFile(&l.options, runtime.Problem{
		Position: position(doc, field), Path: field.String(), Cause: runtime.ErrInvalidValue,
		Message: fmt.Sprintf(format, args...),
	})
}

// decode decodes an item of the list's kind.
func (l *ListReader) decode(doc format.Document) (runtime.Object, error) {
	return l.decodeWith(doc, l.decodeItem)
}

// decodeStated decodes an item of a list of unknown kind by the type that the item states.
func (l *ListReader) decodeStated(doc format.Document) (runtime.Object, error) {
	return l.decodeWith(doc, func(doc format.Document, o *DecodeOptions) (runtime.Object, error) {
		k, err := l.factory.kindOf(doc, o)
		if err != nil {
			return nil, inFile(o, err)
		}
		if gvk := k.GroupVersionKind(); len(l.stated) < 2 && !slices.Contains(l.stated, gvk) {
			l.stated = append(l.stated, gvk)
		}
		return l.factory.decode(doc, nil, o)
	})
}

// decodeWith decodes an item and prefixes the paths of its problems with its place in the list.
func (l *ListReader) decodeWith(doc format.Document, read func(format.Document, *DecodeOptions) (runtime.Object,
	error),
) (runtime.Object, error) {
	o := l.item
	prefix := "items[" + strconv.Itoa(l.index) + "]"
	l.index++
	if o.Warn != nil {
		o.Warn = func(p runtime.Problem) {
			p.Path = under(prefix, p.Path)
			l.options.Warn(p)
		}
	}
	obj, err := read(doc, &o)
	if d, ok := errors.AsType[*runtime.DecodeError](err); ok {
		for i := range d.Problems {
			d.Problems[i].Path = under(prefix, d.Problems[i].Path)
		}
	}
	return obj, err
}

// decodeItem decodes an item. An item of a typed list is decoded as the list's item kind, whatever
// it states.
func (l *ListReader) decodeItem(doc format.Document, o *DecodeOptions) (runtime.Object, error) {
	k := l.kind.ItemKind()
	if k == nil {
		return l.factory.decode(doc, nil, o)
	}
	apiVersion, kind, err := doc.Type()
	if err != nil {
		return nil, inFile(o, err)
	}
	var odd []runtime.Problem
	field, message := k.GroupVersionKind().Mismatch(apiVersion, kind)
	if field != "" && o.Strictness != IgnoreProblems {
		path := schema.NewPath(field)
		odd = append(odd, runtime.Problem{
			Position: position(doc, path), Path: path.String(),
			Cause: runtime.ErrOtherKind, Message: message,
		})
	}
	return l.factory.decodeAs(doc, k, odd, o)
}

// under joins two field paths.
func under(prefix, path string) string {
	if path == "" || strings.HasPrefix(path, "[") {
		return prefix + path
	}
	return prefix + "." + path
}

// end decodes the list without its items, and then the items that were kept.
func (l *ListReader) end(doc format.Document, yield func(runtime.Object, error) bool) bool {
	if l.kind == nil || l.guess {
		if err := l.know(doc); err != nil {
			return yield(nil, err)
		}
	}
	for _, item := range l.kept {
		l.index = item.index
		if !yield(l.decode(item.doc)) {
			return false
		}
	}
	l.kept = nil
	o := l.options
	o.Validate, o.ValidateConverted = false, false // its items are not in it
	head, err := l.factory.decode(doc, nil, &o)
	l.head = head
	return err == nil || yield(nil, err)
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
