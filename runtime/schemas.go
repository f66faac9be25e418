package runtime

import (
	"cmp"
	"slices"
)

// Schemas has what generated code declares about the types of a package besides their functions:
// the OpenAPI schemas, and how fields are merged. It is static data and must not be modified.
type Schemas struct {
	// Text holds the schemas, compressed as RFC 1951 says: lines with the name of a type, a blank,
	// and its schema as JSON, in order of name. Package openapi reads it.
	Text string
	// Size is the number of bytes of the text when it is not compressed.
	Size int
	// Types say how the fields of the structs merge, in order of name. The names are those of the
	// schemas.
	Types []MergeType
	// Imports are the schemas of other packages that these refer to.
	Imports []*Schemas
}

// MergeType declares how the fields of a struct are merged.
type MergeType struct {
	// Name is the name of the schema of the struct.
	Name string
	// Fields, in order of name, are those that are structs, lists or maps. All others are values
	// that are replaced.
	Fields []MergeField
}

// MergeField declares how one field is merged.
type MergeField struct {
	// Name is the name in JSON.
	Name string
	// Type is the name of the struct that the field holds, or that the elements of its list or map
	// are; blank if they are none.
	Type string
	// List is the type of the list that the field holds; blank if it holds none.
	List ListType
	// Keys are the JSON names of the fields by which the elements of a list of type [ListMap] are
	// told apart.
	Keys []string
	// Map says that the field holds a map.
	Map bool
	// Atomic says that a map or a struct is replaced as a whole.
	Atomic bool
	// Unknown says that the field can hold any object.
	Unknown bool
	// Default is the JSON of the default of a field that is among the keys of a list. Other
	// defaults are not listed.
	Default string
	// Strategy and MergeKey are how strategic merge patches treat the field: a patch strategy of
	// the Kubernetes API ("merge", "replace", "retainKeys", "merge,retainKeys", or blank) and the
	// field by which it finds elements.
	Strategy, MergeKey string
}

// ListType declares how a list is merged.
type ListType string

// The list types, with the meaning that they have in the Kubernetes API.
const (
	// ListAtomic lists are replaced as a whole. It is the default.
	ListAtomic ListType = "atomic"
	// ListSet lists hold different scalars, which are merged one by one.
	ListSet ListType = "set"
	// ListMap lists hold structs, which are merged one by one and told apart by keys.
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

// Schema returns the name of the schema of the kind and the schemas that contain it, nil if there
// is none.
func (k *Kind) Schema() (name string, in *Schemas) {
	r := recordOf(k.table)
	if r == nil || r.schemas == nil {
		return "", nil
	}
	return r.schemaName, r.schemas
}
