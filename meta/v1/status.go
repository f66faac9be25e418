package v1

import (
	"errors"
	"strconv"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// StatusError is a [Status] as a Go error. The constructors below return one; a server sends its
// Status, and a client finds it again with errors.AsType[*StatusError] however it was wrapped.
type StatusError struct {
	_ struct{} // literals name their fields

	// Status is what the client is told.
	Status Status
	// Err is the cause, which the client is not told. It may be nil.
	Err error
}

// Error returns the message of the status, or its reason if it has none; behind that of an internal
// error, the cause that clients do not see.
func (e *StatusError) Error() string {
	switch {
	case e.Status.Reason == StatusReasonInternalError && e.Err != nil:
		return e.Status.Message + ": " + e.Err.Error()
	case e.Status.Message != "":
		return e.Status.Message
	case e.Status.Reason != "":
		return string(e.Status.Reason)
	}
	return "status " + strconv.Itoa(int(e.Status.Code))
}

// Unwrap returns the cause.
func (e *StatusError) Unwrap() error { return e.Err }

// ReasonOf returns the reason of the [StatusError] that err is or wraps, else
// [StatusReasonUnknown].
func ReasonOf(err error) StatusReason {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.Status.Reason
	}
	return StatusReasonUnknown
}

// StatusOf returns what to tell a client about any error: the status of the [StatusError] that it
// is or wraps, else an internal error, which does not have its text.
func StatusOf(err error) *Status {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return &e.Status
	}
	return &InternalError(err).Status
}

// Code returns the HTTP status code that goes with a reason, 500 for one that is not known.
func (r StatusReason) Code() int32 {
	switch r {
	case StatusReasonBadRequest:
		return 400
	case StatusReasonUnauthorized:
		return 401
	case StatusReasonForbidden:
		return 403
	case StatusReasonNotFound:
		return 404
	case StatusReasonMethodNotAllowed:
		return 405
	case StatusReasonNotAcceptable:
		return 406
	case StatusReasonAlreadyExists, StatusReasonConflict:
		return 409
	case StatusReasonGone, StatusReasonExpired:
		return 410
	case StatusReasonRequestEntityTooLarge:
		return 413
	case StatusReasonUnsupportedMediaType:
		return 415
	case StatusReasonInvalid:
		return 422
	case StatusReasonTooManyRequests:
		return 429
	case StatusReasonServiceUnavailable:
		return 503
	case StatusReasonTimeout:
		return 504
	}
	return 500
}

// maxMessage bounds the bytes of a message, and maxCause those of the message and the field of a
// cause: what a client has sent comes back in them.
const (
	maxMessage = 16 << 10
	maxCause   = 1 << 10
)

// Failure returns a failure with a reason, the code that goes with it, and a message. Further
// details may be set in its Status. A message of more than 16 KiB is cut.
func Failure(reason StatusReason, message string) *StatusError {
	return &StatusError{Status: Status{
		TypeMeta: TypeMeta{Kind: "Status", APIVersion: coreVersion},
		Status:   StatusFailure,
		Message:  schema.Shorten(message, maxMessage),
		Reason:   reason,
		Code:     reason.Code(),
	}}
}

// Success returns a success to be sent where there is no object to return.
func Success() *Status {
	return &Status{TypeMeta: TypeMeta{Kind: "Status", APIVersion: coreVersion}, Status: StatusSuccess}
}

// about is a failure that concerns one object of a resource, or all of it if name is blank.
func about(reason StatusReason, r schema.GroupResource, name, message string) *StatusError {
	subject := r.String()
	if name != "" {
		name = schema.Shorten(name, maxCause)
		subject += " " + schema.Quote(name)
	}
	e := Failure(reason, subject+message)
	e.Status.Details = &StatusDetails{Name: name, Group: r.Group, Kind: r.Resource}
	return e
}

// NotFound says that there is no object of that name.
func NotFound(r schema.GroupResource, name string) *StatusError {
	return about(StatusReasonNotFound, r, name, " not found")
}

// AlreadyExists says that the name is taken.
func AlreadyExists(r schema.GroupResource, name string) *StatusError {
	return about(StatusReasonAlreadyExists, r, name, " already exists")
}

// Conflict says that a write came too late or is not possible in the present state; cause says
// which.
func Conflict(r schema.GroupResource, name string, cause error) *StatusError {
	return because(about(StatusReasonConflict, r, name, " cannot be changed now"), cause)
}

// Forbidden refuses a request of somebody who is known; cause says why.
func Forbidden(r schema.GroupResource, name string, cause error) *StatusError {
	return because(about(StatusReasonForbidden, r, name, " is forbidden"), cause)
}

// because appends the cause to the message.
func because(e *StatusError, cause error) *StatusError {
	if cause != nil {
		e.Status.Message = schema.Shorten(e.Status.Message+": "+cause.Error(), maxMessage)
		e.Err = cause
	}
	return e
}

// MethodNotAllowed says that the resource does not know the verb.
func MethodNotAllowed(r schema.GroupResource, verb string) *StatusError {
	return about(StatusReasonMethodNotAllowed, r, "", " does not support "+verb)
}

// BadRequest says that a request makes no sense.
func BadRequest(message string) *StatusError { return Failure(StatusReasonBadRequest, message) }

// NotAcceptable says that no acceptable representation is on offer. The message should list what
// is.
func NotAcceptable(message string) *StatusError { return Failure(StatusReasonNotAcceptable, message) }

// UnsupportedMediaType refuses a body for its format. The message should list the formats known.
func UnsupportedMediaType(message string) *StatusError {
	return Failure(StatusReasonUnsupportedMediaType, message)
}

// TooManyRequests asks to come back later.
func TooManyRequests(message string, retryAfterSeconds int32) *StatusError {
	e := Failure(StatusReasonTooManyRequests, message)
	e.Status.Details = &StatusDetails{RetryAfterSeconds: retryAfterSeconds}
	return e
}

// InternalError says that the server is at fault. The client is not told the cause, which may hold
// anything, such as the address of a database: log it.
func InternalError(err error) *StatusError {
	e := Failure(StatusReasonInternalError, "internal error")
	e.Err = err
	return e
}

// Invalid refuses an object for what its validation found. Each finding becomes a cause; of more
// than the default of [schema.Limits].Problems the first are shown, and the last cause and the
// message say how many there are beside.
func Invalid(k schema.GroupKind, name string, found runtime.FieldErrors) *StatusError {
	name = schema.Shorten(name, maxCause)
	e := Failure(StatusReasonInvalid, k.String()+" "+schema.Quote(name)+" is invalid")
	details := &StatusDetails{Name: name, Group: k.Group, Kind: k.Kind}
	e.Status.Details = details
	e.Err = found
	if len(found) == 0 {
		return e
	}
	shown := found[:min(len(found), schema.Limits{}.OrDefaults().Problems)]
	texts := make([]string, len(shown), len(shown)+1)
	for i, f := range shown {
		texts[i] = schema.Shorten(pathed(f), maxCause)
		details.Causes = append(details.Causes, StatusCause{
			Type: CauseType(f.Code), Message: schema.Shorten(f.Message(), maxCause),
			Field: schema.Shorten(f.Path.String(), maxCause),
		})
	}
	if more := len(found) - len(shown); more > 0 {
		text := "and " + strconv.Itoa(more) + " more problems"
		texts = append(texts, text)
		details.Causes = append(details.Causes, StatusCause{Message: text})
	}
	message := texts[0]
	if len(texts) > 1 { // one line, because clients print the message in the middle of their own
		message = "[" + strings.Join(texts, ", ") + "]"
	}
	e.Status.Message = schema.Shorten(e.Status.Message+": "+message, maxMessage)
	return e
}

// pathed is a finding without its place in a file, which is not the client's.
func pathed(f *runtime.FieldError) string {
	if p := f.Path.String(); p != "" {
		return p + ": " + f.Message()
	}
	return f.Message()
}
