package auth

import (
	"context"
	"net/http"
	"slices"
)

// Groups and names with a predefined meaning.
const (
	// Authenticated is the group of all users whose credentials were checked.
	Authenticated = "system:authenticated"
	// Unauthenticated is the group of the user without credentials, and AnonymousName is its name.
	Unauthenticated = "system:unauthenticated"
	AnonymousName   = "system:anonymous"
	// Masters is the group of users who may do everything, see [MastersAllowed].
	Masters = "system:masters"
)

// User is the user who makes a request. It is immutable once an authenticator has returned it.
type User struct {
	// Name identifies the user to people and rules, UID to programs if names are used again.
	Name, UID string
	// Groups are the groups that the user is in.
	Groups []string
	// Extra holds further values from the authenticator.
	Extra map[string][]string
}

// In reports whether the user is in a group.
func (u *User) In(group string) bool { return slices.Contains(u.Groups, group) }

// Anonymous returns the user without credentials.
func Anonymous() *User { return &User{Name: AnonymousName, Groups: []string{Unauthenticated}} }

// known returns a user with the group of those whose credentials were checked.
func known(u User) *User {
	if !u.In(Authenticated) {
		u.Groups = append(slices.Clip(u.Groups), Authenticated)
	}
	return &u
}

// Authenticator finds the user of a request.
type Authenticator interface {
	// Authenticate returns the user whose credentials the request has. It returns nil without an
	// error if the request has none of the kind that it knows, and an error if they are wrong. The
	// error is logged and not sent to the client. It is called by any number of goroutines.
	Authenticate(r *http.Request) (*User, error)
}

// AuthenticatorFunc is a function as an [Authenticator].
type AuthenticatorFunc func(r *http.Request) (*User, error)

// Authenticate calls the function.
func (f AuthenticatorFunc) Authenticate(r *http.Request) (*User, error) { return f(r) }

// FirstOf asks authenticators in turn until one finds a user. Wrong credentials end the search, so
// that a user does not fall back to a weaker identity by mistake.
func FirstOf(authenticators ...Authenticator) Authenticator {
	list := slices.Clone(authenticators)
	return AuthenticatorFunc(func(r *http.Request) (*User, error) {
		for _, a := range list {
			if user, err := a.Authenticate(r); user != nil || err != nil {
				return user, err
			}
		}
		return nil, nil
	})
}

// userKey is the key of the user of a context.
type userKey struct{}

// WithUser returns a context that carries the user.
func WithUser(ctx context.Context, u *User) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

// UserOf returns the user of a context, or nil if it has none.
func UserOf(ctx context.Context) *User {
	u, _ := ctx.Value(userKey{}).(*User)
	return u
}
