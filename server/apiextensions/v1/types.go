package v1

import (
	"encoding/json"

	metav1 "github.com/askind/askind/meta/v1"
)

// CustomResourceDefinition describes a kind and the resource at which its objects are served. Its
// name is the plural of the resource and the group, as in "boats.harbor.example.com".
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=customresourcedefinitions,singular=customresourcedefinition,shortName=crd;crds,scope=Cluster,categories=api-extensions
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Created At",type=string,JSONPath=`.metadata.creationTimestamp`,description="The time at which the definition was created."
type CustomResourceDefinition struct {
	metav1.TypeMeta `json:",inline"`

	// Metadata of the object.
	//
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec describes the kind.
	Spec CustomResourceDefinitionSpec `json:"spec"`

	// Status says whether the kind is served.
	//
	// +optional
	Status CustomResourceDefinitionStatus `json:"status,omitempty"`
}

// CustomResourceDefinitionSpec describes a kind.
type CustomResourceDefinitionSpec struct {
	// Group is the API group of the kind. It never changes.
	Group string `json:"group"`

	// Names are the names of the kind and its resource.
	Names CustomResourceDefinitionNames `json:"names"`

	// Scope states whether objects live in namespaces. Once the kind is served, it never changes.
	Scope ResourceScope `json:"scope"`

	// Versions are the versions of the kind. Exactly one of them is the storage version.
	//
	// +listType=atomic
	Versions []CustomResourceDefinitionVersion `json:"versions"`

	// Conversion states how objects are converted between versions.
	//
	// +optional
	// +default={"strategy":"None"}
	Conversion *CustomResourceConversion `json:"conversion,omitempty"`

	// PreserveUnknownFields must be false. Schemas state with x-kubernetes-preserve-unknown-fields
	// which objects keep unknown members.
	//
	// +optional
	PreserveUnknownFields bool `json:"preserveUnknownFields,omitempty"`
}

// ResourceScope states whether objects live in namespaces.
//
// +enum
type ResourceScope string

// The scopes of resources.
const (
	ClusterScoped   ResourceScope = "Cluster"
	NamespaceScoped ResourceScope = "Namespaced"
)

// CustomResourceDefinitionNames are the names of a kind and its resource.
type CustomResourceDefinitionNames struct {
	// Plural is the name of the resource in URLs, in lower case. It never changes.
	Plural string `json:"plural"`

	// Singular is by default the kind in lower case.
	//
	// +optional
	Singular string `json:"singular,omitempty"`

	// ShortNames are abbreviations for people.
	//
	// +optional
	// +listType=atomic
	ShortNames []string `json:"shortNames,omitempty"`

	// Kind is the name of the kind. Once it is served, it never changes.
	Kind string `json:"kind"`

	// ListKind is by default the kind followed by List.
	//
	// +optional
	ListKind string `json:"listKind,omitempty"`

	// Categories are the groups of resources, such as "all", that the resource belongs to.
	//
	// +optional
	// +listType=atomic
	Categories []string `json:"categories,omitempty"`
}

// CustomResourceDefinitionVersion describes one version of a kind.
type CustomResourceDefinitionVersion struct {
	// Name is the version, such as "v1".
	Name string `json:"name"`

	// Served states whether clients can use the version.
	Served bool `json:"served"`

	// Storage marks the version in which objects are stored.
	Storage bool `json:"storage"`

	// Deprecated makes the server warn clients that use the version.
	//
	// +optional
	Deprecated bool `json:"deprecated,omitempty"`

	// DeprecationWarning is the text of the warning.
	//
	// +optional
	DeprecationWarning *string `json:"deprecationWarning,omitempty"`

	// Schema is what objects are checked by.
	//
	// +optional
	Schema *CustomResourceValidation `json:"schema,omitempty"`

	// Subresources are what objects have besides themselves.
	//
	// +optional
	Subresources *CustomResourceSubresources `json:"subresources,omitempty"`

	// AdditionalPrinterColumns are the columns of tables after the name, by default the age.
	//
	// +optional
	// +listType=atomic
	AdditionalPrinterColumns []CustomResourceColumnDefinition `json:"additionalPrinterColumns,omitempty"`

	// SelectableFields are the fields by which clients can select objects.
	//
	// +optional
	// +listType=atomic
	SelectableFields []SelectableField `json:"selectableFields,omitempty"`
}

// CustomResourceValidation holds the schema of objects.
type CustomResourceValidation struct {
	// OpenAPIV3Schema is a structural schema.
	//
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	OpenAPIV3Schema json.RawMessage `json:"openAPIV3Schema,omitempty"`
}

// CustomResourceSubresources are the subresources of objects.
type CustomResourceSubresources struct {
	// Status declares the subresource status, through which alone the status of objects changes.
	//
	// +optional
	Status *CustomResourceSubresourceStatus `json:"status,omitempty"`

	// Scale declares the subresource scale.
	//
	// +optional
	Scale *CustomResourceSubresourceScale `json:"scale,omitempty"`
}

// CustomResourceSubresourceStatus has no settings.
type CustomResourceSubresourceStatus struct{}

// CustomResourceSubresourceScale states where objects have the values of their scale.
type CustomResourceSubresourceScale struct {
	// SpecReplicasPath is the path of the desired number of instances, below .spec.
	SpecReplicasPath string `json:"specReplicasPath"`

	// StatusReplicasPath is the path of the current number of instances, below .status.
	StatusReplicasPath string `json:"statusReplicasPath"`

	// LabelSelectorPath is the path of the selector of the instances.
	//
	// +optional
	LabelSelectorPath *string `json:"labelSelectorPath,omitempty"`
}

// CustomResourceColumnDefinition describes a column of tables.
type CustomResourceColumnDefinition struct {
	// Name is the heading.
	Name string `json:"name"`

	// Type is the OpenAPI type of the cells: string, integer, number, boolean or date.
	Type string `json:"type"`

	// Format refines the type.
	//
	// +optional
	Format string `json:"format,omitempty"`

	// Description explains the column.
	//
	// +optional
	Description string `json:"description,omitempty"`

	// Priority is 0 for columns that are always shown.
	//
	// +optional
	Priority int32 `json:"priority,omitempty"`

	// JSONPath leads to the value in an object.
	JSONPath string `json:"jsonPath"`
}

// SelectableField is a field by which clients can select objects.
type SelectableField struct {
	// JSONPath leads to the field.
	JSONPath string `json:"jsonPath"`
}

// CustomResourceConversion states how objects are converted between versions.
type CustomResourceConversion struct {
	// Strategy is None: conversion changes the apiVersion alone. Webhooks are not supported.
	Strategy ConversionStrategyType `json:"strategy"`

	// Webhook is refused.
	//
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Webhook json.RawMessage `json:"webhook,omitempty"`
}

// ConversionStrategyType names a strategy of conversion.
type ConversionStrategyType string

// NoneConverter changes the apiVersion of objects and nothing else.
const NoneConverter ConversionStrategyType = "None"

// CustomResourceDefinitionStatus says what has become of a definition.
type CustomResourceDefinitionStatus struct {
	// Conditions are NamesAccepted, Established and Terminating.
	//
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// AcceptedNames are the names that are served.
	//
	// +optional
	AcceptedNames CustomResourceDefinitionNames `json:"acceptedNames,omitempty"`

	// StoredVersions are the versions in which objects may be stored. A version that is in the list
	// cannot be removed from the spec: rewrite the objects first, then remove it here.
	//
	// +optional
	// +listType=atomic
	StoredVersions []string `json:"storedVersions,omitempty"`
}

// CustomResourceDefinitionList is a list of definitions.
//
// +kubebuilder:object:root=true
type CustomResourceDefinitionList struct {
	metav1.TypeMeta `json:",inline"`

	// Metadata of the list.
	//
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items are the definitions.
	Items []CustomResourceDefinition `json:"items"`
}

// The types of conditions.
const (
	// NamesAccepted is true if the names are in conflict with no other resource.
	NamesAccepted = "NamesAccepted"
	// Established is true while the kind is served.
	Established = "Established"
	// Terminating is true while the objects of a deleted definition are being deleted.
	Terminating = "Terminating"
)

// Withdrawn is the reason of the condition Established of a definition that was served before, when
// its names or its schema suited the server: there may be objects of it.
const Withdrawn = "Withdrawn"

// Finalizer keeps a deleted definition until its objects have been deleted.
const Finalizer = "customresourcecleanup.apiextensions.k8s.io"
