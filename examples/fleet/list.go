package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/askind/askind/httpapi"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// list answers with a list, of one namespace or of all, or with a stream of its changes.
func (s *server) list(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r)
	if err != nil {
		return err
	}
	x, err := s.api.Begin(w, r, t.list())
	if err != nil {
		return err
	}
	o, sel, err := s.selection(x, t)
	if err != nil {
		return err
	}
	if o.Watch {
		return x.Watch(func(ctx context.Context, from httpapi.WatchStart) (*httpapi.Changes, error) {
			return s.store.watch(ctx, t.kept, sel, from)
		})
	}
	if o.Continue != "" { // lists come as a whole, so nobody has a token
		return metav1.Failure(metav1.StatusReasonExpired, "the continue token is not of this server")
	}
	if err := s.reached(o.ResourceVersion, o.ResourceVersionMatch); err != nil {
		return err
	}
	list, err := s.store.list(t.kept.GroupVersionKind().GroupKind(), sel)
	if err != nil {
		return err
	}
	return x.Respond(http.StatusOK, list)
}

// selection reads the options of a list.
func (s *server) selection(x *httpapi.Exchange, t *target) (*metav1.ListOptions, selection, error) {
	o, err := httpapi.Options[metav1.ListOptions](x)
	if err != nil {
		return nil, selection{}, err
	}
	sel := selection{namespace: t.namespace}
	if sel.labels, err = meta.ParseSelector(o.LabelSelector); err != nil {
		return nil, sel, metav1.BadRequest("labelSelector: " + err.Error())
	}
	sel.fields, err = parseFieldSelector(o.FieldSelector)
	return o, sel, err
}

// reached returns an error if the store has not the version that a request wants: at least that one, or exactly.
func (s *server) reached(version string, match metav1.ResourceVersionMatch) error {
	if version == "" || version == "0" {
		return nil
	}
	s.store.mu.RLock()
	wanted, err := s.store.versionFor(version)
	present := s.store.version
	s.store.mu.RUnlock()
	if err == nil && match == metav1.ResourceVersionMatchExact && wanted != present {
		return metav1.Failure(metav1.StatusReasonExpired, fmt.Sprintf("the resource version %d is gone; the present one is %d", wanted, present))
	}
	return err
}

// removeAll removes the objects of a collection that are selected, and answers with them.
func (s *server) removeAll(w http.ResponseWriter, r *http.Request) error {
	t, err := s.target(r)
	if err != nil {
		return err
	}
	x, err := s.api.Begin(w, r, t.list())
	if err != nil {
		return err
	}
	_, sel, err := s.selection(x, t)
	if err != nil {
		return err
	}
	o, err := httpapi.Options[metav1.DeleteOptions](x)
	if err != nil {
		return err
	}
	list, err := s.store.list(t.kept.GroupVersionKind().GroupKind(), sel)
	if err != nil {
		return err
	}
	items, err := meta.Extract(t.kept.ListKind(), list)
	if err != nil {
		return err
	}
	for _, obj := range items {
		m, err := meta.Accessor(t.kept, obj)
		if err != nil {
			return err
		}
		// Whoever is gone in the meantime is not missed.
		if _, err := s.store.remove(t.kept, m.Namespace, m.Name, dryRun(o.DryRun), s.preconditions(t.gr, o)); err != nil && metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
			return err
		}
	}
	return x.Respond(http.StatusOK, list)
}

// dryRun reports whether nothing is to be stored.
func dryRun(values []string) bool { return len(values) > 0 }

// preconditions checks those of a deletion.
func (s *server) preconditions(gr schema.GroupResource, o *metav1.DeleteOptions) func(*metav1.ObjectMeta) error {
	return func(m *metav1.ObjectMeta) error {
		p := o.Preconditions
		switch {
		case p == nil:
		case p.UID != nil && *p.UID != m.UID:
			return metav1.Conflict(gr, m.Name, &metav1.PreconditionError{Field: "uid", Want: *p.UID, Got: m.UID})
		case p.ResourceVersion != nil && *p.ResourceVersion != m.ResourceVersion:
			return metav1.Conflict(gr, m.Name, &metav1.PreconditionError{Field: "resourceVersion", Want: *p.ResourceVersion, Got: m.ResourceVersion})
		}
		return nil
	}
}
