// Package shape remembers the shapes of objects, for what rewrites them in another order.
//
// The objects of one type have the same members one behind the other nearly always, and so have the
// objects in them. A [Memory] knows the names that were seen at each point of an object, and in
// which order the members of a whole object are to be. With it a name is recognized by one
// comparison, which also says that it needs no escapes, and nothing has to be sorted. Of objects
// that have nothing in them but names it knows what they were written as, see [Memory.Skeleton].
//
// A miss falls back to the plain path, with the same result.
package shape

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Place is a member with all that are in front of it, in objects that are found in the same place
// of others. The zero Place is not known, and never will be.
type Place uint32

// Point is where the name of a member may begin.
type Point uint32

// Behind is the point where the next member of the object begins.
func (p Place) Behind() Point { return Point(2 * p) }

// Inside is the point where the first member of an object begins that is the value of the member,
// or an element of a list that is.
func (p Place) Inside() Point { return Point(2*p + 1) }

const (
	maxPlaces  = 4096    // that a Memory has; each takes about a hundred bytes
	maxNames   = 8       // that are known at one point
	maxName    = 64      // bytes of a name that is remembered
	maxMembers = 40      // of an object that has a shape; of a larger one only the first are known
	maxRuns    = 1 << 14 // of all orders

	// maxLearned is how many places are learned from one object, so that none fills a Memory alone.
	maxLearned = 512
	// renewal is how many objects a full Memory serves before it begins anew. Learning costs about
	// as much as 50 objects, so 5 % of the time at most; what fills a Memory with names that do not
	// come again costs the objects until then the fast path, and no more.
	renewal = 1024
)

// Memory is what is known of shapes. The zero Memory knows nothing; [Memory.Root] comes first. It
// is for one goroutine, keeps nothing of a text but copies of names, and takes one MiB at most.
// When it is full it learns nothing more, and keeps what it knows for some more objects; then it
// begins anew.
type Memory struct {
	places []Known // by Place
	points []point // by Point
	names  []byte
	runs   []Run
	roots  map[string]Place // whose insides are outermost objects of a kind

	skeletons []skeleton // of all points
	texts     []byte     // of them

	learned int  // places learned since Root
	full    bool // something was not learned for want of room
	served  int  // objects since then
}

// Window is how many bytes of a text are compared with a name at once, of a longer name the first
// ones.
const Window = 24

// Words are as many bytes of a text as a window has.
type Words struct{ a, b, c uint64 }

// Put writes the words to the first bytes of dst.
func (w Words) Put(dst []byte) {
	out := dst[:Window]
	binary.LittleEndian.PutUint64(out, w.a)
	binary.LittleEndian.PutUint64(out[8:], w.b)
	binary.LittleEndian.PutUint64(out[16:], w.c)
}

// Known is what is known of a Place.
type Known struct {
	// Note is for what the user of the Memory has found out about the name. It is false at first.
	Note bool

	word, mask Words // the name, and where it has bytes
	name       uint32
	size       uint32 // of the name in names
	run        uint32 // where the order begins in runs
	runs       uint8
	known      bool  // the order is known of objects that end here
	members    uint8 // of the object up to here
	other      Place // another one at the same point
}

// nameless returns what is known of a place without a name. No text matches it, because it has a
// bit where nothing is compared.
func nameless(members uint8) Known { return Known{word: Words{a: 1}, members: members} }

// Matches reports whether a text begins with the name, or with the first bytes of one that is
// longer than a window.
func (x *Known) Matches(w Words) bool {
	return (w.a&x.mask.a^x.word.a)|(w.b&x.mask.b^x.word.b)|(w.c&x.mask.c^x.word.c) == 0
}

// Size returns how many bytes the name takes.
func (x *Known) Size() int { return int(x.size) }

// point is what is known of a Point.
type point struct {
	first Place // the first of those whose names are known
	other Place // the one for all other names
	count uint8

	skeletons uint8  // how many objects with nothing but names are known that begin here
	skeleton  uint16 // the one that was learned last, 0 if there is none
}

// Run is some members, one behind the other in the order in which they come: from From up to but
// not including To, counted from 0. Runs are an order of members, of which some may be left out.
type Run struct{ From, To uint32 }

// Root returns the point where the outermost object of a kind begins. Places that were found before
// are not to be used any more.
func (m *Memory) Root(kind string) Point {
	m.learned = 0
	if m.full {
		m.served++
	}
	if len(m.places) == 0 || m.served > renewal {
		*m = Memory{
			places: append(m.places[:0], nameless(0)), points: append(m.points[:0], point{},
				point{}), names: m.names[:0], runs: m.runs[:0], roots: map[string]Place{},
			skeletons: m.skeletons[:0], texts: m.texts[:0],
		}
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

// add adds a place, 0 if there are too many.
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

// First returns the place at a point that was learned first. The zero Place has no name.
func (m *Memory) First(at Point) Place { return m.points[at].first }

// Known returns what is known of a place, until the next one is learned.
func (m *Memory) Known(p Place) *Known { return &m.places[p] }

// Load returns the words that a text has at an index, with zeros behind its end.
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

// Find finds the name that a text has at an index among those that were learned at a point. The
// size is how many bytes it takes. It is 0 if the name is not known; the place is then that of all
// such names, 0 if [Memory.Learn] is to be asked for one.
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

// rest returns what a name has behind the first window.
func (m *Memory) rest(x *Known) string { return string(m.names[x.name+Window : x.name+x.size]) }

// Learn notes that a name that [Memory.Find] did not find is at a point, as it stands in the text.
// It is nil for a name that is not to be remembered. It returns the place, which is that of other
// names as well if the name is not remembered.
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

// Order returns in which order the members of an object are to be that ends behind a place, if that
// is known: no runs if they are to be as they come. It must not be asked for an object of which a
// name was not found.
func (m *Memory) Order(p Place) (order []Run, known bool) {
	if int(p) >= len(m.places) || !m.places[p].known {
		return nil, false
	}
	x := &m.places[p]
	return m.runs[x.run : x.run+uint32(x.runs)], true
}

// SetOrder notes what [Memory.Order] is to return.
func (m *Memory) SetOrder(p Place, order []Run) {
	if p == 0 {
		return
	}
	if len(m.runs)+len(order) > maxRuns {
		m.full = true
		return
	}
	x := &m.places[p]
	x.run, x.runs, x.known = uint32(len(m.runs)), uint8(len(order)), true
	m.runs = append(m.runs, order...)
}

// AppendMember appends a member to an order.
func AppendMember(order []Run, i int) []Run {
	if n := len(order); n > 0 && int(order[n-1].To) == i {
		order[n-1].To++
		return order
	}
	return append(order, Run{uint32(i), uint32(i) + 1})
}
