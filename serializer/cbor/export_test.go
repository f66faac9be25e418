package cbor

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/internal/input"
)

// Plainly returns the document as one that is read by way of a text, whatever it is, and where it ends.
func Plainly(doc runtime.Document) (runtime.Document, int) {
	d := doc.(*document)
	return &document{data: d.data, from: d.from}, len(d.data)
}

// PlainEnd returns where the item at the start of data ends according to the reader, and false if it is broken or no map.
func PlainEnd(data []byte) (int, bool) {
	r, err := read(data, 0, input.Place{})
	if err != nil {
		return 0, false
	}
	defer r.release()
	return r.pos, r.out[0] == '{'
}

// IsUsual reports whether the document is read without a text.
func IsUsual(doc runtime.Document) bool { return doc.(*document).usual }

// AppendWhole is Append by way of one text, however long a list is.
func AppendWhole(dst []byte, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	return appendWhole(dst, k, obj)
}

// Piece is how many items of a list Append writes at once.
const Piece = piece
