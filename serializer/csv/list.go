package csv

import (
	"github.com/askind/askind/runtime"
)

// AppendListHead appends the record with the names of the columns.
func (s *Serializer) AppendListHead(dst []byte, p *runtime.Parts, _ runtime.ListSize, o runtime.EncodeOptions) ([]byte, error) {
	w, err := s.writer(dst, p.Shell(), o)
	if err != nil {
		return dst, err
	}
	w.head()
	return w.dst, nil
}

// AppendListItems appends the records of the rows that were taken. n is how many came before them.
func (s *Serializer) AppendListItems(dst []byte, p *runtime.Parts, n int, o runtime.EncodeOptions) ([]byte, error) {
	w, ok := (*p.Memo()).(*writer)
	if !ok {
		var err error
		if w, err = s.writer(nil, p.Shell(), o); err != nil {
			return dst, err
		}
		*p.Memo() = w
	}
	from := len(dst)
	w.dst = dst
	err := w.rows(p.Bare(), n)
	out := w.dst
	w.dst = nil
	if err != nil {
		return out[:from], err
	}
	return out, nil
}

// AppendListTail appends nothing: a table ends with its last row.
func (*Serializer) AppendListTail(dst []byte, _ *runtime.Parts, _ runtime.EncodeOptions) ([]byte, error) {
	return dst, nil
}
