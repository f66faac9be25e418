package selector

import (
	"fmt"
	"strings"

	"github.com/askind/askind/schema"
)

// ParseError reports why a text is not a selector. Find it with errors.AsType[*ParseError].
type ParseError struct {
	_ struct{} // literals name their fields

	// Text is the input.
	Text string
	// Offset is the position of the problem in Text, in bytes.
	Offset int
	// Err describes the problem.
	Err error
}

// Error implements error.
func (e *ParseError) Error() string {
	return fmt.Sprintf("label selector %.100q, offset %d: %v", e.Text, e.Offset, e.Err)
}

// Unwrap returns the problem.
func (e *ParseError) Unwrap() error { return e.Err }

// Parse parses the text form of selectors, as in the labelSelector parameter of requests:
// requirements separated by commas, all of which must hold.
//
//	app=web              the label has the value; == is the same
//	app!=web             it has another value, or there is no such label
//	app in (web, api)    it has one of the values
//	app notin (web, api) it has none of them, or there is no such label
//	app                  there is such a label
//	!app                 there is no such label
//	size>3               it is an integer greater than 3; < likewise
//
// A blank text selects everything. The error is a [*ParseError].
func Parse(text string) (Selector, error) {
	p := selectorParser{text: text}
	p.next()
	var requirements []Requirement
	if p.token != "" {
		for {
			r, err := p.requirement()
			if err != nil {
				return Nothing(), &ParseError{Text: text, Offset: p.start, Err: err}
			}
			requirements = append(requirements, r)
			if p.token == "" {
				break
			}
			if p.token != "," {
				return Nothing(), &ParseError{Text: text, Offset: p.start, Err: p.unexpected("a comma or the end")}
			}
			p.next()
		}
	}
	return New(requirements...), nil
}

// selectorParser holds a text and its next token: a word, a mark, or blank at the end.
type selectorParser struct {
	text       string
	start, end int
	token      string
}

const (
	selectorMarks  = "(),!=<>"
	selectorSpaces = " \t\r\n"
)

// next moves to the next token.
func (p *selectorParser) next() {
	rest := p.text[p.end:]
	p.start = len(p.text) - len(strings.TrimLeft(rest, selectorSpaces))
	rest = p.text[p.start:]
	n := strings.IndexAny(rest, selectorMarks+selectorSpaces)
	switch {
	case n < 0:
		n = len(rest)
	case n == 0:
		n = 1
		if strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "!=") {
			n = 2
		}
	}
	p.end = p.start + n
	p.token = p.text[p.start:p.end]
}

// word returns the next token and moves on if it is a word, even one that is an operator elsewhere.
func (p *selectorParser) word() (string, bool) {
	if p.token == "" || strings.Contains(selectorMarks, p.token[:1]) {
		return "", false
	}
	w := p.token
	p.next()
	return w, true
}

func (p *selectorParser) unexpected(want string) error {
	if p.token == "" {
		return fmt.Errorf("expected %s, found the end", want)
	}
	return fmt.Errorf("expected %s, found %s", want, schema.Quote(p.token))
}

func (p *selectorParser) requirement() (Requirement, error) {
	start := p.start
	negated := p.token == "!"
	if negated {
		p.next()
	}
	key, ok := p.word()
	if !ok {
		return Requirement{}, p.unexpected("a label")
	}
	var operator Operator
	var values []string
	var err error
	switch {
	case negated:
		operator = DoesNotExist
	case p.token == "" || p.token == ",":
		operator = Exists
	default:
		operator = Operator(p.token)
		switch operator {
		case In, NotIn:
			p.next()
			values, err = p.values()
		case Equals, DoubleEquals, NotEquals, GreaterThan, LessThan:
			p.next()
			values, err = p.value()
		default:
			err = p.unexpected("an operator")
		}
	}
	if err != nil {
		return Requirement{}, err
	}
	r, err := NewRequirement(key, operator, values...)
	if err != nil {
		p.start = start
	}
	return r, err
}

// value parses the value, which may be blank, after an operator with one value.
func (p *selectorParser) value() ([]string, error) {
	if p.token == "" || p.token == "," {
		return []string{""}, nil
	}
	v, ok := p.word()
	if !ok {
		return nil, p.unexpected("a value")
	}
	return []string{v}, nil
}

// values parses a list in parentheses. An empty element is the blank value.
func (p *selectorParser) values() ([]string, error) {
	if p.token != "(" {
		return nil, p.unexpected("values in parentheses")
	}
	p.next()
	var values []string
	for {
		v, _ := p.word()
		values = append(values, v)
		switch p.token {
		case ",":
			p.next()
		case ")":
			p.next()
			return values, nil
		default:
			return nil, p.unexpected("a comma or a closing parenthesis")
		}
	}
}
