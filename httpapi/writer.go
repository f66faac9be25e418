package httpapi

import (
	"net/http"
	"slices"
	"strings"
)

// response is the writer of one response. It knows whether the response has begun, and which
// exchange it belongs to.
type response struct {
	http.ResponseWriter
	exchange *Exchange // nil before [Endpoint.Begin]
	begun    bool      // the header has been sent
	gone     bool      // the client does not take the answer
}

// own returns the writer of a response as one of ours, with the headers that every answer has.
func (a *API) own(w http.ResponseWriter) *response {
	if own := find(w); own != nil {
		return own
	}
	own := &response{ResponseWriter: w}
	a.vary(w.Header())
	return own
}

// find returns the writer of ours in a chain of writers that wrap each other, nil if there is none.
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

// vary names the headers of the request on which every answer depends.
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

// listHas reports whether a name is an element of a list in a header, in any case.
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

// FlushError makes the writer one that an [http.ResponseController] can flush.
func (w *response) FlushError() error {
	w.begun = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements [http.Flusher], for handlers that ask for it. A response that cannot be flushed
// is left to its buffers.
func (w *response) Flush() { _ = w.FlushError() }

// Unwrap returns the writer below, for an [http.ResponseController].
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
