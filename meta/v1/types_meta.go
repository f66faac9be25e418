package v1

// TypeMeta states the kind of a document and its group version. It is embedded first in every kind,
// so that the two fields open the document.
type TypeMeta struct {
	// Kind is the name of the kind, in CamelCase and singular.
	Kind string `json:"kind,omitempty" protobuf:"bytes,1,opt,name=kind"`

	// APIVersion is "group/version", or the version alone for the core group.
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,2,opt,name=apiVersion"`
}

// ListMeta describes a list or a whole answer rather than one object.
type ListMeta struct {
	// SelfLink is the path under which old servers served the list.
	//
	// Deprecated: servers leave it blank; the field is kept so that old data survives.
	SelfLink string `json:"selfLink,omitempty" protobuf:"bytes,1,opt,name=selfLink"`

	// ResourceVersion is the opaque version of the collection at which the list was read.
	// A watch may start from it.
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,2,opt,name=resourceVersion"`

	// Continue is set when the list was cut by a limit: the opaque token with which the
	// next request gets the following part.
	Continue string `json:"continue,omitempty" protobuf:"bytes,3,opt,name=continue"`

	// RemainingItemCount estimates how many items follow this part. It is nil where the
	// server does not know, which is always so when selectors were given.
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty" protobuf:"varint,4,opt,name=remainingItemCount"`

	// ShardInfo repeats the shard selector that the server honoured, if any.
	ShardInfo *ShardInfo `json:"shardInfo,omitempty" protobuf:"bytes,5,opt,name=shardInfo"`
}

// ShardInfo identifies the part of a sharded collection that a list covers.
type ShardInfo struct {
	// Selector is the shard selector of the request.
	Selector string `json:"selector" protobuf:"bytes,1,opt,name=selector"`
}

// ObjectMeta is the metadata of a stored object. Users write the name, the labels, the annotations,
// the owners and the finalizers; the server sets the rest.
type ObjectMeta struct {
	// Name is unique among the objects of one resource in one namespace and cannot be changed.
	Name string `json:"name,omitempty" protobuf:"bytes,1,opt,name=name"`

	// GenerateName requests a unique name with this prefix from the server. It is used only if Name
	// is blank.
	GenerateName string `json:"generateName,omitempty" protobuf:"bytes,2,opt,name=generateName"`

	// Namespace is the space in which Name is unique, blank for kinds of cluster scope.
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,3,opt,name=namespace"`

	// SelfLink is the path under which old servers served the object.
	//
	// Deprecated: servers leave it blank; the field is kept so that old data survives.
	SelfLink string `json:"selfLink,omitempty" protobuf:"bytes,4,opt,name=selfLink"`

	// UID distinguishes the object from all others that had or will have its name.
	UID string `json:"uid,omitempty" protobuf:"bytes,5,opt,name=uid"`

	// ResourceVersion changes with every write. Clients compare it for equality only, and send it
	// back to have their write rejected if the object has changed in between.
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,6,opt,name=resourceVersion"`

	// Generation counts the changes of the desired state.
	Generation int64 `json:"generation,omitempty" protobuf:"varint,7,opt,name=generation"`

	// CreationTimestamp is when the server first stored the object.
	CreationTimestamp Time `json:"creationTimestamp,omitempty,omitzero" protobuf:"bytes,8,opt,name=creationTimestamp"`

	// DeletionTimestamp is when the object will be deleted. Once it is set, only finalizers keep
	// the object.
	DeletionTimestamp *Time `json:"deletionTimestamp,omitempty" protobuf:"bytes,9,opt,name=deletionTimestamp"`

	// DeletionGracePeriodSeconds is the time that the object has to terminate after its deletion
	// was requested.
	DeletionGracePeriodSeconds *int64 `json:"deletionGracePeriodSeconds,omitempty" protobuf:"varint,10,opt,name=deletionGracePeriodSeconds"`

	// Labels are short values by which objects are selected.
	Labels map[string]string `json:"labels,omitempty" protobuf:"bytes,11,rep,name=labels"`

	// Annotations are values that tools keep with the object; they cannot select objects.
	Annotations map[string]string `json:"annotations,omitempty" protobuf:"bytes,12,rep,name=annotations"`

	// OwnerReferences lists the objects that this one depends on. When all of them are deleted it
	// is garbage collected. At most one of them is the managing controller.
	//
	// +listType=map
	// +listMapKey=uid
	OwnerReferences []OwnerReference `json:"ownerReferences,omitempty" patchStrategy:"merge" patchMergeKey:"uid" protobuf:"bytes,13,rep,name=ownerReferences"`

	// Finalizers lists the parties that must act before the object is deleted. Each removes its own
	// entry.
	//
	// +listType=set
	Finalizers []string `json:"finalizers,omitempty" patchStrategy:"merge" protobuf:"bytes,14,rep,name=finalizers"`

	// ManagedFields records who set which fields, for server-side apply.
	//
	// +listType=atomic
	ManagedFields []ManagedFieldsEntry `json:"managedFields,omitempty" protobuf:"bytes,17,rep,name=managedFields"`
}

// OwnerReference names an object in the same namespace, or of cluster scope, that owns another.
//
// +structType=atomic
type OwnerReference struct {
	// APIVersion is the group and version of the owner.
	APIVersion string `json:"apiVersion" protobuf:"bytes,5,opt,name=apiVersion"`

	// Kind is the kind of the owner.
	Kind string `json:"kind" protobuf:"bytes,1,opt,name=kind"`

	// Name is the name of the owner.
	Name string `json:"name" protobuf:"bytes,3,opt,name=name"`

	// UID is the UID of the owner: a new object with the same name is not the owner.
	UID string `json:"uid" protobuf:"bytes,4,opt,name=uid"`

	// Controller marks the one owner that manages the object.
	Controller *bool `json:"controller,omitempty" protobuf:"varint,6,opt,name=controller"`

	// BlockOwnerDeletion keeps a foreground deletion of the owner waiting for this object.
	BlockOwnerDeletion *bool `json:"blockOwnerDeletion,omitempty" protobuf:"varint,7,opt,name=blockOwnerDeletion"`
}

// ManagedFieldsEntry lists the fields that one manager set through one version of the API.
type ManagedFieldsEntry struct {
	// Manager names the program or person that set the fields.
	Manager string `json:"manager,omitempty" protobuf:"bytes,1,opt,name=manager"`

	// Operation is the sort of write that made the entry.
	Operation ManagedFieldsOperation `json:"operation,omitempty" protobuf:"bytes,2,opt,name=operation"`

	// APIVersion is the version in whose field names FieldsV1 speaks.
	APIVersion string `json:"apiVersion,omitempty" protobuf:"bytes,3,opt,name=apiVersion"`

	// Time is when the entry last changed.
	Time *Time `json:"time,omitempty" protobuf:"bytes,4,opt,name=time"`

	// FieldsType names the format of the field set. There is one: "FieldsV1".
	FieldsType string `json:"fieldsType,omitempty" protobuf:"bytes,6,opt,name=fieldsType"`

	// FieldsV1 is the set of fields.
	FieldsV1 *FieldsV1 `json:"fieldsV1,omitempty" protobuf:"bytes,7,opt,name=fieldsV1"`

	// Subresource is the subresource written to, blank for the object itself.
	Subresource string `json:"subresource,omitempty" protobuf:"bytes,8,opt,name=subresource"`
}

// ManagedFieldsOperation is the sort of write that made a [ManagedFieldsEntry].
type ManagedFieldsOperation string

// The operations that servers record.
const (
	ManagedFieldsOperationApply  ManagedFieldsOperation = "Apply"
	ManagedFieldsOperationUpdate ManagedFieldsOperation = "Update"
)

// Finalizers that servers add to an object that is being deleted.
const (
	// FinalizerOrphanDependents leaves the dependents in place when the owner goes.
	FinalizerOrphanDependents = "orphan"
	// FinalizerDeleteDependents keeps the owner until its blocking dependents are gone.
	FinalizerDeleteDependents = "foregroundDeletion"
)

// Namespace names with a meaning.
const (
	// NamespaceDefault is where objects go when no namespace is stated.
	NamespaceDefault = "default"
	// NamespaceAll selects every namespace where a request may span them.
	NamespaceAll = ""
)
