// Package compare measures the processor times of several libraries for the same work, and excludes
// those whose results differ.
//
// A [Row] is one operation on one piece of data; a [Subject] is one library that performs it, ours
// first. [Measure] prepares all subjects of a row, compares their results with ours, and times them
// in rounds: each round times every subject once, in an order that changes from round to round, and
// yields one ratio for each peer. Noise affects all subjects of a round alike, so the median of the
// ratios is more stable than times; their spread is reported beside it. A [Measurement] does the
// rounds in passes that may be far apart, so that the spread includes the effects of time and of
// the location of data in memory. Memory is measured separately from time.
//
// [Report] writes the results as text, Markdown, JSON and bar charts. Package rows has the rows.
package compare

import (
	"bytes"
	"errors"
	"fmt"
)

// Row is one operation, performed by several libraries.
type Row struct {
	// Group is the chart that the row belongs to, such as "JSON decoding".
	Group string
	// Name is operation/format/data.
	Name string
	// Heavy rows are omitted from quick runs.
	Heavy bool
	// Ours is the first subject; every ratio is relative to it.
	Subjects []Subject
}

// Subject is one library that performs the work of a row.
type Subject struct {
	// Name is the name of the library.
	Name string
	// Note describes how its work differs from ours, if it does. It is printed with the table.
	Note string
	// Same compares what the subject makes with what ours makes, where they need not be equal byte
	// for byte; Note then says why.
	Same func(ours, theirs []byte) error
	// Prepare does everything that is not measured.
	Prepare func() (Work, error)
}

// Work is a prepared operation that can be repeated.
type Work struct {
	// Run performs it once and stores the result for Result.
	Run func() error
	// Result returns the result of the last run in a form that can be compared with those of other
	// subjects.
	Result func() ([]byte, error)
	// Forget drops the result of the last run, so that the memory of one subject is not a burden to
	// the collector while another is timed. It may be nil.
	Forget func()
	// Size is the number of bytes that one run reads or writes, 0 where that means nothing.
	Size int
	// Cycle is after how many runs the same work comes again, 0 if every run does the same.
	Cycle int
	// Heap does the work once and returns how many bytes the heap held at most while it was done,
	// beyond those before. It is nil where that is not measured.
	Heap func() (float64, error)
}

// DifferenceError reports that the result of a subject differs from ours.
type DifferenceError struct {
	Row, Subject string
	Err          error
}

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("%s: %s does not make what ours makes: %v", e.Row, e.Subject, e.Err)
}

func (e *DifferenceError) Unwrap() error { return e.Err }

// Equal returns the comparison of subjects that name no other: byte for byte.
func Equal(ours, theirs []byte) error {
	if bytes.Equal(ours, theirs) {
		return nil
	}
	i := 0
	for i < len(ours) && i < len(theirs) && ours[i] == theirs[i] {
		i++
	}
	around := func(b []byte) []byte { return b[max(0, min(len(b), i)-60):min(len(b), i+60)] }
	return fmt.Errorf("%d and %d bytes, different from byte %d on:\nours   %q\ntheirs %q", len(ours), len(theirs), i,
		around(ours), around(theirs))
}

// prepared is a subject whose result equals ours.
type prepared struct {
	Work
	subject *Subject
	refused error
}

func (p *prepared) forget() {
	if p.Forget != nil {
		p.Forget()
	}
}

// ready prepares the work and does it once: a first run does things that the others do not.
func (s *Subject) ready() (Work, error) {
	w, err := s.Prepare()
	if err == nil {
		err = w.Run()
	}
	return w, err
}

// prepare readies the subjects and compares their results. Only a failure of ours is an error; a
// peer that fails is refused.
func (r *Row) prepare() ([]prepared, error) {
	out := make([]prepared, len(r.Subjects))
	var ours []byte
	for i := range r.Subjects {
		s := &r.Subjects[i]
		p := &out[i]
		p.subject = s
		var got []byte
		var err error
		if p.Work, err = s.ready(); err == nil {
			got, err = p.Result()
		}
		p.forget()
		switch {
		case i == 0 && err != nil:
			return nil, fmt.Errorf("%s: %s: %w", r.Name, s.Name, err)
		case i == 0:
			ours = bytes.Clone(got)
			continue
		case err == nil:
			same := s.Same
			if same == nil {
				same = Equal
			}
			err = same(ours, got)
		}
		if err != nil {
			p.refused = &DifferenceError{Row: r.Name, Subject: s.Name, Err: err}
		}
	}
	return out, nil
}

// Compare runs all subjects once and compares their results with ours.
func (r *Row) Compare() error {
	subjects, err := r.prepare()
	for _, p := range subjects {
		err = errors.Join(err, p.refused)
	}
	return err
}

// again readies those subjects once more that run.
func (r *Row) again(runs []int) ([]prepared, error) {
	out := make([]prepared, len(r.Subjects))
	for i := range r.Subjects {
		p := &out[i]
		if p.subject = &r.Subjects[i]; runs[i] == 0 {
			continue
		}
		var err error
		if p.Work, err = p.subject.ready(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", r.Name, p.subject.Name, err)
		}
		p.forget()
	}
	return out, nil
}
