package conversion

import (
	"time"

	"github.com/askind/askind/schema"
)

// ScopeOptions are the settings of a [Scope]. In the zero value conversions copy, have no options
// and use the current time.
type ScopeOptions struct {
	_ struct{} // literals name their fields

	// Sharing allows the result to share memory with the input.
	Sharing bool
	// Options is a value for functions that know its type, such as the options of a table.
	Options any
	// CarryLimit is the maximum size in bytes of the annotation in which an object carries data
	// that a version cannot express; see package carry. 0 means [DefaultCarryLimit]. If the limit
	// is negative nothing is carried, and data that an object already carries stays in the
	// annotation.
	CarryLimit int
	// Dropped is called for every value that a conversion drops: a field that is set and declared
	// as a [Loss], unless the loss is partial, and a carried value that does not return to its
	// field, because what it depends on has changed or the field cannot hold it. Declared losses
	// are reported by the conversions of a runtime.Scheme, not by a function that is called
	// directly. Dropped is called on the goroutine that converts, even if the conversion fails
	// afterwards. If nil, such values are dropped silently.
	Dropped func(DroppedValue)
	// Now is the time for which the result is made. If zero, each call of [Scope.Now] returns the
	// current time, that of Clock or, if Clock is nil, of [time.Now].
	Now   time.Time
	Clock func() time.Time
}

// DroppedValue is a value that a conversion dropped. The result neither has nor carries it.
type DroppedValue struct {
	_ struct{} // literals name their fields

	// Kind is the kind that has the field, as apiVersion/Kind.
	Kind string
	// Path is the path of the field in that kind, as [schema.Path] prints it. In a list, it begins
	// at the item.
	Path string
	// To is the kind that cannot express the field, as apiVersion/Kind, and Reason is that of the
	// declared [Loss]. Both are blank for a carried value.
	To, Reason string
	// Value is what a field that is declared as a loss has, such as a string or a *int32; nil for a
	// carried value. It belongs to the converted object and must not be modified.
	Value any
	// Changed reports whether what a carried value depends on has changed since it was carried. If
	// false, the field cannot hold the value, or does not exist.
	Changed bool
}

// String returns a warning that states what was dropped and why. It does not contain the value.
func (d DroppedValue) String() string {
	path := schema.Shorten(d.Path, maxDroppedPath)
	if d.To != "" {
		return path + ": the value is dropped in " + Loss{Path: d.To, Reason: d.Reason}.String()
	}
	why := "the field cannot hold it"
	if d.Changed {
		why = "what it depends on has changed"
	}
	return path + ": the value carried for " + d.Kind + " is dropped: " + why
}

// maxDroppedPath limits the bytes of a path in a warning, since clients write the annotation.
const maxDroppedPath = 256

// DefaultCarryLimit is half of the 256 KiB that Kubernetes allows for all annotations of an object.
const DefaultCarryLimit = 128 << 10

// Scope holds the settings of a conversion. It is immutable and safe for concurrent use. The nil
// *Scope has the settings of the zero [ScopeOptions].
type Scope struct {
	options ScopeOptions
}

// NewScope returns a scope with the given settings.
func NewScope(o ScopeOptions) *Scope { return &Scope{options: o} }

// copy returns a copy of s to be changed.
func (s *Scope) copy() *Scope {
	if s == nil {
		return new(Scope)
	}
	out := *s
	return &out
}

// Sharing reports whether the result may share memory with the input. A conversion that is not
// allowed to share copies maps, slices and the targets of pointers.
func (s *Scope) Sharing() bool { return s != nil && s.options.Sharing }

// WithSharing returns a copy of s with another value of sharing. In a chain of conversions, all but
// the first may share, because the intermediate objects are not used elsewhere.
func (s *Scope) WithSharing(sharing bool) *Scope {
	if s.Sharing() == sharing {
		return s
	}
	out := s.copy()
	out.options.Sharing = sharing
	return out
}

// CarryLimit returns the maximum size in bytes of the annotation in which an object carries data
// that a version cannot express. It is negative if nothing is to be carried.
func (s *Scope) CarryLimit() int {
	if s == nil || s.options.CarryLimit == 0 {
		return DefaultCarryLimit
	}
	return s.options.CarryLimit
}

// WithCarryLimit returns a copy of s with another limit of carried data.
func (s *Scope) WithCarryLimit(limit int) *Scope {
	out := s.copy()
	out.options.CarryLimit = limit
	return out
}

// WithDropped returns a copy of s with another function for dropped values.
func (s *Scope) WithDropped(dropped func(DroppedValue)) *Scope {
	out := s.copy()
	out.options.Dropped = dropped
	return out
}

// ReportsDropped reports whether the scope has a function for dropped values. If not, nobody needs
// to look for them.
func (s *Scope) ReportsDropped() bool { return s != nil && s.options.Dropped != nil }

// Dropped reports a value that a conversion drops to the scope's function. It does nothing if the
// scope has none.
func (s *Scope) Dropped(d DroppedValue) {
	if s.ReportsDropped() {
		s.options.Dropped(d)
	}
}

// Fixed returns a scope with the same settings and a fixed time: s itself if it states a time, else
// a copy with the current time. Use it for results that are made in several steps, such as the
// items of a list, so that their ages are consistent.
func (s *Scope) Fixed() *Scope {
	if s != nil && !s.options.Now.IsZero() {
		return s
	}
	out := s.copy()
	out.options.Now = s.Now()
	return out
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

// Now returns the time for which the result is made; ages are relative to it.
func (s *Scope) Now() time.Time {
	switch {
	case s == nil:
		return time.Now()
	case !s.options.Now.IsZero():
		return s.options.Now
	case s.options.Clock != nil:
		return s.options.Clock()
	}
	return time.Now()
}
