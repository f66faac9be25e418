package runtime_test

import (
	"fmt"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

type Parcel struct {
	Kind, APIVersion string

	Weight int64
	Notes  string
}

type Manifest struct {
	Kind, APIVersion string

	Weights []int64
}

func parcelAsManifest(in *Parcel, out *Manifest, _ *conversion.Scope) error {
	out.Weights = append(out.Weights, in.Weight)
	return nil
}

// A manifest shows the weights of parcels, so no more of encoded parcels has to be decoded for it.
func ExampleAddPartial() {
	gv := schema.GroupVersion{Group: "post.example.com", Version: "v1"}
	scheme, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[Parcel]{
			GroupVersionKind: gv.WithKind("Parcel"),
			TypeMeta:         func(p *Parcel) (apiVersion, kind *string) { return &p.APIVersion, &p.Kind },
		})
		runtime.AddKind(b, &runtime.KindSpec[Manifest]{
			GroupVersionKind: gv.WithKind("Manifest"),
			TypeMeta:         func(m *Manifest) (apiVersion, kind *string) { return &m.APIVersion, &m.Kind },
		})
		runtime.AddAs(
			b, parcelAsManifest, runtime.CollectItems(func(*Manifest, *conversion.Scope) error { return nil }),
		)
		runtime.AddPartial(b, &runtime.Partial[Parcel, Manifest]{
			As:     parcelAsManifest,
			Fields: []string{"weight"},
			DecodeJSON: func(r *jsonwire.Reader, out *Parcel, name []byte) {
				if string(name) == "weight" {
					out.Weight = r.Int64(out.Weight)
				} else {
					r.Skip()
				}
			},
		})
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	parcel, err := scheme.Kind(gv.WithKind("Parcel"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := scheme.Projection(parcel, gv.WithKind("Manifest"))
	fmt.Println("decoded:", p.Fields())

	obj := p.From().New()
	r := jsonwire.NewReader([]byte(`{"notes":"fragile","weight":12}`), jsonwire.Options{})
	for name := r.Object(); name != nil; name = r.NextKey() {
		p.DecodeJSON(r, obj, name)
	}
	manifest, err := p.Collector().Begin(nil)
	if err == nil {
		err = p.Add(obj, manifest, nil)
	}
	fmt.Printf("%+v %+v %v\n", obj, manifest, err)
	// Output:
	// decoded: [weight]
	// &{Kind:Parcel APIVersion:post.example.com/v1 Weight:12 Notes:} &{Kind: APIVersion: Weights:[12]} <nil>
}
