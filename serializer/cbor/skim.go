package cbor

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/askind/askind/schema"
)

// skimmed is an item that was found to be valid and common, see [skimmer.skim].
type skimmed struct {
	from, end int // the item without the leading tag 55799
	depth     int // upper bound of the nesting of containers
	longest   int // upper bound of the bytes of a string
	most      int // upper bound of the elements of a list or members of a map
	isMap     bool

	// The values of the first members apiVersion and kind of the item, nil if missing.
	apiVersion, kind []byte
}

// skimmer scans items. Its memory is reused.
type skimmer struct{ around []container }

// container is an open array or map: twice the number of remaining items, including keys, plus 1
// for a map.
type container int64

// holding returns a container with n elements or members.
func holding(n int, isMap bool) container {
	if isMap {
		return container(n)<<2 | 1
	}
	return container(n) << 1
}

// anItem is the amount by which an item reduces its container.
const anItem container = 2

// atKey reports whether a key is next, that is, whether an even number of items remains in a map.
func (c container) atKey() bool { return c&3 == 1 }

func (s *skimmer) release() {
	if cap(s.around) > 1024 {
		s.around = nil
	}
	skimmers.Put(s)
}

// maxSkim is the maximum nesting of skimmed items, the default limit of decoding.
const maxSkim = 10000

// skim scans the item at a position and reports whether it is valid and common: definite lengths,
// strings of valid UTF-8 as keys, integers that fit an int64 or uint64, finite floats, no tag
// except 22 on a byte string value, and 55799 before the whole item. Readers of such an item do not
// check it again, and report only problems that depend on its type. Any other item is left to the
// reader, which knows all of CBOR and reports its problems.
func (s *skimmer) skim(data []byte, pos int) (out skimmed, ok bool) {
	if len(data)-pos >= len(selfDescribed) && string(data[pos:pos+len(selfDescribed)]) == selfDescribed {
		pos += len(selfDescribed)
	}
	out.from = pos
	out.longest, out.most = short-1, short-1 // shorter ones are not measured
	around := s.around[:0]
	defer func() { s.around = around[:0] }()
	in, deepest := anItem, 0 // the innermost container, and the maximum number of containers around one
	for {
		// The common case: short strings, small integers, containers with few items. The outermost
		// map is handled below, because it states the kind.
		for len(around) > 1 && len(data)-pos > short {
			if in < anItem {
				in, around = around[len(around)-1], around[:len(around)-1]
				continue
			}
			c := data[pos]
			n := int(c & 0x1F)
			if n >= short {
				break
			}
			if c>>6 == majorBytes>>6 {
				b, t := data[pos+1:pos+1+short], &topsOf[n]
				if binary.LittleEndian.Uint64(b)&t[0]|binary.LittleEndian.Uint64(b[8:])&t[1]|
					binary.LittleEndian.Uint64(b[16:])&t[2] != 0 && !utf8.Valid(b[:n]) {
					return out, false
				}
				pos += 1 + n
				in -= anItem
				continue
			}
			if c >= majorTag || in.atKey() {
				break
			}
			pos++
			in -= anItem
			if c >= majorArray && n > 0 {
				if len(around) >= maxSkim {
					return out, false
				}
				around = append(around, in)
				deepest = max(deepest, len(around))
				in = holding(n, c >= majorMap)
			}
		}
		for in < anItem {
			if len(around) == 0 {
				out.end, out.depth = pos, deepest+1 // the innermost container may contain an empty one
				return out, true
			}
			in, around = around[len(around)-1], around[:len(around)-1]
		}
		if pos >= len(data) {
			return out, false
		}
		c := data[pos]
		isKey := in.atKey()
		in -= anItem
		n, content, ok := uint64(c&0x1F), pos+1, true
		if n >= 24 {
			n, content, ok = longHeadAt(data, pos, c&0x1F)
		}
		if !ok || isKey && c>>6 != majorBytes>>6 {
			return out, false
		}
		pos = content
		switch c & 0xE0 {
		case majorBytes, majorText:
			if n > uint64(len(data)-pos) || !utf8.Valid(data[pos:pos+int(n)]) {
				return out, false
			}
			out.longest = max(out.longest, int(n))
			if isKey && len(around) == 1 && !out.note(data, data[pos:pos+int(n)], pos+int(n)) {
				return out, false
			}
			pos += int(n)
		case majorUint:
		case majorNint:
			if n > math.MaxInt64 {
				return out, false
			}
		case majorArray, majorMap:
			isMap := c&0xE0 == majorMap
			rest := uint64(len(data) - pos)
			if isMap {
				rest /= 2
				out.isMap = out.isMap || len(around) == 0
			}
			// Every item takes at least one byte.
			if n > rest || len(around) >= maxSkim {
				return out, false
			}
			out.most = max(out.most, int(n))
			if n == 0 {
				break
			}
			around = append(around, in)
			deepest = max(deepest, len(around))
			in = holding(int(n), isMap)
		case majorTag:
			if c != headBase64 || pos >= len(data) || data[pos]&0xE0 != majorBytes {
				return out, false
			}
			n, content, ok := headAt(data, pos)
			if !ok || n > uint64(len(data)-content) {
				return out, false
			}
			pos = content + int(n)
		default:
			switch c {
			case headFalse, headTrue, headNull:
			case headFloat16, headFloat32, headFloat64:
				if v := floatOf(c&0x1F, n); math.IsNaN(v) || math.IsInf(v, 0) {
					return out, false
				}
			default:
				return out, false
			}
		}
	}
}

// short bounds the content of a string with a head of one byte: it has fewer bytes.
const short = 24

// topsOf has the top bits of the first n bytes of three words, by n.
var topsOf = func() (t [short][3]uint64) {
	for n := range t {
		for i := range n {
			t[n][i/8] |= 0x80 << (8 * (i % 8))
		}
	}
	return t
}()

// within reports whether the item is within the limits.
func (s *skimmed) within(l schema.Limits) bool {
	return s.depth <= l.Depth && s.longest <= l.String && s.most <= l.Items
}

// headAt reads the head of the item at an offset in data: its argument, and where its content
// begins. It returns false for an indefinite length and for an incomplete head.
func headAt(data []byte, at int) (argument uint64, content int, ok bool) {
	info := data[at] & 0x1F
	if info < 24 {
		return uint64(info), at + 1, true
	}
	return longHeadAt(data, at, info)
}

func longHeadAt(data []byte, at int, info byte) (argument uint64, content int, ok bool) {
	rest := data[at+1:]
	switch {
	case info == 24 && len(rest) >= 1:
		return uint64(rest[0]), at + 2, true
	case info == 25 && len(rest) >= 2:
		return uint64(binary.BigEndian.Uint16(rest)), at + 3, true
	case info == 26 && len(rest) >= 4:
		return uint64(binary.BigEndian.Uint32(rest)), at + 5, true
	case info == 27 && len(rest) >= 8:
		return binary.BigEndian.Uint64(rest), at + 9, true
	}
	return 0, 0, false
}

// note keeps the value of a key of the outermost map if it is the first apiVersion or kind. It
// returns false if that value is not a string.
func (s *skimmed) note(data, key []byte, at int) bool {
	var to *[]byte
	switch string(key) {
	case "kind":
		to = &s.kind
	case "apiVersion":
		to = &s.apiVersion
	default:
		return true
	}
	if *to != nil {
		return true
	}
	if at >= len(data) || data[at]>>6 != majorBytes>>6 {
		return false
	}
	n, content, ok := headAt(data, at)
	if !ok || n > uint64(len(data)-content) {
		return false
	}
	*to = data[content : content+int(n)]
	return true
}
