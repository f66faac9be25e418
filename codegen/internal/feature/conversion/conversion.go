// Package conversion generates conversions between versions of API types.
//
// # What is converted
//
// If a package names hubs with +askind:hub, each of its kinds that a hub has too gets a function to
// the hub and one from it. A kind with +askind:equivalent gets them to and from a kind of another
// group. Functions for structs in their fields follow as far as the structs differ. Lists need
// none: the runtime converts item by item.
//
// # How fields are matched
//
// Fields are matched by their JSON names, by the Go name only if a side has no JSON tag, and never
// by position. A planner makes one list of links for both directions of a struct pair, in this
// order:
//
//  1. +askind:drop and +askind:carry: the field has no place in the hub. Carried values are
//     restored, see carry.go.
//  2. +askind:to: the marker names the place. A path may lead through nested structs and pointers
//     to them. A path that begins with "$." is relative to the kind, and "." stands for the struct
//     itself, so that the fields of a nested struct match those of the hub's outer one.
//  3. Fields with the same name.
//  4. +askind:absent and +askind:carry on the struct: the spoke lacks the hub field.
//
// Any remaining field of either side is an error that suggests a marker. So every loss of a
// conversion is declared with a reason, and these reasons are part of the doc comment and the
// registration of the function.
//
// # How values are converted
//
// Each direction of a link has a rule: see the actions in rule.go. Functions with the signature
//
//	func(in *A, out *B, s *conversion.Scope) error
//
// in the package take precedence over rules, whatever their names. Next are the conversions that
// another package has for its own structs (provider.go), then exported functions of the packages of
// the two types. +askind:via on a field names a function for that field only. If a hand-written
// function has the name of a generated one, such as ConvertMachineToV1, and the package uses the
// name convertMachineToV1Fields, then a function of that name is generated, which converts the
// fields that have rules and lists the rest in its comment.
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

// Name is the name of the feature.
const Name = "conversion"

// Plan plans the conversions of a package.
func Plan(c *feature.Context) feature.Plan {
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
		name := pr.ways[d].called()
		add := emit.Ident{Path: emit.Runtime, Name: "AddConversion"}
		if len(losses) == 0 {
			f.Pf("%s(b, %s)", add, name)
			return
		}
		f.Pf("%s(b, %s,", add, name)
		for _, l := range losses {
			partial := ""
			if l.sort == merged {
				partial = ", Partial: true"
			}
			f.Pf("%s{Path: %q, Reason: %q%s},", emit.Ident{Path: emit.Conversion, Name: "Loss"}, l.path, l.reason, partial)
		}
		f.P(")")
	})
	if pr.keepsMetadata(d) || pr.ways[d].keeps {
		p.c.Registrations.AddTo(key+"/metadata", func(f *emit.File) {
			f.Pf("%s(b, %s)", emit.Ident{Path: emit.Runtime, Name: "KeepMetadata"}, pr.ways[d].called())
		})
	}
}
