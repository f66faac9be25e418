package v1

import "github.com/askind/askind/runtime"

// Table shows a list or one object as rows and columns that the server chose.
//
// +askind:kind
// +askind:protobuf=false
type Table struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata,omitempty"`

	// ColumnDefinitions describes each column. The length of a row equals its length.
	ColumnDefinitions []TableColumnDefinition `json:"columnDefinitions"`

	// Rows holds one row for each object.
	Rows []TableRow `json:"rows"`
}

// TableColumnDefinition describes one column of a [Table].
//
// +askind:protobuf=false
type TableColumnDefinition struct {
	// Name is the heading.
	Name string `json:"name"`

	// Type is the OpenAPI type of the cells: string, integer, number, boolean, date...
	Type string `json:"type"`

	// Format refines Type. The column of format "name" identifies the object.
	Format string `json:"format"`

	// Description explains the column.
	Description string `json:"description"`

	// Priority is zero for columns that are always shown. Higher ones are left out first
	// where space is short.
	Priority int32 `json:"priority"`
}

// TableRow is one row of a [Table].
//
// +askind:protobuf=false
type TableRow struct {
	// Cells holds one value for each column: nil, bool, a number, a string, or a list or map
	// of these.
	Cells []any `json:"cells"`

	// Conditions are the conditions of the row.
	Conditions []TableRowCondition `json:"conditions,omitempty"`

	// Object is the object behind the row, as far as [TableOptions] asked for it, else null.
	Object runtime.RawExtension `json:"object,omitempty"`
}

// TableRowCondition is a condition of a row as a whole.
//
// +askind:protobuf=false
type TableRowCondition struct {
	// Type is the type of the condition.
	Type RowConditionType `json:"type"`

	// Status states whether the condition holds.
	Status ConditionStatus `json:"status"`

	// Reason is one word for programs.
	Reason string `json:"reason,omitempty"`

	// Message is for people.
	Message string `json:"message,omitempty"`
}

// RowConditionType is the type of a [TableRowCondition].
type RowConditionType string

// RowCompleted states that the object has completed and may be shown less prominently.
const RowCompleted RowConditionType = "Completed"

// TabularOutput is a simple table: named columns, and items with one value for each of them. It has
// no objects.
//
// +askind:kind
// +askind:nolint:rule=list-shape,reason="its items are rows"
// +askind:protobuf=false
type TabularOutput struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata,omitzero"`

	// Columns describes each column.
	Columns []TabularOutputColumn `json:"columns"`

	// Items holds one entry for each object.
	Items []TabularOutputItem `json:"items"`
}

// TabularOutputColumn describes one column of a [TabularOutput].
//
// +askind:protobuf=false
type TabularOutputColumn struct {
	// Name is the heading.
	Name string `json:"name"`

	// Description explains the column.
	Description string `json:"description,omitempty"`

	// Type is the OpenAPI type of the values, if known.
	Type string `json:"type,omitempty"`

	// Format refines Type.
	Format string `json:"format,omitempty"`

	// Priority is zero for columns that are always shown.
	Priority int32 `json:"priority,omitempty"`
}

// TabularOutputItem is one line of a [TabularOutput].
//
// +askind:protobuf=false
type TabularOutputItem struct {
	// Columns holds one value for each column.
	Columns []any `json:"columns"`
}
