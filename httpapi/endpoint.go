package httpapi

import (
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/query"
)

// Offer declares how the requests of a path are answered.
type Offer struct {
	_ struct{} // literals name their fields

	// Kind is the kind of the responses, in the version of the path: the kind of the object or, for
	// a collection, of the list.
	Kind schema.GroupVersionKind
	// Options is the kind of the options in the query, in the version that applies if the query
	// does not state one. If it is empty, the kind for the verb is used, see [query.KindOf]. If the
	// scheme does not have that kind, requests have no options.
	Options schema.GroupVersionKind
	// MediaTypes lists the media types on offer, the preferred one first. If it is empty, all media
	// types of the factory are on offer.
	MediaTypes []string
	// Profiles lists the values of the media type parameter profile that the endpoint supports.
	Profiles []string
}

// Endpoint is an [Offer] that has been checked and prepared for the requests of an [API]. A server
// makes one for each of its paths and keeps it. An Endpoint is safe for concurrent use. The zero
// value is not usable; use [API.Endpoint].
type Endpoint struct {
	api   *API
	offer Offer
	list  bool // the kind is a list

	// prepared holds the variants of the endpoint: with or without the parameters pretty and
	// export, as a document or as a watch. They are created on first use.
	prepared [8]atomic.Pointer[serializer.Endpoint]
}

// Endpoint checks an offer and prepares it. It is an error if the factory lacks the kind or a media
// type, or the scheme lacks the kind of the options.
func (a *API) Endpoint(o Offer) (*Endpoint, error) {
	o.MediaTypes, o.Profiles = slices.Clone(o.MediaTypes), slices.Clone(o.Profiles)
	e := &Endpoint{api: a, offer: o}
	scheme := a.factory.Scheme()
	if !o.Options.Empty() {
		if _, err := scheme.Kind(o.Options); err != nil {
			return nil, err
		}
	}
	if k, ok := scheme.Lookup(o.Kind); ok {
		e.list = k.IsList()
	}
	_, err := e.serializer(!a.settings.Compact, false, false)
	return e, err
}

// serializer returns the endpoint of the factory for some query parameters and a verb.
func (e *Endpoint) serializer(pretty, export, watch bool) (*serializer.Endpoint, error) {
	i := 0
	offer := serializer.Offer{Kind: e.offer.Kind, MediaTypes: e.offer.MediaTypes, Profiles: e.offer.Profiles}
	if offer.Pretty = pretty; pretty {
		i |= 1
	}
	if offer.Export = export; export {
		i |= 2
	}
	if watch {
		offer.Stream = verbWatch
		i |= 4
	}
	if known := e.prepared[i].Load(); known != nil {
		return known, nil
	}
	out, err := e.api.factory.Endpoint(offer)
	if err == nil {
		e.prepared[i].Store(out)
	}
	return out, err
}

// Begin reads the headers and the query of a request and chooses the representation of the
// response, from all lines of the Accept header and from the query. Call it before doing any work,
// so that a request that cannot be answered has no effect.
//
// The query may have the parameter accept, which replaces the header, for links; the booleans
// pretty and export, which apply if the header does not say otherwise; and the options of the verb,
// see [ReadOptions]. On GET of a list, watch=true requests a stream of events, which
// [Exchange.Watch] sends. Options in an unregistered version are an error.
//
// Pass the error to [API.Error]; [API.Handler] does so.
func (e *Endpoint) Begin(w http.ResponseWriter, r *http.Request) (*Exchange, error) {
	a := e.api
	if a == nil {
		panic("httpapi: Begin: this Endpoint was not returned by API.Endpoint")
	}
	x := &Exchange{api: a, w: a.own(w), r: r, endpoint: e, pretty: !a.settings.Compact}
	x.w.exchange = x
	if err := x.readQuery(); err != nil {
		return nil, err
	}
	switch {
	case x.verb == verbWatch:
		x.terms.Clock = a.settings.Now // for ages at the time of each event
	case a.settings.Now != nil:
		x.terms.Now = a.settings.Now()
	}
	if x.options.table != nil {
		x.terms.Options = x.options.table
	}
	var err error
	if x.offered, err = e.serializer(x.pretty, x.export, x.verb == verbWatch); err != nil {
		return nil, err
	}
	rep, err := x.offered.Negotiate(x.accept())
	if err != nil {
		return nil, err
	}
	x.use(rep)
	return x, nil
}

// Begin prepares an [Endpoint] for a single request and calls its Begin method. Servers should keep
// endpoints instead.
func (a *API) Begin(w http.ResponseWriter, r *http.Request, o Offer) (*Exchange, error) {
	e, err := a.Endpoint(o)
	if err != nil {
		return nil, err
	}
	return e.Begin(w, r)
}

// optionsKind returns the kind of the options for a verb, or nil if the scheme has none.
func (e *Endpoint) optionsKind(verb string) *runtime.Kind {
	gvk := e.offer.Options
	if gvk.Empty() {
		gvk = query.KindOf(verb)
	}
	k, _ := e.api.factory.Scheme().Lookup(gvk)
	return k
}
