// Package check has checks that the validation functions of several API versions share. Each
// function takes the path of the field and returns its errors, if any.
package check

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/meta/intstr"
	"github.com/askind/askind/meta/resource"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// nameForm matches RFC 1123 host names, so that names of objects are valid in URLs and in the DNS.
var nameForm = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// portForm matches RFC 6335 port names. They have at least one letter, so that a name is never
// mistaken for a number.
var portForm = regexp.MustCompile(`^[a-z0-9-]*[a-z][a-z0-9-]*$`)

// maxName is the longest name of an object in bytes.
const maxName = 253

// Name checks the name of an object, or a part of one.
func Name(p *schema.Path, name string) runtime.FieldErrors {
	switch {
	case name == "":
		return Required(p, name)
	case len(name) > maxName:
		return runtime.FieldErrors{runtime.TooLong(p, name, maxName)}
	case !nameForm.MatchString(name):
		return runtime.FieldErrors{runtime.Invalid(p, name,
			"a name consists of lower-case letters, digits, hyphens and dots, and begins and ends with a letter or digit")}
	}
	return nil
}

// Required checks that a text is there.
func Required[S ~string](p *schema.Path, s S) runtime.FieldErrors {
	if s == "" {
		return runtime.FieldErrors{runtime.Required(p, "")}
	}
	return nil
}

// OneOf checks that a text is one of those allowed.
func OneOf[S ~string](p *schema.Path, s S, allowed ...S) runtime.FieldErrors {
	if !slices.Contains(allowed, s) {
		return runtime.FieldErrors{runtime.NotSupported(p, s, allowed...)}
	}
	return nil
}

// Positive checks that a number is greater than zero.
func Positive[N ~int32 | ~int64](p *schema.Path, n N) runtime.FieldErrors {
	if n <= 0 {
		return runtime.FieldErrors{runtime.Invalid(p, n, "must be greater than zero")}
	}
	return nil
}

// NotNegative checks that a number is zero or greater.
func NotNegative[N ~int32 | ~int64](p *schema.Path, n N) runtime.FieldErrors {
	if n < 0 {
		return runtime.FieldErrors{runtime.Invalid(p, n, "must not be negative")}
	}
	return nil
}

// Fits checks that a number is one of the type To, in which another version of the API has it.
func Fits[To, From conversion.Number](p *schema.Path, n From) runtime.FieldErrors {
	if _, err := conversion.Narrow[To](n); err != nil {
		return runtime.FieldErrors{runtime.Invalid(p, n, err.Error())}
	}
	return nil
}

// Size checks that a quantity is greater than zero.
func Size(p *schema.Path, q resource.Quantity) runtime.FieldErrors {
	if q.Sign() <= 0 {
		return runtime.FieldErrors{runtime.Invalid(p, q.String(), "must be greater than zero")}
	}
	return nil
}

// Seconds checks that a duration, if set, is a number of whole seconds: older versions of the API
// cannot express others.
func Seconds(p *schema.Path, d *metav1.Duration) runtime.FieldErrors {
	switch {
	case d == nil:
		return nil
	case d.Duration < 0:
		return runtime.FieldErrors{runtime.Invalid(p, d.String(), "must not be negative")}
	case d.Duration%time.Second != 0:
		return runtime.FieldErrors{runtime.Invalid(p, d.String(), "must be whole seconds")}
	}
	return nil
}

// Port checks the number or the name of a port.
func Port(p *schema.Path, port intstr.IntOrString) runtime.FieldErrors {
	const last = 65535
	switch {
	case port.Type == intstr.String && !portForm.MatchString(port.StrVal):
		return runtime.FieldErrors{runtime.Invalid(p, port.StrVal,
			"the name of a port consists of lower-case letters, digits and hyphens, with at least one letter")}
	case port.Type == intstr.Int && (port.IntVal < 1 || port.IntVal > last):
		return runtime.FieldErrors{runtime.Invalid(p, port.IntVal,
			fmt.Sprintf("the number of a port is between 1 and %d", last))}
	}
	return nil
}

// Share checks a number or a percentage. Nil is valid.
func Share(p *schema.Path, v *intstr.IntOrString) runtime.FieldErrors {
	if v == nil {
		return nil
	}
	if n, err := v.Of(100, true); err != nil {
		return runtime.FieldErrors{runtime.Invalid(p, v.String(), "must be a number or a percentage, such as 25%")}
	} else if n < 0 {
		return runtime.FieldErrors{runtime.Invalid(p, v.String(), "must not be negative")}
	}
	return nil
}

// Unique checks that no two elements of a list have the same key, which is the value of their
// member field.
func Unique[E any](p *schema.Path, list []E, field string, key func(*E) string) runtime.FieldErrors {
	var errs runtime.FieldErrors
	seen := make(map[string]bool, len(list))
	for i := range list {
		k := key(&list[i])
		if seen[k] {
			errs = append(errs, runtime.Duplicate(p.Index(i).Child(field), k))
		}
		seen[k] = true
	}
	return errs
}

// Zones checks the names of zones, which must be unique. A name must not contain a comma, since
// older versions of the API separate names by commas.
func Zones(p *schema.Path, zones []string) runtime.FieldErrors {
	var errs runtime.FieldErrors
	for i, zone := range zones {
		switch at := p.Index(i); {
		case zone == "" || strings.Contains(zone, ","):
			errs = append(errs, runtime.Invalid(at, zone, "the name of a zone is not blank and has no comma"))
		case slices.Contains(zones[:i], zone):
			errs = append(errs, runtime.Duplicate(at, zone))
		}
	}
	return errs
}

// Member is one member of a union, for [Union].
type Member struct {
	// Name is the discriminator's value for the member, Field is the JSON name of the member, and
	// Set reports whether it is set.
	Name, Field string
	Set         bool
}

// Union checks that only the member of a union that the discriminator names is set. p is the path
// of the union, whose discriminator is named type.
func Union(p *schema.Path, discriminator string, members ...Member) runtime.FieldErrors {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	if discriminator == "" {
		return runtime.FieldErrors{runtime.Required(p.Child("type"), "one of "+strings.Join(names, ", "))}
	}
	if !slices.Contains(names, discriminator) {
		return runtime.FieldErrors{runtime.NotSupported(p.Child("type"), discriminator, names...)}
	}
	var errs runtime.FieldErrors
	for _, m := range members {
		switch meant := m.Name == discriminator; {
		case meant && !m.Set:
			errs = append(errs, runtime.Required(p.Child(m.Field), "type is "+discriminator))
		case !meant && m.Set:
			errs = append(errs, runtime.Forbidden(p.Child(m.Field), "type is "+discriminator))
		}
	}
	return errs
}

// Sorted yields the entries of a map in the order of their keys, so that errors about them have a
// stable order.
func Sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
