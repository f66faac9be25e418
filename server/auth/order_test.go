package auth_test

import (
	"context"
	"errors"
	"testing"

	"github.com/askind/askind/server/auth"
)

// TestAnyOfStopsAtTheFirstOpinion checks that a refusal counts, whatever those behind it say, and
// so does an error.
func TestAnyOfStopsAtTheFirstOpinion(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	says := func(d auth.Decision, reason string, err error) auth.Authorizer {
		return auth.AuthorizerFunc(func(context.Context, *auth.Attributes) (auth.Decision, string, error) {
			return d, reason, err
		})
	}
	none := func(reason string) auth.Authorizer { return says(auth.NoOpinion, reason, nil) }
	deny := says(auth.Deny, "no", nil)
	for name, tt := range map[string]struct {
		of     []auth.Authorizer
		want   auth.Decision
		reason string
		err    error
	}{
		"nobody":       {nil, auth.NoOpinion, "", nil},
		"one allows":   {[]auth.Authorizer{none("a"), auth.AllowAll()}, auth.Allow, "", nil},
		"first denies": {[]auth.Authorizer{deny, auth.AllowAll()}, auth.Deny, "no", nil},
		"last denies":  {[]auth.Authorizer{auth.AllowAll(), deny}, auth.Allow, "", nil},
		"first broken": {
			[]auth.Authorizer{says(auth.NoOpinion, "", broken), auth.AllowAll()},
			auth.NoOpinion, "", broken,
		},
		"last reason": {[]auth.Authorizer{none("a"), none("b")}, auth.NoOpinion, "b", nil},
	} {
		d, reason, err := auth.AnyOf(tt.of...).Authorize(t.Context(), &auth.Attributes{User: auth.Anonymous()})
		if d != tt.want || reason != tt.reason || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, %q, %v", name, d, reason, err)
		}
	}
}
