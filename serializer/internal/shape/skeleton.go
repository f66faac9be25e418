package shape

// A skeleton is an object that consists of names only: its values are objects of the same sort, and
// the innermost ones are empty. The managed fields of Kubernetes are such objects. The cached
// output of a skeleton is copied, either for the whole object or for equal objects inside it.
type skeleton struct {
	text, written, end uint32 // offsets in texts: of the text, of its output, and of the end
	other              uint16 // the next one at the same point
}

const (
	maxSkeletons    = 4       // at one point
	maxSkeleton     = 1 << 12 // bytes of a text and of its output
	maxSkeletonText = 1 << 17 // bytes of all skeletons
)

// Skeleton returns the cached output of an object at a point if the text has, at an index, one of
// the skeletons learned there. size is the length of the skeleton in the text, or 0 if there is
// none. The match is the whole object, provided that the text of an object is never a prefix of
// another one, as in JSON and CBOR.
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

// LearnSkeleton caches the output of an object at a point that [Memory.Skeleton] did not find.
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
