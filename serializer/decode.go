package serializer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// Strictness selects how Decode treats problems that do not prevent decoding: unknown and duplicate
// fields, booleans such as yes in YAML, which YAML readers disagree about, an item of a typed list
// that states another kind, and anything wrong within an embedded object of a known kind, which is
// kept as bytes. Syntax errors and values of the wrong type are always errors.
type Strictness uint8

const (
	// IgnoreProblems does not look for them.
	IgnoreProblems Strictness = iota
	// WarnAboutProblems passes them to [DecodeOptions.Warn].
	WarnAboutProblems
	// FailOnProblems returns them as an error, together with the object.
	FailOnProblems
)

// DecodeOptions control how input is read. The zero value detects the format, ignores unknown
// fields, and leaves the object as it was written.
type DecodeOptions struct {
	_ struct{} // literals name their fields

	// File is the name of the input in messages.
	File string
	// MediaType is the format, in the form of a Content-Type header; blank means to look at the
	// input.
	MediaType string
	// DefaultKind supplies the kind and apiVersion, or one of them, for a document that lacks them.
	// Without it such a document is an error.
	DefaultKind schema.GroupVersionKind
	// Unknown returns the kind to use for a document whose kind the scheme does not know. A nil
	// result is an error. With unstructured.Kind such documents are read as untyped objects.
	Unknown func(schema.GroupVersionKind) *runtime.Kind
	// Strictness selects what to do about problems such as unknown and duplicate fields, also in
	// embedded objects of known kinds. With [FailOnProblems] they are an error, with
	// [WarnAboutProblems] each is passed to Warn, and beyond the limit the number of the others.
	Strictness Strictness
	Warn       func(runtime.Problem)
	// Embedded also decodes the objects in fields of type [runtime.Embedded] whose kinds the scheme
	// knows. They are defaulted together with the object that contains them.
	Embedded bool
	// Default sets the defaults of the version that the document is in.
	Default bool
	// Validate runs the validation functions of that version after defaulting, with the background
	// context. To pass another context, call [runtime.Kind.Validate].
	Validate bool
	// ValidateConverted repeats this after the conversion to Version: with Default, the object is
	// defaulted in that version, and then it is validated there. An error has the path of the field
	// in that version and the position of the field in the document from which the conversion makes
	// the value. It is found by converting changed copies of the object back; this ends after 1,000
	// conversions, 4 MiB, or a second. If the field is not found, the position is that of the value
	// with the same path, or of the object around it.
	ValidateConverted bool
	// Version is the group version to convert to; empty means that of the document. Shared kinds
	// are not converted.
	Version schema.GroupVersion
	// Dropped is called for every value that the conversion to Version drops: a field that is set
	// and declared as a loss, and a carried value that does not return to its field, see
	// [conversion.ScopeOptions]; nil means that such values are dropped silently.
	Dropped func(conversion.DroppedValue)
	// Canonical states that this module has written the documents. [Representation.Project] and
	// [Representation.EncodeProjected] then copy metadata in JSON without checking that decoding
	// and encoding would return the same bytes. Nothing else depends on it.
	Canonical bool
	// Limits bound the input. Zero fields are taken from [FactoryOptions], and then from the
	// defaults.
	Limits schema.Limits
}

// Decode reads the one document in data: it finds the kind, decodes the object and then, if the
// options ask for it, defaults, validates and converts it. The object states its kind and
// apiVersion and does not refer to data. No document, or more than one, is an error.
//
// The error reports every problem with its position: a [*runtime.DecodeError] for the text, a
// [runtime.FieldErrors] for validation, or both. The object is returned together with the error if
// it is complete nevertheless: if there were only unknown or duplicate fields, or if only
// validation failed. Such an object is converted only if validation before it succeeded.
//
// Options may be omitted; if there are several, the last are used. The same holds for the other
// functions of the package that read.
func (f *Factory) Decode(data []byte, options ...DecodeOptions) (runtime.Object, error) {
	o := last(options)
	if err := f.within(data, &o); err != nil {
		return nil, err
	}
	var d decoding
	if doc := f.single(data, o.MediaType); doc != nil {
		obj, err := f.decode(doc, nil, &o)
		if doc.Alone() {
			return obj, err
		}
		d.obj, d.err, d.decoded = obj, err, true
	}
	return f.decodeOnly(data, d, o)
}

// last returns the options of a call that may leave them out.
func last(options []DecodeOptions) DecodeOptions {
	if len(options) == 0 {
		return DecodeOptions{}
	}
	return options[len(options)-1]
}

// decodeOnly is Decode for all inputs. The decoding has the first document if that has been decoded
// already.
func (f *Factory) decodeOnly(data []byte, d decoding, o DecodeOptions) (runtime.Object, error) {
	d.f, d.o = f, o
	f.documents(data, &d.o)(d.document)
	if d.n == 0 {
		return nil, noDocument(&d.o)
	}
	return d.obj, d.err
}

// decoding is one call of Decode. It lies in one block of memory, where the variables of a loop
// over an iterator would take one each.
type decoding struct {
	f   *Factory
	o   DecodeOptions
	n   int
	obj runtime.Object
	err error

	decoded bool // obj and err are those of the first document already
}

// document takes the next document of the input and reports whether to look for another.
func (d *decoding) document(doc format.Document, docErr error) bool {
	if d.n++; d.n == 1 {
		if d.decoded {
			return true
		}
		d.obj, d.err = d.f.decode(doc, docErr, &d.o)
		return true
	}
	d.obj = nil
	if docErr != nil { // what follows the document is not a document
		d.err = join(d.err, inFile(&d.o, docErr))
		return false
	}
	d.err = severalDocuments(&d.o, doc)
	return false
}

// severalDocuments returns the error for a second document.
func severalDocuments(o *DecodeOptions, second format.Document) error {
	return atFile(o, runtime.Problem{
		Position: position(second, nil), Cause: ErrSeveralDocuments,
		Message: "a second document starts here, but only one can be read at a time",
	})
}

// noDocument returns the error for an input without a document.
func noDocument(o *DecodeOptions) error {
	return atFile(o, runtime.Problem{Cause: ErrNoDocument, Message: "there is no document in the input"})
}

// single returns the first document of an input whose format makes that easy, else nil.
func (f *Factory) single(data []byte, mediaType string) format.Document {
	fm, err := f.formatOf(data, mediaType)
	if err != nil || fm.First == nil {
		return nil
	}
	return fm.First(data)
}

// DecodeAll reads every document in data as [Factory.Decode] does, and yields each with its error.
// An invalid document does not stop the sequence, so that all problems of a file can be reported at
// once. Input without documents yields nothing.
func (f *Factory) DecodeAll(data []byte, options ...DecodeOptions) iter.Seq2[runtime.Object, error] {
	o := last(options)
	return func(yield func(runtime.Object, error) bool) {
		if err := f.within(data, &o); err != nil {
			yield(nil, err)
			return
		}
		for doc, err := range f.documents(data, &o) {
			if !yield(f.decode(doc, err, &o)) {
				return
			}
		}
	}
}

// Decode reads the one document in data as a T. A document of another version, or of a kind
// declared equivalent, is converted. T must be registered with the scheme of the factory. An object
// returned together with an error is as [Factory.Decode] describes it.
func Decode[T any](f *Factory, data []byte, options ...DecodeOptions) (*T, error) {
	k, err := runtime.KindFor[T](f.scheme)
	if err != nil {
		return nil, err
	}
	obj, err := f.decodeFor(k, data, last(options))
	t, _ := obj.(*T)
	return t, err
}

// decodeFor returns an object of the Go type of k, or nil.
func (f *Factory) decodeFor(k *runtime.Kind, data []byte, o DecodeOptions) (runtime.Object, error) {
	if o.Version.Empty() {
		o.Version = k.GroupVersion() // so that errors of the conversion have positions
	}
	obj, err := f.Decode(data, o)
	if obj == nil || k.Check(obj) == nil {
		return obj, err
	}
	from, unknown := f.scheme.KindOf(obj)
	out, convertErr := f.convert(obj, k.GroupVersion(), false, o.Dropped)
	if convertErr == nil {
		if convertErr = k.Check(out); convertErr == nil {
			return out, err
		}
		if unknown == nil {
			convertErr = fmt.Errorf("the document is a %s, not a %s", from.GroupVersionKind(), k.GroupVersionKind())
		}
	}
	if unknown == nil {
		k = from
	}
	return nil, errors.Join(err, atFile(&o, f.convertedProblem(nil, k, obj, convertErr)))
}

// convert converts a decoded object, and calls dropped, if not nil, for each carried value that is
// lost.
func (f *Factory) convert(obj runtime.Object, gv schema.GroupVersion, sharing bool,
	dropped func(conversion.DroppedValue),
) (runtime.Object, error) {
	switch {
	case dropped != nil:
		scope := conversion.NewScope(conversion.ScopeOptions{Sharing: sharing, Dropped: dropped})
		return f.scheme.ConvertWith(obj, gv, scope)
	case sharing:
		return f.scheme.ConvertSharing(obj, gv)
	}
	return f.scheme.ConvertTo(obj, gv)
}

// documents splits the input. An input in no known format yields one error and no document.
func (f *Factory) documents(data []byte, o *DecodeOptions) iter.Seq2[format.Document, error] {
	fm, err := f.formatOf(data, o.MediaType)
	if err != nil {
		return func(yield func(format.Document, error) bool) { yield(nil, err) }
	}
	return fm.Documents(data, o.Limits)
}

// within applies the limits of the factory and returns an error for an input that is too large.
func (f *Factory) within(data []byte, o *DecodeOptions) error {
	o.Limits = o.Limits.Or(f.limits)
	if large := o.Limits.CheckSize("the input", len(data)); large != nil {
		return atFile(o, runtime.Problem{Cause: runtime.ErrLimit, Message: large.Error(), Err: large})
	}
	return nil
}

// formatOf returns the format that a media type names. Without one it returns the first format that
// recognizes the input for certain, else the first that may match.
func (f *Factory) formatOf(data []byte, mediaType string) (*format.Format, error) {
	if mediaType != "" {
		fm, err := f.ForContentType(mediaType)
		if err == nil && !fm.Reads() {
			return nil, &runtime.DecodeError{Problems: []runtime.Problem{{
				Cause: format.ErrWriteOnly, Message: "the format " + fm.Name + " can be written but not read",
			}}}
		}
		return fm, err
	}
	var maybe *format.Format
	for _, fm := range f.formats {
		if fm.Recognize == nil {
			continue
		}
		switch fm.Recognize(data) {
		case format.Yes:
			return fm, nil
		case format.Maybe:
			if maybe == nil {
				maybe = fm
			}
		}
	}
	if maybe == nil {
		return nil, &runtime.DecodeError{Problems: []runtime.Problem{{
			Position: schema.Position{Line: 1, Column: 1}, Cause: ErrUnknownFormat,
			Message: fmt.Sprintf("the input is not in any of the formats %s", f.names()),
		}}}
	}
	return maybe, nil
}

// names returns the formats for messages.
func (f *Factory) names() string {
	out := ""
	for i, fm := range f.formats {
		if i > 0 {
			out += ", "
		}
		out += fm.Name
	}
	return out
}

// decode decodes one document. All decoding passes through it.
func (f *Factory) decode(doc format.Document, err error, o *DecodeOptions) (runtime.Object, error) {
	if err != nil {
		return nil, inFile(o, err)
	}
	k, err := f.kindOf(doc, o)
	if err != nil {
		return nil, inFile(o, err)
	}
	return f.decodeAs(doc, k, nil, o)
}

// decodeAs is decode for a document whose kind is known. problems were found while looking it up.
func (f *Factory) decodeAs(doc format.Document, k *runtime.Kind, problems []runtime.Problem,
	o *DecodeOptions,
) (runtime.Object, error) {
	obj := k.New()
	problems = append(problems, doc.Decode(k, obj, runtime.ReadOptions{
		Strict: o.Strictness != IgnoreProblems, Scheme: f.scheme,
		Transcoding: f.transcoding, Embedded: o.Embedded, Limits: o.Limits,
	})...)
	f.scheme.HideSensitive(k, problems)
	found, fatal := f.sift(problems, o)
	if fatal {
		return nil, found
	}
	if o.Default {
		if err := k.Default(obj); err != nil {
			return nil, join(found, atFile(o, problemAt(doc, err)))
		}
	}
	if o.Validate {
		if errs := k.Validate(context.Background(), obj); len(errs) > 0 {
			locate(doc, errs, o, func(path *schema.Path) *schema.Path { return path })
			return obj, join(found, errs)
		}
	}
	if o.Version.Empty() || o.Version == k.GroupVersion() || k.Info().Shared {
		return obj, found
	}
	out, err := f.convert(obj, o.Version, true, o.Dropped)
	if err != nil {
		return nil, join(found, atFile(o, f.targetProblem(doc, k, obj, o.Version, err)))
	}
	if o.ValidateConverted {
		errs, err := f.validateConverted(doc, k, out, o)
		switch {
		case err != nil:
			return nil, join(found, err)
		case len(errs) > 0:
			return out, join(found, errs)
		}
	}
	return out, found
}

// kindOf looks up the kind of a document. The error has positions but no file.
func (f *Factory) kindOf(doc format.Document, o *DecodeOptions) (*runtime.Kind, error) {
	if k := doc.KindIn(f.scheme); k != nil {
		return k, nil
	}
	apiVersion, kind, err := doc.Type()
	if err != nil {
		return nil, err
	}
	gv := o.DefaultKind.GroupVersion()
	var missing []runtime.Problem
	switch {
	case apiVersion != "":
		if gv, err = schema.ParseGroupVersion(apiVersion); err != nil {
			return nil, &runtime.DecodeError{Problems: []runtime.Problem{{
				Position: position(doc, apiVersionField), Path: apiVersionField.String(),
				Cause: runtime.ErrInvalidValue, Err: err,
				Message: strings.TrimPrefix(schema.MessageOf(err), apiVersionField.String()+" "),
			}}}
		}
	case gv.Empty():
		missing = append(missing, runtime.Problem{
			Position: position(doc, nil), Cause: runtime.ErrMissingVersion, Message: `apiVersion is missing`,
		})
	}
	if kind == "" {
		kind = o.DefaultKind.Kind
	}
	if kind == "" {
		missing = append(missing, runtime.Problem{
			Position: position(doc, nil), Cause: runtime.ErrMissingKind,
			Message: `kind is missing`,
		})
	}
	if missing != nil {
		return nil, &runtime.DecodeError{Problems: missing}
	}
	k, ok := f.scheme.Lookup(gv.WithKind(kind))
	if !ok && o.Unknown != nil {
		k = o.Unknown(gv.WithKind(kind))
	}
	if k != nil {
		return k, nil
	}
	if k, err = f.scheme.Kind(gv.WithKind(kind)); err != nil {
		return nil, &runtime.DecodeError{Problems: []runtime.Problem{f.unknownKind(doc, gv, err)}}
	}
	return k, nil
}

var (
	apiVersionField = schema.NewPath("apiVersion")
	kindField       = schema.NewPath("kind")
)

// unknownKind locates the error of a lookup at the offending field.
func (f *Factory) unknownKind(doc format.Document, gv schema.GroupVersion, err error) runtime.Problem {
	field := apiVersionField
	for _, known := range f.scheme.Versions(gv.Group) {
		if known == gv {
			field = kindField
		}
	}
	p := runtime.Problem{
		Position: position(doc, field), Path: field.String(), Cause: runtime.ErrUnknownKind,
		Message: err.Error(), Err: err,
	}
	if unknown, ok := errors.AsType[*runtime.UnknownKindError](err); ok {
		p.Message = unknown.UserMessage()
	}
	return p
}

// sift separates problems that matter from those that do not. The error is nil or a
// [*runtime.DecodeError]; fatal reports whether the object is incomplete.
func (f *Factory) sift(problems []runtime.Problem, o *DecodeOptions) (err error, fatal bool) {
	var kept []runtime.Problem
	more := runtime.Problem{}
	for _, p := range problems {
		if p.More > 0 {
			more.More += p.More
			continue
		}
		p.File = o.File
		more.File, more.Position, more.Cause = p.File, p.Position, p.Cause
		strict := p.Strict()
		switch {
		case !strict:
			fatal = true
		case o.Strictness == WarnAboutProblems:
			if o.Warn != nil {
				o.Warn(p)
			}
			continue
		case o.Strictness == IgnoreProblems:
			continue
		}
		kept = append(kept, p)
	}
	switch {
	case more.More > 0 && kept != nil:
		kept = append(kept, more)
	case more.More > 0 && o.Strictness == WarnAboutProblems && o.Warn != nil:
		o.Warn(more)
	}
	if kept == nil {
		return nil, false
	}
	return &runtime.DecodeError{Problems: kept}, fatal
}

// problemAt converts an error found in a decoded object to a problem at the field that the error
// names.
func problemAt(doc format.Document, err error) runtime.Problem {
	p := runtime.Problem{Cause: runtime.ErrInvalidValue, Message: schema.MessageOf(err), Err: err}
	var path *schema.Path
	if at, ok := errors.AsType[*schema.PathError](err); ok {
		path = at.Path
		p.Path = path.String()
		if err == error(at) && at.Err != nil {
			p.Message = schema.MessageOf(at.Err)
		}
	}
	p.Position = position(doc, path)
	return p
}

// targetProblem returns the problem of a document that could not be converted. If the target
// version lacks the kind, the apiVersion is reported as the error, because the author of the
// document cannot register kinds.
func (f *Factory) targetProblem(doc format.Document, k *runtime.Kind, obj runtime.Object, to schema.GroupVersion,
	err error,
) runtime.Problem {
	p := f.convertedProblem(doc, k, obj, err)
	if unknown, ok := errors.AsType[*runtime.UnknownKindError](err); ok &&
		unknown.GroupVersionKind == to.WithKind(k.Name()) {
		p.Path, p.Position = apiVersionField.String(), position(doc, apiVersionField)
		p.Message = fmt.Sprintf("a %s cannot be converted to %s, which has no such kind", k, to)
	}
	return p
}

// position returns the position of a field in a document, or the zero Position for the nil
// document.
func position(doc format.Document, path *schema.Path) schema.Position {
	if doc == nil {
		return schema.Position{}
	}
	return doc.Locate(path)
}

// locate sets the positions of findings from their paths in the document and sorts the findings.
// Each lookup takes time proportional to the document, so after as many findings as are reported,
// the rest get the position of the object.
func locate(doc format.Document, errs runtime.FieldErrors, o *DecodeOptions, origin func(*schema.Path) *schema.Path) {
	exact, whole := o.Limits.OrDefaults().Problems, position(doc, nil)
	for i, e := range errs {
		if e.File, e.Position = o.File, whole; i < exact {
			e.Position = position(doc, origin(e.Path))
		}
	}
	sorted.Func(errs[:min(exact, len(errs))], func(a, b *runtime.FieldError) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
	})
}

// atFile returns an error for one problem.
func atFile(o *DecodeOptions, p runtime.Problem) error {
	p.File = o.File
	return &runtime.DecodeError{Problems: []runtime.Problem{p}}
}

// inFile adds the name of the file to the problems of an error.
func inFile(o *DecodeOptions, err error) error {
	if d, ok := errors.AsType[*runtime.DecodeError](err); ok && o.File != "" {
		for i := range d.Problems {
			d.Problems[i].File = o.File
		}
	}
	return err
}

// join returns both errors as one, or second if first is nil.
func join(first, second error) error {
	if first == nil {
		return second
	}
	return errors.Join(first, second)
}
