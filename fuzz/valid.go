package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/openapi"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/wire/jsonwire"
)

// ValidObject returns a random object that passes the validation of its kind. It is generated from
// the schema: required fields are set, and numbers, strings and lists satisfy their rules. The same
// seed always yields the same object. Rules outside of the schema, such as those of hand-written
// functions, are satisfied by trial; if no trial succeeds, the error describes the last one.
func ValidObject(k *runtime.Kind, seed uint64) (runtime.Object, error) {
	name, all, err := openapi.Definitions(k)
	if err != nil {
		return nil, err
	}
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 0)), all: map[string]*jsonSchema{}}
	for name, text := range all {
		s := new(jsonSchema)
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("fuzz: read the schema %s: %w", name, err)
		}
		g.all[name] = s
	}
	const tries = 200
	var found runtime.FieldErrors
	for n := range tries {
		// The fewer optional fields an object has, the fewer rules it can violate.
		g.optional = 0.5 * float64(tries-n) / tries
		value := g.value(g.all[name], 0)
		if root, ok := value.(map[string]any); ok {
			delete(root, "kind")
			delete(root, "apiVersion")
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		obj := k.New()
		r := jsonwire.NewReader(text, jsonwire.Options{})
		if err := k.DecodeJSON(r, obj); err != nil {
			return nil, err
		}
		if err := r.Err(); err != nil {
			return nil, fmt.Errorf("fuzz: decode %s: %w", text, err)
		}
		if found = k.Validate(context.Background(), obj); len(found) == 0 {
			return obj, nil
		}
	}
	return nil, fmt.Errorf("fuzz: no valid %s was found: %w", k, found)
}

// jsonSchema is the part of a schema that is used to generate values.
type jsonSchema struct {
	Ref                  string                 `json:"$ref"`
	AllOf                []*jsonSchema          `json:"allOf"`
	Type, Format         string                 `json:",omitempty"`
	Enum                 []any                  `json:"enum"`
	Minimum, Maximum     *float64               `json:",omitempty"`
	ExclusiveMinimum     bool                   `json:"exclusiveMinimum"`
	ExclusiveMaximum     bool                   `json:"exclusiveMaximum"`
	MultipleOf           *float64               `json:"multipleOf"`
	MinLength, MaxLength *int                   `json:",omitempty"`
	Pattern              string                 `json:"pattern"`
	Items                *jsonSchema            `json:"items"`
	MinItems, MaxItems   *int                   `json:",omitempty"`
	Properties           map[string]*jsonSchema `json:"properties"`
	Required             []string               `json:"required"`
	Additional           *jsonSchema            `json:"additionalProperties"`
	MinProperties        *int                   `json:"minProperties"`
	MaxProperties        *int                   `json:"maxProperties"`
	IntOrString          bool                   `json:"x-kubernetes-int-or-string"`
}

type generator struct {
	rnd      *rand.Rand
	all      map[string]*jsonSchema
	optional float64 // probability that an optional field is set
}

const deepest = 10

// value returns a random value for a schema.
func (g *generator) value(s *jsonSchema, depth int) any {
	if s == nil {
		return map[string]any{}
	}
	for _, part := range append([]*jsonSchema{s}, s.AllOf...) {
		if name, ok := strings.CutPrefix(part.Ref, "#/components/schemas/"); ok {
			return g.value(g.all[name], depth)
		}
	}
	if values := slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil }); len(values) > 0 {
		return values[g.rnd.IntN(len(values))]
	}
	if s.IntOrString {
		return g.rnd.IntN(100)
	}
	switch s.Type {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.list(s, depth)
	case "string":
		return g.text(s)
	case "integer":
		return int64(g.number(s, true))
	case "number":
		return g.number(s, false)
	case "boolean":
		return g.rnd.IntN(2) == 0
	}
	return map[string]any{"key": "value"}
}

func (g *generator) object(s *jsonSchema, depth int) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || depth < deepest && g.rnd.Float64() < g.optional {
			out[name] = g.value(s.Properties[name], depth+1)
		}
	}
	if s.Additional != nil {
		for i := range g.count(s.MinProperties, s.MaxProperties, depth) {
			out["key"+strconv.Itoa(i)] = g.value(s.Additional, depth+1)
		}
	}
	return out
}

// count returns a number of elements between two bounds.
func (g *generator) count(least, most *int, depth int) int {
	low, high := 0, 3
	if least != nil {
		low = *least
	}
	high = max(high, low)
	if most != nil {
		high = min(high, *most)
	}
	if depth >= deepest || high < low {
		return low
	}
	return low + g.rnd.IntN(high-low+1)
}

func (g *generator) list(s *jsonSchema, depth int) []any {
	out := []any{}
	for range g.count(s.MinItems, s.MaxItems, depth) {
		out = append(out, g.value(s.Items, depth+1))
	}
	return out
}

func (g *generator) number(s *jsonSchema, whole bool) float64 {
	low, high := -1000.0, 1000.0
	if s.Minimum != nil {
		low = *s.Minimum
		high = max(high, low+1000)
	}
	if s.Maximum != nil {
		high = *s.Maximum
		low = min(low, high)
	}
	if whole {
		low, high = math.Ceil(low), math.Floor(high)
		if s.ExclusiveMinimum && s.Minimum != nil && low == *s.Minimum {
			low++
		}
		if s.ExclusiveMaximum && s.Maximum != nil && high == *s.Maximum {
			high--
		}
	}
	v := low + g.rnd.Float64()*(high-low)
	if whole {
		v = math.Round(v)
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		v = math.Floor(v / *s.MultipleOf) * *s.MultipleOf
		if v < low {
			v += *s.MultipleOf
		}
	}
	return v
}

// examples maps formats to example texts.
var examples = map[string]string{
	"date-time": "2006-01-02T15:04:05Z", "date": "2006-01-02", "duration": "1h30m0s", "email": "user@example.com",
	"hostname": "host.example.com", "ipv4": "10.0.0.1", "ipv6": "fd00::1", "cidr": "10.0.0.0/8",
	"mac": "00:00:5e:00:53:01", "uri": "https://example.com/", "uuid": "123e4567-e89b-12d3-a456-426614174000",
	"uuid3": "123e4567-e89b-32d3-a456-426614174000", "uuid4": "123e4567-e89b-42d3-a456-426614174000",
	"uuid5": "123e4567-e89b-52d3-a456-426614174000", "byte": "YQ==",
}

func (g *generator) text(s *jsonSchema) string {
	if example, ok := examples[s.Format]; ok {
		return example
	}
	low, high := 0, 12
	if s.MinLength != nil {
		low = *s.MinLength
		high = max(high, low)
	}
	if s.MaxLength != nil {
		high = min(high, *s.MaxLength)
	}
	pattern := s.Pattern
	for _, part := range s.AllOf {
		if pattern == "" {
			pattern = part.Pattern
		}
	}
	if pattern != "" {
		if parsed, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			parsed = parsed.Simplify()
			for range 50 {
				var b strings.Builder
				g.match(&b, parsed)
				if n := len([]rune(b.String())); n >= low && n <= high {
					return b.String()
				}
			}
		}
	}
	const letters = "abcdefghijklmnopqrstuvwxyz"
	n := low + g.rnd.IntN(max(high-low, 0)+1)
	out := make([]byte, n)
	for i := range out {
		out[i] = letters[g.rnd.IntN(len(letters))]
	}
	return string(out)
}

// match writes a text that matches a regular expression, unless that has assertions about the
// context.
func (g *generator) match(b *strings.Builder, re *syntax.Regexp) {
	repeat := func(least, most int) {
		if most < 0 {
			most = least + 4
		}
		for range least + g.rnd.IntN(most-least+1) {
			g.match(b, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return
		}
		i := 2 * g.rnd.IntN(len(re.Rune)/2)
		low, high := re.Rune[i], min(re.Rune[i+1], re.Rune[i]+25)
		b.WriteRune(low + g.rnd.Int32N(high-low+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + g.rnd.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			g.match(b, sub)
		}
	case syntax.OpAlternate:
		g.match(b, re.Sub[g.rnd.IntN(len(re.Sub))])
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	}
}
