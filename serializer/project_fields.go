package serializer

import (
	"slices"

	"github.com/askind/askind/runtime"
)

// fields is what has to be read of a document to show it, for all kinds that the offer can be converted from.
func (p *projector) fields() *runtime.FieldTree {
	paths := []string{"kind", "apiVersion", "metadata", "items[*].metadata"}
	if p.table {
		for _, k := range p.rep.excerptKinds() {
			if s := p.project(k); s != nil {
				for _, path := range s.Fields() {
					paths = append(paths, path, "items[*]."+path)
				}
			}
		}
	}
	return runtime.NewFieldTree(paths...)
}

// excerptKinds are the versions of the kind that is offered or, if that is a list, of its items.
func (r *Representation) excerptKinds() []*runtime.Kind {
	scheme := r.factory.scheme
	k, err := scheme.Kind(r.offered)
	if err != nil {
		return nil
	}
	if k.ItemKind() != nil {
		k = k.ItemKind()
	}
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
