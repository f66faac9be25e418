package auth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/askind/askind/server/auth"
)

func TestPolicy(t *testing.T) {
	t.Parallel()
	p, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{
			{Name: "drive", Rules: []auth.Rule{
				{Verbs: []string{"get", "list"}, Groups: []string{"garage"}, Resources: []string{
					"cars", "cars/status",
					"*/scale",
				}},
				{
					Verbs: []string{"*"}, Groups: []string{"garage"}, Resources: []string{"keys"},
					Names: []string{"mine"},
				},
			}},
			{Name: "parts", Rules: []auth.Rule{
				{Verbs: []string{"get"}, Groups: []string{"garage"}, Resources: []string{"cars/*"}},
			}},
			{Name: "paths", Rules: []auth.Rule{{Verbs: []string{"get"}, Paths: []string{"/logs/*", "/metrics"}}}},
		},
		Bindings: []auth.Binding{
			{Role: "drive", Groups: []string{"drivers"}, Namespace: "home"},
			{Role: "paths", Users: []string{"anna"}},
			{Role: "paths", Users: []string{"berta"}, Namespace: "home"},
			{Role: "parts", Users: []string{"berta"}},
			{Role: auth.AdminRole, Users: []string{"root"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	anna := &auth.User{Name: "anna", Groups: []string{"drivers", auth.Authenticated}}
	berta, root := &auth.User{Name: "berta"}, &auth.User{Name: "root"}
	for _, c := range []struct {
		name string
		a    auth.Attributes
		want auth.Decision
	}{
		{"a rule", auth.Attributes{
			User: anna, Verb: "get", Group: "garage", Resource: "cars", Namespace: "home",
			Name: "a",
		}, auth.Allow},
		{"another verb", auth.Attributes{
			User: anna, Verb: "delete", Group: "garage", Resource: "cars",
			Namespace: "home", Name: "a",
		}, auth.NoOpinion},
		{"another namespace", auth.Attributes{
			User: anna, Verb: "get", Group: "garage", Resource: "cars",
			Namespace: "work", Name: "a",
		}, auth.NoOpinion},
		{
			"all namespaces",
			auth.Attributes{User: anna, Verb: "list", Group: "garage", Resource: "cars"},
			auth.NoOpinion,
		},
		{
			"another group",
			auth.Attributes{User: anna, Verb: "get", Group: "", Resource: "cars", Namespace: "home"},
			auth.NoOpinion,
		},
		{"a subresource", auth.Attributes{
			User: anna, Verb: "get", Group: "garage", Resource: "cars",
			Subresource: "status", Namespace: "home",
		}, auth.Allow},
		{"another one", auth.Attributes{
			User: anna, Verb: "get", Group: "garage", Resource: "cars", Subresource: "log",
			Namespace: "home",
		}, auth.NoOpinion},
		{"one of all resources", auth.Attributes{
			User: anna, Verb: "get", Group: "garage", Resource: "bikes",
			Subresource: "scale", Namespace: "home",
		}, auth.Allow},
		{"but not the resource", auth.Attributes{
			User: anna, Verb: "get", Group: "garage", Resource: "bikes",
			Namespace: "home",
		}, auth.NoOpinion},
		{"a name", auth.Attributes{
			User: anna, Verb: "delete", Group: "garage", Resource: "keys", Namespace: "home",
			Name: "mine",
		}, auth.Allow},
		{"another name", auth.Attributes{
			User: anna, Verb: "delete", Group: "garage", Resource: "keys",
			Namespace: "home", Name: "yours",
		}, auth.NoOpinion},
		{"no name", auth.Attributes{
			User: anna, Verb: "deletecollection", Group: "garage", Resource: "keys",
			Namespace: "home",
		}, auth.NoOpinion},
		{"a path below", auth.Attributes{User: anna, Verb: "get", Path: "/logs/today"}, auth.Allow},
		{"a path", auth.Attributes{User: anna, Verb: "get", Path: "/metrics"}, auth.Allow},
		{"beside it", auth.Attributes{User: anna, Verb: "get", Path: "/metrics/x"}, auth.NoOpinion},
		{
			"a path by a binding in a namespace",
			auth.Attributes{User: berta, Verb: "get", Path: "/metrics", Namespace: "home"},
			auth.NoOpinion,
		},
		{"all subresources", auth.Attributes{
			User: berta, Verb: "get", Group: "garage", Resource: "cars", Subresource: "log",
		}, auth.Allow},
		{
			"do not include the resource",
			auth.Attributes{User: berta, Verb: "get", Group: "garage", Resource: "cars"},
			auth.NoOpinion,
		},
		{"discovery", auth.Attributes{User: anna, Verb: "get", Path: "/apis/garage"}, auth.Allow},
		{
			"discovery objects",
			auth.Attributes{User: anna, Verb: "watch", Group: "discovery.k8s.io", Resource: "groups"},
			auth.Allow,
		},
		{
			"discovery without credentials",
			auth.Attributes{User: auth.Anonymous(), Verb: "get", Path: "/apis"},
			auth.NoOpinion,
		},
		{
			"an administrator",
			auth.Attributes{User: root, Verb: "delete", Group: "x", Resource: "y", Subresource: "z"},
			auth.Allow,
		},
		{"on every path", auth.Attributes{User: root, Verb: "post", Path: "/x"}, auth.Allow},
	} {
		got, _, err := p.Authorize(context.Background(), &c.a)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// TestPolicyRules checks that the rules of a user are those that hold in the namespace.
func TestPolicyRules(t *testing.T) {
	t.Parallel()
	p, err := auth.NewPolicy(auth.Policy{ClosedDiscovery: true, Bindings: []auth.Binding{
		{Role: auth.ViewRole, Users: []string{"anna"}, Namespace: "home"},
		{Role: auth.AdminRole, Users: []string{"root"}},
		{Role: auth.AdminRole, Users: []string{"olga"}, Namespace: "home"}, // without the paths
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user, namespace string
		want            int
	}{
		{"anna", "home", 1},
		{"anna", "work", 0},
		{"anna", "", 0},
		{"root", "work", 2},
		{"olga", "home", 1},
		{"eve", "home", 0},
	} {
		rules, err := p.RulesFor(t.Context(), &auth.User{Name: c.user}, c.namespace)
		if err != nil || len(rules) != c.want {
			t.Errorf("%s in %q: %d rules, %v, want %d", c.user, c.namespace, len(rules), err, c.want)
		}
	}
}

// TestRulesOfMasters checks that the authorizers of this package, alone or together, list all that
// they allow, so that kubectl auth can-i --list has no doubts.
func TestRulesOfMasters(t *testing.T) {
	t.Parallel()
	p, err := auth.NewPolicy(auth.Policy{ClosedDiscovery: true, Bindings: []auth.Binding{
		{Role: auth.ViewRole, Users: []string{"anna", "root"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	root, anna := &auth.User{Name: "root", Groups: []string{auth.Masters}}, &auth.User{Name: "anna"}
	for _, c := range []struct {
		name string
		a    auth.Authorizer
		user *auth.User
		want int
	}{
		{"a master", auth.AnyOf(auth.MastersAllowed(), p), root, 3},
		{"another one", auth.AnyOf(auth.MastersAllowed(), p), anna, 1},
		{"everybody", auth.AllowAll(), anna, 2},
	} {
		rules, err := c.a.(auth.RuleLister).RulesFor(t.Context(), c.user, "")
		if err != nil || len(rules) != c.want {
			t.Errorf("%s: %d rules, %v, want %d", c.name, len(rules), err, c.want)
		}
	}
}

// closed is an authorizer that cannot list its rules at present.
type closed struct{ auth.Authorizer }

func (closed) RulesFor(context.Context, *auth.User, string) ([]auth.Rule, error) {
	return nil, errors.New("the database is closed")
}

// TestRulesOfFailure checks that the failure of an authorizer does not pass for an incomplete list,
// whose cause clients read, even if another authorizer cannot list its rules.
func TestRulesOfFailure(t *testing.T) {
	t.Parallel()
	silent := auth.AuthorizerFunc(nil) // cannot list its rules
	for _, list := range [][]auth.Authorizer{{silent, closed{}}, {closed{}, silent}} {
		_, err := auth.AnyOf(list...).(auth.RuleLister).RulesFor(t.Context(), &auth.User{Name: "anna"}, "")
		if err == nil || errors.Is(err, auth.ErrIncomplete) {
			t.Errorf("got %v", err)
		}
	}
}

func TestPolicyMistakes(t *testing.T) {
	t.Parallel()
	_, err := auth.NewPolicy(auth.Policy{
		Roles:    []auth.Role{{Name: auth.AdminRole}},
		Bindings: []auth.Binding{{Role: "nothing"}},
	})
	if err == nil || !strings.Contains(err.Error(), `a role "admin" already`) ||
		!strings.Contains(err.Error(), `the role "nothing"`) {
		t.Errorf("got %v", err)
	}
}

func ExampleNewPolicy() {
	policy, err := auth.NewPolicy(
		auth.Policy{Bindings: []auth.Binding{{Role: auth.ViewRole, Users: []string{"anna"}, Namespace: "default"}}},
	)
	if err != nil {
		panic(err)
	}
	anna := &auth.User{Name: "anna"}
	for _, verb := range []string{"list", "create"} {
		decision, _, _ := policy.Authorize(context.Background(), &auth.Attributes{
			User: anna, Verb: verb,
			Resource: "notes", Namespace: "default",
		})
		fmt.Println(verb, decision)
	}
	// Output:
	// list allow
	// create no opinion
}

// TestPolicyIsImmutable checks that an authorizer neither follows changes of the policy that it was
// made of, nor changes it.
func TestPolicyIsImmutable(t *testing.T) {
	t.Parallel()
	bindings := make([]auth.Binding, 1, 4)
	bindings[0] = auth.Binding{Role: "lister", Users: []string{"anna"}}
	verbs := []string{"list"}
	policy, err := auth.NewPolicy(auth.Policy{
		Roles: []auth.Role{{
			Name:  "lister",
			Rules: []auth.Rule{{Verbs: verbs, Groups: []string{"*"}, Resources: []string{"*"}}},
		}},
		Bindings: bindings,
	})
	if err != nil {
		t.Fatal(err)
	}
	if spare := bindings[:2][1]; spare.Role != "" {
		t.Errorf("the array of the bindings has been given %v", spare)
	}
	bindings[0].Role, bindings[0].Users[0], verbs[0] = auth.AdminRole, "eve", "delete"
	for user, want := range map[string]bool{"anna": true, "eve": false} {
		decision, _, _ := policy.Authorize(t.Context(), &auth.Attributes{
			User: &auth.User{Name: user}, Verb: "list", Resource: "notes", Namespace: "default",
		})
		if got := decision == auth.Allow; got != want {
			t.Errorf("%s: %v, want %v", user, got, want)
		}
	}
}
