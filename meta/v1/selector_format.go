package v1

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askind/askind/internal/sorted"
)

// ErrSelector is the cause of errors for an invalid label selector.
var ErrSelector = errors.New("invalid label selector")

// FormatLabelSelector returns the text form of a selector, in which requirements are sorted by key:
//
//	app=web,!debug,tier in (front,middle),zone notin (a)
//
// The status of a [Scale] uses this form. The selector that selects everything and the nil one,
// which selects nothing, are both blank. An unknown operator, and missing or superfluous values,
// are errors.
func FormatLabelSelector(s *LabelSelector) (string, error) {
	if s == nil {
		return "", nil
	}
	type requirement struct{ key, text string }
	requirements := make([]requirement, 0, len(s.MatchLabels)+len(s.MatchExpressions))
	for k, v := range s.MatchLabels {
		requirements = append(requirements, requirement{k, k + "=" + v})
	}
	for i := range s.MatchExpressions {
		r := &s.MatchExpressions[i]
		text, err := r.format()
		if err != nil {
			return "", fmt.Errorf("%w: matchExpressions[%d]: %w", ErrSelector, i, err)
		}
		requirements = append(requirements, requirement{r.Key, text})
	}
	sorted.Func(requirements, func(a, b requirement) int { return cmp.Compare(a.key, b.key) })
	texts := make([]string, len(requirements))
	for i, r := range requirements {
		texts[i] = r.text
	}
	return strings.Join(texts, ","), nil
}

func (r *LabelSelectorRequirement) format() (string, error) {
	switch r.Operator {
	case LabelSelectorOpIn, LabelSelectorOpNotIn:
		if len(r.Values) == 0 {
			return "", fmt.Errorf("operator %s needs values", r.Operator)
		}
		word := " in ("
		if r.Operator == LabelSelectorOpNotIn {
			word = " notin ("
		}
		return r.Key + word + strings.Join(slices.Sorted(slices.Values(r.Values)), ",") + ")", nil
	case LabelSelectorOpExists, LabelSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			return "", fmt.Errorf("operator %s takes no values", r.Operator)
		}
		if r.Operator == LabelSelectorOpDoesNotExist {
			return "!" + r.Key, nil
		}
		return r.Key, nil
	}
	return "", fmt.Errorf("unknown operator %q", r.Operator)
}
