package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/query"
)

var pods = schema.GroupResource{Resource: "pods"}

func TestStatusOf(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	_, refused := f.Negotiate([]string{"image/png"}, serializer.Offer{})
	_, unsupported := f.ForBody("image/png")
	_, undecodable := f.Decode(
		[]byte("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\n\"spce\":{},\"spec\":{\"nodeName\":1},\"spec\":{}}"),
		serializer.DecodeOptions{Strictness: serializer.FailOnProblems},
	)
	_, unknown := f.Decode([]byte(`{"kind":"Pot","apiVersion":"v1"}`))
	_, typeless := f.Decode([]byte(`{}`))
	_, parameter := query.New(f.Scheme()).Decode(url.Values{"limt": {"5"}}, query.DecodeOptions{
		Kind: metav1.GroupVersion.WithKind("ListOptions"), Strict: true,
	})
	invalid := runtime.FieldErrors{runtime.Required(schema.NewPath("spec", "nodeName"), "pods run somewhere")}
	for _, tt := range []struct {
		name   string
		err    error
		code   int32
		reason metav1.StatusReason
		text   string // in the message
		causes string
	}{
		{"a Status", metav1.NotFound(pods, "a"), 404, "NotFound", `pods "a" not found`, ""},
		{"not acceptable", refused, 406, "NotAcceptable", "application/yaml", ""},
		{"unsupported", unsupported, 415, "UnsupportedMediaType", "application/yaml", ""},
		{"too large", &http.MaxBytesError{Limit: 7}, 413, "RequestEntityTooLarge", "7 bytes", ""},
		{
			"undecodable", undecodable, 400, "BadRequest", `unknown field "spce" (line 2, column 1, did you mean "spec"?); line 2`,
			`spce FieldValueNotSupported line 2, column 1: unknown field "spce" (did you mean "spec"?); spec.nodeName FieldValueTypeInvalid line 2, column 30: expected string, found number; spec FieldValueDuplicate line 2, column 33: duplicate field "spec"`,
		},
		{
			"unknown parameter", parameter, 400, "BadRequest", `unknown parameter "limt" (did you mean "limit"?)`,
			`limt FieldValueNotSupported unknown parameter "limt" of ListOptions (did you mean "limit"?)`,
		},
		{"unknown kind", unknown, 400, "BadRequest", `Pot`, "kind FieldValueNotSupported *"},
		{
			"no kind", typeless, 400, "BadRequest", "kind is missing",
			"FieldValueRequired line 1, column 1: apiVersion is missing; FieldValueRequired line 1, column 1: kind is missing",
		},
		{
			"invalid", invalid, 422, "Invalid", "spec.nodeName: Required value: pods run somewhere",
			"spec.nodeName FieldValueRequired Required value: pods run somewhere",
		},
		{
			"conflict", &metav1.PreconditionError{Field: "uid", Want: "a", Got: "b"}, 409, "Conflict",
			`uid is "b", not "a"`, "",
		},
		{"deadline", context.DeadlineExceeded, 504, "Timeout", "took too long", ""},
		{"any other", errTest, 500, "InternalError", "internal error", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, err := range map[string]error{
				"bare": tt.err, "wrapped": fmt.Errorf("server: %w", tt.err), "twice": fmt.Errorf("a: %w",
					fmt.Errorf("b: %w", tt.err)), "joined": errors.Join(io.EOF, tt.err),
			} {
				s := httpapi.StatusOf(err)
				if s.Code != tt.code || s.Reason != tt.reason || !strings.Contains(s.Message, tt.text) ||
					s.Kind != "Status" || s.APIVersion != "v1" || s.Status != metav1.StatusFailure {
					t.Errorf("%s: %+v", name, s)
				}
			}
			var causes []string
			if d := httpapi.StatusOf(tt.err).Details; d != nil {
				for _, c := range d.Causes {
					causes = append(causes, strings.TrimPrefix(c.Field+" "+string(c.Type)+" "+c.Message, " "))
				}
			}
			want, begins := strings.CutSuffix(tt.causes, "*")
			if got := strings.Join(causes, "; "); got != want &&
				(!begins || !strings.HasPrefix(" "+got, " "+strings.TrimPrefix(want, " "))) {
				t.Errorf("the causes are %s\nwant %s", got, tt.causes)
			}
		})
	}
}

// failing serves an error, before or after it has begun an exchange.
func failing(t *testing.T, s httpapi.Settings, begin bool, err error) http.Handler {
	t.Helper()
	api := httpapi.New(newFactory(t), s)
	return api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		if begin {
			if _, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")}); err != nil {
				return err
			}
		}
		return err
	})
}

// TestErrors checks the representation of errors.
func TestErrors(t *testing.T) {
	t.Parallel()
	notFound := metav1.NotFound(pods, "a")
	const rest = `"metadata":{},"status":"Failure","message":"pods \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"pods"},"code":404}` + "\n"
	const v1, v2 = `{"kind":"Status","apiVersion":"v1",` +
		rest, `{"kind":"Status","apiVersion":"meta.k8s.io/v2","text":"pods \"a\" not found","code":404}` + "\n"
	for _, tt := range []struct {
		name, accept, query  string
		contentType, body    string // in an exchange
		before, beforeStatus string // before there is one, if it differs
	}{
		{name: "any", accept: "*/*", contentType: "application/json", body: v1},
		{name: "yaml", accept: "application/yaml", contentType: "application/yaml"},
		{
			name: "protobuf", accept: "application/vnd.kubernetes.protobuf",
			contentType: "application/vnd.kubernetes.protobuf",
		},
		{
			name: "never shown as another kind", accept: "application/json;as=Table;g=meta.k8s.io;v=v1",
			contentType: "application/json", body: v1,
		},
		{
			name: "never exported", accept: "application/json+vnd.kubernetes.export",
			contentType: "application/json", body: v1,
		},
		{
			name: "a format for tables only", accept: "text/csv", contentType: "application/json", body: v1,
			before: "application/json pretty",
		},
		{
			name:   "what was negotiated, not what was asked for first",
			accept: "application/yaml;as=Scale, application/json;q=0.5", contentType: "application/json", body: v1,
			before: "application/yaml",
		},
		{name: "version two", accept: "application/json;sv=v2", contentType: "application/json;sv=v2", body: v2},
		{
			name: "version one of the group", accept: "application/json;sv=v1", contentType: "application/json;sv=v1",
			body: strings.Replace(v1, `"v1"`, `"meta.k8s.io/v1"`, 1),
		},
		{
			name: "version two, of a table", accept: "application/json;as=Table;sv=v2",
			contentType: "application/json;sv=v2", body: v2,
		},
		{
			name: "a version that is not there is omitted", accept: "application/yaml;sv=v7, application/json",
			contentType: "application/json", body: v1,
		},
		{
			name: "pretty", accept: "application/json;pretty=1", contentType: "application/json pretty",
			before: "application/json pretty",
		},
		{
			name: "pretty by the query", accept: "application/json", query: "?pretty=1",
			contentType: "application/json pretty", before: "application/json",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, begin := range []bool{true, false} {
				resp, body := ask(t, failing(t, httpapi.Settings{Compact: true}, begin,
					fmt.Errorf("store: %w", notFound)), http.MethodGet, "/"+tt.query, "", "Accept", tt.accept)
				contentType := resp.Header.Get("Content-Type")
				if strings.HasPrefix(body, "{\n") {
					contentType += " pretty"
				}
				want := tt.contentType
				if !begin && tt.before != "" {
					want = tt.before
				}
				if resp.StatusCode != http.StatusNotFound || contentType != want ||
					resp.Header.Get("Vary") != "Accept" || resp.Header.Get("Content-Length") != fmt.Sprint(len(body)) {
					t.Errorf("%s %s, want %s\n%s", resp.Status, resp.Header, want, body)
				}
				if contentType == tt.contentType && tt.body != "" && body != tt.body {
					t.Errorf("got  %s\nwant %s", body, tt.body)
				}
			}
		})
	}
}

// TestUnversionedStatus checks the opt-in rule of the proposal for API groups: an error that occurs
// before a version can be determined states no version.
func TestUnversionedStatus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		unversioned, begin bool
		accept             string
		want               any
	}{
		{false, false, "*/*", "v1"},
		{false, true, "*/*", "v1"},
		{true, false, "*/*", nil},
		{true, false, "application/json;as=Table", nil},
		{true, true, "*/*", "v1"},
		{true, false, "application/json;sv=v1", "meta.k8s.io/v1"}, // the client has chosen
		{true, false, "application/json;sv=v2", "meta.k8s.io/v2"},
		{true, true, "image/png", "v1"}, // the endpoint is known, and so is its version
		{true, false, "image/png", nil},
	} {
		_, body := ask(t, failing(t, httpapi.Settings{UnversionedStatus: tt.unversioned}, tt.begin, errTest),
			http.MethodGet, "/", "", "Accept", tt.accept)
		if got := object(t, body); got["apiVersion"] != tt.want || got["kind"] != "Status" {
			t.Errorf("%+v: %s", tt, body)
		}
	}
}

// TestNotAcceptable checks that the response lists the alternatives in a form that the client can
// read.
func TestNotAcceptable(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{Compact: true}).handler()
	for _, tt := range []struct{ accept, contentType string }{
		{"image/png", "application/json"},
		{"application/json;as=Nothing", "application/json"},
		{"application/yaml;as=Nothing", "application/yaml"},
		{"application/vnd.kubernetes.protobuf;as=Table", "application/vnd.kubernetes.protobuf"},
		{"text/csv;as=Scale", "application/json"},
		{"application/json;q=0", "application/json"},
		{"application/json;as=Nothing;sv=v2", "application/json;sv=v2"},
	} {
		resp, body := ask(t, h, http.MethodGet, "/api/v1/pods", "", "Accept", tt.accept)
		if resp.StatusCode != http.StatusNotAcceptable || resp.Header.Get("Content-Type") != tt.contentType {
			t.Errorf("%s: %s %s\n%s", tt.accept, resp.Status, resp.Header.Get("Content-Type"), body)
		}
		for _, offered := range []string{
			"application/json", "application/yaml", "g=meta.k8s.io;v=v1;as=Table",
			"as=PartialObjectMetadata", "text/csv",
		} {
			if !strings.Contains(body, offered) {
				t.Errorf("%s: %s is not listed in\n%s", tt.accept, offered, body)
			}
		}
		if tt.contentType == "application/json" && !strings.HasPrefix(body, "{\n  \"kind\": \"Status\",\n") {
			t.Errorf("%s: not for people: %s", tt.accept, body)
		}
	}
}

// TestErrorHeaders checks the headers of errors.
func TestErrorHeaders(t *testing.T) {
	t.Parallel()
	var logged []error
	s := httpapi.Settings{Log: func(_ *http.Request, err error) { logged = append(logged, err) }}
	resp, _ := ask(t, failing(t, s, false, metav1.TooManyRequests("slowly", 7)), http.MethodGet, "/", "")
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "7" || logged != nil {
		t.Errorf("%s %s, %v", resp.Status, resp.Header, logged)
	}
	resp, _ = ask(t, failing(t, s, true, errTest), http.MethodGet, "/", "")
	if resp.StatusCode != http.StatusInternalServerError || len(logged) != 1 || !errors.Is(logged[0], errTest) {
		t.Errorf("%s, %v", resp.Status, logged)
	}
	// A Status from elsewhere may have a code that cannot be sent.
	for _, code := range []int32{0, 42, 200, 302, 700, -1} {
		e := metav1.BadRequest("x")
		e.Status.Code = code
		if resp, _ := ask(t, failing(t, httpapi.Settings{}, false, e), http.MethodGet, "/",
			""); resp.StatusCode != http.StatusInternalServerError {
			t.Errorf("%d: %s", code, resp.Status)
		}
	}
	// Headers of the replaced response are gone; others remain.
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Etag", "x")
		w.Header().Set("Allow", "GET")
		return metav1.MethodNotAllowed(pods, "update")
	})
	if resp, _ := ask(t, h, http.MethodPut, "/", ""); resp.Header.Get("Etag") != "" ||
		resp.Header.Get("Allow") != "GET" {
		t.Errorf("%s", resp.Header)
	}
}

// TestBrokenOff checks that a response that fails halfway is never mistaken for a complete one.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	var logged []error
	api := httpapi.New(newFactory(t),
		httpapi.Settings{Log: func(_ *http.Request, err error) { logged = append(logged, err) }})
	srv := serve(t, api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
		if err != nil {
			return err
		}
		n := 5
		if r.URL.Query().Has("many") {
			n = 5000
		}
		return x.RespondItems(http.StatusOK, &corev1.PodList{}, func(yield func(runtime.Object, error) bool) {
			for range n {
				if !yield(pod("x"), nil) {
					return
				}
			}
			yield(nil, errTest)
		})
	}))
	// Little has been written, so the error can still be reported.
	if resp, body := fetch(t, srv.URL+"/", "application/json"); resp.StatusCode != http.StatusInternalServerError ||
		!strings.Contains(body, "internal error; the reference") {
		t.Errorf("%s\n%s", resp.Status, body)
	} else if strings.Contains(body, "something is broken") {
		t.Errorf("%s\n%s", resp.Status, body)
	}
	logged = nil
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/?many", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil {
		t.Errorf("%s with %d bytes, and no error", resp.Status, len(body))
	}
	if len(logged) != 1 || !errors.Is(logged[0], errTest) {
		t.Errorf("logged: %v", logged)
	}
}

// TestErrorWithoutHandler answers with an error of code that runs before any handler, such as
// authentication.
func TestErrorWithoutHandler(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header["Accept"] = []string{"application/xml", "application/yaml;as=Table"}
	api.Error(w, r, metav1.Failure(metav1.StatusReasonUnauthorized, "who are you?"))
	if w.Code != http.StatusUnauthorized || w.Header().Get("Content-Type") != "application/yaml" ||
		w.Header().Get("Vary") != "Accept" || !strings.Contains(w.Body.String(), "who are you?") {
		t.Errorf("%d %s %s", w.Code, w.Header(), w.Body)
	}
}

// TestHeaderOfTheAnswer checks that headers that were set before are kept.
func TestHeaderOfTheAnswer(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{Gzip: true})
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Cookie, accept")
	c.handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/pods", nil))
	if got := strings.Join(w.Header().Values("Vary"), "; "); got != "Cookie, accept; Accept-Encoding" {
		t.Errorf("Vary: %s", got)
	}
}
