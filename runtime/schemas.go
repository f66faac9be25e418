package runtime

import (
	"cmp"
	"slices"
)

// Schemas holds what generated code declares about the types of a package besides their functions:
// the OpenAPI schemas, and how fields are merged. It is static data and must not be modified.
type Schemas struct {
	// Text holds the schemas, compressed with DEFLATE (RFC 1951): lines with the name of a type, a
	// space, and its schema as JSON, in order of name. Package openapi reads it.
	Text string
	// Size is the number of bytes of the uncompressed text.
	Size int
	// Types describe how the fields of the structs merge, in order of name. The names are those of
	// the schemas.
	Types []MergeType
	// Imports are the schemas of other packages that these refer to.
	Imports []*Schemas
}

// MergeType declares how the fields of a struct are merged.
type MergeType struct {
	// Name is the name of the schema of the struct.
	Name string
	// Fields lists the fields that are structs, lists or maps, in order of name. All others are
	// values that are replaced. One with only a name may hold any JSON.
	Fields []MergeField
	// Atomic declares that values of the type are always replaced as a whole.
	Atomic bool
}

// MergeField declares how one field is merged.
type MergeField struct {
	// Name is the name in JSON.
	Name string
	// Type is the name of the struct in the field or in the elements of its list or map; blank for
	// other types.
	Type string
	// List is the type of the list in the field; blank if the field is not a list.
	List ListType
	// Keys are the JSON names of the fields that identify the elements of a list of type [ListMap].
	Keys []string
	// Map reports whether the field is a map.
	Map bool
	// Atomic reports whether a map or a struct is replaced as a whole.
	Atomic bool
	// Unknown reports whether the field can hold any object.
	Unknown bool
	// Default is the JSON of the default of a field that is among the keys of a list. Other
	// defaults are not listed.
	Default string
	// Strategy and MergeKey are how strategic merge patches treat the field: a patch strategy of
	// the Kubernetes API ("merge", "replace", "retainKeys", "merge,retainKeys", or blank) and the
	// field that identifies elements.
	Strategy, MergeKey string
}

// ListType declares how a list is merged.
type ListType string

// The list types, with their meaning in the Kubernetes API.
const (
	// ListAtomic lists are replaced as a whole. It is the default.
	ListAtomic ListType = "atomic"
	// ListSet lists hold distinct scalars, which are merged individually.
	ListSet ListType = "set"
	// ListMap lists hold structs, which are merged individually and identified by keys.
	ListMap ListType = "map"
)

// MergeType returns how the struct with that schema name is merged. It also searches the imported
// packages. It is nil if the name is unknown.
func (s *Schemas) MergeType(name string) *MergeType {
	if s == nil {
		return nil
	}
	return s.mergeType(name, map[*Schemas]bool{})
}

func (s *Schemas) mergeType(name string, seen map[*Schemas]bool) *MergeType {
	if i, ok := slices.BinarySearchFunc(s.Types,
		name, func(t MergeType, name string) int { return cmp.Compare(t.Name, name) }); ok {
		return &s.Types[i]
	}
	seen[s] = true
	for _, imported := range s.Imports {
		if seen[imported] {
			continue
		}
		if t := imported.mergeType(name, seen); t != nil {
			return t
		}
	}
	return nil
}
