package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/internal/rounds"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/restmapper"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
)

// changedBoats returns the definition of boats.yaml with texts replaced.
func changedBoats(t *testing.T, s *server.Server, oldnew ...string) *dynamic.Resource {
	t.Helper()
	text := strings.NewReplacer(oldnew...).Replace(string(boatsYAML))
	if text == string(boatsYAML) {
		t.Fatal("the definition is as before")
	}
	read, err := s.ReadCRDs("boats.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return read[0]
}

func TestReplaceKind(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	run(t, s, boats, []step{{name: "create", method: "POST", body: boat("a"), code: http.StatusCreated}})
	resource := schema.GroupVersionResource{Group: "harbor.example.com", Version: "v1", Resource: "boats"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	untyped := s.Client().Untyped(restmapper.Mapping{
		Resource: resource, Kind: resource.GroupVersion().WithKind("Boat"), Scope: runtime.Namespaced,
	})
	seen := make(chan string, 10)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		for change, err := range untyped.Follow(ctx) {
			if err != nil {
				t.Error(err)
			}
			seen <- string(change.Type) + " " + change.Key.Name
		}
	})
	next := func(want string) {
		t.Helper()
		select {
		case got := <-seen:
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		case <-ctx.Done():
			t.Error("no change was seen")
		}
	}
	next("Added a")
	next("Synced ")
	err := s.ReplaceKind(changedBoats(t, s,
		"color: {type: string,", "mast: {type: integer}\n                color: {type: string, enum: [red, green],",
		"name: Crew", "name: Sailors", "jsonPath: .spec.color", "jsonPath: .spec.mast"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, boats, []step{
		{name: "the object", method: "GET", path: "a", code: http.StatusOK, want: []string{`"color":"red"`}},
		{
			name: "the columns", method: "GET", headers: []string{"Accept: text/plain"}, code: http.StatusOK,
			want: []string{"SAILORS"},
		},
		{
			name: "the schema", method: "POST", body: strings.Replace(boat("b"), "red", "blue", 1),
			code: http.StatusUnprocessableEntity, want: []string{"supported values"},
		},
		{
			name: "a new member", method: "POST", body: strings.Replace(boat("b"), `"crew":3`, `"mast":2`, 1),
			code: http.StatusCreated, want: []string{`"mast":2`},
		},
		{
			name: "its selector", method: "GET", path: "?fieldSelector=spec.mast%3D2", code: http.StatusOK,
			want: []string{`"name":"b"`}, not: []string{`"name":"a"`},
		},
		{name: "the old selector", method: "GET", path: "?fieldSelector=spec.color%3Dred", code: http.StatusBadRequest},
	})
	next("Added b") // and nothing was listed again
	if err := s.ReplaceKind(r); err != nil {
		t.Fatal(err)
	}
	run(t, s, boats, []step{{
		name: "the index of what was there", method: "GET", path: "?fieldSelector=spec.color%3Dred", code: http.StatusOK,
		want: []string{`"name":"a"`, `"name":"b"`},
	}})
}

// TestReplaceKindKeepsWhatItCannotReplace checks that a refused definition changes nothing.
func TestReplaceKindKeepsWhatItCannotReplace(t *testing.T) {
	t.Parallel()
	s, _ := withBoats(t)
	ferries, err := s.ReadCRDs("ferries.yaml", bytes.ReplaceAll(bytes.ReplaceAll(boatsYAML,
		[]byte("boat"), []byte("ferry")), []byte("Boat"), []byte("Ferry")))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ReplaceKind(ferries[0]); err == nil {
		t.Error("a kind that was not installed has been replaced")
	}
	renamed := changedBoats(t, s, "plural: boats", "plural: ships", "boats.harbor", "ships.harbor")
	if err := s.ReplaceKind(renamed); err != nil {
		t.Error(err)
	}
	run(t, s, boats, []step{{name: "the old name", method: "GET", code: http.StatusNotFound}})
	ships := strings.Replace(boats, "boats", "ships", 1)
	run(t, s, ships, []step{{name: "the new name", method: "POST", body: boat("a"), code: http.StatusCreated}})
	if err := s.Install(changedBoats(t, s, "Boat", "Ferry", "boat", "ship").AddTo); err == nil {
		t.Error("two kinds have one resource")
	}
	run(t, s, ships, []step{{name: "it works on", method: "GET", path: "a", code: http.StatusOK}})
}

// TestRequestsDuringReplacement checks that objects are never missing while their kind is replaced.
func TestRequestsDuringReplacement(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	run(t, s, boats, []step{{name: "create", method: "POST", body: boat("a"), code: http.StatusCreated}})
	other := changedBoats(t, s, "name: Crew", "name: Sailors")
	done := make(chan struct{})
	var wg sync.WaitGroup
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/a", ""},
		{"GET", "", ""},
		{"GET", "?watch=true&timeoutSeconds=1", ""},
		{"PATCH", "/a", `{"spec":{"crew":7}}`},
	} {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				w := request(s, c.method, boats+c.path, c.body, "Content-Type: application/merge-patch+json")
				retry := w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != ""
				if w.Code != http.StatusOK && !retry || strings.Contains(w.Body.String(), metav1.WatchError) {
					t.Errorf("%s %s: code %d: %s", c.method, c.path, w.Code, w.Body)
				}
			}
		})
	}
	defer wg.Wait()
	defer close(done)
	for range max(10, rounds.Of(100)) {
		for _, next := range []*dynamic.Resource{other, r} {
			if err := s.ReplaceKind(next); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ownBoat makes a pool and a boat of this name in the same namespace that it owns.
func ownBoat(t *testing.T, s *server.Server, name string) {
	t.Helper()
	var made struct{ Metadata struct{ UID string } }
	w := request(s, "POST", pools, pool(name, 2))
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	ref := fmt.Sprintf(`"ownerReferences":[{"apiVersion":"fleet.example.com/v1alpha1","kind":"MachinePool",`+
		`"name":%q,"uid":%q,"blockOwnerDeletion":true}],"labels"`, name, made.Metadata.UID)
	w = request(s, "POST", ownedBoats, strings.Replace(boat(name), `"labels"`, ref, 1))
	if w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
}

// ownedBoats are the boats in the namespace of their owners.
var ownedBoats = strings.Replace(boats, "east", "default", 1)

// TestCollectorAfterReplacement checks that owners are deleted in the foreground with dependants
// that were made before their kind was replaced, and do not wait for those of a removed kind.
func TestCollectorAfterReplacement(t *testing.T) {
	t.Parallel()
	s, _ := withBoats(t)
	ownBoat(t, s, "a")
	ownBoat(t, s, "b")
	remove := func(name string) {
		t.Helper()
		request(s, "DELETE", pools+"/"+name, `{"propagationPolicy":"Foreground"}`)
		eventually(t, s, pools+"/"+name, http.StatusNotFound, "")
	}
	r := changedBoats(t, s, "name: Crew", "name: Sailors")
	if err := s.ReplaceKind(r); err != nil {
		t.Fatal(err)
	}
	remove("a")
	run(t, s, ownedBoats, []step{
		{name: "a is gone", method: "GET", path: "a", code: http.StatusNotFound},
		{name: "b is there", method: "GET", path: "b", code: http.StatusOK},
	})
	if err := s.RemoveKinds(r.GroupKind()); err != nil {
		t.Fatal(err)
	}
	remove("b")
}

// TestOrphansDuringReplacement checks that dependants that are to stay are not overlooked while
// their kind is replaced.
func TestOrphansDuringReplacement(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	both := []*dynamic.Resource{changedBoats(t, s, "name: Crew", "name: Sailors"), r}
	for i := range max(10, rounds.Of(100)) {
		name := strconv.Itoa(i)
		ownBoat(t, s, name)
		var wg sync.WaitGroup
		wg.Go(func() { request(s, "DELETE", pools+"/"+name, `{"propagationPolicy":"Orphan"}`) })
		if err := s.ReplaceKind(both[i%2]); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		eventually(t, s, pools+"/"+name, http.StatusNotFound, "")
		w := request(s, "GET", ownedBoats+"/"+name, "")
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "ownerReferences") {
			t.Fatalf("round %d: code %d: %s", i, w.Code, w.Body)
		}
	}
}
