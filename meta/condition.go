package meta

import (
	"slices"
	"time"

	v1 "github.com/askind/askind/meta/v1"
)

// FindCondition returns a pointer to the condition of a type in the slice, or nil.
func FindCondition(conditions []v1.Condition, conditionType string) *v1.Condition {
	for i := range conditions {
		if conditions[i].Type == conditionType {
			return &conditions[i]
		}
	}
	return nil
}

// SetCondition adds a condition, or replaces the one of the same type, and reports whether that
// changed anything. The time of the last transition changes only with the status: then it is that
// of c, or the current time if c has none.
func SetCondition(conditions *[]v1.Condition, c v1.Condition) bool {
	old := FindCondition(*conditions, c.Type)
	if old != nil && old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime
		if *old == c {
			return false
		}
		*old = c
		return true
	}
	if c.LastTransitionTime.IsZero() {
		c.LastTransitionTime = v1.NewTime(time.Now())
	}
	if old != nil {
		*old = c
	} else {
		*conditions = append(*conditions, c)
	}
	return true
}

// RemoveCondition removes the condition of a type and reports whether it existed. It does not write
// to the memory of the slice.
func RemoveCondition(conditions *[]v1.Condition, conditionType string) bool {
	i := slices.IndexFunc(*conditions, func(c v1.Condition) bool { return c.Type == conditionType })
	if i < 0 {
		return false
	}
	*conditions = slices.Concat((*conditions)[:i], (*conditions)[i+1:])
	return true
}

// IsConditionTrue reports whether there is a condition of the type with status True.
func IsConditionTrue(conditions []v1.Condition, conditionType string) bool {
	return HasCondition(conditions, conditionType, v1.ConditionTrue)
}

// IsConditionFalse reports whether there is a condition of the type with status False. It is not
// the negation of [IsConditionTrue]: both are false for an absent condition.
func IsConditionFalse(conditions []v1.Condition, conditionType string) bool {
	return HasCondition(conditions, conditionType, v1.ConditionFalse)
}

// HasCondition reports whether there is a condition of the type with that status.
func HasCondition(conditions []v1.Condition, conditionType string, status v1.ConditionStatus) bool {
	c := FindCondition(conditions, conditionType)
	return c != nil && c.Status == status
}
