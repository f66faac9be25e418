// Package structure says how the fields of a type merge: which lists are told apart by keys, which
// values are replaced as a whole, and what strategic merge patches do with each field.
//
// A [Type] is a graph of plain values. [Of] makes it from what the generator wrote about a kind,
// once, for as long as a program wants to patch objects of the kind; [Deduced] is the one of kinds
// about which nothing is known. A graph does not change and may be used by several goroutines at
// once.
package structure

import (
	"cmp"
	"slices"
)

// Kind is the sort of values that a type has.
type Kind uint8

const (
	// Unknown values are any JSON: objects are merged member by member, lists are replaced. It is
	// the zero Kind.
	Unknown Kind = iota
	// Scalar values are replaced. Some types are objects in JSON and scalars all the same.
	Scalar
	// Struct values are objects with fields of known names.
	Struct
	// Map values are objects with any names.
	Map
	// List values are arrays.
	List
)

// Type says how values merge. Literals of it may be written by hand, for kinds without generated
// code; they must not be changed once they are used.
type Type struct {
	// Kind is the sort of values.
	Kind Kind
	// Atomic structs and maps, and unknown values, are replaced as a whole.
	Atomic bool
	// Fields of a struct, in order of name. Fields that are missing here are of the type [Deduced].
	Fields []Field
	// Elem is the type of the elements of a map or list; nil stands for Deduced.
	Elem *Type
	// Keys are the fields by which the elements of a list are told apart.
	Keys []string
	// Set says that the elements of a list are different scalars. A list that has neither Keys nor
	// Set is replaced as a whole.
	Set bool
}

// Field is a field of a struct.
type Field struct {
	// Name is the name in JSON.
	Name string
	// Type is the type of the field; nil stands for Deduced.
	Type *Type
	// Default is the JSON of the value that the field has where it is missing, if it is a key of a
	// list.
	Default string
	// Replace, RetainKeys and Merge are the strategy of a strategic merge patch. Structs and maps
	// are merged unless Replace is set; RetainKeys says that the members which a patch does not
	// name are removed. Lists are replaced unless Merge is set.
	Replace, RetainKeys, Merge bool
	// MergeKey is the field by which a strategic merge patch tells the elements of a list apart,
	// blank for a list of scalars.
	MergeKey string
}

// Deduced is the type of values about which nothing is known.
var Deduced = &Type{}

// Field returns what is known about a field of a struct, nil if that is nothing.
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
