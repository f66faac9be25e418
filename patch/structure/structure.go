// Package structure describes how the fields of a type merge: the keys of lists, the values that
// are replaced as a whole, and the strategies of strategic merge patches.
//
// A [Type] is a graph of plain values. [Of] creates it from the generated schema of a kind; keep
// the result. [Deduced] is the type of values without a schema. A graph is immutable and safe for
// concurrent use.
//
//	kind, err := scheme.KindOf(obj)
//	…
//	t := structure.Of(kind)
//	p, err := patch.Parse(patch.Strategic, body, patch.Options{Structure: t})
//
// Packages patch and patch/apply use it.
package structure

import (
	"cmp"
	"slices"
)

// Kind is the kind of the values of a type.
type Kind uint8

const (
	// Unknown values are any JSON: objects are merged member by member, lists are replaced. It is
	// the zero Kind.
	Unknown Kind = iota
	// Scalar values are replaced. Some scalar types are objects in JSON.
	Scalar
	// Struct values are objects with fields of known names.
	Struct
	// Map values are objects with any names.
	Map
	// List values are arrays.
	List
)

// Type describes how values merge. For kinds without generated code it may be written by hand; it
// must not be modified after its first use.
type Type struct {
	// Kind is the kind of the values.
	Kind Kind
	// Atomic structs and maps, and unknown values, are replaced as a whole.
	Atomic bool
	// Fields of a struct, in order of name. Fields that are missing here are of the type [Deduced].
	Fields []Field
	// Elem is the type of the elements of a map or list; nil stands for Deduced.
	Elem *Type
	// Keys are the fields that identify the elements of a list.
	Keys []string
	// Set states that the elements of a list are distinct scalars. A list that has neither Keys nor
	// Set is replaced as a whole.
	Set bool
}

// Field is a field of a struct.
type Field struct {
	// Name is the name in JSON.
	Name string
	// Type is the type of the field; nil stands for Deduced.
	Type *Type
	// Default is the JSON of the default of a field that is a key of a list.
	Default string
	// Replace, RetainKeys and Merge are the strategy of a strategic merge patch. Structs and maps
	// are merged unless Replace is set; RetainKeys removes the members that a patch does not name.
	// Lists are replaced unless Merge is set.
	Replace, RetainKeys, Merge bool
	// MergeKey is the field by which a strategic merge patch identifies the elements of a list,
	// blank for a list of scalars.
	MergeKey string
}

// Deduced is the type of values without a schema.
var Deduced = &Type{}

// Field returns a field of a struct, nil if it is unknown.
func (t *Type) Field(name string) *Field {
	if t == nil || t.Kind != Struct {
		return nil
	}
	i, ok := slices.BinarySearchFunc(t.Fields,
		name, func(f Field, name string) int { return cmp.Compare(f.Name, name) })
	if !ok {
		return nil
	}
	return &t.Fields[i]
}

// Member returns the type of a member of a struct, map or unknown object. It is never nil.
func (t *Type) Member(name string) *Type {
	if t != nil {
		switch t.Kind {
		case Struct:
			if f := t.Field(name); f != nil && f.Type != nil {
				return f.Type
			}
		case Map:
			if t.Elem != nil {
				return t.Elem
			}
		case Unknown:
			if t.Atomic {
				return t
			}
		}
	}
	return Deduced
}

// Element returns the type of the elements of a list. It is never nil.
func (t *Type) Element() *Type {
	if t != nil && t.Kind == List && t.Elem != nil {
		return t.Elem
	}
	return Deduced
}
