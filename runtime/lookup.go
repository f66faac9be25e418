package runtime

import (
	"slices"

	"github.com/askind/askind/schema"
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
