package aggregator

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/client"
	metav1 "github.com/askind/askind/meta/v1"
)

// Run follows the registrations that a client sees, and writes their conditions, until the context
// is done; it returns its error. The scheme of the client must know the kinds of v1alpha1.
func (a *Aggregator) Run(ctx context.Context, c *client.Client) error {
	var writing sync.WaitGroup
	defer writing.Wait()
	r := client.Of[v1alpha1.APIService](c)
	s := &statusWriter{aggregator: a, resource: r, known: map[string]*v1alpha1.APIService{}}
	writing.Go(func() { s.run(ctx) })
	synced := false
	for change, err := range r.Follow(ctx) {
		switch {
		case err != nil:
			a.config.Log.WarnContext(ctx, "aggregator: the registrations cannot be read", "error", err)
			continue
		case change.Type == client.Synced:
			synced = true
		default:
			s.note(change)
		}
		if synced {
			a.Set(s.all()...)
		}
	}
	return ctx.Err()
}

// statusWriter writes conditions that have changed.
type statusWriter struct {
	aggregator *Aggregator
	resource   *client.Resource[v1alpha1.APIService]

	mu    sync.Mutex
	known map[string]*v1alpha1.APIService
}

func (s *statusWriter) note(change client.Change[v1alpha1.APIService]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change.Type == client.Deleted {
		delete(s.known, change.Key.Name)
	} else {
		s.known[change.Key.Name] = change.Object
	}
}

func (s *statusWriter) all() []*v1alpha1.APIService {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.known))
}

// settle is how long changes are gathered before conditions are written.
const settle = 50 * time.Millisecond

func (s *statusWriter) run(ctx context.Context) {
	for ctx.Err() == nil {
		s.aggregator.mu.Lock()
		changed := s.aggregator.changed
		s.aggregator.mu.Unlock()
		for _, service := range s.all() {
			if err := s.write(ctx, service); err != nil && ctx.Err() == nil {
				s.aggregator.config.Log.WarnContext(ctx, "aggregator: conditions cannot be written",
					"registration", service.Name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-changed:
			select {
			case <-ctx.Done():
			case <-time.After(settle):
			}
		}
	}
}

// write writes the conditions of one registration if they differ. A conflict is settled by the
// change that caused it, which comes as the next event.
func (s *statusWriter) write(ctx context.Context, service *v1alpha1.APIService) error {
	next := merged(service.Status.Conditions, s.aggregator.Conditions(service.Name))
	if reflect.DeepEqual(next, service.Status.Conditions) {
		return nil
	}
	changed := *service
	changed.Status.Conditions = next
	_, err := s.resource.UpdateStatus(ctx, &changed)
	switch metav1.ReasonOf(err) {
	case metav1.StatusReasonConflict, metav1.StatusReasonNotFound:
		return nil
	}
	return err
}

// merged returns conditions with those of now in their places. The time of a transition is kept
// where the status did not change.
func merged(before, now []metav1.Condition) []metav1.Condition {
	out := slices.Clone(before)
	for _, c := range now {
		i := slices.IndexFunc(out, func(o metav1.Condition) bool { return o.Type == c.Type })
		if i < 0 {
			c.LastTransitionTime = metav1.NewTime(time.Now().Truncate(time.Second))
			out = append(out, c)
			continue
		}
		if c.LastTransitionTime = out[i].LastTransitionTime; out[i].Status != c.Status {
			c.LastTransitionTime = metav1.NewTime(time.Now().Truncate(time.Second))
		}
		out[i] = c
	}
	return out
}
