package carry

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// payload is the parsed annotation.
type payload struct {
	// owners are unique by name.
	owners []owner
	// empty records that the object's annotations were an empty map, not nil, before the first
	// entry was added.
	empty bool
}

// owner is a kind with its entries.
type owner struct {
	name    string
	entries []entry
}

// entry is a carried value.
type entry struct {
	path, hash string
	value      []byte // compact JSON
}

// emptyMember is the member of the annotation that represents payload.empty. Names of owners
// contain a slash.
const emptyMember = "empty"

// parse reads the annotation. It accepts the output of [payload.text] in any layout. The error is a
// [*MalformedError] without a path.
func parse(text string) (payload, error) {
	p := payload{}
	r := jsonwire.NewReader([]byte(text), jsonwire.Options{Strict: true, Limits: schema.Limits{Problems: 1}})
	known := map[string]bool{}
	notNull(r)
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := string(key)
		if known[name] {
			r.Duplicate(key)
		}
		known[name] = true
		notNull(r)
		if name == emptyMember {
			p.empty = r.Bool(false)
			continue
		}
		p.owners = append(p.owners, owner{name: name, entries: parseEntries(r)})
	}
	r.End()
	if problems := r.Problems(); len(problems) > 0 {
		return payload{}, &MalformedError{Offset: problems[0].Offset, Reason: problems[0].Message}
	}
	return p, nil
}

func parseEntries(r *jsonwire.Reader) []entry {
	var entries []entry
	known := map[string]bool{}
	for key := r.Object(); key != nil; key = r.NextKey() {
		e := entry{path: string(key)}
		if known[e.path] {
			r.Duplicate(key)
		}
		known[e.path] = true
		e.read(r)
		entries = append(entries, e)
	}
	return entries
}

var entryNames = []string{"hash", "value"}

func (e *entry) read(r *jsonwire.Reader) {
	var seen uint64
	notNull(r)
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "hash":
			r.Seen(&seen, 0, key)
			notNull(r)
			e.hash = r.String("")
		case "value":
			r.Seen(&seen, 1, key)
			notNull(r)
			e.value = compact(r.Raw())
		default:
			r.Unknown(key, entryNames)
		}
	}
	if seen != 3 {
		r.Invalid(errIncomplete)
	}
}

var (
	errNull       = errors.New("null is not allowed here")
	errIncomplete = errors.New("an entry needs a hash and a value")
)

// notNull records a problem if the next value is null, which readers treat as absent.
func notNull(r *jsonwire.Reader) {
	if r.Kind() == 'n' {
		r.Invalid(errNull)
	}
}

// compact removes the white space from a valid value.
func compact(value []byte) []byte {
	out, err := jsonwire.Compact(nil, value)
	if err != nil {
		return value
	}
	return out
}

// take removes an owner and returns its entries, and whether it was there.
func (p *payload) take(name string) ([]entry, bool) {
	i := slices.IndexFunc(p.owners, func(o owner) bool { return o.name == name })
	if i < 0 {
		return nil, false
	}
	entries := p.owners[i].entries
	p.owners = slices.Delete(p.owners, i, i+1)
	return entries, true
}

func (p *payload) sort() {
	sorted.Func(p.owners, func(a, b owner) int { return cmp.Compare(a.name, b.name) })
	for _, o := range p.owners {
		sorted.Func(o.entries, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	}
}

// text returns the annotation: compact, and sorted by owner and path.
func (p *payload) text() string {
	p.sort()
	dst := []byte{'{'}
	for _, o := range p.owners {
		dst = append(jsonwire.AppendString(dst, o.name), ":{"...)
		for i, e := range o.entries {
			dst = jsonwire.AppendComma(dst, i)
			dst = append(e.append(dst), '}')
		}
		dst = append(dst, "},"...)
	}
	if p.empty {
		return string(dst) + strconv.Quote(emptyMember) + ":true}"
	}
	dst[len(dst)-1] = '}'
	return string(dst)
}

// append appends the member of an entry without its closing bracket.
func (e *entry) append(dst []byte) []byte {
	dst = append(jsonwire.AppendString(dst, e.path), `:{"hash":`...)
	dst = append(jsonwire.AppendString(dst, e.hash), `,"value":`...)
	return append(dst, e.value...)
}

// member finds the value at a path of field names in an object. It returns nil if no such value
// exists or if it is null.
func member(data []byte, path *schema.Path) []byte {
	start, end, ok := jsonwire.OffsetOf(data, path)
	if !ok || string(data[start:end]) == "null" {
		return nil
	}
	return data[start:end]
}

// wrap returns an object that holds only a value at a path of field names.
func wrap(value []byte, path *schema.Path) []byte {
	var dst []byte
	steps := path.Steps()
	for _, s := range steps {
		dst = append(jsonwire.AppendString(append(dst, '{'), s.Name), ':')
	}
	dst = append(dst, value...)
	for range steps {
		dst = append(dst, '}')
	}
	return dst
}
