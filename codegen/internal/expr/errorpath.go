package expr

import (
	"go/types"

	"github.com/askind/askind/codegen/internal/emit"
)

// ErrorPath adds the path from a struct to a value to an error expression. The nil ErrorPath adds
// nothing.
type ErrorPath func(f *emit.File, err string) string

// At returns the expression of the error at the path.
func (p ErrorPath) At(f *emit.File, err string) string {
	if p == nil {
		return err
	}
	return p(f, err)
}

// Field returns the path to a field, or to one of a field of it, by their JSON names.
func (p ErrorPath) Field(names ...string) ErrorPath {
	switch len(names) {
	case 0:
		return p
	case 1:
		return func(f *emit.File, err string) string {
			return p.At(f, f.Sf("%s(%s, %q)", emit.Ident{Path: emit.Schema, Name: "AtField"}, err, names[0]))
		}
	}
	return func(f *emit.File, err string) string {
		return p.At(f, f.Sf("%s(%s, %s(%s))", emit.Ident{Path: emit.Schema, Name: "AtPath"}, err,
			emit.Ident{Path: emit.Schema, Name: "NewPath"}, Quote(names...)))
	}
}

// Index returns the path to an element of a list.
func (p ErrorPath) Index(i string) ErrorPath {
	return func(f *emit.File, err string) string {
		return p.At(f, f.Sf("%s(%s, %s)", emit.Ident{Path: emit.Schema, Name: "AtIndex"}, err, i))
	}
}

// Key returns the path to an entry of a map, by a key of the type.
func (p ErrorPath) Key(k string, t types.Type) ErrorPath {
	return func(f *emit.File, err string) string {
		text := Convert(k, t, "string")
		if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
			text = f.Sf("%s(%s)", emit.Ident{Path: "fmt", Name: "Sprint"}, k)
		}
		return p.Entry(text)(f, err)
	}
}

// Entry returns the path to an entry of a map, by the text of its key.
func (p ErrorPath) Entry(text string) ErrorPath {
	return func(f *emit.File, err string) string {
		return p.At(f, f.Sf("%s(%s, %s)", emit.Ident{Path: emit.Schema, Name: "AtKey"}, err, text))
	}
}
