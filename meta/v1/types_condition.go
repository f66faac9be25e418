package v1

// Condition is one aspect of the observed state of an object, such as Ready. An object has
// at most one condition of each type; meta.SetCondition keeps it so.
type Condition struct {
	// Type names the aspect, in CamelCase or as domain/CamelCase.
	Type string `json:"type" protobuf:"bytes,1,opt,name=type"`

	// Status states whether the condition holds.
	Status ConditionStatus `json:"status" protobuf:"bytes,2,opt,name=status"`

	// ObservedGeneration is the generation of the object that was looked at. If it is
	// behind metadata.generation, the condition is out of date.
	ObservedGeneration int64 `json:"observedGeneration,omitempty" protobuf:"varint,3,opt,name=observedGeneration"`

	// LastTransitionTime is when Status last changed.
	LastTransitionTime Time `json:"lastTransitionTime" protobuf:"bytes,4,opt,name=lastTransitionTime"`

	// Reason is one CamelCase word for programs.
	Reason string `json:"reason" protobuf:"bytes,5,opt,name=reason"`

	// Message is for people and may be blank.
	Message string `json:"message" protobuf:"bytes,6,opt,name=message"`
}

// ConditionStatus states whether a condition holds.
type ConditionStatus string

// The three states of a condition.
const (
	ConditionTrue    ConditionStatus = "True"
	ConditionFalse   ConditionStatus = "False"
	ConditionUnknown ConditionStatus = "Unknown"
)
