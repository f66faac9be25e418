package cbor

import (
	"bytes"
	"errors"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// errNoList is the error for an object that is encoded without the field of its items.
var errNoList = errors.New("cbor: the object is written without its items")

// appendListHead appends everything before the first item: the members whose keys precede that of
// the items, that key, and the number of items.
func appendListHead(dst []byte, p *format.Parts, size format.ListSize,
	o format.Options,
) ([]byte, error) {
	dst, at, err := around(dst, p, o)
	if err != nil {
		return dst, err
	}
	return appendHead(dst[:at], majorArray, uint64(size.Items)), nil
}

// appendListTail appends everything after the last item.
func appendListTail(dst []byte, p *format.Parts, o format.Options) ([]byte, error) {
	from := len(dst)
	dst, at, err := around(dst, p, o)
	if err != nil {
		return dst, err
	}
	return dst[:from+copy(dst[from:], dst[at+1:])], nil
}

// around appends the shell of an object that is written item by item and returns the position of
// the empty array of its items.
func around(dst []byte, p *format.Parts, o format.Options) (out []byte, at int, err error) {
	from := len(dst)
	if dst, err = appendObject(dst, p.Kind(), p.Shell(), o); err != nil {
		return dst, 0, err
	}
	shell := source{data: dst, pos: from + len(selfDescribed)}
	for key, found := shell.Object(); found == jsonwire.ValueFound && key != nil; key, found = shell.NextKey() {
		if string(key) == p.Name() {
			if shell.pos < len(dst) && dst[shell.pos] == majorArray {
				return dst, shell.pos, nil
			}
			break
		}
		shell.Skip()
	}
	return dst[:from], 0, errNoList
}

// piece is the number of list items that are written at once: enough to amortize the fixed cost,
// and few enough for their text to stay in the processor's cache.
const piece = 16

// appendInPieces appends a long list some items at a time, so that the text of the whole list is
// never in memory. It returns false for a short list, for an object that is not a list, and after
// any error; dst is then unchanged.
func appendInPieces(dst []byte, k *runtime.Kind, list runtime.Object, o format.Options) ([]byte,
	bool,
) {
	if !k.IsList() {
		return dst, false
	}
	items := k.Items(list)
	if items == nil || items.Len() < 2*piece {
		return dst, false
	}
	n := items.Len()
	shell, ok := format.WithoutItems(k, list)
	if !ok {
		return dst, false
	}
	p, ok := format.NewParts(k, shell, list)
	if !ok {
		return dst, false
	}
	from := len(dst)
	dst, at, err := around(dst, p, o)
	if err != nil {
		return dst, false
	}
	tail := bytes.Clone(dst[at+1:])
	dst = appendHead(dst[:at], majorArray, uint64(n))
	for i := 0; i < n; i += piece {
		if err = p.TakeRange(list, i, min(i+piece, n)); err != nil {
			return dst[:from], false
		}
		if dst, err = appendListItems(dst, p, i, o); err != nil {
			return dst[:from], false
		}
	}
	return append(dst, tail...), true
}

// appendListItems appends the given items.
func appendListItems(dst []byte, p *format.Parts, _ int, _ format.Options) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer e.release()
	text := append(jsonwire.Annotate(e.scratch[:0]), '[')
	text, err := p.AppendJSON(text)
	e.scratch = text
	if err != nil {
		return dst, err
	}
	e.scratch = append(text, ']')
	from := len(dst)
	out, err := e.append(dst, e.scratch[annotation:])
	if err != nil {
		return dst[:from], err
	}
	_, content, _ := headAt(out, from)
	return out[:from+copy(out[from:], out[content:])], nil
}
