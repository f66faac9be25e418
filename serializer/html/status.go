package html

import metav1 "github.com/askind/askind/meta/v1"

// failure is the page of a Status.
type failure struct {
	*page
	Status *metav1.Status
	Causes []metav1.StatusCause
}

func newStatus(s *metav1.Status, p *page) *failure {
	out := &failure{page: p, Status: s}
	if s.Details != nil {
		out.Causes = s.Details.Causes
	}
	p.Title = string(s.Reason)
	return out
}
