package fromcrd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/jsonpath"
	"github.com/askind/askind/codegen/internal/lint"
)

// planner generates the source of one package.
type planner struct {
	pkg   *Package
	file  string
	d     *diag.List
	taken map[string]bool
	// stubs holds the functions to be completed by hand, and imports their imports.
	stubs   []string
	imports map[string]string
}

func newPlanner(p *Package, file string, d *diag.List) *planner {
	return &planner{pkg: p, file: file, d: d, taken: map[string]bool{}, imports: map[string]string{}}
}

// file generates the source of one kind.
type file struct {
	*planner
	def     *Definition
	version *Version
	imports map[string]bool
	// diff is the difference from the hub. plain holds the paths of strings whose enums differ
	// between versions: they get no types of their own, because the constants would be compared.
	hub   *Package
	diff  *difference
	plain map[string]bool
	// shared maps schemas to the types that represent them; it is nil if types may not be shared.
	shared map[string]string
	queue  []pending
	out    bytes.Buffer
}

// pending is a struct type that has not been written yet.
type pending struct {
	name, path, doc string
	schema          *Schema
	// keys lists the fields that identify the elements of a list, which are not pointers.
	keys []string
}

// The packages that fields of generated types need.
var known = map[string]string{
	"metav1":   `metav1 "github.com/askind/askind/meta/v1"`,
	"intstr":   `"github.com/askind/askind/meta/intstr"`,
	"resource": `"github.com/askind/askind/meta/resource"`,
	"runtime":  `"github.com/askind/askind/runtime"`,
	"json":     `"encoding/json"`,
}

func (f *file) warn(a at, code, format string, args ...any) {
	f.d.Warnf(token.Position{Filename: f.file, Line: a.line, Column: a.column}, code, format, args...)
}

// kind writes the file of a kind.
func (p *planner) kind(def *Definition, v *Version) {
	f := &file{
		planner: p, def: def, version: v, imports: map[string]bool{"metav1": true},
		plain: map[string]bool{}, shared: map[string]string{}, diff: compare(v.Schema, v.Schema),
	}
	stored := def.storage()
	for _, other := range def.Versions {
		d := compare(other.Schema, stored.Schema)
		maps.Copy(f.plain, d.enums)
		if d.shape() {
			f.shared = nil // a marker on a field of a shared type would apply everywhere
		}
	}
	for _, hub := range p.pkg.Hubs {
		for _, other := range def.Versions {
			if other.Name == hub.Version && !f.diff.shape() {
				f.hub, f.diff = hub, compare(v.Schema, other.Schema)
			}
		}
	}
	if n := f.diff.count(); n > 0 {
		f.warn(v.at, "crd-carried",
			"%s and %s of %s have different fields; the fields that only one of them has (%d) are carried in an "+
				"annotation, unless +askind:carry is replaced, see docs/conversions.md",
			v.Name, f.hub.Version, def.Kind, n)
	}
	f.root()
	for len(f.queue) > 0 {
		next := f.queue[0]
		f.queue = f.queue[1:]
		f.structure(next)
	}
	f.list()
	var source bytes.Buffer
	fmt.Fprintf(&source, "package %s\n\n", p.pkg.Version)
	if len(f.imports) == 1 {
		fmt.Fprintf(&source, "import %s\n\n", known["metav1"])
	} else {
		source.WriteString("import (\n")
		if f.imports["json"] {
			fmt.Fprintf(&source, "%s\n\n", known["json"])
		}
		for _, name := range []string{"intstr", "resource", "metav1", "runtime"} {
			if f.imports[name] {
				fmt.Fprintln(&source, known[name])
			}
		}
		source.WriteString(")\n\n")
	}
	source.Write(f.out.Bytes())
	// The names of two kinds may differ in their capitals only.
	name := strings.ToLower(def.Kind) + "_types.go"
	for n := 2; p.pkg.files[name] != nil; n++ {
		name = strings.ToLower(def.Kind) + strconv.Itoa(n) + "_types.go"
	}
	p.write(name, source.Bytes())
}

// write formats a file.
func (p *planner) write(name string, source []byte) {
	out, err := format.Source(source)
	if err != nil {
		p.d.Errorf(token.Position{Filename: p.file}, "crd-source", "BUG: %s/%s: %v", p.pkg.Dir, name, err)
		out = source
	}
	p.pkg.files[name] = out
}

// root writes the kind.
func (f *file) root() {
	s, v := f.version.Schema, f.version
	if s.class() != structure {
		f.warn(s.at, "crd-lost", "%s: the schema allows fields of any name; the Go type keeps the declared ones only", v.Name)
	}
	markers := []string{"kubebuilder:object:root=true"}
	if v.Storage {
		markers = append(markers, "kubebuilder:storageversion")
	}
	if v.Unserved {
		markers = append(markers, "kubebuilder:unservedversion")
	}
	if v.Deprecated {
		m := "kubebuilder:deprecatedversion"
		if v.Warning != "" {
			m += ":warning=" + strconv.Quote(v.Warning)
		}
		markers = append(markers, m)
	}
	markers = append(markers, f.resource())
	if v.Status {
		markers = append(markers, "kubebuilder:subresource:status")
	}
	if m := f.scale(); m != "" {
		markers = append(markers, m)
	}
	markers = append(markers, f.columns()...)
	for _, path := range v.Selectable {
		if to := f.leaf(path); to != nil {
			markers = append(markers, "kubebuilder:selectablefield:JSONPath="+quoted(path.Text))
		}
	}
	markers = append(markers, f.absent("")...)
	markers = append(markers, s.notes()...)
	markers = append(markers, f.rules(s, structure)...)
	var fields strings.Builder
	fields.WriteString("\tmetav1.TypeMeta `json:\",inline\"`\n")
	if slices.Contains(s.Required, "metadata") {
		fields.WriteString("\tmetav1.ObjectMeta `json:\"metadata\"`\n")
	} else {
		fields.WriteString("\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n")
	}
	if m := s.property("metadata"); m != nil && (len(m.Properties) > 0 || m.Values != nil || len(m.Pattern) > 0) {
		f.warn(m.at, "crd-lost", "%s.metadata: the schema of metadata is not carried over; write it as func Validate%s",
			v.Name, f.def.Kind)
	}
	f.fields(&fields, f.def.Kind, "", s, nil)
	text := s.Description
	fmt.Fprintf(&f.out, "%stype %s struct {\n%s}\n\n", f.comment(s.at, text, markers, ""), f.def.Kind, &fields)
}

// comment is like [comment] and reports lines that schemas omit.
func (f *file) comment(a at, text string, markers []string, indent string) string {
	out, ok := comment(text, markers, indent)
	if !ok {
		f.warn(a, "crd-description", "%s: lines of the description that begin with TODO, FIXME or --- are notes to "+
			"developers, which schemas omit", f.version.Name)
	}
	return out
}

// resource returns the marker with names and scope.
func (f *file) resource() string {
	d := f.def
	m := "kubebuilder:resource:path=" + d.Plural
	if d.Singular != strings.ToLower(d.Kind) {
		m += ",singular=" + d.Singular
	}
	if len(d.ShortNames) > 0 {
		m += ",shortName=" + strings.Join(d.ShortNames, ";")
	}
	if len(d.Categories) > 0 {
		m += ",categories=" + strings.Join(d.Categories, ";")
	}
	if d.Cluster {
		m += ",scope=Cluster"
	}
	return m
}

func (f *file) scale() string {
	v := f.version
	if v.SpecPath.Text == "" {
		return ""
	}
	if f.leaf(v.SpecPath) == nil || f.leaf(v.StatusPath) == nil {
		return ""
	}
	m := "kubebuilder:subresource:scale:specpath=" + v.SpecPath.Text + ",statuspath=" + v.StatusPath.Text
	if v.Label.Text != "" && f.leaf(v.Label) != nil {
		m += ",selectorpath=" + v.Label.Text
	}
	return m
}

// leaf returns the schema at a path, and reports a path that does not exist.
func (f *file) leaf(path Text) *Schema {
	p, err := jsonpath.Parse(path.Text)
	if err != nil {
		f.warn(path.at, "crd-lost", "the path %s is not carried over: %v", path.Text, err)
		return nil
	}
	from, steps := f.version.Schema, p.Steps
	if steps[0].Kind == jsonpath.Field && steps[0].Name == "metadata" {
		from, steps = metadata, steps[1:]
	}
	s, n := from.follow(steps)
	if s == nil {
		f.warn(path.at, "crd-lost", "the path %s is not carried over, because the schema has no field %s", path.Text,
			p.Prefix(len(p.Steps)-len(steps)+n))
	}
	return s
}

// follow returns the schema to which steps lead, or nil and the first step that leads to none.
func (s *Schema) follow(steps []jsonpath.Step) (to *Schema, missing int) {
	for i, step := range steps {
		next := (*Schema)(nil)
		switch c := s.class(); {
		case step.Kind == jsonpath.Length && (c == list || c == mapping):
			next = &Schema{Type: "integer"}
		case step.Kind == jsonpath.Field && (c == structure || c == condition || c == selector):
			next = s.property(step.Name)
		case c == mapping && (step.Kind == jsonpath.Field || step.Kind == jsonpath.Wildcard):
			next = s.Values
		case c == list && step.Kind == jsonpath.Filter && !s.Items.compares(step.Filter):
		case c == list && step.Kind != jsonpath.Field:
			next = s.Items
		}
		if next == nil {
			return nil, i
		}
		s = next
	}
	return s, len(steps)
}

// compares reports whether values have what a filter compares, and in the class of the constant.
func (s *Schema) compares(t *jsonpath.Test) bool {
	to, _ := s.follow(t.Steps)
	if to == nil || t.Op == "" {
		return to != nil
	}
	switch c := to.class(); t.Value.Kind {
	case jsonpath.String:
		return c == text
	case jsonpath.Number:
		return c == integer || c == number
	}
	return to.class() == boolean && (t.Op == "==" || t.Op == "!=")
}

// metadata is the schema of the metadata that columns can show.
var metadata = func() *Schema {
	fields := func(of Schema, names ...string) (out []Property) {
		for _, name := range names {
			out = append(out, Property{name, &of})
		}
		return out
	}
	word := Schema{Type: "string"}
	owner := Schema{Type: "object", Properties: slices.Concat(
		fields(word, "apiVersion", "kind", "name", "uid"),
		fields(Schema{Type: "boolean"}, "controller", "blockOwnerDeletion"),
	)}
	return &Schema{Type: "object", Properties: slices.Concat(
		fields(word, "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"),
		fields(Schema{Type: "integer"}, "generation", "deletionGracePeriodSeconds"),
		fields(Schema{Type: "string", Format: "date-time"}, "creationTimestamp", "deletionTimestamp"),
		fields(Schema{Type: "object", Values: &word}, "labels", "annotations"),
		fields(Schema{Type: "array", Items: &word}, "finalizers"),
		fields(Schema{Type: "array", Items: &owner}, "ownerReferences"),
	)}
}()

// columnTypes has the types of columns that can show values of a class.
var columnTypes = map[class][]string{
	text: {"string", "date"}, boolean: {"boolean", "string"}, integer: {"integer", "number", "string"},
	number: {"number", "string"}, timestamp: {"date", "string"}, quantity: {"string"}, intOrString: {"string"},
}

// columns returns the markers of the columns that can be shown.
func (f *file) columns() []string {
	var out []string
	taken := []string{"Name"}
	for _, c := range f.version.Columns {
		to := f.leaf(c.Path)
		if to == nil {
			continue
		}
		lost := func(why string) {
			f.warn(c.Path.at, "crd-lost", "the column %s of %s is not carried over: %s", c.Name, f.version.Name, why)
		}
		if slices.Contains(taken, c.Name) {
			lost("the name is a duplicate")
			continue
		}
		typ, cl, path := c.Type, to.class(), c.Path.Text
		if p, err := jsonpath.Parse(path); err == nil && typ != "string" && slices.ContainsFunc(p.Steps,
			func(s jsonpath.Step) bool { return s.Kind == jsonpath.Wildcard }) {
			lost("it shows several values, which only a column of type string can")
			continue
		}
		if cl == list && typ == "string" && to.Items.class().scalar() {
			// A server shows the list as JSON; here its elements can be joined.
			f.warn(c.Path.at, "crd-column",
				"the column %s of %s shows the elements of a list, joined, as %s[*]", c.Name,
				f.version.Name, path)
			cl, path = text, path+"[*]"
		}
		if types := columnTypes[cl]; types == nil {
			lost(fmt.Sprintf("it shows %s; show a single value of it, or write a function for it "+
				"with +askind:column", article(string(cl))))
			continue
		} else if !slices.Contains(types, typ) {
			lost(fmt.Sprintf("its type is %s, and the value is %s", typ, article(string(cl))))
			continue
		}
		taken = append(taken, c.Name)
		m := "kubebuilder:printcolumn:name=" + strconv.Quote(c.Name) + ",type=" + typ + ",JSONPath=" + quoted(path)
		if c.Format != "" {
			m += ",format=" + strconv.Quote(c.Format)
		}
		if c.Priority != "" {
			m += ",priority=" + c.Priority
		}
		if c.Description != "" {
			m += ",description=" + strconv.Quote(c.Description)
		}
		out = append(out, m)
	}
	return out
}

// absent returns the markers for fields that only the hub has.
func (f *file) absent(path string) []string {
	var out []string
	for _, name := range f.diff.missing[path] {
		out = append(out, "askind:carry:field="+name)
	}
	return out
}

// structure writes a struct type.
func (f *file) structure(p pending) {
	var fields strings.Builder
	f.fields(&fields, p.name, p.path, p.schema, p.keys)
	markers := append(f.absent(p.path), f.rules(p.schema, structure)...)
	if f.looksLikeUnion(p) {
		markers = append(markers, "askind:nolint:rule=union-discriminator,"+
			`reason="the CustomResourceDefinition has no discriminator"`)
	}
	body := fields.String()
	if body != "" {
		body = "\n" + body
	}
	fmt.Fprintf(&f.out, "%stype %s struct {%s}\n\n", f.comment(p.schema.at, p.doc, markers, ""), p.name, body)
}

// looksLikeUnion reports whether lint would report the struct as a union without a discriminator.
func (f *file) looksLikeUnion(p pending) bool {
	said := p.doc
	for _, prop := range p.schema.Properties {
		said += "\n" + prop.Schema.Description
		if !f.pointer(prop.Schema, prop.Name, p.schema, false) || slices.Contains(p.keys, prop.Name) {
			return false
		}
	}
	return len(p.schema.Properties) > 1 && lint.SaysOneOf(said)
}

// list writes the list kind.
func (f *file) list() {
	fmt.Fprintf(&f.out, "// %[1]s is a list of %[2]s objects.\n//\n"+
		"// +kubebuilder:object:root=true\ntype %[1]s struct {\n"+
		"\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\n"+
		"\t// Items are the objects.\n\tItems []%[2]s `json:\"items\"`\n}\n", f.def.ListKind, f.def.Kind)
}

// fields writes the fields of a struct.
func (f *file) fields(b *strings.Builder, parent, path string, s *Schema, keys []string) {
	taken := map[string]bool{}
	if path == "" {
		taken["TypeMeta"], taken["ObjectMeta"] = true, true
	}
	for i, p := range s.Properties {
		if path == "" && isHeader(p.Name) {
			continue
		}
		if !tagName(p.Name) {
			f.warn(p.Schema.at, "crd-lost",
				"%s%s: a field %q is not carried over, because no struct tag can name it", f.version.Name,
				path, p.Name)
			continue
		}
		name := goName(p.Name)
		for n := 2; taken[name]; n++ {
			name = goName(p.Name) + strconv.Itoa(n)
		}
		taken[name] = true
		if i > 0 || path == "" {
			b.WriteByte('\n')
		}
		f.field(b, parent, name, path+"."+p.Name, p.Name, s, p.Schema, slices.Contains(keys, p.Name))
	}
}

// pointer reports whether a field is a pointer: if the zero value of its type differs from no
// value.
func (f *file) pointer(s *Schema, name string, parent *Schema, top bool) bool {
	required := slices.Contains(parent.Required, name)
	switch c := s.class(); c {
	case structure, condition, selector, rawObject, timestamp, quantity, intOrString:
		return (!required || s.Nullable) && !(top && c == structure)
	case text:
		blank := len(s.Enum) == 0 && (s.MinLength == "" || s.MinLength == "0")
		return s.Nullable || s.Default != "" && blank
	case integer, number, boolean:
		return !required || s.Nullable || s.Default != ""
	}
	return false
}

// field writes a field.
func (f *file) field(b *strings.Builder, parent, name, path, key string, in, s *Schema, isKey bool) {
	top := parent == f.def.Kind && (key == "spec" || key == "status")
	c := s.class()
	typ, named := f.value(parent, key, path, s, false, nil)
	required := slices.Contains(in.Required, key)
	var markers []string
	tag := key
	switch {
	case required && !s.Nullable:
		markers = append(markers, "required")
	case required:
	case top && c == structure:
		markers = append(markers, "optional")
		tag += ",omitzero"
	default:
		markers = append(markers, "optional")
		tag += ",omitempty"
	}
	if s.Nullable {
		markers = append(markers, "nullable")
	}
	if f.pointer(s, key, in, top) && !isKey {
		typ = "*" + typ
	}
	if s.Default != "" {
		var v any
		if err := json.Unmarshal([]byte(s.Default), &v); err == nil && s.literal(v, false) {
			markers = append(markers, "default="+s.Default)
		} else {
			f.warn(s.at, "crd-lost", "%s%s: the default cannot be written as a Go literal; set it in func SetDefaults%s(*%s)",
				f.version.Name, path, parent, parent)
		}
	}
	markers = append(markers, s.notes()...)
	if !named {
		markers = append(markers, f.rules(s, c)...)
	}
	if f.diff.only[path] {
		markers = append(markers, "askind:carry")
	}
	if other := f.diff.other[path]; other != nil {
		markers = append(markers, f.stub(parent, name, path, typ, s, other)...)
	}
	markers = append(markers, f.nolint(key, name)...)
	fmt.Fprintf(b, "%s\t%s %s `json:%q`\n", f.comment(s.at, s.Description, markers, "\t"), name, typ, tag)
}

// notes returns the markers for what a schema says to its readers, except for the description.
func (s *Schema) notes() (markers []string) {
	if s.Example != "" {
		markers = append(markers, "kubebuilder:example="+s.Example)
	}
	if s.Title != "" {
		markers = append(markers, "kubebuilder:title="+strconv.Quote(s.Title))
	}
	if s.DocsURL != "" {
		m := "kubebuilder:externalDocs:url=" + strconv.Quote(s.DocsURL)
		if s.Docs != "" {
			m += ",description=" + strconv.Quote(s.Docs)
		}
		markers = append(markers, m)
	}
	return markers
}

// nolint disables the lint rules that the names in the definition violate.
func (f *file) nolint(key, name string) []string {
	var rules []string
	if lint.LowerCamel(key) != key {
		rules = append(rules, "tag-case")
	}
	if !lint.SameName(key, name) {
		rules = append(rules, "tag-name")
	}
	if len(rules) == 0 {
		return nil
	}
	return []string{
		"askind:nolint:rule=" + strings.Join(rules, ";") + `,reason="the CustomResourceDefinition has this name"`,
	}
}

// value returns the Go type of a schema, without a pointer. If named is true, that type has
// the rules of the schema as markers.
func (f *file) value(parent, key, path string, s *Schema, element bool, keys []string) (typ string, named bool) {
	c := s.class()
	switch c {
	case condition:
		f.warn(s.at, "crd-condition",
			"%s%s is metav1.Condition, which does not limit the lengths and patterns of its strings",
			f.version.Name, path)
	case raw:
		if !s.Preserve {
			f.warn(s.at, "crd-raw", "%s%s has no type and becomes json.RawMessage, which keeps any value", f.version.Name, path)
		}
	case rawObject:
		if len(s.Properties) > 0 {
			f.warn(s.at, "crd-lost",
				"%s%s: the schema of an embedded object is not carried over; all of its fields are kept",
				f.version.Name, path)
		}
	case mapping:
		typ = "map[string]" + f.element(parent, key, path+"{}", s.Values, nil)
		return f.inner(parent, key, typ, s, c, element)
	case list:
		typ = "[]" + f.element(parent, key, path+"[]", s.Items, s.ListMapKeys)
		return f.inner(parent, key, typ, s, c, element)
	case structure:
		return f.object(parent, key, path, s, element, keys), true
	}
	if typ, ok := goTypes[c]; ok {
		if pkg, _, ok := strings.Cut(typ, "."); ok {
			f.imports[pkg] = true
		}
		return typ, c == condition
	}
	return f.single(parent, key, path, s, c, element)
}

// goTypes has the types of the values of some classes.
var goTypes = map[class]string{
	timestamp: "metav1.Time", quantity: "resource.Quantity", intOrString: "intstr.IntOrString", octets: "[]byte",
	condition: "metav1.Condition", selector: "metav1.LabelSelector", raw: "json.RawMessage",
	rawObject: "runtime.RawExtension",
}

// inner returns a list or map type. A nested one is declared as a named type, as protobuf requires.
func (f *file) inner(parent, key, typ string, s *Schema, c class, element bool) (string, bool) {
	if !element {
		return typ, false
	}
	return f.named(parent, key, typ, s, append(f.rules(s, c), "askind:protobuf:message"), element), true
}

// single returns the type of a single value.
func (f *file) single(parent, key, path string, s *Schema, c class, element bool) (typ string, named bool) {
	switch c {
	case integer, number:
		typ = numeric(s)
	case boolean:
		typ = "bool"
	default:
		typ = "string"
		if len(s.Enum) > 0 && !f.plain[path] {
			if name := f.enum(parent, key, s, element); name != "" {
				return name, true
			}
		}
	}
	if rules := f.rules(s, c); element && len(rules) > 0 {
		return f.named(parent, key, typ, s, rules, element), true
	}
	return typ, false
}

// numeric returns the type of a number.
func numeric(s *Schema) string {
	switch {
	case s.Type == "integer" && s.Format == "int32":
		return "int32"
	case s.Type == "integer":
		return "int64"
	case s.Format == "float":
		return "float32"
	}
	return "float64"
}

// element returns the type of an element of a list or of a value of a map.
func (f *file) element(parent, key, path string, s *Schema, keys []string) string {
	typ, _ := f.value(parent, key, path, s, true, keys)
	if s.Default != "" {
		f.warn(s.at, "crd-lost", "%s%s: the default of an element is not carried over, since an element is always "+
			"present", f.version.Name, path)
	}
	if len(s.notes()) > 0 {
		f.warn(s.at, "crd-lost", "%s%s: the title, example and link of an element are not carried over", f.version.Name, path)
	}
	if c := s.class(); s.Nullable && c != list && c != mapping {
		typ = "*" + typ
	}
	return typ
}

// share returns the existing type for the same schema, or a new name.
func (f *file) share(what, parent, key string, element, scalar bool) (name string, known bool) {
	if name, ok := f.shared[what]; ok {
		return name, true
	}
	name = f.typeName(parent, key, element, scalar)
	if f.shared != nil {
		f.shared[what] = name
	}
	return name, false
}

// named declares a type with rules.
func (f *file) named(parent, key, typ string, s *Schema, rules []string, element bool) string {
	name, known := f.share(typ+" "+s.Description+" "+strings.Join(rules, "\n"), parent, key, element, true)
	if !known {
		text := s.Description
		if text == "" {
			text = name + " is " + article(singular(key)) + " of " + parent + "."
		}
		fmt.Fprintf(&f.out, "%stype %s %s\n\n", f.comment(s.at, text, rules, ""), name, typ)
	}
	return name
}

func article(word string) string {
	if word != "" && strings.ContainsAny(word[:1], "aeiouAEIOU") {
		return "an " + word
	}
	return "a " + word
}

// enum declares a type with constants, unless a value has no valid constant name.
func (f *file) enum(parent, key string, s *Schema, element bool) string {
	var constants []string
	values := make([]string, len(s.Enum))
	for i, v := range s.Enum {
		text, err := strconv.Unquote(v)
		values[i] = text
		if err != nil || constantName("X", text) == "" {
			return ""
		}
		constants = append(constants, constantName("X", text))
	}
	slices.Sort(constants)
	if len(slices.Compact(constants)) != len(values) {
		return ""
	}
	other := *s
	other.Enum = nil
	rules := append([]string{"enum"}, f.rules(&other, text)...)
	what := "enum " + strings.Join(s.Enum, " ") + strings.Join(rules, "\n")
	name, known := f.share(what, parent, key, element, true)
	if known {
		return name
	}
	for slices.ContainsFunc(values, func(v string) bool { return f.taken[constantName(name, v)] }) {
		name = f.typeName(parent+"X", key, element, true) // another type has the name of a constant
		if f.shared != nil {
			f.shared[what] = name
		}
	}
	fmt.Fprintf(&f.out, "%stype %s string\n\n// Values of %s.\nconst (\n",
		f.comment(s.at, name+" is one of the constants below.", rules, ""), name, name)
	for _, v := range values {
		c := constantName(name, v)
		f.taken[c] = true
		fmt.Fprintf(&f.out, "\t%s %s = %q\n", c, name, v)
	}
	f.out.WriteString(")\n\n")
	return name
}

// object returns the struct type for a schema and schedules it to be written.
func (f *file) object(parent, key, path string, s *Schema, element bool, keys []string) string {
	if s.Preserve {
		f.warn(s.at, "crd-lost", "%s%s: unknown fields are not kept, since a Go struct has no place for them",
			f.version.Name, path)
	}
	if s.Values != nil && len(s.Properties) > 0 {
		f.warn(s.at, "crd-lost",
			"%s%s has properties and additionalProperties; the former are not carried over", f.version.Name, path)
	}
	content := *s
	content.Description, content.Default, content.Nullable, content.Example, content.Title = "", "", false, "", ""
	text := ""
	if element {
		text = s.Description
	}
	name, known := f.share(fmt.Sprint(s.Description != "", text, keys, content.key()), parent, key, element, false)
	if known {
		return name
	}
	if !element && s.Description != "" {
		text = name + " is the type of " + key + " in " + parent + "."
	}
	f.queue = append(f.queue, pending{name, path, text, s, keys})
	return name
}

// key returns a string that is equal for equal schemas.
func (s *Schema) key() string {
	if s == nil {
		return "-"
	}
	c := *s
	c.at, c.Properties, c.Items, c.Values = at{}, nil, nil, nil
	var b strings.Builder
	fmt.Fprintf(&b, "%+v[%s][%s]{", c, s.Items.key(), s.Values.key())
	for _, p := range s.Properties {
		fmt.Fprintf(&b, "%q:%s", p.Name, p.Schema.key())
	}
	b.WriteByte('}')
	return b.String()
}

// rules returns the markers for the values that a schema allows and how they merge.
func (f *file) rules(s *Schema, c class) []string {
	var out []string
	add := func(name, value string) {
		if value != "" {
			out = append(out, "kubebuilder:validation:"+name+"="+value)
		}
	}
	flag := func(name string, on bool) {
		if on {
			out = append(out, name)
		}
	}
	if len(s.Enum) > 0 {
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			values[i] = v
			if text, err := strconv.Unquote(v); err == nil && bareWord.MatchString(text) {
				values[i] = text
			}
		}
		add("Enum", strings.Join(values, ";"))
	}
	add("Minimum", s.Minimum)
	flag("kubebuilder:validation:ExclusiveMinimum", s.ExclusiveMinimum)
	add("Maximum", s.Maximum)
	flag("kubebuilder:validation:ExclusiveMaximum", s.ExclusiveMaximum)
	add("MultipleOf", s.MultipleOf)
	least, most := s.MinLength, s.MaxLength
	if c == octets {
		least, most = inBytes(least, most)
	}
	add("MinLength", least)
	add("MaxLength", most)
	if c != quantity {
		for _, p := range s.Pattern {
			if _, err := regexp.Compile(p); err != nil {
				f.warn(s.at, "crd-lost", "%s: the pattern %q is not carried over: %v", f.version.Name, p, err)
				continue
			}
			add("Pattern", quoted(p))
		}
	}
	// The types of numbers have the usual formats.
	number := (c == integer || c == number) &&
		!slices.Contains([]string{"", "int32", "int64", "float", "double"}, s.Format)
	if c == text && s.Format != "" || number {
		format := s.Format
		if !bareWord.MatchString(format) {
			format = quoted(format)
		}
		add("Format", format)
	}
	if s.Not != "" {
		out = append(out, "k8s:neq="+s.Not)
	}
	add("MinItems", s.MinItems)
	add("MaxItems", s.MaxItems)
	flag("kubebuilder:validation:UniqueItems", s.UniqueItems)
	add("MinProperties", s.MinProperties)
	add("MaxProperties", s.MaxProperties)
	for _, g := range s.Groups {
		out = append(out, "kubebuilder:validation:"+g)
	}
	if s.ListType != "" {
		out = append(out, "listType="+s.ListType)
	}
	for _, k := range s.ListMapKeys {
		out = append(out, "listMapKey="+k)
	}
	if s.MapType != "" && c == mapping {
		out = append(out, "mapType="+s.MapType)
	} else if s.MapType != "" && c == structure {
		out = append(out, "structType="+s.MapType)
	}
	flag("kubebuilder:pruning:PreserveUnknownFields", s.Preserve && c == structure)
	flag("kubebuilder:validation:EmbeddedResource", s.Embedded)
	for _, r := range s.Rules {
		args := make([]string, len(r))
		for i, a := range r {
			args[i] = a.Name + "=" + a.Value
		}
		out = append(out, "kubebuilder:validation:XValidation:"+strings.Join(args, ","))
	}
	flag("askind:cel=crd", len(s.Rules) > 0)
	return out
}

// inBytes returns the least and the largest number of bytes whose base64 is within limits of its
// length.
func inBytes(least, most string) (string, string) {
	if n, err := strconv.ParseInt(least, 10, 64); err == nil && n > 0 {
		least = strconv.FormatInt((n-1)/4*3+1, 10)
	}
	if n, err := strconv.ParseInt(most, 10, 64); err == nil {
		most = strconv.FormatInt(n/4*3, 10)
	}
	return least, most
}

// bareWord matches strings that need no quotes in a marker.
var bareWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

// stub declares functions for a field whose type differs in the hub, and returns the marker that
// names them. A type of the hub cannot be named here; the generator suggests the functions then.
func (f *file) stub(parent, name, path, typ string, s, other *Schema) []string {
	hub := f.hub
	base := strings.ToLower(parent[:1]) + parent[1:] + name
	for f.taken[base] {
		base += "X" // a field of another type has the same name with that of its type
	}
	f.taken[base] = true
	to, from := base+"To"+goName(hub.Version), base+"From"+goName(hub.Version)
	// The type has the same name in the hub, since both versions are planned alike.
	there, external := f.foreign(other)
	if !external {
		f.warn(s.at, "crd-conversion",
			"%s%s is %s here and %s in %s; write functions that convert them and name them with "+
				"+askind:via", f.version.Name, path, article(string(s.class())), article(string(other.class())),
			hub.Version)
		return nil
	}
	f.pkg.Pending = append(f.pkg.Pending, to, from)
	f.warn(s.at, "crd-conversion",
		"%s%s is %s here and %s in %s; write %s and %s in %s/conversion.go", f.version.Name, path,
		article(string(s.class())), article(string(other.class())), hub.Version, to, from, f.pkg.Dir)
	in := strings.TrimPrefix(typ, "*")
	for pkg := range known {
		if strings.Contains(in+there, pkg+".") {
			f.planner.imports[pkg] = known[pkg]
		}
	}
	write := func(fn, in, out, where string) string {
		return fmt.Sprintf("// %s converts %s %s.\n//\n// Replace its body: as generated, it refuses every value but "+
			"the zero value.\n"+
			"func %s(in *%s, _ *%s, _ *conversion.Scope) error {\n\tif !reflect.ValueOf(in).Elem().IsZero() {\n"+
			"\t\treturn errors.New(%q)\n\t}\n\treturn nil\n}\n",
			fn, strings.TrimPrefix(path, "."), where, fn, in, out,
			fmt.Sprintf("%s in %s/conversion.go is not written yet", fn, f.pkg.Dir))
	}
	f.stubs = append(f.stubs, write(to, in, there, "to "+hub.Version), write(from, there, in, "from "+hub.Version))
	return []string{"askind:via=" + to + "," + from}
}

// foreign returns the type of a value in the hub, if it needs no type of that package.
func (f *file) foreign(s *Schema) (typ string, ok bool) {
	switch c := s.class(); c {
	case text:
		return "string", len(s.Enum) == 0
	case integer, number:
		return numeric(s), true
	case boolean:
		return "bool", true
	case timestamp, quantity, intOrString, octets, raw, rawObject:
		return goTypes[c], true
	case list:
		inner, ok := f.foreignElement(s.Items)
		return "[]" + inner, ok
	case mapping:
		inner, ok := f.foreignElement(s.Values)
		return "map[string]" + inner, ok
	}
	return "", false
}

// foreignElement returns what [file.element] does, if that needs no type of the package. Lists and
// maps within others have types of their own.
func (f *file) foreignElement(s *Schema) (typ string, ok bool) {
	c := s.class()
	if typ, ok = f.foreign(s); s.Nullable {
		typ = "*" + typ
	}
	return typ, ok && c != list && c != mapping && len(f.rules(s, c)) == 0
}

// finish writes the comment of the package, and the functions that have to be written.
func (p *planner) finish() {
	var b strings.Builder
	fmt.Fprintf(&b, "// Package %s is version %s of the API group %s.\n//\n// +groupName=%s\n"+
		"// +kubebuilder:object:generate=true\n",
		p.pkg.Version, p.pkg.Version,
		p.pkg.Group, p.pkg.Group)
	var hubs []string
	for _, hub := range p.pkg.Hubs {
		hubs = append(hubs, hub.Path)
	}
	if len(hubs) > 0 {
		fmt.Fprintf(&b, "// +askind:hub=%s\n", strings.Join(hubs, ","))
	}
	fmt.Fprintf(&b, "package %s\n", p.pkg.Version)
	p.write("doc.go", []byte(b.String()))
	if len(p.stubs) == 0 {
		return
	}
	b.Reset()
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"errors\"\n\t\"reflect\"\n\n"+
		"\t\"github.com/askind/askind/conversion\"\n", p.pkg.Version)
	for _, name := range slices.Sorted(maps.Keys(p.imports)) {
		fmt.Fprintf(&b, "\t%s\n", p.imports[name])
	}
	fmt.Fprintf(&b, ")\n\n%s", strings.Join(p.stubs, "\n"))
	p.write("conversion.go", []byte(b.String()))
}
