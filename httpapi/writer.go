package httpapi

import (
	"io"
	"net/http"
	"slices"
	"strings"
)

// response is the writer of one response. It records whether the response has begun, and which
// exchange it belongs to.
type response struct {
	http.ResponseWriter
	exchange *Exchange // nil before [Endpoint.Begin]
	begun    bool      // the header has been sent
	gone     bool      // the client no longer takes the response
}

// own returns the writer as a *response, and sets the headers that every response has.
func (a *API) own(w http.ResponseWriter) *response {
	if own := find(w); own != nil {
		return own
	}
	own := &response{ResponseWriter: w}
	a.vary(w.Header())
	return own
}

// find returns the *response in a chain of wrapped writers, or nil.
func find(w http.ResponseWriter) *response {
	for {
		switch t := w.(type) {
		case *response:
			return t
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil
		}
	}
}

// vary adds the request headers on which every response depends to the Vary header.
func (a *API) vary(h http.Header) {
	names := []string{"Accept"}
	if a.settings.Gzip {
		names = append(names, "Accept-Encoding")
	}
	for _, name := range names {
		if !slices.ContainsFunc(h.Values("Vary"), func(v string) bool { return listHas(v, name) }) {
			h.Add("Vary", name)
		}
	}
}

// listHas reports whether a comma-separated header contains a name, ignoring case.
func listHas(list, name string) bool {
	for element := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.Trim(element, " \t"), name) {
			return true
		}
	}
	return false
}

// WriteHeader implements [http.ResponseWriter].
func (w *response) WriteHeader(code int) {
	w.begun = w.begun || code >= 200
	w.ResponseWriter.WriteHeader(code)
}

// Write implements [http.ResponseWriter].
func (w *response) Write(p []byte) (int, error) {
	w.begun = true
	n, err := w.ResponseWriter.Write(p)
	w.gone = w.gone || err != nil
	return n, err
}

// ReadFrom implements [io.ReaderFrom], for sources that a connection can read faster than Write can
// copy them.
func (w *response) ReadFrom(src io.Reader) (n int64, err error) {
	w.begun = true
	if inner, ok := w.ResponseWriter.(io.ReaderFrom); ok && passesOn {
		n, err = inner.ReadFrom(src)
	} else {
		n, err = io.Copy(w.ResponseWriter, src)
	}
	w.gone = w.gone || err != nil
	return n, err
}

// FlushError implements the interface that [http.ResponseController] uses for flushing.
func (w *response) FlushError() error {
	w.begun = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements [http.Flusher]. It does nothing for responses that cannot be flushed.
func (w *response) Flush() { _ = w.FlushError() }

// Unwrap returns the wrapped writer, for [http.ResponseController].
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
