package server_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askind/askind/client"
	inventoryv1 "github.com/askind/askind/examples/fleet/api/inventory/v1"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	"github.com/askind/askind/server/servertest"
)

// audited returns an option that notes events: the verb, the name and the path, what became of the
// request, and whether an object was stored.
func audited(events *record) server.Option {
	return server.Audit(func(_ context.Context, e server.AuditEvent) {
		line := strings.TrimSpace(e.Request.Verb + " " + e.Request.Name)
		if e.Request.Resource.Resource == "" {
			line += " " + e.Path
		}
		if e.Object != nil {
			line += " stored"
		}
		if e.Err != nil {
			line += " " + cmp.Or(string(metav1.ReasonOf(e.Err)), "failed")
		}
		events.add(line)
	})
}

func TestAudit(t *testing.T) {
	t.Parallel()
	var events record
	s := newServer(t, audited(&events))
	finalized := strings.Replace(site("f"), `"metadata":{`, `"metadata":{"finalizers":["example.com/f"],`, 1)
	for _, c := range []struct {
		step step
		want string
	}{
		{step{name: "create", method: "POST", body: site("a"), code: http.StatusCreated}, "create a stored"},
		{step{name: "again", method: "POST", body: site("a"), code: http.StatusConflict}, "create a AlreadyExists"},
		{
			step{name: "bad", method: "POST", body: `{"metadata":{"name":"b"}}`, code: http.StatusUnprocessableEntity},
			"create b Invalid",
		},
		{
			step{name: "an update that changes nothing", method: "PUT", path: "a", body: site("a"), code: http.StatusOK},
			"update a",
		},
		{
			step{
				name: "a patch that changes nothing", method: "PATCH", path: "a", body: `{}`, code: http.StatusOK,
				headers: []string{"Content-Type: application/merge-patch+json"},
			}, "patch a",
		},
		{step{name: "a dry run", method: "DELETE", path: "a?dryRun=All", code: http.StatusOK}, "delete a stored"},
		{step{name: "delete", method: "DELETE", path: "a", code: http.StatusOK}, "delete a stored"},
		{step{name: "what is gone", method: "DELETE", path: "a", code: http.StatusNotFound}, "delete a NotFound"},
		{
			step{
				name: "a creation with a tag", method: "POST", body: site("a"), headers: []string{`If-Match: "1.x"`},
				code: http.StatusPreconditionFailed,
			}, "create a Conflict",
		},
		{
			step{
				name: "all with a tag", method: "DELETE", headers: []string{`If-Match: "1.x"`},
				code: http.StatusPreconditionFailed,
			}, "deletecollection Conflict",
		},
		{step{name: "read", method: "GET", code: http.StatusOK}, ""},
		{step{name: "with a finalizer", method: "POST", body: finalized, code: http.StatusCreated}, "create f stored"},
		{step{name: "mark", method: "DELETE", path: "f", code: http.StatusOK}, "delete f stored"},
		{step{name: "mark again", method: "DELETE", path: "f", code: http.StatusOK}, "delete f"},
	} {
		run(t, s, sites, []step{c.step})
		if got := events.take(); got != c.want {
			t.Errorf("%s: the audit has %q, want %q", c.step.name, got, c.want)
		}
	}
}

// TestAuditTime checks that an event has the time at which the request arrived, however long hooks
// take.
func TestAuditTime(t *testing.T) {
	t.Parallel()
	clock := servertest.NewClock()
	var times []time.Time
	s := newServer(t, server.Clock(clock.Now),
		server.Admit(func(context.Context, *server.Request, runtime.Object, runtime.Object) error {
			clock.Add(time.Minute)
			return nil
		}), server.Audit(func(_ context.Context, e server.AuditEvent) { times = append(times, e.Time) }))
	want := []time.Time{clock.Now(), clock.Now().Add(time.Minute)}
	run(t, s, sites, []step{{method: "POST", body: site("a"), code: http.StatusCreated}})
	if err := client.Of[inventoryv1.Site](s.Client()).Delete(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if !slices.Equal(times, want) {
		t.Errorf("the events have the times %v, want %v", times, want)
	}
}

// TestAuditOfRefusals checks that every request is audited that is refused because of its user:
// also one with wrong credentials, and one for a path that is not a resource.
func TestAuditOfRefusals(t *testing.T) {
	t.Parallel()
	var events record
	s := newServer(t, audited(&events), server.Authorize(auth.MastersAllowed()),
		server.Authenticate(auth.Tokens(map[string]auth.User{"a": {Name: "anna"}})))
	bearer := func(token string) []string { return []string{"Authorization: Bearer " + token} }
	for _, c := range []struct {
		step step
		want string
	}{
		{step{name: "a resource", method: "GET", headers: bearer("a"), code: http.StatusForbidden}, "list Forbidden"},
		{
			step{name: "a path", method: "GET", path: "/metrics", headers: bearer("a"), code: http.StatusForbidden},
			"get /metrics Forbidden",
		},
		{
			step{name: "nothing", method: "POST", path: "/nothing", headers: bearer("a"), code: http.StatusForbidden},
			"post /nothing Forbidden",
		},
		{
			step{name: "a wrong one", method: "DELETE", path: "x", headers: bearer("b"), code: http.StatusUnauthorized},
			"delete x Unauthorized",
		},
		{
			step{name: "no token", method: "GET", path: "/version", code: http.StatusUnauthorized},
			"get /version Unauthorized",
		},
	} {
		run(t, s, sites, []step{c.step})
		if got := events.take(); got != c.want {
			t.Errorf("%s: the audit has %q, want %q", c.step.name, got, c.want)
		}
	}
}

// TestAuditOfFailedHooks checks that a write is audited whose hooks panic. After the commit a panic
// does not change the response.
func TestAuditOfFailedHooks(t *testing.T) {
	t.Parallel()
	var events record
	at := ""
	fails := func(step string) {
		if step == at {
			panic(step)
		}
	}
	s := newServer(t, audited(&events), server.For(server.Hooks[inventoryv1.Site]{
		Prepare: func(context.Context, *server.Request, *inventoryv1.Site, *inventoryv1.Site) error {
			fails("prepare")
			return nil
		},
		AfterCommit: func(context.Context, *server.Request, *inventoryv1.Site, *inventoryv1.Site) { fails("after") },
	}), server.Admit(func(context.Context, *server.Request, runtime.Object, runtime.Object) error {
		fails("admit")
		return nil
	}))
	const internal = http.StatusInternalServerError
	for _, c := range []struct {
		at   string
		step step
		want string
	}{
		{"prepare", step{method: "POST", body: site("a"), code: internal}, "create a failed"},
		{"admit", step{method: "POST", body: site("a"), code: internal}, "create a failed"},
		{"after", step{method: "POST", body: site("a"), code: http.StatusCreated}, "create a stored"},
		{"admit", step{method: "PUT", path: "a", body: site("a"), code: internal}, "update a failed"},
		{"admit", step{method: "DELETE", path: "a", code: internal}, "delete a failed"},
		{"after", step{method: "DELETE", path: "a", code: http.StatusOK}, "delete a stored"},
	} {
		at, c.step.name = c.at, c.at+" "+c.step.method
		run(t, s, sites, []step{c.step})
		if got := events.take(); got != c.want {
			t.Errorf("%s: the audit has %q, want %q", c.step.name, got, c.want)
		}
	}
}

// TestAuditThatPanics checks that a panic of an audit function does not change the response to a
// write, which is stored, that it is logged, and that the other functions are called.
func TestAuditThatPanics(t *testing.T) {
	t.Parallel()
	var events record
	var out bytes.Buffer
	s := newServer(t, server.Log(slog.New(slog.NewTextHandler(&out, nil))),
		server.Audit(func(context.Context, server.AuditEvent) { panic("a full disk") }), audited(&events))
	run(t, s, sites, []step{
		{method: "POST", body: site("a"), code: http.StatusCreated},
		{method: "POST", body: site("a"), code: http.StatusConflict},
		{method: "DELETE", path: "a", code: http.StatusOK},
	})
	if got, want := events.take(), "create a stored; create a AlreadyExists; delete a stored"; got != want {
		t.Errorf("the audit has %q, want %q", got, want)
	}
	if got := out.String(); strings.Count(got, "a full disk") != 3 || !strings.Contains(got, "name=a") {
		t.Errorf("the log has\n%s", got)
	}
}

// TestAuditOfAbortedWrites checks that a write is audited whose hook aborts the connection.
func TestAuditOfAbortedWrites(t *testing.T) {
	t.Parallel()
	var events record
	s := newServer(t, audited(&events), server.Admit(
		func(context.Context, *server.Request, runtime.Object, runtime.Object) error {
			panic(http.ErrAbortHandler)
		},
	))
	over := httptest.NewServer(s)
	defer over.Close()
	response, err := over.Client().Post(over.URL+sites, "application/json", strings.NewReader(site("a")))
	if err == nil {
		response.Body.Close()
		t.Errorf("the write is answered with %s", response.Status)
	}
	if got := events.take(); got != "create a failed" {
		t.Errorf("the audit has %q", got)
	}
}

// TestAuditOfFunctions checks that a refused write of a resource made of functions is audited, and
// one whose function panics.
func TestAuditOfFunctions(t *testing.T) {
	t.Parallel()
	var events record
	s := newServer(t, audited(&events), server.Resource(server.Functions[inventoryv1.Site]{
		Create: func(_ context.Context, _ *server.Request, in *inventoryv1.Site) (*inventoryv1.Site, error) {
			if in.Name == "panics" {
				panic("a function panics")
			}
			return in, nil
		},
	}), server.Admit(func(_ context.Context, r *server.Request, _, _ runtime.Object) error {
		if r.Name == "refused" {
			return r.Forbidden("it is refused")
		}
		return nil
	}))
	run(t, s, sites, []step{
		{name: "create", method: "POST", body: site("a"), code: http.StatusCreated},
		{
			name: "refused", method: "POST", body: site("refused"), code: http.StatusForbidden,
			want: []string{`sites.inventory.example.com \"refused\" is forbidden: it is refused`},
		},
		{name: "panics", method: "POST", body: site("panics"), code: http.StatusInternalServerError},
	})
	if got, want := events.take(), "create a; create refused Forbidden; create panics failed"; got != want {
		t.Errorf("the audit has %q, want %q", got, want)
	}
}

// TestApplyNeedsCreate checks that a user who may change objects, but not create them, cannot
// create one by applying it.
func TestApplyNeedsCreate(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{
			{Name: "editor", Rules: []auth.Rule{{
				Verbs: []string{"patch"}, Groups: []string{"*"}, Resources: []string{"*"},
			}}},
			{Name: "maker", Rules: []auth.Rule{{
				Verbs: []string{"create"}, Groups: []string{"*"}, Resources: []string{"sites"}, Names: []string{"a"},
			}}},
		},
		Bindings: []auth.Binding{
			{Role: "editor", Users: []string{"ed", "max"}}, {Role: "maker", Users: []string{"max"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var events record
	s := newServer(t, audited(&events), server.Authorize(policy),
		server.Authenticate(auth.Tokens(map[string]auth.User{"e": {Name: "ed"}, "m": {Name: "max"}})))
	apply := func(token, name string, code int, want ...string) step {
		return step{
			name: token + " applies " + name, method: "PATCH", path: name + "?fieldManager=m", body: site(name),
			headers: []string{"Authorization: Bearer " + token, "Content-Type: application/apply-patch+yaml"},
			code:    code, want: want,
		}
	}
	run(t, s, sites, []step{
		apply("e", "a", http.StatusForbidden, `User \"ed\" cannot create resource \"sites\"`),
		apply("m", "b", http.StatusForbidden, `User \"max\" cannot create resource \"sites\"`),
		apply("m", "a", http.StatusCreated),
		apply("e", "a", http.StatusOK),
	})
	if got, want := events.take(), "patch a Forbidden; patch b Forbidden; patch a stored; patch a"; got != want {
		t.Errorf("the audit has %q, want %q", got, want)
	}
}

// TestWarningsOfDeletedCollection checks that what hooks warn of reaches the client who deletes
// several objects, each warning once.
func TestWarningsOfDeletedCollection(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Admit(func(_ context.Context, r *server.Request, _, new runtime.Object) error {
		if new == nil {
			r.Warn("somebody may miss it")
			r.Warn("the name is " + r.Name)
		}
		if new == nil && r.Name == "c" {
			return r.Forbidden("it is kept")
		}
		return nil
	}))
	for _, name := range []string{"a", "b", "c"} {
		run(t, s, sites, []step{{method: "POST", body: site(name), code: http.StatusCreated}})
	}
	w := request(s, "DELETE", sites, "")
	want := []string{
		`299 - "somebody may miss it"`, `299 - "the name is a"`, `299 - "the name is b"`, `299 - "the name is c"`,
	}
	if got := w.Header()["Warning"]; w.Code != http.StatusForbidden || !slices.Equal(got, want) {
		t.Errorf("code %d, warnings\n%q, want\n%q", w.Code, got, want)
	}
}

// TestActionIsCalledAgain checks that a subresource that is called again after a conflict gets the
// body of the request as it came, though the function changed it.
func TestActionIsCalledAgain(t *testing.T) {
	t.Parallel()
	var s *server.Server
	calls := 0
	s = newServer(t, server.Subresource("scale", func(ctx context.Context, _ *server.Request, obj *inventoryv1.Site,
		in *metav1.Scale,
	) (*metav1.Scale, error) {
		if calls++; calls == 1 {
			w := request(s, "PATCH", sites+"/a", `{"metadata":{"labels":{"a":"b"}}}`,
				"Content-Type: application/merge-patch+json")
			if w.Code != http.StatusOK {
				return nil, errors.New(w.Body.String())
			}
		}
		in.Spec.Replicas++
		obj.Spec.Address = fmt.Sprintf("%d", in.Spec.Replicas)
		return in, nil
	}))
	run(t, s, sites, []step{
		{method: "POST", body: site("a"), code: http.StatusCreated},
		{
			method: "POST", path: "a/scale", body: `{"spec":{"replicas":7}}`, code: http.StatusCreated,
			want: []string{`"replicas":8`},
		},
		{method: "GET", path: "a", code: http.StatusOK, want: []string{`"address":"8"`, `"a":"b"`}},
	})
	if calls != 2 {
		t.Errorf("%d calls", calls)
	}
}
