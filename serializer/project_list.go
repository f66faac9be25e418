package serializer

import (
	"io"
	"iter"
	"slices"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// shownList is the list that a projector is writing.
type shownList struct {
	item *runtime.Kind  // of the shown objects, after conversion
	kind *runtime.Kind  // of the output
	head runtime.Object // the input list without items
	// shell is the shown form of the head.
	shell runtime.Object

	from int    // start of the output in the buffer
	n    int    // number of items written
	tail []byte // the output after the items

	canonical, trusted bool // the last item's metadata was copied; the next one's is known to be canonical

	collector *runtime.Collector
	whole     runtime.Object   // collects the rows of one item, or those of all
	shown     []runtime.Object // the items of a list of single objects
	envelope  envelopeGap
}

// projectItems writes a list of encoded objects from a sequence, and returns the end of the output,
// which is not written yet. The error errNotProjected means that nothing has been done.
func (p *projector) projectItems(w io.Writer, dst []byte, head runtime.Object, items iter.Seq2[[]byte, error]) ([]byte,
	error,
) {
	k, err := p.rep.factory.scheme.KindOf(head)
	if err != nil || k.ItemKind() == nil {
		return dst, errNotProjected
	}
	p.versions = append(p.versions, k.GroupVersion())
	shell, ok := format.WithoutItems(k, head)
	if !ok {
		return dst, errNotProjected
	}
	if p.out == formText && !p.table && !p.flushes() {
		p.out = formObject // the format can convert only a complete text
	}
	if dst, ok = p.begin(dst, shell); !ok {
		return dst, errNotProjected
	}
	return p.streamItems(w, dst, items)
}

// eachItem appends the items of a sequence from one on. After each it calls done with the output so
// far and its length before the item.
func (p *projector) eachItem(dst []byte, items iter.Seq2[[]byte, error], from int,
	done func(dst []byte, before int) ([]byte, error),
) ([]byte, error) {
	i := -1
	for data, err := range items {
		if err != nil {
			return dst, err
		}
		if i++; i < from {
			continue
		}
		before, fast := len(dst), p.object(data)
		if fast {
			dst, fast = p.writeItem(dst)
		}
		if fast {
			p.how.Fast++
		} else {
			if dst, err = p.decodeItem(dst, data); err != nil {
				return dst, atItem(err, i)
			}
			p.how.Decoded++
		}
		if dst, err = done(dst, before); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// begin appends the output before the items of a list, given the list without items.
func (p *projector) begin(dst []byte, head runtime.Object) ([]byte, bool) {
	r := p.rep
	k, shell, err := r.show(head)
	if err != nil {
		return dst, false
	}
	l := &p.list
	l.head, l.kind, l.shell, l.from = head, k, shell, len(dst)
	offered, err := r.factory.scheme.Kind(r.offered)
	if err != nil {
		return dst, false
	}
	l.item = itemKind(offered)
	if p.table {
		if l.collector = r.factory.scheme.Collector(l.item, p.single); l.collector == nil ||
			k.GroupVersionKind() != p.single {
			return dst, false
		}
		if l.whole, err = l.collector.Begin(p.scope); err != nil {
			return dst, false
		}
	} else if k.ItemKind() == nil || k.ItemKind().GroupVersionKind() != p.single {
		return dst, false
	}
	switch p.out {
	case formEnvelope:
		return p.beginEnvelope(dst)
	case formText:
		name := "items"
		if p.table {
			name = "rows"
		} else if !p.setOpening(k.ItemKind()) {
			return dst, false
		}
		if dst, err = k.AppendJSON(dst, shell); err != nil {
			return dst, false
		}
		text := dst[l.from:]
		from, to, ok := jsonwire.OffsetOf(text, schema.NewPath(name))
		if !ok || string(text[from:to]) != "[]" {
			return dst[:l.from], false
		}
		l.tail = append(l.tail[:0], text[to-1:]...)
		return dst[:l.from+from+1], true
	}
	return dst, true
}

// setOpening determines how metadata begins when it is written as an object.
func (p *projector) setOpening(k *runtime.Kind) bool {
	const empty = "{}}" // the metadata and the object end here
	text, err := k.AppendJSON(p.opening[:0], k.New())
	if err != nil || len(text) < len(empty) || string(text[len(text)-len(empty):]) != empty {
		return false
	}
	p.opening = text[:len(text)-len(empty)]
	return true
}

// end appends the output after the items.
func (p *projector) end(dst []byte) ([]byte, error) {
	l := &p.list
	fm, o := p.rep.format, p.rep.encodeOptions()
	switch p.out {
	case formEnvelope:
		return p.endEnvelope(dst), nil
	case formText:
		return p.writes.Finish(append(dst, l.tail...), l.from, o)
	}
	k, list := l.kind, l.shell
	var err error
	if p.table {
		k, list, err = l.collector.Finish(l.whole, p.listMetadata(), p.scope)
	} else {
		list, err = format.WithItems(k, list, l.shown)
	}
	if err != nil {
		return dst, err
	}
	return fm.Append(dst, k, list, o)
}

// listMetadata returns the metadata of a list that is collected in one object.
func (p *projector) listMetadata() any {
	k, err := p.rep.factory.scheme.KindOf(p.list.head)
	if err != nil {
		return nil
	}
	return k.Metadata(p.list.head)
}

// decodeItem appends the shown form of an object that has to be decoded.
func (p *projector) decodeItem(dst, data []byte) ([]byte, error) {
	obj, err := p.decoded(data)
	if err != nil {
		return dst, err
	}
	if !p.table {
		return p.writeShown(dst, obj)
	}
	if p.out != formText {
		return dst, p.list.collector.Add(obj, p.list.whole, p.scope)
	}
	table := p.rows()
	if err := p.list.collector.Add(obj, table, p.rep.scope); err != nil {
		return dst, err
	}
	for i := range table.Rows {
		dst = p.comma(dst)
		if dst, err = metav1.AppendJSONTableRow(dst, &table.Rows[i]); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// decoded returns an object decoded as a whole: converted and, unless it becomes rows of a table,
// shown as the target kind.
func (p *projector) decoded(data []byte) (runtime.Object, error) {
	scheme := p.rep.factory.scheme
	obj, err := p.rep.factory.Decode(data, *p.options)
	if err != nil {
		return nil, err
	}
	head, err := scheme.KindOf(p.list.head)
	if err != nil {
		return nil, err
	}
	for _, k := range []*runtime.Kind{head.ItemKind(), p.list.item} {
		if obj, err = scheme.ConvertWith(obj, k.GroupVersion(), p.rep.scope); err != nil {
			return nil, err
		}
		if err := k.Check(obj); err != nil {
			return nil, err
		}
	}
	if p.table {
		return obj, nil
	}
	return scheme.AsWith(obj, p.single, p.rep.scope)
}

// readHead decodes a list without its items. The function decode fills an object of the kind and
// reports whether it found no problems.
func (p *projector) readHead(decode func(*runtime.Kind, runtime.Object) bool) (runtime.Object, bool) {
	k := p.source.kind
	if p.options.Default && k.Info().Defaults {
		return nil, false
	}
	head := k.New()
	if !decode(k, head) {
		return nil, false
	}
	if v := p.options.Version; !v.Empty() && v != k.GroupVersion() {
		var err error
		if head, err = p.rep.factory.scheme.ConvertSharing(head, v); err != nil {
			return nil, false
		}
	}
	return head, true
}

// messageList appends a list that is one message. Like textList it returns no output unless ok is
// true.
func (p *projector) messageList(dst, b []byte) (out []byte, n int, ok bool) {
	number := p.source.kind.Info().ProtoItems
	if number == 0 {
		return nil, 0, false
	}
	// All other fields make up the head.
	r, around := &p.items, p.scratch[:0]
	r.Reset(b, pbwire.Options{Limits: p.options.Limits})
	for at := 0; r.Next(); at = r.Offset() {
		field := r.Field()
		if r.Skip(); field != number && r.Err() == nil {
			around = append(around, b[at:r.Offset()]...)
		}
	}
	p.scratch = around
	if r.Err() != nil {
		return nil, 0, false
	}
	head, ok := p.readHead(func(k *runtime.Kind, obj runtime.Object) bool {
		p.part.Reset(around, pbwire.Options{Limits: p.options.Limits})
		return k.DecodeProto(&p.part, obj) == nil && len(p.part.Problems()) == 0
	})
	if !ok {
		return nil, 0, false
	}
	if dst, ok = p.begin(dst, head); !ok {
		return nil, 0, false
	}
	r.Reset(b, pbwire.Options{Limits: p.options.Limits})
	for r.Next() {
		if r.Field() != number {
			r.Skip()
			continue
		}
		item := r.Text()
		if len(r.Problems()) > 0 || !p.readMessage(item) {
			return nil, 0, false
		}
		if dst, ok = p.writeItem(dst); !ok {
			return nil, 0, false
		}
		if n++; n > p.limits.Items {
			return nil, 0, false
		}
	}
	dst, err := p.end(dst)
	return dst, n, err == nil
}

// textList appends a list that is one text.
func (p *projector) textList(dst, text []byte, o jsonwire.Options) (out []byte, n int, ok bool) {
	// If the items are the last member, as in output of this module and Kubernetes, one pass
	// suffices: the head is known before them.
	r := &p.reader
	if !p.source.kind.Info().JSONItems {
		return nil, 0, false
	}
	r.Reset(text, o)
	for key := r.Object(); key != nil && string(key) != "items"; key = r.NextKey() {
		r.Skip()
	}
	at := r.Offset()
	if r.Kind() != '[' {
		return nil, 0, false
	}
	if head, known := p.textHead(text[:at], "}", o); known {
		if out, n, ok = p.textItems(dst, head, r, text, o); !ok {
			return nil, 0, false
		}
		if key := r.NextKey(); key == nil {
			return out, n, p.ended()
		}
	}
	p.list = shownList{tail: p.list.tail[:0]}
	// Otherwise the end of the items has to be found first.
	r.Reset(text, o)
	for key := r.Object(); key != nil && string(key) != "items"; key = r.NextKey() {
		r.Skip()
	}
	r.Skip()
	end := r.Offset()
	for key := r.NextKey(); key != nil; key = r.NextKey() {
		if string(key) == "items" {
			return nil, 0, false // the last one wins
		}
		r.Skip()
	}
	if !p.ended() {
		return nil, 0, false
	}
	head, ok := p.textHead(text[:at], string(text[end:]), o)
	if !ok {
		return nil, 0, false
	}
	o.Limits.Depth = r.MaxDepth() - 1
	items := text[at:end]
	r.Reset(items, o)
	if out, n, ok = p.textItems(dst, head, r, items, o); !ok || !p.ended() {
		return nil, 0, false
	}
	return out, n, true
}

// textHead decodes a list from the text before its items and the text after them.
func (p *projector) textHead(before []byte, after string, o jsonwire.Options) (runtime.Object, bool) {
	text := slices.Concat(before, []byte("[]"), []byte(after))
	return p.readHead(func(k *runtime.Kind, obj runtime.Object) bool {
		p.sub.Reset(text, o)
		return k.DecodeJSON(&p.sub, obj) == nil && len(p.sub.Problems()) == 0
	})
}

// textItems appends a list; the reader is at its items.
func (p *projector) textItems(dst []byte, head runtime.Object, r *jsonwire.Reader, text []byte,
	o jsonwire.Options,
) (out []byte, n int, ok bool) {
	if dst, ok = p.begin(dst, head); !ok {
		return nil, 0, false
	}
	for more := r.Array(); more; more = r.NextElem() {
		if !p.readText(r, text, o) {
			return nil, 0, false
		}
		if dst, ok = p.writeItem(dst); !ok {
			return nil, 0, false
		}
		n++
	}
	if len(r.Problems()) > 0 {
		return nil, 0, false
	}
	dst, err := p.end(dst)
	return dst, n, err == nil
}
