package conversion

import (
	"go/types"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/model"
)

// name assigns names to the functions of a pair and finds the hand-written ones. A name depends
// only on the two types unless another pair already has it.
func (p *planner) name(pr *pair) {
	base, hubBase := instanceName(pr.spoke.Named), instanceName(pr.hub.Named)
	suffix := pr.peer.label
	if base != hubBase {
		taken := func(o *pair) bool { return o.ways[toHub].name == convertName(base, "To", suffix) }
		if slices.ContainsFunc(p.pairs, taken) || pr.peer.pkg.Find(pr.spoke.Name) != nil && !pr.root {
			suffix += emit.UpperFirst(hubBase)
		}
	}
	for slices.ContainsFunc(p.pairs, func(o *pair) bool {
		return o.ways[toHub].name == convertName(base, "To", suffix)
	}) {
		base = emit.UpperFirst(pr.spoke.Package.Name) + emit.UpperFirst(base)
	}
	for d, word := range []string{"To", "From"} {
		w := &pr.ways[d]
		w.name = convertName(base, word, suffix)
		in, out := pr.types(direction(d))
		if w.hand = p.only(p.hands.find(in.Named, out.Named)); w.hand != nil {
			w.fields = p.hands.mentions(emit.LowerFirst(w.name)+"Fields") > 0
			p.use(w.hand)
		} else if obj := p.pkg.Go.Scope().Lookup(w.name); obj != nil && p.once("signature "+w.name) {
			p.c.Errorf(obj.Pos(), "convert-signature",
				"%s is the name of the conversion from %s to %s, but it has another signature", w.name,
				p.typeName(in.Named), p.typeName(out.Named)).
				Suggest("%s", p.signatureOf(w.name, in.Named, out.Named))
		}
	}
}

// fieldName returns a field for messages: the struct that declares it, below t, and its Go name.
func (p *planner) fieldName(t *model.Type, f place) string {
	name := p.typeName(t.Named)
	if n := len(f.fields); n > 1 {
		if owner, _ := model.StructOf(f.fields[n-2].Type); owner != nil {
			name = p.typeName(owner)
		}
	}
	return name + "." + f.last().Name
}

// named returns a field of the source side of a pair for messages: its Go name, and its JSON path
// from the kind.
func (p *planner) named(pr *pair, d direction, f place) string {
	owner, _ := pr.types(d)
	return p.fieldName(owner, f) + " (" + p.where(pr, d, f) + ")"
}

// where returns the JSON location of a field: "spec.disks[*].size of Machine". Of several locations
// it returns the first.
func (p *planner) where(pr *pair, d direction, f place) string {
	path := f.path()
	root := pr.around(func(s site) {
		at, _ := s.link.ends(d)
		if s.inside {
			path = "[*]." + path
		}
		if !at.whole {
			path = join(at.path(), path)
		}
	})
	owner, _ := root.types(d)
	return path + " of " + owner.Name
}

// around ascends from a pair through the first call site of each to the pair of a kind, or to one
// without callers, and calls step, unless it is nil, for each site.
func (pr *pair) around(step func(site)) *pair {
	for seen := map[*pair]bool{}; len(pr.sites) > 0 && pr.kind == nil && !seen[pr]; {
		seen[pr] = true
		s := pr.sites[0]
		if step != nil {
			step(s)
		}
		pr = s.pair
	}
	return pr
}

// instanceName returns the name of a type followed by those of its type arguments, including
// composite ones.
func instanceName(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		name := t.Obj().Name()
		for arg := range t.TypeArgs().Types() {
			name += emit.UpperFirst(instanceName(arg))
		}
		return name
	case *types.Pointer:
		return instanceName(t.Elem()) + "Pointer"
	case *types.Slice:
		return instanceName(t.Elem()) + "Slice"
	case *types.Array:
		return instanceName(t.Elem()) + "Array" + strconv.FormatInt(t.Len(), 10)
	case *types.Map:
		return instanceName(t.Elem()) + "By" + emit.UpperFirst(instanceName(t.Key()))
	case *types.Interface:
		if t.Empty() {
			return "Any"
		}
	case *types.Basic:
		return t.Name()
	}
	return "Value"
}

func convertName(base, word, suffix string) string {
	name := "Convert" + emit.UpperFirst(base) + word + suffix
	if first, _ := utf8.DecodeRuneInString(base); !unicode.IsUpper(first) {
		return emit.LowerFirst(name)
	}
	return name
}
