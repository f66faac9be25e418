package dynamic

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/validation"
	"github.com/askind/askind/wire/jsonwire"
)

// Definition describes a resource whose kind has no Go type.
type Definition struct {
	_ struct{} // literals name their fields

	// Group is the API group. Blank means the core group.
	Group string
	// Kind is the name of the kind. ListKind is by default that name followed by List.
	Kind, ListKind string
	// Resource is the lower-case plural; Singular is by default the kind in lower case.
	Resource, Singular string
	// ShortNames and Categories are additional names, see [runtime.KindSpec].
	ShortNames, Categories []string
	// Scope states whether objects live in namespaces.
	Scope runtime.Scope
	// Versions are the versions of the kind. Exactly one of them must be the storage version.
	Versions []Version
	// Rules compiles the rules in the schemas. Without it they are not evaluated, and
	// [Resource.Ignored] lists them. Package validation/cel has a compiler.
	Rules RuleCompiler
	// Source states where the definition comes from, for messages about conflicts.
	Source string
}

// Version describes one version of a kind.
type Version struct {
	_ struct{} // literals name their fields

	// Name is the version, such as "v1".
	Name string
	// Storage marks the version in which objects are kept at rest.
	Storage bool
	// Unserved prevents servers from serving the version.
	Unserved bool
	// Deprecated is the warning for clients that use the version; blank if it is not deprecated.
	Deprecated string
	// Status declares the subresource status. The storage version must have it if another one has.
	// Only the subresource changes the status then, whichever version a client speaks.
	Status bool
	// Scale describes the subresource scale; nil if the kind does not have it.
	Scale *Scale
	// Columns are the columns of tables after the name; if empty, there is a column for the age.
	Columns []Column
	// SelectableFields are the JSONPaths by which clients may select objects, besides their name
	// and namespace, at most 8. They may contain only members, ".spec.color", and lead to strings,
	// booleans and integers.
	SelectableFields []string
	// Schema is the OpenAPI 3.0 schema of objects as JSON, a structural one. Objects are held to
	// it, see the package comment. Without it the published schema allows any members.
	Schema []byte
}

// Scale states where objects have the values of the subresource scale. The paths are JSONPaths that
// contain only members.
type Scale struct {
	_ struct{} // literals name their fields

	// SpecReplicas is the path of the desired number of instances, below .spec. An object without
	// that value has no size: showing it results in [ErrNoSize].
	SpecReplicas string
	// StatusReplicas is the path of the current number of instances, below .status.
	StatusReplicas string
	// LabelSelector is the path of the selector of instances, or blank.
	LabelSelector string
}

// Column is a column of tables.
type Column struct {
	_ struct{} // literals name their fields

	// Name is the heading, and Description explains the column.
	Name, Description string
	// Type is the OpenAPI type of the cells: string, integer, number, boolean or date. The cell of
	// a date is its age. A column of type string shows any value as text; in other columns, a value
	// of another type results in an empty cell.
	Type string
	// Format refines Type.
	Format string
	// Priority is zero for columns that are always shown.
	Priority int32
	// JSONPath leads to the value: members, indexes, [*], .*, and filters such as
	// [?(@.type=="Ready")]. A column of type string shows several values with blanks between them.
	// If a step needs a list or an element and it is not there, the cell is blank.
	JSONPath string
}

// Resource is a definition that has been checked. It is immutable and safe for concurrent use.
type Resource struct {
	groupKind schema.GroupKind
	versions  []registration
	ignored   []*schema.Path
}

// registration is what [Resource.AddTo] registers for a version.
type registration struct {
	object runtime.KindSpec[Object]
	list   runtime.KindSpec[List]
	views  *runtime.Views
}

// GroupKind returns the group and the kind.
func (r *Resource) GroupKind() schema.GroupKind { return r.groupKind }

// Ignored returns the parts of the schemas that are not enforced: rules in the Common Expression
// Language, x-kubernetes-validations, of a definition without a compiler of rules.
func (r *Resource) Ignored() []*schema.Path { return slices.Clone(r.ignored) }

// AddTo registers the kind and its lists in all versions. Versions are converted by changing the
// apiVersion.
func (r *Resource) AddTo(b *runtime.Builder) {
	for i := range r.versions {
		v := &r.versions[i]
		runtime.AddKind(b, &v.object)
		runtime.AddKind(b, &v.list)
		runtime.AddViews(b, v.object.GroupVersionKind, v.views)
		runtime.AddViews(b, v.list.GroupVersionKind, v.views)
	}
}

// mostVersions bounds the versions of a definition, because compiling one takes as long as reading
// kilobytes, and clients write definitions.
const mostVersions = 100

// New checks a definition, which may have 100 versions. The error is a [runtime.FieldErrors] with
// all problems; its paths are those of the fields in a CustomResourceDefinition.
func New(d Definition) (*Resource, error) { return resource(d, false) }

// Check returns the error of [New], in half of the time.
func Check(d Definition) error {
	_, err := resource(d, true)
	return err
}

// resource checks a definition and, unless only that is wanted, compiles it.
func resource(d Definition, only bool) (*Resource, error) {
	d.complete()
	c := checker{spec: schema.NewPath("spec"), only: only}
	c.names(&d)
	out := &Resource{groupKind: schema.GroupKind{Group: d.Group, Kind: d.Kind}}
	if len(d.Versions) > mostVersions {
		c.add(runtime.TooMany(c.spec.Child("versions"), len(d.Versions), mostVersions))
		return nil, c.errs
	}
	for i := range d.Versions {
		out.versions = append(out.versions, c.version(&d, i))
	}
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	out.ignored = c.ignored
	return out, nil
}

// complete sets the defaults of omitted fields.
func (d *Definition) complete() {
	if d.ListKind == "" {
		d.ListKind = d.Kind + "List"
	}
	if d.Singular == "" {
		d.Singular = strings.ToLower(d.Kind)
	}
	if d.Source == "" {
		d.Source = source
	}
}

// checker collects the problems of a definition.
type checker struct {
	spec    *schema.Path
	errs    runtime.FieldErrors
	ignored []*schema.Path
	nodes   nodes
	only    bool // nothing is published
}

func (c *checker) add(e *runtime.FieldError) { c.errs = append(c.errs, e) }

var (
	label  = regexp.MustCompile(`^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`)
	domain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	kinds  = regexp.MustCompile(`^[A-Za-z]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$`)
)

const domainDetail = "the name of a domain in lower case"

// match reports a text that does not match a form of names.
func (c *checker) match(p *schema.Path, text string, form *regexp.Regexp, detail string) {
	switch {
	case text == "":
		c.add(runtime.Required(p, detail))
	case len(text) > 253 || !form.MatchString(text):
		c.add(runtime.Invalid(p, text, detail))
	}
}

// names checks the parts that all versions share.
func (c *checker) names(d *Definition) {
	const named = "letters, digits and dashes, beginning with a letter, usually a capital"
	const plain = "lower-case letters, digits and dashes, beginning with a letter"
	if d.Group != "" {
		c.match(c.spec.Child("group"), d.Group, domain, domainDetail)
	}
	names := c.spec.Child("names")
	c.match(names.Child("plural"), d.Resource, label, plain)
	c.match(names.Child("singular"), d.Singular, label, plain)
	c.match(names.Child("kind"), d.Kind, kinds, named)
	c.match(names.Child("listKind"), d.ListKind, kinds, named)
	if d.Kind == d.ListKind {
		c.add(runtime.Invalid(names.Child("listKind"), d.ListKind, "it is the kind of the objects"))
	}
	for i, name := range d.ShortNames {
		c.match(names.Child("shortNames").Index(i), name, label, plain)
	}
	for i, name := range d.Categories {
		c.match(names.Child("categories").Index(i), name, label, plain)
	}
	storage := 0
	for i := range d.Versions {
		if d.Versions[i].Storage {
			storage++
		}
	}
	stored := slices.IndexFunc(d.Versions, func(v Version) bool { return v.Storage })
	for i := range d.Versions {
		if d.Versions[i].Status && stored >= 0 && !d.Versions[stored].Status {
			c.add(runtime.Invalid(c.spec.Child("versions").Index(i).Child("subresources").Child("status"), true,
				"the storage version must have the subresource, too"))
		}
	}
	if storage != 1 {
		c.add(runtime.Invalid(c.spec.Child("versions"), storage, "one version, and no other, must be the storage version"))
	}
}

// version checks a version and returns its registration.
func (c *checker) version(d *Definition, i int) registration {
	v := &d.Versions[i]
	at := c.spec.Child("versions").Index(i)
	c.match(at.Child("name"), v.Name, label, "lower-case letters, digits and dashes, beginning with a letter")
	if slices.ContainsFunc(d.Versions[:i], func(other Version) bool { return other.Name == v.Name }) {
		c.add(runtime.Duplicate(at.Child("name"), v.Name))
	}
	o, l := d.specs(v)
	inSchema := at.Child("schema").Child("openAPIV3Schema")
	root, rules := c.schema(inSchema, v, d.Rules)
	rules.complete(&o, &l)
	o.SelectableFields = c.selectable(at.Child("selectableFields"), v.SelectableFields, root)
	w := &view{columns: c.columns(at, v.Columns), scale: c.scale(at, v.Scale)}
	if rules != nil && w.scale != nil {
		for _, p := range []path{w.scale.spec, w.scale.status} {
			if names, _ := p.simple(); len(names) > 0 {
				rules.sizes = append(rules.sizes, names)
			}
		}
		rules.selector, _ = w.scale.selector.simple()
	}
	if c.only {
		return registration{}
	}
	published := v.Schema
	if root == nil {
		published = nil // either it is missing, or its mistakes have been reported
	}
	schemas, objects, lists, err := pack(&o, &l, published, root)
	if err != nil {
		c.add(runtime.Invalid(inSchema, nil, err.Error()))
	}
	o.Schemas, o.SchemaName, l.Schemas, l.SchemaName = schemas, objects, schemas, lists
	return registration{object: o, list: l, views: w.views()}
}

// specs returns the specs of the objects and lists of a version, without what follows from its
// schema.
func (d *Definition) specs(v *Version) (runtime.KindSpec[Object], runtime.KindSpec[List]) {
	gv := schema.GroupVersion{Group: d.Group, Version: v.Name}
	o, l := objectSpec, listSpec
	o.GroupVersionKind, l.GroupVersionKind = gv.WithKind(d.Kind), gv.WithKind(d.ListKind)
	o.Source, l.Source = d.Source, d.Source
	o.Resource, o.Singular, o.Scope, l.Scope = d.Resource, d.Singular, d.Scope, d.Scope
	o.ShortNames, o.Categories = slices.Clone(d.ShortNames), slices.Clone(d.Categories)
	o.Storage, o.Status, o.Unserved, o.Deprecated = v.Storage, v.Status, v.Unserved, v.Deprecated
	o.List, l.Item = d.ListKind, d.Kind
	return o, l
}

// complete sets the functions of specs that follow from the schema, which may be nil.
func (s *structure) complete(o *runtime.KindSpec[Object], l *runtime.KindSpec[List]) {
	if s != nil {
		o.DecodeJSON = s.decode
		o.Validate, o.ValidateChange = s.validate, s.validateChange
		if s.root.defaults {
			o.Default = s.setDefaults
		}
	}
	apiVersion, kind := o.GroupVersionKind.APIVersion(), o.GroupVersionKind.Kind
	l.DecodeJSON = func(r *jsonwire.Reader, out *List) {
		decodeList(r, out, s.decode)
		for i := range out.Items {
			out.Items[i].SetType(apiVersion, kind)
		}
	}
}

// schema reads and compiles the schema of a version. The results are nil for a version without one.
func (c *checker) schema(at *schema.Path, v *Version, compile RuleCompiler) (*node, *structure) {
	if len(v.Schema) == 0 {
		return nil, nil
	}
	root, err := c.nodes.read(v.Schema)
	if err != nil {
		c.add(runtime.Invalid(at, nil, "the schema cannot be read: "+err.Error()))
		return nil, nil
	}
	form, compiled := structural{}, compiler{}
	form.check(at, root, v.Status)
	rules := compiled.structure(at, root)
	if c.errs = append(append(c.errs, form.errs...), compiled.errs...); len(form.errs) > 0 {
		return nil, nil
	}
	if compile == nil {
		c.ignored = append(c.ignored, compiled.ignored...)
	} else if len(compiled.errs) == 0 && len(compiled.ignored) > 0 {
		var errs runtime.FieldErrors
		rules.rules, errs = compile(v.Schema)
		c.errs = validation.Under(c.errs, at, errs)
	}
	return rules.root, rules
}

// members parses a path that contains only members and is outside of the metadata.
func (c *checker) members(at *schema.Path, text string) []string {
	p, err := parsePath(text)
	if err != nil {
		c.add(runtime.Invalid(at, text, err.Error()))
		return nil
	}
	names, ok := p.simple()
	dotted := func(name string) bool { return strings.Contains(name, ".") }
	if !ok || names[0] == "metadata" || slices.ContainsFunc(names, dotted) {
		c.add(runtime.Invalid(at, text, "the path must contain only members and be outside of metadata, such as .spec.color"))
		return nil
	}
	return names
}

// mostSelectable bounds the selectable fields of a version, because each costs memory for every
// object.
const mostSelectable = 8

// selectable returns the selectable fields of a version. The schema, if there is one, must state
// that they are scalars, and not fractions, which have several texts.
func (c *checker) selectable(at *schema.Path, all []string, root *node) (paths []string) {
	if len(all) > mostSelectable {
		c.add(runtime.TooMany(at, len(all), mostSelectable))
		all = all[:mostSelectable] // clients choose the number
	}
	for i, text := range all {
		p := at.Index(i).Child("jsonPath")
		names := c.members(p, text)
		if len(names) == 0 {
			continue
		}
		path := "." + strings.Join(names, ".")
		of := root
		for _, name := range names {
			if of != nil {
				of = of.Properties[name]
			}
		}
		switch {
		case slices.Contains(paths, path):
			c.add(runtime.Duplicate(p, text))
			continue
		case root != nil && (of == nil || of.Type != "string" && of.Type != "boolean" && of.Type != "integer"):
			c.add(runtime.Invalid(p, text, "the schema must have a string, a boolean or an integer at this path"))
		}
		paths = append(paths, path)
	}
	return paths
}

// columnTypes are the allowed types of columns.
var columnTypes = []string{"string", "integer", "number", "boolean", "date"}

func (c *checker) columns(at *schema.Path, all []Column) []column {
	if len(all) == 0 {
		all = []Column{{
			Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
			Description: "The time since the object was created.",
		}}
	}
	out := make([]column, len(all))
	for i, col := range all {
		at := at.Child("additionalPrinterColumns").Index(i)
		if col.Name == "" {
			c.add(runtime.Required(at.Child("name"), "the heading of the column"))
		}
		if !slices.Contains(columnTypes, col.Type) {
			c.add(runtime.NotSupported(at.Child("type"), col.Type, columnTypes...))
		}
		p, err := parsePath(col.JSONPath)
		if err != nil {
			c.add(runtime.Invalid(at.Child("jsonPath"), col.JSONPath, err.Error()))
		}
		out[i] = column{Column: col, path: p}
	}
	return out
}

func (c *checker) scale(at *schema.Path, s *Scale) *scale {
	if s == nil {
		return nil
	}
	at = at.Child("subresources").Child("scale")
	below := func(field, text string, roots ...string) path {
		names := c.members(at.Child(field), text)
		if len(names) > 0 && (len(names) < 2 || !slices.Contains(roots, names[0])) {
			c.add(runtime.Invalid(at.Child(field), text, "the path must be below ."+strings.Join(roots, " or .")))
		}
		p, _ := parsePath(text)
		return p
	}
	out := &scale{
		spec:   below("specReplicasPath", s.SpecReplicas, "spec"),
		status: below("statusReplicasPath", s.StatusReplicas, "status"),
	}
	if s.LabelSelector != "" {
		out.selector = below("labelSelectorPath", s.LabelSelector, "status", "spec")
	}
	return out
}

// anything is the schema that allows any members.
var anything = []byte(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`)

// schemaOf returns the schema of objects, which [nodes.read] can read, with the members that all
// objects have.
func schemaOf(text []byte, metadata string) ([]byte, error) {
	if len(text) == 0 {
		text = anything
	}
	text, err := spellOut(text)
	if err != nil {
		return nil, err
	}
	out, err := membersOf(text)
	if err != nil {
		return nil, err
	}
	properties := map[string][]byte{}
	if p := out["properties"]; p != nil {
		if properties, err = membersOf(p); err != nil {
			return nil, err
		}
	}
	maps.Copy(properties, headerOf(metadata))
	if out["properties"], err = appendSorted(make([]byte, 0, len(text)+1024), properties); err != nil {
		return nil, err
	}
	return appendSorted(make([]byte, 0, len(text)+1024), out)
}

// membersOf returns the members of a JSON object, none for null.
func membersOf(text []byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	r := jsonwire.NewReader(text, jsonwire.Options{Room: math.MaxInt})
	for key := r.Object(); key != nil; key = r.NextKey() {
		name := string(key)
		out[name] = r.Raw()
	}
	r.End()
	return out, r.Err()
}

// appendSorted appends a JSON object in compact form, with its members in the order of their names.
func appendSorted(dst []byte, members map[string][]byte) (_ []byte, err error) {
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = jsonwire.AppendRaw(append(jsonwire.AppendString(dst, name), ':'), members[name]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}
