package v1alpha1

import metav1 "github.com/askind/askind/meta/v1"

// Group describes an API group with all its versions and resources.
//
// +askind:kind:resource=groups,singular=group,scope=Cluster
// +askind:column:name="Preferred",type=string,func=Preferred,description="The version to use when in doubt."
// +askind:column:name="Versions",type=string,func=VersionNames,description="The versions that are served, the preferred one first."
// +askind:column:name="Resources",type=integer,func=ResourceCount,description="The number of resources of all versions, without subresources."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Group struct {
	metav1.TypeMeta `json:",inline"`

	// Metadata of the object. Its name is that of the group, or "core" for the core group.
	//
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Status of the group.
	Status GroupStatus `json:"status,omitempty" protobuf:"bytes,2,opt,name=status"`
}

// GroupStatus describes an API group with all its versions and resources.
type GroupStatus struct {
	// Versions holds the versions of the group, the preferred one first.
	//
	// +listType=map
	// +listMapKey=name
	Versions []GroupVersionResources `json:"versions" protobuf:"bytes,1,rep,name=versions"`

	// ServerAddressByClientCIDRs lists the address at which the clients of each network reach the
	// servers of the group. If several networks match, the longest prefix is used. A server shows a
	// client only the networks that contain the client.
	//
	// +listType=atomic
	ServerAddressByClientCIDRs []metav1.ServerAddressByClientCIDR `json:"serverAddressByClientCIDRs" protobuf:"bytes,2,rep,name=serverAddressByClientCIDRs"`
}

// GroupVersionResources describes one version of an API group with all resources in it.
type GroupVersionResources struct {
	// Name is the version, such as "v1".
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Resources holds the resources and their subresources, which are named "resource/subresource".
	//
	// +listType=map
	// +listMapKey=name
	Resources []metav1.APIResource `json:"resources" protobuf:"bytes,2,rep,name=resources"`
}

// GroupList is a list of API groups.
//
// +askind:kind
type GroupList struct {
	metav1.TypeMeta `json:",inline"`

	// Metadata of the list.
	//
	// +optional
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items holds the groups.
	Items []Group `json:"items" protobuf:"bytes,2,rep,name=items"`
}
