// Package constraint reads constraints from markers: allowed values, how lists and maps merge, and
// other properties for schemas.
//
// [Read] translates the markers of a field or a type to [Rules], one [Rule] for each marker of any
// family: kubebuilder:validation, k8s, or markers without a prefix. Schemas and validation
// functions are generated from the same rules and therefore agree.
package constraint

import (
	"encoding/json"
	"fmt"
	"go/token"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
)

// Kind is the kind of a rule.
type Kind uint8

// The kinds of rules. The comment says which members of [Rule] a kind uses.
const (
	Required      Kind = iota + 1 // Set: the zero value counts as missing
	Optional                      //
	Forbidden                     //
	Nullable                      //
	Minimum                       // Text: the number; Exclusive
	Maximum                       // Text: the number; Exclusive
	MultipleOf                    // Text: the number
	MinLength                     // N: characters
	MaxLength                     // N: characters
	MaxBytes                      // N: bytes
	Pattern                       // Text
	Format                        // Text
	Enum                          // Values: JSON
	EnumConstants                 //
	Neq                           // Text: JSON
	MinItems                      // N
	MaxItems                      // N
	UniqueItems                   //
	UniqueKeys                    // the elements are unique by the keys of the list
	MinProperties                 // N
	MaxProperties                 // N
	Immutable                     //
	ExactlyOneOf                  // Values: JSON names
	AtMostOneOf                   // Values: JSON names
	AtLeastOneOf                  // Values: JSON names
	Discriminator                 // Text: the name of the union
	// Text: the name of the union; Values: the value of the discriminator, if it is stated; Set:
	// the member may be unset although the discriminator names it
	Member
	OptionalMember // Text: the name of the union
	Type           // Text
	Title          // Text
	Example        // Text: JSON
	ExternalDocs   // Values: the address and what it leads to
	Default        // Text: as in the marker
	EmbeddedResource
	IntOrString
	PreserveUnknown
	Schemaless
	ListType      // Text
	ListMapKey    // Text
	MapType       // Text
	StructType    // Text
	PatchStrategy // Text
	PatchMergeKey // Text
	CEL           // Marker
	Elements      // Inner: for the elements of a list or the values of a map
	Keys          // Inner: for the keys of a map
)

// Rule is the meaning of one marker.
type Rule struct {
	Kind      Kind
	Marker    *marker.Marker
	Text      string
	Values    []string
	N         int64
	Exclusive bool
	Set       bool
	Inner     Rules
}

// Rules are the rules of one declaration, in the order of its markers.
type Rules []*Rule

// Get returns the first rule of a kind, or nil.
func (r Rules) Get(k Kind) *Rule {
	for _, rule := range r {
		if rule.Kind == k {
			return rule
		}
	}
	return nil
}

// Has reports whether a rule of the kind exists.
func (r Rules) Has(k Kind) bool { return r.Get(k) != nil }

// All returns the rules of a kind.
func (r Rules) All(k Kind) Rules {
	return slices.DeleteFunc(slices.Clone(r), func(rule *Rule) bool { return rule.Kind != k })
}

// Inner returns the rules for elements or keys, from all markers.
func (r Rules) Inner(k Kind) Rules {
	var out Rules
	for _, rule := range r.All(k) {
		out = append(out, rule.Inner...)
	}
	return out
}

// Report is called with problems of marker values.
type Report func(pos token.Pos, format string, args ...any)

// Read reads the markers of one declaration. Invalid markers are reported and skipped.
func Read(l marker.List, report Report) Rules {
	r := reader{report: report, all: l}
	for _, m := range l {
		r.read(m)
	}
	return r.out
}

type reader struct {
	report Report
	all    marker.List
	out    Rules
}

const (
	kubebuilder = "kubebuilder:validation:"
	items       = "items:"
)

func (r *reader) read(m *marker.Marker) {
	if m.Def == nil || m.Def.Form == marker.Flag && m.HasValue && m.Value == "false" {
		return
	}
	name, ok := strings.CutPrefix(m.Name, kubebuilder)
	if ok {
		inner, isInner := strings.CutPrefix(name, items)
		r.validation(m, inner, isInner)
		return
	}
	if name, ok := strings.CutPrefix(m.Name, "k8s:"); ok {
		r.declarative(m, name)
		return
	}
	r.plain(m)
}

// validation reads a marker kubebuilder:validation:name, or one for the elements of a list.
func (r *reader) validation(m *marker.Marker, name string, inner bool) {
	rule := &Rule{Marker: m}
	switch name {
	case "Minimum", "Maximum":
		rule.Kind = map[string]Kind{"Minimum": Minimum, "Maximum": Maximum}[name]
		prefix := strings.TrimSuffix(m.Name, name)
		rule.Exclusive = r.all.Has(prefix + "Exclusive" + name)
		r.number(rule)
	case "ExclusiveMinimum", "ExclusiveMaximum":
		prefix, bound := strings.TrimSuffix(m.Name, name), strings.TrimPrefix(name, "Exclusive")
		if r.all.Get(prefix+bound) == nil {
			r.report(m.Pos, "marker +%s has no effect without +%s", m.Name, prefix+bound)
		}
		return
	case "MultipleOf":
		rule.Kind = MultipleOf
		r.number(rule)
		if n, err := strconv.ParseFloat(rule.Text, 64); err == nil && n <= 0 {
			r.report(m.ValuePos, "%s must be greater than 0", rule.Text)
			return
		}
	case "MinLength", "MaxLength", "MinItems", "MaxItems", "MinProperties", "MaxProperties":
		rule.Kind = counts[name]
		r.count(rule)
	case "Pattern":
		rule.Kind, rule.Text = Pattern, m.Value
	case "Format":
		rule.Kind, rule.Text = Format, m.Value
	case "Enum":
		rule.Kind = Enum
		for _, v := range list(m.Raw) { // quotes are around one value
			if _, err := strconv.Unquote(v); err != nil && v != "" && (v[0] == '"' || v[0] == '`') {
				r.report(m.ValuePos, "%s is not a quoted text", v)
				return
			}
			rule.Values = append(rule.Values, literal(v))
		}
	case "UniqueItems":
		rule.Kind = UniqueItems
	case "Type":
		rule.Kind, rule.Text = Type, m.Value
	case "Required":
		rule.Kind = Required
	case "Optional":
		rule.Kind = Optional
	case "Nullable":
		rule.Kind = Nullable
	case "EmbeddedResource", "XEmbeddedResource":
		rule.Kind = EmbeddedResource
	case "XIntOrString":
		rule.Kind = IntOrString
	case "XPreserveUnknownFields":
		rule.Kind = PreserveUnknown
	case "Schemaless":
		rule.Kind = Schemaless
	case "ExactlyOneOf", "AtMostOneOf", "AtLeastOneOf":
		rule.Kind = map[string]Kind{
			"ExactlyOneOf": ExactlyOneOf, "AtMostOneOf": AtMostOneOf,
			"AtLeastOneOf": AtLeastOneOf,
		}[name]
		rule.Values = list(m.Value)
	case "XValidation":
		rule.Kind = CEL
	}
	r.add(rule, inner)
}

var counts = map[string]Kind{
	"MinLength": MinLength, "MaxLength": MaxLength, "MinItems": MinItems, "MaxItems": MaxItems,
	"MinProperties": MinProperties, "MaxProperties": MaxProperties,
	"minLength": MinLength, "maxLength": MaxLength, "maxBytes": MaxBytes, "minItems": MinItems, "maxItems": MaxItems,
	"minProperties": MinProperties, "maxProperties": MaxProperties,
}

// declarative reads a marker k8s:name.
func (r *reader) declarative(m *marker.Marker, name string) {
	rule := &Rule{Marker: m}
	switch name {
	case "required":
		rule.Kind, rule.Set = Required, true
	case "optional":
		rule.Kind = Optional
	case "forbidden":
		rule.Kind = Forbidden
	case "enum":
		rule.Kind = EnumConstants
	case "minimum", "maximum":
		rule.Kind = map[string]Kind{"minimum": Minimum, "maximum": Maximum}[name]
		r.number(rule)
	case "minLength", "maxLength", "maxBytes", "minItems", "maxItems", "minProperties", "maxProperties":
		rule.Kind = counts[name]
		r.count(rule)
	case "format":
		rule.Kind, rule.Text = Format, m.Value
	case "listType":
		rule.Kind, rule.Text = ListType, m.Value
	case "listMapKey":
		rule.Kind, rule.Text = ListMapKey, m.Value
	case "unique":
		rule.Kind = UniqueItems
		if m.Value == "map" {
			rule.Kind = UniqueKeys
		}
	case "immutable":
		rule.Kind = Immutable
	case "neq":
		rule.Kind, rule.Text = Neq, literal(m.Raw)
	case "eachVal", "eachKey":
		rule.Kind = Elements
		if name == "eachKey" {
			rule.Kind = Keys
		}
		inner := marker.ParseLine(strings.TrimSpace(m.Raw), m.ValuePos)
		if inner == nil || inner.Def == nil {
			r.report(m.ValuePos, "%q is not a marker; write one such as +k8s:minLength=1", m.Raw)
			return
		}
		rule.Inner = Read(marker.List{inner}, r.report)
	case "unionDiscriminator":
		rule.Kind = Discriminator
		rule.Text, _ = m.Arg("union")
	case "unionMember", "zeroOrOneOfMember":
		rule.Kind = Member
		if name == "zeroOrOneOfMember" {
			rule.Kind = OptionalMember
		}
		rule.Text, _ = m.Arg("union")
		if v, ok := m.Arg("memberName"); ok {
			rule.Values = []string{v}
		}
	}
	r.add(rule, false)
}

// plain reads a marker without a prefix, or with one of the families that have only few of these.
func (r *reader) plain(m *marker.Marker) {
	rule := &Rule{Marker: m, Text: strings.TrimSpace(m.Value)}
	switch m.Name {
	case "required":
		rule.Kind = Required
	case "optional":
		rule.Kind = Optional
	case "nullable":
		rule.Kind = Nullable
	case "enum":
		rule.Kind = EnumConstants
	case "listType":
		rule.Kind = ListType
	case "listMapKey":
		rule.Kind = ListMapKey
	case "mapType":
		rule.Kind = MapType
	case "structType":
		rule.Kind = StructType
	case "patchStrategy":
		rule.Kind = PatchStrategy
	case "patchMergeKey":
		rule.Kind = PatchMergeKey
	case "unionDiscriminator":
		rule.Kind = Discriminator
	case "unionMember":
		rule.Kind = Member
		if m.Args != nil {
			if v, ok := m.Arg("memberName"); ok {
				rule.Values = []string{v}
			}
			v, ok := m.Arg("optional")
			rule.Set = ok && v != "false"
		}
	case "default", "kubebuilder:default":
		rule.Kind, rule.Text = Default, strings.TrimSpace(m.Raw)
	case "kubebuilder:example":
		rule.Kind, rule.Text = Example, literal(m.Raw)
	case "kubebuilder:title":
		rule.Kind = Title
	case "kubebuilder:externalDocs":
		rule.Kind = ExternalDocs
		url, _ := m.Arg("url")
		description, _ := m.Arg("description")
		if url == "" {
			r.report(m.Pos, "marker +%s needs the argument url", m.Name)
			return
		}
		rule.Values = []string{url, description}
	case "kubebuilder:pruning:PreserveUnknownFields":
		rule.Kind = PreserveUnknown
	}
	r.add(rule, false)
}

// add appends a rule, for the elements if inner is set.
func (r *reader) add(rule *Rule, inner bool) {
	if rule.Kind == 0 {
		return
	}
	if inner {
		rule = &Rule{Kind: Elements, Marker: rule.Marker, Inner: Rules{rule}}
	}
	r.out = append(r.out, rule)
}

// number parses the value of the marker as a number. An invalid value drops the rule; a missing one
// is reported with the form of the marker.
func (r *reader) number(rule *Rule) {
	text := strings.TrimSpace(rule.Marker.Value)
	_, isRational := new(big.Rat).SetString(text)
	_, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		rule.Kind = 0
	case !json.Valid([]byte(text)) || strings.Trim(text, "+-0123456789.eE") != "":
		r.report(rule.Marker.ValuePos, "%q is not a number, as marker +%s requires", text, rule.Marker.Name)
		rule.Kind = 0
	case !isRational || err != nil:
		r.report(rule.Marker.ValuePos, "%s is out of the range of numbers", text)
		rule.Kind = 0
	}
	rule.Text = text
}

// count parses the value of the marker as a non-negative integer, like number.
func (r *reader) count(rule *Rule) {
	text := strings.TrimSpace(rule.Marker.Value)
	n, err := strconv.ParseInt(text, 10, 32)
	if text == "" {
		rule.Kind = 0
	} else if err != nil || n < 0 {
		r.report(rule.Marker.ValuePos, "%q is not a non-negative integer, as marker +%s requires", text, rule.Marker.Name)
		rule.Kind = 0
	}
	rule.N = n
}

// list splits a marker value of the form a;b or {a,b}.
func list(s string) []string {
	s = strings.TrimSpace(s)
	separators := ";"
	if strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		s, separators = s[1:len(s)-1], ",;"
	}
	var out []string
	for s != "" {
		s = strings.TrimLeft(s, " \t")
		if s != "" && (s[0] == '"' || s[0] == '`') {
			if text, err := strconv.QuotedPrefix(s); err == nil {
				out = append(out, text)
				s = strings.TrimLeft(s[len(text):], " \t")
				if s != "" && strings.ContainsRune(separators, rune(s[0])) {
					s = s[1:]
				}
				continue
			}
		}
		i := strings.IndexAny(s, separators)
		if i < 0 {
			i = len(s)
		}
		out = append(out, strings.TrimSpace(s[:i]))
		s = s[min(i+1, len(s)):]
	}
	return out
}

// literal returns the JSON of a marker value, which may be JSON, a Go string, or unquoted text.
func literal(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && s[0] == '`' {
		if text, err := strconv.Unquote(s); err == nil {
			return Quote(text)
		}
	}
	if json.Valid([]byte(s)) {
		return s
	}
	return Quote(s)
}

// Quote returns a string as JSON, without the escapes that are only needed in HTML.
func Quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return strconv.Quote(s) // strings always marshal
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// String returns the marker of the rule.
func (r *Rule) String() string { return fmt.Sprintf("+%s", r.Marker.Name) }
