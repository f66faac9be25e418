// Package rows has the rows of the comparison: which operations on which data, and how each library
// does them.
//
// Data is a table of [sample]s. A sample is one entry: an object of ours and the type of the same
// shape that k8s.io/apimachinery knows; libraries that take any Go type take ours. All rows of the
// encodings are made from that table, so that a new kind of data appears in all of them.
//
// What is the same work is decided here. Each subject reads the same bytes, or writes the same
// ones. Objects that were read are compared by what encoding/json writes of them.
package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	kserializer "k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/askind/askind/bench/peers/internal/compare"
	"github.com/askind/askind/bench/peers/internal/kubefleet"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	ourappsv1 "github.com/askind/askind/k8s/appsv1"
	ourcorev1 "github.com/askind/askind/k8s/corev1"
	ourmeta "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/cbor"
	ourjson "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/protobuf"
	"github.com/askind/askind/serializer/yaml"
)

// Names of libraries.
const (
	ours = "askind"
	kube = "apimachinery"
)

// sample is one kind of data.
type sample struct {
	name  string
	kind  schema.GroupVersionKind
	heavy bool // a list of 5,000
	// formats are those that both libraries have for the kind, beside JSON.
	formats []string
	// item is the kind of the items of a typed list. Ours states kind and apiVersion of each when
	// it reads one.
	item schema.GroupVersionKind
	// object makes the object as ours; it and the results of fresh are pointers to the same struct
	// type.
	object func() any
	// fresh makes a blank object for libraries that fill any Go value.
	fresh func() any
	// peer makes a blank object for apimachinery.
	peer func() kruntime.Object
}

// of makes a sample from an object of ours and the type that stands for it in apimachinery.
func of[Theirs any, P interface {
	*Theirs
	kruntime.Object
}, Ours any](name string, kind schema.GroupVersionKind, object func() *Ours, formats ...string) sample {
	return sample{
		name: name, kind: kind, formats: formats,
		object: func() any { return object() },
		fresh:  func() any { return new(Ours) },
		peer:   func() kruntime.Object { return P(new(Theirs)) },
	}
}

func (s sample) asHeavy() sample {
	s.heavy = true
	return s
}

// itemsOf makes a sample one of a list, see the field item.
func (s sample) itemsOf(kind schema.GroupVersionKind) sample {
	s.item = kind
	return s
}

// same compares objects that were read. Items of lists need not state their kind.
func (s *sample) same(ours, theirs []byte) error {
	if s.item.Kind != "" {
		stated := fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":`, s.item.Kind, s.item.APIVersion())
		ours, theirs = bytes.ReplaceAll(ours, stated, []byte(`{"metadata":`)), bytes.ReplaceAll(theirs, stated,
			[]byte(`{"metadata":`))
	}
	return compare.Equal(ours, theirs)
}

// note describes what ours does beyond the peers when it reads a sample.
func (s *sample) note() string {
	if s.item.Kind == "" {
		return ""
	}
	return "states the kind and apiVersion of each item of a list"
}

// world is both libraries with everything registered.
type world struct {
	ours   *serializer.Factory
	kube   *kruntime.Scheme
	codecs kserializer.CodecFactory
	text   text // what was asked for last
	memory kruntime.Allocator
}

// text is an encoded sample. Rows are measured one after the other and all subjects of a row read
// the same text, so one is kept.
type text struct {
	sample, mediaType string
	bytes             []byte
}

func newWorld() (*world, error) {
	all, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo, v1alpha1.AddTo, inventoryv1.AddTo, ourmeta.AddTo,
		ourcorev1.AddTo, ourappsv1.AddTo)
	if err != nil {
		return nil, err
	}
	f, err := serializer.NewFactory(all, ourjson.Format(), yaml.Format(), protobuf.Format(), cbor.Format())
	if err != nil {
		return nil, err
	}
	scheme, err := kubefleet.NewScheme()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(corev1.AddToScheme(scheme), appsv1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return &world{ours: f, kube: scheme, codecs: kubefleet.NewCodecs(scheme)}, nil
}

// encoded returns the object of a sample in one of our formats.
func (w *world) encoded(s *sample, mediaType string) ([]byte, error) {
	if w.text.sample == s.name && w.text.mediaType == mediaType {
		return w.text.bytes, nil
	}
	out, err := w.ours.Append(nil, s.object(), serializer.EncodeOptions{MediaType: mediaType})
	w.text = text{sample: s.name, mediaType: mediaType, bytes: out}
	return out, err
}

// theirs returns the object of a sample as apimachinery's, and own as ours. Both were decoded by
// encoding/json, so that they lie in memory in the same way.
func (w *world) theirs(s *sample) (kruntime.Object, error) {
	obj := s.peer()
	return obj, w.fill(s, obj)
}

func (w *world) own(s *sample) (any, error) {
	obj := s.fresh()
	return obj, w.fill(s, obj)
}

func (w *world) fill(s *sample, obj any) error {
	text, err := w.encoded(s, "application/json")
	if err != nil {
		return err
	}
	return json.Unmarshal(text, obj)
}

// serializers returns what apimachinery has for a media type.
func (w *world) serializers(mediaType string) (kruntime.SerializerInfo, error) {
	info, ok := kruntime.SerializerInfoForMediaType(w.codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		return info, fmt.Errorf("apimachinery has no serializer for %s", mediaType)
	}
	return info, nil
}

// All returns all rows in the order of the table.
func All() ([]*compare.Row, error) {
	w, err := newWorld()
	if err != nil {
		return nil, err
	}
	var out []*compare.Row
	for _, part := range []func(*world) []*compare.Row{
		listRows, projectRows, tableRows, turnRows, jsonRows, yamlRows, binaryRows, untypedRows, objectRows,
		viewRows, patchRows, negotiateRows, schemeRows, mapperRows,
	} {
		out = append(out, part(w)...)
	}
	return out, nil
}

// seen returns the referee of objects: what encoding/json makes of them.
func seen(obj any) ([]byte, error) { return json.Marshal(obj) }

// decoding returns the work of reading text into an object that decode returns.
func decoding(text []byte, decode func([]byte) (any, error)) compare.Work {
	var last any
	return compare.Work{
		Size: len(text),
		Run: func() (err error) {
			last, err = decode(text)
			return err
		},
		Result: func() ([]byte, error) { return seen(last) },
		Forget: func() { last = nil },
	}
}

// into is decoding for libraries that fill a Go value.
func into(text []byte, s *sample, unmarshal func([]byte, any) error) compare.Work {
	return decoding(text, func(text []byte) (any, error) {
		obj := s.fresh()
		return obj, unmarshal(text, obj)
	})
}

// encoding returns the work of writing an object. The result is compared without the line feed that
// some libraries write behind it.
func encoding(encode func(dst []byte) ([]byte, error)) (compare.Work, error) {
	buf, err := encode(nil)
	if err != nil {
		return compare.Work{}, err
	}
	return compare.Work{
		Size: len(buf),
		Run: func() (err error) {
			buf, err = encode(buf[:0])
			return err
		},
		Result: func() ([]byte, error) { return bytes.TrimSuffix(buf, []byte("\n")), nil },
	}, nil
}

// marshaling is encoding for libraries that return memory of their own.
func marshaling(obj any, marshal func(any) ([]byte, error)) (compare.Work, error) {
	return encoding(func([]byte) ([]byte, error) { return marshal(obj) })
}

// peer returns a subject of another library.
func peer(name string, prepare func() (compare.Work, error)) compare.Subject {
	return compare.Subject{Name: name, Prepare: prepare}
}

// oursReads and kubeReads decode a document in a format through the front door of each library: the
// kind is found out, the defaults are filled in, and the object states its kind. In strict mode a
// field that is unknown or stated twice is an error.
func (w *world) oursReads(s *sample, mediaType string, strict bool) compare.Subject {
	return compare.Subject{Name: ours, Note: s.note(), Prepare: func() (compare.Work, error) {
		text, err := w.encoded(s, mediaType)
		o := serializer.DecodeOptions{MediaType: mediaType, Default: true}
		if strict {
			o.Strictness = serializer.FailOnProblems
		}
		return decoding(text, func(text []byte) (any, error) { return w.ours.Decode(text, o) }), err
	}}
}

func (w *world) kubeReads(s *sample, mediaType string, strict bool) compare.Subject {
	return compare.Subject{Name: kube, Same: s.same, Prepare: func() (compare.Work, error) {
		text, err := w.encoded(s, mediaType)
		if err != nil {
			return compare.Work{}, err
		}
		info, err := w.serializers(mediaType)
		if err != nil {
			return compare.Work{}, err
		}
		from := kruntime.Decoder(info.Serializer)
		if strict {
			from = info.StrictSerializer
		}
		decoder := w.codecs.DecoderToVersion(from, kschema.GroupVersion(s.kind.GroupVersion()))
		return decoding(text, func(text []byte) (any, error) {
			obj, _, err := decoder.Decode(text, nil, nil)
			return obj, err
		}), nil
	}}
}

// oursWrites and kubeWrites encode an object in its own version into a buffer that is large enough.
func (w *world) oursWrites(s *sample, mediaType string) compare.Subject {
	return peer(ours, func() (compare.Work, error) {
		obj, err := w.own(s)
		if err != nil {
			return compare.Work{}, err
		}
		o := serializer.EncodeOptions{MediaType: mediaType, Version: s.kind.GroupVersion()}
		return encoding(func(dst []byte) ([]byte, error) { return w.ours.Append(dst, obj, o) })
	})
}

func (w *world) kubeWrites(s *sample, mediaType string) compare.Subject {
	return peer(kube, func() (compare.Work, error) {
		obj, err := w.theirs(s)
		if err != nil {
			return compare.Work{}, err
		}
		info, err := w.serializers(mediaType)
		if err != nil {
			return compare.Work{}, err
		}
		encoder := w.codecs.EncoderForVersion(info.Serializer, kschema.GroupVersion(s.kind.GroupVersion()))
		return encoding(func(dst []byte) ([]byte, error) {
			b := bytes.NewBuffer(dst)
			err := encoder.Encode(obj, b)
			return b.Bytes(), err
		})
	})
}
