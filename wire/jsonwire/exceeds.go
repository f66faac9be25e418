package jsonwire

import (
	"bytes"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// Exceeds searches the value at the start of a text for a string, member name, list or object that
// exceeds a limit. It returns an error for the first one, or nil. A text that is too short, or has
// too few commas, to exceed a limit is not scanned, so with the default limits only large texts
// are. Exceeds ignores syntax errors, which a [Reader] reports.
func Exceeds(text []byte, l schema.Limits) *Error {
	const small = 1 << 20 // less than all defaults
	if len(text) < small && l.Size <= 0 && l.String <= 0 && l.Items <= 0 {
		return nil
	}
	l = l.OrDefaults()
	// A list of n elements has n-1 commas, and at least twice as many bytes.
	if l.String >= len(text) && (len(text)/2 < l.Items || bytes.Count(text, []byte{','}) < l.Items) {
		return nil
	}
	s := lengths{text: text, limits: l}
	return s.find()
}

// lengths measures the values of a text.
type lengths struct {
	text    []byte
	limits  schema.Limits
	open    []openValue
	scratch []byte
}

// openValue is an object or list that is open.
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

// string checks the length of the string whose quote is at i.
func (s *lengths) string(i int, quoted []byte, plain bool) *Error {
	n := len(quoted)
	if n > s.limits.String && !plain { // it may be shorter once unescaped
		s.scratch = AppendUnescaped(s.scratch[:0], quoted)
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
