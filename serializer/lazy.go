package serializer

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/wire/jsonwire"
	"github.com/askind/askind/wire/pbwire"
)

// Lazy is an object that is kept in its encoded form. Its kind and metadata are known; the rest is
// decoded on first use. A store of many objects that are mostly only looked up thus needs little
// more memory than their bytes.
//
// Pass it in place of the object to Append and Encode of a [Representation] or [Factory], to
// [Representation.EncodeItems] and to [EventWriter.Send], which decode it. [Lazy.Bytes] returns the
// encoded form.
//
// A Lazy is immutable and safe for concurrent use. It is not itself an object: where a scheme needs
// one, pass the result of [Lazy.Object]. The zero value is not usable; use [Factory.Lazy].
type Lazy struct {
	factory *Factory
	format  *format.Format
	data    []byte
	options DecodeOptions
	kind    *runtime.Kind
	meta    metav1.ObjectMeta

	once sync.Once
	obj  runtime.Object
	err  error
}

// Lazy reads the kind and metadata of the one document in data and checks the syntax of the rest.
// The Lazy keeps data, which must not be changed afterwards. The options apply when the object is
// decoded later, but a syntax error is reported immediately, and so is input that exceeds a limit
// that can be checked without decoding: all except those of numbers and memory.
func (f *Factory) Lazy(data []byte, options ...DecodeOptions) (*Lazy, error) {
	o := last(options)
	if err := f.within(data, &o); err != nil {
		return nil, err
	}
	fm, err := f.formatOf(data, o.MediaType)
	if err != nil {
		return nil, inFile(&o, err)
	}
	l := &Lazy{factory: f, format: fm, data: data, options: o}
	l.options.MediaType = fm.MediaTypes[0]
	doc, err := l.document()
	if err != nil {
		return nil, inFile(&o, err)
	}
	if l.kind, err = f.kindOf(doc, &o); err != nil {
		return nil, inFile(&o, err)
	}
	if err := l.readMeta(doc); err != nil {
		return nil, err
	}
	// These two can be most of an object. They stay in the bytes.
	l.meta.Annotations, l.meta.ManagedFields = nil, nil
	l.meta.OwnerReferences = slices.Clone(l.meta.OwnerReferences) // decoding leaves spare capacity
	l.meta.Finalizers = slices.Clone(l.meta.Finalizers)
	return l, nil
}

// document returns the one document in the bytes.
func (l *Lazy) document() (format.Document, error) {
	var one format.Document
	for doc, err := range l.format.Documents(l.data, l.options.Limits) {
		if err != nil {
			return nil, err
		}
		if one != nil {
			return nil, severalDocuments(&l.options, doc)
		}
		one = doc
	}
	if one == nil {
		return nil, noDocument(&l.options)
	}
	return one, nil
}

// metadataField is the field that holds the metadata of objects.
const metadataField = "metadata"

// readMeta decodes the metadata, without spare capacity. A document that cannot be represented as
// JSON is decoded as a whole, and so is one whose metadata is invalid as JSON: decoding reports
// problems with positions, and it handles a plain 1.10 in YAML as text if the field is text.
func (l *Lazy) readMeta(doc format.Document) error {
	if raw := doc.Raw(); raw != nil && jsonwire.Exceeds(raw, l.options.Limits) == nil {
		r := jsonwire.NewReader(raw, jsonwire.Options{Apart: true, Limits: l.options.Limits})
		if _, isObject := l.kind.Metadata(l.kind.New()).(*metav1.ObjectMeta); isObject {
			readMetadata(r, &l.meta)
		} else {
			r.Skip()
		}
		if len(r.Problems()) == 0 {
			return nil
		}
	}
	obj, err := l.factory.decode(doc, nil, l.plainOptions())
	if err != nil {
		return err
	}
	if m, ok := l.kind.Metadata(obj).(*metav1.ObjectMeta); ok {
		metav1.DeepCopyIntoObjectMeta(m, &l.meta)
	}
	return nil
}

// plainOptions returns the options that are needed to decode the document without changes.
func (l *Lazy) plainOptions() *DecodeOptions {
	return &DecodeOptions{
		DefaultKind: l.options.DefaultKind, Unknown: l.options.Unknown, File: l.options.File,
		Limits: l.options.Limits,
	}
}

// readMetadata reads the metadata of an object and nothing else. If it occurs several times, later
// ones are read into the earlier ones, as in decoding.
func readMetadata(r *jsonwire.Reader, out *metav1.ObjectMeta) {
	for key := r.Object(); key != nil; key = r.NextKey() {
		if string(key) != metadataField {
			r.Skip()
			continue
		}
		metav1.DecodeJSONObjectMeta(r, out)
	}
}

// Kind returns the kind of the document, before any conversion that the options request.
func (l *Lazy) Kind() *runtime.Kind { return l.kind }

// Metadata returns the metadata without annotations and managed fields, for which see
// [Lazy.ObjectMeta]. The caller must not change its maps and slices. It is empty for kinds whose
// metadata is not a [metav1.ObjectMeta].
func (l *Lazy) Metadata() metav1.ObjectMeta { return l.meta }

// ObjectMeta decodes the whole metadata. The result belongs to the caller.
func (l *Lazy) ObjectMeta() (*metav1.ObjectMeta, error) {
	doc, err := l.document()
	if err != nil {
		return nil, err
	}
	full := Lazy{factory: l.factory, options: l.options, kind: l.kind}
	if err := full.readMeta(doc); err != nil {
		return nil, err
	}
	return &full.meta, nil
}

// Bytes returns the encoded object in its original format. The caller must not change it.
func (l *Lazy) Bytes() []byte { return l.data }

// Object returns the object, which is decoded according to the options on the first call. Every
// call returns the same object, so the caller must not change it; see [runtime.Scheme.DeepCopy].
// Object and error are those of [Factory.Decode].
func (l *Lazy) Object() (runtime.Object, error) {
	l.once.Do(func() {
		l.err = errPanicked // remains if a function of the kind panics
		l.obj, l.err = l.factory.Decode(l.data, l.options)
	})
	return l.obj, l.err
}

// WithMetadata returns the object with its metadata modified by change, which gets a copy of the
// whole metadata. If the format has [format.Format].Splice, like all formats of this module, the
// result has the same bytes except for the members of the metadata that differ, which preserves
// unknown fields and, in YAML, comments. In other formats the object is encoded again, and so is
// one whose metadata occurs twice or, in YAML, is shared by an alias. If that would lose fields
// that the type does not have, the error is a [*runtime.DecodeError] that lists them.
func (l *Lazy) WithMetadata(change func(*metav1.ObjectMeta)) (*Lazy, error) {
	if _, ok := l.kind.Metadata(l.kind.New()).(*metav1.ObjectMeta); !ok {
		return nil, fmt.Errorf("serializer: %s has no metadata that could be changed: %w", l.kind,
			errors.ErrUnsupported)
	}
	before, err := l.ObjectMeta()
	if err != nil {
		return nil, err
	}
	after := new(metav1.ObjectMeta)
	metav1.DeepCopyIntoObjectMeta(before, after)
	change(after)
	data, ok, err := l.spliced(before, after)
	if err == nil && !ok {
		data, err = l.rewritten(after)
	}
	if err != nil {
		return nil, err
	}
	return l.factory.Lazy(data, l.options)
}

// spliced returns the bytes changed by the differences between two metadata. It returns false if
// the format cannot change these bytes in place.
func (l *Lazy) spliced(before, after *metav1.ObjectMeta) (data []byte, ok bool, err error) {
	s, number := l.format.Splice, l.kind.Info().ProtoMetadata
	if s == nil || s.Message != nil && number == 0 {
		return nil, false, nil
	}
	encode := func(meta *metav1.ObjectMeta) ([]byte, error) { return metav1.AppendJSONObjectMeta(nil, meta) }
	if s.Message != nil {
		encode = metadataMessage
	}
	was, err := encode(before)
	if err != nil {
		return nil, false, err
	}
	is, err := encode(after)
	if err != nil {
		return nil, false, err
	}
	if s.Message != nil {
		data, err = s.Message(l.data, number, was, is)
	} else {
		data, err = s.Member(l.data, metadataField, was, is)
	}
	return data, err == nil, nil
}

// metadataMessage returns metadata in protobuf.
func metadataMessage(meta *metav1.ObjectMeta) ([]byte, error) {
	w := pbwire.NewWriter(nil)
	metav1.PrependProtoObjectMeta(w, meta)
	return w.Bytes(), w.Err()
}

// rewritten returns the object encoded again with other metadata. It is an error if the bytes have
// fields that the type lacks.
func (l *Lazy) rewritten(meta *metav1.ObjectMeta) ([]byte, error) {
	doc, err := l.document()
	if err != nil {
		return nil, err
	}
	// Without the scheme, embedded objects are not checked; they keep their bytes.
	problems := doc.Decode(l.kind, l.kind.New(), runtime.ReadOptions{Strict: true, Limits: l.options.Limits})
	problems = sorted.Delete(problems, func(p runtime.Problem) bool { return p.Cause != runtime.ErrUnknownField })
	if len(problems) > 0 {
		return nil, inFile(&l.options, &runtime.DecodeError{Problems: problems})
	}
	if doc, err = l.document(); err != nil {
		return nil, err
	}
	obj, err := l.factory.decode(doc, nil, l.plainOptions())
	if err != nil {
		return nil, err
	}
	*l.kind.Metadata(obj).(*metav1.ObjectMeta) = *meta
	return l.format.Append(nil, l.kind, obj, format.Options{})
}
