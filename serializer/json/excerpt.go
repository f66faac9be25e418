package json

import (
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
)

// excerpt returns the one object in data as it is written: going over what is not wanted costs
// nothing here but time. It reports false if data does not begin with an object; what follows the
// object is for the reader of the text to find out.
func excerpt(_, data []byte, _ func() *format.FieldTree) (text []byte, o jsonwire.Options, ok bool) {
	i := skipSpace(data, start(data))
	if i >= len(data) || data[i] != '{' {
		return nil, o, false
	}
	return data[i:], o, true
}

// finishText turns the compact text of an object, which dst ends with from an index on, into what
// Append writes for that object.
func finishText(dst []byte, from int, o format.Options) ([]byte, error) {
	if !o.Pretty {
		return append(dst, '\n'), nil
	}
	// The indented form is written behind the compact one and then moved over it.
	to := len(dst)
	dst = jsonwire.AppendIndent(dst, dst[from:to:to], "", "  ")
	n := copy(dst[from:], dst[to:])
	return dst[:from+n], nil
}
