package server_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/askind/askind/client"
	"github.com/askind/askind/examples/fleet/api/fleet/v1"
	"github.com/askind/askind/meta/dynamic"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server"
	"github.com/askind/askind/server/auth"
	authorizationv1 "github.com/askind/askind/server/auth/authorization/v1"
)

func TestAccess(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{Name: "web", Rules: []auth.Rule{
			{Verbs: []string{"get", "list"}, Groups: []string{"fleet.example.com"}, Resources: []string{"machines"}},
			{
				Verbs: []string{"get", "list"}, Groups: []string{"fleet.example.com"},
				Resources: []string{"machinepools"},
				Names:     []string{"web"},
			},
		}}},
		Bindings: []auth.Binding{
			{Role: "web", Users: []string{"anna"}, Namespace: "default"},
			{Role: auth.AdminRole, Groups: []string{"admins"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.Authorize(policy), server.Authenticate(auth.Tokens(map[string]auth.User{
		"a": {Name: "anna"}, "r": {Name: "root", Groups: []string{"admins"}},
	})))
	anna, root := []string{"Authorization: Bearer a"}, []string{"Authorization: Bearer r"}
	run(t, s, machines, []step{
		{
			name: "nobody", method: "GET", code: http.StatusUnauthorized,
			want: []string{`"message":"Unauthorized"`, "Www-Authenticate: Bearer"},
		},
		{
			name: "a wrong token", method: "GET", headers: []string{"Authorization: Bearer x"},
			code: http.StatusUnauthorized, not: []string{"token"},
		},
		{
			name: "an administrator", method: "POST", headers: root, body: machine(`"name":"a"`),
			code: http.StatusCreated,
		},
		{name: "what the rules allow", method: "GET", headers: anna, path: "a", code: http.StatusOK},
		{name: "a list", method: "GET", headers: anna, code: http.StatusOK},
		{
			name: "another verb", method: "DELETE", headers: anna, path: "a", code: http.StatusForbidden,
			want: []string{`"reason":"Forbidden"`, `User \"anna\" cannot delete resource \"machines\"`},
		},
		{
			name: "a watch is another verb", method: "GET", headers: anna, path: "?watch=true",
			code: http.StatusForbidden,
		},
		{name: "however it is spelled", method: "GET", headers: anna, path: "?watch=T", code: http.StatusForbidden},
		{name: "or written", method: "GET", headers: anna, path: "?%77atch=1", code: http.StatusForbidden},
		{
			name: "a subresource is another resource", method: "GET", headers: anna, path: "a/status",
			code: http.StatusForbidden,
		},
		{
			name: "another namespace", method: "GET", headers: anna,
			path: "/apis/fleet.example.com/v1/namespaces/other/machines", code: http.StatusForbidden,
		},
		{
			name: "all namespaces", method: "GET", headers: anna, path: "/apis/fleet.example.com/v1/machines",
			code: http.StatusForbidden,
		},
		{
			name: "a name that is there or not", method: "GET", headers: anna, path: pools + "/web",
			code: http.StatusNotFound,
		},
		{
			name: "another name", method: "GET", headers: anna, path: pools + "/db", code: http.StatusForbidden,
			want: []string{"machinepools"},
		},
		{
			name: "a list of the one name", method: "GET", headers: anna,
			path: pools + "?fieldSelector=metadata.name%3Dweb", code: http.StatusOK,
		},
		{
			name: "a list of another name", method: "GET", headers: anna,
			path: pools + "?fieldSelector=metadata.name%3Ddb", code: http.StatusForbidden,
		},
		{
			name: "a list of several", method: "GET", headers: anna,
			path: pools + "?fieldSelector=metadata.name%21%3Ddb", code: http.StatusForbidden,
		},
		{
			name: "two selectors", method: "GET", headers: anna,
			path: pools + "?fieldSelector=metadata.name%3Dweb&fieldSelector=", code: http.StatusForbidden,
		},
		{
			name: "what one may do", method: "POST", headers: anna,
			path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
			body: `{"spec":{"resourceAttributes":{"verb":"list","group":"fleet.example.com","resource":"machines","namespace":"default"}}}`,
			code: http.StatusCreated, want: []string{`"allowed":true`},
		},
		{
			name: "and not", method: "POST", headers: anna,
			path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
			body: `{"spec":{"resourceAttributes":{"verb":"list","group":"fleet.example.com","resource":"machines","namespace":"other"}}}`,
			code: http.StatusCreated, want: []string{`"allowed":false`},
		},
		{
			name: "a question about nothing", method: "POST", headers: anna,
			path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", body: `{"spec":{}}`,
			code: http.StatusBadRequest,
		},
		{
			name: "all that one may do", method: "POST", headers: anna,
			path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", body: `{"spec":{"namespace":"default"}}`,
			code: http.StatusCreated, want: []string{`"resources":["machines"]`, `"nonResourceURLs":["/api"`},
		},
		{
			name: "who one is", method: "POST", headers: anna,
			path: "/apis/authentication.k8s.io/v1/selfsubjectreviews", body: `{}`,
			code: http.StatusCreated, want: []string{`"username":"anna"`, "system:authenticated"},
		},
		{
			name: "a path that does not exist", method: "GET", headers: anna, path: "/nowhere",
			code: http.StatusForbidden, not: []string{"lists what is served"},
		},
		{
			name: "a kind that does not exist", method: "GET", headers: anna,
			path: "/apis/fleet.example.com/v1/nothings",
			code: http.StatusForbidden,
		},
		{
			name: "a group that does not exist, which discovery shows anyway", method: "GET", headers: anna,
			path: "/apis/nothing.example.com/v1/nothings", code: http.StatusNotFound,
		},
		{name: "discovery", method: "GET", headers: anna, path: "/apis", code: http.StatusOK},
		{name: "not for everybody", method: "GET", path: "/apis", code: http.StatusUnauthorized},
		{name: "metrics", method: "GET", headers: anna, path: "/metrics", code: http.StatusForbidden},
		{name: "for administrators", method: "GET", headers: root, path: "/metrics", code: http.StatusOK},
	})
}

// TestImpersonation has an operator act as others, and others try.
func TestImpersonation(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{Name: "operator", Rules: []auth.Rule{
			{
				Verbs: []string{"impersonate"}, Groups: []string{""}, Resources: []string{"users"},
				Names: []string{"anna"},
			},
			{
				Verbs: []string{"impersonate"}, Groups: []string{""}, Resources: []string{"groups"},
				Names: []string{"web"},
			},
			{
				Verbs: []string{"impersonate"}, Groups: []string{"authentication.k8s.io"},
				Resources: []string{"userextras/scopes"}, Names: []string{"view"},
			},
		}}},
		Bindings: []auth.Binding{
			{Role: "operator", Users: []string{"olga"}},
			{Role: auth.ViewRole, Groups: []string{"web"}, Namespace: "default"},
			{Role: auth.AdminRole, Users: []string{"root"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	s := newServer(t, server.Authorize(policy), server.Authenticate(auth.Tokens(map[string]auth.User{
		"o": {Name: "olga"}, "r": {Name: "root"}, "a": {Name: "anna"},
	})), server.Audit(func(_ context.Context, e server.AuditEvent) {
		by := "nobody"
		if e.Request.Impersonator != nil {
			by = e.Request.Impersonator.Name
		}
		text := fmt.Sprintf("%s by %s %v", e.Request.User.Name, by, e.Request.User.Extra)
		if e.Err != nil && strings.Contains(e.Err.Error(), "cannot impersonate") {
			text += fmt.Sprintf(" refused to %s %s", e.Request.Verb, e.Request.Resource.Resource)
		}
		seen = append(seen, text)
	}))
	as := func(token string, headers ...string) []string {
		return append([]string{"Authorization: Bearer " + token}, headers...)
	}
	const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	run(t, s, machines, []step{
		{name: "as herself", method: "GET", headers: as("o"), code: http.StatusForbidden},
		{
			name: "as another one", method: "GET", headers: as("o", "Impersonate-User: anna", "Impersonate-Group: web"),
			code: http.StatusOK,
		},
		{
			name: "without the group", method: "GET", headers: as("o", "Impersonate-User: anna"),
			code: http.StatusForbidden, want: []string{`User \"anna\" cannot list`},
		},
		{
			name: "who that is", method: "POST", path: self, body: `{}`, headers: as("o", "Impersonate-User: anna",
				"Impersonate-Group: web", "Impersonate-Extra-Scopes: view"), code: http.StatusCreated,
			want: []string{`"username":"anna"`, `"groups":["web","system:authenticated"]`, `"extra":{"scopes":["view"]}`},
		},
		{
			name: "without credentials", method: "POST", path: self, body: `{}`,
			headers: as("r", "Impersonate-User: anna", "Impersonate-Group: system:unauthenticated"),
			code:    http.StatusForbidden, want: []string{`User \"anna\" cannot create`},
		},
		{
			name: "as an administrator", method: "GET", headers: as("o", "Impersonate-User: root"),
			code: http.StatusForbidden, want: []string{
				`users \"root\" is forbidden: User \"olga\" cannot impersonate resource \"users\"`,
			},
		},
		{
			name: "in a group that is not allowed", method: "GET",
			headers: as("o", "Impersonate-User: anna", "Impersonate-Group: web", "Impersonate-Group: system:masters"),
			code:    http.StatusForbidden, want: []string{`groups \"system:masters\" is forbidden`},
		},
		{
			name: "with a value that is not allowed", method: "GET",
			headers: as("o", "Impersonate-User: anna", "Impersonate-Extra-Scopes: all"), code: http.StatusForbidden,
			want: []string{`userextras.authentication.k8s.io \"all\" is forbidden`},
		},
		{
			name: "with a UID", method: "GET", headers: as("o", "Impersonate-User: anna", "Impersonate-Uid: 1"),
			code: http.StatusForbidden, want: []string{`uids.authentication.k8s.io \"1\" is forbidden`},
		},
		{
			name: "somebody without rights", method: "GET", headers: as("a", "Impersonate-User: root"),
			code: http.StatusForbidden,
		},
		{
			name: "an administrator loses rights", method: "DELETE", path: "x",
			headers: as("r", "Impersonate-User: anna"), code: http.StatusForbidden, want: []string{`User \"anna\" cannot delete`},
		},
		{
			name: "a group alone", method: "GET", headers: as("r", "Impersonate-Group: web"),
			code: http.StatusBadRequest,
		},
		{
			name: "something else", method: "GET", headers: as("r", "Impersonate-Role: web"),
			code: http.StatusBadRequest,
		},
		{
			name: "a user and something else", method: "GET", headers: as("r", "Impersonate-User: anna", "Impersonate-Role: web"),
			code: http.StatusBadRequest,
		},
		{name: "a blank user", method: "GET", headers: as("r", "Impersonate-User: "), code: http.StatusBadRequest},
		{
			name: "two users", method: "GET", headers: as("r", "Impersonate-User: anna", "Impersonate-User: root"),
			code: http.StatusBadRequest,
		},
		{
			name: "very many groups", method: "GET", code: http.StatusBadRequest,
			headers: append(as("r", "Impersonate-User: anna"),
				slices.Repeat([]string{"Impersonate-Group: web"}, 200)...),
		},
		{
			name: "nobody", method: "GET", headers: as("r", "Impersonate-User: system:anonymous"),
			code: http.StatusForbidden, want: []string{`User \"system:anonymous\" cannot list`},
		},
		{
			name: "who nobody is", method: "GET", path: "/version",
			headers: as("r", "Impersonate-User: system:anonymous"), code: http.StatusForbidden,
		},
	})
	want := []string{
		"olga by nobody map[]", "anna by olga map[]", "anna by olga map[scopes:[view]]", "anna by root map[]",
		"olga by nobody map[] refused to list machines", "olga by nobody map[] refused to list machines",
		"olga by nobody map[] refused to list machines", "olga by nobody map[] refused to list machines",
		"anna by nobody map[] refused to list machines", "anna by root map[]", "system:anonymous by root map[]",
		"system:anonymous by root map[]",
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the audit has seen %q, want %q", seen, want)
	}
	open := newServer(t, server.Authenticate(auth.Tokens(map[string]auth.User{"a": {Name: "anna"}})))
	run(t, open, machines, []step{{
		name: "a server without an authorizer", method: "GET", headers: as("a", "Impersonate-User: root"),
		code: http.StatusForbidden, want: []string{"without an authorizer"},
	}})
}

// TestImpersonatedServiceAccount acts as the service accounts of a cluster.
func TestImpersonatedServiceAccount(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{
			{Name: "operator", Rules: []auth.Rule{{
				Verbs: []string{"impersonate"}, Groups: []string{""}, Resources: []string{"serviceaccounts"},
			}}},
			{Name: "clerk", Rules: []auth.Rule{{
				Verbs: []string{"impersonate"}, Groups: []string{""}, Resources: []string{"users"},
			}}},
		},
		Bindings: []auth.Binding{
			{Role: "operator", Users: []string{"olga"}, Namespace: "build"},
			{Role: "clerk", Users: []string{"carl"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.Authorize(policy), server.Authenticate(auth.Tokens(map[string]auth.User{
		"o": {Name: "olga"}, "c": {Name: "carl"},
	})))
	as := func(token, user string, headers ...string) []string {
		return append([]string{"Authorization: Bearer " + token, "Impersonate-User: " + user}, headers...)
	}
	const account = "system:serviceaccount:build:robot"
	run(t, s, "/apis/authentication.k8s.io/v1/selfsubjectreviews", []step{
		{
			name: "in its namespace", method: "POST", body: `{}`, headers: as("o", account), code: http.StatusCreated,
			want: []string{
				`"username":"` + account + `"`,
				`"groups":["system:serviceaccounts","system:serviceaccounts:build","system:authenticated"]`,
			},
		},
		{
			name: "in another one", method: "POST", body: `{}`, headers: as("o", "system:serviceaccount:prod:robot"),
			code: http.StatusForbidden, want: []string{`serviceaccounts \"robot\" is forbidden`},
		},
		{
			name: "with a group", method: "POST", body: `{}`, headers: as("o", account, "Impersonate-Group: web"),
			code: http.StatusForbidden, want: []string{`groups \"web\" is forbidden`},
		},
		{
			name: "by a user who acts as users", method: "POST", body: `{}`, headers: as("c", account),
			code: http.StatusForbidden, want: []string{`serviceaccounts \"robot\" is forbidden`},
		},
		{
			name: "a user with a name of that kind", method: "POST", body: `{}`,
			headers: as("c", "system:serviceaccount:build:"), code: http.StatusCreated,
			want: []string{`"groups":["system:authenticated"]`},
		},
	})
}

func TestAnonymous(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(
		auth.Policy{Bindings: []auth.Binding{{Role: auth.ViewRole, Groups: []string{auth.Unauthenticated}}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.AllowAnonymous(), server.Authenticate(auth.Tokens(nil)), server.Authorize(policy))
	run(t, s, machines, []step{
		{name: "reading", method: "GET", code: http.StatusOK},
		{name: "writing", method: "POST", body: machine(`"name":"a"`), code: http.StatusForbidden},
		{
			name: "a wrong token is not nobody", method: "GET", headers: []string{"Authorization: Bearer x"},
			code: http.StatusUnauthorized,
		},
	})
}

// TestReviewOfFailure checks that a user who asks what an authorizer allows is not allowed what it
// failed to decide.
func TestReviewOfFailure(t *testing.T) {
	t.Parallel()
	fails := auth.AuthorizerFunc(func(_ context.Context, a *auth.Attributes) (auth.Decision, string, error) {
		if a.Verb == "list" {
			return auth.Allow, "", errors.New("the database is closed")
		}
		return auth.Allow, "", nil
	})
	s := newServer(t, server.Authorize(fails))
	run(t, s, machines, []step{
		{
			name: "a review", method: "POST", path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
			body: `{"spec":{"resourceAttributes":{"verb":"list","resource":"machines"}}}`, code: http.StatusCreated,
			want: []string{`"allowed":false`, "evaluationError"}, not: []string{"database"},
		},
		{name: "the request itself", method: "GET", code: http.StatusInternalServerError, not: []string{"database"}},
	})
}

// TestAuthorizerPanicsInProcess checks that a panic of an authorizer does not reach a client in the
// process.
func TestAuthorizerPanicsInProcess(t *testing.T) {
	t.Parallel()
	s := newServer(t, server.Log(slog.New(slog.DiscardHandler)), server.Authorize(auth.AuthorizerFunc(
		func(context.Context, *auth.Attributes) (auth.Decision, string, error) { panic("a mistake") },
	)))
	c := client.Of[v1.Machine](s.ClientFor(&auth.User{Name: "anna"}))
	if _, err := c.List(t.Context()); err == nil {
		t.Error("the list has no error")
	}
}

// TestReviewsOfTheProgram checks that the program, which an authorizer is not asked about, learns
// from reviews that it may do everything.
func TestReviewsOfTheProgram(t *testing.T) {
	t.Parallel()
	c := newServer(t, server.Authorize(auth.AnyOf())).Client()
	access := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "machines"},
	}}
	access, err := client.Of[authorizationv1.SelfSubjectAccessReview](c).Create(t.Context(), access)
	if err != nil || !access.Status.Allowed {
		t.Errorf("got %v, %v", access, err)
	}
	rules, err := client.Of[authorizationv1.SelfSubjectRulesReview](c).Create(t.Context(),
		&authorizationv1.SelfSubjectRulesReview{})
	if err != nil || len(rules.Status.ResourceRules) != 1 || rules.Status.Incomplete {
		t.Errorf("got %v, %v", rules, err)
	}
}

// TestRefusedRequestsAreAudited checks that audits see who has tried what in vain.
func TestRefusedRequestsAreAudited(t *testing.T) {
	t.Parallel()
	var seen []server.AuditEvent
	s := newServer(t,
		server.Authenticate(auth.Tokens(map[string]auth.User{"a": {Name: "anna"}})),
		server.Authorize(auth.MastersAllowed()),
		server.Audit(func(_ context.Context, e server.AuditEvent) { seen = append(seen, e) }))
	run(t, s, machines, []step{{
		name: "refused", method: "DELETE", path: "a", headers: []string{"Authorization: Bearer a"}, code: http.StatusForbidden,
	}})
	if len(seen) != 1 {
		t.Fatalf("%d events", len(seen))
	}
	if e := seen[0]; e.Err == nil || e.Request.User.Name != "anna" || e.Request.Verb != "delete" ||
		e.Request.Name != "a" || e.Time.IsZero() {
		t.Errorf("got %+v of %+v", e, e.Request)
	}
}

// TestNamesAreMadeUpAgain checks that a made-up name that is taken is replaced by another one. That
// is one write for the audit.
func TestNamesAreMadeUpAgain(t *testing.T) {
	t.Parallel()
	var names []string
	taken := schema.GroupResource{Resource: "machines"}
	var events record
	admit := func(_ context.Context, r *server.Request, _, _ runtime.Object) error {
		if names = append(names, r.Name); len(names) < 4 {
			return metav1.AlreadyExists(taken, r.Name)
		}
		return nil
	}
	s := newServer(t, audited(&events), server.Admit(admit))
	run(t, s, machines, []step{{
		name: "a made-up name", method: "POST", body: machine(`"generateName":"web-"`), code: http.StatusCreated,
	}})
	if got, want := events.take(), "create "+names[len(names)-1]+" stored"; got != want {
		t.Errorf("the audit has %q, want %q", got, want)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 4 {
		t.Errorf("the names were %v", names)
	}
}

// TestAccessToNamespaces checks that an object of a resource "namespaces" is in the namespace of
// its name for authorizers, as in Kubernetes, and that lists of them are in none.
func TestAccessToNamespaces(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{Name: "reader", Rules: []auth.Rule{
			{Verbs: []string{"get", "list"}, Groups: []string{"*"}, Resources: []string{"namespaces"}},
		}}},
		Bindings: []auth.Binding{
			{Role: "reader", Users: []string{"anna"}, Namespace: "east"},
			{Role: auth.AdminRole, Users: []string{"root"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, server.Authorize(policy), server.Authenticate(auth.Tokens(map[string]auth.User{
		"a": {Name: "anna"}, "r": {Name: "root"},
	})))
	r, err := dynamic.New(dynamic.Definition{
		Group: "land.example.com", Kind: "Namespace", Resource: "namespaces", Scope: runtime.Cluster,
		Versions: []dynamic.Version{{Name: "v1", Storage: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Install(r.AddTo); err != nil {
		t.Fatal(err)
	}
	anna, root := []string{"Authorization: Bearer a"}, []string{"Authorization: Bearer r"}
	namespace := func(name string) string {
		return `{"apiVersion":"land.example.com/v1","kind":"Namespace","metadata":{"name":"` + name + `"}}`
	}
	run(t, s, "/apis/land.example.com/v1/namespaces", []step{
		{name: "east", method: "POST", body: namespace("east"), headers: root, code: http.StatusCreated},
		{name: "west", method: "POST", body: namespace("west"), headers: root, code: http.StatusCreated},
		{name: "her own", method: "GET", path: "east", headers: anna, code: http.StatusOK},
		{
			name: "another", method: "GET", path: "west", headers: anna, code: http.StatusForbidden,
			want: []string{`in the namespace \"west\"`},
		},
		{name: "all", method: "GET", headers: anna, code: http.StatusForbidden, want: []string{"at the cluster scope"}},
		{
			name: "a list of her own", method: "GET", path: "?fieldSelector=metadata.name%3Deast", headers: anna,
			code: http.StatusForbidden,
		},
	})
}

// TestAccessToFiles checks that a path with dots leads to nothing that its beginning does not
// allow.
func TestAccessToFiles(t *testing.T) {
	t.Parallel()
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{Name: "reader", Rules: []auth.Rule{{Verbs: []string{"get"}, Paths: []string{
			"/files/public/*",
		}}}}},
		Bindings: []auth.Binding{{Role: "reader", Groups: []string{auth.Unauthenticated}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	files := http.FileServerFS(fstest.MapFS{
		"public/.well": {Data: []byte("for all")}, "private/keys": {Data: []byte("a secret")},
	})
	s := newServer(t, server.Authorize(policy), server.Handle("/files/", http.StripPrefix("/files", files)))
	run(t, s, "/files", []step{
		{name: "a file", method: "GET", path: "public/.well", code: http.StatusOK, want: []string{"for all"}},
		{name: "another", method: "GET", path: "private/keys", code: http.StatusForbidden},
		{name: "with dots", method: "GET", path: "public/../private/keys", code: http.StatusNotFound},
		{name: "escaped", method: "GET", path: "public/%2e%2E%2fprivate/keys", code: http.StatusNotFound},
		{name: "a dot", method: "GET", path: "public/./.well", code: http.StatusNotFound},
	})
}
