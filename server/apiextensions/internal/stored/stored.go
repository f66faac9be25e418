// Package stored marks the writes of the controller of definitions. They change the status and the
// finalizers of definitions that are in the store already, and succeed even if the program has
// become stricter since: a definition that cannot be served has to say so, and can be deleted.
package stored

import "context"

// mark is the key in the context of a marked write.
type mark struct{}

// Mark returns the context of a write whose definition is not checked again.
func Mark(ctx context.Context) context.Context { return context.WithValue(ctx, mark{}, true) }

// Marked reports whether the context is that of a marked write.
func Marked(ctx context.Context) bool { return ctx.Value(mark{}) != nil }
