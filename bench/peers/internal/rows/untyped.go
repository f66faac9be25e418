package rows

import (
	"bytes"
	stdjson "encoding/json"

	"github.com/bytedance/sonic"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubedata"
	ourunstructured "github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/serializer"
)

// untypedRows reads and writes a custom resource whose Go type nobody knows.
func untypedRows(w *world) []*compare.Row {
	const mediaType = "application/json"
	o := serializer.DecodeOptions{MediaType: mediaType, Unknown: ourunstructured.Kind}
	text := kubedata.CustomResource()
	generic := func(name, note string, unmarshal func([]byte, any) error) compare.Subject {
		return compare.Subject{Name: name, Note: note, Prepare: func() (compare.Work, error) {
			return decoding(text, func(text []byte) (any, error) {
				var v map[string]any
				return &v, unmarshal(text, &v)
			}), nil
		}}
	}
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
			generic("encoding/json", floats, stdjson.Unmarshal),
			generic("sonic-std", floats, sonic.ConfigStd.Unmarshal),
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
			peer("encoding/json", func() (compare.Work, error) {
				obj, err := w.theirUntyped(text)
				if err != nil {
					return compare.Work{}, err
				}
				return marshaling(obj.Object, stdjson.Marshal)
			}),
			peer("sonic-std", func() (compare.Work, error) {
				obj, err := w.theirUntyped(text)
				if err != nil {
					return compare.Work{}, err
				}
				return marshaling(obj.Object, sonic.ConfigStd.Marshal)
			}),
		},
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
	return []*compare.Row{decode, encode, deepCopy}
}

func (w *world) theirUntyped(text []byte) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	return obj, obj.UnmarshalJSON(text)
}
