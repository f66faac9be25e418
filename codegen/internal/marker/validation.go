package marker

// schemaDefs are the markers that say which values a field or a type may have, and how they are
// shown in schemas. Package constraint gives them their meaning.
func schemaDefs() []Def {
	defs := []Def{
		{
			Name: "required", Place: Field, Form: Flag,
			Doc: "The field must be present: a value that would be left out or written as null is refused.",
		},
		{Name: "optional", Place: Field, Form: Flag, Doc: "The field may be absent."},
		{Name: "nullable", Place: Field, Form: Flag, Doc: "The field may be null."},
		{Name: "enum", Place: Type, Form: Flag, Doc: "The constants of the type are the only values."},
		{
			Name: "listType", Place: Type | Field, Form: Text,
			Doc: "How a list merges: atomic, set or map. The elements of a set and the keys of a map are unique.",
		},
		{
			Name: "listMapKey", Place: Type | Field, Form: Text,
			Doc: "The JSON name of a field that identifies the elements of a list of listType map. A Description shows it as their label if it is the only one.",
		},
		{Name: "mapType", Place: Type | Field, Form: Text, Doc: "How a map merges: atomic or granular."},
		{Name: "structType", Place: Type | Field, Form: Text, Doc: "How a struct merges: atomic or granular."},
		{
			Name: "patchStrategy", Place: Field, Form: Text,
			Doc: "How strategic merge patch treats the field: merge, replace or retainKeys. The struct tag of that name says the same.",
		},
		{
			Name: "patchMergeKey", Place: Field, Form: Text,
			Doc: "The JSON name of the field by which strategic merge patch finds elements of a list. The struct tag of that name says the same.",
		},
		{Name: "union", Place: Type, Form: Flag, Doc: "The struct is a union of the fields marked unionMember."},
		{
			Name: "unionDiscriminator", Place: Field, Form: Flag,
			Doc: "The field names the member of the union that is set.",
		},
		{
			Name: "unionMember", Place: Field, Form: Args,
			Doc: "The field is a member of the union: of all members exactly one is set.", Args: []ArgDef{
				{Name: "memberName", Doc: "the value of the discriminator, by default the Go name of the field"},
				{Name: "optional", Doc: "the member may be unset although the discriminator names it"},
			},
		},

		{
			Name: "kubebuilder:validation:Required", Place: Package | Field, Form: Flag,
			Doc: "The field must be present; on a package, fields are unless they are marked optional.",
		},
		{
			Name: "kubebuilder:validation:Optional", Place: Package | Field, Form: Flag,
			Doc: "The field may be absent; on a package, fields may unless they are marked required.",
		},
		{Name: "kubebuilder:validation:Nullable", Place: Field, Form: Flag, Doc: "The field may be null."},
		{
			Name: "kubebuilder:validation:EmbeddedResource", Place: Type | Field, Form: Flag,
			Doc: "The value is an object with apiVersion, kind and metadata.",
		},
		{
			Name: "kubebuilder:validation:XEmbeddedResource", Place: Type | Field, Form: Flag,
			Doc: "The value is an object with apiVersion, kind and metadata.",
		},
		{
			Name: "kubebuilder:validation:XIntOrString", Place: Type | Field, Form: Flag,
			Doc: "The value is an integer or a string.",
		},
		{
			Name: "kubebuilder:validation:XPreserveUnknownFields", Place: Type | Field, Form: Flag,
			Doc: "Fields that the schema does not know are kept.",
		},
		{
			Name: "kubebuilder:pruning:PreserveUnknownFields", Place: Type | Field, Form: Flag,
			Doc: "Fields that the schema does not know are kept.",
		},
		{
			Name: "kubebuilder:validation:Schemaless", Place: Field, Form: Flag,
			Doc: "The Go type says nothing about the value; other markers still do.",
		},
		{
			Name: "kubebuilder:validation:ExactlyOneOf", Place: Type, Form: Text,
			Doc: "Of the fields, by their JSON names and separated by semicolons, exactly one is set.",
		},
		{
			Name: "kubebuilder:validation:AtMostOneOf", Place: Type, Form: Text,
			Doc: "Of the fields, by their JSON names and separated by semicolons, at most one is set.",
		},
		{
			Name: "kubebuilder:validation:AtLeastOneOf", Place: Type, Form: Text,
			Doc: "Of the fields, by their JSON names and separated by semicolons, at least one is set.",
		},
		{Name: "kubebuilder:title", Place: Type | Field, Form: Text, Doc: "The title of the schema."},
		{Name: "kubebuilder:example", Place: Type | Field, Form: JSON, Doc: "An example of a value, as JSON."},
		{
			Name: "kubebuilder:skipversion", Place: Type, Form: Flag,
			Doc: "The version of the kind is left out of the CustomResourceDefinition.",
		},
		{
			Name: "kubebuilder:metadata", Place: Type, Form: Args, Doc: "Metadata of the CustomResourceDefinition.",
			Args: []ArgDef{
				{Name: "annotations", Doc: "key=value pairs, separated by semicolons"}, {
					Name: "labels",
					Doc:  "key=value pairs, separated by semicolons",
				},
			},
		},

		{Name: "k8s:required", Place: Field, Form: Flag, Doc: "The field must be set: the zero value is refused."},
		{Name: "k8s:optional", Place: Field, Form: Flag, Doc: "The field may be absent."},
		{Name: "k8s:forbidden", Place: Field, Form: Flag, Doc: "The field must not be set."},
		{Name: "k8s:enum", Place: Type, Form: Flag, Doc: "The constants of the type are the only values."},
		{Name: "k8s:minimum", Place: Type | Field, Form: Text, Doc: "The smallest number."},
		{Name: "k8s:maximum", Place: Type | Field, Form: Text, Doc: "The largest number."},
		{Name: "k8s:minLength", Place: Type | Field, Form: Text, Doc: "The least number of characters of a string."},
		{Name: "k8s:maxLength", Place: Type | Field, Form: Text, Doc: "The greatest number of characters of a string."},
		{Name: "k8s:maxBytes", Place: Type | Field, Form: Text, Doc: "The greatest number of bytes of a string."},
		{Name: "k8s:minItems", Place: Type | Field, Form: Text, Doc: "The least number of elements of a list."},
		{Name: "k8s:maxItems", Place: Type | Field, Form: Text, Doc: "The greatest number of elements of a list."},
		{Name: "k8s:minProperties", Place: Type | Field, Form: Text, Doc: "The least number of entries of a map."},
		{Name: "k8s:maxProperties", Place: Type | Field, Form: Text, Doc: "The greatest number of entries of a map."},
		{Name: "k8s:format", Place: Type | Field, Form: Text, Doc: "The format of a string."},
		{Name: "k8s:listType", Place: Type | Field, Form: Text, Doc: "How a list merges: atomic, set or map."},
		{
			Name: "k8s:listMapKey", Place: Type | Field, Form: Text,
			Doc: "The JSON name of a field that identifies the elements of a list of listType map.",
		},
		{
			Name: "k8s:unique", Place: Type | Field, Form: Text,
			Doc: "The elements of a list are unique: as a set, or as a map by its keys.",
		},
		{Name: "k8s:immutable", Place: Type | Field, Form: Flag, Doc: "The value does not change once it is set."},
		{Name: "k8s:neq", Place: Type | Field, Form: JSON, Doc: "A value that is refused, as JSON."},
		{
			Name: "k8s:eachVal", Place: Type | Field, Form: JSON,
			Doc: "A rule for the elements of a list or the values of a map, such as +k8s:eachVal=+k8s:minLength=1.",
		},
		{
			Name: "k8s:eachKey", Place: Type | Field, Form: JSON,
			Doc: "A rule for the keys of a map, such as +k8s:eachKey=+k8s:maxLength=63.",
		},
		{
			Name: "k8s:unionDiscriminator", Place: Field, Form: Args,
			Doc: "The field names the member of the union that is set.", Args: []ArgDef{{
				Name: "union",
				Doc:  "the name of the union, where a struct has several",
			}},
		},
		{
			Name: "k8s:unionMember", Place: Field, Form: Args,
			Doc: "The field is a member of the union: of all members exactly one is set.", Args: []ArgDef{
				{Name: "union", Doc: "the name of the union, where a struct has several"},
				{Name: "memberName", Doc: "the value of the discriminator, by default the Go name of the field"},
			},
		},
		{
			Name: "k8s:zeroOrOneOfMember", Place: Field, Form: Args,
			Doc: "Of all fields with the marker, at most one is set.", Args: []ArgDef{{
				Name: "union",
				Doc:  "the name of the union, where a struct has several",
			}},
		},
		{
			Name: "k8s:openapi-model-package", Place: Package | Type, Form: Text,
			Doc: "What the names of schemas begin with, in place of the group and version or the import path.",
		},
	}
	for _, v := range []Def{
		{Name: "Minimum", Form: Text, Doc: "The smallest number."},
		{Name: "Maximum", Form: Text, Doc: "The largest number."},
		{Name: "ExclusiveMinimum", Form: Flag, Doc: "The minimum itself is refused."},
		{Name: "ExclusiveMaximum", Form: Flag, Doc: "The maximum itself is refused."},
		{Name: "MultipleOf", Form: Text, Doc: "The number is a multiple of this one."},
		{Name: "MinLength", Form: Text, Doc: "The least number of characters of a string."},
		{Name: "MaxLength", Form: Text, Doc: "The greatest number of characters of a string."},
		{
			Name: "Pattern", Form: Text,
			Doc: "The regular expression, in the syntax of package regexp, that a string matches.",
		},
		{Name: "Format", Form: Text, Doc: "The format of a string, or the OpenAPI format of a number."},
		{Name: "Enum", Form: Text, Doc: "The only values, separated by semicolons."},
		{Name: "MinItems", Form: Text, Doc: "The least number of elements of a list."},
		{Name: "MaxItems", Form: Text, Doc: "The greatest number of elements of a list."},
		{Name: "UniqueItems", Form: Flag, Doc: "The elements of a list are unique."},
		{Name: "MinProperties", Form: Text, Doc: "The least number of entries of a map or set fields of a struct."},
		{Name: "MaxProperties", Form: Text, Doc: "The greatest number of entries of a map or set fields of a struct."},
		{Name: "Type", Form: Text, Doc: "The JSON type of a value that writes its own JSON."},
		{
			Name: "XValidation", Form: Args,
			Doc: "A rule in CEL. It is not evaluated: write the rule as a function func Validate<Type>, and mark it with +askind:cel=function.", Args: []ArgDef{
				{Name: "rule", Doc: "the expression", Required: true},
				{Name: "message", Doc: "what people are told"},
				{Name: "messageExpression", Doc: "the expression of what people are told"},
				{Name: "reason", Doc: "the cause in a Status"},
				{Name: "fieldPath", Doc: "the field that the error is about"},
				{Name: "optionalOldSelf", Doc: "the rule is evaluated for new values too"},
			},
		},
	} {
		name := v.Name
		v.Place = Type | Field
		v.Name = "kubebuilder:validation:" + name
		defs = append(defs, v)
		if name != "XValidation" {
			v.Name = "kubebuilder:validation:items:" + name
			v.Doc += " It is about the elements of the list."
		} else {
			v.Name = "kubebuilder:validation:items:" + name
		}
		defs = append(defs, v)
	}
	return append(defs, Def{
		Name: "askind:cel", Place: Type | Field, Form: Text,
		Doc: "What is done about the rules in CEL that stand beside it, which are not evaluated: =function says that a hand-written function " +
			"Validate<Type> holds them, =crd that they matter to a CustomResourceDefinition alone.",
	})
}

// byHand says what takes the place of a rule that no generated function checks.
const byHand = "write the rule as a function func Validate<Type>"

// uncheckedDefs are the markers of other generators that carry a rule about values which is not
// checked here.
func uncheckedDefs() []Def {
	const stage = "put the rule itself on the field to have it checked"
	var out []Def
	for name, instead := range map[string]string{
		"k8s:subfield":            "put the rule on the field of the inner struct, or " + byHand,
		"k8s:item":                byHand,
		"k8s:update":              "use +k8s:immutable, or write the rule as a function func ValidateChange<Type>",
		"k8s:ifEnabled":           byHand + " that asks for the option",
		"k8s:ifDisabled":          byHand + " that asks for the option",
		"k8s:customUnique":        byHand + " that compares the elements",
		"k8s:alpha":               stage,
		"k8s:beta":                stage,
		"k8s:supportsSubresource": "the checks of a kind are the same for all its subresources",
		"k8s:isSubresource":       "the checks of a kind are the same for all its subresources",
		"k8s:opaqueType":          "the rules of the type of the field are checked; move rules that are not wanted to the fields that need them",
		"k8s:validateFalse":       "it is for tests of another generator",
		"k8s:validateTrue":        "it is for tests of another generator",
		"k8s:validateError":       "it is for tests of another generator",
	} {
		out = append(out, Def{
			Name: name, Place: Package | Type | Field, Form: Text, Ignored: true, Instead: instead,
		})
	}
	return out
}
