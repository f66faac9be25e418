package v1_test

import (
	"encoding/json"
	"errors"
	goruntime "runtime"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// TestStatusIsBounded checks that no Status grows with what a client has sent.
func TestStatusIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	pods := schema.GroupResource{Resource: "pods"}
	findings := make(runtime.FieldErrors, 50_000)
	for i := range findings {
		findings[i] = runtime.Required(schema.NewPath("spec", "disks").Index(i).Child("size"), "a disk has a size")
	}
	for _, tt := range []struct {
		name string
		err  *metav1.StatusError
		want string // in the message
	}{
		{"not found", metav1.NotFound(pods, long), `pods "xxx`},
		{"exists", metav1.AlreadyExists(pods, long), "already exists"},
		{"conflict", metav1.Conflict(pods, "a", errors.New(long)), "cannot be fulfilled"},
		{"forbidden", metav1.Forbidden(pods, long, errors.New(long)), "is forbidden"},
		{"bad request", metav1.BadRequest(long), "xxx"},
		{"many findings", metav1.Invalid(schema.GroupKind{Kind: "Pod"}, "a", findings), "and 49900 more problems]"},
		{
			"long findings", metav1.Invalid(schema.GroupKind{Kind: "Pod"}, long, runtime.FieldErrors{
				runtime.Invalid(schema.NewPath("metadata", "labels").Key(long), long, long),
			}), "is invalid: ",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(tt.err.Status)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 64<<10 || !strings.Contains(tt.err.Status.Message, tt.want) {
				t.Errorf("%d bytes, %.300s", len(text), tt.err.Status.Message)
			}
		})
	}
	causes := metav1.Invalid(schema.GroupKind{Kind: "Pod"}, "a", findings).Status.Details.Causes
	if len(causes) != 101 || causes[100].Message != "and 49900 more problems" ||
		causes[99].Field != "spec.disks[99].size" {
		t.Errorf("%d causes, the last is %+v", len(causes), causes[len(causes)-1])
	}
}

// TestFindingsBelowLongNames checks that the names in the paths of findings are not copied for each
// of them.
func TestFindingsBelowLongNames(t *testing.T) { // not in parallel: it counts what is allocated
	at := schema.NewPath("data").Key(strings.Repeat("k", 1<<20))
	findings := make(runtime.FieldErrors, 1000)
	for i := range findings {
		findings[i] = runtime.Required(at.Index(i), "")
	}
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	err := metav1.Invalid(schema.GroupKind{Kind: "Pod"}, "a", findings)
	text := err.Error() + findings.Error()
	goruntime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("%d bytes are allocated for a text of %d", n, len(text))
	}
}
