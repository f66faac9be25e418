package main

import (
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	"github.com/askind/askind/serializer/csv"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/text"
	"github.com/askind/askind/serializer/yaml"
)

// groups are the API groups that are served. The scheme has others too, for representations and answers.
var groups = []string{v1.GroupVersion.Group, inventoryv1.GroupVersion.Group}

// newFactory says everything that the program knows about its API: which kinds there are, and in which formats they are read and written. The
// rest of the program works with any kinds.
func newFactory() (*serializer.Factory, error) {
	scheme, err := runtime.NewScheme(
		// The API of this program, one function for each version. Leave one out and that version is gone.
		v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo,
		inventoryv1.AddTo,
		// What there is to say to people about its objects. Leave it out and the program is smaller, and nothing can be shown as a Description.
		v1.AddDescriptionsTo, v1beta1.AddDescriptionsTo, v1alpha1.AddDescriptionsTo,
		inventoryv1.AddDescriptionsTo,
		// What every object can be shown as, and the answers that are no objects, where clients of the Kubernetes API look for them.
		metav1.AddTo, metav1.AddCoreTo, metav1.AddViewsTo,
	)
	if err != nil {
		return nil, err
	}
	// Tables for spreadsheets and for terminals are formats that only write; asked for by their media types, they mean the table.
	o := serializer.FactoryOptions{Aliases: []serializer.Alias{{Name: "text/plain", For: "text/plain;as=Table"}}}
	return o.NewFactory(scheme, json.Format(), yaml.Format(), protobuf.Format(), cbor.Format(), csv.Options{FormulaSafe: true}.Format(), text.Format())
}
