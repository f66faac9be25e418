//go:build !go1.27

package httpapi

// passesOn reports whether net/http lets a connection read the source of a response with a
// Content-Length itself. Since Go 1.27 it wraps the source to limit it to that length, so that the
// connection reads small pieces.
const passesOn = true
