package fromcrd

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Sample returns an object as JSON with the fields that the kind requires. It returns false if it
// finds no values that the schema allows, or if the stored version may require more.
func Sample(d *Definition, v *Version) ([]byte, bool) {
	if compare(v.Schema, d.storage().Schema).shape() {
		return nil, false
	}
	root := *v.Schema
	root.Properties = slices.DeleteFunc(slices.Clone(root.Properties),
		func(p Property) bool { return isHeader(p.Name) })
	content, ok := root.sample()
	if !ok {
		return nil, false
	}
	object, isObject := content.(map[string]any)
	if !isObject {
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = d.Group+"/"+v.Name, d.Kind
	object["metadata"] = map[string]any{"name": v.Name}
	out, err := json.Marshal(object)
	return out, err == nil
}

// candidates are strings that match most patterns.
var candidates = []string{
	"example", "example.com", "a", "1", "10", "Example", "https://example.com", "/example", "10.0.0.1", "10.0.0.0/8",
	"1s", "100m",
	"example.com/example", "v1", "*", "12345678-1234-1234-1234-123456789abc", "me@example.com", "0 0 * * *", "",
}

// mostSample is the maximum size of a list in a sample in bytes. Schemas may require larger ones.
const mostSample = 16 << 10

// sample returns a value that a schema allows.
func (s *Schema) sample() (any, bool) {
	for _, text := range append(slices.Clip([]string{s.Default, s.Example}), s.Enum...) {
		var v any
		if text != "" && json.Unmarshal([]byte(text), &v) == nil {
			return v, true
		}
	}
	switch s.class() {
	case text:
		return s.sampleText()
	case integer, number:
		return s.sampleNumber()
	case boolean:
		return true, s.Not != "true"
	case timestamp:
		return "2026-01-01T00:00:00Z", true
	case octets:
		return "YQ==", s.allows(len("YQ=="))
	case quantity, intOrString:
		return s.sampleEither()
	case list:
		n, err := strconv.Atoi(cmp.Or(s.MinItems, "0"))
		if n <= 0 || err != nil {
			return []any{}, err == nil
		}
		v, ok := s.Items.sample()
		text, err := json.Marshal(v)
		unique := s.UniqueItems || s.ListType == "set" || s.ListType == "map"
		if !ok || err != nil || len(text) > mostSample/n || unique && n > 1 {
			return nil, false
		}
		return slices.Repeat([]any{v}, n), true
	case mapping:
		v, ok := s.Values.sample()
		if n, _ := strconv.Atoi(s.MinProperties); n == 0 {
			return map[string]any{}, true
		} else if n > 1 {
			return nil, false
		}
		return map[string]any{"example": v}, ok
	case structure, condition, selector:
		return s.sampleObject()
	case rawObject:
		if s.Embedded {
			return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
				"name": "example",
			}}, true
		}
	}
	return map[string]any{}, true
}

// allows reports whether a text may have n characters.
func (s *Schema) allows(n int) bool {
	least, err := strconv.Atoi(s.MinLength)
	if err == nil && n < least {
		return false
	}
	most, err := strconv.Atoi(s.MaxLength)
	return err != nil || n <= most
}

func (s *Schema) sampleText() (any, bool) {
	for _, c := range candidates {
		fits := s.allows(utf8.RuneCountInString(c)) && s.Not != strconv.Quote(c)
		for _, p := range s.Pattern {
			re, err := regexp.Compile(p)
			fits = fits && err == nil && re.MatchString(c)
		}
		if fits && s.formatFits(c) {
			return c, true
		}
	}
	return nil, false
}

// formatFits reports whether a text has the format, as far as a candidate is known to have it.
func (s *Schema) formatFits(text string) bool {
	has := map[string]string{
		"uri": "https://example.com", "url": "https://example.com", "ipv4": "10.0.0.1", "cidr": "10.0.0.0/8",
		"duration": "1s",
		"uuid":     "12345678-1234-1234-1234-123456789abc", "mac": "00:00:5e:00:53:01", "email": "me@example.com", "hostname": "example.com",
	}
	want, ok := has[s.Format]
	return !ok && s.Format != "date-time" && s.Format != "date" && s.Format != "ipv6" || text == want
}

func (s *Schema) sampleNumber() (any, bool) {
	least, most, step := math.Inf(-1), math.Inf(1), 1.0
	for _, b := range []struct {
		text string
		to   *float64
	}{{s.Minimum, &least}, {s.Maximum, &most}, {s.MultipleOf, &step}} {
		if n, err := strconv.ParseFloat(b.text, 64); err == nil {
			*b.to = n
		}
	}
	for _, n := range []float64{1, 0, least, math.Ceil(least/step) * step, math.Ceil(least/step)*step + step, most} {
		whole := n == math.Trunc(n) || s.Type == "number"
		if whole && !math.IsInf(n, 0) && n >= least && n <= most && !(s.ExclusiveMinimum && n == least) &&
			!(s.ExclusiveMaximum && n == most) && (s.MultipleOf == "" || math.Mod(n, step) == 0) &&
			s.Not != strconv.FormatFloat(n, 'g', -1, 64) {
			return n, true
		}
	}
	return nil, false
}

func (s *Schema) sampleEither() (any, bool) {
	for _, p := range s.Pattern {
		if re, err := regexp.Compile(p); err != nil || !re.MatchString("1") {
			return nil, false
		}
	}
	return "1", true
}

func (s *Schema) sampleObject() (any, bool) {
	out := map[string]any{}
	want := slices.Clone(s.Required)
	for _, g := range s.Groups {
		if _, names, ok := cutGroup(g); ok && !slices.ContainsFunc(names,
			func(n string) bool { return slices.Contains(want, n) }) {
			want = append(want, names[0])
		}
	}
	least, _ := strconv.Atoi(s.MinProperties)
	for _, p := range s.Properties {
		if len(want) < least && !slices.Contains(want, p.Name) {
			want = append(want, p.Name)
		}
	}
	for _, name := range want {
		p := s.property(name)
		if p == nil {
			continue
		}
		v, ok := p.sample()
		if !ok {
			return nil, false
		}
		out[name] = v
	}
	return out, true
}
