// Package describe generates the data for showing kinds to people as a Description.
//
// The values of a description come from the JSON form of the object, by a function of meta/v1. The
// rest is generated: one table for the package, with all struct types that its kinds reach, the
// documentation of each field, and how to show values with a special form. The generated code has
// no function for each type, and a program that registers no descriptions does not link the texts.
//
// The form of a field follows from its type: times and durations, bytes, structs, and lists and
// maps of them. The unit of a number follows from the suffix of its name, Seconds or Bytes, unless
// the marker askind:describe states it. Secrets are marked askind:sensitive.
//
// A function with the right name and signature that the package declares itself is registered in
// place of a generated one.
package describe

import (
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

const describeMarker = "askind:describe"

// Plan plans the descriptions of the kinds of a package.
func Plan(c *feature.Context) feature.Plan {
	checkMarkers(c)
	if !c.Package.HasGroup || c.Package.Path == emit.MetaV1 || !switchedOn(c.Package.Markers) {
		return nil
	}
	p := &plan{c: c, byName: map[string]*described{}}
	for _, k := range c.Package.Kinds {
		if k.IsList || k.Struct == nil || !switchedOn(k.Markers) || !hasMetadata(c, k) ||
			c.Registrations.Field(k, "AppendJSONFields") == nil {
			continue
		}
		own := c.Declares(functionName(k), "func(in *T, out *metav1.Description, s *conversion.Scope) error", k)
		p.kinds = append(p.kinds, &kindPlan{kind: k, write: !own})
		p.named(k.Named)
	}
	if len(p.kinds) == 0 {
		return nil
	}
	p.closeAll()
	return p
}

// switchedOn reports whether no marker disables descriptions.
func switchedOn(l marker.List) bool {
	m := l.Get(describeMarker)
	return m == nil || m.Value != "false"
}

// checkMarkers reports errors that the syntax of the marker does not reveal.
func checkMarkers(c *feature.Context) {
	check := func(m *marker.Marker, field bool) {
		if m == nil {
			return
		}
		switch {
		case m.Value == "true":
			c.Errorf(m.ValuePos, "marker-value", "the only value of marker +%s is false", m.Name)
		case !field && !m.HasValue:
			c.Errorf(m.Pos, "marker-value",
				"marker +%s applies to fields; on a package or a type its only value is false",
				m.Name).Suggest("+%s=false", m.Name)
		}
	}
	check(c.Package.Markers.Get(describeMarker), false)
	for _, t := range c.Package.Types {
		check(t.Markers.Get(describeMarker), false)
		for _, f := range t.Fields {
			check(f.Markers.Get(describeMarker), true)
		}
	}
}

// hasMetadata reports whether a kind has object metadata that can be read as that of meta/v1.
func hasMetadata(c *feature.Context, k *model.Kind) bool {
	return k.Metadata != nil && (model.IsNamed(k.Metadata.Type, emit.MetaV1, "ObjectMeta") || c.Universe.HasView(k))
}

// functionName returns the name of the function that describes a kind.
func functionName(k *model.Kind) string { return k.Name + "AsDescription" }
