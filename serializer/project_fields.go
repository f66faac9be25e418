package serializer

import (
	"slices"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
)

// metadataFields are the paths that are always read from a document, including its type, and
// metadataTree is their tree.
var (
	metadataFields = []string{"kind", "apiVersion", "metadata", "items[*].metadata"}
	metadataTree   = format.NewFieldTree(metadataFields...)
)

// fields returns the tree of the fields that have to be read to show a document, for all kinds that
// can be converted to the offer. It is the same for all documents of a call.
func (p *projector) fields() *format.FieldTree {
	if !p.table {
		return metadataTree
	}
	if p.tree == nil {
		paths := slices.Clone(metadataFields)
		for _, k := range p.rep.excerptKinds() {
			if s := p.project(k); s != nil {
				for _, path := range s.Fields() {
					paths = append(paths, path, "items[*]."+path)
				}
			}
		}
		p.tree = format.NewFieldTree(paths...)
	}
	return p.tree
}

// excerptKinds returns the versions of the offered kind or, if that is a list, of its items.
func (r *Representation) excerptKinds() []*runtime.Kind {
	scheme := r.factory.scheme
	k, err := scheme.Kind(r.offered)
	if err != nil {
		return nil
	}
	k = itemKind(k)
	var out []*runtime.Kind
	for _, gv := range scheme.VersionsOf(k.GroupVersionKind().GroupKind()) {
		if v, ok := scheme.Lookup(gv.WithKind(k.Name())); ok {
			out = append(out, v)
		}
	}
	return out
}

// excerpted reports whether a kind is one of those whose fields are read.
func (p *projector) excerpted(k *runtime.Kind) bool {
	return !p.table || slices.Contains(p.rep.excerptKinds(), k)
}
