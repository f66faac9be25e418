package server

import (
	"slices"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/store"
)

// StorageFormat sets the format in which objects are stored, by its media type, such as
// "application/vnd.kubernetes.protobuf". It applies to the resources that it names, or, without
// names, to all others whose kinds the format can hold. Without the option objects are stored as
// JSON, from which most answers are copied without decoding. Protobuf and CBOR take less room.
//
// Clients see no difference, and objects in any format of the server are read. They get the format
// with their next write, or all at once with [store.Resource.Migrate]; see [Server.StoreOf].
func StorageFormat(mediaType string, resources ...schema.GroupResource) Option {
	return optionFunc(func(c *config) {
		if len(resources) == 0 {
			c.storageFormat = mediaType
		}
		for _, gr := range resources {
			c.storageFormats[gr] = mediaType
		}
	})
}

// storageFormatOf returns the media type in which objects of a kind are stored, blank for the
// default of the store.
func (c *config) storageFormatOf(f *serializer.Factory, k *runtime.Kind, gr schema.GroupResource) string {
	if named, ok := c.storageFormats[gr]; ok {
		return named
	}
	// The store reports a format that does not exist or cannot be read.
	if format, err := f.ForContentType(c.storageFormat); err == nil && format.Reads() && !format.CanEncode(k) {
		return ""
	}
	return c.storageFormat
}

// Store returns the store of the server's objects, except those of [StoreFor].
func (s *Server) Store() *store.Store { return s.stores.main }

// StoreOf returns the store of the objects of a resource: that of [StoreFor], or [Server.Store].
func (s *Server) StoreOf(gr schema.GroupResource) *store.Store { return s.stores.of(gr) }

// unserved returns the resources of the keys that a state does not have.
func unserved[V any](st *state, named map[schema.GroupResource]V) (names []string) {
	for gr := range named {
		if !slices.ContainsFunc(st.ordered, func(r *resource) bool { return r.groupResource() == gr }) {
			names = append(names, gr.String())
		}
	}
	slices.Sort(names)
	return names
}
