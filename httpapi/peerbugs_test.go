package httpapi_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/serializer/format"
	jsonformat "github.com/askind/askind/serializer/json"
	"github.com/askind/askind/serializer/yaml"
)

// Each of these tests is named after a bug of k8s.io/apiserver v0.37.2, which was reproduced by
// running that version.

// chosen returns the Content-Type of a list of pods for the lines of an Accept header, or the
// status code of an error.
func chosen(t *testing.T, accept ...string) string {
	t.Helper()
	headers := []string{}
	for _, line := range accept {
		headers = append(headers, "Accept", line)
	}
	resp, body := ask(t, newCluster(t, httpapi.Settings{}).handler(), http.MethodGet, "/api/v1/pods", "", headers...)
	if resp.StatusCode != http.StatusOK {
		if object(t, body)["kind"] != "Status" {
			t.Errorf("no Status: %s", body)
		}
		return fmt.Sprint(resp.StatusCode)
	}
	return resp.Header.Get("Content-Type")
}

const tableType = "application/json;g=meta.k8s.io;v=v1;as=Table"

func TestBugWeightZeroIsAccepted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ accept, want string }{
		{"application/json;q=0", "406"},
		{"application/json;q=0, application/yaml", "application/yaml"},
		{"*/*, application/json;q=0.000", "application/yaml"},
		{"application/json;as=Table;q=0, application/json", "application/json"},
		{"*/*;q=0", "406"},
	} {
		if got := chosen(t, tt.accept); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.accept, got, tt.want)
		}
	}
}

func TestBugQuotedValuesKeepTheirQuotes(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{
		`application/json;as="Table";g="meta.k8s.io";v="v1"`,
		`application/json;as="T\able"`, `application/json;q="0.5";as=Table`,
	} {
		if got := chosen(t, accept); got != tableType {
			t.Errorf("%s: %s", accept, got)
		}
	}
	if got := chosen(
		t, `application/json;as="Table, application/yaml", application/yaml;q=0.1`,
	); got != "application/yaml" {
		t.Errorf("a comma in quotes: %s", got)
	}
}

func TestBugTabBeforeAParameterCorruptsItsName(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{
		"application/json;\tas=Table", "application/json\t;\tas=Table\t;\tv=v1",
		"\tapplication/json ; as=Table\t",
	} {
		if got := chosen(t, accept); got != tableType {
			t.Errorf("%q: %s", accept, got)
		}
	}
}

func TestBugMediaTypesAreCaseSensitive(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"Application/JSON;AS=Table": tableType, "APPLICATION/YAML": "application/yaml",
		"Text/CSV": "text/csv;g=meta.k8s.io;v=v1;as=Table", "application/JSON;Q=0, application/*": "application/yaml",
	} {
		if got := chosen(t, accept); got != want {
			t.Errorf("%s: %s, want %s", accept, got, want)
		}
	}
}

func TestBugSecondAcceptLineIsIgnored(t *testing.T) {
	t.Parallel()
	if got := chosen(t, "application/xml", "application/yaml;q=0.5", "application/json;as=Table"); got != tableType {
		t.Errorf("got %s", got)
	}
	if got := chosen(t, "application/json", "application/json;q=0"); got != "application/json" {
		t.Errorf("said twice: %s", got) // the first of two that are equally specific
	}
}

func TestBugFailedTransformInAWatchSendsTheObjectItself(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	srv := serve(t, c.handler())
	for _, accept := range []string{
		"application/json;as=ReplicaSet", "application/yaml;as=ReplicaSet",
		"application/vnd.kubernetes.protobuf;as=ReplicaSet",
	} {
		w := open(t, c.api.Factory(), srv.URL+
			"/api/v1/replicationcontrollers?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan", accept)
		e, err := w.Next()
		if err != nil || describe(e) != "ADDED v1 ReplicaSet old@13" {
			t.Errorf("%s: %s, %v", accept, describe(e), err)
		}
		if e, err = w.Next(); err != nil || e.Type != metav1.WatchError {
			t.Fatalf("%s: %s, %v", accept, describe(e), err)
		}
		s, ok := e.Object.(*metav1.Status)
		if !ok || s.Code != http.StatusInternalServerError || s.Kind != "Status" || s.APIVersion != "v1" ||
			!strings.HasPrefix(s.Message, "internal error; the reference in the log of the server is ") {
			t.Errorf("%s: %+v", accept, e.Object)
		}
		w.wantEnd(t)
	}
}

func TestBugIfNoneMatchTakesOneExactValue(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	resp, _ := ask(t, h, http.MethodGet, podPath, "")
	tag := resp.Header.Get("Etag")
	for _, value := range []string{tag, `"x", ` + tag, "W/" + tag, "*", `W/"x",` + tag + ` , "y"`} {
		if resp, _ := ask(t, h, http.MethodGet, podPath, "", "If-None-Match",
			value); resp.StatusCode != http.StatusNotModified {
			t.Errorf("%s: %s", value, resp.Status)
		}
	}
}

func TestBugOneStrongTagForAllFormats(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	inJSON, _ := ask(t, h, http.MethodGet, podPath, "", "Accept", "application/json")
	resp, body := ask(t, h, http.MethodGet, podPath, "", "Accept", "application/yaml", "If-None-Match",
		inJSON.Header.Get("Etag"))
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "kind: Pod") ||
		resp.Header.Get("Etag") == inJSON.Header.Get("Etag") {
		t.Errorf("%s %s\n%s", resp.Status, resp.Header, body)
	}
}

func TestBugWeightOfGzipDisablesIt(t *testing.T) {
	t.Parallel()
	srv := serve(t, podHandler(httpapi.New(newFactory(t), httpapi.Settings{Gzip: true}), 2000, false))
	for _, value := range []string{"gzip", "gzip;q=1", "gzip; q=1.0", "br;q=0.9, gzip;q=0.8", "gzip;q=0.125", "*"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", value)
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Content-Encoding"); got != "gzip" {
			t.Errorf("%s: %q", value, got)
			resp.Body.Close()
			continue
		}
		z, err := gzip.NewReader(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(z); err != nil || !strings.Contains(string(body), "pod-1999") {
			t.Errorf("%s: %d bytes, %v", value, len(body), err)
		}
		resp.Body.Close()
	}
}

func TestBugWrappedErrorsAreNotRecognized(t *testing.T) {
	t.Parallel()
	_, unregistered := newFactory(t).Scheme().KindOf(&struct{}{})
	if err := fmt.Errorf("server: %w", fmt.Errorf("store: %w", unregistered)); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("a wrapped error of the scheme is lost: %v", err)
	}
	for _, tt := range []struct {
		err  error
		code int
	}{
		{metav1.NotFound(pods, "a"), http.StatusNotFound},
		{metav1.AlreadyExists(pods, "a"), http.StatusConflict},
		{&metav1.PreconditionError{Field: "uid"}, http.StatusConflict},
		{&http.MaxBytesError{Limit: 1}, http.StatusRequestEntityTooLarge},
	} {
		for _, err := range []error{
			tt.err, fmt.Errorf("store: %w", tt.err),
			errors.Join(io.EOF, fmt.Errorf("a: %w", fmt.Errorf("b: %w", tt.err))),
		} {
			resp, body := ask(t, failing(t, httpapi.Settings{}, true, err), http.MethodGet, "/", "")
			if resp.StatusCode != tt.code || object(t, body)["code"] != float64(tt.code) {
				t.Errorf("%v: %s\n%s", err, resp.Status, body)
			}
		}
	}
}

func TestBugTargetsOfTransformsAreAFixedList(t *testing.T) {
	t.Parallel()
	// Only the package that registers the conversion knows that a replication controller can be
	// shown as a replica set.
	resp, body := ask(t, newCluster(t, httpapi.Settings{}).handler(), http.MethodGet,
		"/api/v1/namespaces/example/replicationcontrollers/old", "", "Accept",
		"application/json;as=ReplicaSet;g=extensions;v=v1beta1")
	if got := object(t, body); resp.StatusCode != http.StatusOK || got["kind"] != "ReplicaSet" ||
		got["apiVersion"] != "extensions/v1beta1" {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}

func TestBugOrderOfClausesContradictsItself(t *testing.T) {
	t.Parallel()
	// Weights take precedence over specificity, in any order.
	for _, tt := range []struct{ accept, want string }{
		{"*/*;q=0.9, application/yaml;q=0.1", "application/json"},
		{"application/yaml;q=0.1, */*;q=0.9", "application/json"},
		{"application/*;q=0.9, application/json;q=0.1, */*;q=0.5", "application/yaml"},
		{"application/json;q=0.1, */*;q=0.5, application/*;q=0.9", "application/yaml"},
	} {
		if got := chosen(t, tt.accept); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.accept, got, tt.want)
		}
	}
	// Clauses of the same weight keep their order.
	unknown := strings.Repeat("application/x, text/y;q=0.5, ", 10)
	for _, tt := range []struct{ accept, want string }{
		{unknown + "application/yaml, application/json, " + strings.TrimSuffix(unknown, ", "), "application/yaml"},
		{unknown + "application/json, application/yaml, " + strings.TrimSuffix(unknown, ", "), "application/json"},
	} {
		if got := chosen(t, tt.accept); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.accept, got, tt.want)
		}
	}
}

// TestBugNegotiationAllocatesForEachClause is not parallel because it counts allocations.
func TestBugNegotiationAllocatesForEachClause(t *testing.T) {
	f := newFactory(t)
	accept := []string{
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
	}
	e, err := f.Endpoint(serializer.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := e.Negotiate(accept); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a header that was seen before", n)
	}
}

// counting returns a format that counts the calls of its Encodes function, which a negotiation
// makes.
func counting(f *format.Format, asked *atomic.Int64) *format.Format {
	f.Encodes = func(*runtime.Kind) bool {
		asked.Add(1)
		return true
	}
	return f
}

func TestBugWatchesNegotiateTwice(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	f, err := serializer.NewFactory(newFactory(t).Scheme(), jsonformat.Format(), counting(yaml.Format(), &asked))
	if err != nil {
		t.Fatal(err)
	}
	api := httpapi.New(f, httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
		if err != nil {
			return err
		}
		return x.Watch(func(context.Context, httpapi.WatchStart) (*httpapi.Changes, error) {
			events := make(chan serializer.Event)
			close(events)
			return &httpapi.Changes{Events: events}, nil
		})
	})
	count := func(query string) int64 {
		before := asked.Load()
		// A new header is parsed in full.
		if resp, body := ask(t, h, http.MethodGet, "/?resourceVersion=5"+query, "", "Accept", "application/yaml, a/b"+
			query); resp.StatusCode != http.StatusOK {
			t.Errorf("%s\n%s", resp.Status, body)
		}
		return asked.Load() - before
	}
	if n := count("&watch=1"); n != 1 {
		t.Errorf("the format was asked %d times", n)
	}
}

func TestBugPrettyDependsOnTheUserAgent(t *testing.T) {
	t.Parallel()
	for _, compact := range []bool{false, true} {
		h := newCluster(t, httpapi.Settings{Compact: compact}).handler()
		_, want := ask(t, h, http.MethodGet, podPath, "", "Accept", "application/json")
		for _, agent := range []string{"curl/8.5.0", "Wget/1.21", "Mozilla/5.0 (X11)", "kubectl/v1.37"} {
			if _, got := ask(t, h, http.MethodGet, podPath, "", "Accept", "application/json", "User-Agent",
				agent); got != want {
				t.Errorf("%s gets %s", agent, got)
			}
		}
	}
}

func TestBugParametersAreAcceptedAndIgnored(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{
		"application/json;level=1", "application/json;sv=v9", "application/json;export=2",
		"application/json;stream=log", "application/json;profile=x", "application/json;pretty=yes",
	} {
		if got := chosen(t, accept); got != "406" {
			t.Errorf("%s: %s", accept, got)
		}
		if got := chosen(t, accept+", application/yaml;q=0.1"); got != "application/yaml" {
			t.Errorf("%s, or YAML: %s", accept, got)
		}
	}
	// The response states which parameters were applied.
	if got := chosen(
		t, "application/json;export=1;sv=v2;as=Table;v=v1;includeObject=None;pretty=1",
	); got != "application/json;g=meta.k8s.io;v=v1;as=Table;includeObject=None;sv=v2;export=1" {
		t.Errorf("got %s", got)
	}
}

func TestBugFailedTransformsDoNotFallToTheNextClause(t *testing.T) {
	t.Parallel()
	h := newCluster(t, httpapi.Settings{}).handler()
	for path, want := range map[string]string{
		"/api/v1/namespaces/example/replicationcontrollers/old":      "application/json;v=v1;as=ReplicaSet",
		"/api/v1/namespaces/example/replicationcontrollers/implicit": "application/yaml",
		"/api/v1/namespaces/example/replicationcontrollers":          "application/yaml",
	} {
		resp, body := ask(t, h, http.MethodGet, path, "", "Accept",
			"application/json;as=ReplicaSet, application/yaml;q=0.5")
		if got := resp.Header.Get("Content-Type"); got != want || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s %s\n%s", path, resp.Status, got, body)
		}
	}
	// A list can be requested with the kind of its items and the other way round.
	if got := chosen(
		t, "application/json;as=PartialObjectMetadata",
	); got != "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata" {
		t.Errorf("a list as PartialObjectMetadata: %s", got)
	}
}

func TestBugGzipDependsOnTheLengthOfTheFirstWrite(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 100, 1000} {
		var codings []string
		for _, items := range []bool{false, true} {
			srv := serve(t, podHandler(httpapi.New(newFactory(t), httpapi.Settings{Gzip: true, Compact: true}), n,
				items))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "gzip")
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			codings = append(codings, resp.Header.Get("Content-Encoding"))
		}
		if large := n == 1000; codings[0] != codings[1] || (codings[0] == "gzip") != large {
			t.Errorf("%d pods: %q", n, codings)
		}
	}
}

func TestBugNotAcceptableIsJSONForThoseWhoAskForProtobuf(t *testing.T) {
	t.Parallel()
	c := newCluster(t, httpapi.Settings{})
	resp, body := ask(t, c.handler(), http.MethodGet, "/api/v1/pods", "", "Accept",
		"application/vnd.kubernetes.protobuf;as=Table")
	obj, err := c.api.Factory().Decode([]byte(body),
		serializer.DecodeOptions{MediaType: resp.Header.Get("Content-Type")})
	if s, ok := obj.(*metav1.Status); err != nil || !ok ||
		resp.Header.Get("Content-Type") != "application/vnd.kubernetes.protobuf" ||
		s.Code != http.StatusNotAcceptable || !strings.Contains(s.Message, "as=Table") {
		t.Errorf("%s %s: %+v, %v", resp.Status, resp.Header.Get("Content-Type"), obj, err)
	}
}
