package carry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Annotation is the key of the annotation that holds what an object carries.
const Annotation = "conversion.askind.dev/carried"

// Carrier holds the values that an object carries while it is being converted. It belongs to one
// call of [Object]. The generated functions that walk the object record their position in it, take
// out the values that belong to the target and add the values that the target cannot express.
type Carrier struct {
	scope *conversion.Scope
	// inner is the scope of the conversions that compute guards.
	inner *conversion.Scope

	found payload
	// waiting holds the entries of the target's kind by path.
	waiting map[string]entry
	// taken counts the entries that came back, and returned marks them.
	taken    int
	returned map[string]bool
	// outdated marks the entries whose guard did not match.
	outdated map[string]bool
	// to is the name of the target's kind.
	to string
	// kept holds new entries of the source's kind, and size the bytes of their paths and values.
	kept    []entry
	size    int
	changed bool

	// The position in the source and in the target.
	frames []frame
	err    error
}

// frame is one level of the position: a field, a map entry, or a list element.
type frame struct {
	source, target string
	// For a list: the current index, the number of elements, their keys, and the step texts,
	// computed when first needed.
	list     bool
	index, n int
	key      func(i int) string
	texts    []string
}

// Object carries the values that the conversion of an object could not convert. Generated
// conversions of kinds call it last. The annotations are those of out, already converted; they are
// replaced, not written to, so they may be shared with in. The names from and to identify the two
// kinds, as apiVersion/Kind. The function walk visits both objects.
//
// If the scope has a negative [conversion.Scope.CarryLimit], Object does nothing.
func Object[In, Out any](s *conversion.Scope, annotations *map[string]string, from, to string, in *In, out *Out,
	walk func(c *Carrier, in *In, out *Out),
) error {
	if s.CarryLimit() < 0 {
		return nil
	}
	return object(s, annotations, from, to, func(c *Carrier) { walk(c, in, out) })
}

func object(s *conversion.Scope, annotations *map[string]string, from, to string, walk func(*Carrier)) error {
	c := carriers.Get().(*Carrier)
	defer c.release()
	c.scope = s
	c.open(*annotations, from, to)
	walk(c)
	if c.err != nil {
		return c.err
	}
	c.reportDropped()
	return c.close(annotations, from)
}

// reportDropped reports the values that did not come back, in order of their paths.
func (c *Carrier) reportDropped() {
	if c.taken >= len(c.waiting) {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(c.waiting)) {
		if !c.returned[path] {
			c.scope.Dropped(conversion.DroppedValue{Kind: c.to, Path: path, Changed: c.outdated[path]})
		}
	}
}

// carriers pools carriers, because most objects carry nothing and should not pay for one.
var carriers = sync.Pool{New: func() any { return &Carrier{frames: make([]frame, 0, 8)} }}

// release returns the carrier to the pool. It keeps no part of the object, only the allocated
// frames.
func (c *Carrier) release() {
	clear(c.frames[:cap(c.frames)])
	*c = Carrier{frames: c.frames[:0]}
	carriers.Put(c)
}

// open parses the annotation. Entries of the source's kind are discarded: the source's own fields
// are current.
func (c *Carrier) open(annotations map[string]string, from, to string) {
	text, ok := annotations[Annotation]
	if !ok {
		c.found.empty = annotations != nil && len(annotations) == 0
		return
	}
	found, err := parse(text)
	if err != nil {
		return // Malformed, so ignored (see the package comment). It is kept until there is something to write.
	}
	c.found = found
	_, c.changed = c.found.take(from)
	entries, ok := c.found.take(to)
	if !ok {
		return
	}
	c.changed = true
	c.to = to
	c.waiting = make(map[string]entry, len(entries))
	for _, e := range entries {
		c.waiting[e.path] = e
	}
}

// close writes the annotation if it has changed.
func (c *Carrier) close(annotations *map[string]string, from string) error {
	if len(c.kept) == 0 && !c.changed {
		return nil
	}
	if len(c.kept) > 0 {
		c.found.owners = append(c.found.owners, owner{name: from, entries: c.kept})
	}
	next := maps.Clone(*annotations)
	if len(c.found.owners) == 0 {
		delete(next, Annotation)
		if len(next) == 0 && !c.found.empty {
			next = nil
		}
		*annotations = next
		return nil
	}
	text := c.found.text()
	if limit := c.scope.CarryLimit(); len(text) > limit && len(c.kept) > 0 {
		largest := slices.MaxFunc(c.kept, func(a, b entry) int { return len(a.value) - len(b.value) })
		return &LimitError{Size: len(text), Limit: limit, Path: largest.path, PathSize: len(largest.value)}
	}
	if next == nil {
		next = make(map[string]string, 1)
	}
	next[Annotation] = text
	*annotations = next
	return nil
}

// Enter moves to a field, given by its path in the source and in the target as [schema.Path] prints
// it. [Carrier.Leave] moves back.
func (c *Carrier) Enter(source, target string) {
	c.frames = append(c.frames, frame{source: source, target: target})
}

// Leave returns to the position before the last Enter, Elements or Entries.
func (c *Carrier) Leave() { c.frames = c.frames[:len(c.frames)-1] }

// Elements moves into a list of n elements; [Carrier.At] selects one. The function key returns the
// key of an element. Elements are identified by index if key is nil, or if a key is blank or not
// unique.
func (c *Carrier) Elements(n int, key func(i int) string) {
	c.frames = append(c.frames, frame{list: true, n: n, key: key})
}

// At selects an element of the list.
func (c *Carrier) At(i int) { c.frames[len(c.frames)-1].index = i }

// Entries moves into a map; [Carrier.AtKey] selects an entry.
func (c *Carrier) Entries() { c.frames = append(c.frames, frame{}) }

// AtKey selects an entry of the map.
func (c *Carrier) AtKey(key string) {
	text := schema.NewPath().Key(key).String()
	c.frames[len(c.frames)-1] = frame{source: text, target: text}
}

// text returns the step to an element: "[key]" or "[index]".
func (l *frame) text() string {
	if l.texts == nil {
		l.texts = make([]string, l.n)
		first := make(map[string]int, l.n)
		for i := range l.n {
			l.texts[i] = schema.NewPath().Index(i).String()
			if l.key == nil {
				continue
			}
			key := l.key(i)
			other, twice := first[key]
			switch {
			case key == "":
			case twice:
				l.texts[other] = schema.NewPath().Index(other).String()
			default:
				first[key] = i
				l.texts[i] = schema.NewPath().Key(key).String()
			}
		}
	}
	return l.texts[l.index]
}

// path returns the text of a path below the current position.
func (c *Carrier) path(below string, target bool) string {
	var b strings.Builder
	for i := range c.frames {
		f := &c.frames[i]
		step := f.source
		if target {
			step = f.target
		}
		if f.list {
			step = f.text()
		}
		addStep(&b, step)
	}
	addStep(&b, below)
	return b.String()
}

func addStep(b *strings.Builder, step string) {
	if b.Len() > 0 && step != "" && step[0] != '[' {
		b.WriteByte('.')
	}
	b.WriteString(step)
}

// Waiting reports whether there is an entry for any of the target's paths below the current
// position.
func (c *Carrier) Waiting(paths ...string) bool {
	if len(c.waiting) == 0 {
		return false
	}
	for _, p := range paths {
		if _, ok := c.waiting[c.path(p, true)]; ok {
			return true
		}
	}
	return false
}

// fail records an error at the current position in the source. [Object] returns the first one.
func (c *Carrier) fail(err error) {
	if err == nil || c.err != nil {
		return
	}
	c.err = err
	if p, bad := schema.ParsePath(c.path("", false)); bad == nil {
		c.err = schema.AtPath(err, p)
	}
}

// within returns the scope of conversions that compute guards: they may share memory, and carry
// nothing.
func (c *Carrier) within() *conversion.Scope {
	if c.inner == nil {
		c.inner = c.scope.WithSharing(true).WithCarryLimit(-1)
	}
	return c.inner
}

// Guard returns the hash of what a carried value depends on: of a part of in, converted to the type
// that has the field. The function convert performs that conversion, and appendJSON encodes the
// result. The guard is blank after an error, which [Object] returns.
func Guard[In, Out any](c *Carrier, in *In, part Part, convert conversion.Func[In, Out],
	appendJSON func(dst []byte, in *Out) ([]byte, error),
) string {
	if c.err != nil {
		return ""
	}
	var seen Out
	if err := convert(in, &seen, c.within()); err != nil {
		c.fail(fmt.Errorf("converting back to compute the guard of carried fields: %w", err))
		return ""
	}
	data, err := appendJSON(nil, &seen)
	if err != nil {
		c.fail(err)
		return ""
	}
	text, err := hash(data, part)
	c.fail(err)
	return text
}

// excess is how many times the limit is collected at most, for the error that states the size. A
// list below a long name could take much more.
const excess = 16

// Keep adds an entry for a field of the source: for the path below the current position, from a
// value of the surrounding type that has the field set. A field that JSON omits or encodes as null
// needs no entry.
func Keep[T any](c *Carrier, path, guard string, v *T, appendJSON func(dst []byte, in *T) ([]byte, error)) {
	if c.err != nil || c.size/excess > c.scope.CarryLimit() {
		return
	}
	data, err := appendJSON(nil, v)
	if err != nil {
		c.fail(err)
		return
	}
	below, err := schema.ParsePath(path)
	if err != nil {
		c.fail(err)
		return
	}
	if value := member(data, below); value != nil {
		e := entry{path: c.path(path, false), hash: guard, value: value}
		c.kept = append(c.kept, e)
		c.size += len(e.path) + len(e.value)
	}
}

// Take restores a field of the target from its entry, if there is one with a matching hash and a
// value that the field can hold. It decodes the value into out, a value of the surrounding type,
// and reports whether it did.
func Take[T any](c *Carrier, path, guard string, out *T, decode func(r *jsonwire.Reader, out *T)) bool {
	at := c.path(path, true)
	e, ok := c.waiting[at]
	if !ok {
		return false
	}
	if e.hash != guard {
		note(&c.outdated, at)
		return false
	}
	below, err := schema.ParsePath(path)
	if err != nil {
		return false
	}
	r := jsonwire.NewReader(wrap(e.value, below), jsonwire.Options{Limits: schema.Limits{Problems: 1}})
	decode(r, out)
	r.End()
	if len(r.Problems()) > 0 {
		return false
	}
	c.taken++
	note(&c.returned, at)
	return true
}

func note(set *map[string]bool, path string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[path] = true
}

// Below calls walk for the struct that a pointer of the target points to. If the pointer is nil and
// carried values are waiting for fields below it, walk gets a new struct. The target keeps that
// struct if a value was restored into it.
func Below[T any](c *Carrier, out **T, walk func(out *T)) {
	switch {
	case *out != nil:
		walk(*out)
	case len(c.waiting) > 0:
		before, made := c.taken, new(T)
		if walk(made); c.taken > before {
			*out = made
		}
	}
}
