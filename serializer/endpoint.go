package serializer

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/askind/askind/schema"
)

// endpoint is what a factory has found out about one kind that is offered. What clients ask for
// repeats itself even where their headers differ, so each way to ask for another kind is looked up
// once, and each representation is made once. Only what exists is kept: there is no end of what
// does not.
type endpoint struct {
	gvk     schema.GroupVersionKind          // of the offer; empty if only the format is negotiated
	next    *endpoint                        // another one in the bucket
	hash    uint64                           // for what is kept elsewhere about the kind
	plains  []atomic.Pointer[Representation] // by media type: the kind itself, where nothing else is said about it
	targets atomic.Pointer[[]resolved]
	reps    atomic.Pointer[[]interned]
}

// maxKept bounds the lists of an endpoint, which are searched from the start.
const maxKept = 128

// resolved is the kind that some parameters stand for.
type resolved struct {
	has                        parameters
	group, version, as, server string
	target                     schema.GroupVersionKind
}

// interned is a representation and what it was made from.
type interned struct {
	shape shape
	rep   *Representation
}

// endpoints holds the records of the kinds that were offered. There are no more of them than the
// scheme has names for its kinds.
type endpoints [128]atomic.Pointer[endpoint]

// kindHash chooses the bucket of a kind by the lengths of its names and some of their bytes. That
// is enough: which kinds there are is up to the program, not to its clients.
func kindHash(gvk *schema.GroupVersionKind) uint64 {
	h := (tail(gvk.Kind) ^ uint64(len(gvk.Group))<<56 ^ uint64(len(gvk.Version))<<48) * prime
	return (h ^ h>>32 ^ tail(gvk.Group)) * prime >> 16
}

// tail returns the last bytes of a name, eight of them or less.
func tail(s string) uint64 {
	if n := len(s); n >= 8 {
		s = s[n-8:]
		return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 |
			uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	}
	h := uint64(0)
	for i := range len(s) {
		h = h<<8 | uint64(s[i])
	}
	return h
}

// endpoint returns the record of an offered kind.
func (f *Factory) endpoint(gvk *schema.GroupVersionKind) (*endpoint, error) {
	hash := kindHash(gvk)
	bucket := &f.endpoints[hash%uint64(len(f.endpoints))]
	first := bucket.Load()
	for e := first; e != nil; e = e.next {
		if e.gvk == *gvk {
			return e, nil
		}
	}
	if !gvk.Empty() {
		if _, err := f.scheme.Kind(*gvk); err != nil {
			return nil, err
		}
	}
	e := &endpoint{gvk: *gvk, next: first, hash: hash, plains: make([]atomic.Pointer[Representation],
		len(f.mediaTypes))}
	bucket.CompareAndSwap(first, e) // whoever loses makes it again
	return e, nil
}

// plain returns the representation for the header of most clients, which is the name of a media
// type and nothing else, where nothing is special about the offer. It is nil if no header had that
// outcome before.
func (e *endpoint) plain(f *Factory, accept []string, offer *Offer) *Representation {
	if len(accept) != 1 || !offer.usual() {
		return nil
	}
	if n := f.named.find(accept[0]); n != nil && n.media >= 0 && n.alias < 0 {
		return e.plains[n.media].Load()
	}
	return nil
}

// keepPlain remembers a representation for [endpoint.plain] if it is one of those.
func (e *endpoint) keepPlain(offer *Offer, rep *Representation) {
	if rep.shape.stated == 0 && offer.usual() {
		e.plains[rep.shape.media].Store(rep)
	}
}

// usual reports whether what an endpoint offers is all that there is of its kind, in the usual
// form. Profiles do not matter to who names none.
func (o *Offer) usual() bool {
	return len(o.MediaTypes) == 0 && !o.Pretty && !o.Export && o.Stream == ""
}

// asks are the parameters on which the target of a clause depends.
const asks = transforming | hasServer

// resolved finds the target of a clause that was seen before.
func (e *endpoint) resolved(c *clause) (schema.GroupVersionKind, bool) {
	known := e.targets.Load()
	if known == nil {
		return schema.GroupVersionKind{}, false
	}
	for i := range *known {
		r := &(*known)[i]
		if r.has == c.has&asks && r.as == c.as && r.version == c.version && r.group == c.group && r.server == c.server {
			return r.target, true
		}
	}
	return schema.GroupVersionKind{}, false
}

// keepTarget remembers the target of a clause.
func (e *endpoint) keepTarget(c *clause) {
	next := []resolved{}
	if known := e.targets.Load(); known != nil {
		next = slices.Clone(*known)
	}
	if len(next) == maxKept {
		return
	}
	next = append(next, resolved{
		has: c.has & asks, target: c.target, // the header must not be kept
		group: strings.Clone(c.group), version: strings.Clone(c.version), as: strings.Clone(c.as),
		server: strings.Clone(c.server),
	})
	e.targets.Store(&next)
}

// representation returns the one representation of a shape.
func (e *endpoint) representation(f *Factory, s *shape, offer *Offer) *Representation {
	known := e.reps.Load()
	if known != nil {
		for i := range *known {
			if i := &(*known)[i]; i.shape == *s {
				return i.rep
			}
		}
	}
	kept := *s
	kept.as, kept.server, kept.include = strings.Clone(s.as), strings.Clone(s.server), strings.Clone(s.include)
	kept.profile, kept.stream = strings.Clone(s.profile), strings.Clone(s.stream)
	kept.target = schema.GroupVersionKind{
		Group:   strings.Clone(s.target.Group),
		Version: strings.Clone(s.target.Version), Kind: strings.Clone(s.target.Kind),
	}
	rep := f.representation(&kept, offer)
	var next []interned
	if known != nil {
		next = slices.Clone(*known)
	}
	if len(next) < maxKept {
		next = append(next, interned{shape: kept, rep: rep})
		e.reps.Store(&next)
	}
	return rep
}
