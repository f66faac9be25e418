package jsonwire

// Advance skips the next n bytes. The caller must have verified that they are the next value,
// valid, without leading white space, and within the limits of the Reader.
func (r *Reader) Advance(n int) {
	r.start = r.pos
	r.pos = min(r.pos+n, len(r.data))
}

// Depth returns how many objects and arrays are open.
func (r *Reader) Depth() int { return r.depth }

// MaxDepth returns how many objects and arrays may be open.
func (r *Reader) MaxDepth() int { return r.maxDepth }
