package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/meta/dynamic"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
)

// TestDeleteKinds checks that the objects of a kind go with it, that watches see them go, that
// finalizers are waited for, and that no object is created meanwhile.
func TestDeleteKinds(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	finalized := strings.Replace(boat("b"), `"metadata":{`, `"metadata":{"finalizers":["example.com/keel"],`, 1)
	run(t, s, boats, []step{
		{name: "one", method: "POST", body: boat("a"), code: http.StatusCreated},
		{name: "another", method: "POST", body: finalized, code: http.StatusCreated},
	})
	events := watch(t, s, boats+"?watch=true")
	events.expect("ADDED a", "ADDED b")
	done := make(chan error, 1)
	go func() { done <- s.DeleteKinds(t.Context(), r.GroupKind()) }()
	events.expect("DELETED a", "MODIFIED b")
	run(t, s, boats, []step{
		{
			name: "no creation", method: "POST", body: boat("c"), code: http.StatusMethodNotAllowed,
			want: []string{"create not allowed while the kind is being deleted"},
		},
		{
			name: "by an apply neither", method: "PATCH", path: "c?fieldManager=m", body: boat("c"),
			headers: []string{"Content-Type: application/apply-patch+yaml"}, code: http.StatusMethodNotAllowed,
		},
		{name: "served", method: "GET", path: "b", code: http.StatusOK, want: []string{"deletionTimestamp"}},
	})
	select {
	case err := <-done:
		t.Fatalf("did not wait for the finalizer: %v", err)
	default:
	}
	run(t, s, boats, []step{{
		name: "the finalizer", method: "PATCH", path: "b", body: `{"metadata":{"finalizers":null}}`,
		headers: []string{"Content-Type: application/merge-patch+json"}, code: http.StatusOK,
	}})
	events.expect("DELETED b")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	run(t, s, boats, []step{{name: "gone", method: "GET", code: http.StatusNotFound}})
	if err := s.Install(r.AddTo); err != nil {
		t.Fatal(err)
	}
	run(t, s, boats, []step{
		{name: "without objects", method: "GET", code: http.StatusOK, want: []string{`"items":[]`}},
		{name: "creation", method: "POST", body: boat("c"), code: http.StatusCreated},
	})
}

// TestDeleteKindsGivesUp checks that a kind is served as before if a deletion is refused or takes
// too long.
func TestDeleteKindsGivesUp(t *testing.T) {
	t.Parallel()
	refusal := errors.New("it sails")
	s, r := withBoats(t, server.Admit(func(_ context.Context, q *server.Request, _, _ runtime.Object) error {
		if q.Verb == "delete" && q.Name == "kept" {
			return refusal
		}
		return nil
	}))
	run(t, s, boats, []step{{name: "create", method: "POST", body: boat("kept"), code: http.StatusCreated}})
	if err := s.DeleteKinds(t.Context(), r.GroupKind()); !errors.Is(err, refusal) {
		t.Errorf("refused: %v", err)
	}
	finalized := strings.Replace(boat("b"), `"metadata":{`, `"metadata":{"finalizers":["example.com/keel"],`, 1)
	run(t, s, boats, []step{{name: "create", method: "POST", body: finalized, code: http.StatusCreated}})
	if err := s.DeleteKinds(t.Context(), schema.GroupKind{Kind: "Unknown"}, r.GroupKind()); err == nil {
		t.Error("an unknown kind is not an error")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	refusal = nil
	if err := s.DeleteKinds(ctx, r.GroupKind()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time: %v", err)
	}
	run(t, s, boats, []step{{name: "create", method: "POST", body: boat("c"), code: http.StatusCreated}})

	longer, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.DeleteKinds(longer, r.GroupKind()) }()
	for request(s, "GET", boats+"/c", "").Code != http.StatusNotFound {
		time.Sleep(time.Millisecond)
	}
	if err := s.DeleteKinds(ctx, r.GroupKind()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time, besides a longer one: %v", err)
	}
	run(t, s, boats, []step{{
		name: "the longer one", method: "POST", body: boat("d"), code: http.StatusMethodNotAllowed,
	}})
	end()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the longer one: %v", err)
	}
	run(t, s, boats, []step{{name: "none", method: "POST", body: boat("d"), code: http.StatusCreated}})
}

// TestDeleteKindsDuringCreations checks that no object is left behind by requests that create while
// the kind is deleted.
func TestDeleteKindsDuringCreations(t *testing.T) {
	t.Parallel()
	s, r := withBoats(t)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 1000 {
				name := fmt.Sprintf("b-%d-%d", w, i)
				if got := request(s, "POST", boats, boat(name)); got.Code != http.StatusCreated {
					return
				}
			}
		})
	}
	if err := s.DeleteKinds(t.Context(), r.GroupKind()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err := s.Install(r.AddTo); err != nil {
		t.Fatal(err)
	}
	run(t, s, boats, []step{{name: "empty", method: "GET", code: http.StatusOK, want: []string{`"items":[]`}}})
}

// harborKind returns a kind of the group of boats.
func harborKind(t *testing.T, kind, resource string) *dynamic.Resource {
	t.Helper()
	r, err := dynamic.New(dynamic.Definition{
		Group: "harbor.example.com", Kind: kind, Resource: resource,
		Versions: []dynamic.Version{{Name: "v1", Storage: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestObjectsOfAnotherKind checks what is at the resource of a kind that was removed and left its
// objects there: reads of others succeed, and the objects can be deleted.
func TestObjectsOfAnotherKind(t *testing.T) {
	t.Parallel()
	policy := auth.Policy{Roles: []auth.Role{
		{Name: "all", Rules: []auth.Rule{{Verbs: []string{"*"}, Groups: []string{"*"}, Resources: []string{"*"}}}},
		{Name: "delete", Rules: []auth.Rule{{
			Verbs: []string{"delete"}, Groups: []string{"*"}, Resources: []string{"*"},
		}}},
	}, Bindings: []auth.Binding{{Role: "all", Users: []string{"ann"}}, {Role: "delete", Users: []string{"bob"}}}}
	authorizer, err := auth.NewPolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	s, r := withBoats(t, server.Authorize(authorizer), server.Authenticate(auth.Tokens(map[string]auth.User{
		"ann": {Name: "ann"}, "bob": {Name: "bob"},
	})))
	ann, bob := "Authorization: Bearer ann", "Authorization: Bearer bob"
	run(t, s, boats, []step{
		{name: "a boat", method: "POST", body: boat("a"), headers: []string{ann}, code: http.StatusCreated},
		{name: "another", method: "POST", body: boat("b"), headers: []string{ann}, code: http.StatusCreated},
	})
	if err := s.RemoveKinds(r.GroupKind()); err != nil {
		t.Fatal(err)
	}
	ships, moved := harborKind(t, "Ship", "boats"), harborKind(t, "Boat", "vessels")
	if err := s.Install(ships.AddTo, moved.AddTo); err != nil {
		t.Fatal(err)
	}
	ship := strings.Replace(boat("s"), `"Boat"`, `"Ship"`, 1)
	const unsafely = `{"ignoreStoreReadErrorWithClusterBreakingPotential":true}`
	run(t, s, boats, []step{
		{name: "a ship", method: "POST", body: ship, headers: []string{ann}, code: http.StatusCreated},
		{
			name: "the list", method: "GET", headers: []string{ann}, code: http.StatusOK, want: []string{`"name":"s"`},
			not: []string{`"name":"a"`},
		},
		{name: "the ship", method: "GET", path: "s", headers: []string{ann}, code: http.StatusOK},
		{
			name: "the boat", method: "GET", path: "a", headers: []string{ann}, code: http.StatusInternalServerError,
			want: []string{
				`"reason":"StorageReadError"`, "a newer release", "ignoreStoreReadErrorWithClusterBreakingPotential",
			},
		},
		{name: "deletion", method: "DELETE", path: "a", headers: []string{ann}, code: http.StatusInternalServerError},
		{
			name: "without permission", method: "DELETE", path: "a", body: unsafely, headers: []string{bob},
			code: http.StatusForbidden, want: []string{"unsafe-delete-ignore-read-errors"},
		},
		{
			name: "with a precondition", method: "DELETE", path: "a", headers: []string{ann},
			body: `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,"preconditions":{"uid":"u"}}`,
			code: http.StatusUnprocessableEntity,
		},
		{
			name: "a collection", method: "DELETE", headers: []string{ann}, body: unsafely,
			code: http.StatusUnprocessableEntity, want: []string{"is not allowed with DELETECOLLECTION"},
		},
		{
			name: "of another version", method: "DELETE", path: "a", body: unsafely,
			headers: []string{ann, `If-Match: "1.x"`}, code: http.StatusPreconditionFailed,
		},
		{
			name: "unsafely", method: "DELETE", path: "a", body: unsafely, headers: []string{ann, "If-Match: *"},
			code: http.StatusOK, want: []string{`"status":"Success"`},
		},
		{name: "gone", method: "GET", path: "a", headers: []string{ann}, code: http.StatusNotFound},
		{
			name: "what can be read", method: "DELETE", path: "s", body: unsafely, headers: []string{ann},
			code: http.StatusUnprocessableEntity, want: []string{"is exclusively used to delete corrupt object(s)"},
		},
		{
			name: "nothing", method: "DELETE", path: "x", body: unsafely, headers: []string{ann},
			code: http.StatusNotFound,
		},
		{name: "the collection", method: "DELETE", headers: []string{ann}, code: http.StatusOK},
	})
	if err := s.DeleteKinds(t.Context(), ships.GroupKind()); err != nil {
		t.Fatal(err)
	}
	if err := s.Install(r.AddTo); err == nil {
		t.Error("one kind has two resources")
	}
	if err := s.RemoveKinds(moved.GroupKind()); err != nil {
		t.Fatal(err)
	}
	if err := s.Install(r.AddTo); err != nil {
		t.Fatal(err)
	}
	run(t, s, boats, []step{{
		name: "boats went with ships", method: "GET", headers: []string{ann}, code: http.StatusOK,
		want: []string{`"items":[]`},
	}})
}
