package v1alpha1

import metav1 "github.com/askind/askind/meta/v1"

// APIService registers a server for one version of a group. Its name is version.group, such as
// v1.garage.example.com, or v1 for the core group.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:scope=Cluster,path=apiservices,categories=api-extensions
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Server",type=string,JSONPath=`.spec.url`
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type APIService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   APIServiceSpec   `json:"spec"`
	Status APIServiceStatus `json:"status,omitempty"`
}

// APIServiceSpec states the group version and its server.
type APIServiceSpec struct {
	// Group and Version are the group version that the server serves. The blank group is the core
	// group, below /api.
	Group   string `json:"group"`
	Version string `json:"version"`
	// URL is the root of the server, such as https://garage.internal:8443. A blank URL means the
	// server in the aggregator's own process.
	URL string `json:"url,omitempty"`
	// CABundle has the certificates of the authorities, in PEM, that sign the server's certificate.
	// The default is the authorities of the machine.
	CABundle []byte `json:"caBundle,omitempty"`
	// ServerName is the required name in the server's certificate; the default is the host of the
	// URL.
	ServerName string `json:"serverName,omitempty"`
	// GroupPriority orders groups in discovery, the highest first; groups of equal priority are
	// ordered by name. The highest priority among the versions of a group counts.
	GroupPriority int32 `json:"groupPriority,omitempty"`
	// VersionPriority orders the versions of a group, the highest first; versions of equal priority
	// are ordered as Kubernetes does, v2 before v1 before v1beta1.
	VersionPriority int32 `json:"versionPriority,omitempty"`
}

// APIServiceStatus is the observed state of a registration.
type APIServiceStatus struct {
	// Conditions are Accepted, whether the registration is in effect, and Available, whether the
	// server answered the last request.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// APIServiceList is a list of registrations.
//
// +kubebuilder:object:root=true
type APIServiceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []APIService `json:"items"`
}

// The types of conditions of an [APIService].
const (
	// ConditionAccepted is false if the registration cannot be used, if another one or the server
	// of the aggregator's own process has the group version already, or if the names of resources
	// contradict those of another server.
	ConditionAccepted = "Accepted"
	// ConditionAvailable is false while the server does not answer, does not serve the group
	// version, marks it as stale or describes it in a way that discovery cannot show, and while the
	// registration is not accepted.
	ConditionAvailable = "Available"
)
