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

// weight is what a scale shows of a parcel.
type weight struct {
	APIVersion, Kind string
	Grams            int64
}

// A view that was changed is written back into the object. The scope gives the function a setting,
// here the weight that the post accepts.
func ExampleScheme_UpdateWith() {
	type maximum int64
	weigh := func(in *parcel, out *weight, _ *conversion.Scope) error {
		out.Grams = in.Grams
		return nil
	}
	update := func(in *weight, out *parcel, s *conversion.Scope) error {
		if limit, ok := s.Options().(maximum); ok && in.Grams > int64(limit) {
			return fmt.Errorf("%d g are too heavy", in.Grams)
		}
		out.Grams = in.Grams
		return nil
	}
	s, err := runtime.NewScheme(addParcels, func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[weight]{
			GroupVersionKind: schema.GroupVersionKind{Group: "post.example.com", Version: "v1", Kind: "Weight"},
			TypeMeta:         func(in *weight) (apiVersion, kind *string) { return &in.APIVersion, &in.Kind },
		})
		runtime.AddAs(b, weigh, runtime.UpdateFromView(update))
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	small := &parcel{Grams: 250}
	scope := conversion.NewScope(conversion.ScopeOptions{Options: maximum(2000)})
	changed, err := s.UpdateWith(small, &weight{Grams: 1500}, scope)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(small.Grams, changed.(*parcel).Grams)
	_, err = s.UpdateWith(small, &weight{Grams: 2500}, scope)
	fmt.Println(err)
	// Output:
	// 250 1500
	// runtime: post.example.com/v1, Kind=Weight to post.example.com/v1, Kind=Parcel: 2500 g are too heavy
}
