// Package defaults generates functions that set unset fields of an object to their defaults.
//
// # Where defaults come from
//
//   - +default=value and +kubebuilder:default=value on a field, or on a named type for all fields
//     of it. The value is JSON, or ref(Constant) for a Go constant. It is checked against the type
//     of the field here, and written as a Go literal.
//   - SetDefaultsT or SetDefaults_T, a hand-written func(*T) or func(*T) error.
//
// # What is generated
//
// A function DefaultT is generated for every struct that has defaults or contains one that does. It
// works from the outside in: first it calls the hand-written function of the struct, which sees
// only what the user set; then it applies the markers of still unset fields; then it visits the
// structs in the fields, through non-nil pointers, list elements, and map values, which are written
// back. So a hand-written function can set anything below its struct, and a struct created by a
// default gets its own defaults too.
//
// A field is unset if it is nil or, if it cannot be nil, if it is the zero value, which a method
// IsZero determines if the type has one. An empty list or map that is present stays empty. For a
// number or boolean that is not a pointer, zero and unset are the same: such a default is reported
// with a warning. Strings are not, because APIs in which the empty string has a meaning of its own
// are rare.
//
// Types that JSON represents as a string need a function that parses it: durations are computed by
// the generator, IntOrString is made by its constructors, and for others, such as quantities, the
// function Parse or ParseT of their package is called.
//
// # Related packages
//
// Package model has the types, package marker the markers, package emit writes the file.
package defaults

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
)

// Plan plans the functions that set defaults.
func Plan(c *feature.Context) feature.Plan {
	p := newPlanner(c)
	p.plan()
	for _, k := range c.Package.Kinds {
		if p.lifted(k.Type) {
			continue
		}
		fn := c.Universe.Func(model.Default, k.Named)
		if fn.State == model.Declared || p.needed(k.Named) {
			c.Registrations.KindField(k, "Default", func(f *emit.File) string { return f.S(fn.Ident) })
		}
		if fn.State != model.Declared && p.needed(k.Named) && p.setters[k.Named.Obj()] == nil && k.Metadata != nil &&
			!p.marked(k.Metadata) && !p.reaches(k.Metadata.Type, map[types.Type]bool{}) {
			c.Registrations.KindField(k, feature.Encoded+"Undefaulted", func(*emit.File) string { return "true" })
		}
	}
	if len(p.funcs) == 0 {
		return nil
	}
	return p
}
