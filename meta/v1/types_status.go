package v1

// Status is the answer to a request that returns no object: all failures, and some successes.
// Clients expect kind Status of apiVersion v1, which the constructors of this package set.
//
// +askind:kind
// +askind:shared
type Status struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Status is Success or Failure.
	Status string `json:"status,omitempty" protobuf:"bytes,2,opt,name=status"`

	// Message describes the result to people.
	Message string `json:"message,omitempty" protobuf:"bytes,3,opt,name=message"`

	// Reason tells programs why the request failed. It refines Code.
	Reason StatusReason `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`

	// Details of the reason. Each reason has its own fields.
	Details *StatusDetails `json:"details,omitempty" protobuf:"bytes,5,opt,name=details"`

	// Code is the HTTP status code, zero if unknown.
	Code int32 `json:"code,omitempty" protobuf:"varint,6,opt,name=code"`
}

// StatusDetails identifies the object of a [Status] and its problems.
type StatusDetails struct {
	// Name is the name of the requested object.
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`

	// Group is the API group of the resource.
	Group string `json:"group,omitempty" protobuf:"bytes,2,opt,name=group"`

	// Kind is the plural resource or the kind, depending on the reason: the resource for NotFound
	// and similar reasons, the kind for Invalid.
	Kind string `json:"kind,omitempty" protobuf:"bytes,3,opt,name=kind"`

	// UID is the uid of the object, if its name alone does not identify it.
	UID string `json:"uid,omitempty" protobuf:"bytes,6,opt,name=uid"`

	// Causes lists all problems.
	Causes []StatusCause `json:"causes,omitempty" protobuf:"bytes,4,rep,name=causes"`

	// RetryAfterSeconds is the time to wait before a retry, if a retry can help.
	RetryAfterSeconds int32 `json:"retryAfterSeconds,omitempty" protobuf:"varint,5,opt,name=retryAfterSeconds"`
}

// StatusCause is one problem behind a failure.
type StatusCause struct {
	// Type identifies the problem for programs.
	//
	// +askind:nolint:rule=tag-name,reason="the wire format of Status"
	Type CauseType `json:"reason,omitempty" protobuf:"bytes,1,opt,name=reason"`

	// Message describes the problem to people.
	Message string `json:"message,omitempty" protobuf:"bytes,2,opt,name=message"`

	// Field is the path of the field, as in spec.containers[2].image.
	Field string `json:"field,omitempty" protobuf:"bytes,3,opt,name=field"`
}

// Values of Status.Status.
const (
	StatusSuccess = "Success"
	StatusFailure = "Failure"
)

// StatusReason tells programs why a request failed.
type StatusReason string

// The reasons of the Kubernetes API, each with the HTTP code that goes with it.
const (
	// StatusReasonUnknown states no reason: 500.
	StatusReasonUnknown StatusReason = ""
	// StatusReasonUnauthorized asks for credentials, or better ones: 401.
	StatusReasonUnauthorized StatusReason = "Unauthorized"
	// StatusReasonForbidden refuses a user who is known: 403.
	StatusReasonForbidden StatusReason = "Forbidden"
	// StatusReasonNotFound: the object or resource does not exist, 404.
	StatusReasonNotFound StatusReason = "NotFound"
	// StatusReasonAlreadyExists: the name is taken, 409.
	StatusReasonAlreadyExists StatusReason = "AlreadyExists"
	// StatusReasonConflict: the object has changed since it was read, 409.
	StatusReasonConflict StatusReason = "Conflict"
	// StatusReasonGone: the object existed and will not return, 410.
	StatusReasonGone StatusReason = "Gone"
	// StatusReasonInvalid refuses an object whose fields do not fit together: 422.
	StatusReasonInvalid StatusReason = "Invalid"
	// StatusReasonServerTimeout: the server did not handle the request in time; try again, 500.
	StatusReasonServerTimeout StatusReason = "ServerTimeout"
	// StatusReasonStoreReadError: stored objects cannot be read, 500.
	StatusReasonStoreReadError StatusReason = "StorageReadError"
	// StatusReasonTimeout: the time limit of the request has passed, 504.
	StatusReasonTimeout StatusReason = "Timeout"
	// StatusReasonTooManyRequests asks to slow down: 429.
	StatusReasonTooManyRequests StatusReason = "TooManyRequests"
	// StatusReasonBadRequest: the request is invalid, 400.
	StatusReasonBadRequest StatusReason = "BadRequest"
	// StatusReasonMethodNotAllowed: the resource does not support the verb, 405.
	StatusReasonMethodNotAllowed StatusReason = "MethodNotAllowed"
	// StatusReasonNotAcceptable: no acceptable representation is available, 406.
	StatusReasonNotAcceptable StatusReason = "NotAcceptable"
	// StatusReasonRequestEntityTooLarge refuses a body for its size: 413.
	StatusReasonRequestEntityTooLarge StatusReason = "RequestEntityTooLarge"
	// StatusReasonUnsupportedMediaType refuses a body for its format: 415.
	StatusReasonUnsupportedMediaType StatusReason = "UnsupportedMediaType"
	// StatusReasonInternalError: the server has failed, 500.
	StatusReasonInternalError StatusReason = "InternalError"
	// StatusReasonExpired: a version or a continue token is too old, 410.
	StatusReasonExpired StatusReason = "Expired"
	// StatusReasonServiceUnavailable: the service is temporarily unavailable, 503.
	StatusReasonServiceUnavailable StatusReason = "ServiceUnavailable"
)

// CauseType identifies the problem of a [StatusCause] for programs.
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
