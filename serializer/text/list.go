package text

import (
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/internal/tabular"
)

// EncodesItems reports whether the objects of a kind are tables, which can be written row by row, or lists of descriptions.
func (*Serializer) EncodesItems(k *runtime.Kind) bool {
	return tabular.IsTable(k.Type()) || k.Type() == descriptionListType
}

// layoutOf returns the layout of a table that is written row by row, which lives as long as its parts.
func (s *Serializer) layoutOf(p *runtime.Parts, o runtime.EncodeOptions) *layout {
	l, ok := (*p.Memo()).(*layout)
	if !ok {
		l = newLayout(p.Shell(), s.tableOptions(o))
		*p.Memo() = l
	}
	return l
}

// MeasureListItems makes the columns wide enough for the rows that were taken. How many bytes they will have is not known before all are
// measured, so it returns 0.
func (s *Serializer) MeasureListItems(p *runtime.Parts, o runtime.EncodeOptions) (int, error) {
	if _, ok := p.Bare().(*metav1.DescriptionList); ok {
		return 0, nil
	}
	l := s.layoutOf(p, o)
	for _, cells := range tabular.Rows(p.Bare()) {
		l.measure(l.row(cells))
	}
	return 0, nil
}

// AppendListHead appends the headings.
func (s *Serializer) AppendListHead(dst []byte, p *runtime.Parts, _ runtime.ListSize, o runtime.EncodeOptions) ([]byte, error) {
	if _, ok := p.Bare().(*metav1.DescriptionList); ok {
		return dst, nil
	}
	return s.layoutOf(p, o).appendHead(dst), nil
}

// AppendListItems appends the lines of the rows, or the descriptions, that were taken. n is how many came before them.
func (s *Serializer) AppendListItems(dst []byte, p *runtime.Parts, n int, o runtime.EncodeOptions) ([]byte, error) {
	if list, ok := p.Bare().(*metav1.DescriptionList); ok {
		return appendDescriptions(dst, list.Items, n, s.options.Description), nil
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

// AppendListTail appends nothing: a table ends with its last row, a list with its last description.
func (*Serializer) AppendListTail(dst []byte, _ *runtime.Parts, _ runtime.EncodeOptions) ([]byte, error) {
	return dst, nil
}
