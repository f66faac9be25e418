// Package validation is what generated validation functions call, and what functions written by
// hand may call too.
//
// A generated function CheckFieldsT compares the fields of a struct with the rules of their
// markers. It allocates nothing for a valid object: the functions of this package are called, and
// paths are made, only for a value that breaks a rule. Errors come all at once, each with the path
// of its field.
//
//   - [Under] puts a path in front of what a function found about a part of an object.
//   - [TooShort], [Mismatch], [Below] and the others are the errors for broken rules.
//   - [Pattern] is a regular expression that is compiled when it is first needed.
//   - [Duplicates] and [Former] find elements of lists by their keys, in linear time.
//   - [Format] and functions such as [IsShortName] say whether a text has a format.
//
// # Related packages
//
// Package runtime has the type of the errors and registers validation functions. Package
// meta/validation checks the metadata of objects.
package validation
