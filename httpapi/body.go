package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/meta"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

// ReadBody decodes the body of the request. The format is that of the Content-Type header, JSON if
// there is none; an unknown format is an error with code 415. The parameters g, v and as of the
// header supply a kind that the body does not state, and are an error if they contradict it. A body
// larger than [Settings].MaxBody or the Limits.Size of the options is an error with code 413; a
// compressed one has an unsupported type.
//
// The options are those of [serializer.Factory.Decode], except that the media type and the file are
// set here. The query parameter fieldValidation selects how unknown and duplicate fields are
// treated: Strict makes them an error, Warn reports them in Warning headers, and Ignore drops them.
// Without the parameter they are reported as for Warn, or are an error if Strictness is
// [serializer.FailOnProblems]. Warning headers also report carried values that the conversion to
// Version drops.
func (x *Exchange) ReadBody(o serializer.DecodeOptions) (runtime.Object, error) {
	contentType := strings.Join(x.r.Header["Content-Type"], ", ")
	format, err := x.api.factory.ForBody(contentType)
	if err != nil {
		return nil, err
	}
	stated, err := statedKind(contentType)
	if err != nil {
		return nil, err
	}
	if err := x.uncompressed(); err != nil {
		return nil, err
	}
	data, err := x.readAll()
	if err != nil {
		return nil, err
	}
	o.File, o.MediaType = "", format.MediaTypes[0]
	o.DefaultKind = stated.over(o.DefaultKind)
	found, warn := &warnings{}, o.Warn
	o.Warn = func(p runtime.Problem) {
		if found.add(withoutAdvice(p.Error())); warn != nil {
			warn(p)
		}
	}
	dropped := &warnings{}
	o.Dropped = dropped.dropped(o.Dropped)
	if o.Strictness, err = x.strictness(o.Strictness); err != nil {
		return nil, err
	}
	version := o.Version
	if stated != (contentKind{}) {
		o.Version = schema.GroupVersion{} // to see first what the body itself says
	}
	obj, err := x.api.factory.Decode(data, o)
	found.writeTo(x.Header())
	if err != nil {
		return nil, x.refused(obj, err)
	}
	if stated == (contentKind{}) {
		dropped.writeTo(x.Header())
		return obj, nil
	}
	scheme := x.api.factory.Scheme()
	switch err := stated.check(scheme, obj); {
	case err != nil:
		return nil, err
	case version.Empty():
		return obj, nil
	}
	terms := conversion.NewScope(conversion.ScopeOptions{Sharing: true, Dropped: o.Dropped})
	if obj, err = scheme.ConvertWith(obj, version, terms); err != nil {
		return nil, unusable(err)
	}
	dropped.writeTo(x.Header())
	return obj, nil
}

// ReadBody decodes the body of the request as a T, see [Exchange.ReadBody]. A body in another
// version, or of a kind declared equivalent, is converted.
func ReadBody[T any](x *Exchange, o serializer.DecodeOptions) (*T, error) {
	scheme := x.api.factory.Scheme()
	k, err := runtime.KindFor[T](scheme)
	if err != nil {
		return nil, err
	}
	obj, err := x.ReadBody(o)
	if err != nil {
		return nil, err
	}
	if t, ok := obj.(*T); ok {
		return t, nil
	}
	dropped := &warnings{}
	terms := conversion.NewScope(conversion.ScopeOptions{Dropped: dropped.dropped(o.Dropped)})
	if obj, err = scheme.ConvertWith(obj, k.GroupVersion(), terms); err != nil {
		return nil, unusable(err)
	}
	if t, ok := obj.(*T); ok {
		dropped.writeTo(x.Header())
		return t, nil
	}
	return nil, unusable(k.Check(obj))
}

// unusable says that the object in a body cannot be converted to what is asked for.
func unusable(err error) error {
	return &metav1.StatusError{
		Status: metav1.BadRequest("the body cannot be used here: " + err.Error()).Status,
		Err:    err,
	}
}

// refused makes the error for a body that was decoded and found wrong: that of an object of a name,
// if validation found something.
func (x *Exchange) refused(obj runtime.Object, err error) error {
	found, ok := errors.AsType[runtime.FieldErrors](err)
	if _, undecodable := errors.AsType[*runtime.DecodeError](err); !ok || undecodable || obj == nil {
		return err
	}
	k, kindErr := x.api.factory.Scheme().KindOf(obj)
	if kindErr != nil {
		return err
	}
	name := ""
	if m, err := meta.Accessor(k, obj); err == nil {
		name = m.Name
	}
	return metav1.Invalid(k.GroupVersionKind().GroupKind(), name, found)
}

// Body returns the body of the request, up to the limit of the settings, for content that is not an
// object, such as a patch. It is read once; the caller must not modify it. The error has code 415
// if the body is compressed.
func (x *Exchange) Body() ([]byte, error) {
	if err := x.uncompressed(); err != nil {
		return nil, err
	}
	return x.readAll()
}

// readAll reads the body once, within the limit.
func (x *Exchange) readAll() ([]byte, error) {
	if x.body != nil || x.r.Body == nil {
		return x.body, nil
	}
	limit := x.api.settings.MaxBody
	r := io.Reader(x.r.Body)
	var b bytes.Buffer
	if limit > 0 {
		if x.r.ContentLength > limit {
			x.Header().Set("Connection", "close") // rather than read it all for nothing
			return nil, tooLarge(limit)
		}
		r = http.MaxBytesReader(x.w, x.r.Body, limit)
	}
	if n := x.r.ContentLength; n > 0 && n <= maxPresized {
		b.Grow(int(n) + bytes.MinRead)
	}
	lift := x.limitTime()
	if _, err := b.ReadFrom(r); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			x.Header().Set("Connection", "close")
			return nil, tooSlow(x.api.settings.BodyTimeout, err)
		}
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, err
		}
		return nil, &metav1.StatusError{
			Status: metav1.BadRequest("the body cannot be read: " + err.Error()).Status,
			Err:    err,
		}
	}
	lift()
	x.body = b.Bytes()
	if x.body == nil {
		x.body = []byte{}
	}
	return x.body, nil
}

// limitTime sets a deadline for reading the body. The function that it returns lifts it when the
// body is there, because the server goes on reading then, to notice that the client is gone; of a
// body that is not, the server discards the rest within the deadline. A connection that cannot have
// deadlines is left as it is.
func (x *Exchange) limitTime() func() {
	if x.api.settings.BodyTimeout < 0 {
		return func() {}
	}
	control := http.NewResponseController(x.w)
	if control.SetReadDeadline(time.Now().Add(x.api.settings.BodyTimeout)) != nil {
		return func() {}
	}
	return func() { _ = control.SetReadDeadline(time.Time{}) }
}

// tooSlow says that a body did not come in time. There is no reason of its own for it.
func tooSlow(limit time.Duration, err error) error {
	e := metav1.Failure(metav1.StatusReasonTimeout, fmt.Sprintf("the body of the request did not come within %v", limit))
	e.Status.Code, e.Err = http.StatusRequestTimeout, err
	return e
}

// maxPresized bounds the memory that is allocated because a client says that so much is to come.
const maxPresized = 1 << 20

// hasBody reports whether the request has a body that is not empty.
func (x *Exchange) hasBody() bool {
	if x.r.ContentLength >= 0 {
		return x.r.ContentLength > 0
	}
	data, err := x.readAll()
	return err != nil || len(data) > 0 // the error comes again when the body is read
}

// uncompressed refuses a body that is coded in a way that is not understood.
func (x *Exchange) uncompressed() error {
	coding := strings.Join(x.r.Header["Content-Encoding"], ", ")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return metav1.UnsupportedMediaType(fmt.Sprintf("the body has the content coding %s; it must have none",
		schema.Quote(coding)))
}

// strictness is what becomes of unknown and duplicate fields, as the options of the request have
// it.
func (x *Exchange) strictness(without serializer.Strictness) (serializer.Strictness, error) {
	value := ""
	switch o := x.options.main.(type) {
	case *metav1.CreateOptions:
		value = o.FieldValidation
	case *metav1.UpdateOptions:
		value = o.FieldValidation
	case *metav1.PatchOptions:
		value = o.FieldValidation
	}
	switch value {
	case "":
		return max(without, serializer.WarnAboutProblems), nil
	case metav1.FieldValidationIgnore:
		return serializer.IgnoreProblems, nil
	case metav1.FieldValidationWarn:
		return serializer.WarnAboutProblems, nil
	case metav1.FieldValidationStrict:
		return serializer.FailOnProblems, nil
	}
	return 0, metav1.BadRequest(fmt.Sprintf("fieldValidation: %s is none of Ignore, Warn and Strict",
		schema.Quote(value)))
}

// contentKind is what the parameters of a Content-Type header say about the kind of a body; blank
// fields are not stated.
type contentKind struct {
	group, version, kind string
	hasGroup             bool
}

// statedKind reads the parameters of a Content-Type header, which is known to be well-formed.
func statedKind(contentType string) (c contentKind, err error) {
	if !strings.Contains(contentType, ";") {
		return c, nil
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return c, metav1.UnsupportedMediaType(fmt.Sprintf("unsupported content type %s: %v",
			schema.Quote(contentType), err))
	}
	c.group, c.hasGroup = parameters["g"]
	c.version, c.kind = parameters["v"], parameters["as"]
	return c, nil
}

// over returns the kind of a body that does not state it.
func (c *contentKind) over(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	if c.hasGroup {
		gvk.Group = c.group
	}
	if c.version != "" {
		gvk.Version = c.version
	}
	if c.kind != "" {
		gvk.Kind = c.kind
	}
	return gvk
}

// check refuses an object that is not of the kind that the header says.
func (c *contentKind) check(scheme *runtime.Scheme, obj runtime.Object) error {
	k, err := scheme.KindOf(obj)
	if err != nil {
		return err
	}
	if got, want := k.GroupVersionKind(), c.over(k.GroupVersionKind()); got != want {
		return metav1.BadRequest(fmt.Sprintf("the Content-Type says that the body is a %s, but it is a %s", want, got))
	}
	return nil
}
