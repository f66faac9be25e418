package json

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/jsonwire"
)

// Excerpt returns the one object in data as it is written: going over what is not wanted costs nothing here but time. It reports false if data does
// not begin with an object; what follows the object is for the reader of the text to find out.
func (*Serializer) Excerpt(_, data []byte, _ func() *runtime.FieldTree) (text []byte, o jsonwire.Options, ok bool) {
	i := skipSpace(data, start(data))
	if i >= len(data) || data[i] != '{' {
		return nil, o, false
	}
	return data[i:], o, true
}

// FinishText turns the compact text of an object, which dst ends with from an index on, into what Append writes for that object.
func (*Serializer) FinishText(dst []byte, from int, o runtime.EncodeOptions) ([]byte, error) {
	if !o.Pretty {
		return append(dst, '\n'), nil
	}
	// The indented form is written behind the compact one and then moved over it.
	to := len(dst)
	dst = jsonwire.AppendIndent(dst, dst[from:to:to], "", "  ")
	n := copy(dst[from:], dst[to:])
	return dst[:from+n], nil
}
