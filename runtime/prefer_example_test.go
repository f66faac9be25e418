package runtime_test

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// Without Prefer the order is v2, v1: stable versions come first, the highest at the front.
func ExampleBuilder_Prefer() {
	v1 := schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
	v2 := schema.GroupVersion{Group: "shop.example.com", Version: "v2"}
	type orderV1 struct{ Name string }
	type orderV2 struct{ Title string }
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[orderV1]{GroupVersionKind: v1.WithKind("Order")})
		runtime.AddKind(b, &runtime.KindSpec[orderV2]{GroupVersionKind: v2.WithKind("Order")})
		b.Prefer(v1)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scheme.VersionsOf(schema.GroupKind{Group: "shop.example.com", Kind: "Order"}))
	// Output: [shop.example.com/v1 shop.example.com/v2]
}

// A function that collects violations returns nil as an error if it has found none.
func ExampleFieldErrors_Err() {
	check := func(doors int) error {
		var found runtime.FieldErrors
		if doors < 2 {
			found = append(found, runtime.Invalid(schema.NewPath("spec", "doors"), doors, "must be at least 2"))
		}
		return found.Err()
	}
	fmt.Println(check(4))
	fmt.Println(check(1))
	// Output:
	// <nil>
	// spec.doors: Invalid value: 1: must be at least 2
}
