package schemas

// named has the formats of the k8s family, as patterns and maximum lengths.
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

// format adds a format to a schema.
func format(s *Schema, name string) {
	f, ok := named[name]
	if !ok {
		s.Format = name
		return
	}
	s.Patterns = append(s.Patterns, f.pattern)
	if f.longest > 0 {
		most(&s.MaxLength, f.longest, true)
	}
}
