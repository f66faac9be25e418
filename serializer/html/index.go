package html

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/askind/askind/runtime"
	"github.com/askind/askind/serializer/format"
)

// index is the page of a document of discovery.
type index struct {
	*page
	Groups []indexGroup
}

// indexGroup is a group in an index.
type indexGroup struct {
	Name     string
	Versions []indexVersion
}

// indexVersion is a version of a group. Its resources are omitted if the document does not have
// them.
type indexVersion struct {
	Name, Href string
	Resources  []indexResource
}

// indexResource is a resource of a version. Href is blank if it cannot be listed.
type indexResource struct {
	Name, Href, Kind, Scope, ShortNames, Verbs, Subresources string
}

// document has the members of all documents of discovery that are shown as an index. It is read
// from their JSON, because this package cannot import the types of aggregated discovery.
type document struct {
	Name         string // of an APIGroup
	GroupVersion string // of an APIResourceList
	Items        []struct {
		Metadata struct{ Name string }
		Versions []struct {
			Version   string
			Resources []resource
		}
	}
	Versions  []struct{ GroupVersion, Version string }
	Resources []resource
}

// resource is a resource in aggregated discovery or, with its name in Name, in an APIResourceList.
type resource struct {
	Resource, Name, Kind, Scope string
	Namespaced                  bool
	ResponseKind                struct{ Kind string }
	ShortNames, Verbs           []string
	Subresources                []struct{ Subresource string }
}

// newIndex reads a document of discovery.
func (p *parsed) newIndex(k *runtime.Kind, obj runtime.Object, o format.Options) (*index, error) {
	out := &index{page: p.newPage(o)}
	text, err := k.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	path := strings.Trim(out.place.Path, "/")
	if path != "" {
		path = "/" + path // two slashes would lead to another server
	}
	for _, item := range d.Items {
		g := indexGroup{Name: item.Metadata.Name}
		root := below(path, g.Name)
		for _, v := range item.Versions {
			g.Versions = append(g.Versions, newVersion(v.Version, below(root, v.Version), v.Resources))
		}
		out.Groups = append(out.Groups, g)
	}
	switch {
	case d.GroupVersion != "":
		name, _, _ := strings.Cut(d.GroupVersion, "/")
		version := newVersion(d.GroupVersion[strings.Index(d.GroupVersion, "/")+1:], path, d.Resources)
		out.Groups = []indexGroup{{Name: name, Versions: []indexVersion{version}}}
	case d.Name != "":
		g := indexGroup{Name: d.Name}
		for _, v := range d.Versions {
			g.Versions = append(g.Versions, newVersion(v.Version, below(path, v.Version), nil))
		}
		out.Groups = []indexGroup{g}
	}
	out.addCrumbs(path)
	return out, nil
}

// addCrumbs adds the breadcrumbs of the document.
func (x *index) addCrumbs(path string) {
	href := ""
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if segment != "" {
			href += "/" + segment
			x.crumb(segment, href)
		}
	}
	if n := len(x.Crumbs); n > 0 {
		x.Crumbs[n-1].Current = true
	}
}

// below returns the path of a child of another path. It is blank if that path is unknown, and the
// path itself if the name is blank, as for the core group.
func below(path, name string) string {
	if path == "" || name == "" {
		return path
	}
	return path + "/" + url.PathEscape(name)
}

// newVersion describes a version whose resources are below a path.
func newVersion(name, path string, resources []resource) indexVersion {
	v := indexVersion{Name: name, Href: path}
	subresources := map[string][]string{}
	for i := range resources {
		if of, sub, ok := strings.Cut(resources[i].Name, "/"); ok {
			subresources[of] = append(subresources[of], sub)
		}
	}
	for i := range resources {
		r := &resources[i]
		if strings.Contains(r.Name, "/") {
			continue
		}
		out := indexResource{
			Name: r.Resource + r.Name, Kind: r.Kind + r.ResponseKind.Kind, Scope: r.Scope,
			ShortNames: strings.Join(r.ShortNames, ", "), Verbs: strings.Join(r.Verbs, " "),
		}
		if r.Scope == "" {
			if out.Scope = "Cluster"; r.Namespaced {
				out.Scope = "Namespaced"
			}
		}
		subs := subresources[r.Name]
		for _, s := range r.Subresources {
			subs = append(subs, s.Subresource)
		}
		out.Subresources = strings.Join(subs, ", ")
		if path != "" && slices.Contains(r.Verbs, "list") {
			out.Href = below(path, out.Name) + pageQuery
		}
		v.Resources = append(v.Resources, out)
	}
	return v
}
