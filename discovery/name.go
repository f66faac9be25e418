package discovery

import (
	"strings"

	"github.com/askind/askind/discovery/v1alpha1"
)

// coreName is the name of the Group object of the core group, whose own name is blank.
const coreName = "core"

// The annotations of Groups.
const (
	// PrefixAnnotation states the first segment of the paths of a group where it is not the usual
	// one, see [PrefixOf].
	PrefixAnnotation = "discovery.k8s.io/prefix"
	// LocalAnnotation, with the value "true", marks a Group as kept by the server that serves it.
	// An aggregator that shares the store leaves such Groups alone, and the server leaves all
	// others alone.
	LocalAnnotation = "discovery.k8s.io/local"
)

// GroupName returns the name of the Group object of a group: that of the group itself. The group
// with the blank name is "core" under the prefix "api", and "PREFIX.core" under any other. A blank
// prefix is that of [PrefixOf].
func GroupName(prefix, group string) string {
	switch {
	case group != "":
		return group
	case prefix == "" || prefix == CorePrefix:
		return coreName
	}
	return prefix + "." + coreName
}

// GroupOf returns the prefix and the name of the group that a Group object describes.
func GroupOf(g *v1alpha1.Group) (prefix, group string) {
	prefix, stated := g.Annotations[PrefixAnnotation]
	group = g.Name
	if g.Name == coreName || stated && g.Name == prefix+"."+coreName {
		group = ""
	}
	if !stated {
		prefix = PrefixOf(group)
	}
	return prefix, group
}

// slashes reports whether a segment of a path is unfit: blank, with a slash or with white space.
func slashes(segment string) bool {
	return segment == "" || strings.ContainsAny(segment, "/ \t\r\n?#%") || segment == "." || segment == ".."
}
