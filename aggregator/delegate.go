package aggregator

import (
	"net/http"

	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// Handler returns what passes requests for a group version on, nil if none is registered and
// accepted. Before the first [Aggregator.Set] nobody knows, and every request is answered with 503.
// The server in front calls it, see server.DelegateTo.
func (a *Aggregator) Handler(gv schema.GroupVersion) http.Handler {
	v := a.view.Load()
	if b := v.routes[gv]; b != nil {
		return b
	}
	if !v.registered {
		return http.HandlerFunc(a.notReady)
	}
	return nil
}

// notReady answers requests while the registrations have not been read. A 404 would tell clients
// that an object or a resource is gone.
func (a *Aggregator) notReady(w http.ResponseWriter, r *http.Request) {
	e := metav1.Failure(metav1.StatusReasonServiceUnavailable, "the registrations of other servers are being read")
	e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	a.api.Error(w, r, e)
}

// GroupVersions returns the group versions that are registered and accepted, in order of
// preference.
func (a *Aggregator) GroupVersions() []schema.GroupVersion { return a.view.Load().versions }

// Documents returns the documents of discovery of everything: of what the server in front serves
// itself, and of the group versions of other servers.
func (a *Aggregator) Documents(local *discovery.Documents) *discovery.Documents {
	if v := a.view.Load(); v.local == local {
		return v.docs
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.local != local {
		a.local = local
		a.rebuild()
	}
	return a.view.Load().docs
}
