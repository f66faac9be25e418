package server

import (
	"context"
	"errors"
	"slices"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/server/auth"
	authenticationv1 "github.com/askind/askind/server/auth/authentication/v1"
	authorizationv1 "github.com/askind/askind/server/auth/authorization/v1"
)

// reviews are the kinds with which users ask who they are and what they may do. They are served
// where there are users: with an authenticator or an authorizer. Their options set this, so that a
// program without them does not link the kinds.
type reviews struct {
	addTo     []func(*runtime.Builder)
	functions func(*Server) []functionResource
}

// newReviews returns what the options set.
func newReviews() reviews {
	return reviews{[]func(*runtime.Builder){authorizationv1.AddTo, authenticationv1.AddTo}, (*Server).reviewFunctions}
}

// reviewFunctions returns the resources of these kinds.
func (s *Server) reviewFunctions() []functionResource {
	return []functionResource{
		typedFunctions[authorizationv1.SelfSubjectAccessReview]{
			Functions[authorizationv1.SelfSubjectAccessReview]{Create: s.reviewAccess},
		},
		typedFunctions[authorizationv1.SelfSubjectRulesReview]{
			Functions[authorizationv1.SelfSubjectRulesReview]{Create: s.reviewRules},
		},
		typedFunctions[authenticationv1.SelfSubjectReview]{
			Functions[authenticationv1.SelfSubjectReview]{Create: reviewSelf},
		},
	}
}

// reviewAccess answers whether the user may do something.
func (s *Server) reviewAccess(ctx context.Context, r *Request,
	in *authorizationv1.SelfSubjectAccessReview,
) (*authorizationv1.SelfSubjectAccessReview, error) {
	a := &auth.Attributes{User: r.User}
	switch resource, path := in.Spec.ResourceAttributes, in.Spec.NonResourceAttributes; {
	case (resource == nil) == (path == nil):
		return nil, metav1.BadRequest("spec: one of resourceAttributes and nonResourceAttributes must be set")
	case resource != nil:
		a.Verb, a.Group, a.Version, a.Resource, a.Subresource = resource.Verb, resource.Group, resource.Version,
			resource.Resource, resource.Subresource
		a.Namespace, a.Name = resource.Namespace, resource.Name
	default:
		a.Verb, a.Path = path.Verb, path.Path
	}
	if s.unlimited(r.User) {
		in.Status.Allowed = true
		return in, nil
	}
	d, reason, err := s.config.authorizer.Authorize(ctx, a)
	in.Status = authorizationv1.SubjectAccessReviewStatus{
		Allowed: err == nil && d == auth.Allow,
		Denied:  d == auth.Deny, Reason: reason,
	}
	if err != nil {
		s.config.log.ErrorContext(ctx, "the authorizer failed", "request", r.ID, "error", err)
		in.Status.EvaluationError = "the authorizer failed; the server has logged it with the request ID " + r.ID
	}
	return in, nil
}

// reviewRules answers with all that the user may do in a namespace, as far as the authorizer can
// tell.
func (s *Server) reviewRules(ctx context.Context, r *Request,
	in *authorizationv1.SelfSubjectRulesReview,
) (*authorizationv1.SelfSubjectRulesReview, error) {
	in.Status = authorizationv1.SubjectRulesReviewStatus{
		ResourceRules:    []authorizationv1.ResourceRule{},
		NonResourceRules: []authorizationv1.NonResourceRule{},
	}
	var rules []auth.Rule
	var err error
	if s.unlimited(r.User) {
		all := []string{"*"}
		rules = []auth.Rule{{Verbs: all, Groups: all, Resources: all, Paths: all}}
	} else if lister, ok := s.config.authorizer.(auth.RuleLister); ok {
		rules, err = lister.RulesFor(ctx, r.User, in.Spec.Namespace)
	} else {
		err = auth.ErrIncomplete
	}
	if errors.Is(err, auth.ErrIncomplete) {
		in.Status.Incomplete, in.Status.EvaluationError = true, err.Error()
	} else if err != nil {
		return nil, err
	}
	for _, rule := range rules {
		if len(rule.Resources) > 0 {
			in.Status.ResourceRules = append(in.Status.ResourceRules, authorizationv1.ResourceRule{
				Verbs: slices.Clone(rule.Verbs), APIGroups: slices.Clone(rule.Groups),
				Resources: slices.Clone(rule.Resources), ResourceNames: slices.Clone(rule.Names),
			})
		}
		if len(rule.Paths) > 0 {
			in.Status.NonResourceRules = append(in.Status.NonResourceRules,
				authorizationv1.NonResourceRule{
					Verbs:           slices.Clone(rule.Verbs),
					NonResourceURLs: slices.Clone(rule.Paths),
				})
		}
	}
	return in, nil
}

// reviewSelf answers who makes the request.
func reviewSelf(_ context.Context, r *Request,
	in *authenticationv1.SelfSubjectReview,
) (*authenticationv1.SelfSubjectReview, error) {
	var extra map[string]authenticationv1.ExtraValue
	for key, values := range r.User.Extra {
		if extra == nil {
			extra = map[string]authenticationv1.ExtraValue{}
		}
		extra[key] = values
	}
	in.Status.UserInfo = authenticationv1.UserInfo{
		Username: r.User.Name, UID: r.User.UID, Groups: r.User.Groups,
		Extra: extra,
	}
	return in, nil
}
