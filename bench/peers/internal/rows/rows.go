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
	"io"

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

// mediaTypes are those of the formats, by the names that rows have for them.
var mediaTypes = map[string]string{
	"json": "application/json", "yaml": "application/yaml", "protobuf": "application/vnd.kubernetes.protobuf",
	"cbor": "application/cbor",
}

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

// of makes a sample from an object of ours, the one of a number or the list of so many, and the
// type that stands for it in apimachinery.
func of[Theirs any, P interface {
	*Theirs
	kruntime.Object
}, Ours any](name string, kind schema.GroupVersionKind, object func(int) *Ours, n int, formats ...string) sample {
	return sample{
		name: name, kind: kind, formats: formats, heavy: n >= 5000,
		object: func() any { return object(n) },
		fresh:  func() any { return new(Ours) },
		peer:   func() kruntime.Object { return P(new(Theirs)) },
	}
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

// serializers returns what apimachinery has for a media type of the rows.
func (w *world) serializers(mediaType string) kruntime.SerializerInfo {
	info, ok := kruntime.SerializerInfoForMediaType(w.codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		panic("BUG: apimachinery has no serializer for " + mediaType)
	}
	return info
}

// encoder returns apimachinery's encoder of objects in a version.
func (w *world) encoder(mediaType string, version kschema.GroupVersion) kruntime.Encoder {
	return w.codecs.EncoderForVersion(w.serializers(mediaType).Serializer, version)
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

// resulting returns the work of making a value, which is compared as show returns it.
func resulting[T any](do func() (T, error), show func(T) ([]byte, error)) compare.Work {
	var last, none T
	return compare.Work{
		Run: func() (err error) {
			last, err = do()
			return err
		},
		Result: func() ([]byte, error) { return show(last) },
		Forget: func() { last = none },
	}
}

// making returns the work of making an object of another.
func making(do func() (any, error)) (compare.Work, error) { return resulting(do, seen), nil }

// decoding returns the work of reading text into an object that decode returns.
func decoding(text []byte, decode func([]byte) (any, error)) compare.Work {
	out := resulting(func() (any, error) { return decode(text) }, seen)
	out.Size = len(text)
	return out
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

// writing is encoding for libraries that have a writer only.
func writing(encode func(to io.Writer) error) (compare.Work, error) {
	return encoding(func(dst []byte) ([]byte, error) {
		b := bytes.NewBuffer(dst)
		err := encode(b)
		return b.Bytes(), err
	})
}

// marshaling is encoding for libraries that return memory of their own.
func marshaling(obj any, marshal func(any) ([]byte, error)) (compare.Work, error) {
	return encoding(func([]byte) ([]byte, error) { return marshal(obj) })
}

// newRow returns a row that quick runs include.
func newRow(group, name string, subjects ...compare.Subject) *compare.Row {
	return &compare.Row{Group: group, Name: name, Subjects: subjects}
}

// peer returns a subject of a library, ours too.
func peer(name string, prepare func() (compare.Work, error)) compare.Subject {
	return compare.Subject{Name: name, Prepare: prepare}
}

// with returns a function that gets a value and prepares work with it.
func with[T any](get func() (T, error), work func(T) (compare.Work, error)) func() (compare.Work, error) {
	return func() (compare.Work, error) {
		v, err := get()
		if err != nil {
			return compare.Work{}, err
		}
		return work(v)
	}
}

// oursWith returns our subject whose work is with the object of a sample, and kubeWith that of
// apimachinery.
func (w *world) oursWith(s *sample, work func(obj any) (compare.Work, error)) compare.Subject {
	return peer(ours, with(func() (any, error) { return w.own(s) }, work))
}

func (w *world) kubeWith(s *sample, work func(obj kruntime.Object) (compare.Work, error)) compare.Subject {
	return peer(kube, with(func() (kruntime.Object, error) { return w.theirs(s) }, work))
}

// reads returns the subject of a library that fills a Go value.
func (w *world) reads(s *sample, mediaType, name, note string, unmarshal func([]byte, any) error) compare.Subject {
	return compare.Subject{Name: name, Note: note, Same: s.same, Prepare: func() (compare.Work, error) {
		text, err := w.encoded(s, mediaType)
		return decoding(text, func(text []byte) (any, error) {
			obj := s.fresh()
			return obj, unmarshal(text, obj)
		}), err
	}}
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
		info := w.serializers(mediaType)
		from := kruntime.Decoder(info.Serializer)
		if strict {
			from = info.StrictSerializer
		}
		decoder := w.codecs.DecoderToVersion(from, kschema.GroupVersion(s.kind.GroupVersion()))
		return decoding(text, func(text []byte) (any, error) {
			obj, _, err := decoder.Decode(text, nil, nil)
			return obj, err
		}), err
	}}
}

// oursWrites and kubeWrites encode an object in its own version into a buffer that is large enough.
func (w *world) oursWrites(s *sample, mediaType string) compare.Subject {
	return w.oursWith(s, func(obj any) (compare.Work, error) {
		o := serializer.EncodeOptions{MediaType: mediaType, Version: s.kind.GroupVersion()}
		return encoding(func(dst []byte) ([]byte, error) { return w.ours.Append(dst, obj, o) })
	})
}

func (w *world) kubeWrites(s *sample, mediaType string) compare.Subject {
	return w.kubeWith(s, func(obj kruntime.Object) (compare.Work, error) {
		encoder := w.encoder(mediaType, kschema.GroupVersion(s.kind.GroupVersion()))
		return writing(func(to io.Writer) error { return encoder.Encode(obj, to) })
	})
}
