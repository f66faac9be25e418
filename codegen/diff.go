package codegen

import (
	"fmt"
	"strings"
)

// context is the number of unchanged lines around a change in a unified diff.
const context = 3

// Diff returns the unified diff from the file in the tree to the one in the result. It ignores how
// lines end.
func Diff(c Change) string {
	a, b := splitLines(unixLines(c.Old)), splitLines(c.New)
	from, to := "a/"+c.Path, "b/"+c.Path
	if c.Old == nil {
		from = "/dev/null"
	}
	if c.New == nil {
		to = "/dev/null"
	}
	edits := diffLines(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		// A hunk continues as long as changes are close to each other.
		start, end := max(0, i-context), i+1
		for j := i + 1; j < len(edits) && j <= end+2*context; j++ {
			if edits[j].op != ' ' {
				end = j + 1
			}
		}
		end = min(len(edits), end+context)
		writeHunk(&out, edits[start:end])
		i = end
	}
	return out.String()
}

func writeHunk(out *strings.Builder, hunk []edit) {
	oldCount, newCount := 0, 0
	for _, e := range hunk {
		if e.op != '+' {
			oldCount++
		}
		if e.op != '-' {
			newCount++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", lineRange(hunk[0].oldLine, oldCount), lineRange(hunk[0].newLine, newCount))
	for _, e := range hunk {
		fmt.Fprintf(out, "%c%s\n", e.op, e.text)
	}
}

func lineRange(start, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", start)
	}
	if count == 1 {
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, count)
}

func splitLines(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// edit is one line of a diff. The line numbers are those before the line, from 0.
type edit struct {
	op               byte
	text             string
	oldLine, newLine int
}

// diffLines finds a shortest edit script by the greedy algorithm of Myers, after removing the
// common prefix and suffix.
func diffLines(a, b []string) []edit {
	prefix := 0
	for prefix < len(a) && prefix < len(b) && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	var edits []edit
	for i := range prefix {
		edits = append(edits, edit{' ', a[i], i, i})
	}
	edits = append(edits, middle(a[prefix:len(a)-suffix], b[prefix:len(b)-suffix], prefix)...)
	for i := range suffix {
		oldLine, newLine := len(a)-suffix+i, len(b)-suffix+i
		edits = append(edits, edit{' ', a[oldLine], oldLine, newLine})
	}
	return edits
}

// middle returns the expensive part of the algorithm: time and memory grow with the number of
// differences, so beyond a limit the old lines are simply replaced by the new ones.
func middle(a, b []string, offset int) []edit {
	const limit = 2000
	limitD := min(len(a)+len(b), limit)
	// v[k] is the furthest position in a on diagonal k; trace keeps it for every number of
	// differences.
	v := make([]int, 2*limitD+3)
	at := func(k int) *int { return &v[k+limitD+1] }
	var trace [][]int
	for d := 0; d <= limitD; d++ {
		trace = append(trace, append([]int(nil), v...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				if k == -d || k != d && *at(k - 1) < *at(k + 1) {
					x = *at(k + 1)
				} else {
					x = *at(k - 1) + 1
				}
			}
			y := x - k
			for x < len(a) && y < len(b) && y >= 0 && a[x] == b[y] {
				x, y = x+1, y+1
			}
			*at(k) = x
			if x >= len(a) && y >= len(b) {
				return backtrack(a, b, trace, limitD, offset)
			}
		}
	}
	var edits []edit
	for i, text := range a {
		edits = append(edits, edit{'-', text, offset + i, offset})
	}
	for i, text := range b {
		edits = append(edits, edit{'+', text, offset + len(a), offset + i})
	}
	return edits
}

func backtrack(a, b []string, trace [][]int, limitD, offset int) []edit {
	var reversed []edit
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d]
		at := func(k int) int { return v[k+limitD+1] }
		k := x - y
		prev := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			prev = k + 1
		}
		px, py := 0, 0
		if d > 0 {
			px = at(prev)
			py = px - prev
		}
		for x > px && y > py && (d == 0 || x > 0 && y > 0) && a[x-1] == b[y-1] {
			x, y = x-1, y-1
			reversed = append(reversed, edit{' ', a[x], offset + x, offset + y})
		}
		if d == 0 {
			break
		}
		if prev == k+1 {
			y--
			reversed = append(reversed, edit{'+', b[y], offset + x, offset + y})
		} else {
			x--
			reversed = append(reversed, edit{'-', a[x], offset + x, offset + y})
		}
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return reversed
}
