package aggregator

import (
	"net/http"

	"github.com/askind/askind/discovery"
	"github.com/askind/askind/schema"
)

// Handler returns what passes requests for a group version on, nil if none is registered and
// accepted. The server in front calls it, see server.DelegateTo.
func (a *Aggregator) Handler(gv schema.GroupVersion) http.Handler {
	if b := a.view.Load().routes[gv]; b != nil {
		return b
	}
	return nil
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
