package schema

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// maxNearestLen is the maximum length, in characters, of a name that is compared. Longer names are
// unlikely to differ by a mistyped letter or two.
const maxNearestLen = 64

// Nearest returns the candidate that was probably meant by a name, for messages such as `did you
// mean "replicas"?`. It is the candidate with the fewest edits, where an edit adds, drops or
// changes a letter or swaps two neighbors, ignoring case. A tie is resolved in lexical order, so
// the answer does not depend on the order of the candidates. Nearest returns false if every
// candidate takes more than one edit for every three letters of the name.
//
// The cost for each candidate is bounded: names of more than 64 characters are not compared.
func Nearest(name string, candidates []string) (string, bool) {
	var n nearest
	if !n.start(name) {
		return "", false
	}
	for _, candidate := range candidates {
		n.consider(candidate)
	}
	return n.best, n.edits <= n.limit
}

// NearestSeq is [Nearest] for a sequence of candidates.
func NearestSeq(name string, candidates iter.Seq[string]) (string, bool) {
	var n nearest
	if !n.start(name) {
		return "", false
	}
	for candidate := range candidates {
		n.consider(candidate)
	}
	return n.best, n.edits <= n.limit
}

// nearest is a search for the candidate nearest to a name.
type nearest struct {
	buffer [maxNearestLen]rune
	length int // of the name in buffer
	limit  int // the maximum number of edits of a near candidate
	best   string
	edits  int // from the name to best; exceeds limit if no candidate is near
}

// start reports whether a name can have near candidates.
func (n *nearest) start(name string) bool {
	letters, ok := fold(n.buffer[:0], name)
	n.length = len(letters)
	// A single edit would replace a name of one letter entirely.
	n.limit = min((n.length+2)/3, n.length-1)
	n.edits = n.limit + 1
	return ok && n.length > 0
}

func (n *nearest) consider(candidate string) {
	var buffer [maxNearestLen]rune
	letters, ok := fold(buffer[:0], candidate)
	if !ok {
		return
	}
	count := edits(n.buffer[:n.length], letters, n.edits)
	if count < n.edits || count == n.edits && count <= n.limit && candidate < n.best {
		n.best, n.edits = candidate, count
	}
}

// fold appends the characters of s in lower case to dst. It returns false if they do not fit.
func fold(dst []rune, s string) ([]rune, bool) {
	if len(s) > maxNearestLen*utf8.UTFMax {
		return nil, false
	}
	for _, r := range s {
		if len(dst) == cap(dst) {
			return nil, false
		}
		dst = append(dst, unicode.ToLower(r))
	}
	return dst, true
}

// edits returns the number of letters to add, drop, change or swap with a neighbor to get from a to
// b, each letter touched at most once. If the number exceeds limit, it returns any larger number,
// as early as possible.
func edits(a, b []rune, limit int) int {
	if abs(len(a)-len(b)) > limit {
		return limit + 1
	}
	// Row i holds the edits from the first i letters of a to each prefix of b. A swap looks back
	// two rows.
	var rows [3][maxNearestLen + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, aboveThat := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], aboveThat[j-2]+1)
			}
			least = min(least, row[j])
		}
		// No later row has a smaller value: a swap skips a row but costs an edit, and the minimum
		// of a row is at most one more than that of the row above it.
		if least > limit {
			return limit + 1
		}
	}
	return rows[len(a)%3][len(b)]
}

func abs(n int) int { return max(n, -n) }
