package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
)

// TestUnversioned checks what the proposal for API groups says of kinds that belong to no group:
// with the option they have a kind and no apiVersion, and a Status has one once the version is
// known.
func TestUnversioned(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Discovery(server.DiscoverySettings{Unversioned: true}),
		server.Disable(v1alpha1.GroupVersion))
	usual := newServer(t)
	for _, c := range []struct {
		path, accept, kind string
		unversioned, usual any // apiVersion
	}{
		{"/apis", "application/json", "APIGroupList", nil, "v1"},
		{"/apis/fleet.example.com", "application/json", "APIGroup", nil, "v1"},
		{"/apis/fleet.example.com/v1", "application/json", "APIResourceList", nil, "v1"},
		{"/api", "application/json", "APIVersions", nil, nil},
		{
			"/apis", "application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", "APIGroupDiscoveryList",
			"apidiscovery.k8s.io/v2", "apidiscovery.k8s.io/v2",
		},
		{"/apis/nothing.example.com/v1/things", "application/json", "Status", nil, "v1"},
		{"/apis/nothing.example.com/v1/things", "application/json;sv=v1", "Status", "meta.k8s.io/v1", "meta.k8s.io/v1"},
		{"/apis/fleet.example.com/v1/namespaces/a/machines/nothing", "application/json", "Status", "v1", "v1"},
	} {
		for _, of := range []struct {
			server http.Handler
			want   any
		}{{s, c.unversioned}, {usual, c.usual}} {
			w := request(of.server, "GET", c.path, "", "Accept: "+c.accept)
			var got map[string]any
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if got["kind"] != c.kind || got["apiVersion"] != of.want {
				t.Errorf("%s as %s: got %v %v, want %v %v", c.path, c.accept, got["apiVersion"], got["kind"], of.want, c.kind)
			}
		}
	}
	found, err := s.Client().Mapper(client.MapperOptions{}).ForKind(t.Context(),
		schema.GroupKind{Group: "fleet.example.com", Kind: "Machine"})
	if err != nil || found.Resource.Resource != "machines" {
		t.Errorf("a client finds %+v, %v", found, err)
	}
}
