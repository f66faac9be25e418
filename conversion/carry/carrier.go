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

// Carrier is what an object carries while it is being converted. It belongs to one call of
// [Object]; the functions that the call walks through tell it where they are, take out what belongs
// to the target and put in what the target cannot express.
type Carrier struct {
	scope *conversion.Scope
	// inner is the scope of conversions that only help to find out what a value depends on.
	inner *conversion.Scope

	found payload
	// waiting are the entries of the target's kind by path.
	waiting map[string]entry
	// taken is how many of them came back, and returned says which.
	taken    int
	returned map[string]bool
	// outdated are the entries whose guard did not match.
	outdated map[string]bool
	// to is the name of the target's kind.
	to string
	// kept are new entries of the source's kind.
	kept    []entry
	changed bool

	// The place in the source and in the target.
	frames []frame
	err    error
}

// frame is a part of the place: a field, an entry of a map, or an element of a list.
type frame struct {
	source, target string
	// Of a list: the element, the number of elements, their keys, and the texts of all once one is
	// needed.
	list     bool
	index, n int
	key      func(i int) string
	texts    []string
}

// Object carries what the conversion of an object could not: generated conversions of kinds call it
// last. The annotations are those of out, which have been converted already; they are replaced, not
// written to, so that they may be shared with in. The names from and to are those of the two kinds,
// as apiVersion/Kind. The function walk goes through both objects.
//
// A conversion whose scope has a negative [conversion.Scope.CarryLimit] leaves all of it.
func Object[In, Out any](s *conversion.Scope, annotations *map[string]string, from, to string, in *In, out *Out,
	walk func(c *Carrier, in *In, out *Out),
) error {
	if s.CarryLimit() < 0 {
		return nil
	}
	c := carriers.Get().(*Carrier)
	defer c.release()
	c.scope = s
	c.open(*annotations, from, to)
	walk(c, in, out)
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

// carriers keeps carriers for other calls, since most objects carry nothing and should not pay for
// it.
var carriers = sync.Pool{New: func() any { return &Carrier{frames: make([]frame, 0, 8)} }}

// release gives the carrier back, without anything of the object but the room for its place.
func (c *Carrier) release() {
	clear(c.frames[:cap(c.frames)])
	*c = Carrier{frames: c.frames[:0]}
	carriers.Put(c)
}

// open takes the annotation apart. What belongs to the source is out of date, because the source
// itself says what its fields are.
func (c *Carrier) open(annotations map[string]string, from, to string) {
	text, ok := annotations[Annotation]
	if !ok {
		c.found.empty = annotations != nil && len(annotations) == 0
		return
	}
	found, err := parse(text)
	if err != nil {
		return // It is nobody's, see the package comment. It stays as it is until there is something to write.
	}
	c.found = found
	stale, ok := c.found.take(from)
	c.changed = ok || len(stale) > 0
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

// Enter goes to a field, given by its path in the source and in the target as [schema.Path] prints
// it. [Carrier.Leave] goes back.
func (c *Carrier) Enter(source, target string) {
	c.frames = append(c.frames, frame{source: source, target: target})
}

// Leave goes back to where the last Enter, Elements or Entries came from.
func (c *Carrier) Leave() { c.frames = c.frames[:len(c.frames)-1] }

// Elements goes into a list of n elements; [Carrier.At] chooses one. The function returns
// the key of an element; nil, a blank key and one that two elements have mean that elements are
// known by their index.
func (c *Carrier) Elements(n int, key func(i int) string) {
	c.frames = append(c.frames, frame{list: true, n: n, key: key})
}

// At goes to an element of the list.
func (c *Carrier) At(i int) { c.frames[len(c.frames)-1].index = i }

// Entries goes into a map; [Carrier.AtKey] chooses an entry.
func (c *Carrier) Entries() { c.frames = append(c.frames, frame{}) }

// AtKey goes to an entry of the map.
func (c *Carrier) AtKey(key string) {
	text := schema.NewPath().Key(key).String()
	c.frames[len(c.frames)-1] = frame{source: text, target: text}
}

// text is the step to an element: "[key]" or "[index]".
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

// path is the text of a path below the current place.
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

// Waiting reports whether there is an entry for any of the target's paths below the current place.
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

// fail notes an error at the current place in the source. The first one is the result of [Object].
func (c *Carrier) fail(err error) {
	if err == nil || c.err != nil {
		return
	}
	c.err = err
	if p, bad := schema.ParsePath(c.path("", false)); bad == nil {
		c.err = schema.AtPath(err, p)
	}
}

// within is the scope of a conversion that only helps: it may share, and carries nothing.
func (c *Carrier) within() *conversion.Scope {
	if c.inner == nil {
		c.inner = c.scope.WithSharing(true).WithCarryLimit(-1)
	}
	return c.inner
}

// Guard returns the hash of what a carried value depends on: of a part of in, seen as the type that
// has the field. The function convert makes that type of in, and appendJSON writes it. The guard is
// blank after an error, which [Object] returns.
func Guard[In, Out any](c *Carrier, in *In, part Part, convert conversion.Func[In, Out],
	appendJSON func(dst []byte, in *Out) ([]byte, error),
) string {
	if c.err != nil {
		return ""
	}
	var seen Out
	if err := convert(in, &seen, c.within()); err != nil {
		c.fail(fmt.Errorf("converting back, to know what carried fields depend on: %w", err))
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

// Keep makes an entry for a field of the source: for the path below the current place, from a value
// of the surrounding type that has the field set. A field that JSON leaves out or writes as null
// needs no entry.
func Keep[T any](c *Carrier, path, guard string, v *T, appendJSON func(dst []byte, in *T) ([]byte, error)) {
	if c.err != nil {
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
		c.kept = append(c.kept, entry{path: c.path(path, false), hash: guard, value: slices.Clone(value)})
	}
}

// Take uses the entry for a field of the target, if there is one with the right hash and a value
// that the field can hold. It reads the value into its place in out, a value of the surrounding
// type, and reports whether it did.
func Take[T any](c *Carrier, path, guard string, out *T, decode func(r *jsonwire.Reader, out *T)) bool {
	at := c.path(path, true)
	e, ok := c.waiting[at]
	if !ok || c.err != nil {
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

// Below goes on below a pointer of the target. If it is nil, because the other version knows
// nothing that would be there, and values wait for their place, walk gets a new struct. The target
// keeps that if one of them came back into it, since nothing else says that there was one.
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
