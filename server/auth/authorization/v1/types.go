// Package v1 holds the kinds of authorization.k8s.io/v1 for reviews of the user's own permissions,
// which kubectl auth can-i sends.
//
// +groupName=authorization.k8s.io
// +askind:protobuf
package v1

import metav1 "github.com/askind/askind/meta/v1"

// SelfSubjectAccessReview checks whether the user of the request may perform an action.
//
// +askind:kind:resource=selfsubjectaccessreviews,scope=Cluster
// +askind:nolint:rule=list-missing,reason="a review is answered and not kept"
type SelfSubjectAccessReview struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the action, on a resource or on a path.
	Spec SelfSubjectAccessReviewSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the result.
	Status SubjectAccessReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// SelfSubjectAccessReviewSpec is an action. Exactly one field is set.
type SelfSubjectAccessReviewSpec struct {
	// ResourceAttributes are those of an action on a resource.
	ResourceAttributes *ResourceAttributes `json:"resourceAttributes,omitempty" protobuf:"bytes,1,opt,name=resourceAttributes"`

	// NonResourceAttributes are those of an action on a path.
	NonResourceAttributes *NonResourceAttributes `json:"nonResourceAttributes,omitempty" protobuf:"bytes,2,opt,name=nonResourceAttributes"`
}

// ResourceAttributes describe an action on a resource.
type ResourceAttributes struct {
	// Namespace is the namespace; blank means outside of namespaces, or all of them.
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace"`

	// Verb is the verb of the action.
	Verb string `json:"verb,omitempty" protobuf:"bytes,2,opt,name=verb"`

	// Group, Version, Resource and Subresource name the resource.
	Group string `json:"group,omitempty" protobuf:"bytes,3,opt,name=group"`

	// Version is the version of the group.
	Version string `json:"version,omitempty" protobuf:"bytes,4,opt,name=version"`

	// Resource is the plural name.
	Resource string `json:"resource,omitempty" protobuf:"bytes,5,opt,name=resource"`

	// Subresource is blank for the resource itself.
	Subresource string `json:"subresource,omitempty" protobuf:"bytes,6,opt,name=subresource"`

	// Name is the object; blank means all of them.
	Name string `json:"name,omitempty" protobuf:"bytes,7,opt,name=name"`
}

// NonResourceAttributes describe an action on a path.
type NonResourceAttributes struct {
	// Path is the path.
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt,name=path"`

	// Verb is the method in lower case.
	Verb string `json:"verb,omitempty" protobuf:"bytes,2,opt,name=verb"`
}

// SubjectAccessReviewStatus is the result.
type SubjectAccessReviewStatus struct {
	// Allowed reports that the action is allowed.
	Allowed bool `json:"allowed" protobuf:"varint,1,opt,name=allowed"`

	// Denied reports that the action is denied, regardless of other authorizers.
	Denied bool `json:"denied,omitempty" protobuf:"varint,4,opt,name=denied"`

	// Reason explains the result to people.
	Reason string `json:"reason,omitempty" protobuf:"bytes,2,opt,name=reason"`

	// EvaluationError is the error that prevented a decision.
	EvaluationError string `json:"evaluationError,omitempty" protobuf:"bytes,3,opt,name=evaluationError"`
}

// SelfSubjectRulesReview lists the actions that the user of the request may perform in a namespace.
//
// +askind:kind:resource=selfsubjectrulesreviews,scope=Cluster
// +askind:nolint:rule=list-missing,reason="a review is answered and not kept"
type SelfSubjectRulesReview struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec selects the namespace.
	Spec SelfSubjectRulesReviewSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the result.
	Status SubjectRulesReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// SelfSubjectRulesReviewSpec selects the namespace.
type SelfSubjectRulesReviewSpec struct {
	// Namespace is the namespace.
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace"`
}

// SubjectRulesReviewStatus is the result.
type SubjectRulesReviewStatus struct {
	// ResourceRules are the rules for resources.
	ResourceRules []ResourceRule `json:"resourceRules" protobuf:"bytes,1,rep,name=resourceRules"`

	// NonResourceRules are the rules for paths.
	NonResourceRules []NonResourceRule `json:"nonResourceRules" protobuf:"bytes,2,rep,name=nonResourceRules"`

	// Incomplete reports that there may be more rules.
	Incomplete bool `json:"incomplete" protobuf:"varint,3,opt,name=incomplete"`

	// EvaluationError explains why the rules are incomplete.
	EvaluationError string `json:"evaluationError,omitempty" protobuf:"bytes,4,opt,name=evaluationError"`
}

// ResourceRule allows verbs on resources.
type ResourceRule struct {
	// Verbs are the allowed verbs, "*" for all.
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs"`

	// APIGroups are the groups of the resources.
	APIGroups []string `json:"apiGroups,omitempty" protobuf:"bytes,2,rep,name=apiGroups"`

	// Resources are the names of the resources.
	Resources []string `json:"resources,omitempty" protobuf:"bytes,3,rep,name=resources"`

	// ResourceNames are the names of the objects; none means all.
	ResourceNames []string `json:"resourceNames,omitempty" protobuf:"bytes,4,rep,name=resourceNames"`
}

// NonResourceRule allows verbs on paths.
type NonResourceRule struct {
	// Verbs are the allowed verbs, "*" for all.
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs"`

	// NonResourceURLs are the paths; "*" at the end includes all paths below.
	NonResourceURLs []string `json:"nonResourceURLs,omitempty" protobuf:"bytes,2,rep,name=nonResourceURLs"`
}
