package v1

import "github.com/askind/askind/runtime"

// List holds objects of any kinds, each with its own kind and apiVersion.
//
// +askind:kind
// +askind:shared
// +askind:list=typed-items
type List struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items holds the objects in the order of the document.
	Items []runtime.RawExtension `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// WatchEvent is one event of a watch stream. It has neither kind nor apiVersion: only its
// object has.
type WatchEvent struct {
	// Type is ADDED, MODIFIED, DELETED, BOOKMARK or ERROR.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Object is the new state for ADDED and MODIFIED, the last state for DELETED, an
	// object with nothing but a resource version for BOOKMARK, and a [Status] for ERROR.
	Object runtime.RawExtension `json:"object" protobuf:"bytes,2,opt,name=object"`
}

// The types of a [WatchEvent].
const (
	WatchAdded    = "ADDED"
	WatchModified = "MODIFIED"
	WatchDeleted  = "DELETED"
	WatchBookmark = "BOOKMARK"
	WatchError    = "ERROR"
)
