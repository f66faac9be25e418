package discovery

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/askind/askind/discovery/v1alpha1"
)

// coreName is the name of the Group object of the core group, whose own name is blank.
const coreName = "core"

// The annotations of Groups.
const (
	// PrefixAnnotation states the first path segment of a group if it is not the usual one, see
	// [PrefixOf].
	PrefixAnnotation = "discovery.k8s.io/prefix"
	// LocalAnnotation, with the value "true", marks a Group as managed by the server that serves
	// it. An aggregator that shares the store leaves such Groups alone, and the server leaves all
	// others alone.
	LocalAnnotation = "discovery.k8s.io/local"
)

// GroupName returns the name of the Group object of a group: the name of the group itself, or
// "core" for the group with the blank name. Under a prefix other than [PrefixOf] the name is
// "PREFIX.NAME", because a group may be served under several prefixes with different resources. A
// blank prefix means that of [PrefixOf].
func GroupName(prefix, group string) string {
	name := cmp.Or(group, coreName)
	if prefix == "" || prefix == PrefixOf(group) {
		return name
	}
	return prefix + "." + name
}

// GroupOf returns the prefix and the name of the group that a Group object describes.
func GroupOf(g *v1alpha1.Group) (prefix, group string) {
	prefix = g.Annotations[PrefixAnnotation]
	group = g.Name
	if prefix != "" {
		group = strings.TrimPrefix(group, prefix+".")
	}
	if group == coreName {
		group = ""
	}
	return cmp.Or(prefix, PrefixOf(group)), group
}

// badName reports whether a string can be neither a path segment nor a kind: it is blank, or has
// characters that mean something in a URL, spaces, or characters that do not print.
func badName(s string) bool {
	return s == "" || s == "." || s == ".." || strings.ContainsFunc(s, func(r rune) bool {
		return strings.ContainsRune("/ ?#%", r) || !unicode.IsPrint(r)
	})
}
