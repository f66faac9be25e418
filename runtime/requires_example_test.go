package runtime_test

import (
	"fmt"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// A group says where it is registered which others it needs; a scheme is refused without them.
func ExampleBuilder_Requires() {
	orders := schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
	parcels := schema.GroupVersion{Group: "post.example.com", Version: "v1"}
	type order struct{ APIVersion, Kind string }
	type parcel struct{ APIVersion, Kind string }
	addOrders := func(b *runtime.Builder) {
		b.Requires(orders, parcels)
		runtime.AddKind(b, &runtime.KindSpec[order]{
			GroupVersionKind: orders.WithKind("Order"),
			TypeMeta:         func(o *order) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		})
	}
	addParcels := func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[parcel]{
			GroupVersionKind: parcels.WithKind("Parcel"),
			TypeMeta:         func(p *parcel) (apiVersion, kind *string) { return &p.APIVersion, &p.Kind },
		})
	}
	_, err := runtime.NewScheme(addOrders)
	fmt.Println("refused:", err != nil)
	scheme, err := runtime.NewScheme(addOrders, addParcels)
	if err != nil {
		fmt.Println(err)
		return
	}
	for by, needs := range scheme.Requirements() {
		fmt.Println(by, "requires", needs)
	}
	// Output:
	// refused: true
	// shop.example.com/v1 requires post.example.com/v1
}
