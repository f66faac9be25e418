package rows

import (
	"bytes"
	"reflect"
	"strings"

	kcorev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubedata"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	ourunstructured "github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/serializer"
)

// untypedRows reads and writes a custom resource whose Go type nobody knows.
func untypedRows(w *world) []*compare.Row {
	const mediaType = "application/json"
	o := serializer.DecodeOptions{MediaType: mediaType, Unknown: ourunstructured.Kind}
	text := kubedata.CustomResource()
	const floats = "keeps no integers: numbers become floating-point"
	decode := &compare.Row{
		Group: "Untyped objects", Name: "decode/json/untyped",
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				return decoding(text, func(text []byte) (any, error) { return w.ours.Decode(text, o) }), nil
			}),
			peer(kube, func() (compare.Work, error) {
				return decoding(text, func(text []byte) (any, error) {
					obj, _, err := unstructured.UnstructuredJSONScheme.Decode(text, nil, nil)
					return obj, err
				}), nil
			}),
		},
	}
	encode := &compare.Row{
		Group: "Untyped objects", Name: "encode/json/untyped",
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				obj, err := w.ours.Decode(text, o)
				if err != nil {
					return compare.Work{}, err
				}
				return encoding(func(dst []byte) ([]byte, error) {
					return w.ours.Append(dst, obj, serializer.EncodeOptions{MediaType: mediaType})
				})
			}),
			peer(kube, func() (compare.Work, error) {
				obj, err := w.theirUntyped(text)
				if err != nil {
					return compare.Work{}, err
				}
				return encoding(func(dst []byte) ([]byte, error) {
					b := bytes.NewBuffer(dst)
					err := unstructured.UnstructuredJSONScheme.Encode(obj, b)
					return b.Bytes(), err
				})
			}),
		},
	}
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
		encode.Subjects = append(encode.Subjects, compare.Subject{Name: c.name, Note: strings.TrimPrefix(c.writeNote,
			"; "), Same: c.same, Prepare: func() (compare.Work, error) {
			obj, err := w.theirUntyped(text)
			if err != nil {
				return compare.Work{}, err
			}
			return encoding(func(dst []byte) ([]byte, error) { return c.append(dst, obj.Object) })
		}})
	}
	deepCopy := &compare.Row{
		Group: "Deep copy", Name: "deep-copy/untyped",
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				obj, err := w.ours.Decode(text, o)
				if err != nil {
					return compare.Work{}, err
				}
				return making(func() (any, error) { return obj.(*ourunstructured.Object).Clone(), nil })
			}),
			peer(kube, func() (compare.Work, error) {
				obj, err := w.theirUntyped(text)
				if err != nil {
					return compare.Work{}, err
				}
				return making(func() (any, error) { return obj.DeepCopy(), nil })
			}),
		},
	}
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
	return &compare.Row{
		Group: "Untyped objects", Name: "decode/json/untyped-map",
		Subjects: []compare.Subject{
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
					obj, err := w.theirUntyped(text)
					return obj.Object, err
				}), nil
			}),
		},
	}
}

// untypedList writes a list of 500 objects that differ to a connection.
func (w *world) untypedList(o serializer.DecodeOptions) *compare.Row {
	read := func() ([]byte, error) { return kubedata.CustomResources(500) }
	return &compare.Row{
		Group: "Untyped objects", Name: "write-list/json/untyped-500",
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				text, err := read()
				if err != nil {
					return compare.Work{}, err
				}
				list, err := w.ours.Decode(text, o)
				if err != nil {
					return compare.Work{}, err
				}
				return sending(func(c *connection) error {
					return w.ours.Encode(c, list, serializer.EncodeOptions{MediaType: o.MediaType})
				})
			}),
			peer(kube, func() (compare.Work, error) {
				text, err := read()
				if err != nil {
					return compare.Work{}, err
				}
				list, _, err := unstructured.UnstructuredJSONScheme.Decode(text, nil, nil)
				if err != nil {
					return compare.Work{}, err
				}
				return sending(func(c *connection) error { return unstructured.UnstructuredJSONScheme.Encode(list, c) })
			}),
		},
	}
}

// untypedOf makes an untyped object of a typed one. The peer does it by reflection, ours by way of
// the JSON that its generated functions write.
func (w *world) untypedOf(s *sample) *compare.Row {
	return &compare.Row{
		Group: "Untyped objects", Name: "untyped-of/" + s.name,
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				obj := s.object()
				return making(func() (any, error) { return ourunstructured.From(w.ours.Scheme(), obj) })
			}),
			peer(kube, func() (compare.Work, error) {
				obj, err := w.theirs(s)
				if err != nil {
					return compare.Work{}, err
				}
				return making(func() (any, error) { return kruntime.DefaultUnstructuredConverter.ToUnstructured(obj) })
			}),
		},
	}
}

// typedOf returns the way back.
func (w *world) typedOf(s *sample) *compare.Row {
	return &compare.Row{
		Group: "Untyped objects", Name: "typed-of/" + s.name,
		Subjects: []compare.Subject{
			peer(ours, func() (compare.Work, error) {
				untyped, err := ourunstructured.From(w.ours.Scheme(), s.object())
				if err != nil {
					return compare.Work{}, err
				}
				if s.name == "pod" {
					return making(func() (any, error) {
						return ourunstructured.To[kcorev1.Pod](w.ours.Scheme(),
							untyped)
					})
				}
				return making(func() (any, error) { return ourunstructured.To[v1.Machine](w.ours.Scheme(), untyped) })
			}),
			peer(kube, func() (compare.Work, error) {
				obj, err := w.theirs(s)
				if err != nil {
					return compare.Work{}, err
				}
				untyped, err := kruntime.DefaultUnstructuredConverter.ToUnstructured(obj)
				if err != nil {
					return compare.Work{}, err
				}
				return making(func() (any, error) {
					out := reflect.New(reflect.TypeOf(obj).Elem()).Interface()
					return out, kruntime.DefaultUnstructuredConverter.FromUnstructured(untyped, out)
				})
			}),
		},
	}
}

func (w *world) theirUntyped(text []byte) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	return obj, obj.UnmarshalJSON(text)
}
