package format

import (
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// ListReadOptions control how a list is read piece by piece.
type ListReadOptions struct {
	// Limits bound the input: Item bounds the bytes of one item, and of everything around the
	// items.
	Limits schema.Limits
	// Kind looks up the kind of the list, for formats that need it to find the items. It returns
	// nil for an unknown kind.
	Kind func(apiVersion, kind string) *runtime.Kind
}

// ListPart is a part of an encoded list that is read piece by piece.
type ListPart struct {
	// Item is an item, nil in the last part. It is valid until the next part is requested or, if
	// the head does not state its apiVersion and kind yet, indefinitely.
	Item Document
	// Head is the list without its items. In the last part it has everything around the items.
	// Earlier it has the text before the item; it is incomplete and cannot be decoded.
	Head Document
}

// ListSize is the size of a list that is written item by item. It is set only for formats that
// write it before the items.
type ListSize struct {
	// Items is the number of items, set if [List].Counts or [List].Measure is set.
	Items int
	// Bytes is the sum of the results of [List].Measure.
	Bytes int
}
