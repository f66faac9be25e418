package v2beta1

import metav1 "github.com/askind/askind/meta/v1"

// APIGroupDiscoveryList lists the groups of one prefix with all their versions and resources. A
// server answers with it at the root of a prefix, such as /apis.
//
// +askind:kind
type APIGroupDiscoveryList struct {
	metav1.TypeMeta `json:",inline"`

	// Metadata of the list. Its resourceVersion is not set.
	//
	// +optional
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items holds the groups in the order of preference.
	Items []APIGroupDiscovery `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// APIGroupDiscovery describes one group with all its versions and resources.
//
// +askind:kind:resource=apigroupdiscoveries,scope=Cluster
// +kubebuilder:unservedversion
type APIGroupDiscovery struct {
	metav1.TypeMeta `json:",inline"`

	// Metadata of the group. Its name is that of the group, blank for the core group.
	//
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Versions holds the versions, the preferred one first.
	//
	// +listType=map
	// +listMapKey=version
	Versions []APIVersionDiscovery `json:"versions,omitempty" protobuf:"bytes,2,rep,name=versions"`
}

// APIVersionDiscovery describes one version of a group.
type APIVersionDiscovery struct {
	// Version is the version alone, such as "v1".
	Version string `json:"version" protobuf:"bytes,1,opt,name=version"`

	// Resources holds the resources of the version.
	//
	// +listType=map
	// +listMapKey=resource
	Resources []APIResourceDiscovery `json:"resources,omitempty" protobuf:"bytes,2,rep,name=resources"`

	// Freshness says whether the resources are known to be up to date.
	Freshness DiscoveryFreshness `json:"freshness,omitempty" protobuf:"bytes,3,opt,name=freshness"`
}

// APIResourceDiscovery describes one resource.
type APIResourceDiscovery struct {
	// Resource is the plural name, as in URLs.
	Resource string `json:"resource" protobuf:"bytes,1,opt,name=resource"`

	// ResponseKind is the kind of the objects.
	ResponseKind *GroupVersionKind `json:"responseKind,omitempty" protobuf:"bytes,2,opt,name=responseKind"`

	// Scope says whether objects live in namespaces.
	Scope ResourceScope `json:"scope" protobuf:"bytes,3,opt,name=scope"`

	// SingularResource is the singular name.
	SingularResource string `json:"singularResource" protobuf:"bytes,4,opt,name=singularResource"`

	// Verbs holds what can be done with the resource.
	//
	// +listType=set
	Verbs []string `json:"verbs" protobuf:"bytes,5,opt,name=verbs"`

	// ShortNames holds abbreviations for command lines.
	//
	// +listType=set
	ShortNames []string `json:"shortNames,omitempty" protobuf:"bytes,6,rep,name=shortNames"`

	// Categories holds the groups of resources, such as "all", that the resource belongs to.
	//
	// +listType=set
	Categories []string `json:"categories,omitempty" protobuf:"bytes,7,rep,name=categories"`

	// Subresources holds the subresources.
	//
	// +listType=map
	// +listMapKey=subresource
	Subresources []APISubresourceDiscovery `json:"subresources,omitempty" protobuf:"bytes,8,rep,name=subresources"`
}

// APISubresourceDiscovery describes one subresource.
type APISubresourceDiscovery struct {
	// Subresource is the name of the subresource alone, such as "status".
	Subresource string `json:"subresource" protobuf:"bytes,1,opt,name=subresource"`

	// ResponseKind is the kind that the subresource answers with, nil if that is not a kind.
	ResponseKind *GroupVersionKind `json:"responseKind,omitempty" protobuf:"bytes,2,opt,name=responseKind"`

	// AcceptedTypes holds the kinds of request bodies accepted in addition to ResponseKind.
	//
	// +listType=atomic
	AcceptedTypes []GroupVersionKind `json:"acceptedTypes,omitempty" protobuf:"bytes,3,rep,name=acceptedTypes"`

	// Verbs holds what can be done with the subresource.
	//
	// +listType=set
	Verbs []string `json:"verbs" protobuf:"bytes,4,opt,name=verbs"`
}

// GroupVersionKind names a kind.
type GroupVersionKind struct {
	// Group is the group of the kind.
	Group string `json:"group" protobuf:"bytes,1,opt,name=group"`

	// Version is the version of the kind.
	Version string `json:"version" protobuf:"bytes,2,opt,name=version"`

	// Kind is the name of the kind.
	Kind string `json:"kind" protobuf:"bytes,3,opt,name=kind"`
}

// ResourceScope says whether objects live in namespaces.
type ResourceScope string

// The values of ResourceScope.
const (
	ScopeCluster   ResourceScope = "Cluster"
	ScopeNamespace ResourceScope = "Namespaced"
)

// DiscoveryFreshness says whether the resources of a version are up to date.
type DiscoveryFreshness string

// The values of DiscoveryFreshness.
const (
	// DiscoveryFreshnessCurrent means that the resources are up to date.
	DiscoveryFreshnessCurrent DiscoveryFreshness = "Current"
	// DiscoveryFreshnessStale means that the server of the version could not be reached, so the
	// resources may have changed.
	DiscoveryFreshnessStale DiscoveryFreshness = "Stale"
)
