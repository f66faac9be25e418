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

// Run follows the registrations through a client and writes their conditions, until the context is
// done. It returns the context's error. The scheme of the client must have the kinds of v1alpha1.
func (a *Aggregator) Run(ctx context.Context, c *client.Client) error {
	var running sync.WaitGroup
	defer running.Wait()
	r := client.Of[v1alpha1.APIService](c)
	var services *client.Cache[v1alpha1.APIService]
	synced := false
	services = client.NewCache(r, client.CacheOptions[v1alpha1.APIService]{
		OnChange: func(change client.Change[v1alpha1.APIService]) {
			if synced = synced || change.Type == client.Synced; synced {
				a.Set(services.List("")...)
			}
		},
		OnError: func(err error) {
			a.config.Log.WarnContext(ctx, "aggregator: the registrations cannot be read", "error", err)
		},
	})
	s := &statusWriter{aggregator: a, resource: r, services: services, written: map[string]writing{}}
	running.Go(func() { s.run(ctx) })
	_ = services.Run(ctx) // until the context is done
	return ctx.Err()
}

// statusWriter writes conditions that have changed.
type statusWriter struct {
	aggregator *Aggregator
	resource   *client.Resource[v1alpha1.APIService]
	services   *client.Cache[v1alpha1.APIService]
	written    map[string]writing // by registration
}

// writing records the last write for a registration.
type writing struct {
	conditions []metav1.Condition
	at         time.Time
}

// settle is the time during which changes are collected before conditions are written.
const settle = 50 * time.Millisecond

func (s *statusWriter) run(ctx context.Context) {
	for ctx.Err() == nil {
		changed := s.aggregator.Changed()
		for _, service := range s.services.List("") {
			if err := s.write(ctx, service); err != nil && ctx.Err() == nil {
				s.aggregator.config.Log.WarnContext(ctx, "aggregator: conditions cannot be written",
					"registration", service.Name, "error", err)
			}
		}
		maps.DeleteFunc(s.written, func(name string, _ writing) bool {
			_, known := s.services.Get(client.Key{Name: name})
			return !known
		})
		select {
		case <-ctx.Done():
		case <-time.After(s.aggregator.config.Period):
		case <-changed:
			select {
			case <-ctx.Done():
			case <-time.After(settle):
			}
		}
	}
}

// write writes the conditions of one registration if they differ. A conflict needs no retry,
// because the change that caused it arrives as the next event. If another aggregator has written
// different conditions meanwhile, because only one of the two reaches the server, its conditions
// stay until the period is over. Otherwise each aggregator would respond to every write of the
// other.
func (s *statusWriter) write(ctx context.Context, service *v1alpha1.APIService) error {
	now := s.aggregator.Conditions(service.Name)
	next := merged(service.Status.Conditions, now)
	if reflect.DeepEqual(next, service.Status.Conditions) {
		return nil
	}
	last := s.written[service.Name]
	if reflect.DeepEqual(last.conditions, now) && time.Since(last.at) < s.aggregator.config.Period {
		return nil
	}
	changed := *service
	changed.Status.Conditions = next
	_, err := s.resource.UpdateStatus(ctx, &changed)
	if err == nil {
		s.written[service.Name] = writing{now, time.Now()}
	}
	switch metav1.ReasonOf(err) {
	case metav1.StatusReasonConflict, metav1.StatusReasonNotFound:
		return nil
	}
	return err
}

// merged returns before with the conditions of now replaced or added. It keeps the transition time
// of a condition whose status did not change.
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
