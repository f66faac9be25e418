package model

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/schema"
)

// A trait is a property of the values of a field. Its marker may be in three places: on the field,
// on the named type of the field, or on the struct with the names of the fields, which is the way
// to mark types that cannot be edited.
const (
	// Sensitive values are secrets.
	Sensitive = "askind:sensitive"
	// ServerSet values are set by the server, not by users.
	ServerSet = "askind:serverset"
)

// FieldTrait reports whether a field has a trait, and whether a marker states it. A marker on the
// field takes precedence over one on its type. The struct tag datapolicy, which Kubernetes uses for
// secrets, makes a field sensitive too.
func (u *Universe) FieldTrait(trait string, f *Field) (has, said bool) {
	if m := f.Markers.Get(trait); m != nil {
		return m.Value != "false", true
	}
	if _, ok := reflect.StructTag(f.Tag).Lookup("datapolicy"); ok && trait == Sensitive {
		return true, true
	}
	return u.TypeTrait(trait, f.Type)
}

// PathTrait reports whether the last of a path of fields has a trait, itself or because a field on
// the path has it. The marker nearest to the last field takes precedence.
func (u *Universe) PathTrait(trait string, path []*Field) bool {
	for _, f := range slices.Backward(path) {
		if has, said := u.FieldTrait(trait, f); said {
			return has
		}
	}
	return false
}

// TypeTrait reports whether all values of a type have a trait: the type itself, or the element type
// of a pointer, list or map.
func (u *Universe) TypeTrait(trait string, t types.Type) (has, said bool) {
	if u.program == nil { // types without source have no markers
		return false, false
	}
	for range 8 { // real types are less deep
		switch tt := types.Unalias(t).(type) {
		case *types.Named:
			if tt.Obj().Pkg() == nil {
				return false, false
			}
			if mt := u.Type(tt); mt != nil {
				for _, m := range mt.Markers.All(trait) {
					if len(m.Args) == 0 {
						return m.Value != "false", true
					}
				}
			}
			if _, ok := tt.Underlying().(*types.Struct); ok {
				return false, false
			}
			t = tt.Underlying()
		case *types.Pointer, *types.Slice, *types.Array, *types.Map:
			t = Elem(tt)
		default:
			return false, false
		}
	}
	return false, false
}

// mark adds a marker of a struct to one of its fields, whose source may not be editable.
func (u *Universe) mark(t *Type, f *Field, m *marker.Marker) {
	bare := *m
	bare.Args = nil
	if u.marks == nil {
		u.marks = map[token.Pos]marker.List{}
	}
	if u.marks[f.Pos].Has(m.Name) {
		return
	}
	u.marks[f.Pos] = append(u.marks[f.Pos], &bare)
	for _, known := range t.Fields { // already read
		if known.Pos == f.Pos {
			known.Markers = append(known.Markers, &bare)
		}
	}
}

// readTraits adds the markers of a struct that name fields to these fields, and reports errors that
// the syntax check of markers does not find, such as unknown field names.
func readTraits(t *Type, e Errors) {
	for _, trait := range []string{Sensitive, ServerSet} {
		for _, m := range t.Markers.All(trait) {
			a := m.ArgAt("fields")
			if a == nil {
				continue
			}
			if t.Struct == nil {
				e.Errorf(a.Pos, "trait-fields", "%s is not a struct, so it has no fields", t.Name)
				continue
			}
			var names []string
			fields := e.Universe.JSONFields(t.Struct)
			for _, f := range fields {
				names = append(names, f.Key)
			}
			for name := range strings.FieldsFuncSeq(a.Value, func(r rune) bool { return r == ';' || r == ' ' }) {
				if i := slices.Index(names, name); i >= 0 {
					e.Universe.mark(t, fields[i].Field, m)
					continue
				}
				d := e.Errorf(a.ValuePos+token.Pos(max(0, strings.Index(a.Value, name))), "trait-fields",
					"%s has no field %q", t.Name, name)
				if near, ok := schema.Nearest(name, names); ok {
					d.Suggest("%s", near)
				}
			}
		}
		for _, f := range t.Fields {
			if m := f.Markers.Get(trait); m != nil {
				if a := m.ArgAt("fields"); a != nil {
					e.Errorf(a.Pos, "trait-fields",
						"the argument fields is only for structs; on a field, the marker applies to that field")
				}
			}
		}
	}
}
