package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
)

// Exchange is one request and its response. It belongs to the goroutine of the request. The zero
// value is not usable; use [Endpoint.Begin].
type Exchange struct {
	api      *API
	w        *response
	r        *http.Request
	endpoint *Endpoint

	verb    string
	values  url.Values
	options options
	pretty  bool // the default if the header does not choose
	export  bool // likewise
	offered *serializer.Endpoint
	terms   conversion.ScopeOptions
	rep     *serializer.Representation // nil until chosen
	place   *format.Place              // nil unless the format has links
	version string                     // of the response, for the entity tag; blank for none
	body    []byte                     // of the request; nil until it has been read
	bodyErr error                      // of reading it
}

// accept returns what the client accepts: the parameter of that name or, without it, the lines of
// the Accept header.
func (x *Exchange) accept() []string {
	if stated := x.values[acceptParameter]; len(stated) > 0 {
		return stated
	}
	return x.r.Header["Accept"]
}

// use sets the representation of the response.
func (x *Exchange) use(rep *serializer.Representation) {
	x.rep = rep.With(x.terms)
	if !rep.Format().Links {
		return
	}
	if x.place == nil {
		x.place = placeOf(x.r)
		x.place.Scheme = x.api.factory.Scheme()
		for _, info := range x.offered.Produces() {
			x.place.Forms = append(x.place.Forms, info.MediaType)
		}
	}
	x.rep = x.rep.At(x.place)
}

// placeOf returns the place of the response, from the URL of the request.
func placeOf(r *http.Request) *format.Place {
	return &format.Place{Path: r.URL.EscapedPath(), Query: r.URL.RawQuery}
}

// Place returns the location of the response, for formats with links, to be filled in before the
// response begins. It is nil if the chosen format has no links.
func (x *Exchange) Place() *format.Place { return x.place }

// Verb returns the verb of the request in the terms of the Kubernetes API: get, list, watch,
// create, update, patch, delete or deletecollection, or the name of any other method in lower case.
func (x *Exchange) Verb() string { return x.verb }

// Representation returns the chosen representation. [Exchange.Respond] may use another one if the
// object cannot be shown in it.
func (x *Exchange) Representation() *serializer.Representation { return x.rep }

// Request returns the request.
func (x *Exchange) Request() *http.Request { return x.r }

// Header returns the headers of the response, which may be changed until it begins.
func (x *Exchange) Header() http.Header { return x.w.Header() }

// The verbs that this package distinguishes.
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

// verbOf returns the verb of a method at an endpoint. It does not yet distinguish list and watch.
func (x *Exchange) verbOf(method string) string {
	list := x.endpoint.list
	switch method {
	case http.MethodGet, http.MethodHead:
		if list {
			return verbList
		}
		return verbGet
	case http.MethodPost:
		return verbCreate
	case http.MethodPut:
		return verbUpdate
	case http.MethodPatch:
		return verbPatch
	case http.MethodDelete:
		if list {
			return verbDeleteCollection
		}
		return verbDelete
	}
	return strings.ToLower(method)
}

// head reports whether the response has no body.
func (x *Exchange) head() bool { return x.r.Method == http.MethodHead }

// kindOf returns the kind of the response object, which may be wrapped.
func (x *Exchange) kindOf(obj runtime.Object) (*runtime.Kind, error) {
	if c, ok := obj.(*serializer.Cached); ok && c != nil {
		return c.Kind(x.api.factory.Scheme())
	}
	if l, ok := obj.(*serializer.Lazy); ok && l != nil {
		return l.Kind(), nil
	}
	return x.api.factory.Scheme().KindOf(obj)
}

// listOptions returns the options of a list or watch.
func (x *Exchange) listOptions() *metav1.ListOptions {
	if o, ok := x.options.main.(*metav1.ListOptions); ok {
		return o
	}
	return &metav1.ListOptions{}
}
