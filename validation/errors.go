package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Under appends what was found about a part of an object, with the path of the part in front.
func Under(errs runtime.FieldErrors, at *schema.Path, found runtime.FieldErrors) runtime.FieldErrors {
	for _, e := range found {
		moved := *e
		moved.Path = at.Join(e.Path)
		errs = append(errs, &moved)
	}
	return errs
}

// Sort sorts errors from an index on by their paths: those of a map, whose entries come in any
// order.
func Sort(errs runtime.FieldErrors, from int) {
	if len(errs)-from < 2 {
		return
	}
	slices.SortStableFunc(errs[from:], func(a, b *runtime.FieldError) int {
		return cmp.Compare(a.Path.String(), b.Path.String())
	})
}

// Once removes errors that say the same about the same field, since a function written by hand may
// check again what a generated one does. The order stays.
func Once(errs runtime.FieldErrors) runtime.FieldErrors {
	if len(errs) < 2 {
		return errs
	}
	seen := make(map[string]bool, len(errs))
	return slices.DeleteFunc(errs, func(e *runtime.FieldError) bool {
		text := e.Path.String() + "\x00" + string(e.Code) + "\x00" + e.Detail
		if seen[text] {
			return true
		}
		seen[text] = true
		return false
	})
}

// Missing reports a field that must be set.
func Missing(at *schema.Path) *runtime.FieldError { return runtime.Required(at, "") }

// NotAllowed reports a field that must not be set.
func NotAllowed(at *schema.Path) *runtime.FieldError {
	return runtime.Forbidden(at, "must not be set")
}

// Changed reports a field that must stay as it was when the object was created.
func Changed(at *schema.Path) *runtime.FieldError {
	return runtime.Forbidden(at, "cannot be changed")
}

// TooShort reports a text of fewer than least characters.
func TooShort(at *schema.Path, value string, n, least int) *runtime.FieldError {
	return runtime.Invalid(at, value, fmt.Sprintf("at least %d %s, has %d", least, plural(least, "character"), n))
}

// TooLong reports a text of more than most characters.
func TooLong(at *schema.Path, value string, n, most int) *runtime.FieldError {
	return &runtime.FieldError{
		Path: at, Code: runtime.FieldTooLong, Value: value,
		Detail: fmt.Sprintf("at most %d %s, has %d", most, plural(most, "character"), n),
	}
}

// TooFew reports a list or map of fewer than least elements.
func TooFew(at *schema.Path, n, least int) *runtime.FieldError {
	return runtime.Invalid(at, nil, fmt.Sprintf("at least %d, has %d", least, n))
}

// Mismatch reports a text that does not match a pattern.
func Mismatch(at *schema.Path, value string, p *Pattern) *runtime.FieldError {
	return runtime.Invalid(at, value, "must match "+p.Expr)
}

// Malformed reports a text that does not have a format.
func Malformed(at *schema.Path, value, format string) *runtime.FieldError {
	return runtime.Invalid(at, value, "must be "+cmp.Or(describedFormats[format], "of the format "+format))
}

// Below reports a number that is less than a bound, or equal to it where that is excluded.
func Below(at *schema.Path, value any, bound string, exclusive bool) *runtime.FieldError {
	if exclusive {
		return runtime.Invalid(at, value, "must be greater than "+bound)
	}
	return runtime.Invalid(at, value, "must be at least "+bound)
}

// Above reports a number that is greater than a bound, or equal to it where that is excluded.
func Above(at *schema.Path, value any, bound string, exclusive bool) *runtime.FieldError {
	if exclusive {
		return runtime.Invalid(at, value, "must be less than "+bound)
	}
	return runtime.Invalid(at, value, "must be at most "+bound)
}

// Uneven reports a number that is not a multiple of a divisor.
func Uneven(at *schema.Path, value any, divisor string) *runtime.FieldError {
	return runtime.Invalid(at, value, "must be a multiple of "+divisor)
}

// Refused reports a value that may be anything else.
func Refused(at *schema.Path, value any) *runtime.FieldError {
	return runtime.Invalid(at, value, "this value is not allowed")
}

// NotAmong reports a number or boolean that is not one of the allowed values.
func NotAmong(at *schema.Path, value any, allowed ...string) *runtime.FieldError {
	return &runtime.FieldError{
		Path: at, Code: runtime.FieldNotSupported, Value: value, Detail: "supported: " + strings.Join(allowed, ", "),
	}
}

// Choice reports how many of some fields are set, if that is not between least and most.
func Choice(errs runtime.FieldErrors, set, least, most int, names ...string) runtime.FieldErrors {
	if set >= least && set <= most {
		return errs
	}
	words := "exactly"
	switch {
	case least == 0:
		words = "at most"
	case most > 1:
		words = "at least"
	}
	return append(errs, runtime.Invalid(nil, nil,
		fmt.Sprintf("%s one of %s must be set, %d are", words, strings.Join(names, ", "), set)))
}

// Member reports a member of a union that is set although the discriminator does not name it, or
// the other way round.
func Member(errs runtime.FieldErrors, name string, set, named bool, discriminator, value string) runtime.FieldErrors {
	switch {
	case set == named:
		return errs
	case named:
		return append(errs, runtime.Required(schema.NewPath(name), discriminator+" is "+value))
	}
	return append(errs, runtime.Forbidden(schema.NewPath(name), discriminator+" is not "+value))
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
