package dynamic

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/meta/unstructured"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/validation"
	"github.com/askind/askind/wire/jsonwire"
)

// node is a structural schema, as CustomResourceDefinitions have it: the part of OpenAPI 3.0 in
// which every value has one type, and references do not exist. Equal schemas in a definition are
// one node, see [nodes], which has no description and no title.
type node struct {
	*uncommon // not nil

	Type       string           `json:"type"`
	Format     string           `json:"format"`
	Required   []string         `json:"required"`
	Properties map[string]*node `json:"-"`
	Items      *node            `json:"-"`
	additional *node            // of the values of a map
	filter     *unstructured.Filter

	Nullable    bool `json:"nullable"`
	IntOrString bool `json:"x-kubernetes-int-or-string"`
	Embedded    bool `json:"x-kubernetes-embedded-resource"`
	annotations

	Additional additionalKind `json:"-"`

	sound    bool   // see [structural.value]
	compiled bool   // see [compiler.node]
	defaults bool   // whether setDefaults can change a value
	size     int32  // of the defaults at and below the node
	number   uint32 // of the node among all of the definition
}

// additionalKind is what additionalProperties are.
type additionalKind uint8

const (
	additionalNone additionalKind = iota
	additionalTrue
	additionalFalse
	additionalSchema
	additionalWrong
)

// annotations state which keywords are there that say nothing about values.
type annotations struct {
	Titled    bool `json:"-"`
	Described bool `json:"-"`
}

// uncommon is the part of a schema that most schemas do not have: those share an empty one.
type uncommon struct {
	unsupported

	Default json.RawMessage `json:"default"`

	Enum          []json.RawMessage `json:"enum"`
	Minimum       *numeral          `json:"minimum"`
	Maximum       *numeral          `json:"maximum"`
	Above         bool              `json:"exclusiveMinimum"`
	Below         bool              `json:"exclusiveMaximum"`
	MultipleOf    *numeral          `json:"multipleOf"`
	MinLength     *int              `json:"minLength"`
	MaxLength     *int              `json:"maxLength"`
	Pattern       string            `json:"pattern"`
	MinItems      *int              `json:"minItems"`
	MaxItems      *int              `json:"maxItems"`
	UniqueItems   bool              `json:"uniqueItems"`
	MinProperties *int              `json:"minProperties"`
	MaxProperties *int              `json:"maxProperties"`
	AllOf         []*node           `json:"-"`
	AnyOf         []*node           `json:"-"`
	OneOf         []*node           `json:"-"`
	Not           *node             `json:"-"`

	Preserve *bool    `json:"x-kubernetes-preserve-unknown-fields"`
	ListType string   `json:"x-kubernetes-list-type"`
	ListKeys []string `json:"x-kubernetes-list-map-keys"`
	MapType  string   `json:"x-kubernetes-map-type"`
	Rules    []unread `json:"x-kubernetes-validations"`

	// The rest is set by [compiler.constraints].

	pattern *validation.Pattern
	enum    []unstructured.Value
	among   map[any]bool        // the scalars in a long enum, see [scalar]
	value   *unstructured.Value // the default with the defaults inside it, or nil
	bytes   int                 // of the value in JSON
}

// unread is a value that is only counted.
type unread struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (*unread) UnmarshalJSON([]byte) error { return nil }

// common is the uncommon part of the schemas that have none.
var common uncommon

// newNode returns an empty schema.
func newNode() *node { return &node{uncommon: &common} }

// numeral is a number as the schema writes it.
type numeral string

// UnmarshalJSON implements [json.Unmarshaler].
func (n *numeral) UnmarshalJSON(text []byte) error {
	if text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return fmt.Errorf("%s is not a number", text)
	}
	*n = numeral(text)
	return nil
}

func (n *numeral) String() string { return string(*n) }

// float returns the number, rounded to a float64.
func (n *numeral) float() float64 {
	f, _ := strconv.ParseFloat(string(*n), 64) // [compiler.number] has checked it
	return f
}

// structure is the compiled schema of a version. It is immutable.
type structure struct {
	root     *node
	rules    Rules      // nil if there are none
	sizes    [][]string // the paths of the numbers that the subresource scale shows
	selector []string   // the path of the selector that it shows, or nil
}

// compiler makes a structure and collects the problems of the schema.
type compiler struct {
	errs     runtime.FieldErrors
	ignored  []*schema.Path // rules that are not evaluated
	defaults int            // bytes of all defaults so far, each with the defaults inside it
}

// mostDefaults bounds the bytes of the defaults of a schema. Each is counted with the defaults
// inside it, because compiling it takes time for all of them: if defaults are nested in one
// another, that grows with the square of the schema.
const mostDefaults = 256 << 10

func (c *compiler) add(at *schema.Path, value any, detail string) {
	c.errs = append(c.errs, runtime.Invalid(at, value, detail))
}

// structure compiles the schema of an object.
func (c *compiler) structure(at *schema.Path, shared *node) *structure {
	own := *shared
	root := &own
	root.compiled = false
	root.Properties = maps.Clone(root.Properties)
	delete(root.Properties, "apiVersion")
	delete(root.Properties, "kind")
	root.Required = sorted.Delete(slices.Clone(root.Required), func(name string) bool {
		return slices.Contains(header, name)
	})
	c.node(at, root)
	metadata, found := root.Properties["metadata"]
	delete(root.Properties, "metadata") // it is outside of the content
	root.filter = root.known()
	if found {
		root.Properties["metadata"] = metadata
	}
	return &structure{root: root}
}

// types are the types of values.
var types = []string{"object", "array", "string", "integer", "number", "boolean"}

// node checks a schema and compiles what is in it, from the inside to the outside. A schema that
// has been compiled already is done, unless there is something to report at this path.
func (c *compiler) node(at *schema.Path, n *node) {
	if n.compiled && c.defaults+int(n.size) <= mostDefaults {
		c.defaults += int(n.size)
		return
	}
	errs, ignored, size := len(c.errs), len(c.ignored), c.defaults
	c.inside(at, n)
	n.filter = n.known()
	n.defaults = n.defaults || n.Embedded
	c.constraints(at, n)
	if len(n.Rules) > 0 {
		c.ignored = append(c.ignored, at.Child("x-kubernetes-validations"))
	}
	n.compiled, n.size = len(c.errs) == errs && len(c.ignored) == ignored, int32(c.defaults-size)
}

// inside compiles the schemas in a schema.
func (c *compiler) inside(at *schema.Path, n *node) {
	if n.Type != "" && !slices.Contains(types, n.Type) {
		c.errs = append(c.errs, runtime.NotSupported(at.Child("type"), n.Type, types...))
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		p := n.Properties[name]
		if p == nil {
			p = newNode()
			n.Properties[name] = p
		}
		c.node(at.Child("properties").Key(name), p)
		n.defaults = n.defaults || p.value != nil || p.changes()
	}
	if n.additional != nil {
		c.node(at.Child("additionalProperties"), n.additional)
		n.defaults = n.defaults || n.additional.changes()
	}
	if n.Items != nil {
		c.node(at.Child("items"), n.Items)
		n.defaults = n.defaults || n.Items.changes()
	}
	c.parts(at.Child("allOf"), n.AllOf)
	c.parts(at.Child("anyOf"), n.AnyOf)
	c.parts(at.Child("oneOf"), n.OneOf)
	if n.Not != nil {
		c.node(at.Child("not"), n.Not)
	}
}

func (c *compiler) parts(at *schema.Path, parts []*node) {
	for i, part := range parts {
		if part != nil {
			c.node(at.Index(i), part)
		}
	}
}

// number checks a number, which may be nil.
func (c *compiler) number(at *schema.Path, n *numeral) {
	if n == nil {
		return
	}
	if _, err := strconv.ParseFloat(n.String(), 64); err != nil {
		c.add(at, n.String(), "it is not a number that a float64 can hold")
	}
}

// constraints compiles the limits of a value and its default.
func (c *compiler) constraints(at *schema.Path, n *node) {
	if n.Pattern != "" {
		n.pattern = &validation.Pattern{Expr: n.Pattern}
	}
	c.number(at.Child("minimum"), n.Minimum)
	c.number(at.Child("maximum"), n.Maximum)
	c.number(at.Child("multipleOf"), n.MultipleOf)
	if n.MultipleOf != nil && n.MultipleOf.float() <= 0 {
		c.add(at.Child("multipleOf"), n.MultipleOf.String(), "must be greater than 0")
	}
	if len(n.Enum) > 0 {
		n.enum = make([]unstructured.Value, 0, len(n.Enum))
	}
	for i, text := range n.Enum {
		n.enum = append(n.enum, c.value(at.Child("enum").Index(i), text))
	}
	if len(n.enum) > shortEnum {
		n.among = make(map[any]bool, len(n.enum))
		for _, v := range n.enum {
			n.among[scalar(v)] = true
		}
	}
	if !n.hasDefault() || c.defaults > mostDefaults {
		return
	}
	v, ok := n.withDefaults(c.value(at.Child("default"), n.Default))
	known, size := n.prune(v)
	if !ok {
		size = mostDefaults + 1
	}
	n.value, n.bytes = &v, size
	if c.defaults += size; c.defaults > mostDefaults {
		c.add(at.Child("default"), nil, fmt.Sprintf(
			"the defaults of the schema have more than %d bytes together, each with those inside it", mostDefaults))
		return
	}
	if !known.Equal(v) {
		c.add(at.Child("default"), nil, "it has members that the schema does not have")
	}
	check := validator{most: 1}
	if check.value(n, schema.NewPath("default"), v, nil); len(check.errs) > 0 {
		c.add(at.Child("default"), nil, "the schema does not allow it: "+check.errs[0].Error())
	}
}

// value reads a value of the schema.
func (c *compiler) value(at *schema.Path, text json.RawMessage) unstructured.Value {
	v, err := held(text)
	if err != nil {
		c.add(at, nil, err.Error())
	}
	return v
}

// prune returns a value without the members that the schema does not have, and the size of its
// JSON.
func (n *node) prune(v unstructured.Value) (out unstructured.Value, size int) {
	var o unstructured.Object
	if o.Set(v, "value") == nil {
		if text, err := o.AppendJSON(nil); err == nil {
			size = len(text)
			f := unstructured.Filter{Members: map[string]*unstructured.Filter{"value": n.filter}}
			unstructured.DecodeJSONMembers(jsonwire.NewReader(text, jsonwire.Options{}), &o, &f, nil)
		}
	}
	out, _, _ = o.Get("value")
	return out, size
}

// hasDefault reports whether the schema has a default.
func (n *node) hasDefault() bool { return len(n.Default) > 0 && string(n.Default) != "null" }

// preserves reports whether objects keep members that the schema does not have.
func (n *node) preserves() bool { return n.Preserve != nil && *n.Preserve }

// changes reports whether setDefaults can change a value of the schema.
func (n *node) changes() bool { return n.defaults || !n.Nullable }

// known returns the members that values of the schema may have, nil if nothing is known about it.
// The schemas in it have been compiled.
func (n *node) known() *unstructured.Filter {
	if n.Type == "" && !n.IntOrString && len(n.Properties) == 0 && n.Items == nil && n.Additional == additionalNone {
		return nil
	}
	f := &unstructured.Filter{Text: n.Type == "string", Open: n.preserves()}
	if n.Items != nil {
		f.Elements = n.Items.filter
		if n.preserves() {
			f.Elements = opened(f.Elements)
		}
	}
	switch n.Additional {
	case additionalSchema:
		f.Open, f.Rest = true, n.additional.filter
	case additionalTrue, additionalFalse:
		f.Open, f.Rest = true, nothing
	}
	if len(n.Properties) > 0 || n.Embedded {
		f.Members = make(map[string]*unstructured.Filter, len(n.Properties))
	}
	for name, p := range n.Properties {
		f.Members[name] = p.filter
	}
	if n.Embedded {
		f.Members["apiVersion"], f.Members["kind"], f.Members["metadata"] = text, text, metadataFilter
	}
	return f
}

// opened returns the filter of the elements of a list that keeps unknown members: they keep theirs,
// also in lists of lists. Inside of a filter that is open this is so already.
func opened(f *unstructured.Filter) *unstructured.Filter {
	if f == nil || f.Open {
		return f
	}
	return &unstructured.Filter{Members: f.Members, Open: true, Elements: opened(f.Elements), Text: f.Text}
}

// nothing admits no members, at any depth: additionalProperties without a schema describe none.
var nothing = func() *unstructured.Filter {
	f := new(unstructured.Filter)
	f.Elements = f
	return f
}()

var (
	text  = &unstructured.Filter{Text: true}
	texts = &unstructured.Filter{Open: true, Rest: text}
	// metadataFilter has the members of the metadata of objects, for those inside of others.
	metadataFilter = &unstructured.Filter{Members: map[string]*unstructured.Filter{
		"name": text, "generateName": text, "namespace": text, "selfLink": text, "uid": text, "resourceVersion": text,
		"generation": nil, "creationTimestamp": text, "deletionTimestamp": text, "deletionGracePeriodSeconds": nil,
		"labels": texts, "annotations": texts, "finalizers": {Elements: text},
		"ownerReferences": {Elements: &unstructured.Filter{Members: map[string]*unstructured.Filter{
			"apiVersion": text, "kind": text, "name": text, "uid": text, "controller": nil, "blockOwnerDeletion": nil,
		}}},
		"managedFields": {Elements: &unstructured.Filter{Members: map[string]*unstructured.Filter{
			"manager": text, "operation": text, "apiVersion": text, "time": text, "fieldsType": text, "fieldsV1": nil,
			"subresource": text,
		}}},
	}}
)

// decode fills an object from the next value of r, without the members that the schema does not
// have.
func (s *structure) decode(r *jsonwire.Reader, out *Object) {
	if s == nil {
		decodeObject(r, out, nil)
		return
	}
	decodeObject(r, out, s.root.filter)
}
