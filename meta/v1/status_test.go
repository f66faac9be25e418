package v1_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func TestStatusConstructors(t *testing.T) {
	t.Parallel()
	machines := schema.GroupResource{Group: "fleet.example.com", Resource: "machines"}
	machine := schema.GroupKind{Group: "fleet.example.com", Kind: "Machine"}
	path := schema.NewPath("spec", "size")
	cause := errors.New("because")
	for _, c := range []struct {
		name, want string
		err        *metav1.StatusError
	}{
		{"not found", `"message":"machines.fleet.example.com \"a\" not found","reason":"NotFound","details":{"name":"a","group":"fleet.example.com","kind":"machines"},"code":404`, metav1.NotFound(machines, "a")},
		{"resource not found", `"message":"machines.fleet.example.com not found","reason":"NotFound","details":{"group":"fleet.example.com","kind":"machines"},"code":404`, metav1.NotFound(machines, "")},
		{"already exists", `"message":"pods \"a\" already exists","reason":"AlreadyExists","details":{"name":"a","kind":"pods"},"code":409`, metav1.AlreadyExists(schema.GroupResource{Resource: "pods"}, "a")},
		{"conflict", `"message":"Operation cannot be fulfilled on pods \"a\": because","reason":"Conflict","details":{"name":"a","kind":"pods"},"code":409`, metav1.Conflict(schema.GroupResource{Resource: "pods"}, "a", cause)},
		{"forbidden", `"message":"pods \"a\" is forbidden","reason":"Forbidden","details":{"name":"a","kind":"pods"},"code":403`, metav1.Forbidden(schema.GroupResource{Resource: "pods"}, "a", nil)},
		{"method", `"message":"pods does not support DELETE","reason":"MethodNotAllowed","details":{"kind":"pods"},"code":405`, metav1.MethodNotAllowed(schema.GroupResource{Resource: "pods"}, "DELETE")},
		{"bad request", `"message":"no","reason":"BadRequest","code":400`, metav1.BadRequest("no")},
		{
			"not acceptable", `"message":"only JSON","reason":"NotAcceptable","code":406`,
			metav1.NotAcceptable("only JSON"),
		},
		{
			"unsupported", `"message":"only JSON","reason":"UnsupportedMediaType","code":415`,
			metav1.UnsupportedMediaType("only JSON"),
		},
		{
			"too many", `"message":"later","reason":"TooManyRequests","details":{"retryAfterSeconds":5},"code":429`,
			metav1.TooManyRequests("later", 5),
		},
		{"internal", `"message":"internal error","reason":"InternalError","code":500`, metav1.InternalError(cause)},
		{
			"internal without cause", `"message":"internal error","reason":"InternalError","code":500`,
			metav1.InternalError(nil),
		},
		{
			"one finding", `"message":"Machine.fleet.example.com \"a\" is invalid: spec.size: Required value: say how big","reason":"Invalid","details":{"name":"a","group":"fleet.example.com","kind":"Machine",` +
				`"causes":[{"reason":"FieldValueRequired","message":"Required value: say how big","field":"spec.size"}]},"code":422`,
			metav1.Invalid(machine, "a", runtime.FieldErrors{runtime.Required(path, "say how big")}),
		},
		{
			"two findings", `"message":"Machine.fleet.example.com \"a\" is invalid: [spec.size: Duplicate value: 1, Forbidden: no]","reason":"Invalid","details":{"name":"a","group":"fleet.example.com","kind":"Machine",` +
				`"causes":[{"reason":"FieldValueDuplicate","message":"Duplicate value: 1","field":"spec.size"},{"reason":"FieldValueForbidden","message":"Forbidden: no"}]},"code":422`,
			metav1.Invalid(machine, "a", runtime.FieldErrors{runtime.Duplicate(path, 1), runtime.Forbidden(nil, "no")}),
		},
		{"no findings", `"message":"Machine.fleet.example.com \"a\" is invalid","reason":"Invalid","details":{"name":"a","group":"fleet.example.com","kind":"Machine"},"code":422`, metav1.Invalid(machine, "a", nil)},
		{"expired", `"message":"too old","reason":"Expired","code":410`, metav1.Failure(metav1.StatusReasonExpired,
			"too old")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(c.err.Status)
			if want := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` + c.want +
				`}`; err != nil || string(got) != want {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
			if !strings.HasPrefix(c.err.Error(), c.err.Status.Message) {
				t.Errorf("Error() = %q", c.err.Error())
			}
		})
	}
}

func TestStatusError(t *testing.T) {
	t.Parallel()
	cause := errors.New("because")
	inner := metav1.Conflict(schema.GroupResource{Resource: "pods"}, "a", cause)
	wrapped := fmt.Errorf("writing: %w", inner)
	if got := metav1.ReasonOf(wrapped); got != metav1.StatusReasonConflict {
		t.Errorf("reason %q, want Conflict", got)
	}
	if !errors.Is(wrapped, cause) {
		t.Error("the cause is not found")
	}
	if got := metav1.StatusOf(wrapped); got != &inner.Status {
		t.Errorf("status %+v, want the wrapped one", got)
	}
	if got := metav1.StatusOf(cause); got.Code != 500 || got.Message != "internal error" {
		t.Errorf("status %+v, want an internal error", got)
	}
	if got := metav1.ReasonOf(cause); got != metav1.StatusReasonUnknown {
		t.Errorf("reason %q, want none", got)
	}
	for want, e := range map[string]*metav1.StatusError{
		"Gone":       {Status: metav1.Status{Reason: metav1.StatusReasonGone}},
		"status 418": {Status: metav1.Status{Code: 418}},
	} {
		if e.Error() != want {
			t.Errorf("Error() = %q, want %q", e.Error(), want)
		}
	}
	if s := metav1.Success(); s.Status != metav1.StatusSuccess || s.Kind != "Status" || s.APIVersion != "v1" {
		t.Errorf("Success() = %+v", s)
	}
}

func TestReasonCodes(t *testing.T) {
	t.Parallel()
	for reason, want := range map[metav1.StatusReason]int32{
		metav1.StatusReasonUnknown: 500, metav1.StatusReasonUnauthorized: 401, metav1.StatusReasonForbidden: 403,
		metav1.StatusReasonNotFound:      404,
		metav1.StatusReasonAlreadyExists: 409, metav1.StatusReasonConflict: 409, metav1.StatusReasonGone: 410,
		metav1.StatusReasonInvalid:       422,
		metav1.StatusReasonServerTimeout: 500, metav1.StatusReasonStoreReadError: 500, metav1.StatusReasonTimeout: 504,
		metav1.StatusReasonTooManyRequests: 429,
		metav1.StatusReasonBadRequest:      400, metav1.StatusReasonMethodNotAllowed: 405,
		metav1.StatusReasonNotAcceptable: 406, metav1.StatusReasonRequestEntityTooLarge: 413,
		metav1.StatusReasonUnsupportedMediaType: 415, metav1.StatusReasonInternalError: 500,
		metav1.StatusReasonExpired: 410, metav1.StatusReasonServiceUnavailable: 503,
	} {
		if got := reason.Code(); got != want {
			t.Errorf("%q.Code() = %d, want %d", reason, got, want)
		}
	}
}
