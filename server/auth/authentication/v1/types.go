// Package v1 holds the kind of authentication.k8s.io/v1 for reviews of the user's own identity,
// which kubectl auth whoami sends.
//
// +groupName=authentication.k8s.io
// +askind:protobuf
package v1

import metav1 "github.com/askind/askind/meta/v1"

// SelfSubjectReview returns the user of the request.
//
// +askind:kind:resource=selfsubjectreviews,scope=Cluster
// +askind:nolint:rule=list-missing,reason="a review is answered and not kept"
type SelfSubjectReview struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Status is the result.
	Status SelfSubjectReviewStatus `json:"status,omitempty" protobuf:"bytes,2,opt,name=status"`
}

// SelfSubjectReviewStatus is the result.
type SelfSubjectReviewStatus struct {
	// UserInfo describes the user.
	UserInfo UserInfo `json:"userInfo,omitempty" protobuf:"bytes,1,opt,name=userInfo"`
}

// UserInfo describes a user.
type UserInfo struct {
	// Username identifies the user to people and rules.
	Username string `json:"username,omitempty" protobuf:"bytes,1,opt,name=username"`

	// UID identifies the user if names are used again.
	UID string `json:"uid,omitempty" protobuf:"bytes,2,opt,name=uid"`

	// Groups are the groups that the user is in.
	Groups []string `json:"groups,omitempty" protobuf:"bytes,3,rep,name=groups"`

	// Extra holds further values from the authenticator.
	Extra map[string]ExtraValue `json:"extra,omitempty" protobuf:"bytes,4,rep,name=extra"`
}

// ExtraValue is a list of texts.
//
// +protobuf.nullable=true
type ExtraValue []string
