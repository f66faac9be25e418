// Package input reads a stream on demand and keeps only the bytes still in use. The formats use it
// to read lists item by item, and package serializer to read the events of watches.
package input

import (
	"io"
)

// Input is a stream with a buffer of the bytes that are still needed. It is not safe for concurrent
// use.
//
//	Buf: | looked at | read |  free  |
//	     ^Offset     ^Pos
type Input struct {
	// Buf holds the stream from Offset on; Buf[Pos:] has not been consumed.
	Buf    []byte
	Pos    int
	Offset int

	block []byte // the memory in which Buf is, from its start

	r   io.Reader
	err error // of r, io.EOF at its end
}

// readAt is the number of bytes requested from a reader at once.
const readAt = 32 << 10

// New returns an Input that reads from r.
func New(r io.Reader) *Input { return &Input{r: r} }

// More reads on and reports whether it read anything.
func (in *Input) More() bool {
	for empty := 0; in.err == nil; empty++ {
		if cap(in.Buf)-len(in.Buf) < readAt/4 {
			in.makeRoom()
		}
		n, err := in.r.Read(in.Buf[len(in.Buf):cap(in.Buf)])
		in.Buf, in.err = in.Buf[:len(in.Buf)+n], err
		switch {
		case n > 0:
			return true
		case err == nil && empty > 100:
			in.err = io.ErrNoProgress
		}
	}
	return false
}

// makeRoom moves the bytes to the start of their memory if that has twice their size, and otherwise
// to other memory. So each byte is moved a few times at most, however small the parts are that are
// dropped.
func (in *Input) makeRoom() {
	n := len(in.Buf)
	if cap(in.block) < max(2*n, readAt) {
		in.block = make([]byte, 0, max(n+n/2, readAt))
	}
	in.Buf = append(in.block, in.Buf...)
}

// Need reads until n unconsumed bytes are available. It returns false if the stream ends before.
func (in *Input) Need(n int) bool {
	for len(in.Buf)-in.Pos < n {
		if !in.More() {
			return false
		}
	}
	return true
}

// Drop discards the consumed bytes, and memory that a large part of the stream needed.
func (in *Input) Drop() {
	in.Offset += in.Pos
	in.Buf = in.Buf[in.Pos:]
	in.Pos = 0
	if cap(in.block) > 4*readAt && len(in.Buf) < readAt {
		in.block = make([]byte, 0, readAt)
		in.Buf = append(in.block, in.Buf...)
	}
}

// Skip consumes and discards n bytes. It returns false if the stream ends before.
func (in *Input) Skip(n int) bool {
	for {
		in.Drop()
		if here := len(in.Buf); here < n {
			in.Pos, n = here, n-here
			if !in.More() {
				in.Drop()
				return false
			}
			continue
		}
		in.Pos = n
		in.Drop()
		return true
	}
}

// At returns the offset of the next byte in the stream.
func (in *Input) At() int { return in.Offset + in.Pos }

// Stop ends the stream with an error.
func (in *Input) Stop(err error) { in.err = err }

// Err returns the error that stopped reading before the end of the stream, or nil.
func (in *Input) Err() error {
	if in.err == io.EOF {
		return nil
	}
	return in.err
}
