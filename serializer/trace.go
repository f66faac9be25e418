package serializer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askind/askind/internal/origin"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
)

// validateConverted defaults and validates an object that was converted from a document of the kind
// k, and locates the sources of invalid values in the document.
func (f *Factory) validateConverted(doc format.Document, k *runtime.Kind, obj runtime.Object,
	o *DecodeOptions,
) (runtime.FieldErrors, error) {
	to, err := f.scheme.KindOf(obj)
	if err != nil {
		return nil, err
	}
	if o.Default {
		if err := to.Default(obj); err != nil {
			return nil, atFile(o, problemAt(doc, err))
		}
	}
	errs := to.Validate(context.Background(), obj)
	if len(errs) == 0 {
		return nil, nil
	}
	t := origin.New(f.scheme, k, to, obj, traced)
	locate(doc, errs, o, func(path *schema.Path) *schema.Path {
		path, _ = t.Of(path)
		return path
	})
	return errs, nil
}

// traced bounds the tracing of the errors in one document. Further errors are located by the names
// of the other version.
var traced = origin.Limits{Bytes: 4 << 20, Objects: 1000, Time: time.Second}

// convertedProblem is problemAt for an error of the scheme about the conversion of an object of the
// kind k, whose text begins with the package name. Where a later step of the conversion failed, the
// error has the path of a field in a version between, and the problem that of the field in the
// document from which it is made.
func (f *Factory) convertedProblem(doc format.Document, k *runtime.Kind, obj runtime.Object,
	err error,
) runtime.Problem {
	p := problemAt(doc, err)
	whole, ok := errors.AsType[*runtime.ConvertError](err)
	if !ok {
		return p
	}
	cause := whole.Err
	if at, ok := errors.AsType[*schema.PathError](cause); ok && cause == error(at) && at.Err != nil {
		cause = at.Err
	}
	p.Message = fmt.Sprintf("cannot be converted to %s: %s", whole.To, schema.MessageOf(cause))
	step, ok := errors.AsType[*runtime.ConvertError](whole.Err)
	if !ok {
		return p
	}
	at, ok := errors.AsType[*schema.PathError](step.Err)
	if !ok || cause != whole.Err { // it has no path, or is about an item of a list, which has one
		return p
	}
	p.Message = fmt.Sprintf("cannot be converted to %s: in %s, %s", whole.To, step.From.GroupVersion(), at)
	p.Path, p.Position = "", position(doc, nil)
	between, err := f.scheme.ConvertSharing(obj, step.From.GroupVersion())
	if err != nil {
		return p
	}
	to, err := f.scheme.KindOf(between)
	if err != nil {
		return p
	}
	if path, ok := origin.New(f.scheme, k, to, between, traced).Of(at.Path); ok {
		p.Path, p.Position = path.String(), position(doc, path)
	}
	return p
}
