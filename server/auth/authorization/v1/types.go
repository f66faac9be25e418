// Package v1 holds the kinds of authorization.k8s.io/v1 with which users ask what they may do:
// those that kubectl auth can-i sends.
//
// +groupName=authorization.k8s.io
// +askind:protobuf
package v1

import metav1 "github.com/askind/askind/meta/v1"

// SelfSubjectAccessReview asks whether the user of the request may do something.
//
// +askind:kind:resource=selfsubjectaccessreviews,scope=Cluster
// +askind:nolint:rule=list-missing,reason="a review is answered and not kept"
type SelfSubjectAccessReview struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is what is asked: about a resource or about a path.
	Spec SelfSubjectAccessReviewSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the answer.
	Status SubjectAccessReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// SelfSubjectAccessReviewSpec is what is asked. One of the two is set.
type SelfSubjectAccessReviewSpec struct {
	// ResourceAttributes are about a resource.
	ResourceAttributes *ResourceAttributes `json:"resourceAttributes,omitempty" protobuf:"bytes,1,opt,name=resourceAttributes"`

	// NonResourceAttributes are about a path.
	NonResourceAttributes *NonResourceAttributes `json:"nonResourceAttributes,omitempty" protobuf:"bytes,2,opt,name=nonResourceAttributes"`
}

// ResourceAttributes say what is to be done with which resource.
type ResourceAttributes struct {
	// Namespace is the namespace; blank means outside of namespaces, or all of them.
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace"`

	// Verb is what is to be done.
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

// NonResourceAttributes say what is to be done with which path.
type NonResourceAttributes struct {
	// Path is the path.
	Path string `json:"path,omitempty" protobuf:"bytes,1,opt,name=path"`

	// Verb is the method in lower case.
	Verb string `json:"verb,omitempty" protobuf:"bytes,2,opt,name=verb"`
}

// SubjectAccessReviewStatus is the answer.
type SubjectAccessReviewStatus struct {
	// Allowed says that it may be done.
	Allowed bool `json:"allowed" protobuf:"varint,1,opt,name=allowed"`

	// Denied says that it may not be done whatever others say.
	Denied bool `json:"denied,omitempty" protobuf:"varint,4,opt,name=denied"`

	// Reason says why, for people.
	Reason string `json:"reason,omitempty" protobuf:"bytes,2,opt,name=reason"`

	// EvaluationError says what kept the authorizer from deciding.
	EvaluationError string `json:"evaluationError,omitempty" protobuf:"bytes,3,opt,name=evaluationError"`
}

// SelfSubjectRulesReview asks for all that the user of the request may do in a namespace.
//
// +askind:kind:resource=selfsubjectrulesreviews,scope=Cluster
// +askind:nolint:rule=list-missing,reason="a review is answered and not kept"
type SelfSubjectRulesReview struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is what is asked.
	Spec SelfSubjectRulesReviewSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`

	// Status is the answer.
	Status SubjectRulesReviewStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// SelfSubjectRulesReviewSpec is what is asked.
type SelfSubjectRulesReviewSpec struct {
	// Namespace is the namespace.
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace"`
}

// SubjectRulesReviewStatus is the answer.
type SubjectRulesReviewStatus struct {
	// ResourceRules are the rules about resources.
	ResourceRules []ResourceRule `json:"resourceRules" protobuf:"bytes,1,rep,name=resourceRules"`

	// NonResourceRules are the rules about paths.
	NonResourceRules []NonResourceRule `json:"nonResourceRules" protobuf:"bytes,2,rep,name=nonResourceRules"`

	// Incomplete says that there may be more rules.
	Incomplete bool `json:"incomplete" protobuf:"varint,3,opt,name=incomplete"`

	// EvaluationError says why the rules are incomplete.
	EvaluationError string `json:"evaluationError,omitempty" protobuf:"bytes,4,opt,name=evaluationError"`
}

// ResourceRule allows verbs on resources.
type ResourceRule struct {
	// Verbs are what is allowed, "*" for everything.
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs"`

	// APIGroups are the groups of the resources.
	APIGroups []string `json:"apiGroups,omitempty" protobuf:"bytes,2,rep,name=apiGroups"`

	// Resources are the names of the resources.
	Resources []string `json:"resources,omitempty" protobuf:"bytes,3,rep,name=resources"`

	// ResourceNames are the objects; none means all.
	ResourceNames []string `json:"resourceNames,omitempty" protobuf:"bytes,4,rep,name=resourceNames"`
}

// NonResourceRule allows verbs on paths.
type NonResourceRule struct {
	// Verbs are what is allowed, "*" for everything.
	Verbs []string `json:"verbs" protobuf:"bytes,1,rep,name=verbs"`

	// NonResourceURLs are the paths; "*" at the end means everything below.
	NonResourceURLs []string `json:"nonResourceURLs,omitempty" protobuf:"bytes,2,rep,name=nonResourceURLs"`
}
