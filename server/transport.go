package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// inProcessHost is the name by which requests in process address the server.
const inProcessHost = "in-process.invalid"

// inProcessKey is the key of what marks requests in process. No connection can set it.
type inProcessKey struct{}

// Transport returns a transport that passes requests to the server without a connection, regardless
// of their host. Clients of the Kubernetes API run on it in tests:
//
//	config := &rest.Config{Host: "http://server", Transport: srv.Transport()}
//
// Responses are streamed, so watches work. Authentication, authorization and limits apply as over
// the network. Requests have no TLS connection.
func (s *Server) Transport() http.RoundTripper { return &transport{s} }

// transport is a server as an [http.RoundTripper].
type transport struct{ s *Server }

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(context.WithValue(ctx, inProcessKey{}, true))
	in.Host, in.RequestURI, in.RemoteAddr = inProcessHost, r.URL.RequestURI(), "127.0.0.1:0"
	if in.URL.Path == "" {
		in.URL.Path = "/" // as a connection carries it
	}
	switch {
	case in.Body == nil:
		in.Body = http.NoBody
	case in.ContentLength == 0 && in.Body != http.NoBody:
		in.ContentLength = -1 // 0 means unknown in a request of a client, and no body in one to a server
	}
	if in.Proto == "" {
		in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	}
	p := &pipe{ctx: ctx, cancel: cancel, changed: make(chan struct{})}
	w := &streamedResponse{
		header: http.Header{}, pipe: p, begun: make(chan struct{}), head: r.Method == http.MethodHead,
	}
	go w.serve(t.s, in)
	select {
	case <-w.begun:
	case <-ctx.Done():
	}
	if r.Context().Err() != nil { // also if the handler has answered that
		cancel()
		return nil, context.Cause(r.Context())
	}
	if w.failed != nil {
		cancel()
		return nil, w.failed
	}
	return w.response(r, p), nil
}

// streamedResponse is the answer of a request in process.
type streamedResponse struct {
	header http.Header
	pipe   *pipe
	head   bool // the response has no body
	once   sync.Once
	begun  chan struct{} // closed when code and sent are set
	code   int
	sent   http.Header
	failed error
}

// errAborted is the error of a response that the handler aborted.
var errAborted = errors.New("server: the handler aborted the response")

// serve runs the handler.
func (w *streamedResponse) serve(h http.Handler, r *http.Request) {
	defer func() {
		err := error(io.EOF)
		if recover() != nil { // the handler has logged it, or aborted on purpose
			err = errAborted
		}
		w.once.Do(func() {
			if w.failed = err; err == io.EOF {
				w.failed, w.code, w.sent = nil, http.StatusOK, w.header.Clone()
			}
			close(w.begun)
		})
		w.pipe.end(err)
		_ = r.Body.Close()
	}()
	h.ServeHTTP(w, r)
}

// Header implements [http.ResponseWriter].
func (w *streamedResponse) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter].
func (w *streamedResponse) WriteHeader(code int) {
	if code < 200 {
		return
	}
	w.once.Do(func() {
		w.code, w.sent = code, w.header.Clone()
		close(w.begun)
	})
}

// Write implements [http.ResponseWriter].
func (w *streamedResponse) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.head {
		return len(p), nil
	}
	return w.pipe.Write(p)
}

// Flush implements [http.Flusher]. It sends the header; written bytes can be read without it.
func (w *streamedResponse) Flush() { w.WriteHeader(http.StatusOK) }

// response returns the answer as the client sees it.
func (w *streamedResponse) response(r *http.Request, body io.ReadCloser) *http.Response {
	out := &http.Response{
		Status: strconv.Itoa(w.code) + " " + http.StatusText(w.code), StatusCode: w.code, Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: -1, Request: r,
	}
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil {
		out.ContentLength = n
	}
	return out
}

// maxBuffered bounds the unread part of a response that is kept in memory.
const maxBuffered = 256 << 10

// pipe is the body of an answer, with a buffer, so that neither side waits for each write of the
// other.
type pipe struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	changed chan struct{} // closed and made anew with each change
	data    bytes.Buffer
	err     error // of the writing side
}

// wake wakes the other side after a change. The lock is held.
func (p *pipe) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// Write adds to the body, and waits while too much has not been read.
func (p *pipe) Write(b []byte) (int, error) {
	for {
		p.mu.Lock()
		if p.data.Len() < maxBuffered {
			p.data.Write(b)
			p.wake()
			p.mu.Unlock()
			return len(b), nil
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		}
	}
}

// Read implements [io.Reader].
func (p *pipe) Read(b []byte) (int, error) {
	for {
		p.mu.Lock()
		if p.data.Len() > 0 || len(b) == 0 {
			n, _ := p.data.Read(b)
			p.wake()
			p.mu.Unlock()
			return n, nil
		}
		err, changed := p.err, p.changed
		p.mu.Unlock()
		if err != nil {
			return 0, err
		}
		select {
		case <-changed:
		case <-p.ctx.Done():
			return 0, context.Cause(p.ctx)
		}
	}
}

// end ends the body with an error for the reader.
func (p *pipe) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	p.wake()
}

// Close ends the request.
func (p *pipe) Close() error {
	p.cancel()
	return nil
}
