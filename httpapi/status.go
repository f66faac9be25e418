package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// StatusOf returns the Status that reports an error to a client. It unwraps the error:
//
//   - the Status of a [*metav1.StatusError];
//   - 406 and 415 for an error of a negotiation or of the format of a body, with the supported types;
//   - 413 for a body that is too large;
//   - 400 for text that cannot be decoded or is over a limit, with a cause for each problem, and
//     422 for violations found by validation;
//   - 409 for a conflicting write, see [metav1.ErrConflict];
//   - 504 for an expired deadline;
//   - 500 for any other error, whose text is not disclosed.
func StatusOf(err error) *metav1.Status {
	if e, ok := errors.AsType[*metav1.StatusError](err); ok && e != nil {
		return &e.Status
	}
	if e, ok := errors.AsType[interface {
		error
		Status() (code int32, reason, message string)
	}](err); ok {
		_, reason, message := e.Status()
		return &metav1.Failure(metav1.StatusReason(reason), message).Status
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &tooLarge(e.Limit).Status
	}
	// The text of a LimitError says how to raise the limit, which clients do not need to know.
	if e, ok := errors.AsType[*schema.LimitError](err); ok && e.Limit == "Size" {
		return &tooLarge(int64(e.Max)).Status
	}
	if e, ok := errors.AsType[*runtime.DecodeError](err); ok {
		return &undecodable(e).Status
	}
	if e, ok := errors.AsType[*schema.LimitError](err); ok {
		return &metav1.BadRequest(withoutAdvice(e.Error())).Status
	}
	if e, ok := errors.AsType[runtime.FieldErrors](err); ok {
		return &metav1.Invalid(schema.GroupKind{Kind: "object"}, "", e).Status
	}
	switch {
	case errors.Is(err, metav1.ErrConflict):
		return &metav1.Failure(metav1.StatusReasonConflict, err.Error()).Status
	case errors.Is(err, context.DeadlineExceeded):
		return &metav1.Failure(metav1.StatusReasonTimeout, "the request took too long").Status
	}
	return &metav1.InternalError(err).Status
}

// tooLarge returns the error for a body that is larger than the limit.
func tooLarge(limit int64) *metav1.StatusError {
	return metav1.Failure(metav1.StatusReasonRequestEntityTooLarge,
		fmt.Sprintf("the body of the request is larger than the limit of %d bytes", limit))
}

// maxCauses limits the number of causes in a Status, and maxCause the bytes of each, as
// [metav1.Invalid] does.
var maxCauses = schema.Limits{}.OrDefaults().Problems

const maxCause = 1 << 10

// maxPath is the maximum length of a path in the text of a problem, in bytes.
const maxPath = 256

// undecodable describes a decoding error in one line, because clients print it within their own
// message. Each problem becomes a cause.
func undecodable(e *runtime.DecodeError) *metav1.StatusError {
	shown := listed(e.Problems)
	texts := make([]string, len(shown))
	details := &metav1.StatusDetails{}
	for i := range shown {
		p := &shown[i]
		texts[i] = problemText(p)
		if p.More > 0 {
			details.Causes = append(details.Causes, metav1.StatusCause{Message: p.Error()})
			continue
		}
		unplaced := runtime.Problem{Position: p.Position, Message: p.Message, Nearest: p.Nearest}
		details.Causes = append(details.Causes, metav1.StatusCause{
			Type: causeType(p), Message: schema.Shorten(withoutAdvice(unplaced.Error()), maxCause),
			Field: schema.Shorten(p.Path, maxCause),
		})
	}
	out := metav1.BadRequest(strings.Join(texts, "; "))
	out.Status.Details, out.Err = details, e
	return out
}

// listed returns the first problems, and one with the number of the others.
func listed(problems []runtime.Problem) []runtime.Problem {
	if len(problems) <= maxCauses {
		return problems
	}
	last := problems[len(problems)-1]
	if last.More > 0 {
		problems = problems[:len(problems)-1]
	}
	more := last.More + max(0, len(problems)-maxCauses)
	return append(slices.Clone(problems[:maxCauses]), runtime.Problem{More: more})
}

// problemText describes a problem to clients. Unknown and duplicate fields are described as in the
// Kubernetes API, and unknown parameters alike, with what else is known in parentheses:
//
//	unknown field "spec.replcas" (line 7, column 3, did you mean "replicas"?)
func problemText(p *runtime.Problem) string {
	what := "unknown field "
	switch {
	case p.Path == "" || !errors.Is(p, runtime.ErrUnknownField) && !errors.Is(p, runtime.ErrDuplicateField):
		return withoutAdvice(p.Error())
	case errors.Is(p, runtime.ErrDuplicateField):
		what = "duplicate field "
	case strings.HasPrefix(p.Message, "unknown parameter "): // of a query
		what = "unknown parameter "
	}
	var known []string
	if place, _, ok := strings.Cut(p.Message, ": "); ok && strings.HasPrefix(place, "at byte ") { // of CBOR
		known = append(known, place)
	}
	if p.Position.IsValid() {
		known = append(known, fmt.Sprintf("line %d, column %d", p.Position.Line, p.Position.Column))
	}
	if p.Nearest != "" {
		known = append(known, fmt.Sprintf("did you mean %q?", p.Nearest))
	}
	text := what + strconv.Quote(schema.Shorten(p.Path, maxPath))
	if len(known) > 0 {
		text += " (" + strings.Join(known, ", ") + ")"
	}
	return text
}

// causeType returns the machine-readable type of a problem.
func causeType(p *runtime.Problem) metav1.CauseType {
	switch {
	case errors.Is(p, runtime.ErrDuplicateField):
		return metav1.CauseTypeFieldValueDuplicate
	case errors.Is(p, runtime.ErrUnknownField), errors.Is(p, runtime.ErrUnknownKind):
		return metav1.CauseTypeFieldValueNotSupported
	case errors.Is(p, runtime.ErrMissingKind), errors.Is(p, runtime.ErrMissingVersion):
		return metav1.CauseTypeFieldValueRequired
	case errors.Is(p, runtime.ErrWrongType):
		return metav1.CauseTypeTypeInvalid
	}
	return metav1.CauseTypeFieldValueInvalid
}

// Error answers a request with the Status of an error, see [StatusOf]: in the representation that
// was negotiated for the request, or, before that, in the format that the Accept header prefers. A
// Status is never shown as another kind. Its version is v1 unless the client chose one with the
// parameter sv; see [Settings].UnversionedStatus for errors without an Exchange. The error of a
// negotiation is indented JSON unless the client named another format that is available.
//
// If the response has already begun, Error logs err, unless the client stopped taking the response,
// and aborts the connection with a panic of [http.ErrAbortHandler], which net/http expects, so that
// the client does not mistake a part of the response for the whole.
func (a *API) Error(w http.ResponseWriter, r *http.Request, err error) {
	own := a.own(w)
	if own.begun {
		if r.Context().Err() == nil && !own.gone {
			a.log(r, err)
		}
		panic(http.ErrAbortHandler)
	}
	status, err := referenced(err)
	if status.Code >= 500 {
		a.log(r, err)
	}
	rep := a.forError(own.exchange, r, err).ForStatus()
	body, encodeErr := rep.Append(nil, &status)
	if encodeErr != nil { // the Status cannot be converted to the requested version
		a.log(r, encodeErr)
		rep = a.factory.NegotiateStatus(nil, serializer.Offer{})
		if body, encodeErr = rep.Append(nil, &status); encodeErr != nil {
			a.log(r, encodeErr)
			http.Error(own, status.Message, int(status.Code))
			return
		}
	}
	h := own.Header()
	for _, name := range []string{"Content-Encoding", "Etag"} {
		h.Del(name) // they belong to another response
	}
	if d := status.Details; d != nil && d.RetryAfterSeconds > 0 {
		h.Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	h.Set("Content-Type", rep.ContentType())
	setHeaders(h, rep)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	own.WriteHeader(int(status.Code))
	_, _ = own.Write(body) // the client may have disconnected
}

// referenced returns the Status of an error for the client. For an internal error that is only a
// reference, which the returned error for the log has too.
func referenced(err error) (metav1.Status, error) {
	status := *StatusOf(err)
	status.Message = withoutAdvice(status.Message)
	if status.Code < 400 || status.Code > 599 { // an error from elsewhere
		status.Code = http.StatusInternalServerError
	}
	if status.Code >= 500 && status.Message == internalMessage {
		reference := rand.Text()[:referenceLength]
		status.Message += "; the reference in the log of the server is " + reference
		err = fmt.Errorf("reference %s: %w", reference, err)
	}
	return status, err
}

// internalMessage is the message of an internal error whose details are not disclosed. A reference
// of referenceLength characters identifies it in the log.
var internalMessage = metav1.InternalError(nil).Status.Message

const referenceLength = 10

// withoutAdvice returns a message without the advice for programmers.
func withoutAdvice(message string) string {
	for {
		before, rest, found := strings.Cut(message, "; raise Limits.")
		if !found {
			return message
		}
		word := strings.IndexFunc(rest, func(r rune) bool { return r < 'A' || r > 'z' })
		rest = rest[max(word, 0):]
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, " to read it"), " to check it")
		message = before + rest
	}
}

// forError chooses the representation of an error. The exchange is nil if Begin has not succeeded.
func (a *API) forError(x *Exchange, r *http.Request, err error) *serializer.Representation {
	_, refused := errors.AsType[*serializer.NotAcceptableError](err)
	if x != nil && x.rep != nil && !refused {
		return x.rep
	}
	offer := serializer.Offer{Pretty: refused || !a.settings.Compact}
	if x != nil {
		offer.Pretty, offer.MediaTypes = offer.Pretty || x.pretty, x.endpoint.offer.MediaTypes
	}
	offer.Unversioned = x == nil && a.settings.UnversionedStatus
	return a.factory.NegotiateStatus(r.Header["Accept"], offer).At(placeOf(r))
}
