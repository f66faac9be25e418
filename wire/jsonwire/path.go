package jsonwire

import (
	"slices"
	"sync"

	"github.com/askind/askind/schema"
)

// PathAt returns the field path of the value or the member name at an offset of a text, by scanning
// the text up to there, so that decoding has no path to track. An offset between two members
// belongs to the object or array around them. Malformed and annotated texts are allowed; the path
// then contains what could be determined.
//
// The text does not say whether an object is a struct or a map, so the name of a member decides,
// see [schema.Path.Member]: metadata.labels.app, but metadata.labels[app.kubernetes.io/name].
func PathAt(data []byte, offset int) *schema.Path {
	kept := frames.Get().(*[]frame)
	stack := (*kept)[:0]
	defer func() {
		if *kept = stack[:0]; cap(stack) <= maxFrames {
			frames.Put(kept)
		}
	}()
	for i := 0; i < len(data) && i <= offset; {
		var top *frame
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		end := i + 1
		switch c := data[i]; c {
		case ' ', '\n', '\t', '\r':
		case plainMark:
			startElement(top)
		case '{', '[':
			startElement(top)
			if i == offset || len(stack) > highestMaxDepth {
				return pathOf(data, stack)
			}
			if len(stack) == cap(stack) {
				stack = slices.Grow(stack, len(stack)+16) // smaller steps would copy it more often
			}
			stack = append(stack, frame{object: c == '{'})
		case '}', ']':
			if top == nil {
				break
			}
			top.inside = false
			if i == offset {
				return pathOf(data, stack)
			}
			stack = stack[:len(stack)-1]
			valueDone(stack)
		case ',':
			if top == nil {
				break
			}
			top.inside = false
			top.index++
		case ':':
		default:
			if c == '"' {
				end = looseString(data, i)
			} else {
				end = max(end, looseScalar(data, i))
			}
			isKey := top != nil && top.object && !top.inside
			startElement(top)
			if isKey {
				if !isWhole(data, i, end) { // cannot be the name of a member
					return pathOf(data, stack)
				}
				top.keyStart, top.keyEnd = i, end
				top.inside = true
			}
			if offset < end {
				return pathOf(data, stack)
			}
			if !isKey {
				valueDone(stack)
			}
		}
		i = end
	}
	return pathOf(data, stack)
}

// frames pools stacks of [PathAt] of up to maxFrames frames.
var frames = sync.Pool{New: func() any { return new([]frame) }}

const maxFrames = 1 << 14

// Levels returns how many objects and arrays are open at an offset of a text. This is the maximum
// length of the path there, and so bounds its memory.
func Levels(data []byte, offset int) int {
	n := 0
	for i := 0; i < min(offset, len(data)); {
		end := i + 1
		switch data[i] {
		case '{', '[':
			n++
		case '}', ']':
			n = max(0, n-1)
		case '"':
			end = max(end, looseString(data, i))
		}
		i = end
	}
	return n
}

// isWhole reports whether data[i:end] is a string with both of its quotes.
func isWhole(data []byte, i, end int) bool {
	_, _, bad := scanString(data[:end], i+1)
	return data[i] == '"' && bad == ""
}

// frame is an object or array that encloses the scan position.
type frame struct {
	object           bool
	inside           bool // a member or element is being read
	index            int
	keyStart, keyEnd int
}

// startElement records that an element begins if the innermost frame is an array. A member begins
// with its key.
func startElement(top *frame) {
	if top != nil && !top.object {
		top.inside = true
	}
}

// valueDone records that the member or element of the innermost frame has ended.
func valueDone(stack []frame) {
	if len(stack) > 0 {
		stack[len(stack)-1].inside = false
	}
}

func pathOf(data []byte, stack []frame) *schema.Path {
	var p *schema.Path
	for i := range stack {
		f := &stack[i]
		switch {
		case !f.inside:
		case !f.object:
			p = p.Index(f.index)
		default:
			p = p.Member(string(textOf(data[f.keyStart:f.keyEnd])))
		}
	}
	return p
}

// OffsetOf returns the range data[start:end] of the value at a path in a text. Fields and map keys
// are treated alike. The last of duplicate members counts, as in decoding. If the path does not
// exist, ok is false and the range is that of its longest existing prefix.
func OffsetOf(data []byte, p *schema.Path) (start, end int, ok bool) {
	start = skipSpace(data, 0)
	for _, step := range p.Steps() {
		next, found := 0, false
		if step.Kind == schema.StepIndex {
			next, found = findElement(data, start, step.Index)
		} else {
			next, found = findMember(data, start, step.Name)
		}
		if !found {
			return start, looseValue(data, start), false
		}
		start = next
	}
	end = looseValue(data, start)
	return start, end, start < end
}

// findMember finds the last member with the name in the object at i.
func findMember(data []byte, i int, name string) (start int, found bool) {
	if i >= len(data) || data[i] != '{' {
		return 0, false
	}
	i = skipSpace(data, i+1)
	for i < len(data) && data[i] == '"' {
		end := looseString(data, i)
		match := isName(data[i:end], name)
		i = skipSpace(data, end)
		if i >= len(data) || data[i] != ':' {
			break
		}
		i = skipSpace(data, i+1)
		if match && i < len(data) {
			start, found = i, true
		}
		i = skipSpace(data, looseValue(data, i))
		if i >= len(data) || data[i] != ',' {
			break
		}
		i = skipSpace(data, i+1)
	}
	return start, found
}

// findElement finds the element with the index in the array at i.
func findElement(data []byte, i, index int) (start int, found bool) {
	if i >= len(data) || data[i] != '[' {
		return 0, false
	}
	i = skipSpace(data, i+1)
	for i < len(data) && data[i] != ']' {
		if index == 0 {
			return i, true
		}
		index--
		i = skipSpace(data, looseValue(data, i))
		if i >= len(data) || data[i] != ',' {
			break
		}
		i = skipSpace(data, i+1)
	}
	return 0, false
}
