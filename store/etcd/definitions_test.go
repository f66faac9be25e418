package etcd_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/apiextensions"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/etcd"
)

const (
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	boatsName       = "boats.harbor.example.com"
	boatsPath       = "/apis/harbor.example.com/v1/namespaces/default/boats"

	boatsDefinition = `{"metadata":{"name":"boats.harbor.example.com"},"spec":{"group":"harbor.example.com",
		"scope":"Namespaced","names":{"plural":"boats","kind":"Boat"},"versions":[{"name":"v1","served":true,
		"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
		"properties":{"crew":{"type":"integer","maximum":10,"default":1}}}}}}}]}}`
)

// definer is a server that shares an etcd and the definitions in it with others.
type definer struct {
	*server.Server
	engine *etcd.Engine
}

// startDefiner starts a server over a member of etcd.
func startDefiner(t *testing.T, m *member, name string) definer {
	t.Helper()
	scheme, err := runtime.NewScheme()
	if err != nil {
		t.Fatal(err)
	}
	db := dialFor(t, endpoints([]*member{m})[0], 5*time.Second)
	srv, err := server.New(scheme, db, server.Replicas(), server.Identity(name),
		server.Log(slog.New(slog.DiscardHandler)),
		server.Discovery(server.DiscoverySettings{Lease: 3 * time.Second}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	if err := apiextensions.Serve(t.Context(), srv); err != nil {
		t.Fatal(err)
	}
	return definer{srv, db}
}

// send sends a request and returns the code and the text of the answer.
func (d definer) send(method, path, body string) (int, string) {
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// want sends a request until it is answered as wanted.
func (d definer) want(t *testing.T, method, path, body string, code int, text string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		got, answer := d.send(method, path, body)
		if got == code && strings.Contains(answer, text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s %s: %d %s, want %d with %q", method, path, got, answer, code, text)
		}
	}
}

// TestDefinitionsOnReplicas defines a kind at one of three servers, uses it at the others, changes
// its schema, lets a server and its member of etcd die, and deletes the definition at another.
func TestDefinitionsOnReplicas(t *testing.T) {
	t.Parallel()
	members := startCluster(t, 3, nil)
	all := make([]definer, len(members))
	for i, m := range members {
		all[i] = startDefiner(t, m, fmt.Sprint("server-", i))
	}
	boat := func(name string, crew int) string {
		return fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"crew":%d}}`, name, crew)
	}
	all[0].want(t, "POST", definitionsPath, boatsDefinition, http.StatusCreated, "")
	for i, d := range all {
		d.want(t, "GET", boatsPath, "", http.StatusOK, "BoatList")
		d.want(t, "POST", boatsPath, fmt.Sprintf(`{"metadata":{"name":"b%d"},"spec":{}}`, i), http.StatusCreated, `"crew":1`)
	}
	for _, d := range all {
		for i := range all {
			d.want(t, "GET", fmt.Sprint(boatsPath, "/b", i), "", http.StatusOK, "")
		}
		d.want(t, "POST", boatsPath, boat("big", 11), http.StatusUnprocessableEntity, "spec.crew")
	}

	changed := strings.Replace(boatsDefinition, `"maximum":10`, `"maximum":20`, 1)
	all[1].want(t, "PATCH", definitionsPath+"/"+boatsName, changed, http.StatusOK, "")
	for i, d := range all {
		d.want(t, "POST", boatsPath, boat(fmt.Sprint("big", i), 11), http.StatusCreated, "")
	}

	// The engine goes first, so that the server cannot take its leave.
	if err := all[0].engine.Close(); err != nil {
		t.Fatal(err)
	}
	members[0].stop()
	_ = all[0].Close()
	all = all[1:]
	for _, d := range all {
		d.want(t, "GET", boatsPath+"/big0", "", http.StatusOK, `"crew":11`)
	}
	all[0].want(t, "DELETE", definitionsPath+"/"+boatsName, "", http.StatusOK, "")
	for _, d := range all {
		d.want(t, "GET", definitionsPath+"/"+boatsName, "", http.StatusNotFound, "")
		d.want(t, "GET", boatsPath, "", http.StatusNotFound, "")
	}
	page, err := all[0].engine.List(t.Context(), "harbor.example.com/", store.RangeOptions{})
	if err != nil || len(page.Items) > 0 {
		t.Errorf("%d objects remain, %v", len(page.Items), err)
	}

	members[0].restart()
	late := startDefiner(t, members[0], "server-0")
	late.want(t, "GET", boatsPath, "", http.StatusNotFound, "")
	late.want(t, "POST", definitionsPath, boatsDefinition, http.StatusCreated, "")
	for _, d := range append(all, late) {
		d.want(t, "GET", boatsPath, "", http.StatusOK, `"items":[]`)
	}
}
