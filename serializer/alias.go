package serializer

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
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

// builtinAliases returns the aliases of every factory: for objects as a user would have written
// them, for the plainest form of a table, and for a table in CSV. An alias is never chosen if the
// factory lacks its format or the endpoint cannot show its kind.
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

// alias is an Alias, taken apart.
type alias struct {
	name  string // in lower case
	means clause
}

func (f *Factory) addAliases(own []Alias) error {
	replaced := map[string]bool{}
	add := func(a Alias, builtin bool) error {
		name, ok := parseMediaType(a.Name)
		if !ok {
			return fmt.Errorf("serializer: the alias %s is not a media type of the form type/subtype", quote(a.Name))
		}
		if builtin && replaced[name.name] {
			return nil
		}
		if !builtin && replaced[name.name] {
			return fmt.Errorf("serializer: the alias %s is stated twice", name.name)
		}
		replaced[name.name] = true
		if a.For == "" {
			return nil
		}
		clauses := parseAccept(nil, []string{a.For}, nil)
		if len(clauses) != 1 || clauses[0].level != exact || clauses[0].fault.kind != noFault ||
			clauses[0].has&hasQuality != 0 {
			return fmt.Errorf(
				"serializer: the alias %s cannot stand for %s: it must be one media type with known parameters and no weight", name.name, quote(a.For),
			)
		}
		f.addName(name.name).alias = len(f.aliases)
		f.aliases = append(f.aliases, alias{name: name.name, means: clauses[0]})
		return nil
	}
	for _, a := range own {
		if err := add(a, false); err != nil {
			return err
		}
	}
	for _, a := range builtinAliases() {
		if err := add(a, true); err != nil {
			return err
		}
	}
	for i := range f.aliases {
		m := &f.aliases[i].means
		m.name = f.find(m.typ)
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

// recognize looks up the name in a clause, and replaces an alias by what it stands for; by its
// format only if that is all that is negotiated.
func (f *Factory) recognize(c *clause, formatOnly bool) {
	if c.level != exact {
		return
	}
	if c.name = f.find(c.typ); c.name == nil || c.name.alias < 0 {
		return
	}
	m := &f.aliases[c.name.alias].means
	c.typ, c.name = m.typ, m.name
	add := m.has &^ c.has
	if formatOnly || c.has&transforming != 0 {
		add &^= transforming
	}
	if add&hasGroup != 0 {
		c.group = m.group
	}
	if add&hasVersion != 0 {
		c.version = m.version
	}
	if add&hasAs != 0 {
		c.as = m.as
	}
	if add&hasServer != 0 {
		c.server = m.server
	}
	if add&hasExport != 0 {
		c.export = m.export
	}
	if add&hasPretty != 0 {
		c.pretty = m.pretty
	}
	if add&hasStream != 0 {
		c.stream = m.stream
	}
	if add&hasProfile != 0 {
		c.profile = m.profile
	}
	if add&hasInclude != 0 {
		c.include = m.include
	}
	if add&hasDrop != 0 {
		c.drop = m.drop
	}
	c.has |= add
}

// availableAliases returns the names of the aliases that a client of an offer can use.
func (n *negotiation) availableAliases() []string {
	var out []string
	for i := range n.factory.aliases {
		a := &n.factory.aliases[i]
		c := a.means
		if n.prepare(&c); c.fault.kind == noFault && n.writes(&c) {
			out = append(out, a.name)
		}
	}
	return out
}

// writes reports whether any format on offer can write what a clause asks for.
func (n *negotiation) writes(c *clause) bool {
	for j := range n.media {
		if c.media>>j&1 != 0 && n.encodes(&n.media[j], c.target) {
			return true
		}
	}
	return false
}

// findGeneric finds the kinds that any endpoint may answer with, whatever it serves: those that are
// shared, the same types under another name, and their other versions in meta.k8s.io.
func (f *Factory) findGeneric() {
	shared := map[string]bool{}
	f.generic = map[*runtime.Kind]bool{}
	for k := range f.scheme.Kinds() {
		if k.Shared() {
			shared[k.Name()] = true
		}
	}
	for k := range f.scheme.Kinds() {
		group := k.GroupVersion().Group
		f.generic[k] = k.Shared() || shared[k.Name()] && (group == "" || group == metaGroup)
	}
	f.status = f.findStatus()
}

// findStatus returns the kind as which errors are written. That is v1, which every client expects,
// also if the scheme has the type under the name of its group only; unless the program has a Status
// of its own instead.
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
