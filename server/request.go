package server

import (
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server/auth"
)

// The verbs of requests for resources.
const (
	verbGet              = "get"
	verbList             = "list"
	verbWatch            = "watch"
	verbCreate           = "create"
	verbUpdate           = "update"
	verbPatch            = "patch"
	verbDelete           = "delete"
	verbDeleteCollection = "deletecollection"
)

// Request is a request for a resource as hooks, functions and audits see it. It is for the
// goroutine of the request and must not be kept.
type Request struct {
	_ struct{} // literals name their fields

	// ID identifies the request in logs and in answers to internal errors.
	ID string
	// Verb is get, list, watch, create, update, patch, delete or deletecollection.
	Verb string
	// Resource is the resource in the version that the request speaks, Kind the kind of its objects
	// in that version.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind
	// Subresource is blank for the object itself.
	Subresource string
	// Namespace is blank outside of namespaces and for all of them, Name for a collection. On
	// create the name is that of the object, once it is known.
	Namespace, Name string
	// User makes the request. It is never nil: see [auth.Anonymous].
	User *auth.User
	// DryRun says that nothing is stored. Hooks with effects elsewhere must not have them then.
	DryRun bool
	// FieldManager names who makes a change.
	FieldManager string

	warnings []string
}

// Warn tells the client something in a Warning header. It has no effect once the answer has begun.
func (r *Request) Warn(text string) { r.warnings = append(r.warnings, text) }

// attributes are what an authorizer is asked about.
func (r *Request) attributes(path string) *auth.Attributes {
	return &auth.Attributes{
		User: r.User, Verb: r.Verb, Group: r.Resource.Group, Version: r.Resource.Version, Resource: r.Resource.Resource,
		Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name, Path: path,
	}
}
