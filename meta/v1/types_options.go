package v1

// ListOptions are the parameters of list and watch requests.
//
// +askind:kind
// +askind:shared
type ListOptions struct {
	TypeMeta `json:",inline"`

	// LabelSelector selects objects by their labels. Blank selects all.
	LabelSelector string `json:"labelSelector,omitempty" protobuf:"bytes,1,opt,name=labelSelector"`

	// FieldSelector selects objects by their fields. Blank selects all.
	FieldSelector string `json:"fieldSelector,omitempty" protobuf:"bytes,2,opt,name=fieldSelector"`

	// Watch requests a stream of changes instead of a list.
	Watch bool `json:"watch,omitempty" protobuf:"varint,3,opt,name=watch"`

	// AllowWatchBookmarks lets the server send BOOKMARK events, which have only a resource version.
	AllowWatchBookmarks bool `json:"allowWatchBookmarks,omitempty" protobuf:"varint,9,opt,name=allowWatchBookmarks"`

	// ResourceVersion is the version to read at or to watch from. ResourceVersionMatch qualifies
	// it.
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,4,opt,name=resourceVersion"`

	// ResourceVersionMatch states whether a later version than ResourceVersion is acceptable.
	ResourceVersionMatch ResourceVersionMatch `json:"resourceVersionMatch,omitempty" protobuf:"bytes,10,opt,name=resourceVersionMatch"`

	// TimeoutSeconds limits the duration of the request.
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty" protobuf:"varint,5,opt,name=timeoutSeconds"`

	// Limit is the maximum number of items in one answer. Zero leaves it to the server.
	Limit int64 `json:"limit,omitempty" protobuf:"varint,7,opt,name=limit"`

	// Continue is the token of the previous part of the list.
	Continue string `json:"continue,omitempty" protobuf:"bytes,8,opt,name=continue"`

	// SendInitialEvents has a watch begin with the present objects as ADDED events,
	// followed by a bookmark that marks their end.
	SendInitialEvents *bool `json:"sendInitialEvents,omitempty" protobuf:"varint,11,opt,name=sendInitialEvents"`

	// ShardSelector keeps the objects of one hash range.
	ShardSelector string `json:"shardSelector,omitempty" protobuf:"bytes,15,opt,name=shardSelector"`
}

// InitialEventsAnnotationKey marks the bookmark that ends the initial events of a watch;
// see [ListOptions].SendInitialEvents.
const InitialEventsAnnotationKey = "k8s.io/initial-events-end"

// ResourceVersionMatch qualifies [ListOptions].ResourceVersion.
type ResourceVersionMatch string

// The ways to match a resource version.
const (
	// ResourceVersionMatchNotOlderThan accepts the stated version and any later one.
	ResourceVersionMatchNotOlderThan ResourceVersionMatch = "NotOlderThan"
	// ResourceVersionMatchExact accepts the stated version only.
	ResourceVersionMatchExact ResourceVersionMatch = "Exact"
)

// GetOptions are the parameters of a request for one object.
//
// +askind:kind
// +askind:shared
type GetOptions struct {
	TypeMeta `json:",inline"`

	// ResourceVersion is the oldest version that is welcome.
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,1,opt,name=resourceVersion"`
}

// CreateOptions are the parameters of a request that creates an object.
//
// +askind:kind
// +askind:shared
type CreateOptions struct {
	TypeMeta `json:",inline"`

	// DryRun lists the stages to go through without storing anything; see [DryRunAll].
	DryRun []string `json:"dryRun,omitempty" protobuf:"bytes,1,rep,name=dryRun"`

	// FieldManager names who makes the change.
	FieldManager string `json:"fieldManager,omitempty" protobuf:"bytes,3,opt,name=fieldManager"`

	// FieldValidation is one of Ignore, Warn and Strict: what to do about unknown and
	// duplicate fields.
	FieldValidation string `json:"fieldValidation,omitempty" protobuf:"bytes,4,opt,name=fieldValidation"`
}

// UpdateOptions are the parameters of a request that replaces an object.
//
// +askind:kind
// +askind:shared
type UpdateOptions struct {
	TypeMeta `json:",inline"`

	// DryRun lists the stages to go through without storing anything; see [DryRunAll].
	DryRun []string `json:"dryRun,omitempty" protobuf:"bytes,1,rep,name=dryRun"`

	// FieldManager names who makes the change.
	FieldManager string `json:"fieldManager,omitempty" protobuf:"bytes,2,opt,name=fieldManager"`

	// FieldValidation is one of Ignore, Warn and Strict: what to do about unknown and
	// duplicate fields.
	FieldValidation string `json:"fieldValidation,omitempty" protobuf:"bytes,3,opt,name=fieldValidation"`
}

// PatchOptions are the parameters of a request that changes a part of an object.
//
// +askind:kind
// +askind:shared
type PatchOptions struct {
	TypeMeta `json:",inline"`

	// DryRun lists the stages to go through without storing anything; see [DryRunAll].
	DryRun []string `json:"dryRun,omitempty" protobuf:"bytes,1,rep,name=dryRun"`

	// Force takes fields from their present managers. Only apply patches may set it.
	Force *bool `json:"force,omitempty" protobuf:"varint,2,opt,name=force"`

	// FieldManager names who makes the change. Apply patches must state it.
	FieldManager string `json:"fieldManager,omitempty" protobuf:"bytes,3,opt,name=fieldManager"`

	// FieldValidation is one of Ignore, Warn and Strict: what to do about unknown and
	// duplicate fields.
	FieldValidation string `json:"fieldValidation,omitempty" protobuf:"bytes,4,opt,name=fieldValidation"`
}

// DeleteOptions are the parameters of a request that deletes objects.
//
// +askind:kind
// +askind:shared
type DeleteOptions struct {
	TypeMeta `json:",inline"`

	// GracePeriodSeconds is how long the object may take to end. Zero deletes at once, nil
	// leaves it to the kind.
	GracePeriodSeconds *int64 `json:"gracePeriodSeconds,omitempty" protobuf:"varint,1,opt,name=gracePeriodSeconds"`

	// Preconditions must hold, or the request is refused with a conflict.
	Preconditions *Preconditions `json:"preconditions,omitempty" protobuf:"bytes,2,opt,name=preconditions"`

	// OrphanDependents leaves the dependents in place.
	//
	// Deprecated: use PropagationPolicy, which excludes this field.
	OrphanDependents *bool `json:"orphanDependents,omitempty" protobuf:"varint,3,opt,name=orphanDependents"`

	// PropagationPolicy selects how dependents are handled. Nil means the default of the kind.
	PropagationPolicy *DeletionPropagation `json:"propagationPolicy,omitempty" protobuf:"bytes,4,opt,name=propagationPolicy"`

	// DryRun lists the stages to go through without storing anything; see [DryRunAll].
	DryRun []string `json:"dryRun,omitempty" protobuf:"bytes,5,rep,name=dryRun"`

	// IgnoreStoreReadErrorWithClusterBreakingPotential deletes an object that can no longer be
	// read, without running its finalizers. This can break a cluster.
	IgnoreStoreReadErrorWithClusterBreakingPotential *bool `json:"ignoreStoreReadErrorWithClusterBreakingPotential,omitempty" protobuf:"varint,6,opt,name=ignoreStoreReadErrorWithClusterBreakingPotential"`
}

// Preconditions must hold for a deletion to take place.
type Preconditions struct {
	// UID is the UID that the object must have.
	UID *string `json:"uid,omitempty" protobuf:"bytes,1,opt,name=uid"`

	// ResourceVersion is the version that the object must have.
	ResourceVersion *string `json:"resourceVersion,omitempty" protobuf:"bytes,2,opt,name=resourceVersion"`
}

// DeletionPropagation selects how the dependents of a deleted object are handled.
type DeletionPropagation string

// The ways to treat dependents.
const (
	// DeletePropagationOrphan leaves them in place.
	DeletePropagationOrphan DeletionPropagation = "Orphan"
	// DeletePropagationBackground deletes the owner first and them later.
	DeletePropagationBackground DeletionPropagation = "Background"
	// DeletePropagationForeground deletes them first and the owner last.
	DeletePropagationForeground DeletionPropagation = "Foreground"
)

// DryRunAll goes through all stages of a request and stores nothing. It is the only
// value that dryRun takes.
const DryRunAll = "All"

// Values of fieldValidation.
const (
	// FieldValidationIgnore drops unknown and duplicate fields silently.
	FieldValidationIgnore = "Ignore"
	// FieldValidationWarn drops them and sends warnings.
	FieldValidationWarn = "Warn"
	// FieldValidationStrict refuses the request.
	FieldValidationStrict = "Strict"
)

// TableOptions are the parameters of a request for a [Table], or for a format of tables such as
// CSV.
//
// IncludeObject is encoded as in the Kubernetes API. The other fields are extensions; their
// protobuf numbers leave room for fields of Kubernetes.
//
// +askind:kind
// +askind:shared
type TableOptions struct {
	TypeMeta `json:",inline"`

	// IncludeObject selects how much of each object its row includes. Blank means
	// [IncludeMetadata].
	IncludeObject IncludeObjectPolicy `json:"includeObject,omitempty" protobuf:"bytes,1,opt,name=includeObject"`

	// NoHeaders omits the columns, so that a table has only rows. Text and CSV omit the line with
	// the names of the columns.
	NoHeaders *bool `json:"noHeaders,omitempty" protobuf:"varint,101,opt,name=noHeaders"`

	// Wide includes the columns with a priority above zero. If it is not set they are included,
	// except in text for terminals.
	Wide *bool `json:"wide,omitempty" protobuf:"varint,102,opt,name=wide"`

	// LabelColumns are keys of labels, each of which adds a column after all others. The column has
	// the name of the label without its prefix, unless another column has that name. One text may
	// have several keys separated by commas.
	LabelColumns []string `json:"labelColumns,omitempty" protobuf:"bytes,103,rep,name=labelColumns"`

	// SortBy are the names of the columns to sort the rows by, the most significant one first, each
	// preceded by a minus sign for descending order. Without it, and among equal rows, rows have
	// the order of the objects. Only the rows of one answer are sorted: the pages of a list are not
	// sorted as a whole. One text may have several names separated by commas.
	SortBy []string `json:"sortBy,omitempty" protobuf:"bytes,104,rep,name=sortBy"`
}

// IncludeObjectPolicy selects how much of each object its table row includes.
type IncludeObjectPolicy string

// The policies of [TableOptions].
const (
	// IncludeNone sends no object.
	IncludeNone IncludeObjectPolicy = "None"
	// IncludeMetadata sends the metadata, as a [PartialObjectMetadata].
	IncludeMetadata IncludeObjectPolicy = "Metadata"
	// IncludeObject sends the whole object.
	IncludeObject IncludeObjectPolicy = "Object"
)
