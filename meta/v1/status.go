package v1

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// StatusError is a [Status] as a Go error. The constructors below return one; a server sends its
// Status, and a client finds it again with errors.AsType[*StatusError] however it was wrapped.
type StatusError struct {
	_ struct{} // literals name their fields

	// Status is the answer for the client.
	Status Status
	// Err is the cause, which is not sent to the client. It may be nil.
	Err error
}

// Error returns the message of the status, or its reason if it has none. For an internal error it
// adds the cause, which clients do not see.
func (e *StatusError) Error() string {
	switch {
	case e == nil:
		return "a nil *StatusError was returned as an error; return nil instead"
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
func (e *StatusError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// ReasonOf returns the reason of the [StatusError] that err is or wraps, else
// [StatusReasonUnknown].
func ReasonOf(err error) StatusReason {
	if e, ok := errors.AsType[*StatusError](err); ok && e != nil {
		return e.Status.Reason
	}
	return StatusReasonUnknown
}

// StatusOf returns the status to send to a client for any error: the status of the [StatusError]
// that it is or wraps, else that of an internal error without the text of err.
func StatusOf(err error) *Status {
	if e, ok := errors.AsType[*StatusError](err); ok && e != nil {
		return &e.Status
	}
	return &InternalError(err).Status
}

// Code returns the HTTP status code for a reason, or 500 for an unknown one.
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
// cause, because they repeat input of clients.
const (
	maxMessage = 16 << 10
	maxCause   = 1 << 10
)

// Failure returns a failure with a reason, its code, and a message. Further details may be set in
// its Status. A message of more than 16 KiB is truncated.
func Failure(reason StatusReason, message string) *StatusError {
	return &StatusError{Status: Status{
		TypeMeta: TypeMeta{Kind: "Status", APIVersion: coreVersion},
		Status:   StatusFailure,
		Message:  schema.Shorten(message, maxMessage),
		Reason:   reason,
		Code:     reason.Code(),
	}}
}

// Success returns a success for requests without an object to return.
func Success() *Status {
	return &Status{TypeMeta: TypeMeta{Kind: "Status", APIVersion: coreVersion}, Status: StatusSuccess}
}

// about returns a failure that concerns one object of a resource, or the resource if name is blank.
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

// NotFound reports that an object does not exist.
func NotFound(r schema.GroupResource, name string) *StatusError {
	return about(StatusReasonNotFound, r, name, " not found")
}

// AlreadyExists reports that the name is taken.
func AlreadyExists(r schema.GroupResource, name string) *StatusError {
	return about(StatusReasonAlreadyExists, r, name, " already exists")
}

// Conflict reports that a write is outdated or not possible in the current state; cause states
// which.
func Conflict(r schema.GroupResource, name string, cause error) *StatusError {
	e := about(StatusReasonConflict, r, name, "")
	e.Status.Message = "Operation cannot be fulfilled on " + e.Status.Message
	return because(e, cause)
}

// Forbidden rejects a request of an authenticated user; cause states why.
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

// MethodNotAllowed reports that the resource does not support the verb.
func MethodNotAllowed(r schema.GroupResource, verb string) *StatusError {
	return about(StatusReasonMethodNotAllowed, r, "", " does not support "+verb)
}

// BadRequest reports that a request is invalid.
func BadRequest(message string) *StatusError { return Failure(StatusReasonBadRequest, message) }

// NotAcceptable reports that no acceptable representation is available. The message should list
// those that are.
func NotAcceptable(message string) *StatusError { return Failure(StatusReasonNotAcceptable, message) }

// UnsupportedMediaType rejects a body because of its format. The message should list the supported
// formats.
func UnsupportedMediaType(message string) *StatusError {
	return Failure(StatusReasonUnsupportedMediaType, message)
}

// TooManyRequests asks the client to retry later.
func TooManyRequests(message string, retryAfterSeconds int32) *StatusError {
	e := Failure(StatusReasonTooManyRequests, message)
	e.Status.Details = &StatusDetails{RetryAfterSeconds: retryAfterSeconds}
	return e
}

// InternalError reports an error of the server. The client does not see the cause, which may
// contain internal details such as the address of a database: log it.
func InternalError(err error) *StatusError {
	e := Failure(StatusReasonInternalError, "internal error")
	e.Err = err
	return e
}

// Invalid rejects an object because of validation errors. Each error becomes a cause. If there are
// more than the default of [schema.Limits].Problems, the first are listed, and the last cause and
// the message state how many remain.
func Invalid(k schema.GroupKind, name string, found runtime.FieldErrors) *StatusError {
	name = schema.Shorten(name, maxCause)
	e := Failure(StatusReasonInvalid, k.String()+" "+schema.Quote(name)+" is invalid")
	details := &StatusDetails{Name: name, Group: k.Group, Kind: k.Kind}
	e.Status.Details = details
	e.Err = found
	found = sorted.Delete(slices.Clone(found), func(f *runtime.FieldError) bool { return f == nil })
	if len(found) == 0 {
		return e
	}
	shown := found[:min(len(found), schema.Limits{}.OrDefaults().Problems)]
	texts := make([]string, len(shown), len(shown)+1)
	for i, f := range shown {
		texts[i] = schema.Shorten(pathed(f), maxCause)
		details.Causes = append(details.Causes, StatusCause{
			Type: CauseType(f.Code), Message: schema.Shorten(f.Message(), maxCause),
			Field: schema.Shorten(f.Path.Short(), maxCause),
		})
	}
	if more := len(found) - len(shown); more > 0 {
		text := runtime.Problem{More: more}.Error()
		texts = append(texts, text)
		details.Causes = append(details.Causes, StatusCause{Message: text})
	}
	message := texts[0]
	if len(texts) > 1 { // one line, because clients print the message within their own
		message = "[" + strings.Join(texts, ", ") + "]"
	}
	e.Status.Message = schema.Shorten(e.Status.Message+": "+message, maxMessage)
	return e
}

// pathed returns an error without its position in a file, which the client does not have.
func pathed(f *runtime.FieldError) string {
	if p := f.Path.Short(); p != "" {
		return p + ": " + f.Message()
	}
	return f.Message()
}
