package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// mostKept is how many errors of an object are kept. They take hundreds of times the memory of the
// values that they are about, and at most a hundred are shown.
const mostKept = 10_000

// Full reports whether there are 10,000 errors. Loops over lists and maps end then.
func Full(errs runtime.FieldErrors) bool { return len(errs) >= mostKept }

// Under appends the errors found in a part of an object to errs, prefixed with the path of the
// part. It drops those after the first 10,000.
func Under(errs runtime.FieldErrors, at *schema.Path, found runtime.FieldErrors) runtime.FieldErrors {
	for _, e := range found {
		if Full(errs) {
			break
		}
		moved := *e
		moved.Path = at.Join(e.Path)
		errs = append(errs, &moved)
	}
	return errs
}

// Redact hides the values that the errors from an index on show, because they are those of a field
// marked +askind:sensitive. Keys of maps stay.
func Redact(errs runtime.FieldErrors, from int) {
	for _, e := range errs[from:] {
		if e.Value != nil {
			e.Value = "<redacted>"
		}
		if e.Code == runtime.FieldNotSupported { // the suggestion resembles the value
			e.Detail, _, _ = strings.Cut(e.Detail, " (did you mean ")
		}
	}
}

// Sort sorts the errors from an index on by their paths. Use it for the errors of a map, whose
// iteration order is random.
func Sort(errs runtime.FieldErrors, from int) {
	if len(errs)-from < 2 {
		return
	}
	// The names of maps may be long, so the paths are compared step by step: as strings, those of
	// many errors below one name would each have a copy of it.
	type located struct {
		steps []schema.Step
		err   *runtime.FieldError
	}
	all := make([]located, 0, len(errs)-from)
	for _, e := range errs[from:] {
		all = append(all, located{e.Path.Steps(), e})
	}
	sorted.Func(all, func(a, b located) int { return slices.CompareFunc(a.steps, b.steps, compareSteps) })
	for i := range all {
		errs[from+i] = all[i].err
	}
}

func compareSteps(a, b schema.Step) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Index, b.Index))
}

// Once removes errors that repeat the same detail for the same field, since a hand-written function
// may repeat the check of a generated one. It preserves the order.
func Once(errs runtime.FieldErrors) runtime.FieldErrors {
	if len(errs) < 2 {
		return errs
	}
	seen, left := make(map[string]bool, len(errs)), mostCompared
	return sorted.Delete(errs, func(e *runtime.FieldError) bool {
		if left < 0 {
			return false
		}
		text := e.Path.String() + "\x00" + string(e.Code) + "\x00" + e.Detail
		if seen[text] {
			return true
		}
		seen[text] = true
		left -= len(text)
		return false
	})
}

// mostCompared is how many bytes of errors Once compares. Errors in values that are nested deeply
// have long paths, and only the first ones are shown.
const mostCompared = 1 << 20

// Missing reports a field that must be set.
func Missing(at *schema.Path) *runtime.FieldError { return runtime.Required(at, "") }

// NotAllowed reports a field that must not be set.
func NotAllowed(at *schema.Path) *runtime.FieldError {
	return runtime.Forbidden(at, "must not be set")
}

// Changed reports a field that must not change after the object was created.
func Changed(at *schema.Path) *runtime.FieldError {
	return runtime.Invalid(at, nil, "field is immutable")
}

// TooShort reports a text of fewer than least characters.
func TooShort(at *schema.Path, value string, least int) *runtime.FieldError {
	return runtime.Invalid(at, value, fmt.Sprintf("must be at least %d %s", least, plural(least, "character")))
}

// TooLong reports a text of more than most characters.
func TooLong(at *schema.Path, value string, most int) *runtime.FieldError {
	return &runtime.FieldError{
		Path: at, Code: runtime.FieldTooLong, Value: value,
		Detail: fmt.Sprintf("may not be more than %d %s", most, plural(most, "character")),
	}
}

// TooFew reports a list or map of fewer than least elements.
func TooFew(at *schema.Path, n, least int) *runtime.FieldError {
	return runtime.Invalid(at, n, fmt.Sprintf("must have at least %d %s", least, plural(least, "item")))
}

// Mismatch reports a text that does not match a pattern.
func Mismatch(at *schema.Path, value string, p *Pattern) *runtime.FieldError {
	return runtime.Invalid(at, value, "must match "+p.Expr)
}

// Malformed reports a text that does not have the required format.
func Malformed(at *schema.Path, value, format string) *runtime.FieldError {
	return runtime.Invalid(at, value, "must be "+cmp.Or(describedFormats[format], "of the format "+format))
}

// Below reports a number that is less than a bound, or equal to it if the bound is exclusive.
func Below(at *schema.Path, value any, bound string, exclusive bool) *runtime.FieldError {
	if exclusive {
		return runtime.Invalid(at, value, "must be greater than "+bound)
	}
	return runtime.Invalid(at, value, "must be greater than or equal to "+bound)
}

// Above reports a number that is greater than a bound, or equal to it if the bound is exclusive.
func Above(at *schema.Path, value any, bound string, exclusive bool) *runtime.FieldError {
	if exclusive {
		return runtime.Invalid(at, value, "must be less than "+bound)
	}
	return runtime.Invalid(at, value, "must be less than or equal to "+bound)
}

// Uneven reports a number that is not a multiple of a divisor.
func Uneven(at *schema.Path, value any, divisor string) *runtime.FieldError {
	return runtime.Invalid(at, value, "must be a multiple of "+divisor)
}

// Refused reports a value that is explicitly disallowed.
func Refused(at *schema.Path, value any) *runtime.FieldError {
	text := fmt.Sprint(value)
	if _, ok := value.(string); ok {
		text = strconv.Quote(text)
	}
	return runtime.Invalid(at, value, "must not be equal to "+text)
}

// NotAmong reports a number or boolean that is not one of the allowed values.
func NotAmong(at *schema.Path, value any, allowed ...string) *runtime.FieldError {
	quoted := make([]string, len(allowed))
	for i, a := range allowed {
		quoted[i] = strconv.Quote(a)
	}
	detail := "supported values: " + strings.Join(quoted, ", ")
	return &runtime.FieldError{Path: at, Code: runtime.FieldNotSupported, Value: value, Detail: detail}
}

// Choice reports the number of set fields among names unless it is between least and most.
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

// Member reports a union member that is set although the discriminator does not name it, or vice
// versa.
func Member(errs runtime.FieldErrors, name string, set, named bool, discriminator, value string) runtime.FieldErrors {
	switch {
	case set == named:
		return errs
	case named:
		return append(errs, runtime.Required(schema.NewPath(name), "must be specified when "+discriminator+" is "+strconv.Quote(value)))
	}
	return append(errs, runtime.Forbidden(schema.NewPath(name), "may only be specified when "+discriminator+" is "+strconv.Quote(value)))
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
