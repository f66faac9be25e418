package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/memory"
)

// seedServer serves the fleet as the proposals describe it.
func seedServer(t *testing.T) *server.Server {
	t.Helper()
	s, err := runtime.NewScheme(v1.AddTo, v1beta1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.New()
	srv, err := server.New(s, db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = srv.Close()
		_ = db.Close()
	})
	return srv
}

// ask sends a request and returns the answer.
func ask(t *testing.T, h http.Handler, method, path, accept string) (int, http.Header, string) {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader("{}"))
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, w.Header(), string(body)
}

// TestSeedSemantics checks that Groups are served like any other resource.
func TestSeedSemantics(t *testing.T) {
	t.Parallel()
	s := seedServer(t)
	for _, c := range []struct {
		name, method, path, accept string
		code                       int
		want                       []string
	}{
		{
			"named like the group", "GET", groupsPath + "/fleet.example.com", "application/json", 200,
			[]string{`"name":"fleet.example.com"`, `"kind":"Group"`, `"status":{"versions":[{"name":"v1"`},
		},
		{
			"all versions and resources in one request", "GET", groupsPath, "application/json", 200,
			[]string{`"name":"v1beta1"`, `"name":"machines"`, `"name":"machinepools/scale"`},
		},
		{
			"its own group is included", "GET", groupsPath, "application/json", 200,
			[]string{`"name":"discovery.k8s.io"`},
		},
		{"a resourceVersion", "GET", groupsPath, "application/json", 200, []string{`"resourceVersion":"`}},
		{
			"protobuf", "GET", groupsPath, "application/vnd.kubernetes.protobuf", 200,
			[]string{"k8s\x00", "fleet.example.com"},
		},
		{"CBOR", "GET", groupsPath, "application/cbor", 200, []string{"fleet.example.com"}},
		{"YAML", "GET", groupsPath, "application/yaml", 200, []string{"kind: GroupList"}},
		{
			"a table", "GET", groupsPath, "application/json;as=Table;g=meta.k8s.io;v=v1", 200,
			[]string{`"name":"Preferred"`, `"fleet.example.com","v1","v1,v1beta1"`},
		},
		{
			"metadata alone", "GET", groupsPath, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 200,
			[]string{`"PartialObjectMetadata`},
		},
		{
			"selected by a field", "GET", groupsPath + "?fieldSelector=metadata.name%3Dfleet.example.com",
			"application/json", 200,
			[]string{"fleet.example.com"},
		},
		{"not created by clients", "POST", groupsPath, "application/json", 405, nil},
		{"not updated by clients", "PUT", groupsPath + "/fleet.example.com", "application/json", 405, nil},
		{"not deleted by clients", "DELETE", groupsPath + "/fleet.example.com", "application/json", 405, nil},
		{
			"read-only in discovery", "GET", "/apis/discovery.k8s.io/v1alpha1", "application/json", 200,
			[]string{`"namespaced":false`, `"verbs":["get","list","watch"]`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, _, body := ask(t, s, c.method, c.path,
				c.accept+map[bool]string{true: ";pretty=0"}[strings.Contains(c.accept, "json")])
			if code != c.code {
				t.Fatalf("got %d: %s", code, body)
			}
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("%q is missing in\n%s", want, body)
				}
			}
		})
	}
}

// TestSeedPaths checks the paths and documents of the proposal for API groups.
func TestSeedPaths(t *testing.T) {
	t.Parallel()
	s := seedServer(t)
	for path, want := range map[string]string{
		"/apis": `"groups":[`, "/apis/fleet.example.com": `"preferredVersion":{"groupVersion":"fleet.example.com/v1"`,
		"/apis/fleet.example.com/v1": `"kind":"APIResourceList"`,
	} {
		code, header, body := ask(t, s, "GET", path, "application/json;pretty=0")
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: got %d: %s", path, code, body)
		}
		if header.Get("ETag") == "" || header.Get("Vary") == "" {
			t.Errorf("%s: the headers are %v", path, header)
		}
	}
	code, _, body := ask(t, s, "GET", "/apis", "application/json;pretty=0;g=meta.k8s.io;v=v1;as=APIVersions")
	if code != 200 || !strings.Contains(body, `"apiVersions":["`) || !strings.Contains(body, `"versions":["`) {
		t.Errorf("got %d: %s", code, body)
	}
}

// TestSeedInstalling checks that installing and removing a group changes its Group in the same
// call, as one event, and that a client that waits for a kind sees it without delay.
func TestSeedInstalling(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := seedServer(t)
	c := s.Client()
	groups := client.Of[v1alpha1.Group](c)
	before, err := groups.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Mapper(client.MapperOptions{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = m.Run(ctx)
	}()
	site := schema.GroupKind{Group: inventoryv1.GroupVersion.Group, Kind: "Site"}
	if _, err := m.Wait(ctx, v1.GroupVersion.WithKind("Machine").GroupKind()); err != nil {
		t.Fatal(err)
	}
	known := make(chan time.Time, 1)
	go func() {
		if _, err := m.Wait(ctx, site); err == nil {
			known <- time.Now()
		}
	}()
	if err := s.Install(inventoryv1.AddTo); err != nil {
		t.Fatal(err)
	}
	installed := time.Now()
	if g, err := groups.Get(ctx, site.Group); err != nil || g.Status.Versions[0].Name != "v1" {
		t.Errorf("the Group is not there when Install returns: %v", err)
	}
	t.Logf("the client knew the kind %v after Install", (<-known).Sub(installed))
	if err := s.Remove(inventoryv1.GroupVersion); err != nil {
		t.Fatal(err)
	}
	if _, err := groups.Get(ctx, site.Group); metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
		t.Errorf("the Group is there when Remove returns: %v", err)
	}
	var events []string
	for e, err := range groups.Watch(ctx, client.AtVersion(before.ResourceVersion)) {
		if err != nil {
			t.Fatal(err)
		}
		if events = append(events, e.Type+" "+e.Object.Name); len(events) == 2 {
			break
		}
	}
	if want := []string{"ADDED " + site.Group, "DELETED " + site.Group}; !slices.Equal(events, want) {
		t.Errorf("got events %q, want %q", events, want)
	}
	cancel()
	<-done
}
