package dynamic

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// unsupported holds the keywords that a structural schema must not have, and annotations of other
// types than strings. They are read only so that they can be refused.
type unsupported struct {
	Title             string                     `json:"title"`
	Description       string                     `json:"description"`
	ID                string                     `json:"id"`
	Dialect           string                     `json:"$schema"`
	Ref               *string                    `json:"$ref"`
	PatternProperties map[string]json.RawMessage `json:"patternProperties"`
	Dependencies      map[string]json.RawMessage `json:"dependencies"`
	AdditionalItems   json.RawMessage            `json:"additionalItems"`
	Definitions       map[string]json.RawMessage `json:"definitions"`
}

// structural checks that a schema is a structural one: each value has a type, and what allOf,
// anyOf, oneOf and not combine only restricts values whose types are known without it. An API
// server refuses other schemas, because it could not prune and default their objects.
type structural struct {
	errs runtime.FieldErrors
}

func (c *structural) forbid(at *schema.Path, detail string) {
	c.errs = append(c.errs, runtime.Forbidden(at, detail))
}

func (c *structural) require(at *schema.Path, detail string) {
	c.errs = append(c.errs, runtime.Required(at, detail))
}

func (c *structural) invalid(at *schema.Path, value any, detail string) {
	c.errs = append(c.errs, runtime.Invalid(at, value, detail))
}

func (c *structural) unsupported(at *schema.Path, value string, supported ...string) {
	c.errs = append(c.errs, runtime.NotSupported(at, value, supported...))
}

// place describes where in the schema of an object a schema is.
type place struct {
	root     bool   // it is the schema of the whole object
	what     string // what has the schema, for messages
	header   bool   // it belongs to the apiVersion, the kind or the metadata of an object
	defaults string // why a default is refused, blank if one is allowed
}

// check checks the schema of an object. Status states whether it has the subresource status, whose
// schema is used on its own.
func (c *structural) check(at *schema.Path, n *node, status bool) {
	if n.Nullable {
		c.forbid(at.Child("nullable"), "an object is never null")
	}
	if status {
		c.withStatus(at, n)
	}
	c.value(at, n, place{root: true, what: "an object"})
}

// withStatus refuses what the root of a schema must not restrict because the status is written on
// its own.
func (c *structural) withStatus(at *schema.Path, n *node) {
	for _, keyword := range []struct {
		name string
		set  bool
	}{
		{"allOf", len(n.AllOf) > 0},
		{"anyOf", len(n.AnyOf) > 0},
		{"oneOf", len(n.OneOf) > 0},
		{"not", n.Not != nil},
		{"enum", len(n.Enum) > 0},
		{"default", n.hasDefault()},
		{"minProperties", n.MinProperties != nil},
		{"maxProperties", n.MaxProperties != nil},
		{"x-kubernetes-map-type", n.MapType != ""},
		{"x-kubernetes-int-or-string", n.IntOrString},
		{"x-kubernetes-embedded-resource", n.Embedded},
	} {
		if keyword.set {
			c.forbid(at.Child(keyword.name), "not at the root of a schema with the subresource status")
		}
	}
}

// value checks a schema that gives a value its type. One that has been checked already, in another
// place without restrictions, is sound.
func (c *structural) value(at *schema.Path, n *node, p place) {
	free := !p.root && !p.header && p.defaults == ""
	if free && n.sound {
		return
	}
	errs := len(c.errs)
	defer func() { n.sound = n.sound || free && len(c.errs) == errs }()
	c.keywords(at, n, p)
	c.typed(at, n, p)
	c.members(at, n, p)
	if n.Items != nil {
		c.value(at.Child("items"), n.Items, place{what: "an element of a list", header: p.header, defaults: p.defaults})
	}
	base := n
	if !p.root {
		base = nil
	}
	c.combined(at, n, base, at, true)
}

// typed checks that the type is known.
func (c *structural) typed(at *schema.Path, n *node, p place) {
	typ := at.Child("type")
	switch {
	case n.Embedded && n.Type == "":
		c.require(typ, "must be object, because of x-kubernetes-embedded-resource")
	case n.Embedded && n.Type != "object":
		c.invalid(typ, n.Type, "must be object, because of x-kubernetes-embedded-resource")
	case n.Type == "" && !n.IntOrString && !n.preserves():
		c.require(typ, "the type of "+p.what)
	case p.root && n.Type != "" && n.Type != "object":
		c.invalid(typ, n.Type, "must be object at the root")
	}
	if n.Type == "array" && n.Items == nil {
		c.require(at.Child("items"), "the schema of the elements")
	}
}

// members checks the schemas of the members of an object.
func (c *structural) members(at *schema.Path, n *node, p place) {
	object := p.root || n.Embedded
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		m := n.Properties[name]
		if m == nil {
			m = newNode()
		}
		at := at.Child("properties").Key(name)
		of := place{what: "a member", header: p.header, defaults: p.defaults}
		header := name == "apiVersion" || name == "kind" || name == "metadata"
		if object && header {
			of.header = true
			if p.root {
				of.defaults = "the server sets it"
			}
			c.ofHeader(at, name, m, p.root)
		}
		c.value(at, m, of)
	}
	if n.additional != nil {
		of := place{what: "a value of a map", header: p.header, defaults: p.defaults}
		if p.header {
			of.defaults = "a map in the metadata has no defaults"
		}
		c.value(at.Child("additionalProperties"), n.additional, of)
	}
	c.additional(at, n, p.root)
	if n.Embedded && !n.preserves() && len(n.Properties) == 0 {
		c.require(at.Child("properties"), "or x-kubernetes-preserve-unknown-fields, because of x-kubernetes-embedded-resource")
	}
}

// additional checks whether a schema may have additional properties.
func (c *structural) additional(at *schema.Path, n *node, root bool) {
	if n.Additional == additionalNone {
		return
	}
	at = at.Child("additionalProperties")
	switch {
	case n.Additional == additionalWrong:
		c.invalid(at, nil, "must be a schema or a boolean")
	case root:
		c.forbid(at, "an object of a kind is not a map")
	case n.Embedded:
		c.forbid(at, "an object with x-kubernetes-embedded-resource is not a map")
	case len(n.Properties) > 0 && n.Additional != additionalTrue:
		c.forbid(at, "a schema has either properties or additionalProperties")
	}
}

// ofHeader checks the schema of the apiVersion, the kind or the metadata of an object.
func (c *structural) ofHeader(at *schema.Path, name string, n *node, root bool) {
	want := "string"
	if name == "metadata" {
		want = "object"
	}
	if n.Type != want {
		c.invalid(at.Child("type"), n.Type, "must be "+want)
	}
	if name == "metadata" && root && !n.namesOnly() {
		c.forbid(at, "only the schemas of name and generateName, because all other metadata has a given meaning")
	}
}

// namesOnly reports whether the schema of metadata restricts nothing but the names.
func (n *node) namesOnly() bool {
	rest, limits := *n, *n.uncommon
	rest.uncommon = &limits
	rest.Type, rest.Default, rest.Properties = "", nil, nil
	for name := range n.Properties {
		if name != "name" && name != "generateName" {
			return false
		}
	}
	if !rest.single() || n.Additional != additionalNone || n.annotations != (annotations{}) {
		return false
	}
	text, err := json.Marshal(rest)
	plain, plainErr := json.Marshal(newNode())
	return err == nil && plainErr == nil && string(text) == string(plain)
}

// single reports whether a schema exists and has no other schemas in it.
func (n *node) single() bool {
	return n != nil && len(n.Properties)+len(n.AllOf)+len(n.AnyOf)+len(n.OneOf) == 0 && n.Not == nil &&
		n.Items == nil && n.additional == nil && n.Additional != additionalTrue
}

// keywords checks the keywords that are refused, in the schemas of values and in those that are
// combined.
func (c *structural) keywords(at *schema.Path, n *node, p place) {
	for _, keyword := range []struct {
		name string
		set  bool
	}{
		{"id", n.ID != ""},
		{"$schema", n.Dialect != ""},
		{"$ref", n.Ref != nil},
		{"patternProperties", len(n.PatternProperties) > 0},
		{"dependencies", n.Dependencies != nil},
		{"additionalItems", len(n.AdditionalItems) > 0 && string(n.AdditionalItems) != "null"},
		{"definitions", len(n.Definitions) > 0},
	} {
		if keyword.set {
			c.forbid(at.Child(keyword.name), "not supported")
		}
	}
	if n.hasDefault() && p.defaults != "" {
		c.forbid(at.Child("default"), p.defaults)
	}
	if n.UniqueItems {
		c.forbid(at.Child("uniqueItems"), "use x-kubernetes-list-type: set")
	}
	if n.Embedded && p.header {
		c.forbid(at.Child("x-kubernetes-embedded-resource"), "there are no objects in metadata")
	}
	if n.Preserve != nil && !*n.Preserve {
		c.invalid(at.Child("x-kubernetes-preserve-unknown-fields"), false, "must be true or omitted")
	}
	if n.IntOrString && n.preserves() {
		c.forbid(at.Child("x-kubernetes-preserve-unknown-fields"), "not with x-kubernetes-int-or-string")
	}
	if n.IntOrString && n.Embedded {
		c.forbid(at.Child("x-kubernetes-embedded-resource"), "not with x-kubernetes-int-or-string")
	}
	if _, err := regexp.Compile(n.Pattern); err != nil {
		c.invalid(at.Child("pattern"), n.Pattern, err.Error())
	}
	c.mapType(at, n)
	c.listType(at, n)
}

func (c *structural) mapType(at *schema.Path, n *node) {
	if n.MapType == "" {
		return
	}
	if n.Type != "object" {
		c.invalid(at.Child("type"), n.Type, "must be object, because of x-kubernetes-map-type")
	}
	if n.MapType != "atomic" && n.MapType != "granular" {
		c.unsupported(at.Child("x-kubernetes-map-type"), n.MapType, "atomic", "granular")
	}
}

func (c *structural) listType(at *schema.Path, n *node) {
	if n.ListType != "" && n.Type != "array" {
		c.invalid(at.Child("type"), n.Type, "must be array, because of x-kubernetes-list-type")
	}
	if len(n.ListKeys) > 0 && n.ListType != "map" {
		c.invalid(at.Child("x-kubernetes-list-type"), n.ListType, "must be map, because of x-kubernetes-list-map-keys")
	}
	items := at.Child("items")
	switch n.ListType {
	case "", "atomic":
		return
	case "set":
		c.setOf(items, n.Items)
	case "map":
		c.mapOf(at, n)
	default:
		c.unsupported(at.Child("x-kubernetes-list-type"), n.ListType, "atomic", "set", "map")
		return
	}
	if n.Items != nil && n.Items.Nullable {
		c.forbid(items.Child("nullable"), "not in a list of the type "+n.ListType)
	}
}

// setOf checks the schema of the elements of a set, which are compared as a whole.
func (c *structural) setOf(at *schema.Path, n *node) {
	const detail = "must be atomic for an element of a set"
	switch {
	case n == nil:
	case n.Type == "array" && n.ListType != "" && n.ListType != "atomic":
		c.invalid(at.Child("x-kubernetes-list-type"), n.ListType, detail)
	case n.Type == "object" && n.MapType != "atomic":
		c.invalid(at.Child("x-kubernetes-map-type"), n.MapType, detail)
	}
}

// mapOf checks a list whose elements are told apart by keys.
func (c *structural) mapOf(at *schema.Path, n *node) {
	items, keys := at.Child("items"), at.Child("x-kubernetes-list-map-keys")
	if len(n.ListKeys) == 0 {
		c.require(keys, "the members by which elements are told apart")
	}
	switch {
	case n.Items == nil:
		c.require(items, "the schema of the elements")
		return
	case n.Items.Type != "object":
		c.invalid(items.Child("type"), n.Items.Type, "must be object in a list of the type map")
		return
	}
	for i, key := range n.ListKeys {
		at := items.Child("properties").Key(key)
		m, found := n.Items.Properties[key]
		switch {
		case slices.Contains(n.ListKeys[:i], key):
			c.errs = append(c.errs, runtime.Duplicate(keys.Index(i), key))
			continue
		case !found:
			c.invalid(keys.Index(i), key, "must be a member of the elements")
			continue
		case m == nil:
			continue // it has no type
		case m.Type == "array" || m.Type == "object":
			c.invalid(at.Child("type"), m.Type, "must not be a list or an object, because it is a key")
		}
		if !slices.Contains(n.Items.Required, key) && !m.hasDefault() {
			c.require(at.Child("default"), "a key is required or has a default")
		}
		if m.Nullable {
			c.forbid(at.Child("nullable"), "a key is never null")
		}
	}
}

// combined checks the schemas of allOf, anyOf, oneOf and not in a schema. Base is the schema that
// gives the same value its type, and its path; nil if it is not compared. Outer states that the
// schema is not itself a part of another one.
func (c *structural) combined(at *schema.Path, n, base *node, baseAt *schema.Path, outer bool) {
	for _, group := range []struct {
		name  string
		parts []*node
	}{{"allOf", n.AllOf}, {"anyOf", n.AnyOf}, {"oneOf", n.OneOf}} {
		if outer && group.name == "anyOf" && isIntOrString(group.parts) {
			continue
		}
		for i, part := range group.parts {
			if part != nil {
				c.part(at.Child(group.name).Index(i), part, base, baseAt, outer && group.name == "allOf" && i == 0)
			}
		}
	}
	if n.Not != nil {
		c.part(at.Child("not"), n.Not, base, baseAt, false)
	}
}

// isIntOrString reports whether the parts of an anyOf say what x-kubernetes-int-or-string says.
// Only there may parts have types.
func isIntOrString(parts []*node) bool {
	if len(parts) != 2 || !parts[0].single() || !parts[1].single() {
		return false
	}
	text, err := json.Marshal(parts)
	want, wantErr := json.Marshal([]*node{{uncommon: &common, Type: "integer"}, {uncommon: &common, Type: "string"}})
	return err == nil && wantErr == nil && string(text) == string(want) &&
		parts[0].annotations == annotations{} && parts[1].annotations == annotations{}
}

// part checks a schema that is combined with others. If it is the first of allOf, its anyOf may
// name the two types of x-kubernetes-int-or-string.
func (c *structural) part(at *schema.Path, n, base *node, baseAt *schema.Path, first bool) {
	c.keywords(at, n, place{})
	for _, keyword := range []struct {
		name string
		set  bool
	}{
		{"type", n.Type != ""},
		{"default", n.hasDefault()},
		{"title", n.Titled},
		{"description", n.Described},
		{"nullable", n.Nullable},
		{"additionalProperties", n.additional != nil || n.Additional == additionalTrue},
		{"x-kubernetes-preserve-unknown-fields", n.preserves()},
		{"x-kubernetes-embedded-resource", n.Embedded},
		{"x-kubernetes-int-or-string", n.IntOrString},
		{"x-kubernetes-list-map-keys", len(n.ListKeys) > 0},
		{"x-kubernetes-list-type", n.ListType != ""},
		{"x-kubernetes-map-type", n.MapType != ""},
		{"x-kubernetes-validations", len(n.Rules) > 0},
	} {
		if keyword.set {
			c.forbid(at.Child(keyword.name), "not inside of allOf, anyOf, oneOf and not")
		}
	}
	if n.Items != nil {
		c.below(at.Child("items"), n.Items, base, baseAt.Child("items"), (*node).items)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		at := at.Child("properties").Key(name)
		if name == "metadata" {
			c.forbid(at, "not inside of allOf, anyOf, oneOf and not")
		}
		c.below(at, n.Properties[name], base, baseAt.Child("properties").Key(name),
			func(n *node) *node { return n.Properties[name] })
	}
	if first && isIntOrString(n.AnyOf) {
		rest, limits := *n, *n.uncommon
		limits.AnyOf, rest.uncommon = nil, &limits
		n = &rest
	}
	c.combined(at, n, base, baseAt, false)
}

func (n *node) items() *node { return n.Items }

// below checks a schema inside of a part. Of returns the schema that gives the same value its type.
func (c *structural) below(at *schema.Path, n, base *node, baseAt *schema.Path, of func(*node) *node) {
	if base != nil {
		if base = of(base); base == nil {
			c.require(baseAt, "because "+at.String()+" restricts it")
		}
	}
	if n != nil {
		c.part(at, n, base, baseAt, false)
	}
}
