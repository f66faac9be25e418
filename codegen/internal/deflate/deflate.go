// Package deflate compresses text in the format of RFC 1951 with reproducible output.
//
// The generator writes compressed text into source files, which must not change when another
// release of Go compresses better. Therefore this package fixes the algorithm: greedy matching by
// hash chains, and one block with dynamic Huffman codes.
package deflate

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	minMatch, maxMatch = 3, 258
	window             = 1 << 15
	chain              = 64 // how many earlier positions are compared
	hashBits           = 15
)

// Compress returns the compressed form of a text. Package compress/flate reads it.
func Compress(src []byte) []byte {
	tokens := match(src)
	literals, distances := make([]int, 286), make([]int, 30)
	for _, t := range tokens {
		if t.length == 0 {
			literals[t.value]++
			continue
		}
		literals[lengthCode(t.length).symbol]++
		distances[distanceCode(t.value).symbol]++
	}
	literals[256]++
	return write(tokens, lengths(literals, 15), lengths(distances, 15))
}

// token is a byte, or a match of some length at some distance.
type token struct{ length, value int }

// match finds repeated text.
func match(src []byte) []token {
	var out []token
	head := make([]int32, 1<<hashBits) // the last position of three bytes with this hash, plus one
	prev := make([]int32, len(src))
	enter := func(i int) {
		if i+minMatch <= len(src) {
			h := hash(src[i:])
			prev[i] = head[h]
			head[h] = int32(i + 1)
		}
	}
	for i := 0; i < len(src); {
		best, at := 0, 0
		if i+minMatch <= len(src) {
			p := int(head[hash(src[i:])])
			for n := 0; p > 0 && i-(p-1) <= window && n < chain && best < maxMatch; n++ {
				if l := common(src, p-1, i); l > best {
					best, at = l, p-1
				}
				p = int(prev[p-1])
			}
		}
		if best < minMatch {
			out = append(out, token{value: int(src[i])})
			enter(i)
			i++
			continue
		}
		out = append(out, token{length: best, value: i - at})
		for range best {
			enter(i)
			i++
		}
	}
	return out
}

func hash(src []byte) uint32 {
	return (uint32(src[0]) | uint32(src[1])<<8 | uint32(src[2])<<16) * 2654435761 >> (32 - hashBits)
}

func common(src []byte, a, b int) int {
	n := 0
	for n < maxMatch && b+n < len(src) && src[a+n] == src[b+n] {
		n++
	}
	return n
}

// code is a symbol with extra bits.
type code struct{ symbol, extra, bits int }

func lengthCode(n int) code {
	if n == maxMatch {
		return code{symbol: 285}
	}
	c := group(n-minMatch, 4)
	c.symbol += 257
	return c
}

func distanceCode(n int) code { return group(n-1, 2) }

// group maps a number to a symbol of RFC 1951: each power of two is split into a fixed number of
// parts.
func group(n, parts int) code {
	if n < 2*parts {
		return code{symbol: n}
	}
	shift := bits.Len(uint(n)) - bits.Len(uint(parts))
	return code{symbol: parts*shift + n>>shift, extra: n & (1<<shift - 1), bits: shift}
}

// lengths returns the lengths of Huffman codes for symbols with these counts, none longer than the
// limit.
func lengths(counts []int, limit int) []int {
	out := make([]int, len(counts))
	type node struct {
		count   int
		symbols []int
	}
	var leaves []node
	for s, n := range counts {
		if n > 0 {
			leaves = append(leaves, node{n, []int{s}})
		}
	}
	if len(leaves) < 2 {
		for _, l := range leaves {
			out[l.symbols[0]] = 1
		}
		return out
	}
	order := func(a, b node) int {
		return cmp.Or(cmp.Compare(a.count, b.count), slices.Compare(a.symbols, b.symbols))
	}
	slices.SortFunc(leaves, order)
	// Package-merge: the number of selections of a symbol in the last level is its code length.
	level := leaves
	for range limit - 1 {
		var packages []node
		for i := 0; i+1 < len(level); i += 2 {
			packages = append(packages, node{
				level[i].count + level[i+1].count,
				slices.Concat(level[i].symbols, level[i+1].symbols),
			})
		}
		level = slices.Concat(leaves, packages)
		slices.SortStableFunc(level, func(a, b node) int { return cmp.Compare(a.count, b.count) })
	}
	for _, n := range level[:2*(len(leaves)-1)] {
		for _, s := range n.symbols {
			out[s]++
		}
	}
	return out
}

// codes returns the canonical codes for lengths, with their bits in the order in which they are
// written.
func codes(lengths []int) []uint {
	out := make([]uint, len(lengths))
	next := uint(0)
	for n := 1; n <= 15; n++ {
		next <<= 1
		for s, l := range lengths {
			if l == n {
				out[s] = bits.Reverse(next) >> (bits.UintSize - n)
				next++
			}
		}
	}
	return out
}

type bitWriter struct {
	out  []byte
	acc  uint64
	have int
}

func (w *bitWriter) put(value uint, n int) {
	w.acc |= uint64(value) << w.have
	for w.have += n; w.have >= 8; w.have -= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
}

// order is the order in which the lengths of the codes for lengths are written.
var order = [...]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// write writes the only block.
func write(tokens []token, literals, distances []int) []byte {
	w := &bitWriter{}
	w.put(1, 1) // the last block
	w.put(2, 2) // with dynamic codes
	distances = slices.Clone(distances)
	if !slices.ContainsFunc(distances, func(n int) bool { return n > 0 }) {
		distances[0] = 1
	}
	all := slices.Concat(literals, distances)
	counts := make([]int, 19)
	for _, l := range all {
		counts[l]++
	}
	meta := lengths(counts, 7)
	w.put(uint(len(literals)-257), 5)
	w.put(uint(len(distances)-1), 5)
	w.put(uint(len(order)-4), 4)
	for _, s := range order {
		w.put(uint(meta[s]), 3)
	}
	metaCodes := codes(meta)
	for _, l := range all {
		w.put(metaCodes[l], meta[l])
	}
	lit, dist := codes(literals), codes(distances)
	for _, t := range tokens {
		if t.length == 0 {
			w.put(lit[t.value], literals[t.value])
			continue
		}
		c := lengthCode(t.length)
		w.put(lit[c.symbol], literals[c.symbol])
		w.put(uint(c.extra), c.bits)
		c = distanceCode(t.value)
		w.put(dist[c.symbol], distances[c.symbol])
		w.put(uint(c.extra), c.bits)
	}
	w.put(lit[256], literals[256])
	w.put(0, 7)
	return w.out
}
