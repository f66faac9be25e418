package v1

// APIVersions lists the versions that are served under a prefix: "v1" for the core group,
// "group/version" for others.
//
// +askind:kind
// +askind:shared
type APIVersions struct {
	TypeMeta `json:",inline"`

	// Versions holds the versions, the preferred one first.
	Versions []string `json:"versions" protobuf:"bytes,1,rep,name=versions"`

	// ServerAddressByClientCIDRs lists the addresses of the server by the network of the client.
	ServerAddressByClientCIDRs []ServerAddressByClientCIDR `json:"serverAddressByClientCIDRs" protobuf:"bytes,2,rep,name=serverAddressByClientCIDRs"`

	// APIVersions holds the same as Versions, under the name that the proposal for API groups gave
	// the field.
	APIVersions []string `json:"apiVersions,omitempty" protobuf:"bytes,101,rep,name=apiVersions"`
}

// APIGroupList lists the groups of a server, the core group aside.
//
// +askind:kind
// +askind:shared
type APIGroupList struct {
	TypeMeta `json:",inline"`

	// Groups holds the groups.
	Groups []APIGroup `json:"groups" protobuf:"bytes,1,rep,name=groups"`
}

// APIGroup describes one group: its versions and which of them is preferred.
//
// +askind:kind
// +askind:shared
type APIGroup struct {
	TypeMeta `json:",inline"`

	// Name is the name of the group.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Versions holds the versions served.
	Versions []GroupVersionForDiscovery `json:"versions" protobuf:"bytes,2,rep,name=versions"`

	// PreferredVersion is the one to use when in doubt.
	PreferredVersion GroupVersionForDiscovery `json:"preferredVersion,omitempty" protobuf:"bytes,3,opt,name=preferredVersion"`

	// ServerAddressByClientCIDRs lists the addresses of the server by the network of the client.
	ServerAddressByClientCIDRs []ServerAddressByClientCIDR `json:"serverAddressByClientCIDRs,omitempty" protobuf:"bytes,4,rep,name=serverAddressByClientCIDRs"`
}

// ServerAddressByClientCIDR is the address at which the clients of one network reach the
// server.
type ServerAddressByClientCIDR struct {
	// ClientCIDR is the network of the clients.
	ClientCIDR string `json:"clientCIDR" protobuf:"bytes,1,opt,name=clientCIDR"`

	// ServerAddress is the host, or host and port, for them.
	ServerAddress string `json:"serverAddress" protobuf:"bytes,2,opt,name=serverAddress"`
}

// GroupVersionForDiscovery is a version of a group, spelled twice to save clients parsing.
type GroupVersionForDiscovery struct {
	// GroupVersion is "group/version".
	GroupVersion string `json:"groupVersion" protobuf:"bytes,1,opt,name=groupVersion"`

	// Version is the version alone.
	Version string `json:"version" protobuf:"bytes,2,opt,name=version"`
}

// APIResourceList lists the resources of one version of a group.
//
// +askind:kind
// +askind:shared
type APIResourceList struct {
	TypeMeta `json:",inline"`

	// GroupVersion is the group and version of the resources.
	GroupVersion string `json:"groupVersion" protobuf:"bytes,1,opt,name=groupVersion"`

	// APIResources holds the resources and their subresources.
	//
	// +askind:nolint:rule=tag-name,reason="the wire format of discovery"
	APIResources []APIResource `json:"resources" protobuf:"bytes,2,rep,name=resources"`
}

// APIResource describes one resource: its names, its kind and its verbs.
type APIResource struct {
	// Name is the plural name, as in URLs. A subresource is "pods/log".
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// SingularName is the singular name.
	SingularName string `json:"singularName" protobuf:"bytes,6,opt,name=singularName"`

	// Namespaced is true if objects of the resource live in namespaces.
	Namespaced bool `json:"namespaced" protobuf:"varint,2,opt,name=namespaced"`

	// Group is the group of Kind if it is not that of the list; scale subresources
	// use it.
	Group string `json:"group,omitempty" protobuf:"bytes,8,opt,name=group"`

	// Version is the version of Kind if it is not that of the list.
	Version string `json:"version,omitempty" protobuf:"bytes,9,opt,name=version"`

	// Kind is the kind of the objects.
	Kind string `json:"kind" protobuf:"bytes,3,opt,name=kind"`

	// Verbs lists the supported verbs: get, list, watch, create, update, patch, delete...
	Verbs Verbs `json:"verbs" protobuf:"bytes,4,opt,name=verbs"`

	// ShortNames holds abbreviations for command lines.
	ShortNames []string `json:"shortNames,omitempty" protobuf:"bytes,5,rep,name=shortNames"`

	// Categories holds the groups of resources, such as "all", that it belongs to.
	Categories []string `json:"categories,omitempty" protobuf:"bytes,7,rep,name=categories"`

	// StorageVersionHash changes when the version written at rest changes.
	StorageVersionHash string `json:"storageVersionHash,omitempty" protobuf:"bytes,10,opt,name=storageVersionHash"`
}

// Verbs lists the supported verbs of a resource. Nil (unknown) and empty (nothing) differ on the
// wire.
type Verbs []string
