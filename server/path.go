package server

import (
	"net/url"
	"strings"

	"github.com/askind/askind/schema"
)

// target is what the path of a request names.
type target struct {
	prefix      string
	gvr         schema.GroupVersionResource
	namespace   string
	name        string
	subresource string
}

// parsePath takes the path of a request for a resource apart. ok is false for a path that cannot be
// one. The path is escaped as it came, so that a name that holds an escaped slash is one segment.
// The groups of a prefix are found by a function, which reports whether it serves a group version.
func parsePath(escaped string, serves func(prefix string, gv schema.GroupVersion) bool,
	hasNamespaces func(schema.GroupVersion, string) bool,
) (t target, ok bool) {
	segments, ok := segmentsOf(escaped)
	if !ok || len(segments) < 3 {
		return t, false
	}
	t.prefix = segments[0]
	rest := segments[2:]
	switch gv := (schema.GroupVersion{Version: segments[1]}); {
	case serves(t.prefix, gv):
		t.gvr = gv.WithResource("")
	case len(segments) > 3:
		gv = schema.GroupVersion{Group: segments[1], Version: segments[2]}
		t.gvr, rest = gv.WithResource(""), segments[3:]
		if gv.Group == "" || !serves(t.prefix, gv) {
			return t, false
		}
	default:
		return t, false
	}
	return t, t.within(rest, hasNamespaces)
}

// within reads what follows the version: [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]. An
// object named NAMESPACE of a resource "namespaces" is distinguished from the contents of the
// namespace by the number of segments, and by the subresources of the resource.
func (t *target) within(segments []string, isSubresource func(schema.GroupVersion, string) bool) bool {
	if segments[0] == "namespaces" && len(segments) > 2 &&
		!(len(segments) == 3 && isSubresource(t.gvr.GroupVersion(), segments[2])) {
		t.namespace, segments = segments[1], segments[2:]
		if t.namespace == "" {
			return false
		}
	}
	t.gvr.Resource = segments[0]
	if len(segments) > 1 {
		if t.name = segments[1]; t.name == "" {
			return false
		}
	}
	if len(segments) > 2 {
		t.subresource = segments[2]
	}
	return len(segments) <= 3 && t.gvr.Resource != ""
}

// maxSegments is more than any path of a resource has.
const maxSegments = 9

// segmentsOf returns the segments of an escaped path, unescaped. A segment that no name can be is
// an error: one with a slash, a percent sign or a control character in it, and the dots that stand
// for directories.
func segmentsOf(escaped string) (out []string, ok bool) {
	escaped = strings.TrimSuffix(strings.TrimPrefix(escaped, "/"), "/")
	if strings.Count(escaped, "/") >= maxSegments {
		return nil, false
	}
	for segment := range strings.SplitSeq(escaped, "/") {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsFunc(plain, unfit) {
			return nil, false
		}
		out = append(out, plain)
	}
	return out, true
}

// unfit reports whether a character cannot be in any name.
func unfit(r rune) bool { return r == '/' || r == '%' || r < ' ' || r == 0x7f || r == '\uFFFD' }
