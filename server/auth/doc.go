// Package auth finds the user of a request and decides what the user may do.
//
// An [Authenticator] finds the [User] of a request: by a client certificate ([ClientCertificates]),
// a bearer token ([TokenFile], [Tokens]), or headers of a proxy whose certificate is checked
// ([FrontProxy]). [FirstOf] asks several in turn.
//
// An [Authorizer] allows or refuses [Attributes]: the user, the verb, and the resource or path.
// [Policy] holds rules in the shape of RBAC: roles are lists of rules, bindings give roles to users
// and groups, everywhere or in one namespace. A request that no rule allows is refused.
//
//	tokens, err := auth.TokenFile("tokens.csv", func(err error) { log.Print(err) })
//	…
//	policy, err := auth.NewPolicy(auth.Policy{Bindings: []auth.Binding{
//		{Role: auth.AdminRole, Groups: []string{"operators"}},
//		{Role: auth.ViewRole, Users: []string{"anna"}, Namespace: "default"},
//	}})
//	…
//	srv, err := server.New(scheme, db, server.Authenticate(tokens), server.Authorize(policy))
//
// Every user that has been authenticated is in the group [Authenticated]; a request without
// credentials is made by [Anonymous], if the server admits that at all.
//
// The package does not depend on package server, which calls it.
package auth
