package fromcrd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/codegen/internal/diag"
)

// Schema is a structural schema.
type Schema struct {
	Type, Format, Title, Description string
	DocsURL, Docs                    string
	Pattern                          []string
	Enum                             []string // JSON
	Default, Example                 string   // JSON, blank for none
	Minimum, Maximum, MultipleOf     string
	ExclusiveMinimum                 bool
	ExclusiveMaximum                 bool
	MinLength, MaxLength             string
	MinItems, MaxItems               string
	MinProperties, MaxProperties     string
	UniqueItems, Nullable            bool
	Properties                       []Property
	Required                         []string
	Items, Values                    *Schema
	IntOrString, Preserve, Embedded  bool
	ListType, MapType                string
	ListMapKeys                      []string
	Rules                            []Rule
	// Groups holds the markers that limit how many properties are set, such as ExactlyOneOf=a;b.
	Groups []string
	// Not is a value that is not allowed, as JSON.
	Not string

	at at
}

// Property is a member of an object, in the order of the file.
type Property struct {
	Name   string
	Schema *Schema
}

// Rule is a CEL rule. Its names are both JSON members and arguments of the marker.
type Rule []struct{ Name, Value string }

// property returns the schema of a member, or nil.
func (s *Schema) property(name string) *Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// Read returns the definitions in the YAML or JSON documents of a file, including those in lists.
// Other objects are reported.
func Read(file string, data []byte, d *diag.List) []*Definition {
	r := &reader{file: file, d: d}
	var out []*Definition
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			r.distinct(out)
			return out
		}
		if err != nil {
			d.Errorf(token.Position{Filename: file}, "crd-yaml", "%v", err)
			return out
		}
		if len(doc.Content) > 0 {
			datesAreText(&doc)
			out = r.document(doc.Content[0], out)
		}
	}
}

// datesAreText makes plain dates strings, which is what API servers read.
func datesAreText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		datesAreText(c)
	}
}

// distinct reports kinds of a group that have the same name. Lists of kinds are kinds, too.
func (r *reader) distinct(defs []*Definition) {
	seen := map[[2]string]at{}
	for _, d := range defs {
		for _, kind := range []string{d.Kind, d.ListKind} {
			name := [2]string{d.Group, kind}
			if first, ok := seen[name]; ok {
				r.fail(d.at, "the kind %s of %s is defined already, in line %d", kind, d.Group, first.line)
				break
			}
			seen[name] = d.at
		}
	}
}

type reader struct {
	file string
	d    *diag.List
	// rules counts the CEL rules of a version; first and firstText describe the first one.
	rules     int
	first     at
	firstText string
	// nodes counts schemas and list items, because aliases can create many from few bytes.
	nodes int
}

var (
	// word matches the names of groups and resources.
	word = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)
	// kindName matches the kinds of Kubernetes that are names of exported Go types.
	kindName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	// packageName matches the versions of Kubernetes that are names of Go packages, but for some.
	packageName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
)

// These are larger than those of any definition that an API server accepts: the number of schemas,
// and the length of the path of one in bytes.
const (
	mostSchemas = 100_000
	mostPath    = 2048
)

func (r *reader) pos(a at) token.Position {
	return token.Position{Filename: r.file, Line: a.line, Column: a.column}
}

func (r *reader) warn(a at, code, format string, args ...any) {
	r.d.Warnf(r.pos(a), code, format, args...)
}

func (r *reader) fail(a at, format string, args ...any) {
	r.d.Errorf(r.pos(a), "crd-invalid", format, args...)
}

// object is a mapping whose members are read individually.
type object struct {
	r     *reader
	path  string
	at    at
	pairs []pair
}

type pair struct {
	key   string
	at    at
	value *yaml.Node
	taken bool
}

func follow(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func where(n *yaml.Node) at { return at{n.Line, n.Column} }

// object reads a mapping. It returns an empty mapping for a nil node and, after reporting an error,
// for a node of another kind.
func (r *reader) object(n *yaml.Node, path string) *object {
	n = follow(n)
	o := &object{r: r, path: path}
	if n == nil || n.Tag == "!!null" {
		return o
	}
	o.at = where(n)
	if n.Kind != yaml.MappingNode {
		r.fail(o.at, "%s is not a mapping", path)
		return o
	}
	seen, repeated := make(map[string]bool, len(n.Content)/2), false
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := follow(n.Content[i])
		switch {
		case key.Tag == "!!merge":
			r.fail(where(key), "merge keys are not read; write the members of the other mapping here")
		case !seen[key.Value]:
			seen[key.Value] = true
			o.pairs = append(o.pairs, pair{key.Value, where(key), follow(n.Content[i+1]), false})
		case repeated: // one error for each mapping
		case path == "":
			repeated = true
			r.fail(where(key), "%s stands twice; a line --- separates documents", key.Value)
		default:
			repeated = true
			r.fail(where(key), "%s.%s stands twice", path, key.Value)
		}
	}
	return o
}

func (o *object) get(key string) *yaml.Node {
	for i := range o.pairs {
		if o.pairs[i].key == key {
			o.pairs[i].taken = true
			return o.pairs[i].value
		}
	}
	return nil
}

func (o *object) sub(key string) *object { return o.r.object(o.get(key), o.path+"."+key) }

func (o *object) text(key string) string { return o.place(key).Text }

func (o *object) place(key string) Text {
	n := o.get(key)
	if n == nil || n.Tag == "!!null" {
		return Text{at: o.at}
	}
	if n.Kind != yaml.ScalarNode {
		o.r.fail(where(n), "%s.%s is not a string", o.path, key)
	}
	return Text{n.Value, where(n)}
}

func (o *object) flag(key string) bool {
	n := o.get(key)
	if n == nil {
		return false
	}
	var v bool
	if err := n.Decode(&v); err != nil {
		o.r.fail(where(n), "%s.%s is not a boolean", o.path, key)
	}
	return v
}

// number returns a number as JSON, or "" for no value. Its tag is one of those.
func (o *object) number(key string, tags ...string) string {
	n := o.get(key)
	if n == nil || n.Tag == "!!null" {
		return ""
	}
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.Tag) {
		o.r.fail(where(n), "%s.%s is not a valid number", o.path, key)
		return ""
	}
	return o.r.json(n)
}

func (o *object) list(key string) []*yaml.Node {
	n := o.get(key)
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		o.r.fail(where(n), "%s.%s is not a list", o.path, key)
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		out[i] = follow(e)
	}
	return out
}

func (o *object) texts(key string) []string {
	var out []string
	for _, n := range o.list(key) {
		out = append(out, n.Value)
	}
	return out
}

// json returns a value as JSON in one line, or "" for no value.
func (o *object) json(key string) string {
	n := o.get(key)
	if n == nil {
		return ""
	}
	return o.r.json(n)
}

func (r *reader) json(n *yaml.Node) string {
	var v any
	err := n.Decode(&v)
	var b bytes.Buffer
	if err == nil {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err = enc.Encode(v)
	}
	if err != nil {
		r.fail(where(n), "the value is not JSON: %v", err)
		return "null"
	}
	return strings.TrimSpace(b.String())
}

// rest reports members that have not been read.
func (o *object) rest() {
	for _, p := range o.pairs {
		if !p.taken {
			o.r.warn(p.at, "crd-lost", "%s.%s is not carried over", o.path, p.key)
		}
	}
}

// document adds the definitions of a document to out.
func (r *reader) document(n *yaml.Node, out []*Definition) []*Definition {
	o := r.object(n, "")
	apiVersion, kind := o.place("apiVersion"), o.place("kind")
	switch {
	case len(o.pairs) == 0:
	case kind.Text == "List":
		for _, item := range o.list("items") {
			if r.nodes++; r.nodes > mostSchemas { // aliases can make a list an item of itself
				if r.nodes == mostSchemas+1 {
					r.fail(o.at, "there are more than %d objects in lists", mostSchemas)
				}
				break
			}
			out = r.document(item, out)
		}
	case kind.Text != "CustomResourceDefinition":
		r.warn(o.at, "crd-other", "an object of kind %q is skipped; it is not a CustomResourceDefinition", kind.Text)
	case apiVersion.Text != "apiextensions.k8s.io/v1":
		r.fail(apiVersion.at,
			"the definition is in %q; only apiextensions.k8s.io/v1 is read, and an API server converts it",
			apiVersion.Text)
	default:
		if d := r.definition(o); d != nil {
			out = append(out, d)
		}
	}
	return out
}

func (r *reader) definition(o *object) *Definition {
	spec := o.sub("spec")
	spec.path = "spec"
	names := spec.sub("names")
	d := &Definition{
		at: o.at, Group: spec.text("group"), Kind: names.text("kind"), ListKind: names.text("listKind"),
		Plural: names.text("plural"), Singular: names.text("singular"), ShortNames: names.texts("shortNames"),
		Categories: names.texts("categories"), Cluster: spec.text("scope") == "Cluster",
	}
	names.rest()
	if d.Group == "" || d.Kind == "" || d.Plural == "" {
		r.fail(o.at, "the definition has no spec.group, spec.names.kind or spec.names.plural")
		return nil
	}
	for _, kind := range []string{d.Kind, cmp.Or(d.ListKind, "List")} {
		if !kindName.MatchString(kind) {
			r.fail(names.at, "kind %q is not the name of a Go type: use letters and digits, with a capital first", kind)
			return nil
		}
	}
	for _, name := range slices.Concat([]string{d.Plural, d.Group, cmp.Or(d.Singular, "a")}, d.ShortNames,
		d.Categories) {
		if !word.MatchString(name) {
			r.fail(names.at, "%q is not a valid group or resource name: use lower-case letters, digits, - and .", name)
			return nil
		}
	}
	if d.ListKind == "" {
		d.ListKind = d.Kind + "List"
	}
	if d.Singular == "" {
		d.Singular = strings.ToLower(d.Kind)
	}
	storage := 0
	for i, n := range spec.list("versions") {
		r.rules = 0
		v := r.version(r.object(n, fmt.Sprintf("spec.versions[%d]", i)))
		if r.rules > 0 {
			r.warn(r.first, "crd-cel",
				"%s in %s has rules in CEL (%d), which become markers and are not evaluated; functions "+
					"must enforce them, see docs/validation.md; the first is %s", d.Kind, v.Name, r.rules, r.firstText)
		}
		if v.Storage {
			storage++
		}
		if slices.ContainsFunc(d.Versions, func(o *Version) bool { return o.Name == v.Name }) {
			r.fail(v.at, "version %s of %s stands twice", v.Name, d.Kind)
		}
		d.Versions = append(d.Versions, v)
	}
	if storage != 1 {
		r.fail(spec.at, "%d versions of %s are marked as the storage version; mark exactly one", storage, d.Kind)
		return nil
	}
	spec.flag("preserveUnknownFields")
	if c := spec.sub("conversion"); c.text("strategy") == "Webhook" {
		r.warn(c.at, "crd-webhook",
			"the conversions of %s are implemented by a webhook and not part of the definition; "+
				"fields that both versions have are converted by name", d.Kind)
	}
	spec.rest()
	return d
}

func (r *reader) version(o *object) *Version {
	v := &Version{
		Name: o.text("name"), Storage: o.flag("storage"), Deprecated: o.flag("deprecated"),
		Warning: o.text("deprecationWarning"), at: o.at,
	}
	if !versionName(v.Name) {
		r.fail(o.at, "version %q is not the name of a Go package", v.Name)
	}
	v.Unserved = !o.flag("served")
	for i, n := range o.list("additionalPrinterColumns") {
		c := r.object(n, fmt.Sprintf("%s.additionalPrinterColumns[%d]", o.path, i))
		v.Columns = append(v.Columns, &Column{
			Name: c.text("name"), Type: c.text("type"), Format: c.text("format"), Description: c.text("description"),
			Priority: c.number("priority", "!!int"), Path: c.place("jsonPath"),
		})
		c.rest()
	}
	for i, n := range o.list("selectableFields") {
		f := r.object(n, fmt.Sprintf("%s.selectableFields[%d]", o.path, i))
		v.Selectable = append(v.Selectable, f.place("jsonPath"))
		f.rest()
	}
	sub := o.sub("subresources")
	v.Status = sub.get("status") != nil
	scale := sub.sub("scale")
	v.SpecPath, v.StatusPath = scale.place("specReplicasPath"), scale.place("statusReplicasPath")
	v.Label = scale.place("labelSelectorPath")
	scale.rest()
	sub.rest()
	s := o.sub("schema")
	v.Schema = r.schema(s.get("openAPIV3Schema"), v.Name)
	s.rest()
	o.rest()
	return v
}

// versionName reports whether a version is a valid package name.
func versionName(name string) bool {
	return packageName.MatchString(name) && !token.IsKeyword(name) &&
		!slices.Contains([]string{"internal", "main", "testdata", "vendor"}, name)
}

// schema reads a schema. The path is that of the value in an object, prefixed with the version.
func (r *reader) schema(n *yaml.Node, path string) *Schema {
	o := r.object(n, path)
	s := &Schema{at: o.at}
	if r.nodes++; r.nodes > mostSchemas {
		if r.nodes == mostSchemas+1 {
			r.fail(o.at, "there are more than %d schemas", mostSchemas)
		}
		return s
	}
	if len(path) > mostPath {
		r.fail(o.at, "schemas are nested too deep")
		return s
	}
	s.Type, s.Format, s.Title, s.Description = o.text("type"), o.text("format"), o.text("title"), o.text("description")
	docs := o.sub("externalDocs")
	s.DocsURL, s.Docs = docs.text("url"), docs.text("description")
	docs.rest()
	r.values(o, s)
	for _, p := range o.sub("properties").pairs {
		s.Properties = append(s.Properties, Property{p.key, r.schema(p.value, path+"."+p.key)})
	}
	s.Required = o.texts("required")
	if n := o.get("items"); n != nil {
		s.Items = r.schema(n, path+"[]")
	}
	if n := o.get("additionalProperties"); n != nil && n.Kind == yaml.ScalarNode {
		// A boolean only states whether the schema is open.
		s.Preserve = s.Preserve || n.Value == "true"
	} else if n != nil {
		s.Values = r.schema(n, path+"{}")
	}
	s.IntOrString = o.flag("x-kubernetes-int-or-string")
	s.Preserve = o.flag("x-kubernetes-preserve-unknown-fields") || s.Preserve
	s.Embedded = o.flag("x-kubernetes-embedded-resource")
	s.ListType, s.MapType = o.text("x-kubernetes-list-type"), o.text("x-kubernetes-map-type")
	s.ListMapKeys = o.texts("x-kubernetes-list-map-keys")
	for _, n := range o.list("x-kubernetes-validations") {
		s.Rules = append(s.Rules, r.rule(n, path))
	}
	r.combined(o, s)
	o.rest()
	return s
}

// values reads the constraints on single values.
func (r *reader) values(o *object, s *Schema) {
	if p := o.text("pattern"); p != "" {
		s.Pattern = append(s.Pattern, p)
	}
	for _, n := range o.list("enum") {
		if v := r.json(n); v != "null" { // covered by nullable
			s.Enum = append(s.Enum, v)
		}
	}
	if n := o.get("default"); n != nil {
		if s.Default = r.json(n); s.Default == "null" {
			r.warn(where(n), "crd-lost", "%s: the default null is not carried over", o.path)
			s.Default = ""
		}
	}
	s.Example = o.json("example")
	number := func(key string) string { return o.number(key, "!!int", "!!float") }
	s.Minimum, s.Maximum, s.MultipleOf = number("minimum"), number("maximum"), number("multipleOf")
	s.ExclusiveMinimum, s.ExclusiveMaximum = o.flag("exclusiveMinimum"), o.flag("exclusiveMaximum")
	count := func(key string) string { return o.number(key, "!!int") }
	s.MinLength, s.MaxLength = count("minLength"), count("maxLength")
	s.MinItems, s.MaxItems = count("minItems"), count("maxItems")
	s.MinProperties, s.MaxProperties = count("minProperties"), count("maxProperties")
	s.UniqueItems, s.Nullable = o.flag("uniqueItems"), o.flag("nullable")
}

// ruleNames lists the members of a rule that are texts. The marker has arguments with the same
// names.
var ruleNames = []string{"rule", "message", "messageExpression", "reason", "fieldPath"}

func (r *reader) rule(n *yaml.Node, path string) Rule {
	o := r.object(n, path+".x-kubernetes-validations")
	var out Rule
	for _, name := range ruleNames {
		if v := o.text(name); v != "" {
			out = append(out, struct{ Name, Value string }{name, strconv.Quote(v)})
		}
	}
	if o.flag("optionalOldSelf") {
		out = append(out, struct{ Name, Value string }{"optionalOldSelf", "true"})
	}
	o.rest()
	if r.rules++; r.rules == 1 {
		r.first, r.firstText = o.at, path+": "+shorten(o.text("rule"))
	}
	return out
}

func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 60 {
		s = string(runes[:57]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

// combined reads allOf, anyOf, oneOf and not as far as markers can express them.
func (r *reader) combined(o *object, s *Schema) {
	lost := func(key string) {
		for _, p := range o.pairs {
			if p.key == key {
				r.warn(p.at, "crd-lost", "%s: %s is not carried over, because no marker expresses it; write it as a function, see "+
					"docs/validation.md", o.path, key)
			}
		}
	}
	for i, n := range o.list("allOf") {
		if !r.part(r.object(n, o.path), s) {
			lost("allOf")
			r.warn(where(n), "crd-lost", "%s.allOf[%d] is the part that is not carried over", o.path, i)
		}
	}
	if list := o.list("anyOf"); !s.IntOrString && len(list) > 0 {
		if names, ok := r.requirements(list); ok {
			s.Groups = append(s.Groups, "AtLeastOneOf="+strings.Join(names, ";"))
		} else {
			lost("anyOf")
		}
	}
	if list := o.list("oneOf"); len(list) > 0 {
		if group, ok := r.oneOf(list); ok {
			s.Groups = append(s.Groups, group)
		} else {
			lost("oneOf")
		}
	}
	if n := o.get("not"); n != nil && !r.not(r.object(n, o.path), s) {
		lost("not")
	}
}

// part adds an element of allOf to a schema and reports whether all of it could be added.
func (r *reader) part(o *object, s *Schema) bool {
	for _, p := range o.pairs {
		switch p.key {
		case "pattern":
			s.Pattern = append(s.Pattern, p.value.Value)
		case "oneOf":
			group, ok := r.oneOf(o.list("oneOf"))
			if !ok {
				return false
			}
			s.Groups = append(s.Groups, group)
		case "anyOf":
			names, ok := r.requirements(o.list("anyOf"))
			switch {
			case s.IntOrString:
			case !ok:
				return false
			default:
				s.Groups = append(s.Groups, "AtLeastOneOf="+strings.Join(names, ";"))
			}
		case "not":
			if !r.not(r.object(p.value, o.path), s) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// requirements returns the names in a list such as [{required: [a]}, {required: [b]}].
func (r *reader) requirements(list []*yaml.Node) (names []string, ok bool) {
	for _, n := range list {
		o := r.object(n, "")
		required := o.texts("required")
		if len(o.pairs) != 1 || len(required) != 1 || !plainName(required[0]) {
			return nil, false
		}
		names = append(names, required[0])
	}
	return names, len(names) > 0
}

// plainName reports whether a name can be used in a marker that lists names.
func plainName(name string) bool { return name != "" && !strings.ContainsAny(name, "\"`;,{} ") }

// oneOf reads [{required: [a]}, …]. It means at most one if the last element allows none of them.
func (r *reader) oneOf(list []*yaml.Node) (group string, ok bool) {
	if names, ok := r.requirements(list); ok {
		return "ExactlyOneOf=" + strings.Join(names, ";"), true
	}
	if len(list) < 3 {
		return "", false
	}
	names, ok := r.requirements(list[:len(list)-1])
	none := r.object(list[len(list)-1], "").sub("not").list("anyOf")
	others, same := r.requirements(none)
	if !ok || !same || !slices.Equal(names, others) {
		return "", false
	}
	return "AtMostOneOf=" + strings.Join(names, ";"), true
}

// not reads {enum: [x]}.
func (r *reader) not(o *object, s *Schema) bool {
	list := o.list("enum")
	if len(o.pairs) != 1 || len(list) != 1 || s.Not != "" {
		return false
	}
	s.Not = r.json(list[0])
	return true
}
