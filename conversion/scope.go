package conversion

import (
	"time"

	"github.com/askind/askind/schema"
)

// ScopeOptions are the terms of a [Scope]. The zero value copies, has no options and the current
// time.
type ScopeOptions struct {
	_ struct{} // literals name their fields

	// Sharing allows the result to have memory in common with the input.
	Sharing bool
	// Options is a value for the functions that know its type, such as the options of a table.
	Options any
	// CarryLimit is how many bytes the annotation may have in which an object carries what a
	// version cannot express; see package carry. 0 means [DefaultCarryLimit]. With a negative limit
	// nothing is carried, and what an object carries already stays where it is.
	CarryLimit int
	// Dropped is called for every carried value that does not return to its field, because what it
	// depends on has changed or the field cannot hold it. It is called by the goroutine that
	// converts, also for a conversion that fails afterwards. nil means that such values are dropped
	// silently.
	Dropped func(DroppedValue)
	// Now is the time that the result is made for; the zero time means the time of each call of
	// [Scope.Now].
	Now time.Time
}

// DroppedValue is a carried value that a conversion did not return to its field. The result does
// not carry it any more.
type DroppedValue struct {
	_ struct{} // literals name their fields

	// Kind is the kind that has the field, as apiVersion/Kind.
	Kind string
	// Path is where the field is in that kind, as [schema.Path] prints it.
	Path string
	// Changed reports that what the value depends on has changed since it was carried. Otherwise
	// the field cannot hold the value, or there is no such field.
	Changed bool
}

// String says what was dropped and why, for a warning. The value itself is not part of it.
func (d DroppedValue) String() string {
	why := "the field cannot hold it"
	if d.Changed {
		why = "what it depends on has changed"
	}
	return schema.Shorten(d.Path, maxDroppedPath) + ": the value carried for " + d.Kind + " is dropped: " + why
}

// maxDroppedPath bounds the bytes of a path in a warning, since the annotation is written by
// clients.
const maxDroppedPath = 256

// DefaultCarryLimit is half of what Kubernetes allows the annotations of an object to take, 128
// KiB.
const DefaultCarryLimit = 128 << 10

// Scope says under which terms a conversion runs. It is immutable, so that several goroutines may
// use one. The nil *Scope has the terms of the zero [ScopeOptions].
type Scope struct {
	options ScopeOptions
}

// NewScope returns a scope with the terms given.
func NewScope(o ScopeOptions) *Scope { return &Scope{options: o} }

// Sharing reports whether the result may have memory in common with the input. A conversion that is
// not allowed to share copies maps, slices and what pointers lead to.
func (s *Scope) Sharing() bool { return s != nil && s.options.Sharing }

// WithSharing returns a scope with the same terms except for sharing; s stays as it is. The later
// of several conversions in a row may share, because what lies between two of them belongs to
// nobody else.
func (s *Scope) WithSharing(sharing bool) *Scope {
	if s.Sharing() == sharing {
		return s
	}
	var o ScopeOptions
	if s != nil {
		o = s.options
	}
	o.Sharing = sharing
	return &Scope{options: o}
}

// CarryLimit returns how many bytes the annotation may have in which an object carries what a
// version cannot express; it is negative if nothing is to be carried.
func (s *Scope) CarryLimit() int {
	if s == nil || s.options.CarryLimit == 0 {
		return DefaultCarryLimit
	}
	return s.options.CarryLimit
}

// WithCarryLimit returns a scope with the same terms except for the limit of what is carried; s
// stays as it is.
func (s *Scope) WithCarryLimit(limit int) *Scope {
	var o ScopeOptions
	if s != nil {
		o = s.options
	}
	o.CarryLimit = limit
	return &Scope{options: o}
}

// Dropped reports a carried value that does not return to its field to the function that the scope
// has for it. It does nothing without one.
func (s *Scope) Dropped(d DroppedValue) {
	if s != nil && s.options.Dropped != nil {
		s.options.Dropped(d)
	}
}

// Fixed returns a scope with the same terms in which time stands still: s itself if it states a
// time, else one with the present time. What is shown in several steps, such as the items of a
// list, is shown on such terms, so that ages in it agree.
func (s *Scope) Fixed() *Scope {
	if s != nil && !s.options.Now.IsZero() {
		return s
	}
	var o ScopeOptions
	if s != nil {
		o = s.options
	}
	o.Now = time.Now()
	return &Scope{options: o}
}

// Options returns the value that the caller of the conversion passed for functions that know its
// type, or nil. Check its type with an assertion:
//
//	o, _ := s.Options().(*metav1.TableOptions)
func (s *Scope) Options() any {
	if s == nil {
		return nil
	}
	return s.options.Options
}

// Now returns the time that the result is made for, from which ages are shown.
func (s *Scope) Now() time.Time {
	if s == nil || s.options.Now.IsZero() {
		return time.Now()
	}
	return s.options.Now
}
