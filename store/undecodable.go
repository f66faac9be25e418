package store

import (
	"context"
	"iter"
)

// Undecodable yields the undecodable objects, each with an [*UndecodableError]. It decodes objects
// that have not been decoded yet. They can be deleted with [WriteOptions].Undecodable.
func (r *Resource) Undecodable(ctx context.Context) iter.Seq2[Key, error] {
	return func(yield func(Key, error) bool) {
		for e := range r.store.state.Load().entries.From(r.prefix, PrefixEnd(r.prefix)) {
			if ctx.Err() != nil {
				return
			}
			if k := r.own(e).known.Load(); k.err != nil && !yield(e.Key(), k.err) {
				return
			}
		}
	}
}
