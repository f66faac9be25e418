package marker

// schemaDefs returns the markers that define the allowed values of a field or a type, and their
// description in schemas. Package constraint interprets them.
func schemaDefs() []Def {
	defs := []Def{
		{
			Name: "required", Place: Field, Form: Flag,
			Doc: "The field must be present: a value that would be omitted or encoded as null is invalid.",
		},
		{Name: "optional", Place: Field, Form: Flag, Doc: "The field may be absent."},
		{Name: "nullable", Place: Field, Form: Flag, Doc: "The field may be null."},
		{Name: "enum", Place: Type, Form: Flag, Doc: "The constants of the type are the only allowed values."},
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
			Doc: "How strategic merge patch treats the field: merge, replace or retainKeys. The struct tag with this name has the same meaning.",
		},
		{
			Name: "patchMergeKey", Place: Field, Form: Text,
			Doc: "The JSON name of the field by which strategic merge patch finds elements of a list. The struct tag with this name has the same meaning.",
		},
		{Name: "union", Place: Type, Form: Flag, Doc: "The struct is a union of the fields marked unionMember."},
		{
			Name: "unionDiscriminator", Place: Field, Form: Flag,
			Doc: "The value of the field is the name of the union member that is set.",
		},
		{
			Name: "unionMember", Place: Field, Form: Args,
			Doc: "The field is a member of the union: exactly one member must be set.", Args: []ArgDef{
				{Name: "memberName", Doc: "the value of the discriminator, by default the Go name of the field"},
				{Name: "optional", Doc: "the member may be unset although the discriminator names it"},
			},
		},

		{
			Name: "kubebuilder:validation:Required", Place: Package | Field, Form: Flag,
			Doc: "The field must be present; on a package, all fields must unless they are marked optional.",
		},
		{
			Name: "kubebuilder:validation:Optional", Place: Package | Field, Form: Flag,
			Doc: "The field may be absent; on a package, all fields may unless they are marked required.",
		},
		{Name: "kubebuilder:validation:Nullable", Place: Field, Form: Flag, Doc: "The field may be null."},
		{
			Name: "kubebuilder:validation:EmbeddedResource", Place: Type | Field, Form: Flag,
			Doc: "The value is an object with apiVersion, kind and metadata.",
		},
		{
			Name: "kubebuilder:pruning:PreserveUnknownFields", Place: Type | Field, Form: Flag,
			Doc: "Unknown fields are kept.",
		},
		{
			Name: "kubebuilder:validation:Schemaless", Place: Field, Form: Flag,
			Doc: "The schema is not derived from the Go type; other markers still apply.",
		},
		{
			Name: "kubebuilder:validation:ExactlyOneOf", Place: Type, Form: Text,
			Doc: "JSON names, separated by semicolons, of fields of which exactly one must be set.",
		},
		{
			Name: "kubebuilder:validation:AtMostOneOf", Place: Type, Form: Text,
			Doc: "JSON names, separated by semicolons, of fields of which at most one may be set.",
		},
		{
			Name: "kubebuilder:validation:AtLeastOneOf", Place: Type, Form: Text,
			Doc: "JSON names, separated by semicolons, of fields of which at least one must be set.",
		},
		{Name: "kubebuilder:title", Place: Type | Field, Form: Text, Doc: "The title of the schema."},
		{
			Name: "kubebuilder:externalDocs", Place: Type | Field, Form: Args, Doc: "A link to more documentation.",
			Args: []ArgDef{
				{Name: "url", Doc: "the address"},
				{Name: "description", Doc: "what the address leads to"},
			},
		},
		{Name: "kubebuilder:example", Place: Type | Field, Form: JSON, Doc: "An example of a value, as JSON."},
		{
			Name: "kubebuilder:skipversion", Place: Type, Form: Flag,
			Doc: "The version of the kind is omitted from the CustomResourceDefinition.",
		},
		{
			Name: "kubebuilder:metadata", Place: Type, Form: Args, Doc: "Metadata of the CustomResourceDefinition.",
			Args: []ArgDef{
				{Name: "annotations", Doc: "key=value pairs, each in quotes, separated by semicolons"},
				{Name: "labels", Doc: "key=value pairs, each in quotes, separated by semicolons"},
			},
		},

		{Name: "k8s:required", Place: Field, Form: Flag, Doc: "The field must be set: the zero value is invalid."},
		{Name: "k8s:optional", Place: Field, Form: Flag, Doc: "The field may be absent."},
		{Name: "k8s:forbidden", Place: Field, Form: Flag, Doc: "The field must not be set."},
		{Name: "k8s:enum", Place: Type, Form: Flag, Doc: "The constants of the type are the only allowed values."},
		{Name: "k8s:minimum", Place: Type | Field, Form: Text, Doc: "The minimum of a number."},
		{Name: "k8s:maximum", Place: Type | Field, Form: Text, Doc: "The maximum of a number."},
		{Name: "k8s:minLength", Place: Type | Field, Form: Text, Doc: "The minimum number of characters of a string."},
		{Name: "k8s:maxLength", Place: Type | Field, Form: Text, Doc: "The maximum number of characters of a string."},
		{Name: "k8s:maxBytes", Place: Type | Field, Form: Text, Doc: "The maximum number of bytes of a string."},
		{Name: "k8s:minItems", Place: Type | Field, Form: Text, Doc: "The minimum number of elements of a list."},
		{Name: "k8s:maxItems", Place: Type | Field, Form: Text, Doc: "The maximum number of elements of a list."},
		{Name: "k8s:minProperties", Place: Type | Field, Form: Text, Doc: "The minimum number of entries of a map."},
		{Name: "k8s:maxProperties", Place: Type | Field, Form: Text, Doc: "The maximum number of entries of a map."},
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
		{Name: "k8s:immutable", Place: Type | Field, Form: Flag, Doc: "The value must not change once it is set."},
		{Name: "k8s:neq", Place: Type | Field, Form: JSON, Doc: "A value that is not allowed, as JSON."},
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
			Doc: "The value of the field is the name of the union member that is set.", Args: []ArgDef{{
				Name: "union",
				Doc:  "the name of the union, if a struct has several",
			}},
		},
		{
			Name: "k8s:unionMember", Place: Field, Form: Args,
			Doc: "The field is a member of the union: exactly one member must be set.", Args: []ArgDef{
				{Name: "union", Doc: "the name of the union, if a struct has several"},
				{Name: "memberName", Doc: "the value of the discriminator, by default the Go name of the field"},
			},
		},
		{
			Name: "k8s:zeroOrOneOfMember", Place: Field, Form: Args,
			Doc: "At most one of the fields with the marker may be set.", Args: []ArgDef{{
				Name: "union",
				Doc:  "the name of the union, if a struct has several",
			}},
		},
		{
			Name: "k8s:openapi-model-package", Place: Package | Type, Form: Text,
			Doc: "The prefix of the names of schemas, in place of the group and version or the import path.",
		},
	}
	for _, v := range []Def{
		{Name: "XIntOrString", Form: Flag, Doc: "The value is an integer or a string."},
		{Name: "XEmbeddedResource", Form: Flag, Doc: "The value is an object with apiVersion, kind and metadata."},
		{Name: "XPreserveUnknownFields", Form: Flag, Doc: "Unknown fields are kept."},
		{Name: "Minimum", Form: Text, Doc: "The minimum of a number."},
		{Name: "Maximum", Form: Text, Doc: "The maximum of a number."},
		{Name: "ExclusiveMinimum", Form: Flag, Doc: "The minimum itself is not allowed."},
		{Name: "ExclusiveMaximum", Form: Flag, Doc: "The maximum itself is not allowed."},
		{Name: "MultipleOf", Form: Text, Doc: "The number must be a multiple of this one."},
		{Name: "MinLength", Form: Text, Doc: "The minimum number of characters of a string."},
		{Name: "MaxLength", Form: Text, Doc: "The maximum number of characters of a string."},
		{
			Name: "Pattern", Form: Text,
			Doc: "The regular expression, in the syntax of package regexp, that a string must match.",
		},
		{Name: "Format", Form: Text, Doc: "The format of a string, or the OpenAPI format of a number."},
		{Name: "Enum", Form: Text, Doc: "The allowed values, separated by semicolons."},
		{Name: "MinItems", Form: Text, Doc: "The minimum number of elements of a list."},
		{Name: "MaxItems", Form: Text, Doc: "The maximum number of elements of a list."},
		{Name: "UniqueItems", Form: Flag, Doc: "The elements of a list are unique."},
		{Name: "MinProperties", Form: Text, Doc: "The minimum number of entries of a map or set fields of a struct."},
		{Name: "MaxProperties", Form: Text, Doc: "The maximum number of entries of a map or set fields of a struct."},
		{Name: "Type", Form: Text, Doc: "The JSON type of a value whose type encodes its own JSON."},
		{
			Name: "XValidation", Form: Args,
			Doc: "A rule in CEL. It is not evaluated: write the rule as a function func Validate<Type>, and mark it with +askind:cel=function.", Args: []ArgDef{
				{Name: "rule", Doc: "the expression", Required: true},
				{Name: "message", Doc: "the error message"},
				{Name: "messageExpression", Doc: "the expression of the error message"},
				{Name: "reason", Doc: "the reason in a Status"},
				{Name: "fieldPath", Doc: "the field that the error is about"},
				{Name: "optionalOldSelf", Doc: "the rule is also evaluated for new values"},
			},
		},
	} {
		name := v.Name
		v.Place = Type | Field
		v.Name = "kubebuilder:validation:" + name
		defs = append(defs, v)
		if name != "XValidation" {
			v.Name = "kubebuilder:validation:items:" + name
			v.Doc += " It applies to the elements of the list."
		} else {
			v.Name = "kubebuilder:validation:items:" + name
		}
		defs = append(defs, v)
	}
	return append(defs, Def{
		Name: "askind:cel", Place: Type | Field, Form: Text,
		Doc: "What enforces the rules in CEL of the declaration, which are not evaluated: =function, a hand-written function " +
			"Validate<Type>; =crd, only API servers with the CustomResourceDefinition.",
	})
}

// byHand describes the replacement of a rule that no generated function checks.
const byHand = "write the rule as a function func Validate<Type>"

// uncheckedDefs returns the markers of other generators with rules about values that are not
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
		"k8s:opaqueType":          "the rules of the field's type are checked; move unwanted rules to the fields that need them",
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
