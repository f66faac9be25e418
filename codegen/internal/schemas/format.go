package schemas

import "github.com/askind/askind/codegen/internal/constraint"

// Formats of the k8s family, as patterns and maximum lengths.
var named = map[string]struct {
	pattern string
	longest int64
}{
	"k8s-short-name": {`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, 63},
	"k8s-long-name":  {`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, 253},
	"k8s-label-key": {
		`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`, 317,
	},
	"k8s-label-value":       {`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`, 63},
	"k8s-uuid":              {`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`, 36},
	"k8s-path-segment-name": {`^([^./%]|\.[^./%]|\.\.[^/%])[^/%]*$`, 0},
}

// Rules returns rules equivalent to a format of the k8s family, or nil for other formats.
func Rules(format string) constraint.Rules {
	f, ok := named[format]
	if !ok {
		return nil
	}
	out := constraint.Rules{{Kind: constraint.Pattern, Text: f.pattern}}
	if f.longest > 0 {
		out = append(out, &constraint.Rule{Kind: constraint.MaxLength, N: f.longest})
	}
	return out
}

// format adds a format to a schema.
func format(s *Schema, name string) {
	rules := Rules(name)
	if rules == nil {
		s.Format = name
		return
	}
	for _, r := range rules {
		if r.Kind == constraint.Pattern {
			s.Patterns = append(s.Patterns, r.Text)
		} else {
			most(&s.MaxLength, r.N, true)
		}
	}
}
