package carry

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/wire/jsonwire"
)

// hash returns the hash, as text, of what a JSON value means, independent of its spelling and
// layout. Members are hashed in the order of their names; white space and escapes are ignored;
// numbers are hashed by value. Members that are null or an empty list count as absent, since
// protobuf cannot distinguish these.
func hash(data []byte, part Part) (string, error) {
	r := jsonwire.NewReader(data, jsonwire.Options{})
	d, _ := part.digestOf(r)
	r.End()
	if err := r.Err(); err != nil {
		return "", err
	}
	sum := d.bytes()
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// digestOf reads the next value and returns its digest. The digest of a list or object combines the
// digests of its parts, so the time is proportional to the length of the text at any nesting depth.
// Null and empty lists are void.
func (p Part) digestOf(r *jsonwire.Reader) (d digest, void bool) {
	switch r.Kind() {
	case '{':
		return p.objectDigest(r), false
	case '[':
		d, void = newDigest('['), true
		for more := r.Array(); more; more = r.NextElem() {
			if below, counts := p.below("*"); counts {
				e, _ := below.digestOf(r)
				d.addDigest(e)
			} else {
				r.Skip()
				d.add([]byte{'-'})
			}
			void = false
		}
		return d, void
	case '"':
		d = newDigest('"')
		d.add(r.Text())
	case '0':
		d = newDigest('0')
		d.add(appendNumber(nil, r.Number()))
	case 't':
		d = newDigest('f')
		if r.Bool(false) {
			d = newDigest('t')
		}
	default:
		d, void = newDigest('n'), true
		r.Skip()
	}
	return d, void
}

func (p Part) objectDigest(r *jsonwire.Reader) digest {
	type member struct {
		key   string
		value digest
	}
	var members []member
	for key := r.Object(); key != nil; key = r.NextKey() {
		m := member{key: string(key)}
		below, counts := p.below(m.key)
		if !counts {
			r.Skip()
			continue
		}
		void := false
		if m.value, void = below.digestOf(r); !void {
			members = append(members, m)
		}
	}
	sorted.Func(members, func(a, b member) int { return cmp.Compare(a.key, b.key) })
	d := newDigest('{')
	for _, m := range members {
		var length [binary.MaxVarintLen64]byte
		d.add(length[:binary.PutUvarint(length[:], uint64(len(m.key)))])
		d.add([]byte(m.key))
		d.addDigest(m.value)
	}
	return d
}

// appendNumber appends integers of any size in digits, and other numbers in the shortest form that
// a float64 has. Other formats may write 1 as 1.0.
func appendNumber(dst, text []byte) []byte {
	integer := true
	for _, c := range text {
		integer = integer && c != '.' && c != 'e' && c != 'E'
	}
	if integer {
		if string(text) == "-0" {
			return append(dst, '0')
		}
		return append(dst, text...)
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return append(dst, text...)
	}
	const exact = 1 << 53 // up to here every integer is a float
	if f == math.Trunc(f) && math.Abs(f) <= exact {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// digest is a 128-bit FNV-1a state. It detects edits, not attacks: an adversary could write a
// matching hash into the annotation anyway. Unlike a cryptographic hash it adds nothing to the size
// of a program.
type digest struct{ high, low uint64 }

// The offset basis and the prime of 128-bit FNV. The prime is 2^88 + 0x13b.
const (
	offsetHigh = 0x6c62272e07bb0142
	offsetLow  = 0x62b821756295c58d
	primeLow   = 0x13b
	primeShift = 88 - 64
)

// newDigest begins the digest of a value of a kind.
func newDigest(kind byte) digest {
	d := digest{offsetHigh, offsetLow}
	d.add([]byte{kind})
	return d
}

func (d *digest) add(data []byte) {
	for _, c := range data {
		d.low ^= uint64(c)
		high, low := bits.Mul64(d.low, primeLow)
		d.high = high + d.high*primeLow + d.low<<primeShift
		d.low = low
	}
}

func (d *digest) addDigest(part digest) {
	sum := part.bytes()
	d.add(sum[:])
}

func (d digest) bytes() (sum [16]byte) {
	binary.BigEndian.PutUint64(sum[:8], d.high)
	binary.BigEndian.PutUint64(sum[8:], d.low)
	return sum
}
