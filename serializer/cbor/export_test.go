package cbor

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/input"
)

// Plainly returns the document as one that is read by way of a text, whatever it is, and where it
// ends.
func Plainly(doc format.Document) (format.Document, int) {
	d := doc.(*document)
	return &document{data: d.data, from: d.from}, len(d.data)
}

// PlainEnd returns where the item at the start of data ends according to the reader, and false if
// it is broken or no map.
func PlainEnd(data []byte) (int, bool) {
	r, err := read(data, 0, input.Place{})
	if err != nil {
		return 0, false
	}
	defer r.release()
	return r.pos, r.out[0] == '{'
}

// IsUsual reports whether the document is read without a text.
func IsUsual(doc format.Document) bool { return doc.(*document).usual }

// AppendWhole is Append by way of one text, however long a list is.
func AppendWhole(dst []byte, k *runtime.Kind, obj runtime.Object) ([]byte, error) {
	return appendWhole(dst, k, obj)
}

// Piece is how many items of a list Append writes at once.
const Piece = piece

// Rewriter rewrites texts and items with one encoder and one source for all of them.
type Rewriter struct {
	encoder encoder
	source  source
}

// FromJSON appends the item of a text.
func (r *Rewriter) FromJSON(dst, text []byte) ([]byte, error) { return r.encoder.append(dst, text) }

// ToJSON appends the JSON of an item that is sound, and reports false if it has none.
func (r *Rewriter) ToJSON(dst, item []byte) ([]byte, bool) {
	return r.ToJSONStrictly(dst, item, false)
}

// ToJSONStrictly is ToJSON, in which a name that occurs twice may be a problem.
func (r *Rewriter) ToJSONStrictly(dst, item []byte, strict bool) ([]byte, bool) {
	r.source.reset(item, 0)
	r.source.strict = strict
	return r.source.AppendRaw(dst)
}

// PooledMemory puts values with buffers of more than the maximum capacity in the pools, and returns
// the largest capacity of those that come out.
func PooledMemory() (most int) {
	bytes := func() []byte { return make([]byte, 0, maxPooled+1) }
	(&reader{stack: make([]level, 0, maxPooled+1), chunks: bytes(), out: bytes()}).release()
	(&encoder{arena: bytes(), scratch: bytes()}).release()
	(&skimmer{around: make([]container, 0, maxPooled+1)}).release()
	r, e, s := readers.Get().(*reader), encoders.Get().(*encoder), skimmers.Get().(*skimmer)
	return max(cap(r.stack), cap(r.chunks), cap(r.out), cap(e.arena), cap(e.scratch), cap(s.around))
}

// MaxPooled is the maximum capacity of pooled buffers.
const MaxPooled = maxPooled
