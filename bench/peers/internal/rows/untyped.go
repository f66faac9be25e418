package rows

import (
	"io"
	"reflect"
	"strings"

	kcorev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubedata"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	ourunstructured "github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// untypedGroup is the group of the rows of untyped objects.
const untypedGroup = "Untyped objects"

// untypedRows reads and writes a custom resource whose Go type is unknown.
func untypedRows(w *world) []*compare.Row {
	const floats = "keeps no integers: numbers become floating-point"
	o := serializer.DecodeOptions{MediaType: mediaTypes["json"], Unknown: ourunstructured.Kind}
	text := kubedata.CustomResource()
	own := func() (runtime.Object, error) { return w.ours.Decode(text, o) }
	theirs := func() (*unstructured.Unstructured, error) { return theirUntyped(text) }
	decode := newRow(untypedGroup, "decode/json/untyped",
		peer(ours, func() (compare.Work, error) {
			return decoding(text, func(text []byte) (any, error) { return w.ours.Decode(text, o) }), nil
		}),
		peer(kube, func() (compare.Work, error) {
			return decoding(text, func(text []byte) (any, error) {
				obj, _, err := unstructured.UnstructuredJSONScheme.Decode(text, nil, nil)
				return obj, err
			}), nil
		}))
	encode := newRow(untypedGroup, "encode/json/untyped",
		peer(ours, with(own, func(obj runtime.Object) (compare.Work, error) {
			return encoding(func(dst []byte) ([]byte, error) {
				return w.ours.Append(dst, obj, serializer.EncodeOptions{MediaType: o.MediaType})
			})
		})),
		peer(kube, with(theirs, func(obj *unstructured.Unstructured) (compare.Work, error) {
			return writing(func(to io.Writer) error { return unstructured.UnstructuredJSONScheme.Encode(obj, to) })
		})))
	for _, c := range codecs() {
		decode.Subjects = append(decode.Subjects, compare.Subject{
			Name: c.name, Note: floats,
			Prepare: func() (compare.Work, error) {
				return decoding(text, func(text []byte) (any, error) {
					var v map[string]any
					return &v, c.unmarshal(text, &v)
				}), nil
			},
		})
		encode.Subjects = append(encode.Subjects, compare.Subject{
			Name: c.name, Note: strings.TrimPrefix(c.writeNote, "; "), Same: c.same,
			Prepare: with(theirs, func(obj *unstructured.Unstructured) (compare.Work, error) {
				return encoding(func(dst []byte) ([]byte, error) { return c.append(dst, obj.Object) })
			}),
		})
	}
	deepCopy := newRow("Deep copy", "deep-copy/untyped",
		peer(ours, with(own, func(obj runtime.Object) (compare.Work, error) {
			return making(func() (any, error) { return obj.(*ourunstructured.Object).Clone(), nil })
		})),
		peer(kube, with(theirs, func(obj *unstructured.Unstructured) (compare.Work, error) {
			return making(func() (any, error) { return obj.DeepCopy(), nil })
		})))
	rows := []*compare.Row{decode, w.untypedMap(text, o), encode, w.untypedList(o), deepCopy}
	for _, s := range samples() {
		if s.name == "pod" || s.name == "machine" {
			rows = append(rows, w.untypedOf(&s), w.typedOf(&s))
		}
	}
	return rows
}

// untypedMap decodes an object and looks at it as Go maps and slices, which the peer's object is.
func (w *world) untypedMap(text []byte, o serializer.DecodeOptions) *compare.Row {
	return newRow(untypedGroup, "decode/json/untyped-map",
		peer(ours, func() (compare.Work, error) {
			return decoding(text, func(text []byte) (any, error) {
				obj, err := w.ours.Decode(text, o)
				if err != nil {
					return nil, err
				}
				return obj.(*ourunstructured.Object).Map(), nil
			}), nil
		}),
		peer(kube, func() (compare.Work, error) {
			return decoding(text, func(text []byte) (any, error) {
				obj, err := theirUntyped(text)
				return obj.Object, err
			}), nil
		}))
}

// untypedList writes a list of 500 objects that differ to a connection.
func (w *world) untypedList(o serializer.DecodeOptions) *compare.Row {
	read := func() ([]byte, error) { return kubedata.CustomResources(500) }
	return newRow(untypedGroup, "write-list/json/untyped-500",
		peer(ours, with(read, func(text []byte) (compare.Work, error) {
			list, err := w.ours.Decode(text, o)
			if err != nil {
				return compare.Work{}, err
			}
			return sending(func(c *connection) error {
				return w.ours.Encode(c, list, serializer.EncodeOptions{MediaType: o.MediaType})
			})
		})),
		peer(kube, with(read, func(text []byte) (compare.Work, error) {
			list, _, err := unstructured.UnstructuredJSONScheme.Decode(text, nil, nil)
			if err != nil {
				return compare.Work{}, err
			}
			return sending(func(c *connection) error { return unstructured.UnstructuredJSONScheme.Encode(list, c) })
		})))
}

// untypedOf makes an untyped object of a typed one. The peer does it by reflection, ours by way of
// the JSON that its generated functions write.
func (w *world) untypedOf(s *sample) *compare.Row {
	return newRow(untypedGroup, "untyped-of/"+s.name,
		peer(ours, func() (compare.Work, error) {
			obj := s.object()
			return making(func() (any, error) { return ourunstructured.From(w.ours.Scheme(), obj) })
		}),
		w.kubeWith(s, func(obj kruntime.Object) (compare.Work, error) {
			return making(func() (any, error) { return kruntime.DefaultUnstructuredConverter.ToUnstructured(obj) })
		}))
}

// typedOf returns the way back.
func (w *world) typedOf(s *sample) *compare.Row {
	return newRow(untypedGroup, "typed-of/"+s.name,
		peer(ours, func() (compare.Work, error) {
			untyped, err := ourunstructured.From(w.ours.Scheme(), s.object())
			if err != nil {
				return compare.Work{}, err
			}
			if s.name == "pod" {
				return making(func() (any, error) { return ourunstructured.To[kcorev1.Pod](w.ours.Scheme(), untyped) })
			}
			return making(func() (any, error) { return ourunstructured.To[v1.Machine](w.ours.Scheme(), untyped) })
		}),
		w.kubeWith(s, func(obj kruntime.Object) (compare.Work, error) {
			untyped, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(obj)
			if err != nil {
				return compare.Work{}, err
			}
			return making(func() (any, error) {
				out := reflect.New(reflect.TypeOf(obj).Elem()).Interface()
				return out, kruntime.DefaultUnstructuredConverter.FromUnstructured(untyped, out)
			})
		}))
}

func theirUntyped(text []byte) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	return obj, obj.UnmarshalJSON(text)
}
