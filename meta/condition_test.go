package meta_test

import (
	"testing"
	"time"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
)

func TestSetCondition(t *testing.T) {
	t.Parallel()
	past, later := metav1.Unix(1000, 0), metav1.Unix(2000, 0)
	var list []metav1.Condition
	for _, c := range []struct {
		name       string
		set        metav1.Condition
		changed    bool
		transition metav1.Time
	}{
		{"new", metav1.Condition{
			Type: "Ready", Status: metav1.ConditionFalse, Reason: "Starting",
			LastTransitionTime: past,
		}, true, past},
		{"same again", metav1.Condition{
			Type: "Ready", Status: metav1.ConditionFalse, Reason: "Starting",
			LastTransitionTime: later,
		}, false, past},
		{"other reason", metav1.Condition{
			Type: "Ready", Status: metav1.ConditionFalse, Reason: "Pulling",
			LastTransitionTime: later,
		}, true, past},
		{"observed again", metav1.Condition{
			Type: "Ready", Status: metav1.ConditionFalse, Reason: "Pulling",
			ObservedGeneration: 2,
		}, true, past},
		{"other status", metav1.Condition{
			Type: "Ready", Status: metav1.ConditionTrue, Reason: "Up",
			LastTransitionTime: later,
		}, true, later},
	} {
		changed := meta.SetCondition(&list, c.set)
		got := meta.FindCondition(list, "Ready")
		if changed != c.changed || len(list) != 1 || got == nil || got.LastTransitionTime != c.transition ||
			got.Reason != c.set.Reason {
			t.Errorf("%s: changed %v, list %+v", c.name, changed, list)
		}
	}

	before := time.Now()
	meta.SetCondition(&list, metav1.Condition{Type: "Ready", Status: metav1.ConditionUnknown})
	if at := list[0].LastTransitionTime; at.Time.Before(before) {
		t.Errorf("without a time the transition is at %v, want now", at)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	list := []metav1.Condition{
		{Type: "Ready", Status: metav1.ConditionTrue},
		{Type: "Paused", Status: metav1.ConditionFalse},
		{Type: "Synced", Status: metav1.ConditionUnknown},
	}
	original := list
	if !meta.IsConditionTrue(list, "Ready") || meta.IsConditionFalse(list, "Ready") ||
		!meta.IsConditionFalse(list, "Paused") ||
		meta.IsConditionTrue(list, "Absent") || meta.IsConditionFalse(list, "Absent") ||
		!meta.HasCondition(list, "Synced", metav1.ConditionUnknown) {
		t.Error("a status is read wrongly")
	}
	if meta.RemoveCondition(&list, "Absent") || len(list) != 3 {
		t.Error("an absent condition was removed")
	}
	if !meta.RemoveCondition(&list, "Ready") || len(list) != 2 || list[0].Type != "Paused" ||
		original[0].Type != "Ready" {
		t.Errorf("after removing: %+v, original %+v", list, original)
	}
}
