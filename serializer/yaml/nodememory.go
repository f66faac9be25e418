package yaml

import (
	"errors"
	"math"
	"math/bits"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// The bytes that the library allocates for a character, if it has its syntactic meaning: for nodes,
// tokens, the growth of lists, and later processing. They were measured with documents that consist
// mostly of that character, and rounded up. A character inside a scalar is counted as well, because
// recognizing scalars would require parsing the document.
const (
	elementMemory = 290 // an element of a list: a hyphen before a value, a comma in a flow list
	memberMemory  = 640 // a mapping, a key and a value: a colon, a question mark
	flowMemory    = 230 // a flow list or mapping, with its first element
	// a key of a flow mapping that has no colon; the library keeps tokens for the whole mapping
	bareKeyMemory = 2500
	aliasMemory   = 200  // an anchor or an alias, beyond the value that has it
	commentMemory = 1000 // a comment after a value
	lineMemory    = 40   // the record of a line
	// a level of nesting that is deeper than all previous ones, for which stacks grow
	flowLevelMemory  = 2000
	blockLevelMemory = 1000
)

const (
	// nodesTimes is the factor by which nodes may exceed the memory limit of objects: nodes of
	// realistic documents take up to a hundred times their text.
	nodesTimes = 3
	// firstNodes is the memory that the nodes of every document may take.
	firstNodes = 4 << 20
)

// memory is the remaining memory of a document: for its nodes, counted before the library creates
// them and as they nest, and for the expansion of its aliases.
type memory struct {
	room   int // bytes, negative if the limit is exceeded
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

// exceeded returns the error for a document that exceeds the limit.
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

// CheckAlias implements [yaml.LoaderLimitsPlugin]. The expansion of aliases is counted when it is
// written.
func (*memory) CheckAlias(int, int) error { return nil }

// The prefixes of the errors of [memory.CheckDepth], for which the library has no type.
const (
	depthExceeded  = "exceeded max depth"
	memoryExceeded = "exceeded max memory"
)

// nodes counts the estimated memory of the nodes of a text, and reports whether it is within the
// limit. It reads the text before the library does. Where it cannot know whether a character is
// part of a string, it counts it; in JSON, which has no comments and a colon after every key, it
// knows.
func (m *memory) nodes(text []byte) bool {
	room, isJSON := m.room, jsonwire.Valid(text)
	defer func() { m.room = room }()
	mapping, colon := false, false // whether a flow mapping may be open, and whether its current key has a colon
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
		case ']', '}': // open ones are counted as they nest
			room -= flowMemory
		case '{':
			if !isJSON && (i+1 >= len(text) || text[i+1] != '}') {
				mapping, colon = true, false
			}
		case '&', '*':
			room -= aliasMemory
		case '#':
			if !isJSON && i > 0 && text[i-1] != '\n' {
				room -= commentMemory
			}
		}
		if room < 0 {
			return false
		}
	}
	return true
}

// blankAt reports whether i is at white space or past the end.
func blankAt(text []byte, i int) bool {
	return i < 0 || i >= len(text) || text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'
}
