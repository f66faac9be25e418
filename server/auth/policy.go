package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rule allows verbs on resources, or on paths. "*" stands for all.
type Rule struct {
	_ struct{} // literals name their fields

	// Verbs are the verbs that the rule allows.
	Verbs []string
	// Groups and Resources select the resources: those that match both. The core group is "".
	// "cars/status" is a subresource, "*/scale" one of all resources, "*" all resources with their
	// subresources.
	Groups, Resources []string
	// Names restrict the rule to some objects. Such a rule never allows deletecollection, a create
	// other than by an apply, or a list or watch that does not select one name.
	Names []string
	// Paths are the other paths that the rule allows, such as "/healthz". A "*" at the end includes
	// all paths below.
	Paths []string
}

// Role is a named set of rules.
type Role struct {
	_ struct{} // literals name their fields

	// Name is the name by which bindings refer to the role.
	Name string
	// Rules are what the role allows. One matching rule suffices.
	Rules []Rule
}

// Binding gives a role to users and groups.
type Binding struct {
	_ struct{} // literals name their fields

	// Role is the name of the role.
	Role string
	// Users and Groups have the role.
	Users, Groups []string
	// Namespace restricts the binding to requests about one namespace, which as in Kubernetes
	// include those about the object of that name of a resource "namespaces". Blank means
	// everywhere, and only then are other resources outside of namespaces, lists of all namespaces,
	// and paths meant.
	Namespace string
}

// Policy is an [Authorizer] by rules in the shape of RBAC. The zero Policy allows nothing but what
// is built in: see [DiscoveryRole].
type Policy struct {
	_ struct{} // literals name their fields

	// Roles are the roles that bindings name, besides those that are built in: [AdminRole],
	// [ViewRole] and [DiscoveryRole].
	Roles []Role
	// Bindings assign roles to users and groups.
	Bindings []Binding
	// ClosedDiscovery leaves out the binding of [DiscoveryRole] to the group [Authenticated].
	ClosedDiscovery bool
}

// The names of the roles that are built in.
const (
	// AdminRole allows everything.
	AdminRole = "admin"
	// ViewRole allows reading all resources.
	ViewRole = "view"
	// DiscoveryRole allows reading the discovery documents, the Groups of discovery.k8s.io, the
	// OpenAPI documents, the version and the health of the server, and reviewing one's own rights.
	// All users in the group [Authenticated] have it.
	DiscoveryRole = "discovery"
)

// adminRules returns the rules that allow everything.
func adminRules() []Rule {
	return []Rule{
		{Verbs: []string{"*"}, Groups: []string{"*"}, Resources: []string{"*"}},
		{Verbs: []string{"*"}, Paths: []string{"*"}},
	}
}

// builtin returns the roles that every policy has.
func builtin() []Role {
	return []Role{
		{Name: AdminRole, Rules: adminRules()},
		{Name: ViewRole, Rules: []Rule{
			{Verbs: []string{"get", "list", "watch"}, Groups: []string{"*"}, Resources: []string{"*"}},
		}},
		{Name: DiscoveryRole, Rules: []Rule{
			{Verbs: []string{"get"}, Paths: []string{
				"/api", "/api/*", "/apis", "/apis/*", "/oapi", "/oapi/*",
				"/openapi", "/openapi/*", "/version", "/version/", "/healthz", "/livez", "/readyz",
			}},
			{
				Verbs: []string{"get", "list", "watch"}, Groups: []string{"discovery.k8s.io"},
				Resources: []string{"groups"},
			},
			{
				Verbs: []string{"create"}, Groups: []string{"authorization.k8s.io"},
				Resources: []string{"selfsubjectaccessreviews", "selfsubjectrulesreviews"},
			},
			{
				Verbs: []string{"create"}, Groups: []string{"authentication.k8s.io"},
				Resources: []string{"selfsubjectreviews"},
			},
		}},
	}
}

// NewPolicy returns the policy as an authorizer that also lists rules, see [RuleLister]. It shares
// no memory with the policy. The error names every binding without a role and every role with a
// name that is taken.
func NewPolicy(p Policy) (*PolicyAuthorizer, error) {
	out := &PolicyAuthorizer{}
	roles := map[string][]Rule{}
	var errs []error
	for _, role := range append(builtin(), p.Roles...) {
		if _, taken := roles[role.Name]; taken {
			errs = append(errs, fmt.Errorf("auth: there is a role %q already", role.Name))
		}
		roles[role.Name] = role.Rules
	}
	bindings := slices.Clone(p.Bindings)
	if !p.ClosedDiscovery {
		bindings = append(bindings, Binding{Role: DiscoveryRole, Groups: []string{Authenticated}})
	}
	for _, b := range bindings {
		rules, ok := roles[b.Role]
		if !ok {
			errs = append(errs, fmt.Errorf("auth: a binding names the role %q, which does not exist", b.Role))
		}
		b.Users, b.Groups = slices.Clone(b.Users), slices.Clone(b.Groups)
		out.grants = append(out.grants, grant{b, cloneRules(rules)})
	}
	return out, errors.Join(errs...)
}

func cloneRules(rules []Rule) []Rule {
	out := slices.Clone(rules)
	for i := range out {
		r := &out[i]
		r.Verbs, r.Groups, r.Resources = slices.Clone(r.Verbs), slices.Clone(r.Groups), slices.Clone(r.Resources)
		r.Names, r.Paths = slices.Clone(r.Names), slices.Clone(r.Paths)
	}
	return out
}

// PolicyAuthorizer authorizes requests by a [Policy]. It is immutable.
type PolicyAuthorizer struct{ grants []grant }

// grant is a binding with the rules of its role.
type grant struct {
	Binding
	rules []Rule
}

// ErrIncomplete reports that there may be more rules than are listed, because an authorizer cannot
// list its rules.
var ErrIncomplete = errors.New("an authorizer cannot list its rules")

// RuleLister is implemented by authorizers that can list what a user may do.
type RuleLister interface {
	// RulesFor returns the rules that apply to a user in a namespace, including those that apply
	// everywhere. With [ErrIncomplete] there may be more.
	RulesFor(ctx context.Context, u *User, namespace string) ([]Rule, error)
}

// Authorize implements [Authorizer].
func (p *PolicyAuthorizer) Authorize(_ context.Context, a *Attributes) (Decision, string, error) {
	for i := range p.grants {
		g := &p.grants[i]
		if !g.holdsFor(a.User) || g.Namespace != "" && (a.Resource == "" || g.Namespace != a.Namespace) {
			continue
		}
		if slices.ContainsFunc(g.rules, func(r Rule) bool { return r.allows(a) }) {
			return Allow, "", nil
		}
	}
	return NoOpinion, "", nil
}

// RulesFor implements [RuleLister].
func (p *PolicyAuthorizer) RulesFor(_ context.Context, u *User, namespace string) (out []Rule, err error) {
	for i := range p.grants {
		g := &p.grants[i]
		if !g.holdsFor(u) || g.Namespace != "" && g.Namespace != namespace {
			continue
		}
		for _, r := range cloneRules(g.rules) {
			if g.Namespace != "" {
				r.Paths = nil // only a binding without a namespace allows them
			}
			if len(r.Resources) > 0 || len(r.Paths) > 0 {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// holdsFor reports whether the binding is for a user.
func (g *grant) holdsFor(u *User) bool {
	return slices.Contains(g.Users, u.Name) ||
		slices.ContainsFunc(u.Groups, func(group string) bool { return slices.Contains(g.Groups, group) })
}

// allows reports whether the rule covers a request.
func (r *Rule) allows(a *Attributes) bool {
	if !has(r.Verbs, a.Verb) {
		return false
	}
	if a.Resource == "" {
		return slices.ContainsFunc(r.Paths, func(pattern string) bool { return covers(pattern, a.Path) })
	}
	if !has(r.Groups, a.Group) ||
		!slices.ContainsFunc(r.Resources, func(name string) bool { return names(name, a.Resource, a.Subresource) }) {
		return false
	}
	return len(r.Names) == 0 || a.Name != "" && slices.Contains(r.Names, a.Name)
}

// has reports whether a list contains a word or "*".
func has(list []string, word string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, word)
}

// names reports whether an element of [Rule].Resources matches a resource.
func names(element, resource, subresource string) bool {
	if element == "*" {
		return true
	}
	r, s, _ := strings.Cut(element, "/")
	return (r == "*" || r == resource) && (s == subresource || s == "*" && subresource != "")
}

// covers reports whether an element of [Rule].Paths matches a path.
func covers(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return pattern == path
}
