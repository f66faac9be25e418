package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/server"
	"github.com/askind/askind/store"
	"github.com/askind/askind/store/memory"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	merge := []string{"Content-Type: application/merge-patch+json"}
	s := newServer(t)
	run(t, s, machines, []step{
		{name: "an object", method: "POST", body: machine(`"name":"a"`), code: http.StatusCreated},
		{
			name: "options without a kind", method: "DELETE", path: "a", body: `{"propagationPolicy":"Background"}`,
			code: http.StatusOK, want: []string{
				`"kind":"Status"`, `"status":"Success"`,
				`"details":{"name":"a","group":"fleet.example.com","kind":"machines","uid":"{uid}"}`,
			},
		},
		{
			name: "it is gone", method: "GET", path: "a", code: http.StatusNotFound,
			want: []string{`machines.fleet.example.com \"a\" not found`},
		},
		{name: "once", method: "DELETE", path: "a", code: http.StatusNotFound},

		{
			name: "one with a finalizer", method: "POST", body: machine(`"name":"b","finalizers":["example.com/stop"]`),
			code: http.StatusCreated,
		},
		{
			name: "a dry run", method: "DELETE", path: "b?dryRun=All", code: http.StatusOK,
			want: []string{"deletionTimestamp"},
		},
		{name: "changes nothing", method: "GET", path: "b", code: http.StatusOK, not: []string{"deletionTimestamp"}},
		{
			name: "it waits", method: "DELETE", path: "b", body: `{"gracePeriodSeconds":5}`, code: http.StatusOK,
			want: []string{
				`"kind":"Machine"`, `"deletionTimestamp":"2`, `"deletionGracePeriodSeconds":0`,
				`"generation":2`,
			},
		},
		{
			name: "again", method: "DELETE", path: "b", code: http.StatusOK,
			want: []string{`"resourceVersion":"{version}"`},
		},
		{
			name: "no finalizer can be added", method: "PATCH", path: "b", headers: merge,
			body: `{"metadata":{"finalizers":["example.com/stop","example.com/go"]}}`,
			code: http.StatusUnprocessableEntity,
		},
		{
			name: "the time cannot be taken back", method: "PATCH", path: "b", headers: merge,
			body: `{"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null}}`, code: http.StatusOK,
			want: []string{`"deletionTimestamp":"2`, `"deletionGracePeriodSeconds":0`},
		},
		{
			name: "a dry run of the last finalizer", method: "PATCH", path: "b?dryRun=All", headers: merge,
			body: `{"metadata":{"finalizers":null}}`, code: http.StatusOK,
		},
		{name: "keeps it", method: "GET", path: "b", code: http.StatusOK, want: []string{"example.com/stop"}},
		{
			name: "the last finalizer", method: "PATCH", path: "b", headers: merge,
			body: `{"metadata":{"finalizers":null}}`, code: http.StatusOK,
		},
		{name: "it is gone as well", method: "GET", path: "b", code: http.StatusNotFound},

		{name: "one more", method: "POST", body: machine(`"name":"c"`), code: http.StatusCreated},
		{
			name: "for another version", method: "DELETE", path: "c", body: `{"preconditions":{"resourceVersion":"1"}}`,
			code: http.StatusConflict,
		},
		{
			name: "for no version", method: "DELETE", path: "c", body: `{"preconditions":{"resourceVersion":""}}`,
			code: http.StatusConflict, want: []string{"a precondition is blank"},
		},
		{
			name: "for no object", method: "DELETE", path: "c", body: `{"preconditions":{"uid":""}}`,
			code: http.StatusConflict,
		},
		{
			name: "without preconditions", method: "DELETE", path: "c?uid=&resourceVersion=&dryRun=All",
			code: http.StatusOK,
		},
		{
			name: "for another object", method: "DELETE", path: "c", body: `{"preconditions":{"uid":"x"}}`,
			code: http.StatusConflict,
		},
		{
			name: "with the tag of another version", method: "DELETE", path: "c", headers: []string{`If-Match: "1.x"`},
			code: http.StatusPreconditionFailed,
		},
		{
			name: "for this one", method: "DELETE", path: "c",
			body: `{"preconditions":{"uid":"{uid}","resourceVersion":"{version}"}}`, code: http.StatusOK,
			want: []string{"Success"},
		},
		{
			name: "one that waits", method: "POST", body: machine(`"name":"d","finalizers":["example.com/stop"]`),
			code: http.StatusCreated,
		},
		{
			name: "for its dependants first", method: "DELETE", path: "d", body: `{"propagationPolicy":"Foreground"}`,
			code: http.StatusOK, want: []string{`"finalizers":["example.com/stop","foregroundDeletion"]`, `"generation":2`},
		},
		{
			name: "without them after all", method: "DELETE", path: "d", body: `{"propagationPolicy":"Orphan"}`,
			code: http.StatusOK, want: []string{`"finalizers":["example.com/stop","orphan"]`, `"generation":2`},
		},
		{
			name: "at once", method: "DELETE", path: "d", body: `{"orphanDependents":false}`, code: http.StatusOK,
			want: []string{`"finalizers":["example.com/stop"]`},
		},
		{
			name: "without them, in old words", method: "DELETE", path: "d", body: `{"orphanDependents":true}`,
			code: http.StatusOK, want: []string{`"finalizers":["example.com/stop","orphan"]`},
		},
		{
			name: "one that says how it is deleted", method: "POST",
			body: machine(`"name":"e","finalizers":["foregroundDeletion"]`), code: http.StatusCreated,
		},
		{
			name: "which counts without a policy", method: "DELETE", path: "e?dryRun=All", code: http.StatusOK,
			want: []string{`"finalizers":["foregroundDeletion"]`},
		},
		{
			name: "and else does not", method: "DELETE", path: "e", body: `{"propagationPolicy":"Background"}`,
			code: http.StatusOK, want: []string{"Success"},
		},
		{
			name: "an object in place of options", method: "DELETE", path: "c",
			body: `{"kind":"Machine","apiVersion":"fleet.example.com/v1"}`, code: http.StatusBadRequest,
			want: []string{"must be DeleteOptions, not a fleet.example.com/v1, Kind=Machine"},
		},
		{
			name: "options that make no sense", method: "DELETE", path: "c", body: `{"propagationPolicy":"Sideways"}`,
			code: http.StatusUnprocessableEntity,
		},
	})
}

func TestDeleteCollection(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run(t, s, machines, []step{
		{name: "one", method: "POST", body: machine(`"name":"a","labels":{"app":"web"}`), code: http.StatusCreated},
		{name: "two", method: "POST", body: machine(`"name":"b","labels":{"app":"db"}`), code: http.StatusCreated},
		{
			name: "elsewhere", method: "POST", path: "/apis/fleet.example.com/v1/namespaces/other/machines",
			body: machine(`"name":"a","labels":{"app":"web"}`), code: http.StatusCreated,
		},
		{name: "a dry run", method: "DELETE", path: "?dryRun=All", code: http.StatusOK},
		{
			name: "with a tag, which a collection does not have", method: "DELETE",
			headers: []string{`If-Match: "1.x"`}, code: http.StatusPreconditionFailed,
		},
		{
			name: "a creation with a tag", method: "POST", body: machine(`"name":"c"`),
			headers: []string{`If-Match: "1.x"`}, code: http.StatusPreconditionFailed,
		},
		{
			name: "those that are selected", method: "DELETE", path: "?labelSelector=app%3Dweb", code: http.StatusOK,
			want: []string{`"kind":"MachineList"`, `"name":"a"`}, not: []string{`"name":"b"`},
		},
		{
			name: "are gone", method: "GET", code: http.StatusOK, want: []string{`"name":"b"`},
			not: []string{`"name":"a"`},
		},
		{
			name: "here alone", method: "GET", path: "/apis/fleet.example.com/v1/machines", code: http.StatusOK,
			want: []string{`"name":"a"`},
		},
		{
			name: "a selector that makes no sense", method: "DELETE", path: "?labelSelector=%3D",
			code: http.StatusBadRequest,
		},
		{
			name: "in all namespaces", method: "DELETE", path: "/apis/fleet.example.com/v1/machines",
			code: http.StatusMethodNotAllowed, want: []string{
				"Allow: GET, HEAD, OPTIONS, POST",
				"machines.fleet.example.com does not support deletecollection in all namespaces",
			},
		},
		{
			name: "nothing is deleted there", method: "GET", path: "/apis/fleet.example.com/v1/machines",
			code: http.StatusOK, want: []string{`"name":"a"`, `"name":"b"`},
		},
	})
}

// TestDeleteWhileWritten checks that a deletion without a version is tried again if the object is
// written in between, and that one with a version fails.
func TestDeleteWhileWritten(t *testing.T) {
	t.Parallel()
	var s *server.Server
	writes := 0
	s = newServer(t, server.For[v1.Machine](server.Hooks[v1.Machine]{
		Admit: func(_ context.Context, r *server.Request, _, new *v1.Machine) error {
			if new == nil && writes > 0 {
				writes--
				w := request(s, http.MethodPatch, machines+"/a", fmt.Sprintf(`{"metadata":{"labels":{"n":"%d"}}}`, writes),
					"Content-Type: application/merge-patch+json")
				if w.Code != http.StatusOK {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
			return nil
		},
	}))
	create := func() string {
		t.Helper()
		w := request(s, http.MethodPost, machines, machine(`"name":"a"`), "Content-Type: application/json")
		var m v1.Machine
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Code != http.StatusCreated {
			t.Fatal(w.Code, w.Body, err)
		}
		return m.ResourceVersion
	}
	create()
	writes = 2
	if w := request(s, http.MethodDelete, machines+"/a", ""); w.Code != http.StatusOK || writes != 0 {
		t.Errorf("without a version: %d %s, %d writes left", w.Code, w.Body, writes)
	}
	version := create()
	writes = 1
	w := request(s, http.MethodDelete, machines+"/a", `{"preconditions":{"resourceVersion":"`+version+`"}}`,
		"Content-Type: application/json")
	if w.Code != http.StatusConflict {
		t.Errorf("with a version: %d %s", w.Code, w.Body)
	}
}

// TestLastFinalizerWhileWritten checks that an update which takes the last finalizer from a version
// of an object does not delete a later version.
func TestLastFinalizerWhileWritten(t *testing.T) {
	t.Parallel()
	var s *server.Server
	write := false
	s = newServer(t, server.For[v1.Machine](server.Hooks[v1.Machine]{
		Admit: func(_ context.Context, r *server.Request, _, new *v1.Machine) error {
			if write && new != nil && len(new.Finalizers) == 0 {
				write = false
				w := request(s, http.MethodPatch, machines+"/a", `{"metadata":{"labels":{"n":"1"}}}`,
					"Content-Type: application/merge-patch+json")
				if w.Code != http.StatusOK {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
			return nil
		},
	}))
	request(s, http.MethodPost, machines, machine(`"name":"a","finalizers":["example.com/stop"]`))
	if w := request(s, http.MethodDelete, machines+"/a", ""); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
	var m v1.Machine
	if err := json.Unmarshal(request(s, http.MethodGet, machines+"/a", "").Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	put := func(name string, code int) {
		t.Helper()
		body := machine(`"name":"a","resourceVersion":"` + m.ResourceVersion + `"`)
		if w := request(s, http.MethodPut, machines+"/a", body, "Content-Type: application/json"); w.Code != code {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, code)
		}
	}
	write = true
	put("with a write in between", http.StatusConflict)
	w := request(s, http.MethodGet, machines+"/a", "")
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || m.Labels["n"] != "1" {
		t.Fatalf("%s, %v", w.Body, err)
	}
	put("without one", http.StatusOK)
	if w := request(s, http.MethodGet, machines+"/a", ""); w.Code != http.StatusNotFound {
		t.Errorf("it is still there: %s", w.Body)
	}
}

// repairing is an engine in which somebody else writes a value before it is deleted.
type repairing struct {
	store.Engine
	value []byte
}

// Delete implements [store.Engine].
func (e *repairing) Delete(ctx context.Context, key string, expected uint64) (uint64, error) {
	if value := e.value; value != nil {
		e.value = nil
		if _, err := e.Put(ctx, key, value, expected); err != nil {
			return 0, err
		}
	}
	return e.Engine.Delete(ctx, key, expected)
}

// TestDeleteUndecodableThatIsRepaired checks that the option to delete what cannot be decoded does
// not delete an object that is written anew in between, whose finalizers would be ignored.
func TestDeleteUndecodableThatIsRepaired(t *testing.T) {
	t.Parallel()
	db := &repairing{Engine: memory.New()}
	defer db.Close()
	s, err := server.New(fleet(t), db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run(t, s, machines, []step{{
		method: "POST", body: machine(`"name":"a","finalizers":["example.com/stop"]`), code: http.StatusCreated,
	}})
	page, err := db.List(t.Context(), "fleet.example.com/machines/", store.RangeOptions{})
	if err != nil || len(page.Items) != 1 {
		t.Fatal(page, err)
	}
	a := page.Items[0]
	if _, err := db.Put(t.Context(), a.Key, []byte("sealed"), a.Revision); err != nil {
		t.Fatal(err)
	}
	db.value = a.Value
	run(t, s, machines, []step{
		{
			name: "unsafely", method: "DELETE", path: "a",
			body: `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`, code: http.StatusConflict,
		},
		{name: "stays", method: "GET", path: "a", code: http.StatusOK, want: []string{"example.com/stop"}},
	})
}
