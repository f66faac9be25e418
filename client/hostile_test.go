package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery"
	"github.com/askind/askind/restmapper"
)

// TestHostileAnswers checks answers that are too large, that stall, or that do not fit the request.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	bomb := bytes.Repeat(zipped.Bytes(), 100) // the same MiB again and again
	const tooLarge = "the answer has more than 1048576 bytes; raise client.MaxBody to read it"
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		err   string
	}{
		"gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}, tooLarge},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write(make([]byte, 1<<16))
			}
		}, tooLarge},
		"stalled when it is too large": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(make([]byte, 1<<20+1))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, tooLarge},
		"a failure that stalls when it is too large": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write(bytes.Repeat([]byte("é"), 1<<19))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, strings.Repeat("é", 248) + "…"},
		"a long message": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"`+
				strings.Repeat("no ", 100_000)+`"}`)
		}, "no no no"},
		"not modified": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotModified)
		}, "Not Modified"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := serving(t, tt.serve, client.MaxBody(1<<20))
			_, err := client.Of[Car](c).List(ctx)
			if err == nil || !strings.Contains(err.Error(), tt.err) || len(err.Error()) > 20_000 || ctx.Err() != nil {
				t.Errorf("list: got %.1000v", err)
			}
			_, err = c.Backend().Document(ctx, &client.DocumentRequest{Path: "/apis"})
			if err == nil || !strings.Contains(err.Error(), tt.err) || len(err.Error()) > 20_000 || ctx.Err() != nil {
				t.Errorf("document: got %.1000v", err)
			}
		})
	}
}

// TestAnotherServer checks that the error says what is wrong with an address that leads to a login
// page or to a server that answers nothing.
func TestAnotherServer(t *testing.T) {
	t.Parallel()
	for contentType, body := range map[string]string{"text/html": "<p>Log in", "application/json": ""} {
		want := fmt.Sprintf("the answer, %d bytes of the type %q, is not a document of an API server; check the address",
			len(body), contentType)
		_, _, err := answers(t, http.StatusOK, contentType, body).Discover(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
	}
}

// TestUntypedList checks that the answer to a request for an untyped list must be a list. Another
// object was a list without items.
func TestUntypedList(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		noCars: "",
		`{"kind":"CarList","apiVersion":"cars.example.com/v1","metadata":{}}`: "",
		`{"kind":"Fleet","apiVersion":"cars.example.com/v1","items":[]}`:      "",
		`{"kind":"Status","apiVersion":"v1","status":"Success"}`:              "returned a v1 Status for the list of cars",
		carItem: "returned a cars.example.com/v1 Car for the list of cars",
		`{"kind":"CarList","apiVersion":"cars.example.com/v1","items":"none"}`: "expected an array",
	} {
		c := answers(t, http.StatusOK, "application/json", body)
		list, err := c.Untyped(restmapper.Mapping{Resource: carVersion.WithResource("cars")}).List(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v", body, list, err)
		}
	}
}

// TestLargestMaxBody checks that no limit at all is no limit of nothing.
func TestLargestMaxBody(t *testing.T) {
	t.Parallel()
	cars, _ := answering(t, http.StatusOK, strings.NewReader(carItem), "", client.MaxBody(math.MaxInt64))
	if _, err := cars.Get(t.Context(), "beetle"); err != nil {
		t.Error(err)
	}
}

// TestHostileWarnings checks how Warning headers are read, and that none has characters that do not
// print.
func TestHostileWarnings(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]string{
		`299 - "a \"b\" \\c"`: {`a "b" \c`},
		`299 - "first" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "second"`: {"first", "second"},
		`299 - "\x1b[31m\u009bred\n"`:                                   {"x1b[31mu009bredn"},
		"299 - \"\x1b[2J\u009b31m\u202eé\tü\"":                          {"[2J31méü"},
		`299 - "no end`:                                                 nil,
		`299 - "no end \"`:                                              nil,
		`299 - no quotes`:                                               nil,
		`299 - "one""two" "`:                                            {"one", "two"},
	} {
		rt := roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(noCars)), Request: r,
				Header: http.Header{"Content-Type": {"application/json"}, "Warning": {header}},
			}, nil
		})
		c := newServer(t).client(client.RoundTripper(rt))
		resp, err := c.Backend().Do(t.Context(), &client.Request{
			Verb: "list", Resource: carVersion.WithResource("cars"), Kind: carVersion.WithKind("Car"),
		})
		if err != nil || !slices.Equal(resp.Warnings, want) {
			t.Errorf("%q: got %q, %v", header, resp.Warnings, err)
		}
	}
}

// TestAddressWithCredentials checks that credentials and queries in an address, which would not be
// sent, are refused, and not shown.
func TestAddressWithCredentials(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"https://me:secret@example.com", "https://example.com?token=secret"} {
		if _, err := client.HTTP(address, newFactory(t)); err == nil || strings.Contains(err.Error(), "secret") ||
			!strings.Contains(err.Error(), "use client.Header or client.BearerToken") {
			t.Errorf("got %v", err)
		}
	}
}

// TestHostileDiscovery checks that the older documents of a server cannot lead a client to other
// paths, that one version has no resources of another, and that their number and size are bounded.
func TestHostileDiscovery(t *testing.T) {
	t.Parallel()
	list := func(gv string, padding int) string {
		return `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"` + gv + `","resources":[` +
			`{"name":"cars","singularName":"","namespaced":true,"kind":"Car","verbs":["get"]}]}` + strings.Repeat(" ", padding)
	}
	discover := func(versions []string, resources string) (
		asked []string, found discovery.Config, problems string, err error,
	) {
		var mu sync.Mutex
		c := serving(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked = append(asked, r.URL.Path)
			mu.Unlock()
			switch r.URL.Path {
			case "/api":
				_, _ = io.WriteString(w, `{"kind":"APIVersions","versions":["`+strings.Join(versions, `","`)+`"]}`)
			case "/apis", "/apis/discovery.k8s.io/v1alpha1/groups":
				w.WriteHeader(http.StatusNotFound)
			default:
				_, _ = io.WriteString(w, resources)
			}
		})
		found, failed, err := c.Discover(t.Context())
		for _, p := range failed {
			problems += p.Error() + "\n"
		}
		mu.Lock()
		defer mu.Unlock()
		return asked, found, problems, err
	}
	for version, want := range map[string]string{
		"../../admin": "more than one '/'",
		"..":          `the version ".." is not a valid path segment`,
		"g/..":        `the version ".." is not a valid path segment`,
		"":            "it is blank",
	} {
		asked, _, problems, err := discover([]string{version}, list(version, 0))
		if err != nil || len(asked) != 3 || !strings.Contains(problems, want) {
			t.Errorf("%q: %q, %v, %v", version, asked, problems, err)
		}
	}
	_, found, problems, err := discover([]string{"v1"}, list("cars.example.com/v1", 0))
	if err != nil || len(found.Resources) != 0 ||
		!strings.Contains(problems, `the document of v1 lists the resources of "cars.example.com/v1"`) {
		t.Errorf("got %+v, %v, %v", found, problems, err)
	}
	var resources strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&resources, `{"name":"r%d","kind":"R%d","singularName":"","namespaced":true,"verbs":[]},`, i, i)
	}
	_, _, _, err = discover([]string{"v1"}, strings.Replace(list("v1", 0), `[`, `[`+resources.String(), 1))
	if err == nil || !strings.Contains(err.Error(), "the server lists 100001 resources, more than 100000") {
		t.Errorf("got %v", err)
	}
	many := make([]string, 10_001)
	for i := range many {
		many[i] = fmt.Sprint("v", i)
	}
	if asked, _, _, err := discover(many, ""); err == nil || len(asked) != 2 ||
		!strings.Contains(err.Error(), "the server lists 10001 versions, more than 10000") {
		t.Errorf("%d requests: %v", len(asked), err)
	}
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[`+
			`{"metadata":{"name":"g"},"versions":[{"version":"v0"}`+
			strings.Repeat(`,{"version":"v1","freshness":"Stale"}`, 10_000)+`]}]}`)
	})
	if _, failed, err := c.Discover(t.Context()); len(failed) > 0 || err == nil ||
		!strings.Contains(err.Error(), "the server lists 10001 versions, more than 10000") {
		t.Errorf("%d problems, %v", len(failed), err)
	}
	if _, found, problems, err = discover([]string{"v1"}, list("v1", 20<<20)); len(found.Resources) != 1 || err != nil {
		t.Errorf("a document of 20 MiB: %+v, %v, %v", found, problems, err)
	}
	for _, versions := range [][]string{{"v1"}, {"v1", "v1", "v1", "v1"}} {
		_, found, problems, err = discover(versions, list("v1", 70<<20/len(versions)))
		if len(found.Resources) >= len(versions) ||
			!strings.Contains(problems, "documents of more than 67108864 bytes are not read") {
			t.Errorf("%d documents of 70 MiB together: %+v, %v, %v", len(versions), found, problems, err)
		}
	}
}
