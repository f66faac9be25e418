// Package replaced lets functions that validate an object ask what it changes. The functions of
// schemes get the object alone; a server passes the one that it is to replace in the context.
package replaced

import "context"

// key is the key in the context of the object that is to be replaced.
type key struct{}

// With returns the context for the validation of an object that is to replace old.
func With(ctx context.Context, old any) context.Context { return context.WithValue(ctx, key{}, old) }

// Old returns the object that the one being validated is to replace, nil if none of type T is.
func Old[T any](ctx context.Context) *T {
	old, _ := ctx.Value(key{}).(*T)
	return old
}
