package json

import (
	"errors"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// errNoList is the error for an object that is encoded without the field of its items.
var errNoList = errors.New("json: the object is written without its items")

// around appends the encoded shell of an object that is written item by item to dst, and returns
// the positions of the brackets of its items.
func around(dst []byte, p *format.Parts, o format.Options) (out []byte, open, closing int,
	err error,
) {
	from := len(dst)
	dst, err = appendObject(dst, p.Kind(), p.Shell(), o)
	if err != nil {
		return dst, 0, 0, err
	}
	start, end, ok := jsonwire.OffsetOf(dst[from:], schema.NewPath(p.Name()))
	if !ok || end-start != len("[]") {
		return dst[:from], 0, 0, errNoList
	}
	return dst, from + start, from + end - 1, nil
}

// appendListHead appends everything before the first item.
func appendListHead(dst []byte, p *format.Parts, _ format.ListSize, o format.Options) ([]byte,
	error,
) {
	from := len(dst)
	dst, open, _, err := around(dst, p, o)
	if err != nil {
		return dst[:from], err
	}
	return dst[:open+1], nil
}

// appendListItems appends the given items. n is the number of previous items.
func appendListItems(dst []byte, p *format.Parts, n int, o format.Options) ([]byte, error) {
	from := len(dst)
	dst = jsonwire.AppendComma(dst, n)
	if !o.Pretty {
		items, err := p.AppendJSON(dst)
		if err != nil {
			return dst[:from], err
		}
		return items, nil
	}
	compact := len(dst)
	dst, err := p.AppendJSON(append(dst, '['))
	if err != nil {
		return dst[:from], err
	}
	// As in Append, the indented form is written after the compact one and then moved over it, here
	// without the brackets.
	dst = append(dst, ']')
	to := len(dst)
	dst = jsonwire.AppendIndent(dst, dst[compact:to:to], "  ", "  ")
	moved := copy(dst[compact:], dst[to+len("["):len(dst)-len("\n  ]")])
	return dst[:compact+moved], nil
}

// appendListTail appends everything after the last item.
func appendListTail(dst []byte, p *format.Parts, o format.Options) ([]byte, error) {
	from := len(dst)
	if o.Pretty {
		dst = append(dst, "\n  "...)
	}
	to := len(dst)
	dst, _, closing, err := around(dst, p, o)
	if err != nil {
		return dst[:from], err
	}
	return append(dst[:to], dst[closing:]...), nil
}
