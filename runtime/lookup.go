package runtime

import (
	"bytes"
	"slices"

	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/jsonwire"
)

// Lookup returns the kind of that name as [Scheme.Kind] does. It is for callers who expect not to find it often: no error with near
// misses is made.
func (s *Scheme) Lookup(gvk schema.GroupVersionKind) (*Kind, bool) {
	if k, ok := s.kinds[gvk]; ok {
		return k, true
	}
	if k, ok := s.shared[gvk.Kind]; ok && slices.Contains(s.versions[gvk.Group], gvk.GroupVersion()) {
		return k, true
	}
	return nil, false
}

// LookupText returns the kind that an object in JSON states, which may be annotated; nil where [Scheme.LookupStated] does, and if the text is broken before both
// members are known.
func (s *Scheme) LookupText(text []byte) *Kind {
	apiVersion, kind, err := jsonwire.SniffTypeBytes(text)
	if err != nil {
		return nil
	}
	return s.LookupStated(apiVersion, kind)
}

// LookupStated returns the kind that an object states by its members apiVersion and kind; nil if they are not such as [schema.ParseGroupVersion] takes, if one
// is blank, and if there is no such kind. It does not allocate and keeps neither.
func (s *Scheme) LookupStated(apiVersion, kind []byte) *Kind {
	group, version, slash := bytes.Cut(apiVersion, []byte{'/'})
	switch {
	case !slash:
		group, version = nil, apiVersion
	case len(group) == 0: // which is an error
		return nil
	}
	if k, ok := s.kinds[schema.GroupVersionKind{Group: string(group), Version: string(version), Kind: string(kind)}]; ok {
		return k
	}
	if len(version) == 0 || len(kind) == 0 || s.shared[string(kind)] == nil {
		return nil
	}
	k, _ := s.Lookup(schema.GroupVersionKind{Group: string(group), Version: string(version), Kind: string(kind)})
	return k
}
