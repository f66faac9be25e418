package shape

// A skeleton is an object with nothing in it but names: the values are objects again, and the
// innermost ones are empty. The managed fields of Kubernetes are such objects. What one was written
// as before is copied instead of made once more, for all of it or for the objects in it that are
// the same.
type skeleton struct {
	text, written, end uint32 // where in texts the text begins, where what was written for it, and where that ends
	other              uint16 // another one at the same point
}

const (
	maxSkeletons    = 4       // that are known at one point
	maxSkeleton     = 1 << 12 // bytes of a text, and of what was written for it
	maxSkeletonText = 1 << 17 // bytes of them all
)

// Skeleton finds what was written for an object at a point if the text has at an index one of the
// skeletons that were learned there. The size is how many bytes of the text it takes, 0 if there is
// none. Where the text of one object cannot begin another one, as in JSON and in CBOR, it is all of
// the object.
func (m *Memory) Skeleton(at Point, text []byte, i int) (written []byte, size int) {
	for s := m.points[at].skeleton; s != 0; {
		x := &m.skeletons[s]
		size = int(x.written - x.text)
		if size <= len(text)-i && string(text[i:i+size]) == string(m.texts[x.text:x.written]) {
			return m.texts[x.written:x.end], size
		}
		s = x.other
	}
	return nil, 0
}

// LearnSkeleton notes what was written for an object at a point that [Memory.Skeleton] did not
// find.
func (m *Memory) LearnSkeleton(at Point, text, written []byte) {
	if at < 2 || int(at) >= len(m.points) || len(text) > maxSkeleton || len(written) > maxSkeleton ||
		m.points[at].skeletons == maxSkeletons {
		return
	}
	if len(m.texts)+len(text)+len(written) > maxSkeletonText || len(m.skeletons) >= maxPlaces {
		m.full = true
		return
	}
	if len(m.skeletons) == 0 {
		m.skeletons = append(m.skeletons, skeleton{}) // number 0 is none
	}
	x := skeleton{text: uint32(len(m.texts)), other: m.points[at].skeleton}
	m.texts = append(m.texts, text...)
	x.written = uint32(len(m.texts))
	m.texts = append(m.texts, written...)
	x.end = uint32(len(m.texts))
	m.points[at].skeleton = uint16(len(m.skeletons))
	m.points[at].skeletons++
	m.skeletons = append(m.skeletons, x)
}
