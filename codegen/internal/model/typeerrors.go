package model

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/load"
)

// syntaxErrors reports syntax errors. Those in packages without generated code do not matter.
func (u *Universe) syntaxErrors(lp *load.Package, e Errors) {
	for _, err := range lp.ParseErrors {
		pos := err.Pos
		pos.Filename = load.Short(u.dir, pos.Filename)
		e.List.Errorf(pos, "syntax", "%s", err.Msg)
	}
}

// checkerErrors reports those errors of the type checker that a function selects, and returns their
// positions.
func (p *Package) checkerErrors(e Errors, selects func(types.Error) bool) (found []token.Pos) {
	var last *diag.Diagnostic
	for _, err := range p.loaded.TypeErrors {
		// A second declaration of a name is an error; the position of the first follows as another.
		if other, ok := strings.CutPrefix(err.Msg, "\t"); ok {
			if last != nil {
				last.Relate(e.Universe.Position(err.Pos), "%s", other)
			}
			continue
		}
		if last = nil; selects(err) {
			last = e.Errorf(err.Pos, "type", "%s", err.Msg)
			found = append(found, err.Pos)
		}
	}
	return found
}

// typeErrors reports the errors of the type checker in the declaration of a type that takes part.
func (p *Package) typeErrors(t *Type, e Errors) {
	u := p.universe
	s := u.specs[t.Pos]
	if s == nil {
		return
	}
	found := t.Package.checkerErrors(e, func(err types.Error) bool {
		return s.spec.Pos() <= err.Pos && err.Pos <= s.spec.End()
	})
	if t.Struct == nil && len(found) == 0 && ContainsInvalid(t.Named.Underlying()) {
		t.Package.unknown(e, t.Pos, t.Name)
	}
	for _, f := range t.Fields {
		if !containsInvalid(f.Type, p.Owns) { // those of the package are reported at their declaration
			continue
		}
		syntax := u.fields[f.Pos]
		if syntax != nil && slices.ContainsFunc(found, func(pos token.Pos) bool {
			return syntax.Pos() <= pos && pos <= syntax.End()
		}) {
			continue
		}
		t.Package.unknown(e, f.Pos, t.Name+"."+f.Name)
	}
}

// unknown reports a type or a field whose type is not known, with the imports that are missing.
func (p *Package) unknown(e Errors, pos token.Pos, name string) {
	d := e.Errorf(pos, "type", "the type of %s is not known", name)
	for _, err := range p.loaded.TypeErrors {
		if !strings.Contains(err.Msg, "could not import") {
			continue
		}
		// The go command's advice is on separate lines.
		msg, _, cut := strings.Cut(err.Msg, "; to add it:")
		if cut {
			msg += ")"
		}
		d.Relate(p.universe.Position(err.Pos), "%s", msg)
	}
}

// unknownMeta reports the first kind that embeds an undefined type, such as a TypeMeta for want of
// its import.
func (p *Package) unknownMeta(e Errors) bool {
	for _, t := range p.Declared() {
		if t.marked() && slices.ContainsFunc(t.Fields, func(f *Field) bool {
			return f.Embedded && ContainsInvalid(f.Type)
		}) {
			p.typeErrors(t, e)
			return true
		}
	}
	return false
}

// SharesName reports whether several fields of the struct have this name in JSON, which is an
// error.
func (t *Type) SharesName(name string) bool {
	n := 0
	for _, f := range t.Fields {
		if name != "" && !f.JSON.Skip && f.JSON.Name == name && f.Exported() {
			n++
		}
	}
	return n > 1
}

// ContainsInvalid reports whether a type contains an undefined type. The type checker has reported
// it; another error about the type would repeat that without the name.
func ContainsInvalid(t types.Type) bool {
	return containsInvalid(t, func(types.Object) bool { return false })
}

// containsInvalid is [ContainsInvalid] except for some named types.
func containsInvalid(t types.Type, except func(types.Object) bool) bool {
	for part := range Parts(t) {
		if containsInvalid(part, except) {
			return true
		}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && except(n.Obj()) {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Invalid
}
