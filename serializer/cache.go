package serializer

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
)

// choiceCache remembers the outcome of recent negotiations. It is a table of fixed size with a few
// entries in each bucket; a new entry takes the place of the one that has been in its bucket
// longest. Readers take no lock. Writers that meet in a bucket may lose an entry, which is then
// found out anew.
//
// What is met for the first time is not remembered yet, only that it was met: clients repeat
// themselves, and headers that come once should cost no memory.
type choiceCache struct {
	seed    maphash.Seed
	buckets [cacheBuckets][cacheWays]atomic.Pointer[cached]
	met     [metSlots]atomic.Uint64 // hashes
}

const (
	cacheBuckets = 64
	cacheWays    = 4
	metSlots     = 512
	// maxCachedHeader bounds the bytes of a header that is remembered, and so what strangers can
	// make a server keep.
	maxCachedHeader = 1024
)

// cached is one remembered outcome with all that it depends on. It never changes.
type cached struct {
	hash     uint64
	endpoint *endpoint
	accept   []string
	offer    Offer // of its kind
	rep      *Representation
}

func newChoiceCache() *choiceCache { return &choiceCache{seed: maphash.MakeSeed()} }

const prime = 0x9E3779B97F4A7C15

// hash mixes everything that a negotiation depends on.
func (c *choiceCache) hash(e *endpoint, accept []string, offer *Offer) uint64 {
	h := e.hash ^ uint64(len(accept))
	for _, line := range accept {
		h = h*prime ^ maphash.String(c.seed, line)
	}
	for _, s := range offer.MediaTypes {
		h = h*prime ^ maphash.String(c.seed, s)
	}
	if offer.Stream != "" {
		h = h*prime ^ maphash.String(c.seed, offer.Stream)
	}
	for _, s := range offer.Profiles {
		h = h*prime ^ maphash.String(c.seed, s)
	}
	if offer.Pretty {
		h = ^h
	}
	if offer.Export {
		h *= prime
	}
	return h
}

func (c *choiceCache) get(hash uint64, e *endpoint, accept []string, offer *Offer) *Representation {
	bucket := &c.buckets[hash%cacheBuckets]
	for i := range bucket {
		known := bucket[i].Load()
		if known == nil {
			return nil
		}
		if known.hash == hash && known.endpoint == e && known.offer.like(offer) && slices.Equal(known.accept, accept) {
			return known.rep
		}
	}
	return nil
}

// like reports whether two offers of one kind are the same.
func (o *Offer) like(p *Offer) bool {
	return o.Pretty == p.Pretty && o.Export == p.Export && o.Stream == p.Stream &&
		slices.Equal(o.MediaTypes, p.MediaTypes) && slices.Equal(o.Profiles, p.Profiles)
}

func (c *choiceCache) put(hash uint64, e *endpoint, accept []string, offer *Offer, rep *Representation) {
	if c.met[hash/cacheBuckets%metSlots].Swap(hash) != hash {
		return
	}
	size := 0
	for _, line := range accept {
		size += len(line) + 16
	}
	if size > maxCachedHeader {
		return
	}
	entry := &cached{hash: hash, endpoint: e, accept: make([]string, len(accept)), offer: *offer, rep: rep}
	for i, line := range accept {
		entry.accept[i] = strings.Clone(line) // not to keep the memory of a whole request
	}
	entry.offer.MediaTypes, entry.offer.Profiles = slices.Clone(offer.MediaTypes), slices.Clone(offer.Profiles)
	bucket := &c.buckets[hash%cacheBuckets]
	for i := range bucket {
		if entry = bucket[i].Swap(entry); entry == nil {
			return
		}
	}
}
