package server

import (
	"context"
	"net/http"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/server/auth"
)

// authenticate finds the user of a request.
func (s *Server) authenticate(r *http.Request) (*auth.User, error) {
	if u, ok := r.Context().Value(processUserKey{}).(*auth.User); ok {
		return u, nil
	}
	if s.config.authenticator == nil {
		return auth.Anonymous(), nil
	}
	user, err := s.config.authenticator.Authenticate(r)
	switch {
	case err != nil:
		s.config.log.InfoContext(r.Context(), "refused credentials", "request", requestID(r.Context()), "remote",
			r.RemoteAddr, "error", err)
		return nil, unauthorized()
	case user != nil:
		return user, nil
	case s.config.anonymous:
		return auth.Anonymous(), nil
	}
	return nil, unauthorized()
}

// auditRefused tells the audit functions of a request that is refused because of its user or
// credentials before it is known which resource it is about. It is described as far as its path
// tells.
func (s *Server) auditRefused(r *http.Request, by *auth.User, err error) {
	reason := metav1.ReasonOf(err)
	if reason != metav1.StatusReasonForbidden && reason != metav1.StatusReasonUnauthorized {
		return
	}
	t, ok := parsePath(r.URL.EscapedPath(), s.owners(s.state.Load()))
	if !ok {
		t = target{}
	}
	c := s.newCall(r, &t, by)
	if !ok {
		c.Verb = strings.ToLower(r.Method)
	}
	c.audit(nil, err)
}

// unauthorized returns the error for credentials that are missing or wrong. The client does not
// learn which.
func unauthorized() error {
	return metav1.Failure(metav1.StatusReasonUnauthorized, "Unauthorized")
}

// unlimited reports whether a user may do everything, so that no authorizer is asked.
func (s *Server) unlimited(u *auth.User) bool { return s.config.authorizer == nil || u == program }

// allow returns an error unless the user may do what the attributes describe.
func (s *Server) allow(ctx context.Context, a *auth.Attributes) error {
	if s.unlimited(a.User) {
		return nil
	}
	d, reason, err := s.config.authorizer.Authorize(ctx, a)
	switch {
	case err != nil:
		return err
	case d == auth.Allow:
		return nil
	}
	return forbidden(a, reason)
}

// forbidden returns the error for a refused request. It does not reveal what exists.
func forbidden(a *auth.Attributes, reason string) error {
	message := "User " + quote(a.User.Name) + " cannot " + printable(a.Verb)
	if a.Resource == "" {
		message = "forbidden: " + message + " path " + quote(a.Path)
	} else {
		resource := a.Resource
		if a.Subresource != "" {
			resource += "/" + a.Subresource
		}
		message += " resource " + quote(resource) + " in API group " + quote(a.Group)
		if a.Namespace != "" {
			message += " in the namespace " + quote(a.Namespace)
		} else {
			message += " at the cluster scope"
		}
	}
	if reason != "" {
		message += ": " + reason
	}
	e := metav1.Failure(metav1.StatusReasonForbidden, message)
	if a.Resource != "" {
		what := schema.GroupResource{Group: a.Group, Resource: a.Resource}.String()
		if a.Name != "" {
			what += " " + quote(a.Name)
		}
		e.Status.Message = what + " is forbidden: " + message
		e.Status.Details = &metav1.StatusDetails{Name: a.Name, Group: a.Group, Kind: a.Resource}
	}
	return e
}

func quote(s string) string { return `"` + strings.ReplaceAll(printable(s), `"`, `'`) + `"` }

// allowPath returns an error unless the user may request a path that is not a resource.
func (s *Server) allowPath(r *http.Request) error {
	verb := strings.ToLower(r.Method)
	if r.Method == http.MethodHead || r.Method == http.MethodOptions {
		verb = "get"
	}
	return s.allow(r.Context(), &auth.Attributes{User: auth.UserOf(r.Context()), Verb: verb, Path: r.URL.Path})
}
