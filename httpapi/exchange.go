package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// Endpoint says what is at the path of a request.
type Endpoint struct {
	_ struct{} // literals name their fields

	// Kind is what requests are answered with: the kind of the object or, where it is a list, of
	// the list, in the version of the path.
	Kind schema.GroupVersionKind
	// Options is the kind of the options that the query holds, in the version that a query means
	// that states none. If it is empty it is that of the verb, see [query.KindOf]. A scheme without
	// that kind has no options.
	Options schema.GroupVersionKind
	// MediaTypes are the media types on offer, the preferred one first; none means all of the
	// factory.
	MediaTypes []string
	// Profiles are the values of the media type parameter profile that the endpoint understands.
	Profiles []string
}

// Exchange is one request and how it is answered. It is for the goroutine of the request.
type Exchange struct {
	api      *API
	w        *response
	r        *http.Request
	endpoint Endpoint

	verb    string
	values  url.Values
	options options
	offer   serializer.Offer
	terms   conversion.ScopeOptions
	rep     *serializer.Representation // nil until it is chosen
	version string                     // of what is answered, for the entity tag; blank for none
	body    []byte                     // of the request; nil until it has been read
}

// Begin reads all that a request says about its answer, and chooses the representation: from all
// lines of the Accept header, and from the parameters of the query. It is called before any work is
// done, so that a request that cannot be answered changes nothing.
//
// The query may have the parameters pretty and export, both booleans, which hold where the header
// does not say it, and those of the options of the verb, see [Options]; on GET of a list,
// watch=true asks for a stream of events, which [Exchange.Watch] sends. Options in a version that
// is not registered are an error.
//
// The error is for [API.Error], which a [API.Handler] calls with it.
func (a *API) Begin(w http.ResponseWriter, r *http.Request, e Endpoint) (*Exchange, error) {
	x := &Exchange{api: a, w: a.own(w), r: r, endpoint: e}
	x.w.exchange = x
	x.offer = serializer.Offer{
		Kind: e.Kind, MediaTypes: e.MediaTypes, Profiles: e.Profiles,
		Pretty: !a.settings.Compact,
	}
	if err := x.readQuery(); err != nil {
		return nil, err
	}
	if a.settings.Now != nil {
		x.terms.Now = a.settings.Now()
	}
	if x.options.table != nil {
		x.terms.Options = x.options.table
	}
	if x.verb == verbWatch {
		x.offer.Stream = verbWatch
	}
	rep, err := a.factory.Negotiate(x.accept(), x.offer)
	if err != nil {
		return nil, err
	}
	x.rep = rep.With(x.terms)
	return x, nil
}

// accept returns the lines of the Accept header.
func (x *Exchange) accept() []string { return x.r.Header["Accept"] }

// Verb says what the request wants, in the words of the Kubernetes API: get, list, watch, create,
// update, patch, delete or deletecollection; for other methods their name in lower case.
func (x *Exchange) Verb() string { return x.verb }

// Representation returns the representation that was chosen. [Exchange.Respond] may fall back to
// another, if it turns out that this one cannot be made of the object.
func (x *Exchange) Representation() *serializer.Representation { return x.rep }

// Request returns the request.
func (x *Exchange) Request() *http.Request { return x.r }

// Header returns the headers of the answer. They may be changed until it begins.
func (x *Exchange) Header() http.Header { return x.w.Header() }

// The verbs that are distinguished here.
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

// verbOf returns the verb of a method at an endpoint. A list and a watch are not told apart yet.
func (x *Exchange) verbOf(method string) string {
	k, ok := x.api.factory.Scheme().Lookup(x.endpoint.Kind)
	list := ok && k.IsList()
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

// head reports whether the answer has no body.
func (x *Exchange) head() bool { return x.r.Method == http.MethodHead }

// kindOf returns the kind of what is to be answered, which may be wrapped.
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
