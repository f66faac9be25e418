package v1_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/askind/askind/meta/selector"
	metav1 "github.com/askind/askind/meta/v1"
)

func TestFormatLabelSelector(t *testing.T) {
	t.Parallel()
	where := func(key string, op metav1.LabelSelectorOperator, values ...string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: values}
	}
	tests := []struct {
		name string
		in   *metav1.LabelSelector
		want string
		bad  string
	}{
		{name: "nil"},
		{name: "everything", in: &metav1.LabelSelector{}},
		{
			name: "labels in order", in: &metav1.LabelSelector{MatchLabels: map[string]string{"b": "2", "a": "1"}},
			want: "a=1,b=2",
		},
		{
			name: "all operators",
			in: &metav1.LabelSelector{
				MatchLabels: map[string]string{"m": "x"},
				MatchExpressions: []metav1.LabelSelectorRequirement{
					where("z", metav1.LabelSelectorOpIn, "b", "a"), where("y", metav1.LabelSelectorOpNotIn, "c"),
					where("c", metav1.LabelSelectorOpExists), where("d", metav1.LabelSelectorOpDoesNotExist),
				},
			},
			want: "c,!d,m=x,y notin (c),z in (a,b)",
		},
		{name: "no values", in: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{where("a",
			metav1.LabelSelectorOpIn)}}, bad: "invalid label selector: matchExpressions[0]: operator In needs values"},
		{
			name: "values", in: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{where("a",
				metav1.LabelSelectorOpExists, "b")}},
			bad: "invalid label selector: matchExpressions[0]: operator Exists takes no values",
		},
		{name: "operator", in: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{where("a",
			"Near")}}, bad: `invalid label selector: matchExpressions[0]: unknown operator "Near"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := metav1.FormatLabelSelector(tt.in)
			if tt.bad != "" {
				if !errors.Is(err, metav1.ErrSelector) || err.Error() != tt.bad {
					t.Errorf("got error %v, want %s", err, tt.bad)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func ExampleFormatLabelSelector() {
	text, err := metav1.FormatLabelSelector(&metav1.LabelSelector{
		MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "tier", Operator: metav1.LabelSelectorOpIn,
			Values: []string{"front"},
		}},
	})
	fmt.Println(text, err)
	// Output: app=web,tier in (front) <nil>
}

// The text must be the one that package meta writes for the same selector.
func TestFormatLabelSelectorAsMeta(t *testing.T) {
	t.Parallel()
	in := &metav1.LabelSelector{
		MatchLabels: map[string]string{"m": "x", "a": ""},
		MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "z", Operator: metav1.LabelSelectorOpIn, Values: []string{"b", "a"}},
			{Key: "y", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"c"}},
			{Key: "c", Operator: metav1.LabelSelectorOpExists},
			{Key: "d", Operator: metav1.LabelSelectorOpDoesNotExist},
		},
	}
	for _, s := range []*metav1.LabelSelector{nil, {}, in} {
		parsed, err := selector.Of(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := metav1.FormatLabelSelector(s)
		if err != nil || got != parsed.String() {
			t.Errorf("got %q, %v, want %q", got, err, parsed)
		}
	}
}
