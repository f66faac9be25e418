package httpapi

import (
	"io"
	"net"
	"syscall"
)

// copiedPiece is about how many bytes other writers than TCP connections get at once.
const copiedPiece = 128 << 10

// gathered is a source of slices of bytes. A TCP connection writes them with one call of the system
// and without a copy; other writers get copies.
type gathered struct {
	buffers net.Buffers
	size    int
}

func newGathered(slices [][]byte) *gathered {
	out := &gathered{buffers: slices}
	for _, p := range slices {
		out.size += len(p)
	}
	return out
}

// Len returns the number of bytes that have not been read.
func (g *gathered) Len() int { return g.size }

// Read implements [io.Reader].
func (g *gathered) Read(p []byte) (int, error) {
	n, err := g.buffers.Read(p)
	g.size -= n
	return n, err
}

// WriteTo implements [io.WriterTo]. [net.TCPConn.ReadFrom] passes a writer that is the connection.
func (g *gathered) WriteTo(w io.Writer) (n int64, err error) {
	if _, ok := w.(syscall.Conn); ok {
		n, err = g.buffers.WriteTo(w)
		g.size -= int(n)
		return n, err
	}
	held := buffers.Get().(*[]byte)
	defer release(held)
	out := (*held)[:0]
	for i, p := range g.buffers {
		out = append(out, p...)
		if len(out) < copiedPiece && i+1 < len(g.buffers) {
			continue
		}
		written, err := w.Write(out)
		if n += int64(written); err != nil {
			return n, err
		}
		out = out[:0]
	}
	*held = out
	g.buffers, g.size = nil, 0
	return n, nil
}
