package main

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// write answers with a representation of an object.
func write(w http.ResponseWriter, rep *serializer.Representation, obj runtime.Object) error {
	body, err := rep.Append(nil, obj)
	if err != nil {
		return formatted{err, rep}
	}
	send(w, http.StatusOK, rep.ContentType(), body)
	return nil
}

// formatted is what went wrong with a request whose representation has been chosen already.
type formatted struct {
	error
	rep *serializer.Representation
}

// Unwrap returns the error itself.
func (e formatted) Unwrap() error { return e.error }

// writeError answers with a Status that says what went wrong. It is written in the format that the client prefers or, if it takes none that
// there is, in the first.
func (s *server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	pretty, queryErr := prettyParameter(r)
	o := serializer.EncodeOptions{Pretty: pretty || queryErr != nil, MediaType: s.factory.MediaTypes()[0]}
	var rep *serializer.Representation
	if f, ok := errors.AsType[formatted](err); ok {
		rep = f.rep
	} else if chosen, err := s.factory.Negotiate(r.Header.Values("Accept"), serializer.Offer{Pretty: o.Pretty}); err == nil {
		rep = chosen
	}
	if rep != nil {
		o.Pretty = rep.Pretty()
		o.MediaType, _, _ = strings.Cut(rep.ContentType(), ";") // the parameters are about objects
	}
	status := metav1.StatusOf(err)
	body, err := s.factory.Append(nil, status, o)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, int(status.Code), o.MediaType, body)
}

func send(w http.ResponseWriter, code int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, _ = w.Write(body) // the client may be gone; there is nobody to tell
}

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

// notAcceptable makes a Status of the error of a negotiation. Its message lists what is on offer.
func notAcceptable(gr schema.GroupResource, name string, err error) error {
	refused, ok := errors.AsType[*serializer.NotAcceptableError](err)
	if !ok {
		return err
	}
	_, _, message := refused.Status()
	e := metav1.NotAcceptable(message)
	e.Status.Details = &metav1.StatusDetails{Name: name, Group: gr.Group, Kind: gr.Resource}
	e.Err = err
	return e
}

// verbs are what requests ask for, by their methods.
var verbs = map[string]string{http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete"}

// notAllowed says that only reading is possible.
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
