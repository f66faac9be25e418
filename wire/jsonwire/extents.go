package jsonwire

import "math"

// Extent says how far an object or array reaches. With the extents of a value, code finds its parts
// without scanning them.
type Extent struct {
	Size  int32 // bytes, brackets included
	Count int32 // objects and arrays in it, itself included
}

// AppendExtents consumes the next value like [Reader.Skip] and appends to dst the extents of its
// objects and arrays, in the order in which they begin. It appends none after an error, for text of
// 2 GiB or more, and for a [Source], which has no text.
func (r *Reader) AppendExtents(dst []Extent) []Extent {
	if r.source != nil || len(r.data) > math.MaxInt32 {
		r.Skip()
		return dst
	}
	found := extents{list: dst, within: -1}
	r.skip(nil, &found)
	if r.err != nil {
		return dst
	}
	return found.list
}

// extents collects extents. Until an object or array has ended, its extent holds where it begins,
// and the index of the one around it.
type extents struct {
	list   []Extent
	within int32 // the index of the innermost one that has not ended, or -1
}

// add adds an object or array that is empty.
func (x *extents) add(begin, end int) {
	x.list = append(x.list, Extent{Size: int32(end - begin), Count: 1})
}

// open adds an object or array.
func (x *extents) open(begin int) {
	x.list = append(x.list, Extent{Size: int32(begin), Count: x.within})
	x.within = int32(len(x.list) - 1)
}

// close ends the innermost object or array.
func (x *extents) close(end int) {
	place := x.within
	e := &x.list[place]
	x.within = e.Count
	*e = Extent{Size: int32(end) - e.Size, Count: int32(len(x.list)) - place}
}
