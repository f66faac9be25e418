package serializer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/schema"
)

// metaGroup is the group whose kinds every endpoint may show its objects as, without the client naming the group.
const metaGroup = "meta.k8s.io"

// Offer says what an endpoint can answer with. The zero value offers all formats, and nothing but the object itself.
type Offer struct {
	_ struct{} // literals name their fields

	// Kind is what the endpoint serves: the kind of the object or, where it answers with a list, of the list, in the version of the
	// endpoint. If it is empty, only the format is negotiated.
	Kind schema.GroupVersionKind
	// MediaTypes are the media types on offer, the preferred one first; none means all of the factory.
	MediaTypes []string
	// Pretty is the form for clients that state none.
	Pretty bool
}

// Negotiate chooses the representation for a request from all lines of its Accept header, as RFC 9110 section 12.5.1 says:
//
//   - The weight of a representation is that of the most specific clause that matches it: the one with fewest wildcards, then the one
//     with most parameters, then the first. Weight 0 excludes it.
//   - The representation of the greatest weight is chosen. Among equals, one that is asked for by name comes before one that a wildcard
//     covers, then the order of the header decides, then the order of the formats.
//
// A clause asks for the kind that the endpoint serves or, with parameters, for it in another group version (g, v) or shown as another
// kind (as). Where g and v are left out, as is looked for in the endpoint's group version, then in the versions of meta.k8s.io, the
// preferred one first; g alone means the endpoint's version in its own group, and the preferred version in others. A clause that is
// malformed, has an unknown parameter, or asks for what is not there is left out, as if the client had not written it. The parameters
// charset=utf-8 and pretty=0 or pretty=1 are known as well.
//
// A header without any clause is answered with the first media type on offer. If none of its clauses is left the error is a
// [*NotAcceptableError]. Clauses behind the 64th are ignored.
//
// The result never changes and may be shared by any number of requests. Headers that were seen recently are answered from a small cache
// without allocation.
func (f *Factory) Negotiate(accept []string, offer Offer) (*Representation, error) {
	hash := f.cache.hash(accept, &offer)
	if rep := f.cache.get(hash, accept, &offer); rep != nil {
		return rep, nil
	}
	seldom := offer // a copy for the slow way, so that the fast one does not need the heap
	rep, err := f.negotiate(accept, &seldom)
	if err != nil {
		return nil, err
	}
	f.cache.put(hash, accept, &offer, rep)
	return rep, nil
}

// negotiation is one run of the choice. Used ones are kept for their memory, of which [maxClauses] bounds the size.
type negotiation struct {
	factory *Factory
	offer   *Offer
	media   []mediaType // on offer, in order
	clauses []clause
}

// choice is what a negotiation ends in. The clause is the one that asked for it, nil for an empty header.
type choice struct {
	media   *mediaType
	clause  *clause
	target  schema.GroupVersionKind
	pretty  bool
	quality uint16
}

func (f *Factory) negotiate(accept []string, offer *Offer) (*Representation, error) {
	n, ok := f.negotiations.Get().(*negotiation)
	if !ok {
		n = new(negotiation)
	}
	defer func() {
		clear(n.clauses) // they refer to the header
		*n = negotiation{clauses: n.clauses[:0]}
		f.negotiations.Put(n)
	}()
	n.factory, n.offer = f, offer
	var err error
	if n.media, err = f.offered(offer); err != nil {
		return nil, err
	}
	if !offer.Kind.Empty() {
		if _, err := f.scheme.Kind(offer.Kind); err != nil {
			return nil, err
		}
	}
	n.clauses = parseAccept(n.clauses, accept)
	for i := range n.clauses {
		if c := &n.clauses[i]; c.fault.kind == noFault {
			var ok bool
			if c.target, ok = n.target(c); !ok {
				c.fail(fault{kind: unavailable})
			}
		}
	}
	best := n.best()
	if best.media == nil {
		return nil, n.notAcceptable(accept)
	}
	return f.representation(&best, offer), nil
}

// offered returns the media types of an offer, in its order.
func (f *Factory) offered(offer *Offer) ([]mediaType, error) {
	if len(offer.MediaTypes) == 0 {
		return f.mediaTypes, nil
	}
	out := make([]mediaType, len(offer.MediaTypes))
	for i, name := range offer.MediaTypes {
		m := f.mediaType(strings.ToLower(name))
		if m == nil {
			return nil, fmt.Errorf("serializer: no format of the factory has the media type %s; it has %s", quote(name), strings.Join(f.MediaTypes(), ", "))
		}
		out[i] = *m
	}
	return out, nil
}

// best makes the choice. Its media type is nil if nothing is acceptable.
func (n *negotiation) best() choice {
	var best choice
	if len(n.clauses) == 0 {
		for i := range n.media {
			if m := &n.media[i]; n.encodes(m, n.offer.Kind) {
				return choice{media: m, target: n.offer.Kind, pretty: n.offer.Pretty}
			}
		}
		return best
	}
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.fault.kind != noFault || c.quality == 0 {
			continue
		}
		for j := range n.media {
			m := &n.media[j]
			if !c.matchesType(m) || !n.encodes(m, c.target) {
				continue
			}
			candidate := choice{media: m, clause: c, target: c.target, pretty: c.wantsPretty(n.offer.Pretty)}
			candidate.quality = n.quality(&candidate)
			// Clauses and media types are visited in order, so that among equals the first one stays.
			if candidate.quality > best.quality || candidate.quality == best.quality && best.clause != nil && c.level > best.clause.level {
				best = candidate
			}
		}
	}
	return best
}

// quality is the weight of a representation: that of the most specific clause that matches it.
func (n *negotiation) quality(r *choice) uint16 {
	quality, rank := uint16(0), -1
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.fault.kind != noFault || !c.matchesType(r.media) ||
			c.has&transforming != 0 && c.target != r.target ||
			c.has&hasPretty != 0 && c.pretty != r.pretty {
			continue
		}
		if cr := c.rank(); cr > rank {
			quality, rank = c.quality, cr
		}
	}
	return quality
}

// encodes reports whether the format of a media type can write a kind.
func (n *negotiation) encodes(m *mediaType, gvk schema.GroupVersionKind) bool {
	format, ok := n.factory.formats[m.format].(Selective)
	if !ok {
		return true
	}
	k, err := n.factory.scheme.Kind(gvk)
	return err == nil && format.Encodes(k)
}

// target returns the kind that a clause asks for. ok is false if the endpoint's kind cannot be had as that.
func (n *negotiation) target(c *clause) (target schema.GroupVersionKind, ok bool) {
	from := n.offer.Kind
	if c.has&transforming == 0 {
		return from, true
	}
	if from.Empty() {
		return target, false
	}
	for gv := range n.groupVersions(c) {
		if c.has&hasAs != 0 {
			target, ok = n.factory.scheme.CanAs(from, gv.WithKind(c.as))
		} else {
			target, ok = n.converted(gv)
		}
		if ok {
			return target, true
		}
	}
	return schema.GroupVersionKind{}, false
}

// groupVersions yields where the kind that a clause asks for is looked for, in order.
func (n *negotiation) groupVersions(c *clause) func(yield func(schema.GroupVersion) bool) {
	from, scheme := n.offer.Kind.GroupVersion(), n.factory.scheme
	all := func(group string, yield func(schema.GroupVersion) bool) bool {
		for _, gv := range scheme.Versions(group) {
			if !yield(gv) {
				return false
			}
		}
		return true
	}
	return func(yield func(schema.GroupVersion) bool) {
		switch stated := c.has & (hasGroup | hasVersion); {
		case stated == hasGroup|hasVersion:
			yield(schema.GroupVersion{Group: c.group, Version: c.version})
		case stated == hasVersion:
			if yield(schema.GroupVersion{Group: from.Group, Version: c.version}) && c.has&hasAs != 0 {
				yield(schema.GroupVersion{Group: metaGroup, Version: c.version})
			}
		case stated == hasGroup:
			if c.group != from.Group || yield(from) {
				all(c.group, yield)
			}
		default:
			if yield(from) {
				all(metaGroup, yield)
			}
		}
	}
}

// converted returns the kind that the endpoint's kind has in a group version: the one of the same name or, in another group, the one
// declared equivalent.
func (n *negotiation) converted(gv schema.GroupVersion) (schema.GroupVersionKind, bool) {
	from, scheme := n.offer.Kind, n.factory.scheme
	if gv == from.GroupVersion() {
		return from, true
	}
	if !scheme.CanConvert(from, gv) {
		return schema.GroupVersionKind{}, false
	}
	same := gv.WithKind(from.Kind)
	if k, err := scheme.Kind(same); err == nil && k.GroupVersionKind() == same {
		return k.GroupVersionKind(), true
	}
	for k := range scheme.KindsIn(gv) {
		// Equivalence goes both ways, which showing as another kind does not.
		to, ok := scheme.CanAs(from, k.GroupVersionKind())
		if !ok || to != k.GroupVersionKind() {
			continue
		}
		if back, ok := scheme.CanAs(to, from); ok && back == from {
			return to, true
		}
	}
	return schema.GroupVersionKind{}, false
}

// notAcceptable makes the error that says what is on offer, and why nothing of what was asked for is.
func (n *negotiation) notAcceptable(accept []string) error {
	scheme, from := n.factory.scheme, n.offer.Kind
	e := &NotAcceptableError{Accept: slices.Clone(accept), Kind: from}
	for i := range n.media {
		e.MediaTypes = append(e.MediaTypes, n.media[i].name)
	}
	if !from.Empty() {
		for k := range scheme.Kinds() {
			gv := k.GroupVersion()
			if gv == from.GroupVersion() || slices.Contains(e.Versions, gv) {
				continue
			}
			if _, ok := n.converted(gv); ok {
				e.Versions = append(e.Versions, gv)
			}
		}
		e.As = scheme.AsTargets(from)
	}
	for i := range n.clauses {
		c := &n.clauses[i]
		if c.fault.kind == noFault && c.quality == 0 {
			continue // nothing was asked for
		}
		e.Refused = append(e.Refused, Refusal{Clause: c.text, Reason: n.reason(c, e)})
	}
	return e
}

// reason says why a clause could not be served.
func (n *negotiation) reason(c *clause, e *NotAcceptableError) string {
	switch {
	case c.fault.kind == unavailable:
		return n.unavailable(c, e)
	case c.fault.kind != noFault:
		return c.fault.String()
	}
	written, matched := true, false
	for i := range n.media {
		if m := &n.media[i]; c.matchesType(m) {
			matched = true
			written = written && n.encodes(m, c.target)
		}
	}
	switch {
	case !matched:
		return "the media type is not on offer"
	case !written:
		return "the format cannot write it"
	}
	return "excluded by the weight 0 of another"
}

// unavailable says why what a clause asks for does not exist.
func (n *negotiation) unavailable(c *clause, e *NotAcceptableError) string {
	switch {
	case n.offer.Kind.Empty():
		return "only the format can be chosen here"
	case c.has&hasAs == 0:
		return "not available in that group and version"
	}
	msg := fmt.Sprintf("%s cannot be shown as %s", n.offer.Kind.Kind, quote(c.as))
	for _, gvk := range e.As {
		if gvk.Kind == c.as {
			return msg + " of that group and version"
		}
	}
	names := make([]string, len(e.As))
	for i, gvk := range e.As {
		names[i] = gvk.Kind
	}
	if near, ok := schema.Nearest(c.as, names); ok {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	return msg
}

// appendTarget appends the parameters that choose a target. The group without a name is left out where it is the endpoint's as well,
// because that is what a missing g means.
func appendTarget(dst []byte, target, offered schema.GroupVersionKind, as string) []byte {
	if target.Group != "" || offered.Group != "" {
		dst = appendParameter(dst, "g", target.Group)
	}
	dst = appendParameter(dst, "v", target.Version)
	if as != "" {
		dst = appendParameter(dst, "as", as)
	}
	return dst
}
