package format

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ListReadOptions say how a list is read piece by piece.
type ListReadOptions struct {
	// Limits bound what is read: Item the bytes of one item, and of all that is around the items.
	Limits schema.Limits
	// Kind looks up the kind of the list, for formats in which only that tells where its items are.
	// It returns nil for one that it does not know.
	Kind func(apiVersion, kind string) *runtime.Kind
}

// ListPart is a part of an encoded list that is read piece by piece.
type ListPart struct {
	// Item is an item, nil in the last part. It is valid until the next part is asked for or, if
	// the head does not state its apiVersion and kind yet, for good.
	Item Document
	// Head is the list without its items: in the last part with all that is around them, before
	// that with what came before the item, which may be decoded as little as any text that is cut
	// off.
	Head Document
}

// ListSize is the size of a list that is written item by item. It is known only to formats that ask
// for it because they write it before the items.
type ListSize struct {
	// Items is the number of items, set if [List].Counts or [List].Measure is.
	Items int
	// Bytes is the sum of what [List].Measure returned.
	Bytes int
}
