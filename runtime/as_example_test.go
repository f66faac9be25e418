package runtime_test

import (
	"fmt"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

type parcel struct {
	APIVersion, Kind string
	Grams            int64
}

type parcelList struct {
	APIVersion, Kind string
	Items            []parcel
}

// load is what a driver wants to know of parcels: how many there are and what they weigh together.
type load struct {
	APIVersion, Kind string
	Parcels, Grams   int64
}

// parcelAsLoad puts a parcel on a load.
func parcelAsLoad(in *parcel, out *load, _ *conversion.Scope) error {
	out.Parcels++
	out.Grams += in.Grams
	return nil
}

// addParcels registers by hand what generated code does with AddTo.
func addParcels(b *runtime.Builder) {
	post := schema.GroupVersion{Group: "post.example.com", Version: "v1"}
	runtime.AddKind(b, &runtime.KindSpec[parcel]{
		GroupVersionKind: post.WithKind("Parcel"), List: "ParcelList",
		TypeMeta: func(in *parcel) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
	})
	runtime.AddKind(b, &runtime.KindSpec[parcelList]{
		GroupVersionKind: post.WithKind("ParcelList"), Item: "Parcel",
		TypeMeta: func(in *parcelList) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
		Items:    func(in *parcelList) runtime.Items { return (*runtime.Slice[parcel])(&in.Items) },
	})
	runtime.AddKind(b, &runtime.KindSpec[load]{
		GroupVersionKind: post.WithKind("Load"),
		TypeMeta:         func(in *load) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
	})
}

// A kind that shows a whole list. Without CollectItems each parcel would be shown as its own load,
// and a list of parcels as a LoadList.
func ExampleAddAs() {
	begin := func(*load, *conversion.Scope) error { return nil }
	addLoad := func(b *runtime.Builder) { runtime.AddAs(b, parcelAsLoad, runtime.CollectItems(begin)) }
	s, err := runtime.NewScheme(addParcels, addLoad)
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := runtime.As[load](s, &parcelList{Items: []parcel{{Grams: 250}, {Grams: 1200}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(all.APIVersion, all.Kind, all.Parcels, all.Grams)
	// Output: post.example.com/v1 Load 2 1450
}
