package json

import (
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// excerpt returns the one object in data unchanged: skipping unwanted fields is cheap in JSON. It
// returns false if data does not begin with an object; the reader of the text checks what follows
// the object.
func excerpt(_, data []byte, _ func() *format.FieldTree) (text []byte, o jsonwire.Options, ok bool) {
	i := skipSpace(data, start(data))
	if i >= len(data) || data[i] != '{' {
		return nil, o, false
	}
	return data[i:], o, true
}

// finishText replaces the compact text of an object, with which dst ends from an index on, by the
// output of Append for that object.
func finishText(dst []byte, from int, o format.Options) ([]byte, error) {
	if !o.Pretty {
		return append(dst, '\n'), nil
	}
	// The indented form is written after the compact one and then moved over it.
	to := len(dst)
	dst = jsonwire.AppendIndent(dst, dst[from:to:to], "", "  ")
	n := copy(dst[from:], dst[to:])
	return dst[:from+n], nil
}
