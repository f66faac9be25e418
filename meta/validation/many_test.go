package validation_test

import (
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/meta/validation"
)

// TestManyErrors validates metadata with mistakes in very many places: memory is taken for the
// first of them.
func TestManyErrors(t *testing.T) { // not in parallel: it counts what is allocated
	const n = 300_000
	labels := map[string]string{}
	for i := range n {
		labels[fmt.Sprint("not valid ", i)] = "not valid"
	}
	for name, m := range map[string]metav1.ObjectMeta{
		"owners":         {OwnerReferences: make([]metav1.OwnerReference, n)},
		"finalizers":     {Finalizers: slices.Repeat([]string{"not valid"}, n)},
		"managed fields": {ManagedFields: make([]metav1.ManagedFieldsEntry, n)},
		"labels":         {Labels: labels},
		"annotations":    {Annotations: labels},
		"manager": {ManagedFields: []metav1.ManagedFieldsEntry{{
			Manager: strings.Repeat("\u00ad", n), Operation: metav1.ManagedFieldsOperationApply,
		}}},
	} {
		m.Name = "a"
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		found := validation.ObjectMeta(&m, validation.Options{})
		goruntime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; len(found) < 1000 || used > 40<<20 {
			t.Errorf("%s: %d errors, %d bytes", name, len(found), used)
		}
	}
}

// TestManyFinalizers changes an object with very many finalizers that is being deleted, which takes
// minutes if each is compared with all.
func TestManyFinalizers(t *testing.T) {
	t.Parallel()
	old := metav1.ObjectMeta{DeletionTimestamp: new(metav1.Time)}
	for i := range 300_000 {
		old.Finalizers = append(old.Finalizers, fmt.Sprint("example.com/finalizer-", i))
	}
	m := old
	m.Finalizers = append(slices.Clone(old.Finalizers), "example.com/new")
	found := validation.ObjectMetaUpdate(&m, &old)
	if len(found) != 1 || !strings.Contains(found[0].Error(), `found new finalizers []string{"example.com/new"}`) {
		t.Errorf("got %.1000v", found)
	}
}
