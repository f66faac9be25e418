package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/httpapi"
	corev1 "github.com/askind/askind/internal/seedapi/core/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
)

// podList returns a list of n pods.
func podList(n int) *corev1.PodList {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for i := range n {
		list.Items = append(list.Items, *pod(fmt.Sprint("pod-", i)))
	}
	return list
}

// podHandler answers with pods in every supported way: ?n= sets their number, ?items sends them one
// by one.
func podHandler(api *httpapi.API, n int, items bool) http.Handler {
	list := podList(n)
	return api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("PodList")})
		if err != nil {
			return err
		}
		if !items {
			return x.Respond(http.StatusOK, list)
		}
		head := &corev1.PodList{ListMeta: list.ListMeta}
		return x.RespondItems(http.StatusOK, head, func(yield func(runtime.Object, error) bool) {
			for i := range list.Items {
				if !yield(&list.Items[i], nil) {
					return
				}
			}
		})
	})
}

// TestStatusOfSuccess checks that a Status which answers a request for another kind is described as
// what it is, and written by another format if the negotiated one has tables alone.
func TestStatusOfSuccess(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind("Pod")})
		if err != nil {
			return err
		}
		return x.Respond(http.StatusOK, metav1.Success())
	})
	for accept, want := range map[string]string{
		"application/json": "application/json",
		"application/json;as=Table;g=meta.k8s.io;v=v1":                 "application/json",
		"application/yaml;as=PartialObjectMetadata":                    "application/yaml",
		"application/json;sv=v1;as=PartialObjectMetadata":              "application/json;sv=v1",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata": "application/vnd.kubernetes.protobuf",
		"application/json+vnd.kubernetes.export":                       "application/json",
		"text/csv":                                                     "application/json",
		"text/csv;as=Table;g=meta.k8s.io;v=v1, text/plain":             "application/json",
	} {
		resp, body := ask(t, h, http.MethodDelete, "/api/v1/pods/a", "", "Accept", accept)
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != want {
			t.Errorf("Accept %s: %d, Content-Type %q, want %q\n%s", accept, resp.StatusCode, got, want, body)
		}
	}
}

// TestLists checks that lists have the same bytes in every way of sending them, and a
// Content-Length if they are short.
func TestLists(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, accept := range []string{
		"application/json", "application/json;pretty=0", "application/yaml", "application/vnd.kubernetes.protobuf",
		"text/csv", "application/json;as=Table;pretty=0",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata", "application/json+vnd.kubernetes.export",
	} {
		for _, n := range []int{0, 1, 3, 2000} {
			rep, err := f.Negotiate([]string{accept}, serializer.Offer{
				Kind:   corev1.GroupVersion.WithKind("PodList"),
				Pretty: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, items := range []bool{false, true} {
				// The clock must be that of the API, for ages.
				api := httpapi.New(f, httpapi.Settings{Now: clock})
				want, err := rep.With(scopeAt(clock())).Append(nil, podList(n))
				if err != nil {
					t.Fatal(err)
				}
				srv := serve(t, podHandler(api, n, items))
				resp, body := fetch(t, srv.URL, accept)
				if body != string(want) || resp.Header.Get("Content-Type") != rep.ContentType() {
					t.Errorf("%s, %d pods, items %t: %s, %d bytes, want %d", accept, n, items, resp.Header,
						len(body), len(want))
				}
				if known := resp.ContentLength >= 0; known != (len(want) <= 64<<10) {
					t.Errorf("%s, %d pods, items %t: %d bytes have the length %d", accept, n, items, len(want),
						resp.ContentLength)
				}
			}
		}
	}
}

// TestHead checks that HEAD returns the headers of GET, without a body.
func TestHead(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 3, 2000} {
		for _, zip := range []bool{false, true} {
			api := httpapi.New(newFactory(t), httpapi.Settings{Now: clock, Gzip: zip})
			srv := serve(t, podHandler(api, n, false))
			_, body := fetch(t, srv.URL, "application/json")
			for _, encoding := range []string{"identity", "gzip"} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, srv.URL, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Accept", "application/json")
				r.Header.Set("Accept-Encoding", encoding)
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				coded := zip && encoding == "gzip" && len(body) > 32<<10
				if resp.StatusCode != http.StatusOK || !coded && resp.ContentLength != int64(len(body)) ||
					(resp.Header.Get("Content-Encoding") == "gzip") != coded {
					t.Errorf("%d pods, gzip %t, %s: %s with %d bytes, want %d; %s", n, zip, encoding, resp.Status,
						resp.ContentLength, len(body), resp.Header)
				}
			}
		}
	}
}

// TestGzip checks that responses are compressed if the client accepts it and the size is
// sufficient.
func TestGzip(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	for _, tt := range []struct {
		n        int
		gzip     bool
		accept   string
		encoding string
	}{
		{2000, true, "gzip", "gzip"},
		{2000, false, "gzip", ""},
		{3, true, "gzip", ""},
		{2000, true, "", ""},
		{2000, true, "gzip;q=1", "gzip"},
		{2000, true, "deflate, GZIP ; q=0.5", "gzip"},
		{2000, true, "br, *", "gzip"},
		{2000, true, "gzip;q=0", ""},
		{2000, true, "*;q=0", ""},
		{2000, true, "identity, gzip;q=0.5", ""},
		{2000, true, "identity;q=0.5, gzip", "gzip"},
	} {
		for _, items := range []bool{false, true} {
			srv := serve(t, podHandler(httpapi.New(f, httpapi.Settings{Gzip: tt.gzip, Now: clock}), tt.n, items))
			_, want := fetch(t, srv.URL, "application/json")
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header["Accept-Encoding"] = []string{tt.accept}
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Header.Get("Content-Encoding"); got != tt.encoding {
				t.Errorf("%+v: the coding is %q", tt, got)
				continue
			}
			if tt.encoding == "gzip" {
				z, err := gzip.NewReader(bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				compressed := len(body)
				if body, err = io.ReadAll(z); err != nil || compressed > len(body)/3 {
					t.Errorf("%+v: %d bytes of %d, %v", tt, compressed, len(body), err)
				}
			}
			if string(body) != want {
				t.Errorf("%+v: %d bytes, want %d", tt, len(body), len(want))
			}
			if vary := strings.Join(resp.Header.Values("Vary"), ", "); tt.gzip != (vary == "Accept, Accept-Encoding") {
				t.Errorf("%+v: Vary is %s", tt, vary)
			}
		}
	}
}

// TestRespondFallsBack checks that clauses that cannot be satisfied for an object are skipped, and
// which error is returned if none remains.
func TestRespondFallsBack(t *testing.T) {
	t.Parallel()
	f := newFactory(t)
	api := httpapi.New(f, httpapi.Settings{Compact: true})
	good := &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "good"},
		Spec:       corev1.ReplicationControllerSpec{Selector: map[string]string{"a": "b"}},
	}
	bad := &corev1.ReplicationController{ObjectMeta: metav1.ObjectMeta{Name: "bad"}}
	for _, tt := range []struct {
		name, accept string
		obj          runtime.Object
		code         int
		contentType  string
		want         string
	}{
		{
			"good", "application/json;as=ReplicaSet", good, 200, "application/json;v=v1;as=ReplicaSet",
			`"kind":"ReplicaSet"`,
		},
		{
			"bad, to the next", "application/json;as=ReplicaSet, application/json;as=PartialObjectMetadata", bad, 200,
			"application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata", `"name":"bad"`,
		},
		{"bad, by weight", "application/json;q=0.1, application/json;as=ReplicaSet, application/yaml;as=ReplicaSet;q=0.9, application/yaml;q=0.2", bad, 200, "application/yaml", "name: bad"},
		{"bad, to any", "application/json;as=ReplicaSet, */*;q=0.1", bad, 200, "application/json", `"name":"bad"`},
		{
			"bad, to nothing", "application/json;as=ReplicaSet", bad, 406, "application/json",
			"the replication controller has none",
		},
		{
			"bad, to what is excluded", "application/json;as=ReplicaSet, */*;q=0", bad, 406, "application/json",
			"the object could not be converted to it",
		},
		{
			"bad as another group's", "application/json;g=extensions;as=ReplicaSet, application/yaml", bad, 200,
			"application/yaml", "name: bad",
		},
		{"another kind altogether", "application/json", podList(0), 500, "application/json", "internal error"},
		{"no object", "application/json", &struct{}{}, 500, "application/json", "internal error"},
		{
			"a Status in its place", "application/json;as=ReplicaSet", metav1.Success(), 200,
			"application/json", `"status":"Success"`,
		},
		{"cached", "application/json", serializer.NewCached(good), 200, "application/json", `"name":"good"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
				return api.Respond(w, r, corev1.GroupVersion.WithKind("ReplicationController"), tt.obj)
			})
			resp, body := ask(t, h, http.MethodGet, "/", "", "Accept", tt.accept)
			if resp.StatusCode != tt.code || resp.Header.Get("Content-Type") != tt.contentType ||
				!strings.Contains(body, tt.want) {
				t.Errorf("%s %s\n%s", resp.Status, resp.Header.Get("Content-Type"), body)
			}
		})
	}
}

// TestNoOtherRepresentationOnceSent checks that no other clause of the Accept header is tried when
// a part of the response has been sent.
func TestNoOtherRepresentationOnceSent(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{10: 2, 100 << 10: 1} {
		api := httpapi.New(newFactory(t), httpapi.Settings{Log: func(*http.Request, error) {}})
		calls := 0
		h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			x, err := api.Begin(w, r, httpapi.Offer{Kind: podKind})
			if err != nil {
				return err
			}
			return x.RespondWith(http.StatusOK, func(_ *serializer.Representation, w io.Writer) error {
				calls++
				if _, err := w.Write(make([]byte, size)); err != nil {
					return err
				}
				return &runtime.ConvertError{Err: errors.New("it cannot be shown")}
			})
		})
		func() {
			defer func() { _ = recover() }() // the connection is aborted
			ask(t, h, http.MethodGet, "/", "", "Accept", "application/json;as=Table, application/json")
		}()
		if calls != want {
			t.Errorf("after %d bytes, %d representations were tried, want %d", size, calls, want)
		}
	}
}

// TestTagsOfSuccess checks that only a response with code 200 gets an entity tag: another one, such
// as that to a creation, is not what the next request for the object would get.
func TestTagsOfSuccess(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	for code, want := range map[int]bool{http.StatusOK: true, http.StatusCreated: false, http.StatusAccepted: false} {
		h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			x, err := api.Begin(w, r, httpapi.Offer{Kind: podKind})
			if err != nil || x.NotModified("7") {
				return err
			}
			return x.Respond(code, pod("a"))
		})
		if resp, _ := ask(t, h, http.MethodGet, "/", ""); (resp.Header.Get("Etag") != "") != want {
			t.Errorf("%d: the tag is %q", code, resp.Header.Get("Etag"))
		}
	}
}

// TestGather checks that a response is sent from where its parts are only if nothing else has to be
// done with it, and that it is the same response otherwise.
func TestGather(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("x"), 100<<10)
	for _, tt := range []struct {
		name, method, coding string
		before, after        []byte
		want                 bool
	}{
		{"a large response", http.MethodGet, "identity", nil, large, true},
		{"a short one", http.MethodGet, "identity", nil, large[:64<<10], false},
		{"one that has begun", http.MethodGet, "identity", []byte("begun"), large, false},
		{"one that is being sent", http.MethodGet, "identity", large, large, false},
		{"a compressed one", http.MethodGet, "gzip", nil, large, false},
		{"the head of one", http.MethodHead, "identity", nil, large, false},
	} {
		api := httpapi.New(newFactory(t), httpapi.Settings{Gzip: true})
		h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			x, err := api.Begin(w, r, httpapi.Offer{Kind: podKind})
			if err != nil {
				return err
			}
			return x.RespondWith(http.StatusOK, func(_ *serializer.Representation, w io.Writer) error {
				if _, err := w.Write(tt.before); err != nil {
					return err
				}
				send := w.(interface {
					Gather(length int64) func([][]byte) error
				}).Gather(int64(len(tt.after)))
				if (send != nil) != tt.want {
					t.Errorf("%s: the parts are sent from where they are: %v", tt.name, send != nil)
				}
				if send != nil {
					return send([][]byte{tt.after[:10], tt.after[10:]})
				}
				_, err := w.Write(tt.after)
				return err
			})
		})
		resp, got := ask(t, h, tt.method, "/", "", "Accept-Encoding", tt.coding)
		want := string(tt.before) + string(tt.after)
		if tt.method == http.MethodHead {
			want = ""
		}
		if length := resp.Header.Get("Content-Length"); tt.coding != "gzip" && got != want ||
			length != "" && want != "" && length != strconv.Itoa(len(want)) {
			t.Errorf("%s: got %d bytes with the Content-Length %q, want %d", tt.name, len(got), length, len(want))
		}
	}
}

// TestOrderThatCannotBe checks that sorting by an unknown column is an error and does not fall back
// to another representation.
func TestOrderThatCannotBe(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	for _, items := range []bool{false, true} {
		for _, accept := range []string{"application/json;as=Table", "text/csv, application/json"} {
			resp, body := ask(t, podHandler(api, 2, items), http.MethodGet, "/pods?sortBy=Nmae", "", "Accept", accept)
			if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `did you mean \"Name\"?`) {
				t.Errorf("%s, item by item %t: %s %s", accept, items, resp.Status, body)
			}
		}
	}
}

// TestBeginErrors tests errors that are caused by the server rather than the request.
func TestBeginErrors(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	for name, e := range map[string]httpapi.Offer{
		"unknown kind": {Kind: corev1.GroupVersion.WithKind("Pot")},
		"unknown options": {
			Kind:    corev1.GroupVersion.WithKind("Pod"),
			Options: metav1.GroupVersion.WithKind("PodOptions"),
		},
		"unknown media type": {Kind: corev1.GroupVersion.WithKind("Pod"), MediaTypes: []string{"text/html"}},
	} {
		h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			_, err := api.Begin(w, r, e)
			return err
		})
		if resp, body := ask(t, h, http.MethodGet, "/", ""); resp.StatusCode != http.StatusInternalServerError ||
			object(t, body)["kind"] != "Status" {
			t.Errorf("%s: %s\n%s", name, resp.Status, body)
		}
	}
}

// TestEndpoint checks that media types and profiles of one endpoint are not on offer at another.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := api.Begin(w, r, httpapi.Offer{
			Kind:       corev1.GroupVersion.WithKind("Pod"),
			MediaTypes: []string{"application/yaml"}, Profiles: []string{"nopeer"},
		})
		if err != nil {
			return err
		}
		x.Header().Set("X-Profile", x.Representation().Profile()+"/"+x.Verb()+"/"+x.Request().Method)
		return x.Respond(http.StatusCreated, pod("a"))
	})
	resp, _ := ask(t, h, http.MethodPost, "/", "", "Accept", "application/json;q=1, */*;profile=nopeer;q=0.5")
	if resp.StatusCode != http.StatusCreated || resp.Header.Get("Content-Type") != "application/yaml;profile=nopeer" ||
		resp.Header.Get("X-Profile") != "nopeer/create/POST" {
		t.Errorf("%s %s", resp.Status, resp.Header)
	}
	if resp, body := ask(t, h, http.MethodGet, "/", "", "Accept",
		"application/json"); resp.StatusCode != http.StatusNotAcceptable ||
		resp.Header.Get("Content-Type") != "application/json" && resp.Header.Get("Content-Type") != "application/yaml" {
		t.Errorf("%s %s\n%s", resp.Status, resp.Header, body)
	}
}

// TestEndpointKeepsItsOffer checks that an endpoint does not change with the slices of its offer.
func TestEndpointKeepsItsOffer(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	offer := httpapi.Offer{Kind: podKind, MediaTypes: []string{"application/yaml"}, Profiles: []string{"nopeer"}}
	e, err := api.Endpoint(offer)
	if err != nil {
		t.Fatal(err)
	}
	offer.MediaTypes[0], offer.Profiles[0] = "application/json", "other"
	h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
		x, err := e.Begin(w, r)
		if err != nil {
			return err
		}
		return x.Respond(http.StatusOK, pod("a"))
	})
	for _, query := range []string{"", "?pretty=0", "?export=1"} {
		resp, body := ask(t, h, http.MethodGet, "/"+query, "", "Accept", "*/*;profile=nopeer")
		if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/yaml;") {
			t.Errorf("%q: %s, %s\n%s", query, resp.Status, got, body)
		}
	}
}

// TestVerbs checks the verb of each method.
func TestVerbs(t *testing.T) {
	t.Parallel()
	api := httpapi.New(newFactory(t), httpapi.Settings{})
	for _, tt := range []struct{ method, kind, query, want string }{
		{"GET", "Pod", "", "get"},
		{"HEAD", "Pod", "", "get"},
		{"GET", "PodList", "", "list"},
		{"HEAD", "PodList", "", "list"},
		{"GET", "PodList", "?watch=true", "watch"},
		{"GET", "PodList", "?watch=false", "list"},
		{"GET", "Pod", "?watch=true", "get"},
		{"POST", "Pod", "", "create"},
		{"PUT", "Pod", "", "update"},
		{"PATCH", "Pod", "", "patch"},
		{"DELETE", "Pod", "", "delete"},
		{"DELETE", "PodList", "?watch=true", "deletecollection"},
		{"OPTIONS", "Pod", "", "options"},
	} {
		h := api.Handler(func(w http.ResponseWriter, r *http.Request) error {
			x, err := api.Begin(w, r, httpapi.Offer{Kind: corev1.GroupVersion.WithKind(tt.kind)})
			if err == nil && x.Verb() != tt.want {
				err = errors.New(x.Verb())
			}
			return err
		})
		if resp, body := ask(t, h, tt.method, "/"+tt.query, ""); resp.StatusCode != http.StatusOK {
			t.Errorf("%+v: %s", tt, body)
		}
	}
}

// TestSmallScheme serves a kind from a scheme that has no other kinds: no options, no Status.
func TestSmallScheme(t *testing.T) {
	t.Parallel()
	h := oldServer(t)
	if resp, body := ask(t, h, http.MethodGet, "/?limit=5&pretty=0&watch=1", ""); resp.StatusCode != http.StatusOK ||
		!strings.HasPrefix(body, `{"kind":"NamespaceList",`) {
		t.Errorf("%s\n%s", resp.Status, body)
	}
	if resp, body := ask(t, h, http.MethodGet, "/", "", "Accept",
		"image/png"); resp.StatusCode != http.StatusNotAcceptable || object(t, body)["apiVersion"] != "v1" {
		t.Errorf("%s\n%s", resp.Status, body)
	}
}

// scopeAt returns the scope options for ages at a given time.
func scopeAt(now time.Time) conversion.ScopeOptions { return conversion.ScopeOptions{Now: now} }
