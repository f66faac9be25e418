package apiextensions_test

import (
	"bytes"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/askind/askind/client"
	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store/file"
)

// TestRestart starts a server again and follows the stored Groups from before: only that of a kind
// which the program has no more goes, once the server serves. Those of definitions stay, and so
// does one that lists a kind of the program beside that of a definition.
func TestRestart(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]server.Option{"alone": nil, "replicas": {server.Replicas()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "db")
			start := func(kinds []func(*runtime.Builder)) (*site, *file.Engine) {
				db, err := file.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				return newSiteOf(t, db, kinds, options...), db
			}
			jobs := ofProgram(t, "Job", "jobs")
			s, db := start(append(jobs, relics(t)))
			s.create(s.definition())
			s.established(cronTabsName)
			const other = "crontabs.other.example.com"
			s.create(s.definition("stable.example.com", "other.example.com"))
			s.established(other)
			before, version := groupsOf(s)
			if len(before) != 5 {
				t.Fatalf("got %v", before)
			}
			if err := errors.Join(s.Close(), db.Close()); err != nil {
				t.Fatal(err)
			}
			s, _ = start(jobs)
			if after, _ := groupsOf(s); !maps.Equal(after, before) {
				t.Errorf("before the first request: got %v, want %v", after, before)
			}
			s.ask("GET", cronTabsPath, "", http.StatusOK, "")
			var events []string
			for e, err := range client.Of[v1alpha1.Group](s.Client()).Watch(s.ctx, client.AtVersion(version)) {
				if err != nil {
					t.Fatal(err)
				}
				if events = append(events, e.Type+" "+e.Object.Name); len(events) == 2 {
					break
				}
				if err := s.definitions.Delete(s.ctx, other); err != nil { // after what the first request removes
					t.Fatal(err)
				}
			}
			if want := []string{"DELETED old.example.com", "DELETED other.example.com"}; !slices.Equal(events, want) {
				t.Errorf("got %q, want %q", events, want)
			}
			delete(before, "old.example.com")
			delete(before, "other.example.com")
			if after, _ := groupsOf(s); !maps.Equal(after, before) {
				t.Errorf("got %v, want %v", after, before)
			}
		})
	}
}

// TestReadOnly serves a file that is opened for reading: its definitions and objects are there,
// writes are refused with the cause, and that a Group is missing is logged once.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	seed := server.Seed(fstest.MapFS{"jobs.yaml": {Data: []byte(
		"{apiVersion: stable.example.com/v1, kind: Job, metadata: {name: hourly, namespace: default}}",
	)}})
	jobs := ofProgram(t, "Job", "jobs")
	db, err := file.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := newSiteOf(t, db, jobs, seed)
	s.create(s.definition())
	s.established(cronTabsName)
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusCreated, "")
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if db, err = file.Open(path, file.ReadOnly()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	var log bytes.Buffer
	s = newSiteOf(t, db, append(jobs, relics(t)), seed, server.Log(slog.New(slog.NewTextHandler(&log, nil))),
		server.Discovery(server.DiscoverySettings{Period: time.Millisecond}))
	s.ask("GET", cronTabsPath+"/hourly", "", http.StatusOK, "")
	s.ask("POST", cronTabsPath, cronTabObject, http.StatusConflict, "")
	for _, write := range [][2]string{
		{"POST", "/apis/old.example.com/v1/namespaces/default/relics"},
		{"PATCH", cronTabsPath + "/hourly"},
		{"DELETE", cronTabsPath + "/hourly"},
		{"DELETE", cronTabsPath},
		{"DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + cronTabsName},
	} {
		s.ask(write[0], write[1], `{"metadata":{"name":"hourly","labels":{"a":"b"}}}`, http.StatusMethodNotAllowed,
			"the storage is read-only")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "WARN"); n != 1 || !strings.Contains(log.String(), "old.example.com") {
		t.Errorf("%d warnings in\n%s", n, &log)
	}
}

// relics adds a kind of a group of its own.
func relics(t *testing.T) func(*runtime.Builder) {
	t.Helper()
	r, err := dynamic.New(dynamic.Definition{
		Group: "old.example.com", Kind: "Relic", Resource: "relics",
		Versions: []dynamic.Version{{Name: "v1", Storage: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.AddTo
}

// groupsOf returns the UIDs and resource versions of all Groups by their names, and the resource
// version of the list.
func groupsOf(s *site) (groups map[string][2]string, version string) {
	s.t.Helper()
	list, err := client.Of[v1alpha1.Group](s.Client()).List(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	groups = map[string][2]string{}
	for _, g := range list.Items {
		groups[g.Name] = [2]string{g.UID, g.ResourceVersion}
	}
	return groups, list.ResourceVersion
}
