package schemas

import (
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
)

// Dialect is a way to write schemas.
type Dialect uint8

const (
	// OpenAPI30 is the dialect of OpenAPI 3.0 documents, with the extensions that clients of the
	// Kubernetes API read.
	OpenAPI30 Dialect = iota
	// JSONSchema is JSON Schema 2020-12.
	JSONSchema
	// Structural is the form of a CustomResourceDefinition. It has no references.
	Structural
)

// Append appends a schema as compact JSON. References begin with the prefix.
func (s *Schema) Append(dst []byte, d Dialect, prefix string) []byte {
	w := writer{out: append(dst, '{'), dialect: d, prefix: prefix}
	w.schema(s)
	return append(w.out, '}')
}

type writer struct {
	out     []byte
	dialect Dialect
	prefix  string
}

// key begins a member.
func (w *writer) key(name string) {
	if c := w.out[len(w.out)-1]; c != '{' && c != '[' {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, constraint.Quote(name)...)
	w.out = append(w.out, ':')
}

func (w *writer) raw(name, value string) {
	if value != "" {
		w.key(name)
		w.out = append(w.out, value...)
	}
}

func (w *writer) text(name, value string) {
	if value != "" {
		w.raw(name, constraint.Quote(value))
	}
}

func (w *writer) flag(name string, value bool) {
	if value {
		w.raw(name, "true")
	}
}

func (w *writer) count(name string, n *int64) {
	if n != nil {
		w.raw(name, strconv.FormatInt(*n, 10))
	}
}

func (w *writer) list(name string, values []string) {
	if len(values) > 0 {
		w.raw(name, "["+strings.Join(values, ",")+"]")
	}
}

func (w *writer) names(name string, values []string) {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = constraint.Quote(v)
	}
	w.list(name, quoted)
}

func (w *writer) sub(name string, s *Schema) {
	w.key(name)
	w.object(s)
}

func (w *writer) object(s *Schema) {
	w.out = append(w.out, '{')
	w.schema(s)
	w.out = append(w.out, '}')
}

// schema writes the members of a schema.
func (w *writer) schema(s *Schema) {
	w.text("title", s.Title)
	w.text("description", s.Description)
	if w.dialect != Structural {
		w.flag("deprecated", s.Deprecated)
	}
	if s.DocsURL != "" && w.dialect != JSONSchema {
		w.key("externalDocs")
		w.out = append(w.out, '{')
		w.text("description", s.Docs)
		w.text("url", s.DocsURL)
		w.out = append(w.out, '}')
	}
	w.types(s)
	w.raw("default", s.Default)
	w.example(s)
	w.enum(s)
	w.numbers(s)
	w.count("minLength", s.MinLength)
	w.count("maxLength", s.MaxLength)
	if len(s.Patterns) > 0 {
		w.text("pattern", s.Patterns[0])
	}
	w.lists(s)
	w.members(s)
	w.combined(s)
	w.extensions(s)
}

func (w *writer) types(s *Schema) {
	switch {
	case s.wraps(w.dialect):
	case s.Ref != "" && s.Nullable:
		w.raw("anyOf", `[{"$ref":`+constraint.Quote(w.prefix+s.Ref)+`},{"type":"null"}]`)
	case s.Ref != "":
		w.text("$ref", w.prefix+s.Ref)
	case len(s.Union) > 0 && w.dialect == OpenAPI30:
		alternatives(w, "oneOf", s.Union)
	case len(s.Union) > 0:
		if s.Nullable && w.dialect == JSONSchema {
			alternatives(w, "anyOf", append(s.Union[:len(s.Union):len(s.Union)], "null"))
		} else {
			alternatives(w, "anyOf", s.Union)
		}
	case s.Nullable && w.dialect == JSONSchema && s.Type != "":
		w.raw("type", `[`+constraint.Quote(s.Type)+`,"null"]`)
	default:
		w.text("type", s.Type)
	}
	if w.dialect == OpenAPI30 || len(s.Union) == 0 {
		w.text("format", s.Format)
	}
	if s.Nullable && w.dialect != JSONSchema {
		w.flag("nullable", true)
	}
}

// wraps reports whether a reference must be wrapped in allOf, since OpenAPI 3.0 ignores members
// beside a reference.
func (s *Schema) wraps(d Dialect) bool { return s.Ref != "" && d == OpenAPI30 && !s.plainRef() }

func alternatives(w *writer, name string, types []string) {
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = `{"type":` + constraint.Quote(t) + `}`
	}
	w.list(name, out)
}

func (w *writer) example(s *Schema) {
	switch {
	case s.Example == "":
	case w.dialect == JSONSchema:
		w.list("examples", []string{s.Example})
	default:
		w.raw("example", s.Example)
	}
}

func (w *writer) enum(s *Schema) {
	values := s.Enum
	if s.Nullable && len(values) > 0 && w.dialect != Structural {
		values = append(values[:len(values):len(values)], "null")
	}
	w.list("enum", values)
}

func (w *writer) numbers(s *Schema) {
	bound := func(name, exclusive, value string, strict bool) {
		switch {
		case value == "" || !strict:
			w.raw(name, value)
		case w.dialect == JSONSchema:
			w.raw(exclusive, value)
		default:
			w.raw(name, value)
			w.flag(exclusive, true)
		}
	}
	bound("minimum", "exclusiveMinimum", s.Minimum, s.ExclusiveMinimum)
	bound("maximum", "exclusiveMaximum", s.Maximum, s.ExclusiveMaximum)
	if len(s.MultipleOf) > 0 {
		w.raw("multipleOf", s.MultipleOf[0])
	}
}

func (w *writer) lists(s *Schema) {
	if s.Items != nil {
		w.sub("items", s.Items)
	}
	w.count("minItems", s.MinItems)
	w.count("maxItems", s.MaxItems)
	if w.dialect != Structural {
		w.flag("uniqueItems", s.UniqueItems)
	}
}

func (w *writer) members(s *Schema) {
	if len(s.Properties) > 0 {
		w.key("properties")
		w.out = append(w.out, '{')
		for _, p := range s.Properties {
			w.sub(p.Name, p.Schema)
		}
		w.out = append(w.out, '}')
	}
	switch {
	case s.Values != nil:
		w.sub("additionalProperties", s.Values)
	case w.dialect == JSONSchema && len(s.Properties) > 0 && !s.PreserveUnknown:
		w.raw("additionalProperties", "false")
	}
	if s.Keys != nil && w.dialect == JSONSchema {
		w.sub("propertyNames", s.Keys)
	}
	w.names("required", s.Required)
	w.count("minProperties", s.MinProperties)
	w.count("maxProperties", s.MaxProperties)
}

// combined writes the constraints that need separate schemas: additional patterns and divisors,
// disallowed values, groups of properties.
func (w *writer) combined(s *Schema) {
	var all []string
	if s.wraps(w.dialect) {
		all = append(all, `{"$ref":`+constraint.Quote(w.prefix+s.Ref)+`}`)
	}
	for _, p := range s.Patterns[min(1, len(s.Patterns)):] {
		all = append(all, `{"pattern":`+constraint.Quote(p)+`}`)
	}
	for _, g := range s.Groups {
		all = append(all, g.json()...)
	}
	for _, n := range s.MultipleOf[min(1, len(s.MultipleOf)):] {
		all = append(all, `{"multipleOf":`+n+`}`)
	}
	if len(s.Not) > 0 {
		all = append(all, `{"not":{"enum":[`+strings.Join(s.Not, ",")+`]}}`)
	}
	w.list("allOf", all)
}

// json returns the schemas of a group: of the number of present names, and of the discriminator
// that names the present one.
func (g *Group) json() []string {
	required := make([]string, len(g.Names))
	for i, n := range g.Names {
		required[i] = `{"required":[` + constraint.Quote(n) + `]}`
	}
	var out []string
	anyOf := `{"anyOf":[` + strings.Join(required, ",") + `]}`
	switch {
	case g.Many:
		out = append(out, anyOf)
	case g.Least == 1:
		out = append(out, `{"oneOf":[`+strings.Join(required, ",")+`]}`)
	case len(g.Names) > 1:
		out = append(out, `{"oneOf":[`+strings.Join(required, ",")+`,{"not":`+anyOf+`}]}`)
	}
	if g.Discriminator == "" {
		return out
	}
	// A member is present if and only if, or for some only if, the discriminator has its value.
	d := constraint.Quote(g.Discriminator)
	for i, n := range g.Names {
		name := constraint.Quote(n)
		is := `{"required":[` + d + `],"properties":{` + d + `:{"enum":[` + constraint.Quote(g.Values[i]) + `]}}}`
		if g.Optional[n] {
			out = append(out, `{"anyOf":[`+is+`,{"not":{"required":[`+name+`]}}]}`)
			continue
		}
		out = append(out, `{"oneOf":[{"allOf":[`+is+`,{"required":[`+name+`]}]},{"not":{"anyOf":[`+is+`,{"required":[`+
			name+`]}]}}]}`)
	}
	return out
}

func (w *writer) extensions(s *Schema) {
	if w.dialect == JSONSchema {
		return
	}
	w.flag("x-kubernetes-int-or-string", s.IntOrString)
	w.flag("x-kubernetes-preserve-unknown-fields", s.PreserveUnknown)
	w.flag("x-kubernetes-embedded-resource", s.EmbeddedResource)
	w.text("x-kubernetes-list-type", s.ListType)
	if s.ListType == "map" { // API servers refuse keys without it
		w.names("x-kubernetes-list-map-keys", s.ListMapKeys)
	}
	w.text("x-kubernetes-map-type", s.MapType)
	if w.dialect == OpenAPI30 {
		w.text("x-kubernetes-patch-merge-key", s.PatchMergeKey)
		w.text("x-kubernetes-patch-strategy", s.PatchStrategy)
	}
	w.cel(s.CEL)
}

func (w *writer) cel(rules []CEL) {
	if len(rules) == 0 {
		return
	}
	w.key("x-kubernetes-validations")
	w.out = append(w.out, '[')
	for i, r := range rules {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, '{')
		w.text("rule", r.Rule)
		w.text("message", r.Message)
		w.text("messageExpression", r.MessageExpression)
		w.text("reason", r.Reason)
		w.text("fieldPath", r.FieldPath)
		w.flag("optionalOldSelf", r.OptionalOldSelf)
		w.out = append(w.out, '}')
	}
	w.out = append(w.out, ']')
}
