// Package selector parses and evaluates label selectors.
//
// [Parse] reads the text form, as it stands in the labelSelector parameter of a request, and [Of]
// reads the structured form of package meta/v1. Both give a [Selector], which reports whether a set
// of labels satisfies all of its requirements:
//
//	s, err := selector.Parse("app in (web, api), !debug")
//	…
//	s.Matches(m.Labels)
//
// A Selector is a value that never changes; it can be shared between goroutines. [Everything] and
// [Nothing] are the two that need no labels to decide, and [New] combines requirements that a
// program makes itself.
package selector
