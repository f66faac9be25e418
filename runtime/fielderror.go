package runtime

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
)

// FieldErrorCode classifies a [FieldError]. The values are the causes in the details of a Status.
type FieldErrorCode string

// The codes, with their meaning in the Kubernetes API.
const (
	FieldRequired     FieldErrorCode = "FieldValueRequired"
	FieldInvalid      FieldErrorCode = "FieldValueInvalid"
	FieldNotSupported FieldErrorCode = "FieldValueNotSupported"
	FieldDuplicate    FieldErrorCode = "FieldValueDuplicate"
	FieldForbidden    FieldErrorCode = "FieldValueForbidden"
	FieldTooLong      FieldErrorCode = "FieldValueTooLong"
	FieldTooMany      FieldErrorCode = "FieldValueTooMany"
)

// fieldErrorWords holds the words of Kubernetes, which people and scripts search for.
var fieldErrorWords = map[FieldErrorCode]string{
	FieldRequired: "Required value", FieldInvalid: "Invalid value", FieldNotSupported: "Unsupported value",
	FieldDuplicate: "Duplicate value",
	FieldForbidden: "Forbidden", FieldTooLong: "Too long", FieldTooMany: "Too many",
}

// FieldError is one violation found by validation. The serializer sets File and Position if the
// object was decoded from text; validation functions leave them empty.
type FieldError struct {
	_ struct{} // literals name their fields

	Path   *schema.Path
	Code   FieldErrorCode
	Value  any // the offending value, shown shortened; nil shows nothing
	Detail string

	File     string
	Position schema.Position
}

// Error returns "file:line:column: path: code: value: detail", without the unknown parts.
func (e *FieldError) Error() string {
	var b strings.Builder
	b.WriteString(location(e.File, e.Position))
	if e.Path != nil {
		b.WriteString(shortPath(e.Path.Short()))
		b.WriteString(": ")
	}
	b.WriteString(e.Message())
	return b.String()
}

// Message returns the error without location and path, in the words of Kubernetes: the code, the
// value, and the detail. Values that are required, forbidden or too long are not shown.
func (e *FieldError) Message() string {
	word, ok := fieldErrorWords[e.Code]
	if !ok {
		word = string(e.Code)
	}
	if e.Value != nil && e.Code != FieldRequired && e.Code != FieldForbidden && e.Code != FieldTooLong {
		word += ": " + schema.Shorten(valueText(e.Value), 64)
	}
	if e.Detail != "" {
		word += ": " + e.Detail
	}
	return word
}

// valueText returns numbers and booleans unquoted, and strings and values with a text form in
// quotes.
func valueText(value any) string {
	v := reflect.ValueOf(value)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		return strconv.Quote(v.String())
	}
	if s, ok := value.(fmt.Stringer); ok && v.Kind() != reflect.Pointer {
		return strconv.Quote(s.String())
	}
	return fmt.Sprintf("%+v", v)
}

// FieldErrors are all violations of one object. To find them in an error returned by decoding or
// [Scheme.Validate], use errors.AsType[FieldErrors]. Elements that are nil do not count.
type FieldErrors []*FieldError

// Error lists the violations, one per line: as many as the default of [schema.Limits].Problems,
// and the number of the others.
func (e FieldErrors) Error() string {
	var lines []string
	for _, f := range e.shown() {
		lines = append(lines, f.Error())
	}
	if more := len(e.present()) - len(lines); more > 0 {
		lines = append(lines, moreProblems(more))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the violations that [FieldErrors.Error] shows, for errors.As.
func (e FieldErrors) Unwrap() []error {
	shown := e.shown()
	out := make([]error, len(shown))
	for i, f := range shown {
		out[i] = f
	}
	return out
}

// shown returns as many violations as the default of [schema.Limits].Problems.
func (e FieldErrors) shown() FieldErrors {
	e = e.present()
	return e[:min(len(e), schema.Limits{}.OrDefaults().Problems)]
}

// Err returns e as an error, or nil if e is empty.
func (e FieldErrors) Err() error {
	if e = e.present(); len(e) == 0 {
		return nil
	}
	return e
}

// present returns the elements that are not nil. A function that appends the result of another,
// which may find nothing, makes such elements.
func (e FieldErrors) present() FieldErrors {
	if !slices.Contains(e, nil) {
		return e
	}
	return sorted.Delete(slices.Clone(e), func(f *FieldError) bool { return f == nil })
}

// Required reports a field that must be set.
func Required(p *schema.Path, detail string) *FieldError {
	return &FieldError{Path: p, Code: FieldRequired, Detail: detail}
}

// Invalid reports a value that violates the rule in detail.
func Invalid(p *schema.Path, value any, detail string) *FieldError {
	return &FieldError{Path: p, Code: FieldInvalid, Value: value, Detail: detail}
}

// NotSupported reports a value that is not among the allowed ones, and suggests the nearest of
// them. If nothing is allowed, the message says that no value is.
func NotSupported[S ~string](p *schema.Path, value S, allowed ...S) *FieldError {
	names, quoted := make([]string, len(allowed)), make([]string, len(allowed))
	for i, a := range allowed {
		names[i], quoted[i] = string(a), strconv.Quote(string(a))
	}
	detail := "no value is supported"
	if len(quoted) > 0 {
		detail = "supported values: " + strings.Join(quoted, ", ")
	}
	if near, ok := schema.Nearest(string(value), names); ok {
		detail += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return &FieldError{Path: p, Code: FieldNotSupported, Value: string(value), Detail: detail}
}

// Duplicate reports a value that occurs more than once where it must be unique.
func Duplicate(p *schema.Path, value any) *FieldError {
	return &FieldError{Path: p, Code: FieldDuplicate, Value: value}
}

// Forbidden reports a field that must not be set, for the reason in detail.
func Forbidden(p *schema.Path, detail string) *FieldError {
	return &FieldError{Path: p, Code: FieldForbidden, Detail: detail}
}

// TooLong reports a string longer than max bytes.
func TooLong(p *schema.Path, value string, max int) *FieldError {
	return &FieldError{Path: p, Code: FieldTooLong, Value: value, Detail: "may not be more than " + count(max, "byte")}
}

// TooMany reports a list with n elements, more than max.
func TooMany(p *schema.Path, n, max int) *FieldError {
	return &FieldError{Path: p, Code: FieldTooMany, Value: n, Detail: "must have at most " + count(max, "item")}
}

func count(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return strconv.Itoa(n) + " " + unit
}
