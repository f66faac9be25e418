package yaml

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/askind/askind/schema"
)

// What the library allocates, in bytes, for what a character may mean: the nodes that it begins,
// the tokens that lead to them, the growth of the lists that they are kept in, and what becomes of
// them afterwards. The figures were measured with documents that are little but that character, and
// rounded up. What is only text counts as well, for to know it the document would have to be read.
const (
	elementMemory = 290 // an element of a list: a hyphen in front of a value, a comma in a flow list
	memberMemory  = 640 // a mapping, a key and a value: a colon, a question mark
	flowMemory    = 230 // a flow list or mapping, with what is first in it
	// a key of a flow mapping that has no colon, of which the library keeps tokens for the whole
	// mapping
	bareKeyMemory = 2500
	aliasMemory   = 200  // an anchor or an alias, beyond the value that has it
	commentMemory = 1000 // a comment behind something
	lineMemory    = 40   // what is noted of a line
)

const (
	// nodesTimes is how much more memory nodes may take than objects: those of the documents that
	// people write take up to a hundred times their text.
	nodesTimes = 3
	// firstNodes is the memory that the nodes of every document may take.
	firstNodes = 4 << 20
)

// tooManyNodes returns an error for a document whose nodes may take more memory than the limit of
// [schema.Limits.Memory] allows, nil for any other. The text is read once, before the library reads
// it.
func tooManyNodes(text []byte, l schema.Limits) *schema.LimitError {
	room := math.MaxInt
	if high, low := bits.Mul64(uint64(l.Memory), nodesTimes*uint64(len(text))); high == 0 &&
		low < math.MaxInt-firstNodes {
		room = firstNodes + int(low)
	}
	mapping, colon := false, false // whether a flow mapping may be open, and whether its key at hand has a colon
	for i, c := range text {
		switch c {
		case '\n':
			room -= lineMemory
		case '-':
			if blankAt(text, i-1) && blankAt(text, i+1) {
				room -= elementMemory
			}
		case '?':
			room -= memberMemory
		case ':':
			if colon = colon || mapping; i+1 >= len(text) || !isLetter(text[i+1]) && !isDigit(text[i+1]) &&
				text[i+1] != '/' {
				room -= memberMemory
			}
		case ',':
			room -= elementMemory
			if mapping && !colon {
				room -= bareKeyMemory
			}
			colon = false
		case ']', '}': // how many are open at a time the limit of the nesting bounds
			room -= flowMemory
		case '{':
			if i+1 >= len(text) || text[i+1] != '}' {
				mapping, colon = true, false
			}
		case '&', '*':
			room -= aliasMemory
		case '#':
			room -= commentMemory
			if i == 0 || text[i-1] == '\n' {
				room += commentMemory
			}
		}
		if room < 0 {
			return &schema.LimitError{
				Limit: "Memory", What: "a YAML document of " + strconv.Itoa(len(text)) +
					" bytes, a third of its nodes counted,",
				Unit: "times its size in memory", Max: l.Memory,
			}
		}
	}
	return nil
}

// blankAt reports whether white space or no text is at i.
func blankAt(text []byte, i int) bool {
	return i < 0 || i >= len(text) || text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'
}
