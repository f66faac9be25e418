package discovery

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/discovery/v1alpha1"
	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire/jsonwire"
)

// Announcement describes one group as served by one server.
type Announcement struct {
	// Server is the identity of the server, and Release the version of its program.
	Server, Release string
	// Group is the group as this server serves it.
	Group *v1alpha1.Group

	local bool // of a server whose Groups are marked with LocalAnnotation
}

// encode returns the value of a record, an object in JSON.
func (a *Announcement) encode() ([]byte, error) {
	out := []byte{}
	if a.Release != "" {
		out = jsonwire.AppendStringMember(out, `,"release":`, a.Release)
	}
	if prefix := a.Group.Annotations[PrefixAnnotation]; prefix != "" {
		out = jsonwire.AppendStringMember(out, `,"prefix":`, prefix)
	}
	if a.local {
		out = append(out, `,"local":true`...)
	}
	out, err := v1alpha1.AppendJSONGroupStatus(append(out, `,"status":`...), &a.Group.Status)
	if err != nil {
		return nil, err
	}
	return jsonwire.CloseObject(out, 0), nil
}

// decodeAnnouncement decodes a record value.
func decodeAnnouncement(group, server string, value []byte) (Announcement, error) {
	out := Announcement{Server: server, Group: newGroup(group)}
	r := jsonwire.NewReader(value, jsonwire.Options{})
	for key := r.Object(); key != nil; key = r.NextKey() {
		switch string(key) {
		case "release":
			out.Release = r.String("")
		case "prefix":
			out.Group.Annotations = map[string]string{PrefixAnnotation: r.String("")}
		case "local":
			out.local = r.Bool(false)
		case "status":
			v1alpha1.DecodeJSONGroupStatus(r, &out.Group.Status)
		default:
			r.Skip()
		}
	}
	r.End()
	if err := r.Err(); err != nil {
		return Announcement{}, fmt.Errorf("discovery: the announcement of %s by %s: %w", group, server, err)
	}
	return out, nil
}

func newGroup(name string) *v1alpha1.Group {
	return &v1alpha1.Group{
		TypeMeta:   metav1.TypeMeta{Kind: "Group", APIVersion: v1alpha1.GroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
}

// Merge returns the Group that several servers serve together, or nil if in is empty. The result
// depends only on the set of announcements, not on their order, so all servers that see the same
// announcements compute the same Group.
//
// The result has every version and every resource that any server has. Where servers differ, the
// newest release takes precedence, and among equal releases the server with the greatest identity.
// Versions have the order of that server. Versions that it lacks are inserted before the first one
// that [schema.CompareVersions] orders after them.
func Merge(in []Announcement) *v1alpha1.Group {
	if len(in) == 0 {
		return nil
	}
	in = slices.Clone(in)
	sorted.Func(in, func(a, b Announcement) int {
		return cmp.Or(CompareReleases(b.Release, a.Release), strings.Compare(b.Server, a.Server))
	})
	out := newGroup(in[0].Group.Name)
	if prefix, ok := in[0].Group.Annotations[PrefixAnnotation]; ok {
		out.Annotations = map[string]string{PrefixAnnotation: prefix}
	}
	out.Status.Versions = []v1alpha1.GroupVersionResources{}
	for _, v := range in[0].Group.Status.Versions {
		fresh := v1alpha1.GroupVersionResources{Name: v.Name, Resources: slices.Clone(v.Resources)}
		out.Status.Versions = append(out.Status.Versions, fresh)
	}
	out.Status.ServerAddressByClientCIDRs = []metav1.ServerAddressByClientCIDR{}
	for _, a := range in {
		for _, v := range a.Group.Status.Versions {
			mergeVersion(out, v)
		}
		for _, s := range a.Group.Status.ServerAddressByClientCIDRs {
			known := func(o metav1.ServerAddressByClientCIDR) bool { return o.ClientCIDR == s.ClientCIDR }
			if !slices.ContainsFunc(out.Status.ServerAddressByClientCIDRs, known) {
				out.Status.ServerAddressByClientCIDRs = append(out.Status.ServerAddressByClientCIDRs, s)
			}
		}
	}
	for i := range out.Status.Versions {
		sortResources(out.Status.Versions[i].Resources)
	}
	return out
}

// mergeVersion adds a version, or the resources that out lacks in it.
func mergeVersion(out *v1alpha1.Group, v v1alpha1.GroupVersionResources) {
	versions := out.Status.Versions
	at := slices.IndexFunc(versions, func(o v1alpha1.GroupVersionResources) bool { return o.Name == v.Name })
	if at < 0 {
		at = slices.IndexFunc(versions, func(o v1alpha1.GroupVersionResources) bool {
			return schema.CompareVersions(o.Name, v.Name) > 0
		})
		if at < 0 {
			at = len(versions)
		}
		fresh := v1alpha1.GroupVersionResources{Name: v.Name, Resources: slices.Clone(v.Resources)}
		out.Status.Versions = sorted.Insert(versions, at, fresh)
		return
	}
	known := map[string]bool{}
	for i := range versions[at].Resources {
		known[versions[at].Resources[i].Name] = true
	}
	for _, r := range v.Resources {
		if !known[r.Name] {
			versions[at].Resources = append(versions[at].Resources, r)
		}
	}
}

// sortResources sorts resources by name, each before its subresources.
func sortResources(in []metav1.APIResource) {
	sorted.Func(in, func(a, b metav1.APIResource) int {
		name, sub, _ := strings.Cut(a.Name, "/")
		otherName, otherSub, _ := strings.Cut(b.Name, "/")
		return cmp.Or(strings.Compare(name, otherName), strings.Compare(sub, otherSub))
	})
}

// CompareReleases compares program versions, such as v1.4.0 and v1.10.0-rc.1, as semantic versions:
// numbers by value and before words, and a version with a hyphen before the same version without
// it. What follows a plus sign does not count. The blank version is the lowest.
func CompareReleases(a, b string) int {
	a, aPre, aIsPre := cutRelease(a)
	b, bPre, bIsPre := cutRelease(b)
	if c := comparePieces(a, b); c != 0 {
		return c
	}
	switch {
	case aIsPre && !bIsPre:
		return -1
	case !aIsPre && bIsPre:
		return 1
	}
	return comparePieces(aPre, bPre)
}

// cutRelease divides a program version at its first hyphen.
func cutRelease(release string) (version, pre string, isPre bool) {
	release, _, _ = strings.Cut(strings.TrimPrefix(release, "v"), "+")
	return strings.Cut(release, "-")
}

// comparePieces compares dot-separated strings piece by piece.
func comparePieces(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		aClass, aNumber := classOf(as[i])
		bClass, bNumber := classOf(bs[i])
		c := cmp.Or(cmp.Compare(aClass, bClass), cmp.Compare(aNumber, bNumber), strings.Compare(as[i], bs[i]))
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

// classOf returns 0 for a blank piece, 1 for a number, with its value, and 2 for a word.
func classOf(piece string) (class int, number uint64) {
	if piece == "" {
		return 0, 0
	}
	if number, err := strconv.ParseUint(piece, 10, 64); err == nil {
		return 1, number
	}
	return 2, 0
}
