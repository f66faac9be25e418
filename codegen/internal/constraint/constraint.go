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

// Read reads the markers of one declaration. Invalid markers are skipped, and reported if report is
// not nil.
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

// validation is the prefix of most markers of kubebuilder, items that of those for the elements of
// a list.
const (
	validation = "kubebuilder:validation:"
	items      = validation + "items:"
)

// meaning is the kind of rule that a marker states, and how its value is read. To read an invalid
// value reports it and clears the kind.
type meaning struct {
	kind Kind
	read func(r *reader, rule *Rule)
}

// meanings has the meanings of markers by name.
var meanings = func() map[string]meaning {
	all := map[string]meaning{}
	add := func(prefix string, read func(*reader, *Rule), kinds map[string]Kind) {
		for name, kind := range kinds {
			all[prefix+name] = meaning{kind, read}
		}
	}
	add("", flag, map[string]Kind{
		"required": Required, "optional": Optional, "nullable": Nullable, "enum": EnumConstants,
		"kubebuilder:pruning:PreserveUnknownFields": PreserveUnknown,
	})
	add("", trimmed, map[string]Kind{
		"listType": ListType, "listMapKey": ListMapKey, "mapType": MapType, "structType": StructType,
		"patchStrategy": PatchStrategy, "patchMergeKey": PatchMergeKey, "kubebuilder:title": Title,
	})
	add("", member, map[string]Kind{"unionDiscriminator": Discriminator, "unionMember": Member})
	add("", raw, map[string]Kind{"default": Default, "kubebuilder:default": Default})
	add("", value, map[string]Kind{"kubebuilder:example": Example, "k8s:neq": Neq})
	add("", link, map[string]Kind{"kubebuilder:externalDocs": ExternalDocs})

	add(validation, flag, map[string]Kind{
		"Required": Required, "Optional": Optional, "Nullable": Nullable, "UniqueItems": UniqueItems,
		"EmbeddedResource": EmbeddedResource, "XEmbeddedResource": EmbeddedResource, "XIntOrString": IntOrString,
		"XPreserveUnknownFields": PreserveUnknown, "Schemaless": Schemaless, "XValidation": CEL,
	})
	add(validation, text, map[string]Kind{"Pattern": Pattern, "Format": Format, "Type": Type})
	add(validation, bound, map[string]Kind{"Minimum": Minimum, "Maximum": Maximum})
	add(validation, exclusive, map[string]Kind{"ExclusiveMinimum": 0, "ExclusiveMaximum": 0})
	add(validation, divisor, map[string]Kind{"MultipleOf": MultipleOf})
	add(validation, enum, map[string]Kind{"Enum": Enum})
	add(validation, count, map[string]Kind{
		"MinLength": MinLength, "MaxLength": MaxLength, "MinItems": MinItems, "MaxItems": MaxItems,
		"MinProperties": MinProperties, "MaxProperties": MaxProperties,
	})
	add(validation, names, map[string]Kind{
		"ExactlyOneOf": ExactlyOneOf, "AtMostOneOf": AtMostOneOf, "AtLeastOneOf": AtLeastOneOf,
	})

	add("k8s:", flag, map[string]Kind{
		"optional": Optional, "forbidden": Forbidden, "enum": EnumConstants, "immutable": Immutable,
		"eachVal": Elements, "eachKey": Keys,
	})
	add("k8s:", set, map[string]Kind{"required": Required})
	add("k8s:", text, map[string]Kind{"format": Format, "listType": ListType, "listMapKey": ListMapKey})
	add("k8s:", bound, map[string]Kind{"minimum": Minimum, "maximum": Maximum})
	add("k8s:", count, map[string]Kind{
		"minLength": MinLength, "maxLength": MaxLength, "maxBytes": MaxBytes,
		"minItems": MinItems, "maxItems": MaxItems, "minProperties": MinProperties, "maxProperties": MaxProperties,
	})
	add("k8s:", unique, map[string]Kind{"unique": UniqueItems})
	add("k8s:", member, map[string]Kind{
		"unionDiscriminator": Discriminator, "unionMember": Member, "zeroOrOneOfMember": OptionalMember,
	})
	return all
}()

func (r *reader) read(m *marker.Marker) {
	if m.Def == nil || (m.Def.Form == marker.Flag || m.Def.Form == marker.Args) && m.HasValue && m.Value == "false" {
		return
	}
	name, ofItems := strings.CutPrefix(m.Name, items)
	if ofItems {
		name = validation + name
	}
	says, ok := meanings[name]
	if !ok {
		return
	}
	rule := &Rule{Kind: says.kind, Marker: m}
	says.read(r, rule)
	switch rule.Kind {
	case 0:
		return
	case Elements, Keys:
		inner := marker.ParseLine(strings.TrimSpace(m.Raw), m.ValuePos)
		if inner == nil || inner.Def == nil {
			r.refuse(rule, m.ValuePos, "%q is not a marker; write one such as +k8s:minLength=1", m.Raw)
			return
		}
		rule.Inner = Read(marker.List{inner}, r.report)
	}
	if ofItems {
		rule = &Rule{Kind: Elements, Marker: m, Inner: Rules{rule}}
	}
	r.out = append(r.out, rule)
}

func flag(*reader, *Rule)           {}
func set(_ *reader, rule *Rule)     { rule.Set = true }
func text(_ *reader, rule *Rule)    { rule.Text = rule.Marker.Value }
func trimmed(_ *reader, rule *Rule) { rule.Text = strings.TrimSpace(rule.Marker.Value) }
func raw(_ *reader, rule *Rule)     { rule.Text = strings.TrimSpace(rule.Marker.Raw) }
func value(_ *reader, rule *Rule)   { rule.Text = literal(rule.Marker.Raw) }
func names(_ *reader, rule *Rule)   { rule.Values = list(rule.Marker.Value) }

func unique(_ *reader, rule *Rule) {
	if rule.Marker.Value == "map" {
		rule.Kind = UniqueKeys
	}
}

// member reads the arguments of a member or of the discriminator of a union.
func member(_ *reader, rule *Rule) {
	rule.Text, _ = rule.Marker.Arg("union")
	if v, ok := rule.Marker.Arg("memberName"); ok {
		rule.Values = []string{v}
	}
	optional, ok := rule.Marker.Arg("optional")
	rule.Set = ok && optional != "false"
}

func link(r *reader, rule *Rule) {
	url, _ := rule.Marker.Arg("url")
	description, _ := rule.Marker.Arg("description")
	if url == "" {
		r.refuse(rule, rule.Marker.Pos, "marker +%s needs the argument url", rule.Marker.Name)
	}
	rule.Values = []string{url, description}
}

func enum(r *reader, rule *Rule) {
	for _, v := range list(rule.Marker.Raw) { // quotes are around one value
		if _, err := strconv.Unquote(v); err != nil && v != "" && (v[0] == '"' || v[0] == '`') {
			r.refuse(rule, rule.Marker.ValuePos, "%s is not a quoted text", v)
			return
		}
		rule.Values = append(rule.Values, literal(v))
	}
}

// bound reads a number, which another marker may exclude.
func bound(r *reader, rule *Rule) {
	i := strings.LastIndexByte(rule.Marker.Name, ':') + 1
	rule.Exclusive = r.all.Has(rule.Marker.Name[:i] + "Exclusive" + rule.Marker.Name[i:])
	number(r, rule)
}

// exclusive only reports a missing bound, because [bound] looks for the marker.
func exclusive(r *reader, rule *Rule) {
	if of := strings.Replace(rule.Marker.Name, "Exclusive", "", 1); r.all.Get(of) == nil {
		r.refuse(rule, rule.Marker.Pos, "marker +%s has no effect without +%s", rule.Marker.Name, of)
	}
}

func divisor(r *reader, rule *Rule) {
	number(r, rule)
	if n, err := strconv.ParseFloat(rule.Text, 64); err == nil && n <= 0 {
		r.refuse(rule, rule.Marker.ValuePos, "%s must be greater than 0", rule.Text)
	}
}

// number reads a number. A missing one is reported with the form of the marker.
func number(r *reader, rule *Rule) {
	rule.Text = strings.TrimSpace(rule.Marker.Value)
	_, isRational := new(big.Rat).SetString(rule.Text)
	_, err := strconv.ParseFloat(rule.Text, 64)
	switch {
	case rule.Text == "":
		rule.Kind = 0
	case !json.Valid([]byte(rule.Text)) || strings.Trim(rule.Text, "+-0123456789.eE") != "":
		r.refuse(rule, rule.Marker.ValuePos, "%q is not a number, as marker +%s requires", rule.Text, rule.Marker.Name)
	case !isRational || err != nil:
		r.refuse(rule, rule.Marker.ValuePos, "%s is out of the range of numbers", rule.Text)
	}
}

// count reads a non-negative integer, like [number].
func count(r *reader, rule *Rule) {
	text := strings.TrimSpace(rule.Marker.Value)
	n, err := strconv.ParseInt(text, 10, 32)
	if text == "" {
		rule.Kind = 0
	} else if err != nil || n < 0 {
		r.refuse(rule, rule.Marker.ValuePos, "%q is not a non-negative integer, as marker +%s requires", text,
			rule.Marker.Name)
	}
	rule.N = n
}

// refuse reports a marker that states no rule.
func (r *reader) refuse(rule *Rule, pos token.Pos, format string, args ...any) {
	rule.Kind = 0
	if r.report != nil {
		r.report(pos, format, args...)
	}
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
