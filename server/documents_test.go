package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
)

// TestCoreWithoutResources checks that kubectl finds the kind List, which it looks for below
// /api/v1, and that this is all that is said about a core group: no Group object, no other version.
func TestCoreWithoutResources(t *testing.T) {
	t.Parallel()
	run(t, newServer(t), "/api", []step{
		{name: "versions", method: "GET", code: http.StatusOK, want: []string{`"versions":["v1"]`}},
		{
			name: "resources", method: "GET", path: "v1", code: http.StatusOK,
			want: []string{`"groupVersion":"v1","resources":[]`},
		},
		{name: "another version", method: "GET", path: "v2", code: http.StatusNotFound},
		{
			name: "no Group", method: "GET", path: "/apis/discovery.k8s.io/v1alpha1/groups/core",
			code: http.StatusNotFound,
		},
		{name: "no resource", method: "GET", path: "v1/namespaces/default/pods", code: http.StatusNotFound},
	})
}

// TestUnknownVersions checks that the error for a version that a group does not have names those
// that it has, to users who may see them.
func TestUnknownVersions(t *testing.T) {
	t.Parallel()
	core := plainKind(t, "", "pods", "Pod", "v1")
	hidden := auth.AuthorizerFunc(func(_ context.Context, a *auth.Attributes) (auth.Decision, string, error) {
		if a.Path == "/apis/inventory.example.com" {
			return auth.Deny, "", nil
		}
		return auth.Allow, "", nil
	})
	s := newServer(t, server.Authorize(hidden))
	if err := s.Install(core); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/apis/fleet.example.com/v9/namespaces/a/machines/b": "/apis/fleet.example.com lists v1, v1beta1, v1alpha1",
		"/apis/fleet.example.com/v9":                         "/apis/fleet.example.com lists v1, v1beta1, v1alpha1",
		"/api/v9/pods":                                       "/api lists v1",
		"/apis/inventory.example.com/v9":                     "/apis lists what is served",
		"/apis/nowhere.example.com/v1":                       "/apis lists what is served",
		"/apis/fleet.example.com/v1/machines/a/status/b":     "/apis lists what is served",
		"/nowhere": "/apis lists what is served",
	} {
		w := request(s, "GET", path, "")
		if message := fmt.Sprintf("there is nothing at %s; %s", path, want); w.Code != http.StatusNotFound ||
			!strings.Contains(w.Body.String(), strconv.Quote(message)) {
			t.Errorf("got %d %s, want %s", w.Code, w.Body, message)
		}
	}
}
