// Package problems collects the problems that the readers of package wire find in one input.
package problems

import (
	"sort"

	"github.com/askind/askind/wire"
)

// List holds problems up to a limit.
type List struct {
	// Max is the limit, and Dropped is the number of problems that exceeded it and were not kept.
	Max, Dropped int
	all          []wire.Problem
	minor        int // number of problems that only strict mode finds
}

// Reset empties the list and sets the limit.
func (l *List) Reset(limit int) { *l = List{Max: limit} }

// Room returns the number of problems that the list can still hold, at least 1.
func (l *List) Room() int { return max(1, l.Max-len(l.all)) }

// Full reports whether a further problem with the given code must not be added, because the limit
// is reached, and counts it then. A problem that lenient mode also finds replaces the last one that
// only strict mode finds, so that many unknown fields do not hide errors.
func (l *List) Full(c wire.Code) bool {
	if len(l.all) < l.Max {
		if c.Strict() {
			l.minor++
		}
		return false
	}
	l.Dropped++
	if c.Strict() || l.minor == 0 {
		return true
	}
	i := len(l.all) - 1
	for !l.all[i].Code.Strict() {
		i--
	}
	l.all = append(l.all[:i], l.all[i+1:]...)
	l.minor--
	return false
}

// Add adds a problem. The caller has called Full.
func (l *List) Add(p wire.Problem) { l.all = append(l.all, p) }

// Unsorted returns the problems in the order in which they were added. The list owns the slice.
func (l *List) Unsorted() []wire.Problem { return l.all }

// Sorted returns the problems in input order, and last the one that ended the input unless it is
// nil. The caller owns the slice, which is nil without problems.
func (l *List) Sorted(fatal *wire.Problem) []wire.Problem {
	if fatal == nil && len(l.all) == 0 {
		return nil
	}
	all := make([]wire.Problem, len(l.all), len(l.all)+1)
	copy(all, l.all)
	sort.Stable(inOrder(all))
	if fatal != nil {
		all = append(all, *fatal)
	}
	return all
}

// inOrder sorts problems by position. It implements sort.Interface because the generic functions of
// package slices would add code for each type.
type inOrder []wire.Problem

func (p inOrder) Len() int           { return len(p) }
func (p inOrder) Less(i, j int) bool { return p[i].Offset < p[j].Offset }
func (p inOrder) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
