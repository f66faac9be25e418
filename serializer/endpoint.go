package serializer

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/askind/askind/schema"
)

// Endpoint is an [Offer] that has been checked and prepared for negotiation. A server creates one
// for each resource that it serves and keeps it. An Endpoint caches recent headers and the
// representations chosen for them, so that a repeated request costs one lookup and no allocation.
// The cache is bounded.
//
// An Endpoint is safe for concurrent use. The zero value is not usable; use [Factory.Endpoint].
type Endpoint struct {
	factory *Factory
	offer   Offer
	media   []mediaType // offered, in order
	recent  [recentHeaders]recentHeader
	made    atomic.Pointer[[]*Representation]
}

const (
	// recentHeaders is the number of headers in the cache of an endpoint.
	recentHeaders = 64
	// maxRecentHeader bounds the length of a cached header, and so the memory that clients can make
	// a server keep.
	maxRecentHeader = 1024
	// maxMade bounds the representations that are shared by all requests. The list is searched
	// from the start.
	maxMade = 128
)

// recentHeader is the slot of all headers with one hash, modulo the number of slots. A header is
// stored when it arrives for the second time in a row, so that headers that occur once cost no
// memory. Concurrent writers may lose an entry, which is then computed again.
type recentHeader struct {
	met    atomic.Uint64 // the hash of the last header
	choice atomic.Pointer[headerChoice]
}

// headerChoice is a header of one line and the representation that was chosen for it. It is
// immutable.
type headerChoice struct {
	header string
	rep    *Representation
}

var headerSeed = maphash.MakeSeed()

// Endpoint checks an offer and prepares it for negotiation. The error is a
// [*runtime.UnknownKindError] if the scheme does not have the kind. A media type for which the
// factory has no format is an error, too.
func (f *Factory) Endpoint(offer Offer) (*Endpoint, error) {
	if !offer.Kind.Empty() {
		if _, err := f.scheme.Kind(offer.Kind); err != nil {
			return nil, err
		}
	}
	media, err := f.offered(&offer)
	if err != nil {
		return nil, err
	}
	offer.MediaTypes, offer.Profiles = slices.Clone(offer.MediaTypes), slices.Clone(offer.Profiles)
	return &Endpoint{factory: f, offer: offer, media: media}, nil
}

// Negotiate chooses the representation for one request, using a temporary [Endpoint]. Servers keep
// an Endpoint and call [Endpoint.Negotiate].
func (f *Factory) Negotiate(accept []string, offer Offer) (*Representation, error) {
	e, err := f.Endpoint(offer)
	if err != nil {
		return nil, err
	}
	return e.Negotiate(accept)
}

// Negotiate chooses the representation for a request from all lines of its Accept header, according
// to RFC 9110 section 12.5.1:
//
//   - The weight of a representation is that of the most specific clause that matches it: the one
//     with the fewest wildcards, then the one with the most parameters, then the first. Weight 0
//     excludes it.
//   - The representation with the greatest weight is chosen. Among equals, one that is requested by
//     name precedes one that matches a wildcard, then the order of the header decides, then the
//     order of the formats.
//
// A clause requests the kind that the endpoint serves or, with parameters, that kind in another
// group version (g, v) or shown as another kind (as). If g and v are omitted, as is looked up in
// the endpoint's group version, then in the versions of meta.k8s.io, the one of the parameter sv
// first, then the preferred one; g alone means the endpoint's version in its own group, and the
// preferred version in others. The other parameters are described in the package comment. A clause
// that is malformed, has an unknown parameter, or requests something that does not exist is
// ignored.
//
// A header without any clause selects the first media type offered. If no clause can be served, the
// error is a [*NotAcceptableError]. Clauses after the 64th are ignored.
//
// The result is immutable and may be shared between requests.
func (e *Endpoint) Negotiate(accept []string) (*Representation, error) {
	if len(accept) != 1 {
		return e.choose(accept)
	}
	header := accept[0]
	hash := maphash.String(headerSeed, header)
	recent := &e.recent[hash%recentHeaders]
	if known := recent.choice.Load(); known != nil && known.header == header {
		return known.rep, nil
	}
	rep, err := e.choose(accept)
	if err == nil && len(header) <= maxRecentHeader && recent.met.Swap(hash) == hash {
		// The clone does not retain the memory of a whole request.
		recent.choice.Store(&headerChoice{strings.Clone(header), rep})
	}
	return rep, err
}

// NegotiateAfter returns the choice that Negotiate would make without the representation that
// failed, and without those that failed before it, because the object could not be converted to it.
// The error is a [*NotAcceptableError] if nothing is left.
func (e *Endpoint) NegotiateAfter(failed *Representation, accept []string) (*Representation, error) {
	n := e.factory.negotiation()
	defer e.factory.done(n)
	n.Endpoint, n.without = e, append(slices.Clip(failed.failed), failed.target)
	return n.run(accept)
}

// choose makes the choice without the cache of recent headers.
func (e *Endpoint) choose(accept []string) (*Representation, error) {
	n := e.factory.negotiation()
	defer e.factory.done(n)
	n.Endpoint = e
	return n.run(accept)
}

// representation returns the representation of a shape, which requests share.
func (e *Endpoint) representation(s *shape) *Representation {
	var made []*Representation
	if p := e.made.Load(); p != nil {
		made = *p
	}
	for _, rep := range made {
		if rep.shape == *s {
			return rep
		}
	}
	rep := e.factory.representation(s.clone(), e.offer.Kind)
	if len(made) < maxMade {
		next := append(slices.Clip(made), rep)
		e.made.Store(&next)
	}
	return rep
}

// clone returns a copy that does not refer to a header.
func (s *shape) clone() *shape {
	out := *s
	out.as, out.server, out.include = strings.Clone(s.as), strings.Clone(s.server), strings.Clone(s.include)
	out.profile, out.stream = strings.Clone(s.profile), strings.Clone(s.stream)
	out.target = schema.GroupVersionKind{
		Group: strings.Clone(s.target.Group), Version: strings.Clone(s.target.Version),
		Kind: strings.Clone(s.target.Kind),
	}
	return &out
}

// offered returns the media types of an offer, in its order.
func (f *Factory) offered(offer *Offer) ([]mediaType, error) {
	if len(offer.MediaTypes) == 0 {
		return f.mediaTypes, nil
	}
	if n := len(offer.MediaTypes); n > maxMediaTypes {
		return nil, fmt.Errorf("serializer: an offer may have at most %d media types, this one has %d", maxMediaTypes, n)
	}
	out := make([]mediaType, len(offer.MediaTypes))
	for i, name := range offer.MediaTypes {
		m := f.mediaType(name)
		if m == nil {
			return nil, fmt.Errorf("serializer: no format of the factory has the media type %s; it has %s", schema.Quote(name),
				strings.Join(f.mediaTypeNames(), ", "))
		}
		out[i] = *m
	}
	return out, nil
}
