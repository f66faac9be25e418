package yaml

import (
	"errors"
	"math"
	"math/bits"
	"strconv"

	"go.yaml.in/yaml/v4"

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
	// a level of nesting that is deeper than all before it, for which stacks grow
	flowLevelMemory  = 2000
	blockLevelMemory = 1000
)

const (
	// nodesTimes is how much more memory nodes may take than objects: those of the documents that
	// people write take up to a hundred times their text.
	nodesTimes = 3
	// firstNodes is the memory that the nodes of every document may take.
	firstNodes = 4 << 20
)

// memory is what a document may still take: for its nodes, counted before the library makes them
// and as they nest, and for what its aliases stand for.
type memory struct {
	room   int // bytes, less than 0 if the limit is exceeded
	limits schema.Limits
	size   int // of the document

	flow, block int // the deepest nesting so far
}

// newMemory returns the memory for a document of size bytes.
func newMemory(size int, l schema.Limits) *memory {
	m := &memory{room: math.MaxInt, limits: l, size: size}
	if high, low := bits.Mul64(uint64(l.Memory), nodesTimes*uint64(size)); high == 0 && low < math.MaxInt-firstNodes {
		m.room = firstNodes + int(low)
	}
	return m
}

// spend counts n bytes and reports whether they are within the limit.
func (m *memory) spend(n int) bool {
	m.room -= n
	return m.room >= 0
}

// exceeded is the error for a document that takes too much.
func (m *memory) exceeded() *schema.LimitError {
	return &schema.LimitError{
		Limit: "Memory", What: "a YAML document of " + strconv.Itoa(m.size) + " bytes (its nodes are counted at a third of their size)",
		Unit: "times its size in memory", Max: m.limits.Memory,
	}
}

// CheckDepth implements [yaml.LoaderLimitsPlugin] with the limit of the nesting.
func (m *memory) CheckDepth(depth int, c *yaml.DepthContext) error {
	if depth > m.limits.Depth {
		return errors.New(depthExceeded)
	}
	deepest, cost := &m.block, blockLevelMemory
	if c.Kind == yaml.DepthKindFlow {
		deepest, cost = &m.flow, flowLevelMemory
	}
	if depth > *deepest {
		*deepest = depth
		if !m.spend(cost) {
			return errors.New(memoryExceeded)
		}
	}
	return nil
}

// CheckAlias implements [yaml.LoaderLimitsPlugin]. What aliases stand for is counted when it is
// written.
func (*memory) CheckAlias(int, int) error { return nil }

// How the errors of [memory.CheckDepth] begin, for which the library has no type.
const (
	depthExceeded  = "exceeded max depth"
	memoryExceeded = "exceeded max memory"
)

// nodes counts what the nodes of a text may take, and reports whether it is within the limit. The
// text is read once, before the library reads it.
func (m *memory) nodes(text []byte) bool {
	room := m.room
	defer func() { m.room = room }()
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
		case ']', '}': // what open ones take is counted as they nest
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
			return false
		}
	}
	return true
}

// blankAt reports whether white space or no text is at i.
func blankAt(text []byte, i int) bool {
	return i < 0 || i >= len(text) || text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'
}
