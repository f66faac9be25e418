package marker

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"sync"

	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/schema"
)

// Place is a set of places where a marker may be.
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
	for i, name := range []string{"a package comment", "a type", "a field", "a function"} {
		if p&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Form is the syntax after the name of a marker.
type Form uint8

const (
	// Flag takes nothing, or "=true" and "=false".
	Flag Form = iota
	// Text takes "=value".
	Text
	// JSON takes "=value", where the value is JSON and kept as written.
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
	// Ignored markers belong to other tools. They are known only so that they are not taken for
	// misspelled markers of ours.
	Ignored bool
	// Instead is set for markers with a rule about values that is not checked. It describes how to
	// get the rule checked.
	Instead string
}

// Known returns the markers that the generator uses, in order of name.
func Known() []*Def {
	return slices.DeleteFunc(slices.Clone(table()), func(d *Def) bool { return d.Ignored })
}

// table returns the known markers, sorted by name.
var table = sync.OnceValue(func() []*Def {
	defs := []Def{
		{Name: "groupName", Place: Package, Form: Text, Doc: "The API group of the package. Enables generation."},
		{
			Name: "versionName", Place: Package, Form: Text,
			Doc: "The API version of the package, by default the package name.",
		},
		{
			Name: "askind:generate", Place: Package | Type, Form: Flag,
			Doc: "Enables generation for a package without kinds, or enables or disables (=false) it for one type.",
		},
		{
			Name: "askind:hub", Place: Package, Form: Text,
			Doc: "Import paths, separated by commas, of the packages to convert to and from.",
		},
		{
			Name: "askind:foreign", Place: Package, Form: Text,
			Doc: "Import paths, separated by commas, of packages that cannot be edited and whose functions are generated here; import/path.Type names a single type.",
		},
		{
			Name: "askind:kinds", Place: Package, Form: Text,
			Doc: "The kinds among the foreign types, separated by commas, or none; by default all that are marked as kinds or look like kinds.",
		},
		{
			Name: "askind:codecs", Place: Package, Form: Text,
			Doc: "Import paths, separated by commas, of packages of other modules that have functions for foreign types; those of the main module are found automatically.",
		},
		{
			Name: "askind:defaults", Place: Package, Form: Flag,
			Doc: "On a package that serves types of another module: apply the default markers of these types, like those of types of the main module. Hand-written functions of the package that set defaults are always called.",
		},
		{Name: "askind:kind", Place: Type, Form: Args, Doc: "The type is a kind.", Args: []ArgDef{
			{Name: "resource", Doc: "plural resource name"},
			{Name: "singular", Doc: "singular resource name"},
			{Name: "shortName", Doc: "short names, separated by semicolons"},
			{Name: "categories", Doc: "categories, separated by semicolons"},
			{Name: "scope", Doc: "Cluster or Namespaced"},
			{Name: "apart", Doc: "AddTo omits the kind, so that programs without it are smaller; a hand-written function adds its record"},
		}},
		{Name: "askind:shared", Place: Type, Form: Flag, Doc: "The kind belongs to every group version."},
		{
			Name: "askind:equivalent", Place: Type, Form: Text,
			Doc: "A kind of another group that represents the same data, as import/path.Kind; conversions are generated in both directions.",
		},
		{
			Name: "askind:list", Place: Type, Form: Text,
			Doc: "On a list kind, typed-items encodes kind and apiVersion of every item.",
		},
		{
			Name: "askind:nolint", Place: Package | Type | Field | Function, Form: Args,
			Doc: "Disables rules of askind lint, or warnings of the generator, for the declaration.", Args: []ArgDef{
				{Name: "rule", Doc: "the rules, separated by semicolons", Required: true},
				{Name: "reason", Doc: "why the reported code is correct", Required: true},
			},
		},
		{
			Name: "askind:to", Place: Field, Form: Text,
			Doc: "The JSON path of the field in the other version that this field corresponds to, relative to the struct, or to the kind if it begins with $. On an embedded struct it applies to all of its fields.",
		},
		{
			Name: "askind:drop", Place: Field, Form: Text,
			Doc: "The field, or the whole embedded struct, is lost in conversions to the hub; the value is the reason.",
		},
		{
			Name: "askind:absent", Place: Type, Form: Args,
			Doc: "A hub field is unknown here and lost in conversions to this version.", Args: []ArgDef{
				{Name: "field", Doc: "JSON name of the hub field", Required: true},
				{Name: "reason", Doc: "why the loss is acceptable", Required: true},
			},
		},
		{
			Name: "askind:carry", Place: Type | Field, Form: Args,
			Doc: "A value that the other version cannot express is stored in an annotation of the object and restored by the conversion back, unless its guard has been edited. On a field: the hub lacks this field; on a type: this version lacks the named hub field.", Args: []ArgDef{
				{Name: "field", Doc: "on a type: JSON path of the hub field"},
				{Name: "guard", Doc: "JSON paths of the fields that the value depends on, separated by semicolons, or none; by default the innermost struct around the field, and none for a field directly in a kind, its spec or its status"},
			},
		},
		{
			Name: "askind:via", Place: Field, Form: Text,
			Doc: "The functions that convert this field, one for each direction, separated by commas; a direction without a function is converted as without the marker.",
		},
		{
			Name: "askind:keepsmetadata", Place: Function, Form: Flag,
			Doc: "The hand-written conversion of a kind copies the metadata unchanged, so that encoded objects of the other version can be represented as metadata without decoding them. fuzz.RoundTrip checks this.",
		},
		{
			Name: "askind:sensitive", Place: Type | Field, Form: Args,
			Doc: "The values are secrets: never shown in a Table, in a Description or in an error of generated validation, never carried, and no hash of them is stored. On a type, all of its values; =false excludes a field.", Args: []ArgDef{
				{Name: "fields", Doc: "on a struct that cannot be edited: the JSON names of the fields that the marker applies to, separated by semicolons"},
			},
		},
		{
			Name: "askind:serverset", Place: Type | Field, Form: Args,
			Doc: "The values are set by the server, not by users, so an export omits them. On a type, all of its values; =false excludes a field, such as status, which counts as set by the server beside a spec.", Args: []ArgDef{
				{Name: "fields", Doc: "on a struct that cannot be edited: the JSON names of the fields that the marker applies to, separated by semicolons"},
			},
		},
		{
			Name: "askind:describe", Place: Package | Type | Field, Form: Args,
			Doc: "How a field is shown in the Description of an object; =false omits the field, or disables the Descriptions of a package or a kind.", Args: []ArgDef{
				{Name: "label", Doc: "on a field: its label, by default its name split into words"},
				{Name: "unit", Doc: "on a field: the unit of its number: nanoseconds, microseconds, milliseconds, seconds, minutes, hours, bytes or none; by default the unit at the end of the name"},
			},
		},
		{Name: "default", Place: Type | Field, Form: JSON, Doc: "The default value as JSON."},
		{Name: "genclient:nonNamespaced", Place: Type, Form: Flag, Doc: "The kind is cluster-scoped."},
		{Name: "kubebuilder:object:root", Place: Type, Form: Flag, Doc: "The type is a kind."},
		{
			Name: "kubebuilder:object:generate", Place: Package | Type, Form: Flag,
			Doc: "Enables or disables (=false) deep copy.",
		},
		{Name: "kubebuilder:default", Place: Type | Field, Form: JSON, Doc: "The default value as JSON."},
		{Name: "kubebuilder:storageversion", Place: Type, Form: Flag, Doc: "The storage version."},
		{Name: "kubebuilder:resource", Place: Type, Form: Args, Doc: "Names and scope of the resource.", Args: []ArgDef{
			{Name: "path", Doc: "plural resource name"},
			{Name: "singular", Doc: "singular resource name"},
			{Name: "shortName", Doc: "short names, separated by semicolons"},
			{Name: "categories", Doc: "categories, separated by semicolons"},
			{Name: "scope", Doc: "Cluster or Namespaced"},
		}},
		{
			Name: "kubebuilder:subresource:scale", Place: Type, Form: Args, Doc: "The kind has a subresource scale.",
			Args: []ArgDef{
				{Name: "specpath", Doc: "JSON path of the desired replicas", Required: true},
				{Name: "statuspath", Doc: "JSON path of the observed replicas", Required: true},
				{Name: "selectorpath", Doc: "JSON path of the label selector"},
			},
		},
		{Name: "kubebuilder:subresource:status", Place: Type, Form: Flag, Doc: "The kind has a subresource status."},
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
					Name: "JSONPath", Doc: "JSON path of the field; it holds a string, an integer or a boolean",
					Required: true,
				},
			},
		},
		{Name: "kubebuilder:printcolumn", Place: Type, Form: Args, Doc: "A column of the Table form.", Args: []ArgDef{
			{Name: "name", Doc: "heading", Required: true},
			{Name: "type", Doc: "string, integer, number, boolean or date", Required: true},
			{Name: "JSONPath", Doc: "JSON path of the value", Required: true},
			{Name: "description", Doc: "help text"},
			{Name: "format", Doc: "OpenAPI format"},
			{Name: "priority", Doc: "0 for the narrow table, more for the wide one"},
		}},
		{
			Name: "askind:column", Place: Type, Form: Args,
			Doc: "A column of the Table form whose cells a function computes.", Args: []ArgDef{
				{Name: "name", Doc: "heading", Required: true},
				{Name: "type", Doc: "string, integer, number, boolean or date", Required: true},
				{Name: "func", Doc: "the function, func(*T) V or func(*T) (V, bool)", Required: true},
				{Name: "reads", Doc: "JSON paths of all values of the object that the function reads, separated by semicolons; then encoded objects need not be decoded completely for a table, and the function may get objects with only these fields. fuzz.RoundTrip checks this"},
				{Name: "description", Doc: "help text"},
				{Name: "format", Doc: "OpenAPI format"},
				{Name: "priority", Doc: "0 for the narrow table, more for the wide one"},
			},
		},
		{
			Name: "askind:protobuf", Place: Package | Type | Field, Form: Args,
			Doc: "Enables protobuf for a package or a type, or disables it (=false) for a type or a field. Field numbers come from protobuf tags, or from the file generated.proto, which must be kept.", Args: []ArgDef{
				{Name: "renamed", Doc: "on a type or field: its former name, in Go or in JSON, so that it keeps its numbers"},
				{Name: "message", Doc: "on a named slice or map: make it a message"},
				{Name: "fields", Doc: "on a type with hand-written functions: the fields of its message, as in a .proto file"},
			},
		},
		{Name: "k8s:protobuf-gen", Place: Package | Type, Form: Text, Doc: "package enables protobuf."},
		{
			Name: "protobuf.nullable", Place: Type, Form: Flag,
			Doc: "Makes a named slice or map a protobuf message.",
		},
		{
			Name: "protobuf.embed", Place: Type, Form: Text,
			Doc: "On a type with its own protobuf methods or functions: its message has one field, of this type and name.",
		},
		{
			Name: "protobuf.as", Place: Type, Form: Text,
			Doc: "On a type with its own protobuf methods or functions: its message has the fields of this type of its package.",
		},
		{
			Name: "protobuf.options.marshal", Place: Type, Form: Flag,
			Doc: "false states that the protobuf methods of the type are hand-written; they are called.",
		},
		{
			Name: "k8s:deepcopy-gen", Place: Package | Type | Field, Form: Text,
			Doc: "package or true enables deep copy, false disables it.",
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
		"kubebuilder:webhookconfiguration", "kubebuilder:docs-gen", "kubebuilder:skip",
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

// lookup finds the longest known name that is a prefix of body and is followed by nothing, an
// argument or a blank.
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

// Positioner resolves a position of the file set.
type Positioner func(token.Pos) token.Position

// Check reports unknown and misplaced markers, and unknown arguments. An unknown marker of the
// askind namespace is an error; one of the k8s and kubebuilder namespaces is a warning if it is
// similar to a known name, because other tools use these namespaces too.
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
		if m.Name == "k8s:eachVal" || m.Name == "k8s:eachKey" {
			if inner := ParseLine(m.Raw, m.ValuePos); inner != nil && inner.Def != nil {
				Check(List{inner}, place, pos, d)
			}
		}
	}
}

func checkUnknown(m *Marker, pos Positioner, d *diag.List) {
	namespace, _, _ := strings.Cut(m.Name, ":")
	near, ok := schema.Nearest(m.Name, nearNames(m.Name))
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
	case lookup("askind:"+m.Name) != nil:
		d.Warnf(pos(m.Pos), "marker-near-miss", "unknown marker +%s", m.Name).Suggest("+askind:%s", m.Name)
	case ok && !strings.Contains(m.Name, ":") && m.Name != near:
		d.Warnf(pos(m.Pos), "marker-near-miss", "unknown marker +%s", m.Name).Suggest("+%s", near)
	}
}

// nearNames returns the known markers that are similar to a name in every part between colons.
// Markers share long prefixes: as a whole, kubebuilder:validation:Prime is similar to
// kubebuilder:validation:Enum.
func nearNames(name string) (out []string) {
	parts := strings.Split(name, ":")
	for _, d := range table() {
		known := strings.Split(d.Name, ":")
		near := len(known) <= len(parts) // the rest may be arguments
		for i := 0; near && i < len(known); i++ {
			_, near = schema.Nearest(parts[i], known[i:i+1])
		}
		if near {
			out = append(out, d.Name)
		}
	}
	return out
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
		if strings.HasSuffix(m.Name, ":Enum") && strings.Contains(m.Raw, ",") && !strings.ContainsAny(m.Raw, ";\"`{") {
			d.Warnf(pos(m.Pos), "marker-value", "marker +%s has one value, %q: semicolons separate values, and quotes are "+
				"around one with a comma", m.Name, m.Raw).Suggest("+%s=%s", m.Name, strings.ReplaceAll(m.Raw, ",", ";"))
		}
	case Args:
		checkArgs(m, pos, d)
	}
}

func checkArgs(m *Marker, pos Positioner, d *diag.List) {
	if m.HasValue && m.Value != "true" && m.Value != "false" {
		d.Errorf(pos(m.ValuePos), "marker-value", "marker +%s takes no value, or true or false", m.Name)
		return
	}
	var names []string
	for _, ad := range m.Def.Args {
		names = append(names, ad.Name)
	}
	seen := map[string]bool{}
	for _, a := range m.Args {
		if !slices.Contains(names, a.Name) {
			e := d.Errorf(pos(a.Pos), "marker-argument", "marker +%s has no argument %q", m.Name, a.Name)
			if near, ok := schema.Nearest(a.Name, names); ok {
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

func (m *Marker) fail(pos token.Pos, format string, args ...any) {
	if m.problem == nil {
		m.problem = &problem{pos: pos, text: fmt.Sprintf(format, args...)}
	}
}
