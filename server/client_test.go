package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/examples/fleet/api/fleet/v1beta1"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
)

func TestClient(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx := t.Context()
	all := client.Of[inventoryv1.Site](s.Client())
	made, err := all.Create(ctx, &inventoryv1.Site{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Spec:       inventoryv1.SiteSpec{Address: "here"},
	})
	if err != nil || made.UID == "" || made.ResourceVersion == "" {
		t.Fatalf("create: %+v, %v", made, err)
	}
	if _, err := all.Create(
		ctx, &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: "b"}},
	); metav1.ReasonOf(err) != metav1.StatusReasonInvalid {
		t.Errorf("an object that is not valid: %v", err)
	}
	made.Spec.Address = "there"
	changed, err := all.Update(ctx, made)
	if err != nil || changed.Generation != 2 {
		t.Errorf("update: %+v, %v", changed, err)
	}
	if _, err := all.Update(ctx, made); !errors.Is(err, metav1.ErrConflict) &&
		metav1.ReasonOf(err) != metav1.StatusReasonConflict {
		t.Errorf("an update that is too late: %v", err)
	}
	if _, err := all.Patch(ctx, "a", client.MergePatch(`{"spec":{"address":"nowhere"}}`)); err != nil {
		t.Errorf("patch: %v", err)
	}
	list, err := all.List(ctx)
	if err != nil || len(list.Items) != 1 || list.Items[0].Spec.Address != "nowhere" || list.ResourceVersion == "" {
		t.Errorf("list: %+v, %v", list, err)
	}
	for event, err := range all.Watch(ctx) {
		if err != nil || event.Object.Name != "a" {
			t.Errorf("watch: %+v, %v", event, err)
		}
		break
	}
	if err := all.Delete(ctx, "a"); err != nil {
		t.Errorf("delete: %v", err)
	}
	if _, err := all.Get(ctx, "a"); metav1.ReasonOf(err) != metav1.StatusReasonNotFound {
		t.Errorf("what is gone: %v", err)
	}
}

func TestClientVersions(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	request(s, "POST", machines, machine(`"name":"a"`))
	old, err := client.Of[v1beta1.Machine](s.Client()).In("default").Get(t.Context(), "a")
	if err != nil || old.APIVersion != "fleet.example.com/v1beta1" {
		t.Fatalf("%+v, %v", old, err)
	}
	old.Labels = map[string]string{"by": "old"}
	if _, err := client.Of[v1beta1.Machine](s.Client()).In("default").Update(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	now, err := client.Of[v1.Machine](s.Client()).In("default").Get(t.Context(), "a")
	if err != nil || now.Labels["by"] != "old" {
		t.Errorf("%+v, %v", now, err)
	}
}

// TestClientStatus checks updates of the status in process: they change nothing else, and need the
// permission for the subresource.
func TestClientStatus(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{Name: "machines", Rules: []auth.Rule{{
			Verbs: []string{"update"}, Groups: []string{"fleet.example.com"}, Resources: []string{"machines"},
		}}}},
		Bindings: []auth.Binding{{Role: "machines", Users: []string{"anna"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.Authorize(policy), server.Authenticate(auth.Tokens(nil)))
	all := client.Of[v1.Machine](s.Client()).In("default")
	m := &v1.Machine{}
	if err := json.Unmarshal([]byte(machine(`"name":"a"`)), m); err != nil {
		t.Fatal(err)
	}
	made, err := all.Create(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	zone := made.Spec.Zone
	made.Spec.Zone, made.Status.Phase = "fra-2", v1.MachineRunning
	changed, err := all.UpdateStatus(t.Context(), made)
	if err != nil || changed.Status.Phase != v1.MachineRunning || changed.Spec.Zone != zone || changed.Generation != 1 {
		t.Errorf("got %+v, %v", changed, err)
	}
	if _, err := all.UpdateStatus(t.Context(), made); metav1.ReasonOf(err) != metav1.StatusReasonConflict {
		t.Errorf("an update that is too late: %v", err)
	}
	anna := client.Of[v1.Machine](s.ClientFor(&auth.User{Name: "anna"})).In("default")
	if _, err := anna.UpdateStatus(t.Context(), changed); metav1.ReasonOf(err) != metav1.StatusReasonForbidden {
		t.Errorf("without permission for the status: %v", err)
	}
	if _, err := anna.Update(t.Context(), changed); err != nil {
		t.Errorf("with permission for the object: %v", err)
	}
	site := &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	if _, err := client.Of[inventoryv1.Site](s.Client()).UpdateStatus(t.Context(), site); metav1.ReasonOf(err) !=
		metav1.StatusReasonNotFound {
		t.Errorf("a kind without status: %v", err)
	}
}

// TestClientScale reads and writes a size in process and over HTTP, with a scheme such as that of
// askind init, which does not have the Scale of autoscaling/v1.
func TestClientScale(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	scheme, err := runtime.NewScheme(v1.AddTo, metav1.AddTo)
	if err != nil {
		t.Fatal(err)
	}
	factory, err := serializer.NewFactory(scheme, server.Formats()...)
	if err != nil {
		t.Fatal(err)
	}
	over := func(mediaType string) *client.Client {
		tr, err := client.HTTP(h.URL, factory, client.MediaType(mediaType))
		if err != nil {
			t.Fatal(err)
		}
		return client.New(tr, scheme)
	}
	if w := request(s, "POST", pools, pool("a", 1)); w.Code != http.StatusCreated {
		t.Fatal(w.Code, w.Body)
	}
	size := int32(1)
	for name, c := range map[string]*client.Client{
		"in process": s.Client(), "JSON": over("application/json"), "YAML": over("application/yaml"),
		"CBOR": over("application/cbor"), "protobuf": over("application/vnd.kubernetes.protobuf"),
	} {
		r := client.Of[v1.MachinePool](c).In("default")
		scale, err := r.Scale(t.Context(), "a")
		if err != nil || scale.Spec.Replicas != size {
			t.Errorf("%s: %v %v", name, scale, err)
			continue
		}
		size++
		scale.Spec.Replicas = size
		if scale, err = r.UpdateScale(t.Context(), scale); err != nil || scale.Spec.Replicas != size {
			t.Errorf("%s: %v %v", name, scale, err)
		}
	}
}

func TestClientForUser(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.Authorize(policy), server.Authenticate(auth.Tokens(nil)))
	anna := client.Of[inventoryv1.Site](s.ClientFor(&auth.User{Name: "anna"}))
	if _, err := anna.List(t.Context()); metav1.ReasonOf(err) != metav1.StatusReasonForbidden {
		t.Errorf("straight: %v", err)
	}
	if err := anna.Delete(t.Context(), "a"); metav1.ReasonOf(err) != metav1.StatusReasonForbidden {
		t.Errorf("through the handler: %v", err)
	}
	if _, err := client.Of[inventoryv1.Site](s.Client()).List(t.Context()); err != nil {
		t.Errorf("the program: %v", err)
	}
}

// TestClientSelectsOneName checks that a rule with a name allows a list in process that selects
// that name, as it allows one over HTTP.
func TestClientSelectsOneName(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{Name: "one", Rules: []auth.Rule{{
			Verbs: []string{"list"}, Groups: []string{"*"}, Resources: []string{"sites"}, Names: []string{"a"},
		}}}},
		Bindings: []auth.Binding{{Role: "one", Users: []string{"anna"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.Authorize(policy), server.Authenticate(auth.Tokens(nil)))
	anna := client.Of[inventoryv1.Site](s.ClientFor(&auth.User{Name: "anna"}))
	if _, err := anna.List(t.Context(), client.Fields("metadata.name=a")); err != nil {
		t.Errorf("the one name: %v", err)
	}
	for _, fields := range []string{"", "metadata.name=b", "metadata.name!=a"} {
		_, err := anna.List(t.Context(), client.Fields(fields))
		if metav1.ReasonOf(err) != metav1.StatusReasonForbidden {
			t.Errorf("%q: %v", fields, err)
		}
	}
}

// TestClientAndPanics checks that a panic of a hook is an internal error in process too, which the
// log has with the method and the path that the request would have over HTTP.
func TestClientAndPanics(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	panics := false
	s := newServer(t, server.Log(slog.New(slog.NewTextHandler(&log, nil))),
		server.Admit(func(context.Context, *server.Request, runtime.Object, runtime.Object) error {
			if panics {
				panic("out of order")
			}
			return nil
		}))
	sites := client.Of[inventoryv1.Site](s.Client())
	site := &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: inventoryv1.SiteSpec{Address: "here"}}
	a, err := sites.Create(t.Context(), site)
	if err != nil {
		t.Fatal(err)
	}
	site.Name, panics = "b", true
	a.Spec.Address = "there"
	for _, tt := range []struct {
		logged string
		do     func() error
	}{
		{"method=POST path=/apis/inventory.example.com/v1/sites ", func() error { _, err := sites.Create(t.Context(), site); return err }},
		{"method=PUT path=/apis/inventory.example.com/v1/sites/a ", func() error { _, err := sites.Update(t.Context(), a); return err }},
	} {
		log.Reset()
		err := tt.do()
		if metav1.ReasonOf(err) != metav1.StatusReasonInternalError || strings.Contains(err.Error(), "order") {
			t.Errorf("got %v", err)
		}
		if !strings.Contains(log.String(), tt.logged) {
			t.Errorf("logged %s, want %s", &log, tt.logged)
		}
	}
}

// TestClientCannotWriteGroups checks that requests in process have the verbs of a resource and no
// others: the server alone writes its Groups.
func TestClientCannotWriteGroups(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	groups := client.Of[v1alpha1.Group](s.Client())
	g, err := groups.Get(t.Context(), "fleet.example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := groups.Update(t.Context(), g); metav1.ReasonOf(err) != metav1.StatusReasonMethodNotAllowed {
		t.Errorf("update: %v", err)
	}
	_, err = groups.Create(t.Context(), &v1alpha1.Group{ObjectMeta: metav1.ObjectMeta{Name: "x.example.com"}})
	if metav1.ReasonOf(err) != metav1.StatusReasonMethodNotAllowed {
		t.Errorf("create: %v", err)
	}
}

// TestClientCanceled checks that a canceled request in process fails with the error of its context,
// like one over a connection, whether it goes through the handler or not.
func TestClientCanceled(t *testing.T) {
	t.Parallel()
	sites := client.Of[inventoryv1.Site](newServer(t).Client())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := sites.Get(ctx, "a")
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "get /apis/inventory.example.com/v1/sites/a") {
		t.Errorf("straight: %v", err)
	}
	for range 1000 { // the handler may answer before the client looks
		if err := sites.Delete(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Fatalf("through the handler: %v", err)
		}
	}
}

// TestClientPagesOfThePast checks that all pages of a list show the version that the first one
// states, though only that may state it.
func TestClientPagesOfThePast(t *testing.T) {
	t.Parallel()
	sites := client.Of[inventoryv1.Site](newServer(t).Client())
	var versions []string
	for _, name := range []string{"a", "b", "c", "d"} {
		site := &inventoryv1.Site{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: inventoryv1.SiteSpec{Address: "x"}}
		made, err := sites.Create(t.Context(), site)
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, made.ResourceVersion)
	}
	got := ""
	for site, err := range sites.All(t.Context(), client.Limit(2), client.AtVersion(versions[2]), client.Exactly()) {
		if err != nil {
			t.Fatal(err)
		}
		got += site.Name
	}
	if got != "abc" {
		t.Errorf("got %q", got)
	}
}
