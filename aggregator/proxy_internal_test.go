package aggregator

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/askind/askind/server/auth"
)

// TestNameUser checks that neither the credentials of a client nor its headers about users, in any
// case, reach the other server.
func TestNameUser(t *testing.T) {
	t.Parallel()
	h := http.Header{
		"Authorization": {"Bearer x"}, "X-Remote-User": {"root"}, "x-remote-group": {"system:masters"},
		"X-REMOTE-EXTRA-scopes": {"all"}, "X_Remote_User": {"root"}, "Impersonate-User": {"root"},
		"Impersonate_group": {"system:masters"}, "X-Remote-Uid": {"0"}, "Accept": {"application/json"},
	}
	nameUser(h, &auth.User{
		Name: "anna", Groups: []string{"web", "eu"},
		Extra: map[string][]string{"a/b c": {"1", "2"}, "urn:x=y@z+%": {"3"}},
	})
	want := http.Header{
		"Accept": {"application/json"}, "X-Remote-User": {"anna"}, "X-Remote-Group": {"web", "eu"},
		http.CanonicalHeaderKey("X-Remote-Extra-a%2Fb%20c"):             {"1", "2"},
		http.CanonicalHeaderKey("X-Remote-Extra-urn%3Ax%3Dy%40z%2B%25"): {"3"},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("got %v, want %v", h, want)
	}
	if h = (http.Header{}); true {
		nameUser(h, nil)
	}
	if h.Get("X-Remote-User") != auth.AnonymousName {
		t.Errorf("without a user: %v", h)
	}
}

// TestProxyLimits checks that watches and other requests have separate limits, and that finished
// ones no longer count.
func TestProxyLimits(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	b := &backend{
		aggregator: &Aggregator{}, requests: make(chan struct{}, 1), watches: make(chan struct{}, 1),
		proxy: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-leave }),
	}
	done := make(chan struct{})
	for _, target := range []string{"/", "/?watch=1"} {
		for range 2 { // the second one after the first has finished
			go func() {
				b.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", target, nil))
				done <- struct{}{}
			}()
			<-entered
			if long := target != "/"; len(b.watches) == 1 != long || len(b.requests) == 1 == long {
				t.Errorf("%s: %d requests and %d watches are counted", target, len(b.requests), len(b.watches))
			}
			leave <- struct{}{}
			<-done
		}
	}
	if len(b.requests)+len(b.watches) != 0 {
		t.Errorf("%d requests and %d watches are left", len(b.requests), len(b.watches))
	}
}

// TestLongRequests checks which requests count as watches.
func TestLongRequests(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"/apis/g/v1/cars": false, "/apis/g/v1/cars?watch=1": true, "/apis/g/v1/cars?watch=true": true,
		"/apis/g/v1/cars?watch=0": false, "/apis/g/v1/cars?watch=false": false, "/apis/g/v1/cars?watch=False": false,
		"/apis/g/v1/cars?other=1": false, "/apis/g/v1/cars?watch=f": true, "/apis/g/v1/cars?watch": true,
		"/apis/g/v1/cars?%77atch=1": true, "/apis/g/v1/cars?labelSelector=a%3Dwatch": false,
		"/apis/g/v1/cars/a/log": true, "/apis/g/v1/namespaces/n/cars/a/exec": true, "/apis/g/v1/cars/a/logs": false,
		"/api/v1/namespaces/n/pods/a/proxy/b/c": true, "/apis/g/v1/cars/log": false,
		"/apis/g/v1/namespaces/n/cars/log": false, "/apis/g/v1/cars/a/status/log": false,
	} {
		if got := isLong(httptest.NewRequest(http.MethodGet, url, nil)); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	if isLong(httptest.NewRequest(http.MethodPost, "/apis/g/v1/cars?watch=1", nil)) {
		t.Error("a write with the parameter watch counts as a watch")
	}
}
