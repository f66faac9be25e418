package html

import (
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
)

// failure is the page of a Status.
type failure struct {
	*page
	Status  *metav1.Status
	Message string
	Causes  []metav1.StatusCause
}

func newStatus(s *metav1.Status, p *page) *failure {
	out := &failure{page: p, Status: s, Message: s.Message}
	if s.Details != nil {
		out.Causes = s.Details.Causes
	}
	if len(out.Causes) > 0 && s.Reason == metav1.StatusReasonInvalid {
		// The rest of the message repeats the causes, which are a list below it.
		const invalid = " is invalid"
		if object, _, found := strings.Cut(s.Message, invalid+": "); found {
			out.Message = object + invalid
		}
	}
	p.Title = string(s.Reason)
	return out
}
