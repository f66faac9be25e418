package store

import (
	"iter"
	"strings"

	"github.com/askind/askind/store/internal/tree"
)

// posting is the place of an entry in the index of a field: under the resource, the field and its
// value.
type posting struct {
	key   string
	entry *Entry
}

// TreeKey implements [tree.Item].
func (p *posting) TreeKey() string { return p.key }

// postingPrefix is what the keys of all postings of a value begin with. Neither keys in an engine
// nor names of fields hold a NUL byte.
func postingPrefix(resource, field, value string) string {
	return resource + "\x00" + field + "\x00" + strings.ReplaceAll(value, "\x00", "\x00\x01") + "\x00\x00"
}

// postingKey returns the key of the posting of an entry that belongs to the resource.
func (r *Resource) postingKey(field int, e *Entry) string {
	return postingPrefix(r.prefix, r.fields[field].Path, e.known.Load().fields[field]) + e.key
}

// index brings the postings of one object up to date. The entries may be nil.
func (r *Resource) index(postings *tree.Editor[*posting], before, after *Entry) {
	for f, field := range r.fields {
		if !field.Index {
			continue
		}
		if before = r.own(before); before.decodable() {
			postings.Delete(r.postingKey(f, before))
		}
		if after = r.own(after); after.decodable() {
			postings.Set(&posting{r.postingKey(f, after), after})
		}
	}
}

// posted yields the entries with a value in an indexed field whose keys are at or above a key and
// below another, in order.
func (o *objects) posted(resource, field, value, from, to string) iter.Seq[*Entry] {
	prefix := postingPrefix(resource, field, value)
	return func(yield func(*Entry) bool) {
		for p := range o.postings.From(prefix+from, prefix+to) {
			if !yield(p.entry) {
				return
			}
		}
	}
}
