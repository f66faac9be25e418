package serializer_test

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	workshopv1 "github.com/askind/askind/internal/workshop/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// TestProjectWithinLimits checks that the way that decodes nothing refuses what decoding refuses,
// where it is shown or is the input as a whole: for each limit, at the lowest value that lets the
// input pass and one below that.
func TestProjectWithinLimits(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	object := orderWith(func(*workshopv1.OrderSpec) {})
	object.Name = strings.Repeat("n", 40)
	object.Labels = map[string]string{"a": strings.Repeat("b", 40), "b": "c", "c": "d", "e": "f"}
	list := &workshopv1.OrderList{}
	list.Kind, list.APIVersion = "OrderList", object.APIVersion
	for range 4 {
		list.Items = append(list.Items, *orderWith(func(*workshopv1.OrderSpec) {}))
	}
	list.Items[0].Name = strings.Repeat("n", 40)
	offer := schema.GroupVersionKind{Group: "workshop.example.com", Version: "v1", Kind: "Order"}
	for _, target := range []string{asMetadata, asTable, ";includeObject=None" + asTable} {
		for name, in := range map[string]runtime.Object{"object": object, "list": list} {
			gvk := offer
			if in == list {
				gvk.Kind = "OrderList"
			}
			for _, format := range []string{mediaJSON, mediaYAML, mediaCBOR, mediaProtobuf} {
				accept := format + target
				if format == mediaProtobuf && target != asMetadata {
					accept = mediaJSON + target
				}
				rep := represent(t, f, accept, gvk)
				data := encoded(t, f, format, in)
				for limit, fits := range map[string]int{"Size": len(data), "String": 40, "Items": 4} {
					if limit == "Items" && in == object && strings.Contains(target, "None") {
						continue // no list and no map is shown
					}
					for _, most := range []int{fits, fits - 1} {
						t.Run(fmt.Sprintf("%s as %s, %s of %d", name, accept, limit, most), func(t *testing.T) {
							t.Parallel()
							o := serializer.DecodeOptions{MediaType: format, Limits: limitOf(limit, most)}
							_, _, err := rep.Project(nil, data, o)
							if most == fits && err != nil {
								t.Fatal(err)
							} else if most < fits {
								exceeded(t, err, limit, most)
							}
							if in == list {
								return
							}
							items := func() iter.Seq2[[]byte, error] {
								return func(yield func([]byte, error) bool) { yield(data, nil) }
							}
							_, err = represent(t, f, accept, schema.GroupVersionKind{
								Group:   gvk.Group,
								Version: gvk.Version, Kind: "OrderList",
							}).EncodeProjected(io.Discard, list, items(), o)
							if most == fits && err != nil {
								t.Fatal(err)
							} else if most < fits {
								exceeded(t, err, limit, most)
							}
						})
					}
				}
			}
		}
	}
}

// TestProjectManyItems checks that the items of a list are counted where each is short.
func TestProjectManyItems(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	list := &workshopv1.OrderList{}
	for range 100 {
		list.Items = append(list.Items, *orderWith(func(*workshopv1.OrderSpec) {}))
	}
	for _, format := range []string{mediaJSON, mediaYAML, mediaCBOR, mediaProtobuf} {
		data := encoded(t, f, format, list)
		rep := represent(t, f, format+asMetadata, workshopv1.GroupVersion.WithKind("OrderList"))
		for _, most := range []int{100, 99} {
			o := serializer.DecodeOptions{MediaType: format, Limits: limitOf("Items", most)}
			_, _, err := rep.Project(nil, data, o)
			if most < 100 {
				exceeded(t, err, "Items", most)
			} else if err != nil {
				t.Errorf("%s: %v", format, err)
			}
		}
	}
}

// TestProjectWithinLimitsOfYAML checks the same for the format's own limits.
func TestProjectWithinLimitsOfYAML(t *testing.T) {
	t.Parallel()
	data := []byte("apiVersion: workshop.example.com/v1\nkind: Order\nmetadata:\n  name: o\nspec:\n  customer: c\n")
	for limit, fits := range map[string]int{"Size": len(data), "Depth": 2} {
		for _, most := range []int{fits, fits - 1} {
			f, err := serializer.NewFactory(workshopFactory(t).Scheme(), json.Format(),
				yaml.Format(yaml.Options{Limits: limitOf(limit, most)}))
			if err != nil {
				t.Fatal(err)
			}
			rep := represent(t, f, mediaJSON+asMetadata, schema.GroupVersionKind{
				Group:   "workshop.example.com",
				Version: "v1", Kind: "Order",
			})
			_, _, err = rep.Project(nil, data, serializer.DecodeOptions{MediaType: mediaYAML})
			if most == fits && err != nil {
				t.Errorf("%s of %d: %v", limit, most, err)
			} else if most < fits {
				exceeded(t, err, limit, most)
			}
			_, err = f.Decode(data, serializer.DecodeOptions{MediaType: mediaYAML})
			if most == fits && err != nil {
				t.Errorf("%s of %d: %v", limit, most, err)
			} else if most < fits {
				exceeded(t, err, limit, most)
			}
		}
	}
}

// TestProjectListWithinDepth checks the same for lists, whose items may be anywhere, at depths that
// are counted without decoding.
func TestProjectListWithinDepth(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	const head = `"kind":"OrderList","apiVersion":"workshop.example.com/v1","metadata":{}`
	items := `"items":[{"metadata":{"name":"o"},"spec":{"x":` + strings.Repeat("[", 296) + strings.Repeat("]", 296) + `}}]`
	rep := represent(t, f, mediaJSON+asMetadata, workshopv1.GroupVersion.WithKind("OrderList"))
	for _, data := range []string{"{" + head + "," + items + "}", "{" + items + "," + head + "}"} {
		for most, fits := range map[int]bool{300: true, 299: false} {
			o := serializer.DecodeOptions{MediaType: mediaJSON, Limits: schema.Limits{Depth: most}}
			_, how, err := rep.Project(nil, []byte(data), o)
			if fits && (err != nil || how.Fast != 1) {
				t.Errorf("at most %d levels: %+v, %v", most, how, err)
			} else if !fits {
				exceeded(t, err, "Depth", most)
			}
		}
	}
}

// TestProjectWithinDepth checks that the depth of fields that are not shown counts, in formats that
// skip them without counting.
func TestProjectWithinDepth(t *testing.T) {
	t.Parallel()
	f := workshopFactory(t)
	for media, data := range map[string]string{
		mediaJSON: `{"kind":"Order","apiVersion":"workshop.example.com/v1","metadata":{"name":"o"},"spec":{"x":` +
			strings.Repeat("[", 98) + strings.Repeat("]", 98) + `}}`,
		mediaYAML: "apiVersion: workshop.example.com/v1\nkind: Order\nmetadata:\n  name: o\nspec:\n  x: " +
			strings.Repeat("[", 98) + strings.Repeat("]", 98) + "\n",
		mediaCBOR: "\xa4\x44kind\x45Order\x4aapiVersion\x57workshop.example.com/v1\x48metadata\xa1\x44name\x41o" +
			"\x44spec\xa1\x41x" + strings.Repeat("\x81", 97) + "\x80",
	} {
		for _, accept := range []string{mediaJSON + asMetadata, mediaJSON + asTable} {
			rep := represent(t, f, accept, schema.GroupVersionKind{
				Group: "workshop.example.com", Version: "v1", Kind: "Order",
			})
			for most, fits := range map[int]bool{100: true, 99: false} {
				o := serializer.DecodeOptions{MediaType: media, Limits: schema.Limits{Depth: most}}
				_, _, err := rep.Project(nil, []byte(data), o)
				if fits && err != nil {
					t.Errorf("%s of %s, at most %d levels: %v", accept, media, most, err)
				} else if !fits {
					exceeded(t, err, "Depth", most)
				}
			}
		}
	}
}
