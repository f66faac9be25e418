package openapi

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/askind/askind/schema"
)

// writer appends JSON.
type writer struct{ out []byte }

// comma writes a comma between members or elements.
func (w *writer) comma() {
	if n := len(w.out); n > 0 && w.out[n-1] != '{' && w.out[n-1] != '[' {
		w.out = append(w.out, ',')
	}
}

func (w *writer) key(name string) {
	w.comma()
	w.out = append(append(w.out, quote(name)...), ':')
}

func (w *writer) text(name, value string) {
	w.key(name)
	w.out = append(w.out, quote(value)...)
}

func (w *writer) flag(name string) {
	w.key(name)
	w.out = append(w.out, "true"...)
}

func (w *writer) raw(name string, value []byte) {
	w.key(name)
	w.out = append(w.out, value...)
}

// open begins a member whose value is an object or a list.
func (w *writer) open(name string, bracket byte) {
	w.key(name)
	w.out = append(w.out, bracket)
}

// element begins an object in a list.
func (w *writer) element() {
	w.comma()
	w.out = append(w.out, '{')
}

// close ends objects and lists, the innermost first.
func (w *writer) close(brackets ...byte) { w.out = append(w.out, brackets...) }

func (w *writer) texts(name string, values []string) {
	w.open(name, '[')
	for _, v := range values {
		w.comma()
		w.out = append(w.out, quote(v)...)
	}
	w.close(']')
}

// parameters writes parameters, if there are any.
func (w *writer) parameters(all []parameter, write func(*parameter, *writer)) {
	if len(all) == 0 {
		return
	}
	w.open("parameters", '[')
	for i := range all {
		write(&all[i], w)
	}
	w.close(']')
}

func (w *writer) kind(gvk schema.GroupVersionKind) {
	w.text("group", gvk.Group)
	w.text("version", gvk.Version)
	w.text("kind", gvk.Kind)
}

// quote returns a text as JSON, without the escapes that are only needed in HTML.
func quote(s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if err := e.Encode(s); err != nil {
				return strconv.AppendQuote(nil, s) // not reached: encoding a string cannot fail
			}
			return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		}
	}
	return append(append(append(make([]byte, 0, len(s)+2), '"'), s...), '"')
}
