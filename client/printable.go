package client

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Printable returns a writer to w that replaces control characters by their code, as in \u001b,
// omits carriage returns, and leaves tabs and line feeds as they are. It is for what servers answer
// and a terminal shows, which could interpret such characters as commands. A JSON text keeps its
// meaning, and YAML has no such characters. A character that is divided among calls of Write is
// written when it is complete. The writer is not safe for concurrent use.
func Printable(w io.Writer) io.Writer { return &printable{w: w} }

type printable struct {
	w    io.Writer
	rest []byte // the beginning of a character
	out  []byte
}

// Write implements [io.Writer].
func (p *printable) Write(text []byte) (int, error) {
	in := append(p.rest, text...)
	p.out = p.out[:0]
	for utf8.FullRune(in) {
		r, n := utf8.DecodeRune(in)
		switch {
		case r == '\r':
		case unicode.IsControl(r) && r != '\n' && r != '\t':
			p.out = fmt.Appendf(p.out, `\u%04x`, r)
		default:
			p.out = utf8.AppendRune(p.out, r)
		}
		in = in[n:]
	}
	p.rest = append([]byte(nil), in...)
	_, err := p.w.Write(p.out)
	return len(text), err
}
