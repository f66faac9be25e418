// Package validation generates functions that check objects against the rules of their markers.
//
// It writes a function CheckFieldsT for every struct T that has rules, directly or in nested
// values:
//
//	func CheckFieldsMachineSpec(ctx context.Context, in, old *MachineSpec) (errs runtime.FieldErrors)
//
// The function checks the fields in order of declaration, calls the functions of nested structs,
// and then the hand-written functions ValidateT and ValidateChangeT of the package, for rules that
// markers cannot express. If old is not nil, unchanged values are not checked again. Elements of
// lists are matched with old ones by their keys, if they have any, else by index.
//
// The rules come from package constraint, like those of the schemas. A rule that does not apply to
// its type is an error, and so is a rule in CEL unless a marker states what enforces it.
package validation

import (
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/schema"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// path is the import path of the package that generated code calls.
const path = "github.com/askind/askind/validation"

func lib(name string) emit.Ident      { return emit.Ident{Path: path, Name: name} }
func runtimeID(s string) emit.Ident   { return emit.Ident{Path: emit.Runtime, Name: s} }
func schemaID(name string) emit.Ident { return emit.Ident{Path: emit.Schema, Name: name} }

// checkFields is the operation of the generated functions.
var checkFields = model.Op{Prefix: "CheckFields"}

// Plan plans the functions that check the objects of a package.
func Plan(c *feature.Context) feature.Plan {
	if c.Package.Path == emit.MetaV1 {
		return nil // hand-written functions check its types
	}
	p := &plan{
		c: c, u: c.Universe, needs: map[*types.TypeName]bool{}, patterns: map[string]string{},
		reported: map[string]bool{},
	}
	p.checkTypes()
	p.checkNames()
	for _, t := range c.Package.Types {
		k := c.Package.Kind(t.Name)
		isList := k != nil && k.IsList // whose items are checked individually by their kind
		if t.Struct == nil || t.Named.TypeParams().Len() > 0 || !p.needed(t.Named) || isList {
			continue
		}
		p.function(t)
	}
	for _, k := range c.Package.Kinds {
		if k.IsList || k.Struct == nil || !p.needed(k.Named) {
			continue
		}
		name := checkFields.Name(k.Name)
		c.Registrations.KindField(k, "ValidateChange", func(*emit.File) string { return name })
		c.Registrations.KindField(k, "Validate", func(f *emit.File) string {
			return f.Sf("func(ctx %s, in *%s) %s { return %s(ctx, in, nil) }",
				emit.Ident{Path: "context", Name: "Context"},
				k.Named, runtimeID("FieldErrors"), name)
		})
	}
	if len(p.functions) == 0 {
		return nil
	}
	return p
}

type plan struct {
	c *feature.Context
	u *model.Universe
	// needs reports which structs have functions.
	needs     map[*types.TypeName]bool
	functions []*function
	// patterns has the names of variables by their regular expressions.
	patterns map[string]string
	ordered  []string
	reported map[string]bool
}

// function is one function: lines of arguments for [emit.File.P].
type function struct {
	t     *model.Type
	lines [][]any
}

// Emit implements [feature.Plan].
func (p *plan) Emit(f *emit.File) {
	for _, fn := range p.functions {
		name := checkFields.Name(fn.t.Name)
		f.P("// ", name, " checks the rules of ", fn.t.Name, " and of what it holds.")
		f.P("// If old is not nil, values that are as in old are not checked.")
		f.P("func ", name, "(ctx ", emit.Ident{Path: "context", Name: "Context"}, ", in, old *", fn.t.Named, ") (errs ",
			runtimeID("FieldErrors"), ") {")
		for _, line := range fn.lines {
			f.P(line...)
		}
		f.P("return errs")
		f.P("}")
		f.P()
	}
	if len(p.ordered) == 0 {
		return
	}
	f.P("// The patterns, each compiled when it is first used.")
	f.P("var (")
	for _, expr := range p.ordered {
		f.P(p.patterns[expr], " = ", lib("Pattern"), "{Expr: ", quote(expr), "}")
	}
	f.P(")")
}

// hand returns the hand-written functions that check a struct and a change of it.
func (p *plan) hand(n *types.Named) (validate, change *types.Func) {
	if fn := p.u.Func(model.Validate, n); fn.State == model.Declared {
		validate, _ = fn.Object.(*types.Func)
	}
	if fn := p.u.Func(model.ValidateChange, n); fn.State == model.Declared {
		change, _ = fn.Object.(*types.Func)
	}
	return validate, change
}

// checkNames reports functions whose names are similar to that of a validation function of their
// package, such as ValidateCars: they would not be called.
func (p *plan) checkNames() {
	for _, fn := range p.c.Package.Functions() {
		// Unexported functions are helpers.
		if !fn.Exported() || !strings.HasPrefix(fn.Name(), "Valid") {
			continue
		}
		for v := range fn.Signature().Params().Variables() {
			pointer, ok := types.Unalias(v.Type()).(*types.Pointer)
			if !ok {
				continue
			}
			n, ok := types.Unalias(pointer.Elem()).(*types.Named)
			if !ok || n.Obj().Pkg() != p.c.Package.Go || n.TypeArgs().Len() > 0 {
				continue
			}
			name := n.Obj().Name()
			wants := []string{model.Validate.Name(name), "ValidateChange" + name}
			near, ok := schema.Nearest(fn.Name(), wants)
			exact := near == fn.Name()
			if !ok || !exact && p.c.Package.Lookup(near) != nil {
				continue
			}
			validate, change := p.hand(n)
			if fn == validate || fn == change || exact && near == wants[0] && p.isKind(n) { // else an error of register
				break
			}
			why := "a function named " + near
			if exact {
				why = "one with the right signature"
			}
			signature := "func " + near + "(ctx context.Context, in *" + name + ") runtime.FieldErrors"
			if near == wants[1] {
				signature = "func " + near + "(ctx context.Context, in, old *" + name + ") runtime.FieldErrors"
			}
			p.c.Warnf(fn.Pos(), "validate-signature", "%s is not called; %s would validate %s", fn.Name(), why, name).
				Suggest("%s", signature)
			break
		}
	}
}

// callable reports whether a package has, or will have, a function for a struct.
func (p *plan) callable(n *types.Named) bool {
	if n.TypeArgs().Len() > 0 || n.Obj().Pkg() == nil {
		return false
	}
	home := p.u.Home(n)
	if home == nil || home.Path == emit.MetaV1 || home != p.c.Package && !n.Obj().Exported() {
		return false
	}
	if !home.Output {
		return home.Lookup(checkFields.Name(n.Obj().Name())) != nil
	}
	return slices.ContainsFunc(home.Types, func(t *model.Type) bool {
		return t.Named.Obj() == n.Obj() && t.Struct != nil
	})
}

// needed reports whether a struct has a function. It does not depend on the package that is
// planned.
func (p *plan) needed(n *types.Named) bool {
	if known, ok := p.needs[n.Obj()]; ok {
		return known
	}
	found := p.callable(n) && p.reaches(n, map[types.Type]bool{})
	p.needs[n.Obj()] = found
	return found
}

// reaches reports whether a type or a value in it has rules.
func (p *plan) reaches(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Named:
		if u.Obj().Pkg() == nil {
			return false
		}
		if _, ok := u.Underlying().(*types.Struct); ok {
			switch {
			case p.opaque(u):
				return false
			case u.TypeArgs().Len() > 0: // checked inline
			case !p.callable(u):
				return false
			case !p.u.Home(u).Output: // its functions already exist
				return true
			}
			if validate, change := p.hand(u); change != nil || validate != nil && !p.isKind(u) {
				return true
			}
		}
		if mt := p.u.Type(u); mt != nil && hasChecks(constraint.Read(mt.Markers, nil)) {
			return true
		}
		return p.reaches(u.Underlying(), seen)
	case *types.Pointer, *types.Slice, *types.Array:
		return p.reaches(model.Elem(u), seen)
	case *types.Map:
		return p.reaches(u.Key(), seen) || p.reaches(u.Elem(), seen)
	case *types.Struct:
		for _, f := range p.u.JSONFields(u) {
			if p.checks(f, constraint.Read(f.Markers, nil), seen) {
				return true
			}
		}
	}
	return false
}

// checks reports whether a field or a value in it has rules that need code.
func (p *plan) checks(f *model.JSONField, rules constraint.Rules, seen map[types.Type]bool) bool {
	return hasChecks(slices.DeleteFunc(slices.Clone(rules), func(r *constraint.Rule) bool {
		return r.Kind == constraint.Required && missing(f, r, rules, "in") == ""
	})) || p.reaches(f.Type, seen)
}

func (p *plan) isKind(n *types.Named) bool {
	home := p.u.Home(n)
	return home != nil && home.Kind(n.Obj().Name()) != nil
}

// opaque reports whether a type encodes its own JSON.
func (p *plan) opaque(n *types.Named) bool {
	json, text := schemas.Writes(n)
	return json || text || schemas.IsLeaf(n)
}

// hasChecks reports whether rules need code.
func hasChecks(rules constraint.Rules) bool {
	return slices.ContainsFunc(rules, func(r *constraint.Rule) bool {
		switch r.Kind {
		case constraint.Optional, constraint.Nullable, constraint.Type, constraint.Title, constraint.Example,
			constraint.ExternalDocs, constraint.Default,
			constraint.EmbeddedResource, constraint.IntOrString, constraint.PreserveUnknown, constraint.Schemaless,
			constraint.ListMapKey, constraint.MapType, constraint.StructType, constraint.PatchStrategy,
			constraint.PatchMergeKey,
			constraint.CEL:
			return false
		case constraint.ListType:
			return r.Text == "set" || r.Text == "map"
		}
		return true
	})
}
