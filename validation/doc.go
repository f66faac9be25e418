// Package validation holds the checks and errors that generated validation functions use.
// Hand-written validation functions can use them too.
//
// A generated function CheckFieldsT checks the fields of a struct against the rules of their
// markers. It allocates nothing for a valid object: it calls the functions of this package, and
// builds paths, only for values that violate a rule. All errors are returned at once, each with the
// path of its field. A function for rules that markers cannot express, written by hand, does the
// same:
//
//	func ValidateDisk(_ context.Context, in *Disk) (errs runtime.FieldErrors) {
//		if !validation.IsShortName(in.Name) {
//			errs = append(errs, validation.Malformed(schema.NewPath("name"), in.Name, "k8s-short-name"))
//		}
//		return errs
//	}
//
// The functions are these:
//
//   - [Under] prefixes the errors of a part of an object with the path of the part.
//   - [TooShort], [Mismatch], [Below] and the others return the errors for violated rules.
//   - [Pattern] is a regular expression that is compiled on first use.
//   - [Duplicates] and [Former] find list elements by key, in linear time.
//   - [Format] and functions such as [IsShortName] report whether a text has a format.
//
// # Related packages
//
// Package runtime defines the type of the errors and registers validation functions. Package
// meta/validation checks the metadata of objects.
package validation
