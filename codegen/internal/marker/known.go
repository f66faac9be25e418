package marker

import (
	"cmp"
	"fmt"
	"go/token"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/schema"
)

// Place says where a marker may stand; places can be combined.
type Place uint8

// The places of markers.
const (
	Package Place = 1 << iota
	Type
	Field
	Function
)

// String lists the places.
func (p Place) String() string {
	var names []string
	if p&Package != 0 {
		names = append(names, "a package comment")
	}
	if p&Type != 0 {
		names = append(names, "a type")
	}
	if p&Field != 0 {
		names = append(names, "a field")
	}
	if p&Function != 0 {
		names = append(names, "a function")
	}
	return strings.Join(names, " or ")
}

// Form says what follows the name of a marker.
type Form uint8

const (
	// Flag takes nothing, or "=true" and "=false".
	Flag Form = iota
	// Text takes "=value".
	Text
	// JSON takes "=value" where the value is a JSON text that is kept as written.
	JSON
	// Args takes named arguments.
	Args
)

// ArgDef describes a named argument.
type ArgDef struct {
	Name     string
	Doc      string
	Required bool
}

// Def describes a known marker.
type Def struct {
	Name  string
	Place Place
	Form  Form
	Args  []ArgDef
	Doc   string
	// Ignored markers belong to other tools and are known only so that a typing error near them is
	// not blamed on us.
	Ignored bool
	// Instead is set for markers that carry a rule about values which is not checked. It says what
	// to write to have the rule checked.
	Instead string
}

// Known yields the markers that mean something to the generator, in order of name.
func Known() iter.Seq[*Def] {
	return func(yield func(*Def) bool) {
		for _, d := range table() {
			if !d.Ignored && !yield(d) {
				return
			}
		}
	}
}

// table is the registry of markers, sorted by name. It is a function of nothing, made once.
var table = sync.OnceValue(func() []*Def {
	defs := []Def{
		{Name: "groupName", Place: Package, Form: Text, Doc: "The API group of the package. Switches generation on."},
		{
			Name: "versionName", Place: Package, Form: Text,
			Doc: "The API version of the package, by default the package name.",
		},
		{
			Name: "askind:generate", Place: Package | Type, Form: Flag,
			Doc: "Switches generation on for a package without kinds, or on or off (=false) for one type.",
		},
		{
			Name: "askind:hub", Place: Package, Form: Text,
			Doc: "Import paths, separated by commas, of the packages to convert to and from.",
		},
		{
			Name: "askind:foreign", Place: Package, Form: Text,
			Doc: "Import paths, separated by commas, of packages that cannot be edited and whose types get their functions here; import/path.Type names a single type.",
		},
		{
			Name: "askind:kinds", Place: Package, Form: Text,
			Doc: "The kinds among the foreign types, separated by commas, or none; by default all that are marked as kinds or look like one.",
		},
		{
			Name: "askind:codecs", Place: Package, Form: Text,
			Doc: "Import paths, separated by commas, of packages of other modules that have functions for foreign types; those of the main module are found.",
		},
		{
			Name: "askind:defaults", Place: Package, Form: Flag,
			Doc: "On a package that serves types of another module: the default markers of those count, as those of types of the main module always do. Functions written by hand in the package that set defaults count in any case.",
		},
		{Name: "askind:kind", Place: Type, Form: Args, Doc: "The type is a kind.", Args: []ArgDef{
			{Name: "resource", Doc: "plural resource name"},
			{Name: "singular", Doc: "singular resource name"},
			{Name: "shortName", Doc: "short names, separated by semicolons"},
			{Name: "categories", Doc: "categories, separated by semicolons"},
			{Name: "scope", Doc: "Cluster or Namespaced"},
			{Name: "apart", Doc: "AddTo leaves the kind out, so that programs without it are smaller; a function written by hand adds its record"},
		}},
		{Name: "askind:shared", Place: Type, Form: Flag, Doc: "The kind resolves under every group version."},
		{
			Name: "askind:equivalent", Place: Type, Form: Text,
			Doc: "A kind of another group that holds the same data, as import/path.Kind; conversions are generated both ways.",
		},
		{
			Name: "askind:list", Place: Type, Form: Text,
			Doc: "On a list kind, typed-items writes kind and apiVersion of every item.",
		},
		{
			Name: "askind:nolint", Place: Package | Type | Field, Form: Args,
			Doc: "Switches rules of askind lint off where it stands.", Args: []ArgDef{
				{Name: "rule", Doc: "the rules, separated by semicolons", Required: true},
				{Name: "reason", Doc: "why what they report is right here", Required: true},
			},
		},
		{
			Name: "askind:to", Place: Field, Form: Text,
			Doc: "The JSON path of the peer field that this field corresponds to, relative to the struct, or from the kind when it begins with $. On an embedded struct it is where all of it goes.",
		},
		{
			Name: "askind:drop", Place: Field, Form: Text,
			Doc: "The field, or all of an embedded struct, is lost when converting to the hub; the value is the reason.",
		},
		{
			Name: "askind:absent", Place: Type, Form: Args,
			Doc: "A hub field is unknown here and lost when converting to this version.", Args: []ArgDef{
				{Name: "field", Doc: "JSON name of the hub field", Required: true},
				{Name: "reason", Doc: "why the loss is acceptable", Required: true},
			},
		},
		{
			Name: "askind:carry", Place: Type | Field, Form: Args,
			Doc: "What the other version cannot express travels in an annotation of the object and comes back on the way back, unless its guard has been edited. On a field it is the field that the hub does not know; on a type, the hub field that is named is unknown here.", Args: []ArgDef{
				{Name: "field", Doc: "on a type: JSON path of the hub field"},
				{Name: "guard", Doc: "JSON paths of the fields that the value depends on, separated by semicolons, or none; by default the innermost struct around the field, and none for a field directly in a kind, its spec or its status"},
			},
		},
		{
			Name: "askind:via", Place: Field, Form: Text,
			Doc: "The functions that convert this field, one for each direction, separated by commas; a direction without one is converted as if there were no marker.",
		},
		{
			Name: "askind:keepsmetadata", Place: Function, Form: Flag,
			Doc: "The conversion of a kind, written by hand, makes the metadata of its result equal to that of its source, so that encoded objects of the other version can be shown as metadata without decoding them. fuzz.RoundTrip holds the function to it.",
		},
		{
			Name: "askind:sensitive", Place: Type | Field, Form: Args,
			Doc: "The values are secrets: never shown in a Table or Description, never carried, and no hash of them is stored. On a type, all values of it; =false makes an exception of a field.", Args: []ArgDef{
				{Name: "fields", Doc: "on a struct that cannot be edited: the JSON names of the fields that the marker means, separated by semicolons"},
			},
		},
		{
			Name: "askind:serverset", Place: Type | Field, Form: Args,
			Doc: "The values are set by the server and are not part of what a user writes, so an export leaves them out. On a type, all values of it; =false makes an exception of a field, such as status, which counts as set by the server where it stands beside spec.", Args: []ArgDef{
				{Name: "fields", Doc: "on a struct that cannot be edited: the JSON names of the fields that the marker means, separated by semicolons"},
			},
		},
		{
			Name: "askind:describe", Place: Package | Type | Field, Form: Args,
			Doc: "How a field is shown in the Description of an object; =false leaves out the field, or leaves a package or a kind without one.", Args: []ArgDef{
				{Name: "label", Doc: "on a field: what people call it, by default its name in words"},
				{Name: "unit", Doc: "on a field: what its number counts: nanoseconds, microseconds, milliseconds, seconds, minutes, hours, bytes or none; by default what the name ends with"},
			},
		},
		{Name: "default", Place: Type | Field, Form: JSON, Doc: "The default value as JSON."},
		{Name: "genclient:nonNamespaced", Place: Type, Form: Flag, Doc: "The kind is cluster scoped."},
		{Name: "kubebuilder:object:root", Place: Type, Form: Flag, Doc: "The type is a kind."},
		{
			Name: "kubebuilder:object:generate", Place: Package | Type, Form: Flag,
			Doc: "Switches deep copy on or off (=false).",
		},
		{Name: "kubebuilder:default", Place: Type | Field, Form: JSON, Doc: "The default value as JSON."},
		{Name: "kubebuilder:storageversion", Place: Type, Form: Flag, Doc: "The version written at rest."},
		{Name: "kubebuilder:resource", Place: Type, Form: Args, Doc: "Names and scope of the resource.", Args: []ArgDef{
			{Name: "path", Doc: "plural resource name"},
			{Name: "singular", Doc: "singular resource name"},
			{Name: "shortName", Doc: "short names, separated by semicolons"},
			{Name: "categories", Doc: "categories, separated by semicolons"},
			{Name: "scope", Doc: "Cluster or Namespaced"},
		}},
		{
			Name: "kubebuilder:subresource:scale", Place: Type, Form: Args, Doc: "The kind can be shown as a Scale.",
			Args: []ArgDef{
				{Name: "specpath", Doc: "JSON path of the wanted replicas", Required: true},
				{Name: "statuspath", Doc: "JSON path of the observed replicas", Required: true},
				{Name: "selectorpath", Doc: "JSON path of the label selector"},
			},
		},
		{Name: "kubebuilder:subresource:status", Place: Type, Form: Flag, Doc: "The kind has a status subresource."},
		{Name: "kubebuilder:unservedversion", Place: Type, Form: Flag, Doc: "Servers do not serve this version."},
		{
			Name: "kubebuilder:deprecatedversion", Place: Type, Form: Args,
			Doc: "Servers warn clients that use this version.", Args: []ArgDef{
				{Name: "warning", Doc: "the warning, by default that the version of the kind is deprecated"},
			},
		},
		{
			Name: "kubebuilder:selectablefield", Place: Type, Form: Args,
			Doc: "Clients may select objects by this field.",
			Args: []ArgDef{
				{
					Name: "JSONPath", Doc: "where the field is; it holds a text, a whole number or a boolean",
					Required: true,
				},
			},
		},
		{Name: "kubebuilder:printcolumn", Place: Type, Form: Args, Doc: "A column of the Table form.", Args: []ArgDef{
			{Name: "name", Doc: "heading", Required: true},
			{Name: "type", Doc: "string, integer, number, boolean or date", Required: true},
			{Name: "JSONPath", Doc: "where the value is", Required: true},
			{Name: "description", Doc: "help text"},
			{Name: "format", Doc: "OpenAPI format"},
			{Name: "priority", Doc: "0 for the narrow table, more for the wide one"},
		}},
		{
			Name: "askind:column", Place: Type, Form: Args,
			Doc: "A column of the Table form whose cells a function makes.", Args: []ArgDef{
				{Name: "name", Doc: "heading", Required: true},
				{Name: "type", Doc: "string, integer, number, boolean or date", Required: true},
				{Name: "func", Doc: "the function, func(*T) V or func(*T) (V, bool)", Required: true},
				{Name: "reads", Doc: "JSON paths of all that the function reads of the object, separated by semicolons; then encoded objects need not be decoded for a table, and the function is given one with no more than these fields. fuzz.RoundTrip holds the function to it"},
				{Name: "description", Doc: "help text"},
				{Name: "format", Doc: "OpenAPI format"},
				{Name: "priority", Doc: "0 for the narrow table, more for the wide one"},
			},
		},
		{
			Name: "askind:protobuf", Place: Package | Type | Field, Form: Args,
			Doc: "Switches protobuf on for a package or a type, or off (=false) for a type or a field. Field numbers are those of protobuf tags, or of the file generated.proto, which must be kept.", Args: []ArgDef{
				{Name: "renamed", Doc: "on a type or field: the name that it had before, in Go or in JSON, so that its numbers stay"},
				{Name: "message", Doc: "on a named slice or map: make it a message of its own"},
				{Name: "fields", Doc: "on a type with functions written by hand: the fields of its message, as in a .proto file"},
			},
		},
		{Name: "k8s:protobuf-gen", Place: Package | Type, Form: Text, Doc: "package switches protobuf on."},
		{
			Name: "protobuf.nullable", Place: Type, Form: Flag,
			Doc: "Makes a named slice or map a protobuf message of its own.",
		},
		{
			Name: "protobuf.embed", Place: Type, Form: Text,
			Doc: "On a type with protobuf methods or functions of its own: its message has one field, of this type and name.",
		},
		{
			Name: "protobuf.as", Place: Type, Form: Text,
			Doc: "On a type with protobuf methods or functions of its own: its message has the fields of this type of its package.",
		},
		{
			Name: "protobuf.options.marshal", Place: Type, Form: Flag,
			Doc: "false says that the protobuf methods of the type are written by hand; they are called.",
		},
		{
			Name: "k8s:deepcopy-gen", Place: Package | Type | Field, Form: Text,
			Doc: "package or true switches deep copy on, false off.",
		},
		{
			Name: "k8s:deepcopy-gen:interfaces", Place: Type, Form: Text,
			Doc: "A runtime.Object interface makes the type a kind.",
		},
	}
	for _, name := range []string{
		"k8s:openapi-gen", "k8s:conversion-gen", "k8s:conversion-gen-external-types", "k8s:conversion-fn",
		"k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:register-gen", "k8s:prerelease-lifecycle-gen:introduced",
		"k8s:prerelease-lifecycle-gen:deprecated", "k8s:prerelease-lifecycle-gen:removed",
		"k8s:prerelease-lifecycle-gen:replacement", "k8s:prerelease-lifecycle-gen", "k8s:validation-gen",
		"k8s:validation-gen-input",
		"kubebuilder:rbac",
		"kubebuilder:webhook",
		"kubebuilder:webhookconfiguration", "kubebuilder:docs-gen", "kubebuilder:skip", "kubebuilder:externalDocs",
		"kubebuilder:scaffold", "kubebuilder:ac", "kubebuilder:featuregate", "kubebuilder:schemaModifier",
		"kubebuilder:topologyMarker", "genclient", "genclient:noStatus", "genclient:noVerbs", "genclient:onlyVerbs",
		"genclient:skipVerbs", "genclient:method", "genclient:Namespaced", "protobuf", "unionDeprecated", "featureGate",
	} {
		defs = append(defs, Def{Name: name, Place: Package | Type | Field, Form: Text, Ignored: true})
	}
	defs = append(defs, schemaDefs()...)
	defs = append(defs, uncheckedDefs()...)
	out := make([]*Def, 0, len(defs))
	for i := range defs {
		out = append(out, &defs[i])
	}
	slices.SortFunc(out, func(a, b *Def) int { return cmp.Compare(a.Name, b.Name) })
	return out
})

// lookup finds the longest known name that body begins with, followed by nothing, an argument or a
// blank.
func lookup(body string) *Def {
	var found *Def
	for _, d := range table() {
		rest, ok := strings.CutPrefix(body, d.Name)
		if !ok || rest != "" && isNameByte(rest[0]) && rest[0] != ':' {
			continue
		}
		if rest != "" && rest[0] == ':' && !d.Ignored && d.Form != Args && !strings.HasPrefix(rest, ":=") {
			continue
		}
		if found == nil || len(d.Name) > len(found.Name) {
			found = d
		}
	}
	return found
}

// Positioner turns a position of the file set into one to print.
type Positioner func(token.Pos) token.Position

// Check reports unknown and misplaced markers, and arguments that the table does not know. An
// unknown marker of the askind namespace is an error; one of the k8s and kubebuilder namespaces is
// a warning when a known name is near, because other tools have markers of their own there.
func Check(list List, place Place, pos Positioner, d *diag.List) {
	for _, m := range list {
		if m.problem != nil {
			d.Errorf(pos(m.problem.pos), "marker-syntax", "%s in marker +%s", m.problem.text, m.Name)
			continue
		}
		if m.Def == nil {
			checkUnknown(m, pos, d)
			continue
		}
		if m.Def.Instead != "" {
			d.Warnf(pos(m.Pos), "marker-ignored", "marker +%s has no effect: %s", m.Name, m.Def.Instead)
			continue
		}
		if m.Def.Ignored {
			continue
		}
		if m.Def.Place&place == 0 {
			d.Errorf(pos(m.Pos), "marker-place", "marker +%s belongs to %s, not to %s", m.Name, m.Def.Place, place)
			continue
		}
		checkForm(m, pos, d)
	}
}

func checkUnknown(m *Marker, pos Positioner, d *diag.List) {
	namespace, _, _ := strings.Cut(m.Name, ":")
	near, ok := schema.NearestSeq(m.Name, nearNames(m.Name))
	switch {
	case namespace == "askind" || strings.HasPrefix(m.Name, "askind"):
		e := d.Errorf(pos(m.Pos), "marker-unknown", "unknown marker +%s", m.Name)
		if ok {
			e.Suggest("+%s", near)
		}
	case ok && (namespace == "k8s" || namespace == "kubebuilder"):
		d.Warnf(pos(m.Pos), "marker-near-miss", "unknown marker +%s", m.Name).Suggest("+%s", near)
	case strings.HasPrefix(m.Name, "kubebuilder:validation:"):
		d.Warnf(pos(m.Pos), "marker-ignored", "marker +%s is not known, so it has no effect: %s", m.Name, byHand)
	case namespace == "k8s" && !strings.Contains(m.Name, "-gen"):
		d.Warnf(pos(m.Pos), "marker-ignored", "marker +%s is not known, so it has no effect: %s", m.Name, byHand)
	case ok && !strings.Contains(m.Name, ":") && m.Name != near:
		d.Warnf(pos(m.Pos), "marker-near-miss", "unknown marker +%s", m.Name).Suggest("+%s", near)
	}
}

// nearNames yields the known markers that a name is near to in every part between colons. Markers
// have long parts in common: as a whole, +kubebuilder:validation:Prime is near to
// +kubebuilder:validation:Enum.
func nearNames(name string) iter.Seq[string] {
	parts := strings.Split(name, ":")
	return func(yield func(string) bool) {
		for _, d := range table() {
			known := strings.Split(d.Name, ":")
			near := len(known) <= len(parts) // what follows may be arguments
			for i := 0; near && i < len(known); i++ {
				_, near = schema.Nearest(parts[i], known[i:i+1])
			}
			if near && !yield(d.Name) {
				return
			}
		}
	}
}

func checkForm(m *Marker, pos Positioner, d *diag.List) {
	switch m.Def.Form {
	case Flag:
		if m.HasValue && m.Value != "true" && m.Value != "false" || len(m.Args) > 0 {
			d.Errorf(pos(m.Pos), "marker-value", "marker +%s takes no value, or true or false", m.Name)
		}
	case Text, JSON:
		// The core group has a blank name.
		if !m.HasValue || strings.TrimSpace(m.Raw) == "" && m.Name != "groupName" {
			d.Errorf(pos(m.Pos), "marker-value", "marker +%s needs a value", m.Name).Suggest("+%s=...", m.Name)
		}
	case Args:
		checkArgs(m, pos, d)
	}
}

func checkArgs(m *Marker, pos Positioner, d *diag.List) {
	seen := map[string]bool{}
	for _, a := range m.Args {
		i := slices.IndexFunc(m.Def.Args, func(ad ArgDef) bool { return ad.Name == a.Name })
		if i < 0 {
			e := d.Errorf(pos(a.Pos), "marker-argument", "marker +%s has no argument %q", m.Name, a.Name)
			if near, ok := schema.NearestSeq(a.Name, argNames(m.Def)); ok {
				e.Suggest("%s", near)
			}
			continue
		}
		if seen[a.Name] {
			d.Errorf(pos(a.Pos), "marker-argument", "argument %q of marker +%s is given twice", a.Name, m.Name)
		}
		seen[a.Name] = true
	}
	for _, ad := range m.Def.Args {
		if ad.Required && !seen[ad.Name] {
			d.Errorf(pos(m.Pos), "marker-argument", "marker +%s needs the argument %q (%s)", m.Name, ad.Name, ad.Doc)
		}
	}
}

func argNames(def *Def) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, a := range def.Args {
			if !yield(a.Name) {
				return
			}
		}
	}
}

func (m *Marker) fail(pos token.Pos, format string, args ...any) {
	if m.problem == nil {
		m.problem = &problem{pos: pos, text: fmt.Sprintf(format, args...)}
	}
}
