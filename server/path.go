package server

import (
	"net/url"
	"slices"
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

// owners find the group versions below a prefix. Both get the first segment of a path and a group
// version, which may be any text.
type owners struct {
	local     func(prefix string, gv schema.GroupVersion) bool // the server has it
	delegated func(prefix string, gv schema.GroupVersion) bool // the delegate has it
	// isSubresource reports whether the resource "namespaces" of a local group version has a
	// subresource.
	isSubresource func(gv schema.GroupVersion, name string) bool
}

// parsePath takes the path of a request for a resource apart. ok is false for a path that cannot be
// one. The path is escaped as it came, so that a name that holds an escaped slash is one segment.
// Below a subresource of a delegated group version the path continues as its server likes.
func parsePath(escaped string, in owners) (t target, ok bool) {
	raw := splitPath(escaped)
	segments := segmentsOf(raw)
	if len(segments) < 3 {
		return t, false
	}
	t.prefix = segments[0]
	gv, used := schema.GroupVersion{Version: segments[1]}, 2
	delegated := in.delegated(t.prefix, gv)
	if !delegated && !in.local(t.prefix, gv) {
		gv, used = schema.GroupVersion{Group: segments[1], Version: segments[2]}, 3
		delegated = in.delegated(t.prefix, gv)
		if len(segments) < 4 || !delegated && !in.local(t.prefix, gv) {
			return t, false
		}
	}
	t.gvr = gv.WithResource("")
	if delegated {
		used += t.within(segments[used:], func(name string) bool { return name == "status" || name == "finalize" })
		return t, t.fitsBelow(raw[used:])
	}
	count := len(segments) - used
	used += t.within(segments[used:], func(name string) bool { return count == 3 && in.isSubresource(gv, name) })
	return t, used == len(raw)
}

// within reads what follows the version, [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]], and
// returns the number of its segments. An object named NAMESPACE of a resource "namespaces" is
// distinguished from the contents of the namespace by the subresources of the resource.
func (t *target) within(segments []string, isSubresource func(name string) bool) (used int) {
	if segments[0] == "namespaces" && len(segments) > 2 && !isSubresource(segments[2]) {
		t.namespace, segments, used = segments[1], segments[2:], 2
	}
	for i, part := range []*string{&t.gvr.Resource, &t.name, &t.subresource} {
		if i < len(segments) {
			*part = segments[i]
			used++
		}
	}
	return used
}

// fitsBelow reports whether the rest of an escaped path can follow the target, which a delegate
// serves. The rest must not lead out of the target, because only the target has been authorized.
// That is also why the paths that begin with "watch" are refused: servers of Kubernetes answer them
// with the watch of what follows.
func (t *target) fitsBelow(rest []string) bool {
	if t.gvr.Resource == "watch" && t.namespace == "" && t.name != "" {
		return false
	}
	if len(rest) == 0 {
		return true
	}
	plain, err := url.PathUnescape(strings.Join(rest, "/"))
	if err != nil || t.subresource == "" || strings.ContainsFunc(plain, isControl) {
		return false
	}
	return !hasDots(plain)
}

// hasDots reports whether a segment of an unescaped path stands for a directory, so that the path
// may lead elsewhere than it seems.
func hasDots(plain string) bool {
	pieces := strings.FieldsFunc(plain, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.Contains(pieces, ".") || slices.Contains(pieces, "..")
}

// splitPath splits an escaped path into at most maxSegments segments, and the rest as one.
func splitPath(escaped string) []string {
	return strings.SplitN(strings.TrimSuffix(strings.TrimPrefix(escaped, "/"), "/"), "/", maxSegments+1)
}

// maxSegments is the number of segments of the longest path of a resource.
const maxSegments = 8

// segmentsOf returns the first segments of an escaped path that can be names, unescaped. A name has
// no slash, percent sign or control character, and is not one of the dots that stand for
// directories.
func segmentsOf(raw []string) (out []string) {
	for _, segment := range raw[:min(len(raw), maxSegments)] {
		plain, err := url.PathUnescape(segment)
		if err != nil || plain == "" || plain == "." || plain == ".." || strings.ContainsFunc(plain, unfit) {
			break
		}
		out = append(out, plain)
	}
	return out
}

// unfit reports whether a character cannot be in any name.
func unfit(r rune) bool { return r == '/' || r == '%' || r == '\uFFFD' || isControl(r) }

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
