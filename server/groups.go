package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/askind/askind/discovery/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/store"
)

// groupVerbs are the verbs of the Groups of discovery.k8s.io, which the server alone writes.
var groupVerbs = []string{verbGet, verbList, verbWatch}

// publish makes the stored Groups say what a state serves: one Group for each API group, its own
// included. Groups that do not change keep their version.
func (s *Server) publish(ctx context.Context, st *state) error {
	if s.groups != nil {
		return s.groups.Set(ctx, st.docs)
	}
	c := st.collections[v1alpha1.GroupVersion.WithKind("Group").GroupKind()]
	if c == nil {
		return nil // the group is disabled
	}
	served := map[string]bool{}
	for _, g := range st.docs.Groups() {
		served[g.Name] = true
		if err := s.publishGroup(ctx, c, g); err != nil {
			return fmt.Errorf("server: the group %s: %w", g.Name, err)
		}
	}
	list, err := c.stored.List(ctx, store.ListOptions{})
	if err != nil {
		return err
	}
	for e := range list.Entries() {
		if served[e.Key().Name] {
			continue
		}
		_, err := c.stored.Delete(ctx, e.Key(), store.WriteOptions{}, nil)
		if err != nil && metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
			return err
		}
	}
	return nil
}

// publishGroup writes one Group if it differs from the stored one.
func (s *Server) publishGroup(ctx context.Context, c *collection, g *v1alpha1.Group) error {
	_, err := c.stored.Update(ctx, store.Key{Name: g.Name}, store.WriteOptions{CreateIfMissing: true},
		func(_ context.Context, current runtime.Object) (runtime.Object, error) {
			if current == nil {
				out := new(v1alpha1.Group)
				v1alpha1.DeepCopyIntoGroup(g, out)
				out.UID, out.Generation, out.CreationTimestamp = newUID(), 1, metav1.NewTime(s.config.now())
				return out, nil
			}
			out, ok := current.(*v1alpha1.Group)
			if !ok {
				return nil, errors.New("it is stored in another version")
			}
			var next v1alpha1.Group
			v1alpha1.DeepCopyIntoGroup(g, &next)
			out.Status, out.Annotations, out.Labels = next.Status, next.Annotations, next.Labels
			return out, nil
		})
	return err
}

// verbsOf returns the verbs of a resource with objects in the store.
func verbsOf(k *runtime.Kind) []string {
	if k.GroupVersion().Group == v1alpha1.GroupVersion.Group {
		return groupVerbs
	}
	return slices.Clone(storedVerbs)
}
