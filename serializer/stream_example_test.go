package serializer_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	v1 "github.com/askind/askind/examples/fleet/api/fleet/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

func fleetFactory() (*serializer.Factory, error) {
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo, metav1.AddCoreTo)
	if err != nil {
		return nil, err
	}
	return serializer.NewFactory(scheme, json.Format(), yaml.Format())
}

// A list is answered from a store that hands out one object at a time, in the form that the client
// asked for.
func ExampleRepresentation_EncodeItems() {
	f, err := fleetFactory()
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := f.Negotiate([]string{"application/yaml;as=PartialObjectMetadata"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList")})
	if err != nil {
		fmt.Println(err)
		return
	}
	store := func(yield func(runtime.Object, error) bool) {
		for _, name := range []string{"a", "b"} {
			m := new(v1.Machine)
			m.Name = name
			if !yield(m, nil) {
				return
			}
		}
	}
	head := &v1.MachineList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	if err := rep.EncodeItems(os.Stdout, head, store); err != nil {
		fmt.Println(err)
	}
	// Output:
	// apiVersion: meta.k8s.io/v1
	// items:
	// - apiVersion: meta.k8s.io/v1
	//   kind: PartialObjectMetadata
	//   metadata:
	//     name: a
	// - apiVersion: meta.k8s.io/v1
	//   kind: PartialObjectMetadata
	//   metadata:
	//     name: b
	// kind: PartialObjectMetadataList
	// metadata:
	//   resourceVersion: "7"
}

// A list is read one item at a time; one that is wrong does not keep the others from being read.
func ExampleFactory_ReadList() {
	f, err := fleetFactory()
	if err != nil {
		fmt.Println(err)
		return
	}
	body := strings.NewReader(`{"kind":"MachineList","apiVersion":"fleet.example.com/v1","metadata":{"resourceVersion":"7"},"items":[
  {"metadata":{"name":"a"}},
  {"metadata":{"name":1}},
  {"metadata":{"name":"c"}}
]}`)
	list := f.ReadList(body)
	for item, err := range list.Items() {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(item.(*v1.Machine).Name)
	}
	fmt.Println("at version", list.Head().(*v1.MachineList).ResourceVersion)
	// Output:
	// a
	// line 3, column 23: items[1].metadata.name: expected string, found number
	// c
	// at version 7
}

// One change is sent to two watchers and encoded once; a client reads what it gets.
func ExampleCached() {
	f, err := fleetFactory()
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := f.Negotiate([]string{"application/json;as=PartialObjectMetadata"},
		serializer.Offer{Kind: v1.GroupVersion.WithKind("MachineList"), Stream: "watch"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := new(v1.Machine)
	m.Name = "a"
	event := serializer.NewCached(m)
	var client strings.Builder
	for _, w := range []io.Writer{&client, os.Stdout} {
		watch, err := rep.Events(w)
		if err == nil {
			err = watch.Send(metav1.WatchAdded, event)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	r, err := serializer.NewEventReader(strings.NewReader(client.String()), f,
		serializer.DecodeOptions{MediaType: rep.ContentType()})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range r.All() {
		if broken, ok := errors.AsType[*serializer.EventError](err); ok {
			fmt.Println("skipped:", broken)
			continue
		}
		fmt.Println(e.Type, e.Object.(*metav1.PartialObjectMetadata).Name, err)
	}
	// Output:
	// {"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}}
	// ADDED a <nil>
}

// A stored object gets a new version without being decoded.
func ExampleLazy_WithMetadata() {
	f, err := fleetFactory()
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := `{"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a","resourceVersion":"7"},"spec":{"from":"the future"}}`
	obj, err := f.Lazy([]byte(stored))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(obj.Kind().Name(), obj.Metadata().Name)
	next, err := obj.WithMetadata(func(m *metav1.ObjectMeta) { m.ResourceVersion = "8" })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(next.Bytes()))
	machine, err := next.Object() // decodes the rest
	fmt.Printf("%T %v\n", machine, err)
	// Output:
	// Machine a
	// {"kind":"Machine","apiVersion":"fleet.example.com/v1","metadata":{"name":"a","resourceVersion":"8"},"spec":{"from":"the future"}}
	// *v1.Machine <nil>
}
