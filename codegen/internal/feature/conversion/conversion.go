// Package conversion generates conversions between versions of API types.
//
// # What is converted
//
// A package that names hubs with +askind:hub gets, for each of its kinds that a hub has too, a
// function to the hub and one from it; a kind with +askind:equivalent gets them to and from a kind
// of another group. Structs in the fields of these follow as far as they differ. Lists need
// nothing: the runtime converts item by item.
//
// # How fields are matched
//
// By their names in JSON; by the Go name only where a side has no JSON tag; never by position. A
// planner makes one list of links for both directions of a struct pair, in this order:
//
//  1. +askind:drop and +askind:carry: the field has no place in the hub. What is carried comes
//     back: see carry.go.
//  2. +askind:to: the marker names the place. A path may lead through nested structs and pointers
//     to them; one that begins with "$." is seen from the kind, and "." stands for the struct
//     itself, so that the fields of a nested struct match those of the hub's outer one.
//  3. Fields with the same name.
//  4. +askind:absent and +askind:carry on the struct: the hub field is unknown here.
//
// A field of either side that is left over is an error with the marker to paste. So whatever a
// conversion loses has been written down with a reason, and these reasons go into the doc comment
// and the registration of the function.
//
// # How values are converted
//
// A rule is found for each direction of a link: see the actions in rule.go. Functions with the
// signature
//
//	func(in *A, out *B, s *conversion.Scope) error
//
// in the package win over rules, whatever their names, then the conversions that another package
// has for structs of its own (provider.go), then exported functions of the packages of the two
// types. +askind:via on a field names one that is meant for that field only. If a hand-written
// function has the very name that the generated one would have, such as ConvertMachineToV1, and the
// package uses the name convertMachineToV1Fields, then a function of that name is generated, which
// converts what has rules and names the rest in its comment.
//
// # Related packages
//
// Package model has the types that are converted, package emit writes the file.
package conversion

import (
	"strconv"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
)

// New returns the feature.
func New() feature.Feature { return conversions{} }

type conversions struct{}

// Name is the name of the feature.
const Name = "conversion"

// Name implements [feature.Feature].
func (conversions) Name() string { return Name }

// Plan implements [feature.Feature].
func (conversions) Plan(c *feature.Context) feature.Plan {
	p := newPlanner(c)
	p.plan()
	c.Shared[partsKey(c.Package.Path)] = p
	if len(p.pairs) == 0 {
		return nil
	}
	for _, pr := range p.kinds {
		for d := range pr.ways {
			p.register(pr, direction(d))
		}
	}
	return p
}

// register adds the conversion of a kind to AddTo.
func (p *planner) register(pr *pair, d direction) {
	losses := allLosses(pr, d)
	key := "conversion/" + pr.kind.Name + "/" + pr.peer.label + "/" + strconv.Itoa(int(d))
	p.c.Registrations.AddTo(key, func(f *emit.File) {
		name := registered(&pr.ways[d])
		add := emit.Ident{Path: emit.Runtime, Name: "AddConversion"}
		if len(losses) == 0 {
			f.Pf("%s(b, %s)", add, name)
			return
		}
		f.Pf("%s(b, %s,", add, name)
		for _, l := range losses {
			f.Pf("%s{Path: %q, Reason: %q},", emit.Ident{Path: emit.Conversion, Name: "Loss"}, l.path, l.reason)
		}
		f.P(")")
	})
	if pr.keepsMetadata(d) || pr.ways[d].keeps {
		p.c.Registrations.AddTo(key+"/metadata", func(f *emit.File) {
			f.Pf("%s(b, %s)", emit.Ident{Path: emit.Runtime, Name: "KeepMetadata"}, registered(&pr.ways[d]))
		})
	}
}

// registered is the name of the function that converts in a direction.
func registered(w *way) string {
	if w.hand != nil {
		return w.hand.fn.Name()
	}
	return w.name
}
