package serializer

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
)

// choiceCache remembers the outcome of recent negotiations. It is a table of fixed size with a few entries in each bucket; a new entry
// takes the place of the one that has been in its bucket longest. Readers take no lock. Writers that meet in a bucket may lose an entry,
// which is then found out anew.
type choiceCache struct {
	seed    maphash.Seed
	buckets [cacheBuckets][cacheWays]atomic.Pointer[cached]
}

const (
	cacheBuckets = 64
	cacheWays    = 4
	// maxCachedHeader bounds the bytes of a header that is remembered, and so what strangers can make a server keep.
	maxCachedHeader = 1024
)

// cached is one remembered outcome with all that it depends on. It never changes.
type cached struct {
	hash   uint64
	accept []string
	offer  Offer
	rep    *Representation
}

func newChoiceCache() *choiceCache { return &choiceCache{seed: maphash.MakeSeed()} }

// hash mixes everything that a negotiation depends on.
func (c *choiceCache) hash(accept []string, offer *Offer) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := uint64(len(accept))
	for _, line := range accept {
		h = h*prime ^ maphash.String(c.seed, line)
	}
	for _, s := range [...]string{offer.Kind.Group, offer.Kind.Version, offer.Kind.Kind} {
		h = h*prime ^ maphash.String(c.seed, s)
	}
	for _, s := range offer.MediaTypes {
		h = h*prime ^ maphash.String(c.seed, s)
	}
	if offer.Pretty {
		h = ^h
	}
	return h
}

func (c *choiceCache) get(hash uint64, accept []string, offer *Offer) *Representation {
	bucket := &c.buckets[hash%cacheBuckets]
	for i := range bucket {
		e := bucket[i].Load()
		if e == nil {
			return nil
		}
		if e.hash == hash && e.offer.Kind == offer.Kind && e.offer.Pretty == offer.Pretty &&
			slices.Equal(e.accept, accept) && slices.Equal(e.offer.MediaTypes, offer.MediaTypes) {
			return e.rep
		}
	}
	return nil
}

func (c *choiceCache) put(hash uint64, accept []string, offer *Offer, rep *Representation) {
	size := 0
	for _, line := range accept {
		size += len(line) + 16
	}
	if size > maxCachedHeader {
		return
	}
	e := &cached{hash: hash, accept: make([]string, len(accept)), offer: *offer, rep: rep}
	for i, line := range accept {
		e.accept[i] = strings.Clone(line) // not to keep the memory of a whole request
	}
	e.offer.MediaTypes = slices.Clone(offer.MediaTypes)
	bucket := &c.buckets[hash%cacheBuckets]
	for i := range bucket {
		if e = bucket[i].Swap(e); e == nil {
			return
		}
	}
}
