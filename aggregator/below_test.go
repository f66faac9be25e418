package aggregator_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/aggregator/v1alpha1"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
)

// asked records what an authorizer has been asked.
type asked struct {
	mu   sync.Mutex
	last string
}

func (a *asked) authorize(_ context.Context, r *auth.Attributes) (auth.Decision, string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = strings.Join([]string{r.Verb, r.Namespace, r.Resource, r.Name, r.Subresource}, " ")
	return auth.Allow, "", nil
}

func (a *asked) take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := a.last
	a.last = ""
	return out
}

// TestBelowSubresources sends requests for paths below subresources through the front. The other
// server gets the path as it came, and the authorizer is asked about the subresource. Paths that
// other servers may resolve to something else than what has been authorized are refused.
func TestBelowSubresources(t *testing.T) {
	t.Parallel()
	echo := handler(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.RequestURI, "/v1/") || strings.HasPrefix(r.RequestURI, "/api/") {
			fmt.Fprint(w, r.RequestURI)
			return
		}
		answerLegacy(w, r, "", "")
	})
	authorizer := &asked{}
	f := newFront(t, map[string]http.RoundTripper{"wardle": echo},
		server.Authorize(auth.AuthorizerFunc(authorizer.authorize)))
	f.Set(service("w", "http://wardle", "wardle.example.com", "v1"), service("v1", "http://wardle", "", "v1"))
	const group, core = "/apis/wardle.example.com/v1/", "/api/v1/"
	for path, want := range map[string]string{
		"namespaces/n/flunders/a/proxy/b/c":             "get n flunders a proxy",
		"namespaces/n/flunders/a/proxy/":                "get n flunders a proxy",
		"namespaces/n/flunders/a/proxy//b//c/":          "get n flunders a proxy",
		"namespaces/n/flunders/a/proxy/b%2Fc%20d%25?e":  "get n flunders a proxy",
		"namespaces/n/flunders/a/proxy/1/2/3/4/5/6/7/8": "get n flunders a proxy",
		"flunders/a/custom/b/...":                       "get  flunders a custom",
		"flunders/a/proxy/watch?watch=1":                "get  flunders a proxy",
		"namespaces/n":                                  "get n namespaces n ",
		"namespaces/n/status":                           "get n namespaces n status",
		"namespaces/n/finalize/b":                       "get n namespaces n finalize",
		"namespaces/n/flunders":                         "list n flunders  ",
		"watch":                                         "list  watch  ",
		"watch/flunders":                                "",
		"watch/namespaces/n/flunders":                   "",
		"%77atch/flunders":                              "",
		"flunders/a/proxy/../../b":                      "",
		"flunders/a/proxy/%2e%2e/b":                     "",
		"flunders/a/proxy/..%2f..%2fb":                  "",
		"flunders/a/proxy/..%5Cb":                       "",
		"flunders/a/proxy/b/.":                          "",
		"flunders/a/proxy/b%00c":                        "",
		"flunders/a/%2f/b":                              "",
		"flunders/a//proxy/b":                           "",
		"flunders/%2f":                                  "",
		"namespaces/%2e%2e/flunders/a/proxy":            "",
	} {
		for _, root := range []string{group, core} {
			authorizer.take()
			code, _, body := f.do(t, "GET", root+path, "")
			got := authorizer.take()
			switch {
			case want == "" && (code != http.StatusNotFound || got != "get    "):
				t.Errorf("%s%s: %d %s; the authorizer was asked: %q", root, path, code, body, got)
			case want != "" && (code != http.StatusOK || body != root+path || got != want):
				t.Errorf("%s%s: %d %s; the authorizer was asked: %q, want %q", root, path, code, body, got, want)
			}
		}
	}
	// The resources of the front itself have no such paths.
	const site = "/apis/aggregation.askind.dev/v1alpha1/apiservices/a/status/b"
	if code, _, body := f.do(t, "GET", site, ""); code != http.StatusNotFound || !strings.Contains(body, "nothing at") {
		t.Errorf("%s: %d %s", site, code, body)
	}
}

// coreGroup answers like the core group of Kubernetes, with or without the aggregated document.
func coreGroup(aggregated bool) http.RoundTripper {
	return handler(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/api" && aggregated:
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			w.Header().Set("Etag", `"core"`)
			if r.Header.Get("If-None-Match") == `"core"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{},`+
				`"versions":[{"version":"v1","resources":[{"resource":"pods","scope":"Namespaced","verbs":["get","list"],`+
				`"responseKind":{"group":"","version":"","kind":"Pod"},"singularResource":"pod","shortNames":["po"]}]}]}]}`)
		case r.URL.Path == "/api":
			fmt.Fprint(w, `{"kind":"APIVersions","versions":["v1"]}`)
		case r.URL.Path == "/api/v1":
			fmt.Fprint(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod",`+
				`"namespaced":true,"kind":"Pod","verbs":["get","list"],"shortNames":["po"]}]}`)
		case r.URL.Path == "/api/v1/namespaces/n/pods":
			fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","user":%q}`, r.Header.Get("X-Remote-User"))
		case r.URL.Path == "/openapi/v3":
			fmt.Fprint(w, `{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=AB"}}}`)
		case r.URL.Path == "/openapi/v3/api/v1" && r.URL.Query().Get("hash") != "AB":
			http.Redirect(w, r, "/openapi/v3/api/v1?hash=AB", http.StatusMovedPermanently)
		case r.URL.Path == "/openapi/v3/api/v1":
			fmt.Fprint(w, `{"openapi":"3.0.0"}`)
		default:
			answerLegacy(w, r, "", "")
		}
	})
}

// TestCoreGroup registers the core group of another server at a front that has none.
func TestCoreGroup(t *testing.T) {
	t.Parallel()
	for _, aggregated := range []bool{true, false} {
		t.Run(fmt.Sprintf("aggregated=%t", aggregated), func(t *testing.T) {
			t.Parallel()
			f := newFront(t, map[string]http.RoundTripper{"kube": coreGroup(aggregated)})
			f.Set(service("v1", "http://kube", "", "v1"))
			f.waitFor(t, "v1", v1alpha1.ConditionAvailable, "True Answers")
			for path, want := range map[string]string{
				"/api":                         `"v1"`,
				"/api/v1":                      `"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod"`,
				"/api/v1/namespaces/n/pods":    `"user":"system:anonymous"`,
				"/apis":                        `"inventory.example.com"`,
				"/openapi/v3":                  `"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=AB"}`,
				"/openapi/v3/api/v1?hash=AB":   `"openapi"`,
				"/apis/discovery.k8s.io":       `"v1alpha1"`,
				"/":                            `"/api/v1"`,
				"/apis/inventory.example.com/": `"inventory.example.com/v1"`,
			} {
				code, _, body := f.do(t, "GET", path, "", "Accept", "application/json;pretty=0")
				if code != http.StatusOK || !strings.Contains(strings.ReplaceAll(body, `": `, `":`), want) {
					t.Errorf("%s: %d, there is no %s in %s", path, code, want, body)
				}
			}
			_, _, both := f.do(t, "GET", "/api", "", "Accept",
				"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;pretty=0")
			if !strings.Contains(both, `"resource":"pods"`) || !strings.Contains(both, `"Current"`) {
				t.Errorf("the aggregated document: %s", both)
			}
			eventually(t, "the Group of the core group is stored", func() bool {
				code, _, body := f.do(t, "GET", "/apis/discovery.k8s.io/v1alpha1/groups/core", "")
				return code == http.StatusOK && strings.Contains(body, "pods")
			})
			if code, header, body := f.do(t, "GET", "/openapi/v3/api/v1?hash=old", ""); code != http.StatusOK {
				t.Errorf("an old hash, which the server redirects: %d %v %s", code, header, body)
			}
			if code, _, body := f.do(t, "POST", "/apis/aggregation.askind.dev/v1alpha1/apiservices",
				`{"kind":"APIService","apiVersion":"aggregation.askind.dev/v1alpha1","metadata":{"name":"v1"},`+
					`"spec":{"group":"","version":"v1","url":"http://kube"}}`); code != http.StatusCreated {
				t.Errorf("the registration as an object: %d %s", code, body)
			}
			f.Set()
			if code, _, body := f.do(t, "GET", "/api/v1/namespaces/n/pods", ""); code != http.StatusNotFound {
				t.Errorf("after the registration: %d %s", code, body)
			}
		})
	}
}
