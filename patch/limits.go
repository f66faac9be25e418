package patch

import (
	"cmp"

	"github.com/askind/askind/schema"
)

// Limits bound the cost of a patch. A field that is 0 has its default.
type Limits struct {
	// Limits bound the texts of the patch and of the document, and how deep the result nests.
	schema.Limits
	// Operations bounds the operations of a JSON patch. The default is 10,000, as in Kubernetes.
	Operations int
	// Growth bounds the total bytes that the copy operations of a JSON patch add. The default is 3
	// MiB, as in Kubernetes.
	Growth int
	// Work bounds the array elements that are moved, the bytes that are scanned and the values that
	// are compared beyond one reading of the document; an element of a list that a strategic merge
	// patch merges counts as ten. The default is 50 million, which takes about a second.
	Work int
}

func (l Limits) orDefaults() Limits {
	l.Limits = l.Limits.OrDefaults()
	l.Operations = cmp.Or(max(l.Operations, 0), 10_000)
	l.Growth = cmp.Or(max(l.Growth, 0), 3<<20)
	l.Work = cmp.Or(max(l.Work, 0), 50_000_000)
	return l
}

// exceeded returns the error for a patch beyond a limit.
func exceeded(limit, what, unit string, most int) error {
	return &schema.LimitError{Limit: limit, What: what, Unit: unit, Max: most}
}
