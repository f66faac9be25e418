package aggregator

import (
	"testing"
	"time"

	"github.com/askind/askind/aggregator/v1alpha1"
	metav1 "github.com/askind/askind/meta/v1"
)

// TestMergedConditions checks that the transition time of a condition changes with its status
// alone, and that conditions of others stay.
func TestMergedConditions(t *testing.T) {
	t.Parallel()
	old := metav1.NewTime(time.Unix(1_700_000_000, 0))
	before := []metav1.Condition{
		{Type: "Other", Status: metav1.ConditionTrue, LastTransitionTime: old},
		{Type: "Same", Status: metav1.ConditionTrue, Reason: "A", LastTransitionTime: old},
		{Type: "Changed", Status: metav1.ConditionTrue, LastTransitionTime: old},
	}
	got := merged(before, []metav1.Condition{
		{Type: "Same", Status: metav1.ConditionTrue, Reason: "B"},
		{Type: "Changed", Status: metav1.ConditionFalse},
		{Type: "New", Status: metav1.ConditionTrue},
	})
	if len(got) != 4 || got[0] != before[0] || got[1].Reason != "B" || got[1].LastTransitionTime != old ||
		got[2].Status != metav1.ConditionFalse || !got[2].LastTransitionTime.After(old.Time) ||
		got[3].Type != "New" || got[3].LastTransitionTime.IsZero() || before[1].Reason != "A" {
		t.Errorf("got %+v", got)
	}
}

// TestServersOfRegistrations checks which registrations share the connections of one server: those
// that agree in what it is and how it proves that.
func TestServersOfRegistrations(t *testing.T) {
	t.Parallel()
	one := v1alpha1.APIServiceSpec{Group: "a", Version: "v1", URL: "https://a", ServerName: "a", CABundle: []byte("a")}
	other := one
	if other.Group, other.Version, other.GroupPriority = "b", "v2", 7; keyOf(&one) != keyOf(&other) {
		t.Error("two groups of one server have two servers")
	}
	for name, change := range map[string]func(*v1alpha1.APIServiceSpec){
		"URL":       func(s *v1alpha1.APIServiceSpec) { s.URL = "https://b" },
		"name":      func(s *v1alpha1.APIServiceSpec) { s.ServerName = "b" },
		"authority": func(s *v1alpha1.APIServiceSpec) { s.CABundle = []byte("b") },
	} {
		other := one
		if change(&other); keyOf(&one) == keyOf(&other) {
			t.Errorf("with another %s, the server is the same", name)
		}
	}
}
