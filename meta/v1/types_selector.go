package v1

// LabelSelector selects objects by their labels: all of MatchLabels and all of
// MatchExpressions must hold. An empty selector selects everything, a nil one nothing.
//
// +structType=atomic
type LabelSelector struct {
	// MatchLabels holds the labels that must be there with exactly these values.
	MatchLabels map[string]string `json:"matchLabels,omitempty" protobuf:"bytes,1,rep,name=matchLabels"`

	// MatchExpressions holds further requirements.
	//
	// +listType=atomic
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty" protobuf:"bytes,2,rep,name=matchExpressions"`
}

// LabelSelectorRequirement is one condition on one label.
type LabelSelectorRequirement struct {
	// Key is the label it looks at.
	Key string `json:"key" protobuf:"bytes,1,opt,name=key"`

	// Operator relates the label to Values.
	Operator LabelSelectorOperator `json:"operator" protobuf:"bytes,2,opt,name=operator"`

	// Values must not be empty for In and NotIn, and must be empty for the other two.
	//
	// +listType=atomic
	Values []string `json:"values,omitempty" protobuf:"bytes,3,rep,name=values"`
}

// LabelSelectorOperator relates a label to the values of a [LabelSelectorRequirement].
type LabelSelectorOperator string

// The operators of label requirements. NotIn holds for an absent label too.
const (
	LabelSelectorOpIn           LabelSelectorOperator = "In"
	LabelSelectorOpNotIn        LabelSelectorOperator = "NotIn"
	LabelSelectorOpExists       LabelSelectorOperator = "Exists"
	LabelSelectorOpDoesNotExist LabelSelectorOperator = "DoesNotExist"
)
