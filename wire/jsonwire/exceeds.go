package jsonwire

import (
	"bytes"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Exceeds looks for what is too long in the value at the start of a text: a string or member name,
// a list or an object. It returns the first that is beyond the limits, nil if there is none. A text
// that by its size alone, and by the number of its commas, cannot have any is not gone through, so
// with the default limits only large ones are. What is wrong with the syntax is left to a [Reader].
func Exceeds(text []byte, l schema.Limits) *Error {
	const small = 1 << 20 // below all defaults
	if len(text) < small && l.Size <= 0 && l.String <= 0 && l.Items <= 0 {
		return nil
	}
	l = l.OrDefaults()
	// A list of n elements takes n-1 commas, and twice as many bytes at least.
	if l.String >= len(text) && (len(text)/2 < l.Items || bytes.Count(text, []byte{','}) < l.Items) {
		return nil
	}
	s := lengths{text: text, limits: l}
	return s.find()
}

// lengths goes through a text and counts.
type lengths struct {
	text    []byte
	limits  schema.Limits
	open    []openValue
	scratch []byte
}

// openValue is an object or list that has begun.
type openValue struct {
	start  int
	commas int
}

func (s *lengths) find() *Error {
	for i := 0; i < len(s.text); i++ {
		switch s.text[i] {
		case '"':
			end, plain, bad := scanString(s.text, i+1)
			if bad != "" {
				return nil
			}
			if e := s.string(i, s.text[i+1:end], plain); e != nil {
				return e
			}
			i = end
		case '{', '[':
			if len(s.open) >= highestMaxDepth {
				return nil
			}
			s.open = append(s.open, openValue{start: i})
		case ',':
			if len(s.open) == 0 {
				return nil
			}
			s.open[len(s.open)-1].commas++
		case '}', ']':
			top := len(s.open) - 1
			if top < 0 {
				return nil
			}
			if closed := s.open[top]; closed.commas >= s.limits.Items {
				return s.tooMany(closed)
			}
			if s.open = s.open[:top]; top == 0 {
				return nil
			}
		}
	}
	return nil
}

// string looks at the string whose quote is at i.
func (s *lengths) string(i int, quoted []byte, plain bool) *Error {
	n := len(quoted)
	if n > s.limits.String && !plain { // it may be shorter without its escapes
		s.scratch = appendUnescaped(s.scratch[:0], quoted)
		n = len(s.scratch)
	}
	if n <= s.limits.String {
		return nil
	}
	return limitError(i, &schema.LimitError{
		Limit: "String", What: "a string", Unit: "bytes",
		Max: s.limits.String, Got: n,
	})
}

func (s *lengths) tooMany(v openValue) *Error {
	e := &schema.LimitError{Limit: "Items", What: "a list", Unit: "elements", Max: s.limits.Items, Got: v.commas + 1}
	if s.text[v.start] == '{' {
		e.What, e.Unit = "an object", "members"
	}
	return limitError(v.start, e)
}

func limitError(i int, e *schema.LimitError) *Error {
	return &Error{Code: wire.Limit, Offset: i, Message: e.Error(), Err: e}
}
