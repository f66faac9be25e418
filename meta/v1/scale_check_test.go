package v1_test

import (
	"errors"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

func TestCheckScale(t *testing.T) {
	t.Parallel()
	object := metav1.ObjectMeta{Name: "web", UID: "u1", ResourceVersion: "7"}
	tests := []struct {
		name    string
		scale   metav1.ObjectMeta
		field   string
		message string
	}{
		{name: "no conditions"},
		{name: "both hold", scale: metav1.ObjectMeta{UID: "u1", ResourceVersion: "7"}},
		{name: "any version", scale: metav1.ObjectMeta{ResourceVersion: "0"}},
		{
			name: "other object", scale: metav1.ObjectMeta{UID: "u2", ResourceVersion: "7"}, field: "uid",
			message: `Operation cannot be fulfilled on pools.fleet.example.com "web": uid is "u1", not "u2"; read the object again`,
		},
		{
			name: "other version", scale: metav1.ObjectMeta{ResourceVersion: "6"}, field: "resourceVersion",
			message: `Operation cannot be fulfilled on pools.fleet.example.com "web": the object has been modified; please apply your changes to the latest version and try again (resourceVersion is "7", not "6")`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := metav1.CheckScale(&metav1.Scale{ObjectMeta: tt.scale}, &object,
				schema.GroupResource{Group: "fleet.example.com", Resource: "pools"})
			if tt.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if !errors.Is(err, metav1.ErrConflict) || metav1.ReasonOf(err) != metav1.StatusReasonConflict {
				t.Errorf("got %v, want a conflict", err)
			}
			cause, ok := errors.AsType[*metav1.PreconditionError](err)
			if !ok || cause.Field != tt.field {
				t.Errorf("cause = %+v, want field %s", cause, tt.field)
			}
			if err.Error() != tt.message {
				t.Errorf("got  %s\nwant %s", err, tt.message)
			}
		})
	}
}
