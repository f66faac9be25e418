package garage

import (
	"iter"

	"github.com/askind/askind/serializer"
)

var (
	stored   iter.Seq2[[]byte, error]
	watchers []*serializer.EventWriter
)
