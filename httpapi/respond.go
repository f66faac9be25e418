package httpapi

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"sync"

	"github.com/askind/askind/internal/coding"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Respond answers with an object, converted and shown as negotiated. The object may be of any
// version of the endpoint's kind, or of a kind that any endpoint may answer with, such as Status,
// which is written as for [API.Error]. It is not modified. A list is written item by item, see
// [serializer.Representation.Encode].
//
// If the object cannot be shown or converted, the next clause of the Accept header is tried. If no
// clause remains, the error has code 406, as it has if the format cannot express a value. Errors
// occur before anything is sent, except in lists after more than 64 KiB have been written.
func (x *Exchange) Respond(code int, obj runtime.Object) error {
	k, err := x.kindOf(obj)
	if err != nil {
		return err
	}
	if _, ok := obj.(*metav1.Status); ok && x.endpoint.offer.Kind.Kind != k.Name() {
		x.rep = x.rep.ForStatus() // as for errors
	}
	return x.RespondWith(code, func(rep *serializer.Representation, w io.Writer) error {
		if b, ok := w.(*body); ok {
			b.single = !k.IsList()
		}
		return rep.Encode(w, obj)
	})
}

// RespondItems answers with a list from a sequence of its items, which may be read one by one from
// a store, see [serializer.Representation.EncodeItems]. Formats that write the size of a list
// before it range over the sequence twice, as does each further clause of the Accept header that is
// tried.
func (x *Exchange) RespondItems(code int, head runtime.Object, items iter.Seq2[runtime.Object, error]) error {
	return x.RespondWith(code, func(rep *serializer.Representation, w io.Writer) error {
		return rep.EncodeItems(w, head, items)
	})
}

// RespondWith answers with the output of encode in the representation passed to it, such as a list
// that a store encodes itself. If the error is a [*runtime.ConvertError] and nothing has been sent,
// encode is called again with the representation for the next clause of the Accept header.
func (x *Exchange) RespondWith(code int, encode func(rep *serializer.Representation, w io.Writer) error) error {
	switch {
	case code < http.StatusOK || code > 999:
		return fmt.Errorf("httpapi: a response cannot have the code %d", code)
	case x.w.begun:
		return errors.New("httpapi: the request has been answered already")
	}
	held := buffers.Get().(*[]byte)
	defer release(held)
	var first error
	for {
		b := &body{x: x, code: code, held: (*held)[:0]}
		err := encode(x.rep, b)
		*held = b.held
		if err == nil {
			return b.close()
		}
		if b.sent {
			return err
		}
		if err = ownFault(err); errors.Is(err, errors.ErrUnsupported) {
			return x.inexpressible(err)
		}
		// A request for something impossible, such as sorting by an unknown column, does not depend
		// on the representation.
		if _, ok := errors.AsType[*runtime.ConvertError](err); !ok ||
			metav1.ReasonOf(err) == metav1.StatusReasonBadRequest {
			return err
		}
		if first == nil {
			first = err
		}
		next, refused := x.offered.NegotiateAfter(x.rep, x.accept())
		if refused != nil {
			return x.impossible(first, refused)
		}
		x.use(next)
	}
}

// ownFault prevents an undecodable object on the server, such as a stored one, from being reported
// as a request that cannot be decoded.
func ownFault(err error) error {
	_, undecodable := errors.AsType[*runtime.DecodeError](err)
	if _, stated := errors.AsType[*metav1.StatusError](err); !undecodable || stated {
		return err
	}
	return metav1.InternalError(err)
}

// inexpressible returns the error for an object with a value that the negotiated format does not
// have, such as a number beyond float64 in CBOR.
func (x *Exchange) inexpressible(err error) error {
	out := metav1.NotAcceptable(fmt.Sprintf("the object cannot be written as %s: %s; accept another format",
		x.rep.Format().MediaTypes[0], schema.MessageOf(err)))
	out.Err = err
	return out
}

// impossible returns the error for an object that has no acceptable representation. It is an
// internal error if the object itself is at fault.
func (x *Exchange) impossible(first, refused error) error {
	e, ok := errors.AsType[*serializer.NotAcceptableError](refused)
	if !ok || x.rep.Target() == x.endpoint.offer.Kind {
		return first
	}
	_, _, message := e.Status()
	out := metav1.NotAcceptable(message + "; " + first.Error())
	out.Err = errors.Join(refused, first)
	return out
}

// holdBack is how many bytes of a response are buffered, so that it can be replaced by another one
// and short responses have a Content-Length.
const holdBack = 64 << 10

// gzipFrom is the size from which responses are compressed.
const gzipFrom = 32 << 10

var (
	buffers = sync.Pool{New: func() any { b := make([]byte, 0, holdBack); return &b }}
	zippers = sync.Pool{New: func() any { z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed); return z }}
)

// maxPooled limits the size of pooled buffers, so that one large object does not stay in memory
// forever.
const maxPooled = 1 << 20

func release(b *[]byte) {
	if cap(*b) <= maxPooled {
		buffers.Put(b)
	}
}

// body writes the body of a response. It sends nothing until the response is complete or the buffer
// is full.
type body struct {
	x      *Exchange
	code   int
	held   []byte // not yet sent
	single bool   // Write is called once
	size   int64  // bytes written so far
	sent   bool   // the header has been sent
	zip    *gzip.Writer
}

// Write implements [io.Writer].
func (b *body) Write(p []byte) (int, error) {
	b.size += int64(len(p))
	switch {
	case b.x.head():
		return len(p), nil
	case b.sent:
		return b.pass(p)
	case !b.single && len(b.held)+len(p) <= holdBack:
		b.held = append(b.held, p...)
		return len(p), nil
	}
	length := int64(-1)
	if b.single {
		length = int64(len(p))
	}
	b.begin(length)
	if len(b.held) > 0 {
		if _, err := b.pass(b.held); err != nil {
			return 0, err
		}
	}
	return b.pass(p)
}

// pass sends bytes to the client.
func (b *body) pass(p []byte) (int, error) {
	if b.zip != nil {
		return b.zip.Write(p)
	}
	return b.x.w.Write(p)
}

// begin sends the header. A negative length means that the length is unknown.
func (b *body) begin(length int64) {
	b.sent = true
	h := b.x.w.Header()
	h.Set("Content-Type", b.x.rep.ContentType())
	setHeaders(h, b.x.rep)
	coded := b.coded(length)
	if coded {
		h.Set("Content-Encoding", "gzip")
	} else if length >= 0 {
		h.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	if b.x.version != "" && b.code == http.StatusOK {
		h.Set("Etag", b.x.entityTag(coded))
	}
	if coded && !b.x.head() {
		b.zip = zippers.Get().(*gzip.Writer)
		b.zip.Reset(b.x.w)
	}
	b.x.w.WriteHeader(b.code)
}

// coded reports whether a response of a length, negative if it is unknown, is compressed.
func (b *body) coded(length int64) bool {
	return (length < 0 || length > gzipFrom) && b.x.acceptsGzip()
}

// acceptsGzip reports whether a large response is compressed.
func (x *Exchange) acceptsGzip() bool {
	return x.api.settings.Gzip && coding.AcceptsGzip(x.r.Header["Accept-Encoding"])
}

// Gather implements what [store.List.Encode] looks for in a writer: it sends a response of many
// slices from where they are. Short and compressed ones are copied.
func (b *body) Gather(length int64) func([][]byte) error {
	if b.sent || len(b.held) > 0 || length <= holdBack || b.coded(length) || b.x.head() {
		return nil
	}
	b.size = length
	b.begin(length)
	return func(slices [][]byte) error {
		_, err := b.x.w.ReadFrom(newGathered(slices))
		return err
	}
}

// setHeaders sets the headers that depend on the representation.
func setHeaders(h http.Header, rep *serializer.Representation) {
	for name, value := range rep.Format().Header {
		h.Set(name, value)
	}
}

// close sends the remaining bytes.
func (b *body) close() (err error) {
	if !b.sent {
		b.begin(b.size)
		if !b.x.head() && len(b.held) > 0 {
			_, err = b.pass(b.held)
		}
	}
	return b.closeZip(err)
}

func (b *body) closeZip(err error) error {
	if b.zip == nil {
		return err
	}
	if closeErr := b.zip.Close(); err == nil {
		err = closeErr
	}
	b.zip.Reset(io.Discard) // do not retain the response
	zippers.Put(b.zip)
	b.zip = nil
	return err
}
