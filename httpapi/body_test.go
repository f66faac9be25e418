package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	extensions "github.com/askind/askind/internal/seedapi/extensions/v1beta1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer"
)

var podKind = corev1.GroupVersion.WithKind("Pod")

// reading answers with the name of the pod in the body.
func reading(t *testing.T, s httpapi.Settings, o serializer.DecodeOptions) http.Handler {
	t.Helper()
	s.Compact = true
	api := httpapi.New(newFactory(t), s)
	return api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: podKind})
		if err != nil {
			return err
		}
		obj, err := x.ReadBody(o)
		if err != nil {
			return err
		}
		if again, err := x.ReadBody(o); err != nil || again == nil {
			t.Errorf("the second time: %v, %v", again, err)
		}
		return x.Respond(http.StatusCreated, obj)
	})
}

const podJSON = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`

func TestReadBody(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	protobuf, err := f.Append(nil, pod("a"), serializer.EncodeOptions{MediaType: "application/vnd.kubernetes.protobuf"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, contentType, body string
		code                    int
		want                    string
	}{
		{"json", "application/json", podJSON, 201, `"name":"a"`},
		{"no header is json", "", podJSON, 201, `"name":"a"`},
		{"a blank header is json", " ", podJSON, 201, `"name":"a"`},
		{"json in spite of what it looks like", "", "kind: Pod\napiVersion: v1\n", 400, "line 1"},
		{"charset", "application/json; charset=UTF-8", podJSON, 201, `"name":"a"`},
		{"another charset", "application/json;charset=latin1", podJSON, 415, "the charset must be utf-8"},
		{"case", "Application/JSON", podJSON, 201, `"name":"a"`},
		{"yaml", "application/yaml", "kind: Pod\napiVersion: v1\nmetadata: {name: a}\n", 201, `"name":"a"`},
		{"protobuf", "application/vnd.kubernetes.protobuf", string(protobuf), 201, `"name":"a"`},
		{"unknown format", "application/xml", "<a/>", 415, "application/json, application/yaml"},
		{"a format that cannot be read", "text/csv", "a,b", 415, "can be written but not read"},
		{"malformed header", "json", podJSON, 415, "it is malformed"},
		{"wildcard", "application/*", podJSON, 415, "malformed"},
		{"an alias", "application/json+vnd.kubernetes.export", podJSON, 201, `"name":"a"`},
		{"parameters that say what it says", `application/json;g="";v=v1;as=Pod`, podJSON, 201, `"name":"a"`},
		{
			"parameters for what it does not say", "application/json;v=v1;as=Pod", `{"metadata":{"name":"a"}}`, 201,
			`"name":"a"`,
		},
		{
			"parameters against what it says", "application/json;v=v1;as=ReplicaSet", podJSON, 400,
			"states the kind v1, Kind=ReplicaSet, but the body is a v1, Kind=Pod",
		},
		{"parameter twice", "application/json;v=v1;v=v1", podJSON, 415, "malformed"},
		{"nothing", "application/json", "", 400, "there is no document"},
		{"white space", "application/json", " \n", 400, "there is no document"},
		{"two", "application/json", podJSON + podJSON, 400, "second document"},
		{"no kind", "application/json", `{"metadata":{}}`, 400, "kind is missing"},
		{"syntax", "application/json", `{"kind":"Pod","apiVersion":"v1",}`, 400, "line 1, column 33"},
		{"syntax in yaml", "application/yaml", "kind: Pod\napiVersion: v1\nmetadata: {\n", 400, "line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			headers := []string{}
			if tt.contentType != "" {
				headers = append(headers, "Content-Type", tt.contentType)
			}
			resp, body := ask(t, reading(t, httpapi.Settings{}, serializer.DecodeOptions{}), http.MethodPost, "/",
				tt.body, headers...)
			if resp.StatusCode != tt.code || !strings.Contains(strings.ReplaceAll(body, `\"`, `"`), tt.want) {
				t.Errorf("%s\n%s", resp.Status, body)
			}
		})
	}
	// Several Content-Type headers are an error.
	if resp, body := ask(t, reading(t, httpapi.Settings{}, serializer.DecodeOptions{}), http.MethodPost, "/", podJSON,
		"Content-Type", "application/json", "Content-Type",
		"application/yaml"); resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("two headers: %s\n%s", resp.Status, body)
	}
	for _, coding := range []string{"gzip", "br", "identity, gzip"} {
		if resp, body := ask(t, reading(t, httpapi.Settings{}, serializer.DecodeOptions{}), http.MethodPost, "/",
			podJSON, "Content-Encoding", coding); resp.StatusCode != http.StatusUnsupportedMediaType ||
			!strings.Contains(body, coding) {
			t.Errorf("%s: %s\n%s", coding, resp.Status, body)
		}
	}
	if resp, body := ask(t, reading(t, httpapi.Settings{}, serializer.DecodeOptions{}), http.MethodPost, "/", podJSON,
		"Content-Encoding", "identity"); resp.StatusCode != http.StatusCreated {
		t.Errorf("identity: %s\n%s", resp.Status, body)
	}
}

// TestFieldValidation checks how unknown fields are treated.
func TestFieldValidation(t *testing.T) {
	t.Parallel()
	const body = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spce":{},"spec":{"node\"Name":"x","nodeName":"a","nodeName":"b"}}`
	for _, tt := range []struct {
		query      string
		strictness serializer.Strictness
		code       int
		warnings   int
	}{
		{"", serializer.IgnoreProblems, 201, 3},
		{"", serializer.WarnAboutProblems, 201, 3},
		{"", serializer.FailOnProblems, 400, 0},
		{"?fieldValidation=Ignore", serializer.FailOnProblems, 201, 0},
		{"?fieldValidation=Warn", serializer.FailOnProblems, 201, 3},
		{"?fieldValidation=Strict", serializer.IgnoreProblems, 400, 0},
		{"?fieldValidation=strict", serializer.IgnoreProblems, 422, 0},
	} {
		warned := 0
		o := serializer.DecodeOptions{Strictness: tt.strictness, Warn: func(runtime.Problem) { warned++ }}
		resp, answer := ask(t, reading(t, httpapi.Settings{}, o), http.MethodPost, "/"+tt.query, body)
		warnings := resp.Header.Values("Warning")
		if tt.warnings > 0 { // the body is read twice
			warnings = warnings[:len(warnings)/2]
			warned /= 2
		}
		if resp.StatusCode != tt.code || len(warnings) != tt.warnings || warned != tt.warnings {
			t.Errorf("%+v: %s, %d warnings, %q\n%s", tt, resp.Status, warned, warnings, answer)
		}
		if tt.warnings > 0 && warnings[0] != `299 - "unknown field \"spce\" (line 1, column 57, did you mean \"spec\"?)"` {
			t.Errorf("%+v: %s", tt, warnings[0])
		}
	}
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, `,"unknown\n%d%s":1`, i, strings.Repeat("é", 200))
	}
	resp, _ := ask(t, reading(t, httpapi.Settings{}, serializer.DecodeOptions{}), http.MethodPost, "/",
		`{"kind":"Pod","apiVersion":"v1"`+many.String()+"}")
	size := 0
	for _, w := range resp.Header.Values("Warning") {
		if size += len(w); strings.ContainsAny(w, "\n\r") || len(w) > 300 {
			t.Errorf("the warning %q", w)
		}
	}
	if last := resp.Header.Values("Warning")[len(resp.Header.Values("Warning"))-1]; size > 12000 ||
		!strings.Contains(last, "more warnings are not shown") {
		t.Errorf("%d bytes of warnings, the last is %s", size, last)
	}
}

// TestBodyLimit checks that at most the limit is read.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	const limit = 100
	long := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + strings.Repeat("x", limit) + `"}}`
	h := reading(t, httpapi.Settings{MaxBody: limit}, serializer.DecodeOptions{})
	decoding := reading(t, httpapi.Settings{}, serializer.DecodeOptions{Limits: schema.Limits{Size: limit}})
	for name, c := range map[string]struct {
		http.Handler
		body io.Reader
	}{
		"of known length":        {h, strings.NewReader(long)},
		"of unknown length":      {h, io.MultiReader(strings.NewReader(long))},
		"larger than is decoded": {decoding, strings.NewReader(long)},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", c.body)
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		got := object(t, w.Body.String())
		if w.Code != http.StatusRequestEntityTooLarge || got["reason"] != "RequestEntityTooLarge" ||
			got["message"] != "the body of the request is larger than the limit of 100 bytes" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	// A body with a Content-Length above the limit is not read at all.
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", iotest.ErrReader(errTest))
	r.ContentLength = limit + 1
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge || w.Header().Get("Connection") != "close" {
		t.Errorf("refused by its length: %d %v %s", w.Code, w.Header(), w.Body)
	}
	if resp, body := ask(t, h, http.MethodPost, "/", podJSON); resp.StatusCode != http.StatusCreated {
		t.Errorf("a short one: %s\n%s", resp.Status, body)
	}
	// The default is 3 MiB, and a negative value means no limit.
	large := `{"kind":"Pod","apiVersion":"v1","metadata":{"annotations":{"a":"` + strings.Repeat("x", 3<<20) + `"}}}`
	if resp, _ := ask(t, reading(t, httpapi.Settings{}, serializer.DecodeOptions{}), http.MethodPost, "/",
		large); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("the default: %s", resp.Status)
	}
	if resp, _ := ask(t, reading(t, httpapi.Settings{MaxBody: -1}, serializer.DecodeOptions{}), http.MethodPost, "/",
		large); resp.StatusCode != http.StatusCreated {
		t.Errorf("no limit: %s", resp.Status)
	}
	// A client that disconnects gets no details of the error, but it is a client error.
	r = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.MultiReader(strings.NewReader("{"),
		iotest.ErrReader(errTest)))
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "cannot be read: something is broken") {
		t.Errorf("a broken body: %d %s", w.Code, w.Body)
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	r.Body = nil
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusBadRequest {
		t.Errorf("no body at all: %d", w.Code)
	}
}

// TestStatedLengthIsNotTrusted checks that no memory is taken for what a Content-Length announces.
func TestStatedLengthIsNotTrusted(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{MaxBody: -1})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{})
		if err != nil {
			return err
		}
		r.ContentLength = 1 << 62
		if body, err := x.Body(); err != nil || string(body) != "{}" {
			t.Errorf("%q, %v", body, err)
		}
		return nil
	})
	ask(t, h, http.MethodPost, "/", "{}")
}

// TestReadBodyAs reads bodies as Go types.
func TestReadBodyAs(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("ReplicaSet")})
		if err != nil {
			return err
		}
		rs, err := httpapi.ReadBody[corev1.ReplicaSet](x, serializer.DecodeOptions{Default: true})
		if err != nil {
			return err
		}
		return x.Respond(http.StatusOK, rs)
	})
	for _, tt := range []struct {
		name, contentType, body string
		code                    int
		want                    string
	}{
		{
			"itself", "application/json", `{"kind":"ReplicaSet","apiVersion":"v1","metadata":{"name":"a"}}`, 200,
			`"replicas": 1`,
		},
		{
			"its equivalent", "application/json",
			`{"kind":"ReplicaSet","apiVersion":"extensions/v1beta1","metadata":{"name":"a"},"spec":{"replicas":2}}`,
			200, `"replicas": 2`,
		},
		{"another", "application/json", podJSON, 400, "the body cannot be used here"},
	} {
		if resp, body := ask(t, h, http.MethodPut, "/", tt.body, "Content-Type",
			tt.contentType); resp.StatusCode != tt.code || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %s\n%s", tt.name, resp.Status, body)
		}
	}
	// If the header has parameters, the kind stated by the body is compared before conversion.
	o := serializer.DecodeOptions{Version: corev1.GroupVersion}
	for contentType, code := range map[string]int{
		"application/json;g=extensions;v=v1beta1;as=ReplicaSet": 201,
		"application/json;g=apps;v=v1;as=ReplicaSet":            400,
	} {
		h := replicaSets(t, o)
		if resp, body := ask(t, h, http.MethodPost, "/", `{"kind":"ReplicaSet","apiVersion":"extensions/v1beta1"}`,
			"Content-Type", contentType); resp.StatusCode != code {
			t.Errorf("%s: %s\n%s", contentType, resp.Status, body)
		}
	}
	if _, err := httpapi.ReadBody[extensions.ScaleSpec](begun(t, "/", ""), o); err == nil {
		t.Error("a type that is not registered is read")
	}
}

// TestReadBodyValidates checks that the rules of the version that bodies are converted to hold for
// every body, whatever its header states.
func TestReadBodyValidates(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t, func(b *runtime.Builder) {
		runtime.AddValidation(b, func(context.Context, *corev1.ReplicaSet) runtime.FieldErrors {
			return runtime.FieldErrors{runtime.Forbidden(schema.NewPath("spec"), "no replica sets today")}
		})
	}), httpapi.Settings{})
	for name, read := range map[string]func(x *httpapi.Exchange) error{
		"any": func(x *httpapi.Exchange) error {
			_, err := x.ReadBody(serializer.DecodeOptions{Version: corev1.GroupVersion, ValidateConverted: true})
			return err
		},
		"typed": func(x *httpapi.Exchange) error {
			_, err := httpapi.ReadBody[corev1.ReplicaSet](x, serializer.DecodeOptions{ValidateConverted: true})
			return err
		},
	} {
		h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("ReplicaSet")})
			if err != nil {
				return err
			}
			return read(x)
		})
		for _, contentType := range []string{
			"application/json", "application/json;g=extensions;v=v1beta1;as=ReplicaSet", "application/json;as=ReplicaSet",
		} {
			resp, body := ask(t, h, http.MethodPost, "/",
				`{"kind":"ReplicaSet","apiVersion":"extensions/v1beta1","metadata":{"name":"a"}}`, "Content-Type", contentType)
			if resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "no replica sets today") {
				t.Errorf("%s as %s: %s\n%s", name, contentType, resp.Status, body)
			}
		}
	}
}

// replicaSets answers with the replica set in the body.
func replicaSets(t *testing.T, o serializer.DecodeOptions) http.Handler {
	t.Helper()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	return api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("ReplicaSet")})
		if err != nil {
			return err
		}
		obj, err := x.ReadBody(o)
		if err != nil {
			return err
		}
		return x.Respond(http.StatusCreated, obj)
	})
}

// begun returns an exchange for a list of pods.
func begun(t *testing.T, url, body string) *httpapi.Exchange {
	t.Helper()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	x, err := api.Begin(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, url,
		bytes.NewReader([]byte(body))), httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestInvalidBody checks that validation errors are reported with the name of the object.
func TestInvalidBody(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{})
		if err != nil {
			return err
		}
		_, err = x.ReadBody(serializer.DecodeOptions{Validate: true})
		return err
	})
	resp, body := ask(t, h, http.MethodPost, "/",
		`{"kind":"ListOptions","apiVersion":"meta.k8s.io/v1","watch":true,"resourceVersionMatch":"Exact"}`)
	got := object(t, body)
	if resp.StatusCode != http.StatusUnprocessableEntity || got["reason"] != "Invalid" ||
		!strings.Contains(fmt.Sprint(got["message"]),
			`ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Unsupported value`) {
		t.Errorf("%s\n%s", resp.Status, body)
	}
	if resp, body := ask(t, h, http.MethodPost, "/", podJSON); resp.StatusCode != http.StatusOK {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}
