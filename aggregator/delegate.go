package aggregator

import (
	"net/http"
	"slices"
	"strings"

	"github.com/askind/askind/discovery"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// Handler returns the handler that forwards requests for a group version, or nil if no registration
// for it is accepted. Before the first [Aggregator.Set] the registrations are unknown, and every
// request gets 503. The server in front calls Handler, see server.DelegateTo.
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

// notReady answers requests while the registrations are unknown. A 404 would tell clients that an
// object or a resource is gone.
func (a *Aggregator) notReady(w http.ResponseWriter, r *http.Request) {
	a.api.Error(w, r, retryable(metav1.StatusReasonServiceUnavailable, "the registrations of other servers are being read"))
}

// Sent reports whether the aggregator has sent a request, of its own or for a client. The server in
// front calls Sent, see server.Sender.
func (a *Aggregator) Sent(r *http.Request) bool {
	return slices.ContainsFunc(r.Header.Values("Via"), func(via string) bool { return strings.Contains(via, a.via) })
}

// Ready reports whether the registrations are known.
func (a *Aggregator) Ready() bool { return a.view.Load().registered }

// Changed returns a channel that is closed when the registrations or the known resources of their
// servers change.
func (a *Aggregator) Changed() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changed
}

// GroupVersions returns the group versions of accepted registrations, in order of preference.
func (a *Aggregator) GroupVersions() []schema.GroupVersion { return a.view.Load().versions }

// Documents returns the discovery documents of all servers: the local documents and the group
// versions of other servers.
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
