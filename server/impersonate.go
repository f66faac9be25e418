package server

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/server/auth"
)

// The headers by which a user acts as another one, such as those of kubectl --as.
const (
	impersonateUser  = "Impersonate-User"
	impersonateUID   = "Impersonate-Uid"
	impersonateGroup = "Impersonate-Group"
	impersonateExtra = "Impersonate-Extra-"
	impersonate      = "Impersonate-"
)

// mostImpersonated bounds the values for each of which the authorizer is asked.
const mostImpersonated = 100

// impersonates reports whether there are headers for impersonation.
func impersonates(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, impersonate) {
			return true
		}
	}
	return false
}

// asImpersonated returns the user as whom a request with such headers is made.
func (s *Server) asImpersonated(r *http.Request, by *auth.User) (*auth.User, error) {
	if s.config.impersonate == nil {
		return nil, metav1.Failure(metav1.StatusReasonForbidden,
			"a server without an authorizer does not let users act as others")
	}
	return s.config.impersonate(s, r, by)
}

// serviceAccounts is the group of all service accounts. Clusters have them, and their names reach a
// server through tokens that a cluster reviews, or through a front proxy.
const serviceAccounts = "system:serviceaccounts"

// serviceAccount returns the parts of the name that Kubernetes gives to the user of a service
// account.
func serviceAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, "system:serviceaccount:")
	namespace, name, two := strings.Cut(rest, ":")
	return namespace, name, ok && two && namespace != "" && name != "" && !strings.Contains(name, ":")
}

// impersonated returns the user as whom the request is made. Each part of the other identity is
// authorized, with the verb impersonate, as in Kubernetes. Headers that cannot be followed are an
// error, because a request must not be made with other rights than those that were asked for.
func (s *Server) impersonated(r *http.Request, by *auth.User) (*auth.User, error) {
	as := &auth.User{Groups: slices.Clone(r.Header[impersonateGroup])}
	asked := len(as.Groups)
	var implied []string // groups that the name of the user brings
	checks := []auth.Attributes{}
	check := func(a auth.Attributes) {
		a.User, a.Verb, a.Version, a.Path = by, "impersonate", "v1", r.URL.Path
		checks = append(checks, a)
	}
	const review = "authentication.k8s.io"
	for _, name := range r.Header[impersonateUser] {
		asked++
		as.Name = name
		if namespace, account, ok := serviceAccount(name); ok {
			check(auth.Attributes{Resource: "serviceaccounts", Namespace: namespace, Name: account})
			if len(r.Header[impersonateGroup]) == 0 {
				implied = []string{serviceAccounts, serviceAccounts + ":" + namespace}
			}
			continue
		}
		check(auth.Attributes{Resource: "users", Name: name})
	}
	for _, group := range as.Groups {
		check(auth.Attributes{Resource: "groups", Name: group})
	}
	for _, uid := range r.Header[impersonateUID] {
		asked++
		as.UID = uid
		check(auth.Attributes{Group: review, Resource: "uids", Name: uid})
	}
	unknown := false
	for _, header := range slices.Sorted(maps.Keys(r.Header)) {
		key, ok := strings.CutPrefix(header, impersonateExtra)
		if !ok {
			switch header {
			case impersonateUser, impersonateGroup, impersonateUID:
			default:
				unknown = unknown || strings.HasPrefix(header, impersonate)
			}
			continue
		}
		if key = strings.ToLower(key); strings.Contains(key, "%") {
			if unescaped, err := url.PathUnescape(key); err == nil {
				key = unescaped
			}
		}
		for _, value := range r.Header[header] {
			asked++
			if as.Extra == nil {
				as.Extra = map[string][]string{}
			}
			as.Extra[key] = append(as.Extra[key], value)
			check(auth.Attributes{Group: review, Resource: "userextras", Subresource: key, Name: value})
		}
	}
	switch {
	case unknown:
		return nil, metav1.BadRequest("there is an Impersonate header that the server does not know")
	case len(r.Header[impersonateUser]) != 1 || as.Name == "" || len(r.Header[impersonateUID]) > 1:
		return nil, metav1.BadRequest("the Impersonate headers must name one user, with at most one UID")
	case asked > mostImpersonated:
		return nil, metav1.BadRequest("there are too many Impersonate headers")
	}
	for i := range checks {
		if err := s.allow(r.Context(), &checks[i]); err != nil {
			s.config.log.InfoContext(r.Context(), "refused impersonation", "request", requestID(r.Context()),
				"user", by.Name, "as", printable(as.Name), "error", err)
			return nil, err
		}
	}
	as.Groups = append(as.Groups, implied...)
	switch {
	case as.In(auth.Unauthenticated): // whatever the name is, as in Kubernetes
	case as.Name == auth.AnonymousName:
		as.Groups = append(as.Groups, auth.Unauthenticated)
	case !as.In(auth.Authenticated):
		as.Groups = append(as.Groups, auth.Authenticated)
	}
	traceOf(r.Context()).impersonator = by
	return as, nil
}
