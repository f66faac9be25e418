package server

import (
	"net/http"
	"sync"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/schema"
)

// endpoints are the prepared endpoints of a state, each made when its kind is first asked for.
// There are at most two for each kind of the scheme: one for each form of answers.
type endpoints struct {
	mu   sync.RWMutex
	made map[endpointKey]*httpapi.Endpoint
}

type endpointKey struct {
	api  *httpapi.API
	kind schema.GroupVersionKind
}

// begin negotiates the answer to a request, with objects or lists of the kind given.
func (st *state) begin(w http.ResponseWriter, r *http.Request, kind schema.GroupVersionKind) (*httpapi.Exchange,
	error,
) {
	e, err := st.endpoints.find(st.apiFor(r), kind)
	if err != nil {
		return nil, err
	}
	return e.Begin(w, r)
}

// find returns the endpoint of a kind.
func (e *endpoints) find(api *httpapi.API, kind schema.GroupVersionKind) (*httpapi.Endpoint, error) {
	key := endpointKey{api, kind}
	e.mu.RLock()
	known := e.made[key]
	e.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	made, err := api.Endpoint(httpapi.Offer{Kind: kind})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made == nil {
		e.made = map[endpointKey]*httpapi.Endpoint{}
	}
	e.made[key] = made
	return made, nil
}
