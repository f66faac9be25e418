// Package shape caches the shapes of objects, for writers that reorder the members of objects.
//
// The objects of one type nearly always have the same members in the same sequence, and so have the
// objects in them. A [Memory] records the names seen at each point of an object, and the order in
// which the members of a complete object are to be written. With it a name is recognized by one
// comparison, which also shows that it needs no escapes, and nothing has to be sorted. For objects
// that consist of names only it also caches their output, see [Memory.Skeleton].
//
// A miss falls back to the plain path, with the same result.
package shape

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/askind/askind/internal/plain"
)

// Place identifies a member together with the members before it, in objects at the same place of
// other objects. The zero Place is unknown and stays so.
type Place uint32

// Point is a position where the name of a member may begin.
type Point uint32

// Behind returns the point where the next member of the object begins.
func (p Place) Behind() Point { return Point(2 * p) }

// Inside returns the point where the first member of the member's value begins, if that is an
// object or a list of objects.
func (p Place) Inside() Point { return Point(2*p + 1) }

const (
	maxPlaces  = 4096    // of a Memory; each takes about a hundred bytes
	maxNames   = 8       // at one point
	maxName    = 64      // bytes of a cached name
	maxMembers = 40      // of a cached object; only the first ones of a larger one are cached
	maxRuns    = 1 << 14 // of all orders

	// maxLearned is the maximum number of places learned from one object, so that no single object
	// fills a Memory.
	maxLearned = 512
	// renewal is the number of objects that a full Memory serves before it starts over. Learning
	// costs about as much as 50 objects, so at most 5 % of the time. Input that fills a Memory with
	// names that do not recur only loses the fast path until then.
	renewal = 1024
)

// Memory caches shapes. The zero Memory is empty; call [Memory.Root] first. It is not safe for
// concurrent use, retains nothing of a text except copies of names, and takes at most 1 MiB. When
// it is full it learns nothing more, serves some more objects, and then starts over.
type Memory struct {
	places []Known // by Place
	points []point // by Point
	names  []byte
	runs   []Run
	roots  map[string]Place // the insides are the outermost objects of a kind

	skeletons []skeleton // of all points
	texts     []byte     // of the skeletons

	sorting []int // scratch
	sorted  []Run // of an object whose order is unknown

	learned int  // places learned since Root
	full    bool // something was not learned for lack of room
	served  int  // objects since then
}

// Window is the number of bytes of a name that are compared at once; of a longer name these are the
// first ones.
const Window = 24

// Words holds a window of text.
type Words struct{ a, b, c uint64 }

// Put writes the words to the first bytes of dst.
func (w Words) Put(dst []byte) {
	out := dst[:Window]
	binary.LittleEndian.PutUint64(out, w.a)
	binary.LittleEndian.PutUint64(out[8:], w.b)
	binary.LittleEndian.PutUint64(out[16:], w.c)
}

// Known is the record of a Place.
type Known struct {
	// Note is a property of the name that the user of the Memory has determined. It is initially
	// false.
	Note bool

	word, mask Words // the name, and a mask of its bytes
	name       uint32
	size       uint32 // of the name in names
	run        uint32 // start of the order in runs
	runs       uint8
	known      bool  // the order of objects that end here is known
	members    uint8 // of the object up to here
	other      Place // the next one at the same point
}

// nameless returns the record of a place without a name. No text matches it, because it has a bit
// outside of its mask.
func nameless(members uint8) Known { return Known{word: Words{a: 1}, members: members} }

// Matches reports whether a text begins with the name, or with its first bytes if it is longer than
// a window.
func (x *Known) Matches(w Words) bool {
	return (w.a&x.mask.a^x.word.a)|(w.b&x.mask.b^x.word.b)|(w.c&x.mask.c^x.word.c) == 0
}

// Size returns the number of bytes of the name.
func (x *Known) Size() int { return int(x.size) }

// point is the record of a Point.
type point struct {
	first Place // the first place with a known name
	other Place // the place for all other names
	count uint8

	skeletons uint8  // number of cached skeletons that begin here
	skeleton  uint16 // the one learned last, or 0
}

// Root returns the point where the outermost object of a kind begins. It invalidates all previous
// places.
func (m *Memory) Root(kind string) Point {
	m.learned = 0
	if m.full {
		m.served++
	}
	if len(m.places) == 0 || m.served > renewal {
		*m = Memory{
			places: append(m.places[:0], nameless(0)), points: append(m.points[:0], point{},
				point{}), names: m.names[:0], runs: m.runs[:0], roots: map[string]Place{},
			skeletons: m.skeletons[:0], texts: m.texts[:0], sorting: m.sorting, sorted: m.sorted,
		}
	}
	if plain.Enabled {
		return 0 // where nothing is learned
	}
	if root, ok := m.roots[kind]; ok {
		return root.Inside()
	}
	if len(kind) > maxName {
		return 0
	}
	root := m.add(nameless(0))
	if root == 0 {
		return 0
	}
	m.roots[strings.Clone(kind)] = root
	return root.Inside()
}

// add adds a place. It returns 0 if the Memory is full.
func (m *Memory) add(p Known) Place {
	if !m.hasRoom() {
		return 0
	}
	m.learned++
	m.places = append(m.places, p)
	m.points = append(m.points, point{}, point{})
	return Place(len(m.places) - 1)
}

// hasRoom reports whether another place may be added.
func (m *Memory) hasRoom() bool {
	m.full = m.full || len(m.places) >= maxPlaces
	return !m.full && m.learned < maxLearned
}

// First returns the place at a point that was learned first, or the zero Place.
func (m *Memory) First(at Point) Place { return m.points[at].first }

// Known returns the record of a place. It is valid until the next place is learned.
func (m *Memory) Known(p Place) *Known { return &m.places[p] }

// Load returns the window of a text at an index, with zeros past its end.
func Load(text []byte, i int) Words {
	if len(text)-i < Window {
		var rest [Window]byte
		copy(rest[:], text[i:])
		return words(rest[:])
	}
	return words(text[i : i+Window])
}

func words(in []byte) Words {
	return Words{
		binary.LittleEndian.Uint64(in), binary.LittleEndian.Uint64(in[8:]),
		binary.LittleEndian.Uint64(in[16:]),
	}
}

// Find looks up the name at an index of a text among those learned at a point. size is the length
// of the name, or 0 if it is unknown; the place is then that of all unknown names, or 0 if
// [Memory.Learn] should be called.
func (m *Memory) Find(at Point, text []byte, i int) (p Place, size int) {
	w := Load(text, i)
	for p = m.points[at].first; p != 0; p = m.places[p].other {
		x := &m.places[p]
		if size = x.Size(); x.Matches(w) && size <= len(text)-i &&
			(size <= Window || string(text[i+Window:i+size]) == m.rest(x)) {
			return p, size
		}
	}
	if x := &m.points[at]; x.count == maxNames {
		return x.other, 0
	}
	return 0, 0
}

// rest returns the part of a name after the first window.
func (m *Memory) rest(x *Known) string { return string(m.names[x.name+Window : x.name+x.size]) }

// Learn records a name, as it is written in the text, that [Memory.Find] did not find at a point.
// name is nil for a name that should not be cached. It returns the place; names that are not cached
// share one place.
func (m *Memory) Learn(at Point, name []byte) Place {
	if int(at) >= len(m.points) || at < 2 || !m.hasRoom() {
		return 0
	}
	members := uint8(1)
	if at%2 == 0 {
		if members += m.places[at/2].members; members > maxMembers {
			return 0
		}
	}
	if len(name) == 0 || len(name) > maxName || m.points[at].count == maxNames {
		if m.points[at].other == 0 {
			other := m.add(nameless(members))
			m.points[at].other = other
		}
		return m.points[at].other
	}
	x := Known{name: uint32(len(m.names)), size: uint32(len(name)), members: members}
	x.word, x.mask = Load(name, 0), Load(bytes.Repeat([]byte{0xFF}, len(name)), 0)
	p := m.add(x)
	if p == 0 {
		return 0
	}
	m.names = append(m.names, name...)
	to := &m.points[at].first
	for *to != 0 {
		to = &m.places[*to].other
	}
	*to = p
	m.points[at].count++
	return p
}
