package selector_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/meta/selector"
	metav1 "github.com/askind/askind/meta/v1"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		yes, no    []map[string]string
	}{
		{text: "", want: "", yes: []map[string]string{nil, {"a": "b"}}},
		{
			text: "app=web", want: "app=web", yes: []map[string]string{{"app": "web"}},
			no: []map[string]string{nil, {"app": "api"}},
		},
		{
			text: "app == web", want: "app==web", yes: []map[string]string{{"app": "web"}},
			no: []map[string]string{{"app": ""}},
		},
		{
			text: "app!=web", want: "app!=web", yes: []map[string]string{nil, {"app": "api"}},
			no: []map[string]string{{"app": "web"}},
		},
		{
			text: "app in (web, api)", want: "app in (api,web)", yes: []map[string]string{
				{"app": "web"},
				{"app": "api"},
			},
			no: []map[string]string{nil, {"app": ""}},
		},
		{
			text: "app notin (web,api)", want: "app notin (api,web)", yes: []map[string]string{nil, {"app": "x"}},
			no: []map[string]string{{"app": "api"}},
		},
		{text: "app", want: "app", yes: []map[string]string{{"app": ""}}, no: []map[string]string{nil}},
		{text: "! app", want: "!app", yes: []map[string]string{nil}, no: []map[string]string{{"app": ""}}},
		{
			text: "size>3", want: "size>3", yes: []map[string]string{{"size": "4"}},
			no: []map[string]string{nil, {"size": "3"}, {"size": "x"}},
		},
		{
			text: "size < 3", want: "size<3", yes: []map[string]string{{"size": "-4"}},
			no: []map[string]string{nil, {"size": "3"}},
		},
		{
			text: "b=1,a=", want: "a=,b=1", yes: []map[string]string{{"a": "", "b": "1"}},
			no: []map[string]string{{"b": "1"}, {"a": ""}},
		},
		{text: "in in (notin)", want: "in in (notin)", yes: []map[string]string{{"in": "notin"}}},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			s, err := selector.Parse(c.text)
			if err != nil || s.String() != c.want || s.Empty() != (c.want == "") {
				t.Fatalf("got %q, %v, want %q", s, err, c.want)
			}
			for _, l := range c.yes {
				if !s.Matches(l) {
					t.Errorf("does not match %v", l)
				}
			}
			for _, l := range c.no {
				if s.Matches(l) {
					t.Errorf("matches %v", l)
				}
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, message string
		offset        int
	}{
		{"a,", "expected a label, found the end", 2},
		{"a,,b", `expected a label, found ","`, 2},
		{"a b", `expected an operator, found "b"`, 2},
		{"a=b c", `expected a comma or the end, found "c"`, 4},
		{"!a=b", `expected a comma or the end, found "="`, 2},
		{"a in b", `expected values in parentheses, found "b"`, 5},
		{"a in (b", "expected a comma or a closing parenthesis, found the end", 7},
		{"a=)", `expected a value, found ")"`, 2},
		{
			"a " + strings.Repeat("b", 1000), `expected an operator, found "` + strings.Repeat("b", 253) + `…"`, 2,
		},
		{"ok, -a=b", `label key "-a": the name must consist of letters, digits, '-', '_' and '.', with letters or digits at both ends`, 4},
		{
			"X/a", `label key "X/a": the part before the slash must be a DNS name in lower case of at most 253 characters`,
			0,
		},
		{"/a", `label key "/a": the part before the slash is blank`, 0},
		{"x/", `label key "x/": the name is blank`, 0},
		{
			"x/" + strings.Repeat("a", 64),
			`label key "x/` + strings.Repeat("a", 64) + `": the name must have at most 63 characters`, 0,
		},
		{
			"a=" + strings.Repeat("b", 64),
			`label value "` + strings.Repeat("b", 64) + `" of key "a": a value must have at most 63 characters`, 0,
		},
		{"a=b/c", `label value "b/c" of key "a": a value must be blank or consist of letters, digits, '-', '_' and '.', with letters or digits at both ends`, 0},
		{"a>x", `operator ">" of key "a" requires a 64-bit integer, not "x"`, 0},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			s, err := selector.Parse(c.text)
			e, ok := errors.AsType[*selector.ParseError](err)
			if !ok || e.Err.Error() != c.message || e.Offset != c.offset || e.Text != c.text {
				t.Errorf("got %q, %v, want offset %d: %s", s, err, c.offset, c.message)
			}
			if s.Matches(nil) {
				t.Error("the result of a failure matches")
			}
		})
	}
}

func TestSelectorOf(t *testing.T) {
	t.Parallel()
	nothing, err := selector.Of(nil)
	if err != nil || nothing.Matches(nil) || nothing.Empty() || nothing.String() != "" {
		t.Errorf("nil gives %q, %v, want nothing", nothing, err)
	}
	everything, err := selector.Of(&metav1.LabelSelector{})
	if err != nil || !everything.Matches(nil) || !everything.Empty() {
		t.Errorf("an empty selector gives %q, %v, want everything", everything, err)
	}
	s, err := selector.Of(&metav1.LabelSelector{
		MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"front", "back"}},
			{Key: "debug", Operator: metav1.LabelSelectorOpDoesNotExist},
		},
	})
	if err != nil || s.String() != "app=web,!debug,tier in (back,front)" {
		t.Errorf("got %q, %v", s, err)
	}
	var keys []string
	for r := range s.Requirements() {
		keys = append(keys, r.Key()+" "+string(r.Operator()))
	}
	if want := []string{"app =", "debug !", "tier in"}; !slices.Equal(keys, want) {
		t.Errorf("requirements %q, want %q", keys, want)
	}
	for _, bad := range []*metav1.LabelSelector{
		{MatchLabels: map[string]string{"-": ""}},
		{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Gt", Values: []string{"1"}}}},
		{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: metav1.LabelSelectorOpIn}}},
		{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: "a", Operator: metav1.LabelSelectorOpExists,
			Values: []string{"1"},
		}}},
	} {
		if s, err := selector.Of(bad); err == nil || s.Matches(nil) {
			t.Errorf("%+v gives %q, %v, want an error", bad, s, err)
		}
	}
}

// TestFormats compares the two writers of selectors: the one of package v1 does not check, and this
// one does.
func TestFormats(t *testing.T) {
	t.Parallel()
	l := &metav1.LabelSelector{
		MatchLabels: map[string]string{"b": "1", "a": ""},
		MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "c", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"y", "x"}},
			{Key: "a", Operator: metav1.LabelSelectorOpExists},
		},
	}
	s, err := selector.Of(l)
	text, err2 := metav1.FormatLabelSelector(l)
	if err != nil || err2 != nil || s.String() != text {
		t.Errorf("%q, %v and %q, %v", s, err, text, err2)
	}
	if again, err := selector.Parse(text); err != nil || again.String() != text {
		t.Errorf("parsed again %q, %v, want %q", again, err, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "a=b,!c", "a in (b,c)", "x.y/a notin ()", "a>1", "a,,", "(", "!=", "ä"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := selector.Parse(text)
		if err != nil {
			if e, ok := errors.AsType[*selector.ParseError](err); !ok || e.Offset < 0 || e.Offset > len(text) {
				t.Errorf("Parse(%q): %v", text, err)
			}
			return
		}
		again, err := selector.Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("Parse(%q) is written %q, which is %q, %v", text, s, again, err)
		}
	})
}

// TestLongestLabels parses a key and a value of the greatest length.
func TestLongestLabels(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 63)
	s, err := selector.Parse("x/" + long + "=" + long)
	if err != nil || !s.Matches(map[string]string{"x/" + long: long}) {
		t.Errorf("got %q, %v", s, err)
	}
}

// TestSelectorsAreImmutable checks that a selector shares no memory with what it was made from.
func TestSelectorsAreImmutable(t *testing.T) {
	t.Parallel()
	values := []string{"2", "1"}
	var requirements []selector.Requirement
	for _, key := range []string{"b", "a"} {
		r, err := selector.NewRequirement(key, selector.In, values...)
		if err != nil {
			t.Fatal(err)
		}
		requirements = append(requirements, r)
	}
	s := selector.New(requirements...)
	if requirements[0].Key() != "b" || values[0] != "2" {
		t.Errorf("the requirements are now %v, the values %v", requirements, values)
	}
	values[0], requirements[0] = "3", requirements[1]
	requirements[1].Values()[0] = "3"
	if got := s.String(); got != "a in (1,2),b in (1,2)" {
		t.Errorf("the selector is now %s", got)
	}
}
