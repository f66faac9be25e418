package jsonwire

// Advance moves over the next n bytes, which the caller has found to be the next value, sound and
// without white space before it: it must lie within the limits of the Reader too.
func (r *Reader) Advance(n int) {
	r.start = r.pos
	r.pos = min(r.pos+n, len(r.data))
}

// Depth returns how many objects and arrays are open.
func (r *Reader) Depth() int { return r.depth }

// MaxDepth returns how many of them may be.
func (r *Reader) MaxDepth() int { return r.maxDepth }
