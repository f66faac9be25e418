// Package schemas describes the JSON of Go types.
//
// A [Builder] creates a [Schema] of every type that is added, and of all types that these reach.
// Structs become named definitions, to which others refer; all other types are inlined. The schema
// describes what the codec of this module reads and writes, and what the rules of package
// constraint allow.
//
// A schema is written in a [Dialect]: that of OpenAPI 3.0, that of JSON Schema 2020-12, or the
// structural form that a CustomResourceDefinition needs.
package schemas

import (
	"go/token"
	"reflect"
)

// Schema is the schema of a value.
type Schema struct {
	// Ref names a definition. All other fields except the texts and the merge strategies are then
	// blank.
	Ref string

	Title, Description string
	Deprecated         bool
	// DocsURL is the address of more documentation, Docs says what it leads to.
	DocsURL, Docs string
	// Type is a type of JSON; blank allows every type.
	Type, Format string
	// bytes means that the value is the base64 of bytes, whose number its rules limit.
	bytes    bool
	Nullable bool
	// Default, Example, and the values of Enum and Not, are JSON.
	Default, Example string
	// keyDefault is the default of a type whose defaults no generated function sets. Definitions
	// have it in the keys of lists, for which API servers require one.
	keyDefault string
	// Enum has the allowed values, Not those that are not allowed.
	Enum, Not []string

	Minimum, Maximum                   string // numbers
	MultipleOf                         []string
	ExclusiveMinimum, ExclusiveMaximum bool
	MinLength, MaxLength               *int64
	Patterns                           []string
	MinItems, MaxItems                 *int64
	MinProperties, MaxProperties       *int64
	UniqueItems                        bool

	// Items is the schema of the elements of a list, Values that of the values of a map, Keys that
	// of its keys.
	Items, Values, Keys *Schema
	// Properties of an object in order of declaration, and those of them that are required.
	Properties []Property
	Required   []string
	// Groups limit the number of set properties.
	Groups []Group

	// Union lists the JSON types of a value that may have several, IntOrString or Quantity.
	Union []string

	IntOrString, PreserveUnknown, EmbeddedResource bool

	// How lists, maps and structs merge.
	ListType, MapType, PatchStrategy, PatchMergeKey string
	ListMapKeys                                     []string
	// ListMapPos is the position of the marker of the first key.
	ListMapPos token.Pos

	// CEL has the rules that only an API server evaluates.
	CEL []CEL
	// Immutable reports that an update must not change, set or remove the value.
	Immutable bool
}

// Property is a member of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// Group limits how many of some properties are present: between Least and one, or at least one if
// Many is set.
type Group struct {
	Names []string
	Least int
	Many  bool
	// Discriminator is the property that names the present one, by the values in Values, or "".
	// A member in Optional may be absent although it is named.
	Discriminator string
	Values        []string
	Optional      map[string]bool
}

// CEL is a rule in the common expression language.
type CEL struct {
	Rule, Message, MessageExpression, Reason, FieldPath string
	OptionalOldSelf                                     bool
}

// Property returns the schema of a property, or nil.
func (s *Schema) Property(name string) *Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// plainRef reports whether a schema is only a reference.
func (s *Schema) plainRef() bool { return s.Ref != "" && reflect.DeepEqual(s, &Schema{Ref: s.Ref}) }
