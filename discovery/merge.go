package discovery

import (
	"cmp"
	"encoding/json"
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

// Announcement is what one server says about one group.
type Announcement struct {
	// Server is the identity of the server, and Release the version of its program.
	Server, Release string
	// Group is what it serves.
	Group *v1alpha1.Group
}

// announced is the form of an announcement in a record.
type announced struct {
	Release string          `json:"release,omitempty"`
	Prefix  string          `json:"prefix,omitempty"`
	Status  json.RawMessage `json:"status"`
}

// encode returns the value of a record.
func (a *Announcement) encode() ([]byte, error) {
	status, err := v1alpha1.AppendJSONGroupStatus(nil, &a.Group.Status)
	if err != nil {
		return nil, err
	}
	return json.Marshal(announced{Release: a.Release, Prefix: a.Group.Annotations[PrefixAnnotation], Status: status})
}

// decodeAnnouncement reads the value of a record.
func decodeAnnouncement(group, server string, value []byte) (Announcement, error) {
	var in announced
	if err := json.Unmarshal(value, &in); err != nil {
		return Announcement{}, fmt.Errorf("discovery: the announcement of %s by %s: %w", group, server, err)
	}
	g := newGroup(group)
	if in.Prefix != "" {
		g.Annotations = map[string]string{PrefixAnnotation: in.Prefix}
	}
	r := jsonwire.NewReader(in.Status, jsonwire.Options{})
	v1alpha1.DecodeJSONGroupStatus(r, &g.Status)
	r.End()
	if err := r.Err(); err != nil {
		return Announcement{}, fmt.Errorf("discovery: the announcement of %s by %s: %w", group, server, err)
	}
	return Announcement{Server: server, Release: in.Release, Group: g}, nil
}

func newGroup(name string) *v1alpha1.Group {
	return &v1alpha1.Group{
		TypeMeta:   metav1.TypeMeta{Kind: "Group", APIVersion: v1alpha1.GroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
}

// Merge returns the Group that several servers serve together; nil if there is none. It depends on
// the announcements alone and not on their order, so all servers that know the same announcements
// arrive at the same Group.
//
// The result has every version and every resource that some server has. Where servers differ, the
// newest release decides, of equal releases the server whose identity is the greatest. Versions
// have the order of that server; those that it does not have are put before the first one that
// comes later by [schema.CompareVersions].
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

// mergeVersion adds a version, or what it has that is not there yet.
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
		out.Status.Versions = slices.Insert(versions, at, fresh)
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

// CompareReleases compares versions of programs, such as v1.4.0 and v1.10.0-rc.1: numbers by their
// value, and a version with a hyphen before the same one without. Blank is the lowest.
func CompareReleases(a, b string) int {
	a, aPre, aIsPre := strings.Cut(strings.TrimPrefix(a, "v"), "-")
	b, bPre, bIsPre := strings.Cut(strings.TrimPrefix(b, "v"), "-")
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

// comparePieces compares texts piece by piece between dots.
func comparePieces(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.ParseUint(as[i], 10, 64)
		y, errY := strconv.ParseUint(bs[i], 10, 64)
		c := strings.Compare(as[i], bs[i])
		if errX == nil && errY == nil {
			c = cmp.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}
