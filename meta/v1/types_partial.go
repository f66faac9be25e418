package v1

// PartialObjectMetadata is any object without anything but its metadata.
//
// +askind:kind
type PartialObjectMetadata struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
}

// PartialObjectMetadataList is any list without anything but its metadata and that of
// its items. The items keep kind and apiVersion on the wire.
//
// +askind:kind
// +askind:list=typed-items
type PartialObjectMetadataList struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items holds the metadata of each object.
	Items []PartialObjectMetadata `json:"items" protobuf:"bytes,2,rep,name=items"`
}
