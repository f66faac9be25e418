// Package input reads a stream of bytes as it is needed and keeps no more of it than that. The
// formats read lists item by item with it.
package input

import (
	"io"
)

// Input is a stream with the part of it that was read and is still needed. It is for one goroutine.
//
//	Buf: | looked at | read |  free  |
//	     ^Offset     ^Pos
type Input struct {
	// Buf has what was read, from Offset of the stream on; Buf[Pos:] was not looked at.
	Buf    []byte
	Pos    int
	Offset int

	r   io.Reader
	err error // of r, io.EOF at its end
}

// readAt is how much is asked of a reader at once.
const readAt = 32 << 10

// New returns the input that r has.
func New(r io.Reader) *Input { return &Input{r: r} }

// More reads on and reports whether there was anything.
func (in *Input) More() bool {
	for empty := 0; in.err == nil; empty++ {
		if cap(in.Buf)-len(in.Buf) < readAt/4 {
			grown := make([]byte, len(in.Buf), max(len(in.Buf)+len(in.Buf)/2, readAt))
			copy(grown, in.Buf)
			in.Buf = grown
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

// Need reads on until n bytes are there that were not looked at. It reports false if the stream
// ends before.
func (in *Input) Need(n int) bool {
	for len(in.Buf)-in.Pos < n {
		if !in.More() {
			return false
		}
	}
	return true
}

// Drop forgets what was looked at, and memory that a large part of the stream has needed.
func (in *Input) Drop() {
	in.Offset += in.Pos
	in.Buf = in.Buf[:copy(in.Buf, in.Buf[in.Pos:])]
	in.Pos = 0
	if cap(in.Buf) > 4*readAt && len(in.Buf) < readAt {
		in.Buf = append(make([]byte, 0, readAt), in.Buf...)
	}
}

// Skip looks at n bytes and forgets them. It reports false if the stream ends before.
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

// At is where the next byte is in the stream.
func (in *Input) At() int { return in.Offset + in.Pos }

// Err returns the error that kept the stream from being read to its end, nil if there was none.
func (in *Input) Err() error {
	if in.err == io.EOF {
		return nil
	}
	return in.err
}
