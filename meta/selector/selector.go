package selector

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	v1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// Operator relates a label to the values of a [Requirement].
type Operator string

// The operators. NotIn and NotEquals hold for an absent label too; GreaterThan and LessThan compare
// integers and do not hold for labels that are not integers.
const (
	In           Operator = "in"
	NotIn        Operator = "notin"
	Equals       Operator = "="
	DoubleEquals Operator = "=="
	NotEquals    Operator = "!="
	Exists       Operator = "exists"
	DoesNotExist Operator = "!"
	GreaterThan  Operator = ">"
	LessThan     Operator = "<"
)

// Requirement is one condition on one label.
type Requirement struct {
	key      string
	operator Operator
	values   []string // sorted, each once
	bound    int64    // the value of GreaterThan and LessThan
}

// NewRequirement returns a requirement. In and NotIn take one or more values, Exists and
// DoesNotExist take none, and the others take one. Key and values must be well-formed label keys
// and values.
func NewRequirement(key string, operator Operator, values ...string) (Requirement, error) {
	r := Requirement{key: key, operator: operator}
	if problem := checkLabelKey(key); problem != "" {
		return r, fmt.Errorf("label key %s: %s", schema.Quote(key), problem)
	}
	for _, v := range values {
		if problem := checkLabelValue(v); problem != "" {
			return r, fmt.Errorf("label value %s of key %q: %s", schema.Quote(v), key, problem)
		}
	}
	least, most := 1, 1
	switch operator {
	case In, NotIn:
		most = len(values)
	case Exists, DoesNotExist:
		least, most = 0, 0
	case Equals, DoubleEquals, NotEquals, GreaterThan, LessThan:
	default:
		return r, fmt.Errorf("operator %q of key %q is unknown", operator, key)
	}
	if len(values) < least || len(values) > most {
		return r, fmt.Errorf("operator %q of key %q has %d values", operator, key, len(values))
	}
	if operator == GreaterThan || operator == LessThan {
		bound, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			return r, fmt.Errorf("operator %q of key %q requires a 64-bit integer, not %q", operator,
				key, values[0])
		}
		r.bound = bound
	}
	if len(values) > 0 {
		r.values = slices.Clone(values)
		slices.Sort(r.values)
		r.values = slices.Compact(r.values)
	}
	return r, nil
}

// Key returns the key of the label.
func (r Requirement) Key() string { return r.key }

// Operator returns the operator.
func (r Requirement) Operator() Operator { return r.operator }

// Values returns a copy of the values, sorted.
func (r Requirement) Values() []string { return slices.Clone(r.values) }

// Matches reports whether the labels satisfy the requirement.
func (r Requirement) Matches(labels map[string]string) bool {
	v, ok := labels[r.key]
	switch r.operator {
	case In, Equals, DoubleEquals:
		return ok && r.has(v)
	case NotIn, NotEquals:
		return !ok || !r.has(v)
	case Exists:
		return ok
	case DoesNotExist:
		return !ok
	case GreaterThan, LessThan:
		n, err := strconv.ParseInt(v, 10, 64)
		return ok && err == nil && (r.operator == GreaterThan && n > r.bound || r.operator == LessThan && n < r.bound)
	}
	return false
}

// has reports whether a value is one of the requirement. Clients may send very many of them.
func (r Requirement) has(value string) bool {
	_, found := slices.BinarySearch(r.values, value)
	return found
}

// String returns the requirement in the grammar of [Parse].
func (r Requirement) String() string {
	switch r.operator {
	case Exists:
		return r.key
	case DoesNotExist:
		return "!" + r.key
	case In, NotIn:
		return r.key + " " + string(r.operator) + " (" + strings.Join(r.values, ",") + ")"
	}
	return r.key + string(r.operator) + strings.Join(r.values, ",")
}

// Selector selects objects whose labels satisfy all of its requirements. The zero Selector selects
// everything; [Nothing] selects nothing. A Selector is immutable and safe for concurrent use.
type Selector struct {
	requirements []Requirement // by key
	nothing      bool
}

// Nothing returns the selector that matches no labels at all. It has no text form: String returns
// "", as for the zero Selector.
func Nothing() Selector { return Selector{nothing: true} }

// New returns a selector with the given requirements.
func New(requirements ...Requirement) Selector {
	s := Selector{requirements: slices.Clone(requirements)}
	sorted.Func(s.requirements, func(a, b Requirement) int { return strings.Compare(a.key, b.key) })
	return s
}

// Of returns the selector that a v1.LabelSelector describes: an empty one selects
// everything, nil nothing.
func Of(l *v1.LabelSelector) (Selector, error) {
	if l == nil {
		return Nothing(), nil
	}
	requirements := make([]Requirement, 0, len(l.MatchLabels)+len(l.MatchExpressions))
	for k, v := range l.MatchLabels {
		r, err := NewRequirement(k, Equals, v)
		if err != nil {
			return Nothing(), fmt.Errorf("label selector: matchLabels: %w", err)
		}
		requirements = append(requirements, r)
	}
	for i, e := range l.MatchExpressions {
		operator, ok := operatorOf(e.Operator)
		if !ok {
			return Nothing(), fmt.Errorf(
				"label selector: matchExpressions[%d]: unknown operator %q; use In, NotIn, Exists or DoesNotExist", i,
				e.Operator,
			)
		}
		r, err := NewRequirement(e.Key, operator, e.Values...)
		if err != nil {
			return Nothing(), fmt.Errorf("label selector: matchExpressions[%d]: %w", i, err)
		}
		requirements = append(requirements, r)
	}
	return New(requirements...), nil
}

// operatorOf returns the operator that a v1.LabelSelector spells differently.
func operatorOf(o v1.LabelSelectorOperator) (Operator, bool) {
	switch o {
	case v1.LabelSelectorOpIn:
		return In, true
	case v1.LabelSelectorOpNotIn:
		return NotIn, true
	case v1.LabelSelectorOpExists:
		return Exists, true
	case v1.LabelSelectorOpDoesNotExist:
		return DoesNotExist, true
	}
	return "", false
}

// Matches reports whether the selector selects an object with these labels.
func (s Selector) Matches(labels map[string]string) bool {
	if s.nothing {
		return false
	}
	for i := range s.requirements {
		if !s.requirements[i].Matches(labels) {
			return false
		}
	}
	return true
}

// Empty reports whether the selector selects everything.
func (s Selector) Empty() bool { return !s.nothing && len(s.requirements) == 0 }

// Requirements yields the requirements in the order of their keys.
func (s Selector) Requirements() iter.Seq[Requirement] { return slices.Values(s.requirements) }

// String returns the selector in the grammar of [Parse].
func (s Selector) String() string {
	texts := make([]string, len(s.requirements))
	for i, r := range s.requirements {
		texts[i] = r.String()
	}
	return strings.Join(texts, ",")
}
