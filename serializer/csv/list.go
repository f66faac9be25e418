package csv

import (
	"github.com/askind/askind/serializer/format"
)

// appendListHead appends the record with the names of the columns.
func (s *codec) appendListHead(dst []byte, p *format.Parts, _ format.ListSize, o format.Options) ([]byte,
	error,
) {
	w, err := s.writer(dst, p.Shell(), o)
	if err != nil {
		return dst, err
	}
	w.head()
	return w.dst, nil
}

// appendListItems appends the records of the rows that were taken. n is the number of previous
// rows.
func (s *codec) appendListItems(dst []byte, p *format.Parts, n int, o format.Options) ([]byte, error) {
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
