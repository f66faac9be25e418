package server_test

import (
	"net/http"
	"testing"
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
