package validation

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression in the syntax of package regexp. It is compiled on first use, so
// that a package-level variable of this type adds nothing to start-up time. It is safe for
// concurrent use and must not be copied after its first use.
type Pattern struct {
	// Expr is the expression.
	Expr string

	once     sync.Once
	compiled *regexp.Regexp
}

// Match reports whether the pattern matches any part of a text. A malformed expression matches
// nothing; the generator never writes one.
func (p *Pattern) Match(text string) bool {
	p.once.Do(func() { p.compiled, _ = regexp.Compile(p.Expr) })
	return p.compiled != nil && p.compiled.MatchString(text)
}
