package auth

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// Attributes describe a request to an [Authorizer].
type Attributes struct {
	// User makes the request; it is not nil.
	User *User
	// Verb is get, list, watch, create, update, patch, delete or deletecollection for resources,
	// and the method in lower case for other paths.
	Verb string
	// Group, Version, Resource and Subresource name the resource; Resource is blank for a request
	// that is about a path alone.
	Group, Version, Resource, Subresource string
	// Namespace and Name name the object. Namespace is blank for all namespaces and outside of any,
	// Name for a collection. Of an object of a resource "namespaces", both are its name.
	Namespace, Name string
	// Path is the path of the request.
	Path string
}

// Decision is the result of an [Authorizer].
type Decision int

// The decisions.
const (
	// NoOpinion leaves the decision to other authorizers. A request that none allows is refused.
	NoOpinion Decision = iota
	// Allow lets the request pass.
	Allow
	// Deny refuses the request. Later authorizers are not asked.
	Deny
)

// String returns the word for the decision.
func (d Decision) String() string {
	switch d {
	case Allow:
		return "allow"
	case Deny:
		return "deny"
	}
	return "no opinion"
}

// Authorizer decides what users may do.
type Authorizer interface {
	// Authorize decides. The reason is for people; clients get it with a refusal, so it must not
	// reveal what they may not know. An error refuses the request with an internal error. It is
	// called by any number of goroutines.
	Authorize(ctx context.Context, a *Attributes) (d Decision, reason string, err error)
}

// AuthorizerFunc is a function as an [Authorizer].
type AuthorizerFunc func(ctx context.Context, a *Attributes) (Decision, string, error)

// Authorize calls the function.
func (f AuthorizerFunc) Authorize(ctx context.Context, a *Attributes) (Decision, string, error) {
	return f(ctx, a)
}

// AllowAll allows everything to every client that can connect.
func AllowAll() Authorizer { return everything(func(*User) bool { return true }) }

// MastersAllowed allows everything to users in the group [Masters].
func MastersAllowed() Authorizer { return everything(func(u *User) bool { return u.In(Masters) }) }

// everything allows everything to some users.
type everything func(*User) bool

// Authorize implements [Authorizer].
func (to everything) Authorize(_ context.Context, a *Attributes) (Decision, string, error) {
	if to(a.User) {
		return Allow, "", nil
	}
	return NoOpinion, "", nil
}

// RulesFor implements [RuleLister].
func (to everything) RulesFor(_ context.Context, u *User, _ string) ([]Rule, error) {
	if to(u) {
		return adminRules(), nil
	}
	return nil, nil
}

// AnyOf asks authorizers in turn. The first that has an opinion decides. The result is a
// [RuleLister] that lists the rules of all that are one; see [RuleLister] for the others. It lists
// none if one of them fails.
func AnyOf(authorizers ...Authorizer) Authorizer { return anyOf(slices.Clone(authorizers)) }

type anyOf []Authorizer

// Authorize implements [Authorizer].
func (list anyOf) Authorize(ctx context.Context, a *Attributes) (Decision, string, error) {
	reason := ""
	for _, authorizer := range list {
		d, why, err := authorizer.Authorize(ctx, a)
		if err != nil || d != NoOpinion {
			return d, why, err
		}
		if why != "" {
			reason = why
		}
	}
	return NoOpinion, reason, nil
}

// RulesFor implements [RuleLister].
func (list anyOf) RulesFor(ctx context.Context, u *User, namespace string) (out []Rule, err error) {
	for _, authorizer := range list {
		lister, ok := authorizer.(RuleLister)
		if !ok {
			err = ErrIncomplete
			continue
		}
		rules, problem := lister.RulesFor(ctx, u, namespace)
		if problem != nil && !errors.Is(problem, ErrIncomplete) {
			return nil, problem
		}
		out, err = append(out, rules...), cmp.Or(err, problem)
	}
	return out, err
}
