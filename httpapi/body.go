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

// ReadBody decodes the body of the request. The format is that of the Content-Type header, or JSON
// if there is no such header; an unknown format is an error with code 415. The parameters g, v and
// as of the header supply a kind that the body does not state, and are an error if they contradict
// it. A body larger than [Settings].MaxBody or the Limits.Size of the options is an error with code
// 413. A compressed body is an error with code 415.
//
// The options are those of [serializer.Factory.Decode], except that the media type and the file are
// set here. The query parameter fieldValidation selects how unknown and duplicate fields are
// treated: Strict makes them an error, Warn reports them in Warning headers, and Ignore drops them.
// Without the parameter they are reported as for Warn, or are an error if Strictness is
// [serializer.FailOnProblems]. Warning headers also report values that the conversion to Version
// drops.
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
		if found.add(problemText(&p)); warn != nil {
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
		o.Version = schema.GroupVersion{} // first see what the body itself states
	}
	obj, err := x.api.factory.Decode(data, o)
	found.writeTo(x.Header())
	if err != nil {
		return nil, x.refused(obj, err)
	}
	if err := stated.check(x.api.factory.Scheme(), obj); err != nil {
		return nil, err
	}
	if o.Version != version {
		// Decode converts and validates. It has reported all problems of the text already.
		o.Version, o.Strictness, o.Warn, o.Validate = version, serializer.IgnoreProblems, nil, false
		if obj, err = x.api.factory.Decode(data, o); err != nil {
			return nil, x.refused(obj, err)
		}
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
	if o.Version.Empty() {
		o.Version = k.GroupVersion() // so that errors have positions, and all options apply
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

// unusable returns the error for a body whose object cannot be converted to the requested kind.
func unusable(err error) error {
	return badRequest("the body cannot be used here: ", err)
}

// badRequest returns the error with code 400 for a cause.
func badRequest(message string, cause error) error {
	e := metav1.BadRequest(message + cause.Error())
	e.Err = cause
	return e
}

// refused returns the error for a decoded body that is invalid. For validation errors, it names the
// object.
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
// object, such as a patch. It reads the body once; the caller must not modify the result. The error
// has code 415 if the body is compressed.
func (x *Exchange) Body() ([]byte, error) {
	if err := x.uncompressed(); err != nil {
		return nil, err
	}
	return x.readAll()
}

// readAll reads the body once, up to the limit. Later calls return the same result: after an error,
// reading on would take the rest of the body for all of it.
func (x *Exchange) readAll() ([]byte, error) {
	if x.body == nil && x.bodyErr == nil && x.r.Body != nil {
		x.body, x.bodyErr = x.receive()
	}
	return x.body, x.bodyErr
}

// receive reads the body. The result is nil only with an error.
func (x *Exchange) receive() ([]byte, error) {
	limit := x.api.settings.MaxBody
	r := io.Reader(x.r.Body)
	var b bytes.Buffer
	if limit > 0 {
		if x.r.ContentLength > limit {
			x.Header().Set("Connection", "close") // avoid reading the rest of the body only to discard it
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
		return nil, badRequest("the body cannot be read: ", err)
	}
	lift()
	if b.Len() == 0 {
		return []byte{}, nil
	}
	return b.Bytes(), nil
}

// limitTime sets a deadline for reading the body. The caller calls the returned function once the
// body has been read, to clear the deadline, because the server then keeps reading to detect that
// the client disconnects. If the body was not read completely, the deadline also limits how long
// the server discards the rest. Connections without deadlines are left unchanged.
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

// tooSlow returns the error for a body that did not arrive in time. No StatusReason exists for it.
func tooSlow(limit time.Duration, err error) error {
	e := metav1.Failure(metav1.StatusReasonTimeout, fmt.Sprintf("the body of the request was not received within %v", limit))
	e.Status.Code, e.Err = http.StatusRequestTimeout, err
	return e
}

// maxPresized limits the memory that is allocated on the basis of the Content-Length header.
const maxPresized = 1 << 20

// hasBody reports whether the request has a body that is not empty.
func (x *Exchange) hasBody() bool {
	if x.r.ContentLength >= 0 {
		return x.r.ContentLength > 0
	}
	data, err := x.readAll()
	return err != nil || len(data) > 0
}

// uncompressed returns an error if the body has an unsupported content coding.
func (x *Exchange) uncompressed() error {
	coding := strings.Join(x.r.Header["Content-Encoding"], ", ")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return metav1.UnsupportedMediaType(fmt.Sprintf("unsupported content coding %s; send the body uncompressed",
		schema.Quote(coding)))
}

// strictness returns how to treat unknown and duplicate fields, according to the options of the
// request.
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
	return 0, metav1.BadRequest(fmt.Sprintf("fieldValidation: %s must be Ignore, Warn or Strict",
		schema.Quote(value)))
}

// contentKind is what the parameters of a Content-Type header state about the kind of a body. Blank
// fields are not stated.
type contentKind struct {
	group, version, kind string
	hasGroup             bool
}

// statedKind reads the parameters of a Content-Type header, which must be well-formed.
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

// check returns an error if the object is not of the kind stated in the header, if any.
func (c *contentKind) check(scheme *runtime.Scheme, obj runtime.Object) error {
	if *c == (contentKind{}) {
		return nil
	}
	k, err := scheme.KindOf(obj)
	if err != nil {
		return err
	}
	if got, want := k.GroupVersionKind(), c.over(k.GroupVersionKind()); got != want {
		return metav1.BadRequest(fmt.Sprintf("the Content-Type states the kind %s, but the body is a %s",
			schema.Shorten(want.String(), maxCause), got))
	}
	return nil
}
