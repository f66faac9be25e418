package conversion

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// Matrix describes the treatment of every field of two types that convert into each other.
type Matrix struct {
	// Near is the type whose package has the conversions; Far is the other one.
	Near, Far *model.Type
	Rows      []Row
	// To is the direction from Near to Far; From is the opposite one.
	To, From Way
	// Pairs lists the nested types with functions of their own, each once, in the order of the
	// rows. The first is Near and Far.
	Pairs []Functions
	// Shortened means that rows are left out, because too many paths lead to the same structs.
	Shortened bool
}

// Row is a field of either side. On a side that lacks the field, the path is blank.
type Row struct {
	Near, Far string
	To, From  string
}

// Missing is the cell of a field without a known conversion.
const Missing = "missing"

// Way is one direction.
type Way struct {
	// Losses are "path: reason" and Carried "path: guard=paths", relative to the kind.
	Losses, Carried []string
}

// Functions are the two conversions of a pair of types.
type Functions struct {
	To, From Function
}

// Function describes a conversion.
type Function struct {
	Name string
	// Hand reports that the function is hand-written.
	Hand bool
	// Shares lists the paths that share memory with the source if the scope allows it. Fails lists
	// those that may be refused, with a reason.
	Shares, Fails []string
	// Identity reports that the two types have the same fields; otherwise Why describes the
	// difference.
	Identity bool
	Why      string
}

// Explain plans a package and returns a matrix for each of its kinds and their peers, or for all
// structs with a peer if it has no kinds. Errors are reported and appear as missing cells.
func Explain(c *feature.Context) []*Matrix {
	p := newPlanner(c)
	p.plan()
	var out []*Matrix
	for _, pr := range p.pairs {
		if !pr.root || len(p.kinds) > 0 && pr.kind == nil {
			continue
		}
		m := &Matrix{Near: pr.spoke, Far: pr.hub}
		e := &explainer{planner: p, matrix: m, seen: map[*pair]bool{}}
		e.rows(pr, below{})
		m.To, m.From = wayOf(pr, toHub), wayOf(pr, fromHub)
		out = append(out, m)
	}
	return out
}

func wayOf(pr *pair, d direction) Way {
	var w Way
	for _, l := range allLosses(pr, d) {
		w.Losses = append(w.Losses, l.path+": "+strings.Join(strings.Fields(l.reason), " "))
	}
	for _, l := range allCarried(pr, d) {
		w.Carried = append(w.Carried, l.path+": "+l.reason)
	}
	return w
}

type explainer struct {
	*planner
	matrix *Matrix
	seen   map[*pair]bool
}

// below is where the rows of a pair are added: the paths of its types in the kinds of the matrix.
// The pair is flipped if its spoke is on the far side. above holds the pairs around it.
type below struct {
	near, far string
	flipped   bool
	above     []*pair
}

// entry is a row of a pair before it is placed in the matrix, with the field by which rows are
// sorted, and the link that it shows, if there is one.
type entry struct {
	at   place
	link *link
	row  Row
}

// rows adds the rows of a pair, each followed by those of the types in it.
func (e *explainer) rows(pr *pair, b below) {
	if !e.seen[pr] {
		e.seen[pr] = true
		f := Functions{To: e.function(pr, toHub), From: e.function(pr, fromHub)}
		if b.flipped {
			f.To, f.From = f.From, f.To
		}
		e.matrix.Pairs = append(e.matrix.Pairs, f)
	}
	entries := e.entries(pr, b)
	b.above = append(slices.Clone(b.above), pr)
	for _, en := range entries {
		e.matrix.Rows = append(e.matrix.Rows, b.place(en.row))
		if en.link != nil {
			e.nested(en.link, b)
		}
	}
}

// place returns a row of the pair as a row of the matrix.
func (b below) place(r Row) Row {
	if b.flipped {
		r.Near, r.Far, r.To, r.From = r.Far, r.Near, r.From, r.To
	}
	if r.Near != "" {
		r.Near = join(b.near, r.Near)
	}
	if r.Far != "" {
		r.Far = join(b.far, r.Far)
	}
	return r
}

// entries returns the rows of a pair: the fields of the spoke in their order, then those that only
// the hub has.
func (e *explainer) entries(pr *pair, b below) []entry {
	var out []entry
	for _, l := range pr.links {
		out = append(out, entry{l.spoke, l, Row{
			Near: l.spoke.path(), Far: l.hub.path(),
			To: e.cell(pr, l, toHub), From: e.cell(pr, l, fromHub),
		}})
	}
	only := func(at place, cell string, d direction, back string) {
		r := Row{Near: at.path(), To: cell, From: back}
		if d == fromHub {
			r = Row{Far: at.path(), From: cell, To: back}
		}
		out = append(out, entry{at, nil, r})
	}
	for d := range pr.ways {
		d := direction(d)
		for _, l := range pr.losses[d] {
			if l.carried == nil {
				only(l.at, "drop("+strings.Join(strings.Fields(l.reason), " ")+")", d, e.filled(l.at))
				continue
			}
			around := b.near
			if (d == fromHub) != b.flipped {
				around = b.far
			}
			cell := "carry(" + l.carried.guardText(around) + ")"
			only(l.at, cell, d, cell)
		}
		for _, at := range pr.missing[d] {
			only(at, Missing, d, Missing)
		}
		for _, at := range pr.leftPlaces[d] {
			only(at, e.byHand(pr, d), d, e.byHand(pr, d.back()))
		}
	}
	onlyHub := func(e entry) int {
		if e.row.Near == "" {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		return cmp.Or(cmp.Compare(onlyHub(a), onlyHub(b)), comparePlaces(a.at, b.at))
	})
	return out
}

// nested adds the rows of the pairs that a link converts.
func (e *explainer) nested(l *link, b below) {
	r, of := l.rules[toHub], toHub
	if r == nil {
		r, of = l.rules[fromHub], fromHub
	}
	if r == nil {
		return
	}
	near, far := l.spoke.path(), l.hub.path()
	if l.spoke.whole {
		near, far = "", ""
	}
	if b.flipped {
		near, far = far, near
	}
	r.pairs("", func(path string, inner *pair, d direction) {
		switch {
		case slices.Contains(b.above, inner):
		case e.seen[inner] && len(e.matrix.Rows) >= maxPaths:
			e.matrix.Shortened = true
		default:
			e.rows(inner, below{
				near: join(b.near, join(near, path)), far: join(b.far, join(far, path)),
				flipped: b.flipped != (d != of), above: b.above,
			})
		}
	})
}

// byHand returns the cell of a field that a hand-written function converts.
func (e *explainer) byHand(pr *pair, d direction) string {
	if h := pr.ways[d].hand; h != nil {
		return "via(" + h.fn.Name() + ")"
	}
	return Missing
}

// filled describes the value of a field that nothing is converted to. A conversion does not apply
// defaults; that is a separate step before or after it.
func (e *explainer) filled(at place) string {
	if m, _ := e.u.DefaultOf(at.last()); m != nil {
		return "unset; Default sets " + m.Raw
	}
	return "unset"
}

// cell describes the treatment of a link in a direction.
func (e *explainer) cell(pr *pair, l *link, d direction) string {
	_, dst := l.ends(d)
	r := l.rules[d]
	what := ""
	switch {
	case l.misfit[d]:
		what = Missing
	case r == nil:
		what = e.byHand(pr, d)
	default:
		what = e.describe(r)
	}
	if !l.moved {
		return what
	}
	if what == "same" {
		return "rename(" + dst.path() + ")"
	}
	return "rename(" + dst.path() + ") " + what
}

// describe describes what a rule does.
func (e *explainer) describe(r *rule) string {
	change := func(more string) string {
		return "convert(" + e.typeName(r.in) + " to " + e.typeName(r.out) + more + ")"
	}
	switch r.action {
	case assign, clone, cast:
		if types.Identical(r.in, r.out) {
			return "same"
		}
		return change("")
	case narrow:
		return change(", checked")
	case callHand:
		return "via(" + r.hand.fn.Name() + ")"
	case callPair:
		return "convert(" + r.pair.spoke.Name + ")"
	case each, entries, array:
		return e.describe(r.elem) + " each"
	case follow:
		return e.describe(r.elem)
	case take:
		nils := ""
		if r.zeroIsNil {
			nils = ", zero becomes nil"
		}
		return withElem(change(nils), e.describe(r.elem))
	case give:
		return withElem(change(", nil becomes zero"), e.describe(r.elem))
	}
	return Missing
}

// withElem adds the treatment of the pointee, unless the types already imply it.
func withElem(outer, elem string) string {
	if elem == "same" || strings.HasPrefix(elem, "convert(") {
		return outer
	}
	return outer + " " + elem
}

// function describes one conversion of a pair.
func (e *explainer) function(pr *pair, d direction) Function {
	w := &pr.ways[d]
	f := Function{Name: w.called(), Hand: w.hand != nil, Identity: pr.whole}
	for _, l := range pr.links {
		r := l.rules[d]
		if r == nil {
			continue
		}
		src, _ := l.ends(d)
		r.all(src.path(), clone, func(path string, _ *rule) { f.Shares = append(f.Shares, path) })
		r.all(src.path(), narrow, func(path string, n *rule) {
			f.Fails = append(f.Fails, path+" ("+e.typeName(n.in)+" to "+e.typeName(n.out)+")")
		})
		r.hands(func(h *hand) { f.Fails = append(f.Fails, src.path()+" ("+h.fn.Name()+")") })
	}
	if !f.Identity {
		f.Why = e.different(pr)
	}
	return f
}

// different returns why two structs are converted field by field.
func (e *explainer) different(pr *pair) string {
	a, b := pr.spoke.Struct, pr.hub.Struct
	for i := range max(a.NumFields(), b.NumFields()) {
		switch {
		case i >= a.NumFields():
			return e.typeName(pr.hub.Named) + " has " + b.Field(i).Name() + " as well"
		case i >= b.NumFields():
			return e.typeName(pr.spoke.Named) + " has " + a.Field(i).Name() + " as well"
		case a.Field(i).Name() != b.Field(i).Name():
			return "where one has " + a.Field(i).Name() + ", the other has " + b.Field(i).Name()
		case !types.Identical(a.Field(i).Type(), b.Field(i).Type()):
			return a.Field(i).Name() + " is " + e.typeName(a.Field(i).Type()) + " and " + e.typeName(b.Field(i).Type())
		case a.Tag(i) != b.Tag(i):
			return a.Field(i).Name() + " has another tag"
		}
	}
	if isKind(pr.spoke) {
		return "the scheme sets kind and apiVersion"
	}
	return "markers determine how its fields convert"
}
