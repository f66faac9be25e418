package httpapi

import (
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"sync"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// Respond answers with an object, converted and shown as negotiated. The object may be of any
// version of the endpoint's kind, or of a kind that every endpoint may answer with, such as Status.
// It is not modified. A list is written item by item, see [serializer.Representation.EncodeList].
//
// If the object cannot be shown or converted, the next clause of the Accept header is tried. If
// none is left the error has code 406. Errors occur before anything is sent, except in lists of
// which more than 64 KiB have been written.
func (x *Exchange) Respond(code int, obj runtime.Object) error {
	k, err := x.kindOf(obj)
	if err != nil {
		return err
	}
	if k.IsList() {
		return x.respond(code, func(rep *serializer.Representation,
			w io.Writer,
		) error {
			return rep.EncodeList(w, obj)
		})
	}
	return x.respond(code, func(rep *serializer.Representation, w io.Writer) error {
		buf := buffers.Get().(*[]byte)
		defer release(buf)
		out, err := rep.Append((*buf)[:0], obj)
		if err != nil {
			return err
		}
		*buf = out
		if b, ok := w.(*body); ok {
			b.whole = len(out)
		}
		_, err = w.Write(out)
		return err
	})
}

// RespondItems answers with a list from a sequence of its items, which may be read from a store one
// by one, see [serializer.Representation.EncodeItems]. The sequence is ranged over again for
// formats that write the size of a list before it, and for each clause of the Accept header that is
// tried.
func (x *Exchange) RespondItems(code int, head runtime.Object, items iter.Seq2[runtime.Object, error]) error {
	return x.respond(code, func(rep *serializer.Representation, w io.Writer) error {
		return rep.EncodeItems(w,
			head, items)
	})
}

// RespondWith answers with what encode writes in the representation passed to it, such as a list
// that a store encodes itself. If the error is a [*runtime.ConvertError] and nothing has been sent,
// encode is called again with the representation for the next clause of the Accept header.
func (x *Exchange) RespondWith(code int, encode func(rep *serializer.Representation, w io.Writer) error) error {
	return x.respond(code, encode)
}

// respond answers with what a function writes in the best representation that can be made.
func (x *Exchange) respond(code int, encode func(*serializer.Representation, io.Writer) error) error {
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
		err = ownFault(err)
		// What the query asks for and cannot be had, such as an order by a column that is not
		// there, is no matter of the representation.
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

// ownFault keeps an object that the server has and cannot decode, such as a stored one, from being
// taken for a request that cannot be decoded.
func ownFault(err error) error {
	_, undecodable := errors.AsType[*runtime.DecodeError](err)
	if _, stated := errors.AsType[*metav1.StatusError](err); !undecodable || stated {
		return err
	}
	return metav1.InternalError(err)
}

// impossible is the error for an object of which nothing can be made that the client accepts: the
// server's fault if that is the object itself.
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

// holdBack is how much of an answer is held back, so that it can be dropped for another, and its
// length told if that is all.
const holdBack = 64 << 10

// gzipFrom is the size from which answers are compressed.
const gzipFrom = 32 << 10

var (
	buffers = sync.Pool{New: func() any { b := make([]byte, 0, holdBack); return &b }}
	zippers = sync.Pool{New: func() any { z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed); return z }}
)

// maxPooled bounds the buffers that are kept, so that one large object does not stay in memory for
// ever.
const maxPooled = 1 << 20

func release(b *[]byte) {
	if cap(*b) <= maxPooled {
		buffers.Put(b)
	}
}

// body writes the body of an answer. Nothing is sent before it is certain that the answer will be
// this one, or it is too long to wait.
type body struct {
	x     *Exchange
	code  int
	held  []byte // what has not been sent
	whole int    // the length of the body if it is known in advance
	size  int64  // what has been written so far
	sent  bool   // the header has been sent
	zip   *gzip.Writer
}

// Write implements [io.Writer].
func (b *body) Write(p []byte) (int, error) {
	b.size += int64(len(p))
	switch {
	case b.x.head():
		return len(p), nil
	case b.sent:
		return b.pass(p)
	case b.whole == 0 && len(b.held)+len(p) <= holdBack:
		b.held = append(b.held, p...)
		return len(p), nil
	}
	length := int64(-1)
	if b.whole > 0 {
		length = int64(b.whole)
	}
	b.begin(length)
	if len(b.held) > 0 {
		if _, err := b.pass(b.held); err != nil {
			return 0, err
		}
	}
	return b.pass(p)
}

// pass sends something.
func (b *body) pass(p []byte) (int, error) {
	if b.zip != nil {
		return b.zip.Write(p)
	}
	return b.x.w.Write(p)
}

// begin sends the header. The length is negative if it is not known.
func (b *body) begin(length int64) {
	b.sent = true
	h := b.x.w.Header()
	h.Set("Content-Type", b.x.rep.ContentType())
	setHeaders(h, b.x.rep)
	coded := b.x.api.settings.Gzip && (length < 0 || length > gzipFrom) && acceptsGzip(b.x.r.Header["Accept-Encoding"])
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

// setHeaders sets the headers that answers in a format have.
func setHeaders(h http.Header, rep *serializer.Representation) {
	for name, value := range rep.Format().Header {
		h.Set(name, value)
	}
}

// close sends what is left.
func (b *body) close() error {
	if !b.sent {
		b.begin(b.size)
		if b.x.head() || len(b.held) == 0 {
			return b.closeZip(nil)
		}
		_, err := b.pass(b.held)
		return b.closeZip(err)
	}
	return b.closeZip(nil)
}

func (b *body) closeZip(err error) error {
	if b.zip == nil {
		return err
	}
	if closeErr := b.zip.Close(); err == nil {
		err = closeErr
	}
	b.zip.Reset(io.Discard) // not to keep the response
	zippers.Put(b.zip)
	b.zip = nil
	return err
}
