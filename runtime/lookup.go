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
	if k := s.kinds[gvk]; k != nil {
		return k, true
	}
	if k, ok := s.shared[gvk.Kind]; ok && slices.Contains(s.versions[gvk.Group], gvk.GroupVersion()) {
		return k, true
	}
	return nil, false
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
	// the compiler looks this up without allocating the strings
	k := s.kinds[schema.GroupVersionKind{Group: string(group), Version: string(version), Kind: string(kind)}]
	if k != nil {
		return k
	}
	if len(version) == 0 || len(kind) == 0 || s.shared[string(kind)] == nil {
		return nil
	}
	k, _ = s.Lookup(schema.GroupVersionKind{Group: string(group), Version: string(version), Kind: string(kind)})
	return k
}
