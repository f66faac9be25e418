package fromcrd

import (
	"slices"
	"strings"
)

// class is the kind of Go type that represents a schema.
type class string

const (
	text        class = "text"
	integer     class = "integer"
	number      class = "number"
	boolean     class = "boolean"
	timestamp   class = "time"
	octets      class = "bytes"
	quantity    class = "quantity"
	intOrString class = "number or text"
	list        class = "list"
	mapping     class = "map"
	structure   class = "object"
	condition   class = "condition"
	selector    class = "label selector"
	raw         class = "any value"
	rawObject   class = "object of any kind"
)

// quantityPattern is the pattern of a quantity in every definition.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// class returns the kind of Go type that represents a schema.
func (s *Schema) class() class {
	if s.IntOrString {
		if slices.Equal(s.Pattern, []string{quantityPattern}) {
			return quantity
		}
		return intOrString
	}
	switch s.Type {
	case "string":
		switch {
		case s.Format == "date-time" && len(s.Enum)+len(s.Pattern) == 0 && s.MinLength+s.MaxLength == "":
			return timestamp
		case s.Format == "byte" && len(s.Enum)+len(s.Pattern) == 0:
			return octets
		}
		return text
	case "integer":
		return integer
	case "number":
		return number
	case "boolean":
		return boolean
	case "array":
		if s.Items == nil {
			return raw
		}
		return list
	case "object":
		switch {
		case s.Values != nil:
			return mapping
		case s.Embedded, s.Preserve && len(s.Properties) == 0:
			return rawObject
		case s.isCondition():
			return condition
		case s.isSelector():
			return selector
		}
		return structure
	}
	return raw
}

// scalar reports whether values are scalars, for which the zero value of the Go type may be
// meaningful.
func (c class) scalar() bool {
	return c == text || c == integer || c == number || c == boolean
}

// has reports whether a schema has some properties and no others, each given as name, type and
// format.
func (s *Schema) has(properties ...[3]string) bool {
	for _, p := range properties {
		found := s.property(p[0])
		if found == nil || found.Type != p[1] || found.Format != p[2] {
			return false
		}
	}
	return len(s.Properties) == len(properties)
}

// isCondition reports whether a schema is that of metav1.Condition.
func (s *Schema) isCondition() bool {
	return s.has([3]string{"lastTransitionTime", "string", "date-time"}, [3]string{"message", "string"},
		[3]string{"observedGeneration", "integer", "int64"}, [3]string{"reason", "string"},
		[3]string{"status", "string"}, [3]string{"type", "string"}) &&
		len(s.Required) == 5 && len(s.Rules)+len(s.Groups) == 0
}

// isSelector reports whether a schema is that of metav1.LabelSelector.
func (s *Schema) isSelector() bool {
	if !s.has([3]string{"matchExpressions", "array"}, [3]string{"matchLabels", "object"}) ||
		len(s.Required)+len(s.Rules)+len(s.Groups) > 0 {
		return false
	}
	labels, expressions := s.property("matchLabels").Values, s.property("matchExpressions").Items
	return labels != nil && labels.Type == "string" && expressions != nil &&
		expressions.has([3]string{"key", "string"}, [3]string{"operator", "string"}, [3]string{"values", "array"}) &&
		len(expressions.property("operator").Enum) == 0
}

// converts reports whether the generator converts values of one class to another by itself.
func converts(a, b class) bool {
	numeric := func(c class) bool { return c == integer || c == number }
	return a == b || numeric(a) && numeric(b)
}

// difference holds the differences between two versions, by the paths of values.
type difference struct {
	// only has the fields that the other version lacks; missing, the fields that only the other
	// version has, by the path of the struct.
	only    map[string]bool
	missing map[string][]string
	// other has the fields of another class there.
	other map[string]*Schema
	// enums has the strings with other values there.
	enums map[string]bool
}

// count returns the number of fields that one of the versions lacks.
func (d *difference) count() int {
	n := len(d.only)
	for _, names := range d.missing {
		n += len(names)
	}
	return n
}

// shape reports whether the versions differ in fields or their types.
func (d *difference) shape() bool { return len(d.only)+len(d.missing)+len(d.other) > 0 }

// compare returns how version a differs from b.
func compare(a, b *Schema) *difference {
	d := &difference{
		only: map[string]bool{}, missing: map[string][]string{}, other: map[string]*Schema{},
		enums: map[string]bool{},
	}
	d.walk(a, b, "")
	return d
}

func (d *difference) walk(a, b *Schema, path string) {
	ca := a.class()
	if !converts(ca, b.class()) {
		d.other[path] = b
		return
	}
	switch ca {
	case text:
		if !slices.Equal(slices.Sorted(slices.Values(a.Enum)), slices.Sorted(slices.Values(b.Enum))) {
			d.enums[path] = true
		}
	case list:
		d.walk(a.Items, b.Items, path+"[]")
	case mapping:
		d.walk(a.Values, b.Values, path+"{}")
	case structure:
		for _, p := range a.Properties {
			if path == "" && isHeader(p.Name) {
				continue
			}
			if other := b.property(p.Name); other != nil {
				d.walk(p.Schema, other, path+"."+p.Name)
			} else {
				d.only[path+"."+p.Name] = true
			}
		}
		for _, p := range b.Properties {
			if a.property(p.Name) == nil && (path != "" || !isHeader(p.Name)) {
				d.missing[path] = append(d.missing[path], p.Name)
			}
		}
	}
}

// isHeader reports whether a property of a kind is one that every object has, such as metadata.
func isHeader(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// cutGroup splits the marker of a group. A group without a minimum is not needed.
func cutGroup(group string) (name string, names []string, needed bool) {
	name, list, _ := strings.Cut(group, "=")
	return name, strings.Split(list, ";"), name != "AtMostOneOf"
}

// literal reports whether a default can be written as a literal in Go.
func (s *Schema) literal(v any, nested bool) bool {
	switch c := s.class(); c {
	case timestamp, raw, rawObject:
		return false
	case quantity:
		return !nested
	case list:
		elements, _ := v.([]any)
		for _, e := range elements {
			if !s.Items.literal(e, true) {
				return false
			}
		}
	case mapping, structure, condition, selector:
		members, _ := v.(map[string]any)
		for name, m := range members {
			of := s.Values
			if c != mapping {
				of = s.property(name)
			}
			if of != nil && !of.literal(m, true) {
				return false
			}
		}
	}
	return true
}
