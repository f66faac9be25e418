package v1

// ListOptions are the parameters of list and watch requests.
//
// +askind:kind
// +askind:shared
type ListOptions struct {
	TypeMeta `json:",inline"`

	// LabelSelector keeps the objects whose labels match. Blank keeps all.
	LabelSelector string `json:"labelSelector,omitempty" protobuf:"bytes,1,opt,name=labelSelector"`

	// FieldSelector keeps the objects whose fields match. Blank keeps all.
	FieldSelector string `json:"fieldSelector,omitempty" protobuf:"bytes,2,opt,name=fieldSelector"`

	// Watch asks for a stream of changes instead of a list.
	Watch bool `json:"watch,omitempty" protobuf:"varint,3,opt,name=watch"`

	// AllowWatchBookmarks lets the server send BOOKMARK events, which carry nothing but a
	// resource version.
	AllowWatchBookmarks bool `json:"allowWatchBookmarks,omitempty" protobuf:"varint,9,opt,name=allowWatchBookmarks"`

	// ResourceVersion is the version to read at or to watch from. ResourceVersionMatch
	// says how it is meant.
	ResourceVersion string `json:"resourceVersion,omitempty" protobuf:"bytes,4,opt,name=resourceVersion"`

	// ResourceVersionMatch says whether a later version than the stated one is welcome.
	ResourceVersionMatch ResourceVersionMatch `json:"resourceVersionMatch,omitempty" protobuf:"bytes,10,opt,name=resourceVersionMatch"`

	// TimeoutSeconds ends the request, whatever its state.
	TimeoutSeconds *int64 `json:"timeoutSeconds,omitempty" protobuf:"varint,5,opt,name=timeoutSeconds"`

	// Limit is the largest number of items in one answer. Zero leaves it to the server.
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

// ResourceVersionMatch says how [ListOptions].ResourceVersion is meant.
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

	// PropagationPolicy says what becomes of the dependents. Nil leaves it to the kind.
	PropagationPolicy *DeletionPropagation `json:"propagationPolicy,omitempty" protobuf:"bytes,4,opt,name=propagationPolicy"`

	// DryRun lists the stages to go through without storing anything; see [DryRunAll].
	DryRun []string `json:"dryRun,omitempty" protobuf:"bytes,5,rep,name=dryRun"`

	// IgnoreStoreReadErrorWithClusterBreakingPotential deletes an object that can no longer be
	// read, without running its finalizers. As the name says, that can break a cluster.
	IgnoreStoreReadErrorWithClusterBreakingPotential *bool `json:"ignoreStoreReadErrorWithClusterBreakingPotential,omitempty" protobuf:"varint,6,opt,name=ignoreStoreReadErrorWithClusterBreakingPotential"`
}

// Preconditions must hold for a deletion to take place.
type Preconditions struct {
	// UID is the UID that the object must have.
	UID *string `json:"uid,omitempty" protobuf:"bytes,1,opt,name=uid"`

	// ResourceVersion is the version that the object must have.
	ResourceVersion *string `json:"resourceVersion,omitempty" protobuf:"bytes,2,opt,name=resourceVersion"`
}

// DeletionPropagation says what becomes of the dependents of a deleted object.
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

// TableOptions are the parameters of a request for a [Table] or for what is made of one, such as
// CSV.
//
// IncludeObject is on the wire as in the Kubernetes API. The other fields are not part of that;
// their protobuf numbers leave it room to grow.
//
// +askind:kind
// +askind:shared
type TableOptions struct {
	TypeMeta `json:",inline"`

	// IncludeObject says how much of each object comes with its row. Blank means
	// [IncludeMetadata].
	IncludeObject IncludeObjectPolicy `json:"includeObject,omitempty" protobuf:"bytes,1,opt,name=includeObject"`

	// NoHeaders, if it is true, leaves out the columns, so that a table is nothing but rows. Text
	// and CSV leave out the line with the names of the columns.
	NoHeaders *bool `json:"noHeaders,omitempty" protobuf:"varint,101,opt,name=noHeaders"`

	// Wide says whether there are columns with a priority above zero. If it is not set they
	// are there, except in text for terminals.
	Wide *bool `json:"wide,omitempty" protobuf:"varint,102,opt,name=wide"`

	// LabelColumns are keys of labels, each of which becomes a column behind all others. The
	// column has the name of the label without its prefix, unless there is one of that name. One
	// text may hold several keys with commas between them.
	LabelColumns []string `json:"labelColumns,omitempty" protobuf:"bytes,103,rep,name=labelColumns"`

	// SortBy are the names of the columns that rows are put in order by, the first one first,
	// each with a minus sign before it for the opposite order. Without it rows have the order of
	// the objects, which decides among rows that are equal, too. Only the rows of one answer are
	// put in order: a list that comes in parts is not sorted as a whole. One text may hold
	// several names with commas between them.
	SortBy []string `json:"sortBy,omitempty" protobuf:"bytes,104,rep,name=sortBy"`
}

// IncludeObjectPolicy says how much of each object comes with its table row.
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
