package serializer

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/internal/accept"
)

// Alias is a short name for a media type with parameters, for clients that cannot write parameters.
// In an Accept header the name stands for [Alias.For]. Parameters that the client adds take
// precedence; if they choose a kind, those of the alias that choose one are ignored. The
// Content-Type of the answer names the media type and parameters, not the alias, so that every
// client can parse it.
type Alias struct {
	_ struct{} // literals name their fields

	// Name is the alias, of the form type/subtype. It may be a media type itself: text/csv stands
	// for a table in that format.
	Name string
	// For is what the alias stands for, as a clause of an Accept header without a weight:
	// "text/csv;as=Table".
	For string
}

// builtinAliases returns the aliases of every factory: for exported objects, for the plainest form
// of a table, and for a table in CSV. An alias is ignored if the factory lacks its format or the
// endpoint cannot show its kind.
func builtinAliases() []Alias {
	return []Alias{
		{Name: "application/json+vnd.kubernetes.export", For: "application/json;export=1"},
		{
			Name: "application/json+vnd.kubernetes.as+meta.k8s.io+v1+TabularOutput",
			For:  "application/json;g=meta.k8s.io;v=v1;as=TabularOutput",
		},
		{Name: "text/csv", For: "text/csv;as=Table"},
	}
}

// alias is a parsed Alias.
type alias struct {
	name   string // in lower case
	means  accept.Clause
	format *name // in means
}

func (f *Factory) addAliases(own []Alias) error {
	replaced := map[string]bool{}
	for i, a := range append(own[:len(own):len(own)], builtinAliases()...) {
		m, ok := accept.ParseMediaType(a.Name)
		if !ok {
			return fmt.Errorf("serializer: the alias %s is not a media type of the form type/subtype", schema.Quote(a.Name))
		}
		if replaced[m.Name] {
			if i >= len(own) { // a built-in one
				continue
			}
			return fmt.Errorf("serializer: the alias %s occurs twice", m.Name)
		}
		replaced[m.Name] = true
		if a.For == "" {
			continue
		}
		clauses := accept.Parse(nil, []string{a.For}, nil)
		if len(clauses) != 1 || clauses[0].Level != accept.Exact || clauses[0].Fault.Kind != accept.NoFault ||
			clauses[0].Has&accept.HasQuality != 0 {
			return fmt.Errorf(
				"serializer: the alias %s cannot stand for %s: use one media type with known parameters "+
					"and no weight", m.Name, schema.Quote(a.For),
			)
		}
		f.addName(m.Name).alias = len(f.aliases)
		f.aliases = append(f.aliases, alias{name: m.Name, means: clauses[0]})
	}
	for i := range f.aliases {
		a := &f.aliases[i]
		a.format = f.find(a.means.Range)
	}
	return nil
}

// alias finds an alias by its name.
func (f *Factory) alias(s string) *alias {
	if n := f.find(s); n != nil && n.alias >= 0 {
		return &f.aliases[n.alias]
	}
	return nil
}

// recognize looks up the name in a clause. It replaces an alias by its media type and, unless only
// the format is negotiated, its parameters.
func (f *Factory) recognize(c *clause, formatOnly bool) {
	if c.Level != accept.Exact {
		return
	}
	if c.name = f.find(c.Range); c.name == nil || c.name.alias < 0 {
		return
	}
	a := &f.aliases[c.name.alias]
	c.Range, c.name = a.means.Range, a.format
	add := a.means.Has &^ c.Has
	if formatOnly || c.Has&accept.Transforming != 0 {
		add &^= accept.Transforming
	}
	c.Inherit(&a.means, add)
}

// availableAliases returns the names of the aliases that a client of an offer can use.
func (n *negotiation) availableAliases() []string {
	var out []string
	for i := range n.factory.aliases {
		a := &n.factory.aliases[i]
		means := a.means
		c := clause{Clause: &means, name: a.format}
		if n.prepare(&c); c.Fault.Kind == accept.NoFault && n.writes(&c) {
			out = append(out, a.name)
		}
	}
	return out
}

// writes reports whether any format on offer can write what a clause requests.
func (n *negotiation) writes(c *clause) bool {
	for j := range n.media {
		if c.media>>j&1 != 0 && n.encodes(&n.media[j], c.target) {
			return true
		}
	}
	return false
}

// findGeneric finds the kinds that every endpoint may return: the shared kinds, the same types
// under another name, and their other versions in meta.k8s.io.
func (f *Factory) findGeneric() {
	shared := map[string]bool{}
	f.generic = map[*runtime.Kind]bool{}
	for k := range f.scheme.Kinds() {
		if k.Info().Shared {
			shared[k.Name()] = true
		}
	}
	for k := range f.scheme.Kinds() {
		group := k.GroupVersion().Group
		f.generic[k] = k.Info().Shared || shared[k.Name()] && (group == "" || group == metaGroup)
	}
	f.status = f.findStatus()
}

// findStatus returns the kind as which errors are written: v1, which every client expects, even if
// the scheme has the type only under the name of its group. A Status type of the program takes
// precedence.
func (f *Factory) findStatus() *runtime.Kind {
	core := schema.GroupVersionKind{Version: "v1", Kind: statusKind}
	if k, ok := f.scheme.Lookup(core); ok && k.GroupVersionKind() == core {
		return k
	}
	var own *runtime.Kind
	for k := range f.scheme.Kinds() {
		switch {
		case k.Type() == unregisteredStatus.Type():
			return unregisteredStatus
		case own == nil && f.generic[k] && k.Name() == statusKind:
			own = k
		}
	}
	if own != nil {
		return own
	}
	return unregisteredStatus
}
