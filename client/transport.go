package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/askind/askind/meta/unstructured"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/query"
)

// Transport is a [Backend] over HTTP. The zero value is not usable; use [HTTP].
type Transport struct {
	base      *url.URL
	client    *http.Client
	factory   *serializer.Factory
	untyped   *serializer.Factory // decodes into unstructured objects
	core      *serializer.Factory // has Status and autoscaling/v1 Scale, which the scheme of factory may lack
	query     *query.Codec
	header    http.Header
	mediaType string
	retries   int
	maxBody   int64
}

// HTTPOption is a setting of [HTTP].
type HTTPOption interface{ apply(*Transport) error }

type httpOption func(*Transport) error

func (f httpOption) apply(t *Transport) error { return f(t) }

// RoundTripper sends requests through rt, for TLS settings, for credentials, or to a server in the
// same process.
func RoundTripper(rt http.RoundTripper) HTTPOption {
	return httpOption(func(t *Transport) error {
		t.client = &http.Client{Transport: rt, CheckRedirect: t.client.CheckRedirect}
		return nil
	})
}

// Header adds a header to every request. The default of User-Agent begins with the name of the
// program, which servers take for the field manager of writes that name none.
func Header(name, value string) HTTPOption {
	return httpOption(func(t *Transport) error {
		t.header.Add(name, value)
		return nil
	})
}

// BearerToken adds a bearer token to every request.
func BearerToken(token string) HTTPOption { return Header("Authorization", "Bearer "+token) }

// MediaType is the format of objects in requests and responses, by default application/json. The
// factory must have it. Kinds that the format cannot encode are sent as JSON.
func MediaType(mediaType string) HTTPOption {
	return httpOption(func(t *Transport) error {
		t.mediaType = mediaType
		_, err := t.factory.ForContentType(mediaType)
		return err
	})
}

// Retries is the maximum number of retries after a response with the code 429 or 503 and a
// Retry-After header. The default is 5.
func Retries(n int) HTTPOption {
	return httpOption(func(t *Transport) error {
		t.retries = n
		return nil
	})
}

// MaxBody bounds the size of a response in bytes, uncompressed, except for watches. The default is
// 1 GiB. A document, see [Backend], has at most 64 MiB even so. The factory's limits bound each
// event of a watch, and the memory that decoding takes.
func MaxBody(n int64) HTTPOption {
	return httpOption(func(t *Transport) error {
		t.maxBody = n
		return nil
	})
}

const jsonMediaType = "application/json"

// HTTP returns a backend for the server at an address, such as https://api.example.com or
// http://127.0.0.1:8080/cluster. The factory must have the format JSON, and its scheme the kinds of
// metav1.AddTo: lists, writes and watches fail without their options.
func HTTP(address string, f *serializer.Factory, opts ...HTTPOption) (*Transport, error) {
	if f == nil {
		return nil, errors.New("client: the factory is nil")
	}
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("client: %q is not a valid address; use a URL such as https://api.example.com", address)
	}
	if base.User != nil || base.RawQuery != "" {
		return nil, fmt.Errorf("client: the address of %s has credentials or a query, which would not be sent; use "+
			"client.Header or client.BearerToken", base.Host)
	}
	base.Path, base.RawPath = strings.TrimSuffix(base.Path, "/"), strings.TrimSuffix(base.RawPath, "/")
	if _, err := f.ForContentType(jsonMediaType); err != nil {
		return nil, fmt.Errorf("client: the factory needs the format JSON: %w", err)
	}
	untyped, err := newFactory()
	if err != nil {
		return nil, err
	}
	core, err := newFactory(metav1.AddTo, metav1.AddCoreTo, metav1.AddAutoscalingTo)
	if err != nil {
		return nil, err
	}
	t := &Transport{
		base: base, factory: f, untyped: untyped, core: core,
		query: query.New(f.Scheme()), header: http.Header{},
		mediaType: jsonMediaType,
		client: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		retries: 5, maxBody: 1 << 30,
	}
	for _, o := range opts {
		if err := o.apply(t); err != nil {
			return nil, err
		}
	}
	if t.header.Get("User-Agent") == "" {
		t.header.Set("User-Agent", filepath.Base(os.Args[0])+"/askind")
	}
	return t, nil
}

// newFactory returns a factory for JSON.
func newFactory(groups ...func(*runtime.Builder)) (*serializer.Factory, error) {
	s, err := runtime.NewScheme(groups...)
	if err != nil {
		return nil, err
	}
	return serializer.NewFactory(s, json.Format())
}

// methods holds the HTTP methods of verbs.
var methods = map[string]string{
	"get": http.MethodGet, "list": http.MethodGet, "watch": http.MethodGet,
	"create": http.MethodPost, "update": http.MethodPut, "patch": http.MethodPatch,
	"delete": http.MethodDelete, "deletecollection": http.MethodDelete,
}

// Do implements [Backend].
func (t *Transport) Do(ctx context.Context, r *Request) (*Response, error) {
	resp, err := t.send(ctx, r)
	if err != nil {
		return nil, err
	}
	defer discard(resp.Body)
	body, err := read(resp, t.maxBody)
	if err != nil {
		return nil, t.failed(r, err)
	}
	out := &Response{Code: resp.StatusCode, MediaType: resp.Header.Get("Content-Type"), Warnings: warnings(resp.Header)}
	if r.Accept != "" {
		out.Bytes = body
		return out, nil
	}
	if len(body) > 0 {
		if out.Object, err = t.decode(body, out.MediaType, r); err != nil {
			return nil, t.failed(r, err)
		}
		if status := t.statusOf(out.Object); status != nil && status.Status == metav1.StatusFailure {
			return nil, t.statusError(status) // a proxy has changed the code, say
		}
	}
	return out, nil
}

// Watch implements [Backend].
func (t *Transport) Watch(ctx context.Context, r *Request) iter.Seq2[serializer.Event, error] {
	return func(yield func(serializer.Event, error) bool) {
		watch := *r
		watch.Verb = "watch"
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		resp, err := t.send(ctx, &watch)
		if err != nil {
			yield(serializer.Event{}, err)
			return
		}
		defer resp.Body.Close()
		f, o := t.reading(&watch)
		o.MediaType = resp.Header.Get("Content-Type")
		events, err := serializer.NewEventReader(resp.Body, f, o)
		if err != nil {
			yield(serializer.Event{}, t.failed(&watch, err))
			return
		}
		for event, err := range events.All() {
			switch {
			case err != nil && ctx.Err() != nil:
				yield(serializer.Event{}, context.Cause(ctx))
				return
			case err != nil:
				yield(serializer.Event{}, t.failed(&watch, err))
				return
			case event.Type == metav1.WatchError:
				yield(serializer.Event{}, t.statusError(event.Object))
				return
			case !yield(event, nil):
				return
			}
		}
	}
}

// Document implements [Backend].
func (t *Transport) Document(ctx context.Context, r *DocumentRequest) (*Document, error) {
	path, rawQuery, _ := strings.Cut(r.Path, "?")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url("/"+strings.TrimPrefix(path, "/"), rawQuery), nil)
	if err != nil {
		return nil, fmt.Errorf("client: GET %s: %w", r.Path, err)
	}
	req.Header = t.header.Clone()
	req.Header.Set("Accept", cmp.Or(r.Accept, jsonMediaType))
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	resp, err := t.roundTrip(req, nil)
	if err != nil {
		return nil, fmt.Errorf("client: GET %s: %w", r.Path, err)
	}
	defer discard(resp.Body)
	if resp.StatusCode == http.StatusNotModified && r.ETag != "" {
		return &Document{NotModified: true, ETag: r.ETag}, nil
	}
	body, err := read(resp, min(t.maxBody, maxDocument))
	if errors.Is(err, schema.ErrLimit) && t.maxBody > maxDocument {
		err = errDocuments
	}
	if err != nil {
		return nil, fmt.Errorf("client: GET %s: %w", r.Path, err)
	}
	return &Document{Bytes: body, MediaType: resp.Header.Get("Content-Type"), ETag: resp.Header.Get("ETag")}, nil
}

// failed adds the request to an error, unless the error comes from the server.
func (t *Transport) failed(r *Request, err error) error {
	if _, ok := errors.AsType[*metav1.StatusError](err); ok {
		return err
	}
	return fmt.Errorf("client: %s %s: %w", r.Verb, r.Path(), err)
}

// send sends a request over HTTP, and returns the response if its code is a success.
func (t *Transport) send(ctx context.Context, r *Request) (*http.Response, error) {
	method := methods[r.Verb]
	if method == "" {
		return nil, fmt.Errorf("client: unknown verb %q", r.Verb)
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	values, err := t.values(r)
	if err != nil {
		return nil, t.failed(r, err)
	}
	body, contentType, err := t.body(r)
	if err != nil {
		return nil, t.failed(r, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, t.url(r.Path(), values.Encode()), nil)
	if err != nil {
		return nil, t.failed(r, err)
	}
	req.Header = t.header.Clone()
	req.Header.Set("Accept", t.accept(r))
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := t.roundTrip(req, body)
	if err != nil {
		return nil, t.failed(r, err)
	}
	return resp, nil
}

// url returns the URL of an escaped path.
func (t *Transport) url(path, rawQuery string) string {
	out := t.base.Scheme + "://" + t.base.Host + t.base.EscapedPath() + path
	if rawQuery != "" {
		out += "?" + rawQuery
	}
	return out
}

// values returns the query of a request.
func (t *Transport) values(r *Request) (url.Values, error) {
	out := url.Values{}
	for _, o := range []runtime.Object{r.options(), r.AsOptions} {
		if o == nil {
			continue
		}
		k, err := t.factory.Scheme().KindOf(o)
		if err != nil {
			return nil, err
		}
		values, err := t.query.Encode(o, k.GroupVersionKind())
		if err != nil {
			return nil, err
		}
		maps.Copy(out, values)
	}
	return out, nil
}

// body returns the body of a request and its content type.
func (t *Transport) body(r *Request) (body []byte, contentType string, err error) {
	switch {
	case r.Verb == "patch" && r.Patch.Object == nil:
		return r.Patch.Data, r.Patch.MediaType, nil
	case r.Verb == "patch":
		body, err = t.encode(r.Patch.Object, r, jsonMediaType)
		return body, r.Patch.MediaType, err
	case r.Body == nil:
		return nil, "", nil
	}
	if s, ok := r.Body.(*metav1.Scale); ok && r.Subresource == "scale" {
		sent := *s // in the group that all servers know
		sent.APIVersion, sent.Kind = "autoscaling/v1", "Scale"
		body, err = t.core.Append(nil, &sent, serializer.EncodeOptions{MediaType: jsonMediaType})
		return body, jsonMediaType, err
	}
	contentType = t.mediaType
	if r.Untyped || r.Verb == "delete" || r.Verb == "deletecollection" {
		contentType = jsonMediaType
	} else if k, err := t.factory.Scheme().KindOf(r.Body); err == nil && strings.Contains(contentType, "protobuf") &&
		!k.Info().Proto {
		contentType = jsonMediaType
	}
	body, err = t.encode(r.Body, r, contentType)
	return body, contentType, err
}

// encode encodes an object, in the version of the request if its group is that of the request. The
// body of an operation may be a kind that the group has in another version alone.
func (t *Transport) encode(obj runtime.Object, r *Request, mediaType string) ([]byte, error) {
	o := serializer.EncodeOptions{MediaType: mediaType}
	scheme, gv := t.factory.Scheme(), r.Resource.GroupVersion()
	if k, err := scheme.KindOf(obj); err == nil && k.GroupVersion().Group == gv.Group && !k.Info().Shared {
		_, there := scheme.Lookup(gv.WithKind(k.GroupVersionKind().Kind))
		if there || r.Subresource == "" {
			o.Version = gv
		}
	}
	return t.factory.Append(nil, obj, o)
}

// accept returns the Accept header of a request.
func (t *Transport) accept(r *Request) string {
	if r.Accept != "" {
		return r.Accept
	}
	var as string
	if !r.As.Empty() {
		as = ";g=" + r.As.Group + ";v=" + r.As.Version + ";as=" + r.As.Kind
	}
	if t.mediaType == jsonMediaType || r.Untyped {
		return jsonMediaType + as
	}
	stream := ""
	if r.Verb == "watch" && strings.Contains(t.mediaType, "protobuf") {
		stream = ";stream=watch"
	}
	return t.mediaType + as + stream + "," + jsonMediaType + as
}

// unknown returns the kind to use for a document whose kind the scheme of the factory lacks.
func (t *Transport) unknown(gvk schema.GroupVersionKind) *runtime.Kind {
	if k, ok := t.core.Scheme().Lookup(gvk); ok {
		return k
	}
	return unstructured.Kind(gvk)
}

// reading returns the factory and the options to decode responses.
func (t *Transport) reading(r *Request) (*serializer.Factory, serializer.DecodeOptions) {
	if r.Untyped && r.As.Empty() {
		return t.untyped, serializer.DecodeOptions{Unknown: unstructured.Kind}
	}
	o := serializer.DecodeOptions{Unknown: t.unknown}
	_, known := t.factory.Scheme().Lookup(r.Kind)
	if known && r.As.Empty() && r.Subresource == "" && r.Kind.GroupVersion() == r.Resource.GroupVersion() {
		o.Version = r.Resource.GroupVersion()
	}
	return t.factory, o
}

// decode decodes a response.
func (t *Transport) decode(body []byte, mediaType string, r *Request) (runtime.Object, error) {
	f, o := t.reading(r)
	o.MediaType = mediaType
	if r.Verb != "list" && r.Verb != "deletecollection" && r.As.Empty() {
		o.DefaultKind = r.Kind
	}
	obj, err := f.Decode(body, o)
	if err != nil {
		return nil, err
	}
	if u, ok := obj.(*unstructured.Object); ok && r.Verb == "list" &&
		(u.Has("items") || strings.HasSuffix(u.Kind(), "List")) { // anything else would be a list without items
		return u.List()
	}
	return obj, nil
}

// roundTrip sends a request, repeats it if the server asks for that, and returns the response if
// its code is a success, else its error.
func (t *Transport) roundTrip(req *http.Request, body []byte) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		if body != nil {
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		}
		resp, err := t.client.Do(req)
		if err != nil {
			if ue, ok := errors.AsType[*url.Error](err); ok {
				err = ue.Err // the caller adds the request
			}
			return nil, err
		}
		if resp.StatusCode >= 200 && resp.StatusCode < 300 ||
			resp.StatusCode == http.StatusNotModified && req.Header.Get("If-None-Match") != "" {
			return resp, nil
		}
		failure := t.failure(resp)
		wait, again := retryAfter(resp)
		if !again || attempt >= t.retries {
			return nil, failure
		}
		select {
		case <-time.After(wait):
		case <-req.Context().Done():
			return nil, errors.Join(context.Cause(req.Context()), failure)
		}
	}
}

// maxWait bounds the delay before a retry that a server can request, in seconds.
const maxWait = 30

// retryAfter reports whether the server asks for a retry, and after what delay.
func retryAfter(resp *http.Response) (time.Duration, bool) {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	text := resp.Header.Get("Retry-After")
	if date, err := http.ParseTime(text); err == nil {
		return min(max(time.Until(date), 0), maxWait*time.Second), true
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 {
		return 0, false
	}
	return time.Duration(min(seconds, maxWait)) * time.Second, true
}

// failure returns the error of a response: from its Status, or from its code if it has none.
func (t *Transport) failure(resp *http.Response) error {
	defer discard(resp.Body)
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxFailure))
	if len(body) == maxFailure {
		_ = resp.Body.Close() // the rest is not waited for
	}
	o := serializer.DecodeOptions{MediaType: resp.Header.Get("Content-Type"), Unknown: t.unknown}
	if obj, err := t.factory.Decode(body, o); err == nil {
		if status, ok := obj.(*metav1.Status); ok && status.Status != metav1.StatusSuccess {
			status.Code = cmp.Or(status.Code, int32(resp.StatusCode))
			return t.statusError(status)
		}
	}
	text := schema.Shorten(strings.TrimSpace(string(body)), 500)
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode < 400 {
		text = fmt.Sprintf("%s: the server redirects to %s, which is not followed; if that is its address, use it",
			http.StatusText(resp.StatusCode), schema.Quote(to))
	}
	e := metav1.Failure(reasonOf(resp.StatusCode), cmp.Or(text, http.StatusText(resp.StatusCode)))
	e.Status.Code = int32(resp.StatusCode)
	return e
}

// maxFailure bounds the bytes of a failure that are read, and maxMessage those of its message.
const (
	maxFailure = 1 << 20
	maxMessage = 16 << 10
)

// reasonOf returns the reason for a code that comes without a Status.
func reasonOf(code int) metav1.StatusReason {
	reasons := []metav1.StatusReason{
		metav1.StatusReasonUnauthorized, metav1.StatusReasonForbidden, metav1.StatusReasonNotFound,
		metav1.StatusReasonConflict, metav1.StatusReasonGone,
		metav1.StatusReasonInvalid, metav1.StatusReasonTimeout, metav1.StatusReasonTooManyRequests,
		metav1.StatusReasonBadRequest, metav1.StatusReasonMethodNotAllowed,
		metav1.StatusReasonNotAcceptable, metav1.StatusReasonRequestEntityTooLarge,
		metav1.StatusReasonUnsupportedMediaType, metav1.StatusReasonServiceUnavailable,
		metav1.StatusReasonInternalError,
	}
	if i := slices.IndexFunc(reasons, func(r metav1.StatusReason) bool { return int(r.Code()) == code }); i >= 0 {
		return reasons[i]
	}
	return metav1.StatusReasonUnknown
}

// statusError returns the error of a failure or an ERROR event.
func (t *Transport) statusError(obj runtime.Object) error {
	status := t.statusOf(obj)
	if status == nil {
		return metav1.InternalError(fmt.Errorf("the watch ended with a %s", describe(obj)))
	}
	status.Message = schema.Shorten(status.Message, maxMessage)
	status.Code = cmp.Or(status.Code, status.Reason.Code())
	return &metav1.StatusError{Status: *status}
}

// statusOf returns an object as a Status, nil if it is another kind.
func (t *Transport) statusOf(obj runtime.Object) *metav1.Status {
	if u, ok := obj.(*unstructured.Object); ok && u.Kind() == "Status" {
		if status, err := unstructured.To[metav1.Status](t.core.Scheme(), u); err == nil {
			return status
		}
	}
	status, _ := obj.(*metav1.Status)
	return status
}

// maxDocument bounds the bytes of a document, and of all those of one discovery together. 20,000
// resources take about 8 MiB.
const maxDocument = 64 << 20

var errDocuments = fmt.Errorf("documents of more than %d bytes are not read: %w", maxDocument, schema.ErrLimit)

// read reads the body of a response up to a limit.
func read(resp *http.Response, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, max(limit, limit+1))) // limit+1 may overflow
	if err == nil && int64(len(body)) > limit {
		_ = resp.Body.Close() // the rest is not waited for
		err = &schema.LimitError{Limit: "client.MaxBody", What: "the answer", Unit: "bytes", Max: int(limit)}
	}
	return body, err
}

// discard reads the rest of a body, so that its connection can be used again, and closes it.
func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	_ = body.Close()
}

// warnings returns the texts of the Warning headers: 299 - "text", 299 - "text" "date".
func warnings(h http.Header) []string {
	var out []string
	for _, line := range h.Values("Warning") {
		for {
			_, rest, ok := strings.Cut(line, `"`)
			text, rest, closed := quotedString(rest)
			if !ok || !closed {
				break
			}
			out = append(out, text)
			if date, ok := strings.CutPrefix(rest, ` "`); ok {
				_, rest, _ = quotedString(date)
			}
			line = rest
		}
	}
	return out
}

// quotedString reads a quoted-string of RFC 9110 behind its first quotation mark. It omits
// characters that do not print, which such a text must not have.
func quotedString(s string) (text, rest string, ok bool) {
	var b strings.Builder
	escaped := false
	for i, r := range s {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
			continue
		case r == '"':
			return b.String(), s[i+1:], true
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		}
	}
	return "", "", false
}
