package server

import (
	"crypto/rand"
	"encoding/hex"
)

// newUID returns a random UUID (RFC 9562, version 4).
func newUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see the package
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[:8], b[:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:], b[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}

// suffixLetters are what names that the server makes up end with. No words can be made of them, and
// none looks like another.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

const (
	suffixLength = 5
	// maxGenerated is the longest beginning of a name that is kept, so that most names stay DNS
	// labels.
	maxGenerated = 63 - suffixLength
)

// generatedName returns a name that begins with a prefix and ends at random.
func generatedName(prefix string) string {
	prefix = prefix[:min(len(prefix), maxGenerated)]
	var random [suffixLength]byte
	_, _ = rand.Read(random[:])
	for i, b := range random {
		random[i] = suffixLetters[int(b)%len(suffixLetters)]
	}
	return prefix + string(random[:])
}
