package v1alpha1

import "strings"

// Preferred returns the preferred version of a group, or "" if the group has no versions.
func Preferred(g *Group) string {
	if len(g.Status.Versions) == 0 {
		return ""
	}
	return g.Status.Versions[0].Name
}

// VersionNames returns the versions of a group separated by commas, the preferred one first.
func VersionNames(g *Group) string {
	names := make([]string, len(g.Status.Versions))
	for i, v := range g.Status.Versions {
		names[i] = v.Name
	}
	return strings.Join(names, ",")
}

// ResourceCount returns the number of distinct resources in all versions of a group, without
// subresources.
func ResourceCount(g *Group) int64 {
	seen := map[string]bool{}
	for _, v := range g.Status.Versions {
		for _, r := range v.Resources {
			if !strings.Contains(r.Name, "/") {
				seen[r.Name] = true
			}
		}
	}
	return int64(len(seen))
}
