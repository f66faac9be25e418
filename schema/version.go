package schema

import (
	"cmp"
	"strings"
)

// CompareVersions orders version names by preference: the result is negative when a is preferred to
// b, positive when b is preferred, and 0 only when they are equal, so that sorting with it puts the
// preferred version first.
//
// Stable versions (v2) come before beta (v2beta1) before alpha ones (v2alpha1), regardless of their
// numbers. Within a level the higher major number comes first, then the higher minor number. All
// other names come last, in lexical order. Numbers may have any number of digits.
func CompareVersions(a, b string) int {
	if a == b {
		return 0
	}
	va, aok := parseVersion(a)
	vb, bok := parseVersion(b)
	switch {
	case aok && bok:
		return cmp.Or(
			cmp.Compare(va.level, vb.level),
			compareNumbers(vb.major, va.major),
			compareNumbers(vb.minor, va.minor),
			strings.Compare(a, b), // they differ only in leading zeros
		)
	case aok:
		return -1
	case bok:
		return 1
	}
	return strings.Compare(a, b)
}

// The levels of stability, most preferred first.
const (
	levelStable = iota
	levelBeta
	levelAlpha
)

// versionParts is a parsed version name. The numbers are digits without leading zeros, so they
// cannot overflow.
type versionParts struct {
	level        int
	major, minor string
}

// parseVersion reads v<major>, v<major>beta<minor> and v<major>alpha<minor>.
func parseVersion(s string) (versionParts, bool) {
	s, ok := strings.CutPrefix(s, "v")
	if !ok {
		return versionParts{}, false
	}
	major, rest := cutNumber(s)
	if rest == s {
		return versionParts{}, false
	}
	v := versionParts{major: major}
	if rest == "" {
		return v, true
	}
	tail, beta := strings.CutPrefix(rest, "beta")
	v.level = levelBeta
	if !beta {
		var alpha bool
		if tail, alpha = strings.CutPrefix(rest, "alpha"); !alpha {
			return versionParts{}, false
		}
		v.level = levelAlpha
	}
	v.minor, rest = cutNumber(tail)
	return v, rest == "" && tail != ""
}

// cutNumber returns the digits at the start of s without leading zeros, and what follows them.
func cutNumber(s string) (number, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return strings.TrimLeft(s[:n], "0"), s[n:]
}

// compareNumbers compares digits without leading zeros by value.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
