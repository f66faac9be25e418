package dynamic

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/validation"
)

// mostErrors bounds the errors that are reported for an object.
const mostErrors = 1000

// validate returns the violations of the schema in an object.
func (s *structure) validate(ctx context.Context, o *Object) runtime.FieldErrors {
	return s.validateChange(ctx, o, nil)
}

// validateChange is validate for an object that is to replace old. Values that are equal to those
// of old are not checked again. An element of a list has an old value only if the list type is map;
// a list of another type is checked as a whole unless nothing in it changed. The rules are
// evaluated last, because they rely on what else the schema says.
func (s *structure) validateChange(ctx context.Context, o, old *Object) runtime.FieldErrors {
	if errs := s.check(o, old); len(errs) > 0 || s.rules == nil {
		return errs
	}
	return s.evaluate(ctx, o, old)
}

func (s *structure) check(o, old *Object) runtime.FieldErrors {
	c := validator{most: mostErrors}
	s.metadata(&c, o)
	content, _, err := o.Content.Get()
	if err != nil {
		return runtime.FieldErrors{runtime.Invalid(nil, nil, err.Error())}
	}
	var before *unstructured.Value
	if old != nil {
		if v, _, err := old.Content.Get(); err == nil {
			before = &v
		}
	}
	c.header = true
	c.value(s.root, nil, content, before)
	for _, names := range s.sizes {
		v, _, err := content.Get(names...)
		n, _, wrong := v.Int64() // 0 for null and for a value that is missing
		if (err != nil || wrong != nil || n < 0 || n > math.MaxInt32) && !kept(v, before, names) {
			c.add(runtime.Invalid(schema.NewPath(names...), v.Any(), "must be an integer from 0 to 2147483647"))
		}
	}
	if len(s.selector) > 0 && len(c.errs) == 0 { // the schema can say the same
		v, _, err := content.Get(s.selector...)
		if _, _, wrong := v.String(); (err != nil || wrong != nil) && !kept(v, before, s.selector) {
			c.add(runtime.Invalid(schema.NewPath(s.selector...), nil, "must be a string, because it is a selector"))
		}
	}
	return c.errs
}

// kept reports whether the value at a path is the one before.
func kept(v unstructured.Value, before *unstructured.Value, names []string) bool {
	if before == nil {
		return false
	}
	was, _, _ := before.Get(names...)
	return v.Equal(was)
}

// metadata checks the names of an object, the only metadata about which a schema may have rules.
func (s *structure) metadata(c *validator, o *Object) {
	m := s.root.Properties["metadata"]
	if m == nil {
		return
	}
	check := func(name, text string) {
		if p := m.Properties[name]; p != nil && text != "" {
			c.text(p, schema.NewPath("metadata", name), text)
		}
	}
	check("name", o.Name)
	check("generateName", o.GenerateName)
}

// validator collects violations.
type validator struct {
	errs runtime.FieldErrors
	most int
	// header states that the value is the content of an object, which also has the members of
	// header.
	header bool
}

// header has the members that are outside of the content of an object.
var header = []string{"apiVersion", "kind", "metadata"}

func (c *validator) add(e *runtime.FieldError) {
	if len(c.errs) < c.most {
		c.errs = append(c.errs, e)
	}
}

// valid reports whether the value also has no violations of another schema.
func (c *validator) valid(n *node, v unstructured.Value) bool {
	other := validator{most: 1, header: c.header}
	other.value(n, nil, v, nil)
	return len(other.errs) == 0
}

// value checks a value. old is the value that it replaces, nil if there is none.
func (c *validator) value(n *node, at *schema.Path, v unstructured.Value, old *unstructured.Value) {
	if n == nil || len(c.errs) == c.most || old != nil && v.Equal(*old) {
		return
	}
	if !n.allows(v) && (v.Type() != unstructured.TypeNull || !n.Nullable) {
		c.add(runtime.Invalid(at, nil, fmt.Sprintf("must be %s, not %s", n.described(), article(named(v)))))
		return
	}
	if len(n.enum) > 0 && !n.lists(v) {
		c.add(notAmong(at, v, n.enum))
	}
	switch v.Type() {
	case unstructured.TypeNull:
		return
	case unstructured.TypeString:
		s, _, _ := v.String()
		c.text(n, at, s)
	case unstructured.TypeInt64, unstructured.TypeUint64, unstructured.TypeFloat64:
		c.number(n, at, v)
	case unstructured.TypeArray:
		c.array(n, at, v, old)
	case unstructured.TypeObject:
		c.object(n, at, v, old)
	}
	c.combined(n, at, v)
}

// allows reports whether a value has a type that the schema allows.
func (n *node) allows(v unstructured.Value) bool {
	t := v.Type()
	switch {
	case n.IntOrString:
		return t == unstructured.TypeString || integral(v)
	case n.Type == "":
		return true
	case n.Type == "number":
		return t == unstructured.TypeInt64 || t == unstructured.TypeUint64 || t == unstructured.TypeFloat64
	case n.Type == "integer":
		return integral(v)
	}
	return n.Type == named(v)
}

// integral reports whether a value is a number without a fraction, in the range of integers.
func integral(v unstructured.Value) bool {
	switch v.Type() {
	case unstructured.TypeInt64, unstructured.TypeUint64:
		return true
	case unstructured.TypeFloat64:
		f, _, _ := v.Float64()
		return f == math.Trunc(f) && math.Abs(f) < 1<<63
	}
	return false
}

// named returns the type of a value as schemas name it; numbers are not distinguished.
func named(v unstructured.Value) string {
	switch v.Type() {
	case unstructured.TypeNull:
		return "null"
	case unstructured.TypeBool:
		return "boolean"
	case unstructured.TypeString:
		return "string"
	case unstructured.TypeArray:
		return "array"
	case unstructured.TypeObject:
		return "object"
	}
	return "number"
}

// article puts the indefinite article before the name of a type.
func article(name string) string {
	switch name {
	case "null":
		return name
	case "array", "object", "integer":
		return "an " + name
	}
	return "a " + name
}

// described returns the type that the schema requires.
func (n *node) described() string {
	if n.IntOrString {
		return "an integer or a string"
	}
	return article(n.Type)
}

// shortEnum is the length of an enum up to which values are compared one by one.
const shortEnum = 16

// lists reports whether the enum has a value.
func (n *node) lists(v unstructured.Value) bool {
	if n.among != nil {
		if key := scalar(v); !n.among[key] {
			return false
		} else if _, text := key.(string); text {
			return true
		}
	}
	return slices.ContainsFunc(n.enum, v.Equal)
}

// scalar returns a key that equal values share. Only strings are equal if they share one.
func scalar(v unstructured.Value) any {
	switch v.Type() {
	case unstructured.TypeString:
		s, _, _ := v.String()
		return s
	case unstructured.TypeInt64, unstructured.TypeUint64, unstructured.TypeFloat64:
		return numberOf(v)
	}
	return v.Type()
}

// mostListed bounds the bytes of the allowed values that an error lists, since a schema can have a
// long enum, and an object many values that are not in it.
const mostListed = 1 << 10

func notAmong(at *schema.Path, v unstructured.Value, enum []unstructured.Value) *runtime.FieldError {
	var allowed []string
	for size := 0; len(allowed) < len(enum) && size < mostListed; {
		e := enum[len(allowed)]
		text := fmt.Sprint(e)
		if s, found, err := e.String(); found && err == nil {
			text = s
		}
		text = schema.Shorten(text, mostListed/4)
		size += len(text) + len(`"", `)
		allowed = append(allowed, text)
	}
	var out *runtime.FieldError
	if v.Type() == unstructured.TypeString {
		s, _, _ := v.String()
		out = runtime.NotSupported(at, s, allowed...)
	} else {
		out = validation.NotAmong(at, fmt.Sprint(v), allowed...)
	}
	if more := len(enum) - len(allowed); more > 0 {
		out.Detail += fmt.Sprintf("; and %d more", more)
	}
	return out
}

func (c *validator) text(n *node, at *schema.Path, s string) {
	if n.MinLength != nil && validation.Length(s) < *n.MinLength {
		c.add(validation.TooShort(at, s, *n.MinLength))
	}
	if n.MaxLength != nil && validation.Length(s) > *n.MaxLength {
		c.add(validation.TooLong(at, s, *n.MaxLength))
	}
	if n.pattern != nil && !n.pattern.Match(s) {
		c.add(validation.Mismatch(at, s, n.pattern))
	}
	if n.Format != "" && !validation.Format(n.Format, s) {
		c.add(validation.Malformed(at, s, n.Format))
	}
}

func (c *validator) number(n *node, at *schema.Path, v unstructured.Value) {
	f := numberOf(v)
	if low := n.Minimum; low != nil && (f < low.float() || n.Above && f == low.float()) {
		c.add(validation.Below(at, v.Any(), low.String(), n.Above))
	}
	if high := n.Maximum; high != nil && (f > high.float() || n.Below && f == high.float()) {
		c.add(validation.Above(at, v.Any(), high.String(), n.Below))
	}
	if n.MultipleOf != nil && !multiple(f, n.MultipleOf.float()) {
		c.add(validation.Uneven(at, v.Any(), n.MultipleOf.String()))
	}
	switch {
	case n.Format == "int32" && (f < math.MinInt32 || f > math.MaxInt32),
		n.Format == "int64" && (f < math.MinInt64 || f > math.MaxInt64):
		c.add(runtime.Invalid(at, v.Any(), "must be of the format "+n.Format))
	}
}

// numberOf returns a number, rounded to a float64.
func numberOf(v unstructured.Value) float64 {
	switch x := v.Any().(type) {
	case int64:
		return float64(x)
	case uint64:
		return float64(x)
	case float64:
		return x
	}
	return 0
}

// multiple reports whether a number is a multiple of a divisor, as far as the precision of float64
// shows it: 4.35 is a multiple of 0.01, although the quotient is 434.99999999999994.
func multiple(f, divisor float64) bool {
	q := f / divisor
	return !(math.Abs(q-math.Round(q)) > math.Abs(q)*0x1p-51)
}

// count checks the number of elements or members.
func (c *validator) count(at *schema.Path, n int, least, most *int) {
	if least != nil && n < *least {
		c.add(validation.TooFew(at, n, *least))
	}
	if most != nil && n > *most {
		c.add(runtime.TooMany(at, n, *most))
	}
}

func (c *validator) array(n *node, at *schema.Path, v unstructured.Value, old *unstructured.Value) {
	c.count(at, v.Len(), n.MinItems, n.MaxItems)
	key := n.key()
	seen := make(map[string]bool)
	before, twice := make(map[string]unstructured.Value), false // duplicates that were there before stay
	if old != nil && key != nil && old.Type() == unstructured.TypeArray {
		elements, _ := old.Elements()
		for _, e := range elements {
			k := key(e)
			_, known := before[k]
			twice = twice || known
			before[k] = e
		}
	}
	elements, _ := v.Elements()
	for i, e := range elements {
		var was *unstructured.Value
		if key != nil {
			k := key(e)
			if seen[k] && !twice {
				c.add(runtime.Duplicate(at.Index(i), n.shown(e)))
			}
			seen[k] = true
			if o, ok := before[k]; ok && n.ListType == "map" {
				was = &o
			}
		}
		c.value(n.Items, at.Index(i), e, was)
	}
}

// key returns a function for the text by which an element of a list must be unique, nil if elements
// may repeat.
func (n *node) key() func(unstructured.Value) string {
	switch {
	case n.ListType == "map":
		return func(e unstructured.Value) string {
			keys := make(map[string]any, len(n.ListKeys))
			for _, name := range n.ListKeys {
				if v, found, err := e.Get(name); found && err == nil {
					keys[name] = v.Any()
				}
			}
			text, _ := json.Marshal(keys) // of values that were read from JSON
			return string(text)
		}
	case n.ListType == "set" || n.UniqueItems:
		return func(e unstructured.Value) string { return fmt.Sprint(e) }
	}
	return nil
}

// shown returns what an error shows of an element that is not unique: its key, or the whole element
// if there is not exactly one.
func (n *node) shown(e unstructured.Value) any {
	if len(n.ListKeys) == 1 {
		if v, found, err := e.Get(n.ListKeys[0]); found && err == nil {
			return v.Any()
		}
	}
	if e.Type() == unstructured.TypeObject {
		return fmt.Sprint(e)
	}
	return e.Any()
}

func (c *validator) object(n *node, at *schema.Path, v unstructured.Value, old *unstructured.Value) {
	whole, size := c.header, v.Len()
	if whole {
		size += len(header)
	}
	c.count(at, size, n.MinProperties, n.MaxProperties)
	for _, name := range n.Required {
		if _, found, _ := v.Get(name); !found && !(whole && slices.Contains(header, name)) {
			c.add(validation.Missing(at.Child(name)))
		}
	}
	c.header = false // of the members
	defer func() { c.header = whole }()
	if n.Embedded {
		c.embedded(at, v)
	}
	if old != nil && old.Type() != unstructured.TypeObject {
		old = nil
	}
	members, _ := v.Members()
	for name, m := range members {
		var was *unstructured.Value
		if old != nil {
			if o, found, err := old.Get(name); found && err == nil {
				was = &o
			}
		}
		if p, known := n.Properties[name]; known {
			c.value(p, at.Child(name), m, was)
		} else if n.additional != nil {
			c.value(n.additional, at.Key(name), m, was)
		} else if n.Additional == additionalFalse && was == nil {
			c.add(runtime.Invalid(at, nil, "the schema does not allow the member "+schema.Quote(name)))
		}
	}
}

// combined checks the schemas that are combined by allOf, anyOf, oneOf and not.
func (c *validator) combined(n *node, at *schema.Path, v unstructured.Value) {
	for _, part := range n.AllOf {
		c.value(part, at, v, nil)
	}
	if len(n.AnyOf) > 0 && c.matches(n.AnyOf, v) == 0 {
		c.add(runtime.Invalid(at, nil, fmt.Sprintf("matches none of the %d schemas of anyOf", len(n.AnyOf))))
	}
	if matches := c.matches(n.OneOf, v); len(n.OneOf) > 0 && matches != 1 {
		c.add(runtime.Invalid(at, nil, fmt.Sprintf("must match exactly one of the %d schemas of oneOf, and matches %d",
			len(n.OneOf), matches)))
	}
	if n.Not != nil && c.valid(n.Not, v) {
		c.add(runtime.Invalid(at, nil, "matches the schema of not"))
	}
}

// matches returns how many of the schemas the value matches.
func (c *validator) matches(all []*node, v unstructured.Value) (n int) {
	for _, other := range all {
		if c.valid(other, v) {
			n++
		}
	}
	return n
}
