package model

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/askind/askind/codegen/internal/load"
)

// needed are the predeclared names that generated code may use.
var needed = []string{
	"any", "append", "bool", "byte", "clear", "copy", "delete", "error", "false", "float32", "float64", "int", "int16",
	"int32", "int64", "int8", "len", "make", "new", "nil", "rune", "string", "true", "uint", "uint16", "uint32",
	"uint64", "uint8",
}

// checkNames reports declarations of a package that hide predeclared names from generated code.
func (u *Universe) checkNames(lp *load.Package, e Errors) {
	if lp.Types == nil {
		return
	}
	var hidden []types.Object
	for _, name := range needed {
		if obj := lp.Types.Scope().Lookup(name); obj != nil && obj.Pos() != token.NoPos {
			hidden = append(hidden, obj)
		}
	}
	slices.SortFunc(hidden, func(a, b types.Object) int { return int(a.Pos() - b.Pos()) })
	for _, obj := range hidden {
		e.Errorf(obj.Pos(), "name-hidden", "this declaration hides the predeclared %s, which generated code uses",
			obj.Name()).Suggest("give it another name")
	}
}
