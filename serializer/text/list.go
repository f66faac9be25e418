package text

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/tabular"
)

// encodesItems reports whether the objects of a kind are tables, which can be written row by row,
// or lists of descriptions.
func encodesItems(k *runtime.Kind) bool {
	return tabular.IsTable(k.Type()) || k.Type() == descriptionListType
}

// layoutOf returns the layout of a table that is written row by row, which is kept with its parts.
func (s *codec) layoutOf(p *format.Parts, o format.Options) *layout {
	l, ok := (*p.Memo()).(*layout)
	if !ok {
		l = newLayout(p.Shell(), s.tableOptions(o))
		*p.Memo() = l
	}
	return l
}

// measureListItems makes the columns wide enough for the given rows. Their size in bytes is unknown
// before all have been measured, so it returns 0.
func (s *codec) measureListItems(p *format.Parts, o format.Options) (int, error) {
	if _, ok := p.Bare().(*metav1.DescriptionList); ok {
		return 0, nil
	}
	l := s.layoutOf(p, o)
	for _, cells := range tabular.Rows(p.Bare()) {
		l.measure(l.row(cells))
	}
	return 0, nil
}

// appendListHead appends the headings.
func (s *codec) appendListHead(dst []byte, p *format.Parts, _ format.ListSize, o format.Options) ([]byte,
	error,
) {
	if _, ok := p.Bare().(*metav1.DescriptionList); ok {
		return dst, nil
	}
	return s.layoutOf(p, o).appendHead(dst), nil
}

// appendListItems appends the lines of the rows, or the descriptions, that were taken. n is the
// number of previous items.
func (s *codec) appendListItems(dst []byte, p *format.Parts, n int, o format.Options) ([]byte, error) {
	if list, ok := p.Bare().(*metav1.DescriptionList); ok {
		return appendDescriptions(dst, list.Items, n, s.options), nil
	}
	l := s.layoutOf(p, o)
	if len(l.shown) == 0 {
		return dst, nil
	}
	for _, cells := range tabular.Rows(p.Bare()) {
		dst = l.appendLine(dst, l.row(cells))
	}
	return dst, nil
}
