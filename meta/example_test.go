package meta_test

import (
	"fmt"

	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
)

// Label all items of a list whose type is not known to the function.
func ExampleItems() {
	label := func(s *runtime.Scheme, list runtime.Object) error {
		kind, err := s.KindOf(list)
		if err != nil {
			return err
		}
		items, err := meta.Items(kind, list)
		if err != nil {
			return err
		}
		for _, obj := range items {
			m, err := meta.Accessor(kind.ItemKind(), obj)
			if err != nil {
				return err
			}
			m.Labels = map[string]string{"seen": m.Name}
		}
		return nil
	}

	scheme, err := runtime.NewScheme(metav1.AddTo)
	if err != nil {
		fmt.Println(err)
		return
	}
	list := &metav1.PartialObjectMetadataList{
		Items: []metav1.PartialObjectMetadata{
			{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
			{ObjectMeta: metav1.ObjectMeta{Name: "b"}},
		},
	}
	fmt.Println(label(scheme, list))
	fmt.Println(list.Items[0].Labels, list.Items[1].Labels)
	// Output:
	// <nil>
	// map[seen:a] map[seen:b]
}

func ExampleSetCondition() {
	conditions := []metav1.Condition{}
	fmt.Println(meta.SetCondition(&conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue,
		Reason: "Up",
	}))
	fmt.Println(meta.SetCondition(&conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue,
		Reason: "Up",
	}))
	fmt.Println(meta.IsConditionTrue(conditions, "Ready"))
	// Output:
	// true
	// false
	// true
}
