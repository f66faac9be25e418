package validation

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression in the syntax of package regexp. It is compiled when it is first
// used, so that a variable of this type costs a program nothing before. It is safe for any number
// of goroutines and must not be copied after its first use.
type Pattern struct {
	// Expr is the expression.
	Expr string

	once     sync.Once
	compiled *regexp.Regexp
}

// Match reports whether a text, or a part of it, matches. Nothing matches a malformed expression,
// which the generator does not write.
func (p *Pattern) Match(text string) bool {
	p.once.Do(func() { p.compiled, _ = regexp.Compile(p.Expr) })
	return p.compiled != nil && p.compiled.MatchString(text)
}
