package server

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
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
	// Namespace is blank for cluster scope and for all namespaces; Name is blank for a collection.
	// On create the name is that of the object, once it is known.
	Namespace, Name string
	// User makes the request. It is never nil: see [auth.Anonymous].
	User *auth.User
	// Impersonator is the user who acts as User, by headers such as those of kubectl --as; nil if
	// User makes the request as itself.
	Impersonator *auth.User
	// DryRun reports that nothing is stored. Hooks must then have no side effects.
	DryRun bool
	// FieldManager is the name of the field manager of a write.
	FieldManager string

	warnings     []string
	moreWarnings int // beyond mostWarnings
}

// Forbidden returns the error 403 about the object of the request, for Admit hooks that refuse a
// write. The client reads the reason: flunders.wardle.example.com "a" is forbidden: REASON.
func (r *Request) Forbidden(reason string) error {
	return metav1.Forbidden(r.Resource.GroupResource(), r.Name, errors.New(reason))
}

// mostWarnings bounds how many warnings are sent with an answer.
const mostWarnings = 20

// Warn sends a Warning header to the client, once for each text, even if a write is retried or
// fails. Only the first 20 warnings are sent. Warn has no effect after the answer has begun.
func (r *Request) Warn(text string) {
	switch {
	case slices.Contains(r.warnings, text):
	case len(r.warnings) == mostWarnings:
		r.moreWarnings++
	default:
		r.warnings = append(r.warnings, text)
	}
}

// takeWarnings returns the warnings for the client and removes them.
func (r *Request) takeWarnings() []string {
	texts := r.warnings
	if r.moreWarnings > 0 {
		texts = append(texts, fmt.Sprintf("%d more warnings are not shown", r.moreWarnings))
	}
	r.warnings, r.moreWarnings = nil, 0
	return texts
}

// scope returns that of a conversion on the way into the store, whose dropped values become
// warnings. See also warnLost.
func (r *Request) scope(sharing bool) *conversion.Scope {
	return conversion.NewScope(conversion.ScopeOptions{
		Sharing: sharing, Dropped: func(d conversion.DroppedValue) { r.Warn(d.String()) },
	})
}

// warnLost warns about values of an object that are not in what became of it, because it was
// changed in the form of a version that cannot express them. Values that defaults brought back are
// not lost.
func (r *Request) warnLost(s *runtime.Scheme, version *runtime.Kind, before, after runtime.Object) {
	lost := inexpressible(s, version, before)
	if len(lost) == 0 {
		return
	}
	type field struct{ kind, path string }
	left := map[field]any{}
	for _, d := range inexpressible(s, version, after) {
		left[field{d.Kind, d.Path}] = d.Value
	}
	for _, d := range lost {
		if !reflect.DeepEqual(left[field{d.Kind, d.Path}], d.Value) {
			r.Warn(d.String())
		}
	}
}

// inexpressible returns the values of an object that a version cannot express; none if the object
// cannot be converted, which is reported elsewhere.
func inexpressible(s *runtime.Scheme, version *runtime.Kind, obj runtime.Object) (out []conversion.DroppedValue) {
	if k, err := s.KindOf(obj); err != nil || k == version {
		return nil
	}
	_, err := s.ConvertWith(obj, version.GroupVersion(), conversion.NewScope(conversion.ScopeOptions{
		Sharing: true, Dropped: func(d conversion.DroppedValue) {
			if d.To != "" {
				out = append(out, d)
			}
		},
	}))
	if err != nil {
		return nil
	}
	return out
}

// attributes are what an authorizer is asked about.
func (r *Request) attributes(path string) *auth.Attributes {
	a := &auth.Attributes{
		User: r.User, Verb: r.Verb, Group: r.Resource.Group, Version: r.Resource.Version, Resource: r.Resource.Resource,
		Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name, Path: path,
	}
	if a.Resource == "namespaces" && a.Namespace == "" {
		a.Namespace = a.Name // as in Kubernetes, a namespace is in itself
	}
	return a
}
