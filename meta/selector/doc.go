// Package selector parses and evaluates label selectors.
//
// [Parse] reads the text form of the labelSelector parameter of requests, and [Of] converts the
// structured form of package meta/v1. Both return a [Selector], which reports whether a set of
// labels satisfies all of its requirements:
//
//	s, err := selector.Parse("app in (web, api), !debug")
//	…
//	s.Matches(m.Labels)
//
// A Selector is an immutable value and safe for concurrent use. The zero Selector matches all
// labels, [Nothing] matches none, and [New] combines requirements created by the program.
package selector
