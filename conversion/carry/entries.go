package carry

import "iter"

// Entry is a value that an object carries.
type Entry struct {
	// Kind is the kind that has the field, as apiVersion/Kind.
	Kind string
	// Path is the path of the field in that kind, as [schema.Path] prints it.
	Path string
	// Value is the value as compact JSON. The caller owns it.
	Value []byte
}

// Entries yields the carried values in an object's annotations, ordered by kind and path. A
// malformed annotation has no entries: see [Check].
func Entries(annotations map[string]string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		p, err := parse(annotations[Annotation])
		if err != nil {
			return
		}
		p.sort()
		for _, o := range p.owners {
			for _, e := range o.entries {
				if !yield(Entry{Kind: o.name, Path: e.path, Value: e.value}) {
					return
				}
			}
		}
	}
}
