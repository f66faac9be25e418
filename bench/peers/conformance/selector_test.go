package conformance

import (
	"math/rand/v2"
	"strings"
	"testing"

	peerv1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	peerlabels "k8s.io/apimachinery/pkg/labels"

	"github.com/askind/askind/meta/selector"
	v1 "github.com/askind/askind/meta/v1"
)

var selectorTexts = []string{
	"", " ", "a", "!a", "! a", "a=b", "a==b", "a = b", "a!=b", "a in (b)", "a in(b)", "a in (c,b,b)", "a notin (b, c)",
	"a in ()", "a in (,)", "a in (b,)", "a in (,b)", "a in (b,,c)", "a in (,,b)",
	"a>1", "a<1", "a > -5", "a>x", "a>", "a=", "a==", "a!=", "a=,b", "a,b", "b,a", "b=2,a=1,b!=3", "a,", ",a", ",",
	"a,,b", "!a=b", "!", "!!a", "a=b=c", "a in b", "a in (b", "a (b)", "a b", "in", "in in (in)", "notin=in",
	"in=notin", "a in (in,notin)", "x.y/a=b", "x.y/z/a=b", "/a=b", "x/=b", "-a=b", "a-=b", "a=b-", "a=-b",
	"A_b.c-d=E_f.g-h", "X.y/a", "a=b;c", "a=ä", "ä=b", "a=b\n,c", "a\t=\tb", "a=>b", "a<=b", "a>=1", "a=!b", "a!b",
	"a!==b", "a===b",
	strings.Repeat("a", 63), strings.Repeat("a", 64), "a=" + strings.Repeat("b", 63), "a=" + strings.Repeat("b",
		64), strings.Repeat("a", 253) + "/b", strings.Repeat("a.", 127) + "/b", strings.Repeat("a.", 126) + "a/b",
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	texts := selectorTexts
	tokens := []string{
		"a", "b", "c", "1", "2", "-3", "x.y/a", "in", "notin", "(", ")", ",", ",", "!", "=", "==", "!=",
		">", "<", " ", " in (", " notin (", ")",
	}
	for range 100_000 {
		var b strings.Builder
		for range 1 + r.IntN(10) {
			b.WriteString(tokens[r.IntN(len(tokens))])
		}
		texts = append(texts, b.String())
	}
	labelSets := []map[string]string{
		nil,
		{"a": "b"},
		{"a": "", "b": "1", "in": "notin"},
		{"a": "1", "b": "2", "c": "-3"},
		{"a": "c", "x.y/a": "b"},
		{"a": "x", "b": "9223372036854775808", "c": "4"},
	}
	good := 0
	for _, text := range texts {
		ours, err := selector.Parse(text)
		theirs, theirErr := peerlabels.Parse(text)
		if (err == nil) != (theirErr == nil) {
			t.Errorf("ParseSelector(%q): error %v, peer's %v", text, err, theirErr)
			continue
		}
		if err != nil {
			continue
		}
		good++
		if ours.String() != theirs.String() {
			t.Errorf("ParseSelector(%q).String() = %q, peer's %q", text, ours, theirs)
		}
		for _, l := range labelSets {
			if got, want := ours.Matches(l), theirs.Matches(peerlabels.Set(l)); got != want {
				t.Errorf("ParseSelector(%q).Matches(%v) = %v, peer's %v", text, l, got, want)
			}
		}
	}
	t.Logf("%d of %d texts are selectors", good, len(texts))
}

func TestLabelSelectors(t *testing.T) {
	t.Parallel()
	for _, s := range []*v1.LabelSelector{
		nil,
		{},
		{MatchLabels: map[string]string{"b": "1", "a": ""}},
		{MatchExpressions: []v1.LabelSelectorRequirement{
			{Key: "a", Operator: "In", Values: []string{"y", "x"}},
			{Key: "a", Operator: "Exists"},
		}},
		{MatchExpressions: []v1.LabelSelectorRequirement{
			{Key: "b", Operator: "NotIn", Values: []string{"x"}},
			{Key: "a", Operator: "DoesNotExist"},
		}},
		{MatchExpressions: []v1.LabelSelectorRequirement{{Key: "a", Operator: "In"}}},
		{MatchExpressions: []v1.LabelSelectorRequirement{{Key: "a", Operator: "Exists", Values: []string{"x"}}}},
		{MatchExpressions: []v1.LabelSelectorRequirement{{Key: "a", Operator: "Gt", Values: []string{"1"}}}},
		{MatchLabels: map[string]string{"-": "1"}},
	} {
		var peer *peerv1.LabelSelector
		if s != nil {
			peer = &peerv1.LabelSelector{MatchLabels: s.MatchLabels}
			for _, e := range s.MatchExpressions {
				peer.MatchExpressions = append(peer.MatchExpressions, peerv1.LabelSelectorRequirement{
					Key:      e.Key,
					Operator: peerv1.LabelSelectorOperator(e.Operator), Values: e.Values,
				})
			}
		}
		ours, err := selector.Of(s)
		theirs, theirErr := peerv1.LabelSelectorAsSelector(peer)
		if (err == nil) != (theirErr == nil) {
			t.Errorf("SelectorOf(%v): error %v, peer's %v", s, err, theirErr)
			continue
		}
		if err != nil {
			continue
		}
		if ours.String() != theirs.String() || ours.Empty() != theirs.Empty() {
			t.Errorf("SelectorOf(%v) = %q, %v, peer's %q, %v", s, ours, ours.Empty(), theirs, theirs.Empty())
		}
		for _, l := range []map[string]string{nil, {"a": ""}, {"a": "", "b": "1"}, {"a": "x"}, {"b": "x"}} {
			if got, want := ours.Matches(l), theirs.Matches(peerlabels.Set(l)); got != want {
				t.Errorf("SelectorOf(%v).Matches(%v) = %v, peer's %v", s, l, got, want)
			}
		}
	}
}
