package codegen

import (
	"fmt"
	"slices"
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

// script is a shortest way from the beginning of two texts to line x of the first one on some
// diagonal: after another script it deletes or inserts a line, and then keeps as many lines as
// possible.
type script struct {
	before *script
	op     byte
	x, run int
}

// middle returns the expensive part of the algorithm: time and memory grow with the number of
// differences, so beyond a limit the old lines are simply replaced by the new ones.
func middle(a, b []string, offset int) []edit {
	const limit = 2000
	most := min(len(a)+len(b), limit)
	// The scripts with the furthest x on the diagonals, which are those from -most-1 to most+1.
	furthest := make([]*script, 2*most+3)
	for d := 0; d <= most; d++ {
		for k := -d; k <= d; k += 2 {
			p := &script{}
			left, right := furthest[most+k], furthest[most+k+2]
			switch {
			case d == 0:
			case k == -d || k != d && left.x < right.x:
				*p = script{before: right, op: '+', x: right.x}
			default:
				*p = script{before: left, op: '-', x: left.x + 1}
			}
			for y := p.x - k; p.x < len(a) && y < len(b) && a[p.x] == b[y]; y++ {
				p.x++
				p.run++
			}
			furthest[most+k+1] = p
			if p.x >= len(a) && p.x-k >= len(b) {
				return p.edits(a, b, offset)
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

// edits returns the lines of a script to the end of both texts.
func (p *script) edits(a, b []string, offset int) []edit {
	var out []edit // the last line first
	for x, y := len(a), len(b); p != nil; p = p.before {
		for range p.run {
			x, y = x-1, y-1
			out = append(out, edit{' ', a[x], offset + x, offset + y})
		}
		switch p.op {
		case '+':
			y--
			out = append(out, edit{'+', b[y], offset + x, offset + y})
		case '-':
			x--
			out = append(out, edit{'-', a[x], offset + x, offset + y})
		}
	}
	slices.Reverse(out)
	return out
}
