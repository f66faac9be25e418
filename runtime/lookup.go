package runtime

import (
	"bytes"
	"slices"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Lookup is [Scheme.Kind] for callers that expect a miss: it does not build an error with
// suggestions.
func (s *Scheme) Lookup(gvk schema.GroupVersionKind) (*Kind, bool) {
	if k := s.kind(gvk); k != nil {
		return k, true
	}
	if k, ok := s.shared[gvk.Kind]; ok && slices.Contains(s.versions[gvk.Group], gvk.GroupVersion()) {
		return k, true
	}
	return nil, false
}

// kind returns the kind registered with a name, or nil.
func (s *Scheme) kind(gvk schema.GroupVersionKind) *Kind {
	return s.named(kindHash(&gvk), &gvk)
}

// named is kind for a name whose hash is known.
func (s *Scheme) named(hash uint64, gvk *schema.GroupVersionKind) *Kind {
	for n, at := s.kinds.next(hash, hash); n >= 0; n, at = s.kinds.next(hash, at) {
		if k := &s.all[n]; k.gvk == *gvk {
			return k
		}
	}
	return nil
}

// ofType returns the preferred kind of the objects with a pointer type, or nil.
func (s *Scheme) ofType(pointer typeID) *Kind {
	hash := spread(uint64(pointer))
	for n, at := s.types.next(hash, hash); n >= 0; n, at = s.types.next(hash, at) {
		if k := &s.all[n]; k.pointer == pointer {
			return k
		}
	}
	return nil
}

// alike returns all kinds with the type of the given kind, which is the preferred one of them. It
// returns nil for nil.
func (s *Scheme) alike(preferred *Kind) []*Kind {
	switch k := preferred; {
	case k == nil:
		return nil
	case k.added.kinds != nil:
		return k.added.kinds
	default:
		return s.ordered[k.place : k.place+1 : k.place+1]
	}
}

// LookupText returns the kind that an object in JSON, annotated or not, states. It is nil if
// [Scheme.LookupStated] returns nil, or if the text is invalid before both members are known.
func (s *Scheme) LookupText(text []byte) *Kind {
	apiVersion, kind, err := jsonwire.SniffTypeBytes(text)
	if err != nil {
		return nil
	}
	return s.LookupStated(apiVersion, kind)
}

// LookupStated returns the kind with the apiVersion and kind that an object states. It is nil if
// one is blank, if the apiVersion is malformed (see [schema.ParseGroupVersion]), and if there is no
// such kind. It does not allocate and does not retain its arguments.
func (s *Scheme) LookupStated(apiVersion, kind []byte) *Kind {
	group, version, slash := bytes.Cut(apiVersion, []byte{'/'})
	switch {
	case !slash:
		group, version = nil, apiVersion
	case len(group) == 0: // an error
		return nil
	}
	hash := mix(versionHash(group, version), kind)
	for n, at := s.kinds.next(hash, hash); n >= 0; n, at = s.kinds.next(hash, at) {
		if k := &s.all[n]; k.apiVersion == string(apiVersion) && k.gvk.Kind == string(kind) {
			return k
		}
	}
	if len(version) == 0 || len(kind) == 0 || s.shared[string(kind)] == nil {
		return nil
	}
	k, _ := s.Lookup(schema.GroupVersionKind{Group: string(group), Version: string(version), Kind: string(kind)})
	return k
}
