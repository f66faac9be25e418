package v1

// Status is the answer of a request that returns no object: all failures, and some
// successes. Clients expect it as kind Status of apiVersion v1, which is what the
// constructors of this package write.
//
// +askind:kind
// +askind:shared
type Status struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Status is Success or Failure.
	Status string `json:"status,omitempty" protobuf:"bytes,2,opt,name=status"`

	// Message says for people what happened.
	Message string `json:"message,omitempty" protobuf:"bytes,3,opt,name=message"`

	// Reason says for programs why the request failed. It refines Code.
	Reason StatusReason `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`

	// Details belong to the reason. Each reason fills its own part.
	Details *StatusDetails `json:"details,omitempty" protobuf:"bytes,5,opt,name=details"`

	// Code is the HTTP status code, zero if none was given.
	Code int32 `json:"code,omitempty" protobuf:"varint,6,opt,name=code"`
}

// StatusDetails says what a [Status] is about.
type StatusDetails struct {
	// Name is the object that the request was for.
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`

	// Group is the API group of the resource.
	Group string `json:"group,omitempty" protobuf:"bytes,2,opt,name=group"`

	// Kind is the resource or the kind, as the reason has it: NotFound and its like give the
	// plural resource, Invalid gives the kind.
	Kind string `json:"kind,omitempty" protobuf:"bytes,3,opt,name=kind"`

	// UID is the object, where it is not told by its name alone.
	UID string `json:"uid,omitempty" protobuf:"bytes,6,opt,name=uid"`

	// Causes lists every problem found.
	Causes []StatusCause `json:"causes,omitempty" protobuf:"bytes,4,rep,name=causes"`

	// RetryAfterSeconds is how long to wait before asking again, if asking again can help.
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty" protobuf:"varint,5,opt,name=retryAfterSeconds"`
}

// StatusCause is one problem behind a failure.
type StatusCause struct {
	// Type says for programs what is wrong.
	//
	// +askind:nolint:rule=tag-name,reason="the wire format of Status"
	Type CauseType `json:"reason,omitempty" protobuf:"bytes,1,opt,name=reason"`

	// Message says it for people.
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt,name=message"`

	// Field is the path of the field, as in spec.containers[2].image.
	Field string `json:"field,omitempty" protobuf:"bytes,3,opt,name=field"`
}

// Values of Status.Status.
const (
	StatusSuccess = "Success"
	StatusFailure = "Failure"
)

// StatusReason says for programs why a request failed.
type StatusReason string

// The reasons of the Kubernetes API, each with the HTTP code that goes with it.
const (
	// StatusReasonUnknown states no reason: 500.
	StatusReasonUnknown StatusReason = ""
	// StatusReasonUnauthorized asks for credentials, or better ones: 401.
	StatusReasonUnauthorized StatusReason = "Unauthorized"
	// StatusReasonForbidden refuses somebody who is known: 403.
	StatusReasonForbidden StatusReason = "Forbidden"
	// StatusReasonNotFound says that there is no such object or resource: 404.
	StatusReasonNotFound StatusReason = "NotFound"
	// StatusReasonAlreadyExists says that the name is taken: 409.
	StatusReasonAlreadyExists StatusReason = "AlreadyExists"
	// StatusReasonConflict says that the object changed since it was read: 409.
	StatusReasonConflict StatusReason = "Conflict"
	// StatusReasonGone says that the thing was there and will not come back: 410.
	StatusReasonGone StatusReason = "Gone"
	// StatusReasonInvalid refuses an object whose fields do not fit together: 422.
	StatusReasonInvalid StatusReason = "Invalid"
	// StatusReasonServerTimeout says that the server did not get to it; try again: 500.
	StatusReasonServerTimeout StatusReason = "ServerTimeout"
	// StatusReasonStoreReadError says that stored objects cannot be read: 500.
	StatusReasonStoreReadError StatusReason = "StorageReadError"
	// StatusReasonTimeout says that the time of the request ran out: 504.
	StatusReasonTimeout StatusReason = "Timeout"
	// StatusReasonTooManyRequests asks to slow down: 429.
	StatusReasonTooManyRequests StatusReason = "TooManyRequests"
	// StatusReasonBadRequest says that the request itself makes no sense: 400.
	StatusReasonBadRequest StatusReason = "BadRequest"
	// StatusReasonMethodNotAllowed says that the resource does not know this verb: 405.
	StatusReasonMethodNotAllowed StatusReason = "MethodNotAllowed"
	// StatusReasonNotAcceptable says that no acceptable representation is on offer: 406.
	StatusReasonNotAcceptable StatusReason = "NotAcceptable"
	// StatusReasonRequestEntityTooLarge refuses a body for its size: 413.
	StatusReasonRequestEntityTooLarge StatusReason = "RequestEntityTooLarge"
	// StatusReasonUnsupportedMediaType refuses a body for its format: 415.
	StatusReasonUnsupportedMediaType StatusReason = "UnsupportedMediaType"
	// StatusReasonInternalError says that the server is at fault: 500.
	StatusReasonInternalError StatusReason = "InternalError"
	// StatusReasonExpired says that a version or a continue token is too old: 410.
	StatusReasonExpired StatusReason = "Expired"
	// StatusReasonServiceUnavailable says that the service is down for now: 503.
	StatusReasonServiceUnavailable StatusReason = "ServiceUnavailable"
)

// CauseType says for programs what one [StatusCause] is.
type CauseType string

// The cause types of the Kubernetes API.
const (
	// CauseTypeFieldValueNotFound names something that is not there.
	CauseTypeFieldValueNotFound CauseType = "FieldValueNotFound"
	// CauseTypeFieldValueRequired misses a value.
	CauseTypeFieldValueRequired CauseType = "FieldValueRequired"
	// CauseTypeFieldValueDuplicate has a value twice where it must be unique.
	CauseTypeFieldValueDuplicate CauseType = "FieldValueDuplicate"
	// CauseTypeFieldValueInvalid has a value that does not fit.
	CauseTypeFieldValueInvalid CauseType = "FieldValueInvalid"
	// CauseTypeFieldValueNotSupported has a value outside a fixed set.
	CauseTypeFieldValueNotSupported CauseType = "FieldValueNotSupported"
	// CauseTypeForbidden has a value that would be fine under other circumstances.
	CauseTypeForbidden CauseType = "FieldValueForbidden"
	// CauseTypeTooLong has a text beyond its limit.
	CauseTypeTooLong CauseType = "FieldValueTooLong"
	// CauseTypeTooMany has a list beyond its limit.
	CauseTypeTooMany CauseType = "FieldValueTooMany"
	// CauseTypeInternal could not be checked because something else went wrong.
	CauseTypeInternal CauseType = "InternalError"
	// CauseTypeTypeInvalid has a value of the wrong type.
	CauseTypeTypeInvalid CauseType = "FieldValueTypeInvalid"
	// CauseTypeUnexpectedServerResponse got an answer that is not Status.
	CauseTypeUnexpectedServerResponse CauseType = "UnexpectedServerResponse"
	// CauseTypeFieldManagerConflict would take a field from another manager.
	CauseTypeFieldManagerConflict CauseType = "FieldManagerConflict"
	// CauseTypeResourceVersionTooLarge asks for a version the server has not seen yet.
	CauseTypeResourceVersionTooLarge CauseType = "ResourceVersionTooLarge"
)
