package v1

// Description shows one object to people: labelled values in reading order, with times, durations
// and sizes in words. Clients print it without knowing the kind.
//
// +askind:kind:apart
type Description struct {
	TypeMeta `json:",inline"`

	// ObjectMeta identifies the object and its state by name, namespace, UID and resource version.
	// The first section has the rest of the metadata.
	ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Sections describe the object. The first one identifies it.
	Sections []DescriptionSection `json:"sections" protobuf:"bytes,2,rep,name=sections"`
}

// DescriptionList describes the objects of a list, one after the other.
//
// +askind:kind:apart
type DescriptionList struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items holds one description for each object.
	Items []Description `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// DescriptionSection is a part of a [Description], such as the status of the object.
type DescriptionSection struct {
	// Label is the heading. It is blank in the first section.
	Label string `json:"label,omitempty" protobuf:"bytes,1,opt,name=label"`

	// Help explains the section.
	Help string `json:"help,omitempty" protobuf:"bytes,2,opt,name=help"`

	// Items holds the values.
	Items []DescriptionItem `json:"items" protobuf:"bytes,3,rep,name=items"`
}

// DescriptionItem is a value with its label, or a group of such items. Which of the fields Value,
// Items and Table is set follows from the type.
type DescriptionItem struct {
	// Label names the value. It is blank if the item needs no label, as in a list of texts.
	Label string `json:"label,omitempty" protobuf:"bytes,1,opt,name=label"`

	// Help explains the value.
	Help string `json:"help,omitempty" protobuf:"bytes,2,opt,name=help"`

	// Type is the type of the value.
	Type DescriptionType `json:"type" protobuf:"bytes,3,opt,name=type"`

	// Value is a single value in the form for people.
	Value string `json:"value,omitempty" protobuf:"bytes,4,opt,name=value"`

	// Items holds the parts of an object, a map or a list. Where there are none the object has
	// the part and nothing is in it.
	Items []DescriptionItem `json:"items,omitempty" protobuf:"bytes,5,rep,name=items"`

	// Table holds the elements of a list, one in each row.
	Table *DescriptionTable `json:"table,omitempty" protobuf:"bytes,6,opt,name=table"`
}

// DescriptionTable shows a list of objects of the same small type.
type DescriptionTable struct {
	// Columns holds the headings.
	Columns []DescriptionColumn `json:"columns" protobuf:"bytes,1,rep,name=columns"`

	// Rows holds one row for each object.
	Rows []DescriptionRow `json:"rows" protobuf:"bytes,2,rep,name=rows"`
}

// DescriptionColumn is the heading of a column of a [DescriptionTable].
type DescriptionColumn struct {
	// Label is the heading.
	Label string `json:"label" protobuf:"bytes,1,opt,name=label"`

	// Help explains the values of the column.
	Help string `json:"help,omitempty" protobuf:"bytes,2,opt,name=help"`
}

// DescriptionRow is one row of a [DescriptionTable].
type DescriptionRow struct {
	// Cells holds one value for each column, as people read it. A blank one means that there is
	// none.
	Cells []string `json:"cells" protobuf:"bytes,1,rep,name=cells"`
}

// DescriptionType is the type of the value of a [DescriptionItem].
type DescriptionType string

// The types of single values.
const (
	// DescriptionText is a text, which may have several lines.
	DescriptionText DescriptionType = "text"
	// DescriptionNumber is a number.
	DescriptionNumber DescriptionType = "number"
	// DescriptionBoolean is true or false.
	DescriptionBoolean DescriptionType = "boolean"
	// DescriptionDate is a point in time and how far away it is: 2026-01-02T03:04:05Z (3d4h ago).
	DescriptionDate DescriptionType = "date"
	// DescriptionDuration is a length of time: 1h30m.
	DescriptionDuration DescriptionType = "duration"
	// DescriptionSize is a number of bytes: 1.5Gi (1610612736 bytes).
	DescriptionSize DescriptionType = "size"
	// DescriptionBytes shows the number of bytes instead of the bytes: 12 bytes.
	DescriptionBytes DescriptionType = "bytes"
	// DescriptionRedacted replaces a value that is secret.
	DescriptionRedacted DescriptionType = "redacted"
)

// The types of groups.
const (
	// DescriptionObject has an item for each part of an object.
	DescriptionObject DescriptionType = "object"
	// DescriptionMap has an item for each entry. The labels are the keys as the user wrote them.
	DescriptionMap DescriptionType = "map"
	// DescriptionOfList has an item for each element. They have labels if they are objects.
	DescriptionOfList DescriptionType = "list"
	// DescriptionOfTable has a table with a row for each element.
	DescriptionOfTable DescriptionType = "table"
)
