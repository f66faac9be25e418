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
	for _, f := range t.Fields {
		if !ContainsInvalid(f.Type) {
			continue
		}
		syntax := u.fields[f.Pos]
		if syntax != nil && slices.ContainsFunc(found, func(pos token.Pos) bool {
			return syntax.Pos() <= pos && pos <= syntax.End()
		}) {
			continue
		}
		d := e.Errorf(f.Pos, "type", "the type of %s.%s is not known", t.Name, f.Name)
		for _, err := range t.Package.loaded.TypeErrors {
			if !strings.Contains(err.Msg, "could not import") {
				continue
			}
			// The go command's advice is on separate lines.
			msg, _, cut := strings.Cut(err.Msg, "; to add it:")
			if cut {
				msg += ")"
			}
			d.Relate(u.Position(err.Pos), "%s", msg)
		}
	}
}

// unknownMeta reports the first kind that embeds an undefined type, such as a TypeMeta for want of
// its import.
func (p *Package) unknownMeta(e Errors) bool {
	for _, t := range p.declared() {
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
	for part := range Parts(t) {
		if ContainsInvalid(part) {
			return true
		}
	}
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.Invalid
}
