package main

import (
	"fmt"
	"net/http"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// noSuchPath says that nothing is served at a path.
func noSuchPath(path string) error {
	return metav1.Failure(metav1.StatusReasonNotFound, fmt.Sprintf("nothing is served at %s; the API is below /apis", path))
}

// noSuchResource says that a group version has no such resource, and what is near. The details name what was asked for.
func noSuchResource(gr schema.GroupResource, message string) error {
	e := metav1.Failure(metav1.StatusReasonNotFound, message)
	e.Status.Details = &metav1.StatusDetails{Group: gr.Group, Kind: gr.Resource}
	return e
}

// verbs are what requests ask for, by their methods.
var verbs = map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}

// notAllowed says that a path has no use for a method.
func notAllowed(gr schema.GroupResource, method string) error {
	verb, ok := verbs[method]
	if !ok {
		verb = "the method " + method
	}
	if gr.Resource == "" {
		return metav1.Failure(metav1.StatusReasonMethodNotAllowed, "discovery does not support "+verb)
	}
	return metav1.MethodNotAllowed(gr, verb)
}
