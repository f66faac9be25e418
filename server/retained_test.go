package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer"
	"github.com/askind/askind/server"
)

// served are the parts of what a server serves at one time by which the rest would be kept.
type served struct {
	factory weak.Pointer[serializer.Factory]
	scheme  weak.Pointer[runtime.Scheme]
	kind    weak.Pointer[runtime.Kind] // all kinds of a scheme are one allocation
}

func servedBy(s *server.Server) served {
	var out served
	out.factory, out.scheme = weak.Make(s.Factory()), weak.Make(s.Scheme())
	for k := range s.Scheme().Kinds() {
		out.kind = weak.Make(k)
		break
	}
	return out
}

func (s served) gone() bool {
	return s.factory.Value() == nil && s.scheme.Value() == nil && s.kind.Value() == nil
}

// TestInstallationsKeepNoSchemes checks that a server that has installed and removed kinds one by
// one, and has served their objects meanwhile, has only the latest scheme in memory.
func TestInstallationsKeepNoSchemes(t *testing.T) {
	t.Parallel()
	s, boat := withBoats(t)
	const kinds = 8
	var all []served
	for i := range kinds {
		all = append(all, servedBy(s))
		switch i {
		case 3:
			if err := s.ReplaceKind(boat); err != nil {
				t.Fatal(err)
			}
		case 5:
			if err := s.RemoveKinds(installDuck(t, s, 100).GroupKind()); err != nil {
				t.Fatal(err)
			}
		}
		duck := installDuck(t, s, i)
		path := fmt.Sprintf("/apis/%s/v1/namespaces/east/ducks", duck.GroupKind().Group)
		run(t, s, path, []step{
			{
				name: "create", method: "POST", body: `{"metadata":{"name":"a"},"spec":{"size":1}}`,
				code: http.StatusCreated,
			},
			{name: "get", method: "GET", path: "a", code: http.StatusOK},
			{
				name: "table", method: "GET", headers: []string{"Accept: application/json;as=Table;g=meta.k8s.io;v=v1"},
				code: http.StatusOK,
			},
			{name: "of an older kind", method: "GET", path: "/apis/g0.example.com/v1/ducks", code: http.StatusOK},
			{
				name: "of the program", method: "POST", path: sites, body: site(fmt.Sprintf("s-%d", i)),
				code: http.StatusCreated,
			},
		})
		w := watch(t, s, "/apis/g0.example.com/v1/ducks?watch=true")
		w.expect("ADDED a")
		w.cancel()
	}
	all = append(all, servedBy(s))
	installDuck(t, s, kinds)
	for deadline := time.Now().Add(time.Minute); ; {
		goruntime.GC()
		kept := 0
		for _, before := range all {
			if !before.gone() {
				kept++
			}
		}
		if kept == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d schemes are still in memory", kept, len(all))
		}
		time.Sleep(10 * time.Millisecond)
	}
	run(t, s, "/apis/g0.example.com/v1/ducks", []step{
		{name: "list", method: "GET", code: http.StatusOK, want: []string{`"name":"a"`}},
	})
}

// installDuck installs one kind in a group of its own.
func installDuck(t *testing.T, s *server.Server, i int) *dynamic.Resource {
	t.Helper()
	duck, err := dynamic.New(ducks(i))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(duck.AddTo); err != nil {
		t.Fatal(err)
	}
	return duck
}

// TestListsAreCopiedAfterInstallations checks that lists are copied from what is stored, whose
// length is known, also after other kinds have been installed.
func TestListsAreCopiedAfterInstallations(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for i := range 3 {
		body := strings.Replace(site(fmt.Sprintf("s-%d", i)), `"metadata":{`,
			`"metadata":{"annotations":{"a":"`+strings.Repeat("x", 8<<10)+`"},`, 1)
		if w := request(s, "POST", sites, body); w.Code != http.StatusCreated {
			t.Fatal(w.Body)
		}
	}
	installDuck(t, s, 0)
	over := httptest.NewServer(s)
	t.Cleanup(over.Close)
	for _, accept := range []string{
		"application/json", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, over.URL+sites, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", "identity")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.ContentLength < 24<<10 {
			t.Errorf("%s: the Content-Length is %d", accept, resp.ContentLength)
		}
	}
}
