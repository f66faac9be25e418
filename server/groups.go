package server

import (
	"context"
	"errors"
	"time"

	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/store"
)

// DiscoverySettings configure how the server describes itself. The zero value has the defaults.
type DiscoverySettings struct {
	_ struct{} // literals name their fields

	// Addresses state how clients in a network reach the server. Documents and Groups list those of
	// the networks that a client is in, the longest prefix first. The address of a client is the
	// first one in the header X-Forwarded-For, else X-Real-Ip, else that of the connection. A
	// client in process gets all of them with typed Groups.
	Addresses []metav1.ServerAddressByClientCIDR
	// Period is the time between comparisons of the stored Groups with what is served, which repair
	// changes made by others. It varies by up to 20 % and is one minute by default.
	Period time.Duration
	// Lease is how long the other servers of [Replicas] consider this server alive after its last
	// renewal. The default is 30 seconds.
	Lease time.Duration
	// Local marks the Groups of the server with [discovery.LocalAnnotation], so that an aggregator
	// that shares the engine leaves them alone. The server leaves those without it alone.
	Local bool
	// Unversioned leaves the apiVersion out of the older documents, see [discovery.Config], and out
	// of the Status of an error that occurs before the version of a request is known, as in the
	// proposal for API groups. Clients of the Kubernetes API expect v1.
	Unversioned bool
}

// Discovery sets how the server describes itself.
func Discovery(d DiscoverySettings) Option { return optionFunc(func(c *config) { c.discovery = d }) }

// groupVerbs are the verbs of the Groups of discovery.k8s.io, which the server alone writes.
var groupVerbs = []string{verbGet, verbList, verbWatch}

// startGroups starts the controller that keeps the stored Groups equal to what the server, or all
// replicas, serve: one Group for each API group, including its own.
func (s *Server) startGroups() (err error) {
	if !s.config.enables(v1alpha1.GroupVersion) {
		return nil
	}
	if s.groups, err = s.newController(); err != nil {
		return err
	}
	s.work.Go(func() { _ = s.groups.Run(s.ctx) }) // it returns what withdraw could not delete at the end
	s.work.Go(func() {
		select {
		case <-s.begun: // Groups that were kept until now may go
			s.logGroups(s.groups.Reconcile(s.ctx))
		case <-s.ctx.Done():
		}
	})
	if d := s.config.delegate; d != nil {
		s.work.Go(func() { s.followDelegate(d) })
	}
	return nil
}

// publish updates the stored Groups to match the documents that clients see. Unchanged Groups keep
// their version.
func (s *Server) publish(ctx context.Context) error {
	if s.groups == nil {
		return nil
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	return s.groups.Set(ctx, s.documentsOf(s.state.Load()))
}

// followDelegate publishes what the delegate serves whenever that changes.
func (s *Server) followDelegate(d Delegate) {
	for s.ctx.Err() == nil {
		changed := d.Changed()
		ready := d.Ready()
		err := s.publish(s.ctx)
		if before := s.published.Swap(ready); ready && !before { // Groups that were kept until now may go
			err = errors.Join(err, s.groups.Reconcile(s.ctx))
		}
		s.logGroups(err)
		select {
		case <-changed:
		case <-s.ctx.Done():
		}
	}
}

// logGroups logs why Groups are not written. The controller tries again after its period.
func (s *Server) logGroups(err error) {
	switch {
	case err == nil || s.ctx.Err() != nil || errors.Is(err, store.ErrClosed): // every request fails and says so
	case errors.Is(err, store.ErrReadOnly):
		s.groupsStay.Do(func() {
			s.config.log.Warn("the Groups are not those that are served, because the storage is read-only", "error", err)
		})
	default:
		s.config.log.Warn("the Groups could not be written; trying again", "error", err)
	}
}

// isGroup reports whether a resource is that of Groups. Others may share the API group, such as the
// EndpointSlices of Kubernetes.
func isGroup(gr schema.GroupResource) bool {
	return gr == v1alpha1.GroupVersion.WithResource("groups").GroupResource()
}
