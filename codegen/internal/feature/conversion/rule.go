package conversion

import (
	"go/types"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/model"
)

// action is the operation of a rule.
type action uint8

const (
	// assign: the same type without references.
	assign action = iota
	// clone: types with the same underlying type that holds references. The references are copied
	// unless sharing is allowed.
	clone
	// cast: a Go conversion that keeps every value.
	cast
	// narrow: a checked conversion between numbers.
	narrow
	// callHand and callPair call a function, hand-written or generated.
	callHand
	callPair
	// each, entries and array convert the elements of a slice, a map and an array.
	each
	entries
	array
	// follow converts the pointee of a pointer; nil stays nil.
	follow
	// take makes a pointer to a value; give dereferences a pointer, with the zero value for nil.
	take
	give
)

// rule converts a value of one type to a value of another.
type rule struct {
	action
	in, out   types.Type
	key, elem *rule
	hand      *hand
	pair      *pair
	dir       direction
	// zeroIsNil means, for take, that JSON omits the zero value, which therefore becomes nil.
	zeroIsNil bool
}

// direction of a conversion.
type direction uint8

const (
	toHub direction = iota
	fromHub
)

// back returns the opposite direction.
func (d direction) back() direction { return 1 - d }

// misfit is the reason why no rule exists.
type misfit struct {
	in, out types.Type
	why     string
}

// at is the context in which a rule is needed.
type at struct {
	pair *pair
	link *link
	dir  direction
	// inside means that the value is in a list or map.
	inside bool
	// via holds the functions that a marker of the field names.
	via []*hand
	// zeroIsNil: see rule.
	zeroIsNil bool
	// ofMap is the rule of a map if the value is its key.
	ofMap *rule
	// depth counts the types around the value.
	depth int
}

// maxDepth limits the nesting of lists, maps and pointers in a field. Only types that contain
// themselves without a struct in between exceed it.
const maxDepth = 32

func (c at) within() at {
	c.inside, c.zeroIsNil = true, false
	return c
}

// rule finds the rule from one type to another.
func (p *planner) rule(in, out types.Type, c at) (*rule, *misfit) {
	r := &rule{in: in, out: out, dir: c.dir}
	if c.depth++; c.depth > maxDepth {
		return nil, &misfit{in, out, "the type contains itself without a struct in between"}
	}
	h := p.handFor(in, out, c)
	if h == nil && p.provided(in, out, c) == nil {
		h = p.handElsewhere(in, out)
	}
	if h != nil {
		r.action, r.hand = callHand, h
		if !h.reserved {
			p.partner(r, c)
		}
		return r, nil
	}
	if types.Identical(in, out) {
		if flat(in) {
			return r, nil
		}
		return p.clone(r)
	}
	if hidden := p.hiddenIn(out); hidden != nil {
		return nil, p.unnameable(r, hidden)
	}
	if isPointer(in) || isPointer(out) {
		return p.pointerRule(r, c)
	}
	return p.valueRule(r, c)
}

// hiddenIn returns a type in a type expression that code of this package cannot name, or nil.
func (p *planner) hiddenIn(t types.Type) types.Type {
	if model.Hidden(t, p.pkg.Go) {
		return t
	}
	for part := range model.Parts(t) {
		if hidden := p.hiddenIn(part); hidden != nil {
			return hidden
		}
	}
	return nil
}

func (p *planner) unnameable(r *rule, hidden types.Type) *misfit {
	return &misfit{r.in, r.out, p.typeName(hidden) + " is not exported, so code in this package cannot name it"}
}

// pointerRule completes the rule for types with a pointer on at least one side.
func (p *planner) pointerRule(r *rule, c at) (_ *rule, fit *misfit) {
	a, aPtr := r.in.Underlying().(*types.Pointer)
	b, bPtr := r.out.Underlying().(*types.Pointer)
	zeroIsNil := c.zeroIsNil
	c.zeroIsNil = false
	switch {
	case aPtr && bPtr:
		r.action = follow
		r.elem, fit = p.rule(a.Elem(), b.Elem(), c)
	case bPtr:
		r.action, r.zeroIsNil = take, zeroIsNil
		r.elem, fit = p.rule(r.in, b.Elem(), c)
	default:
		r.action = give
		r.elem, fit = p.rule(a.Elem(), r.out, c)
	}
	return r, fit
}

// valueRule completes the rule for types without pointers, which must have the same structure.
func (p *planner) valueRule(r *rule, c at) (_ *rule, fit *misfit) {
	switch a := r.in.Underlying().(type) {
	case *types.Basic:
		if b, ok := r.out.Underlying().(*types.Basic); ok {
			return p.basic(r, a, b, c)
		}
	case *types.Slice:
		if b, ok := r.out.Underlying().(*types.Slice); ok {
			if types.Identical(a, b) {
				return p.clone(r)
			}
			r.action = each
			r.elem, fit = p.rule(a.Elem(), b.Elem(), c.within())
			return r, fit
		}
	case *types.Array:
		if b, ok := r.out.Underlying().(*types.Array); ok {
			if a.Len() != b.Len() {
				return nil, &misfit{r.in, r.out, "the arrays have different lengths"}
			}
			r.action = array
			r.elem, fit = p.rule(a.Elem(), b.Elem(), c.within())
			return r, fit
		}
	case *types.Map:
		if b, ok := r.out.Underlying().(*types.Map); ok {
			return p.mapRule(r, a, b, c)
		}
	case *types.Struct:
		if _, ok := r.out.Underlying().(*types.Struct); ok {
			return p.structRule(r, c)
		}
	}
	return nil, &misfit{in: r.in, out: r.out}
}

func (p *planner) mapRule(r *rule, a, b *types.Map, c at) (_ *rule, fit *misfit) {
	if types.Identical(a, b) {
		return p.clone(r)
	}
	r.action = entries
	keys := c.within()
	keys.ofMap = r
	if r.key, fit = p.rule(a.Key(), b.Key(), keys); fit != nil {
		return nil, fit
	}
	if r.key.action != assign && r.key.action != cast {
		return nil, &misfit{r.in, r.out, "a map key must keep its value, because two entries might otherwise become one"}
	}
	r.elem, fit = p.rule(a.Elem(), b.Elem(), c.within())
	return r, fit
}

func (p *planner) clone(r *rule) (*rule, *misfit) {
	if !p.copyable(r.in) {
		return nil, &misfit{r.in, r.out, "no function is known that copies it without sharing memory"}
	}
	r.action = clone
	return r, nil
}

// partner plans the pair of a struct with a hand-written function, if that calls the field-wise
// one.
func (p *planner) partner(r *rule, c at) {
	name := r.hand.fn.Name()
	if p.hands.mentions(emit.LowerFirst(name)+"Fields") > 0 {
		if with, fit := p.ownRule(&rule{in: r.in, out: r.out, dir: r.dir}, c); fit == nil {
			r.pair = with.pair
		}
	}
}

// handFor returns the hand-written function for two types: one that a marker of the field names, or
// else one with the right signature.
func (p *planner) handFor(in, out types.Type, c at) *hand {
	for _, h := range c.via {
		if types.Identical(h.in, in) && types.Identical(h.out, out) {
			return h
		}
	}
	return p.only(p.hands.find(in, out))
}

func (p *planner) basic(r *rule, a, b *types.Basic, c at) (*rule, *misfit) {
	const numbers = types.IsInteger | types.IsFloat
	switch {
	case a.Kind() == b.Kind() && a.Info()&(types.IsBoolean|types.IsString|numbers) != 0:
		r.action = cast
	case a.Info()&numbers != 0 && b.Info()&numbers != 0:
		r.action = narrow
		if widens(a, b) {
			r.action = cast
		}
	default:
		return nil, &misfit{in: r.in, out: r.out}
	}
	if a.Info()&(types.IsString|types.IsInteger) != 0 && a.Info()&b.Info()&(types.IsString|types.IsInteger) != 0 {
		p.checkEnum(r.in, r.out, c)
	}
	return r, nil
}

// widens reports whether every number of type a is one of type b on every machine.
func widens(a, b *types.Basic) bool {
	// int, uint and uintptr have 64 bits as a source and 32 as a target, so that the result does
	// not depend on the platform.
	from, to := model.Bits(a, "amd64"), model.Bits(b, "386")
	switch aFloat, bFloat := a.Info()&types.IsFloat != 0, b.Info()&types.IsFloat != 0; {
	case aFloat:
		return bFloat && a.Kind() == types.Float32
	case bFloat && b.Kind() == types.Float32:
		return from <= 24 // the precision of a float32
	case bFloat:
		return from <= 53
	}
	aUnsigned, bUnsigned := a.Info()&types.IsUnsigned != 0, b.Info()&types.IsUnsigned != 0
	switch {
	case aUnsigned == bUnsigned:
		return to >= from
	case aUnsigned:
		return to > from
	default:
		return false
	}
}

func (p *planner) structRule(r *rule, c at) (*rule, *misfit) {
	if other := p.provided(r.in, r.out, c); other != nil {
		return other, nil
	}
	return p.ownRule(r, c)
}

// ownRule converts a struct by a function of this package.
func (p *planner) ownRule(r *rule, c at) (*rule, *misfit) {
	a, _ := types.Unalias(r.in).(*types.Named)
	b, _ := types.Unalias(r.out).(*types.Named)
	if a == nil || b == nil || !model.IsStruct(a) || !model.IsStruct(b) {
		return nil, &misfit{r.in, r.out, "a struct without a name has no function; give it a name"}
	}
	if model.Hidden(a, p.pkg.Go) {
		return nil, p.unnameable(r, a)
	}
	spoke, hub := a, b
	if c.dir == fromHub {
		spoke, hub = b, a
	}
	if opaque(spoke, p.pkg.Go) || opaque(hub, p.pkg.Go) {
		return nil, &misfit{r.in, r.out, "a struct with unexported fields cannot be converted field by field"}
	}
	if a.Obj().Name() != b.Obj().Name() && (p.ownForm(a) || p.ownForm(b)) {
		return nil, &misfit{
			r.in, r.out,
			"one has hand-written JSON, so equal fields may not mean the same",
		}
	}
	pr := p.pairOf(spoke, hub, c.pair.peer)
	pr.addSite(site{pair: c.pair, link: c.link, inside: c.inside})
	r.action, r.pair = callPair, pr
	return r, nil
}

// ownForm reports whether the JSON of a type does not follow from its fields, as for a time with a
// certain precision.
func (p *planner) ownForm(n *types.Named) bool {
	return p.u.Func(model.AppendJSON, n).ByHand() || p.u.Func(model.DecodeJSON, n).ByHand() ||
		model.Method(n, "MarshalJSON") != nil || model.Method(n, "MarshalText") != nil
}

// opaque reports whether a package can see nothing of a struct: it has fields, all of them
// unexported fields of another package. Such a type is a single value, like a time or a quantity.
func opaque(n *types.Named, from *types.Package) bool {
	st, ok := n.Underlying().(*types.Struct)
	if !ok || st.NumFields() == 0 || n.Obj().Pkg() == from {
		return false
	}
	for f := range st.Fields() {
		if f.Exported() {
			return false
		}
	}
	return true
}

// flat reports whether a value of the type holds no reference that two copies would share. Strings
// do not count, because they are immutable.
func flat(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Array:
		return flat(u.Elem())
	case *types.Struct:
		if immutable(t) {
			return true
		}
		for f := range u.Fields() {
			if !flat(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// immutable matches the one type of the standard library that contains a pointer and is passed by
// value.
func immutable(t types.Type) bool { return model.IsNamed(t, "time", "Time") }

// walk calls f for the rule and for those of the values in it, with the paths to them, in which
// "[*]" stands for each element of a list or map. It omits keys, which keep their values.
func (r *rule) walk(path string, f func(path string, r *rule)) {
	f(path, r)
	if r.elem == nil {
		return
	}
	switch r.action {
	case each, entries, array:
		path += "[*]"
	}
	r.elem.walk(path, f)
}

// lossy calls f for each value that the rule cannot preserve, with its path.
func (r *rule) lossy(path string, f func(path, reason string)) {
	r.walk(path, func(path string, r *rule) {
		switch {
		case r.action != give:
		case strings.HasSuffix(path, "[*]"):
			f(path, "null and the zero value become one")
		default:
			f(path, "unset and the zero value become one")
		}
	})
}

// all calls f for every rule with the action, with the path from the value to it: parts that the
// target shares with the source if sharing is allowed, or checked conversions of numbers. It does
// not enter the functions that the rule calls.
func (r *rule) all(path string, a action, f func(path string, r *rule)) {
	r.walk(path, func(path string, r *rule) {
		if r.action == a {
			f(path, r)
		}
	})
}

// pairs calls f for every pair below the rule, with its path, and the direction in which it is
// converted, which is the opposite one if the hub's package has the function.
func (r *rule) pairs(path string, f func(path string, pr *pair, d direction)) {
	r.walk(path, func(path string, r *rule) {
		if r.pair != nil {
			f(path, r.pair, r.dir)
		}
	})
}

// hasPair reports whether there is a pair below the rule.
func (r *rule) hasPair() bool {
	found := false
	r.pairs("", func(string, *pair, direction) { found = true })
	return found
}

// hands calls f for every hand-written function of the rule.
func (r *rule) hands(f func(*hand)) {
	r.walk("", func(_ string, r *rule) {
		if r.hand != nil {
			f(r.hand)
		}
	})
}

// converts reports whether a function converts the value, whole or behind pointers, rather than a
// copy of it.
func (r *rule) converts() bool {
	switch r.action {
	case follow, take, give:
		return r.elem.converts()
	}
	return r.action == callPair || r.action == callHand
}

// simple reports whether the rule is a Go expression of its source.
func (r *rule) simple() bool { return r.action == assign || r.action == cast }
