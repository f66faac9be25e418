package html

import (
	"html/template"
	"net/url"
	"strings"

	"github.com/askind/askind/serializer/format"
)

// page is the common part of all pages.
type page struct {
	Title string
	// Style and Script are the elements of this package's files, which the policy admits by their
	// hashes, so they must not be changed by escaping.
	Style, Script template.HTML

	Index, Crumbs, Versions, Subresources, Forms []link

	place *format.Place // never nil
	query url.Values
}

// link is a link with its text; without an address it is only the text. Current reports whether it
// leads to the page itself.
type link struct {
	Text, Href string
	Current    bool
}

// newPage returns the page of a place. The title is that of the resource, or the path.
func (p *parsed) newPage(o format.Options) *page {
	out := &page{
		Style:  template.HTML("<style>" + p.style + "</style>"),
		Script: template.HTML("<script>" + p.script + "</script>"),
		place:  o.Place,
	}
	if out.place == nil {
		out.place = &format.Place{}
	}
	// A malformed query has been rejected, and this is the page of the error.
	out.query, _ = url.ParseQuery(out.place.Query)
	for _, path := range out.place.Index {
		out.Index = append(out.Index, link{path, path, path == out.place.Path})
	}
	if len(out.place.Index) == 0 { // an error before it was known: servers redirect browsers from there
		out.Index = []link{{Text: "/", Href: "/"}}
		out.addParents()
	}
	if r := out.place.Resource; r != nil {
		out.addResource(r)
	}
	out.addForms()
	if out.Title == "" {
		out.Title = out.place.Path
	}
	return out
}

// addResource adds the links around a resource.
func (p *page) addResource(r *format.ResourcePlace) {
	prefix, rest, _ := strings.Cut(strings.TrimPrefix(r.Root, "/"), "/")
	p.crumb(prefix, "/"+prefix)
	p.crumb(rest, r.Root)
	p.crumb(r.Resource, r.Root+"/"+r.Resource)
	if r.Namespace != "" {
		p.crumb(r.Namespace, collection(r, r.Root, r.Namespace))
	}
	if r.Name != "" {
		p.crumb(r.Name, object(r, r.Root, r.Namespace, r.Name))
		for _, name := range r.Subresources {
			p.Subresources = append(p.Subresources, link{
				name, object(r, r.Root, r.Namespace, r.Name) + "/" + url.PathEscape(name), name == r.Subresource,
			})
		}
	}
	if r.Subresource != "" {
		p.crumb(r.Subresource, p.place.Path)
	}
	p.Crumbs[len(p.Crumbs)-1].Current = true
	for _, v := range r.Versions {
		href := collection(r, v.Root, r.Namespace)
		if r.Name != "" {
			href = object(r, v.Root, r.Namespace, r.Name)
		}
		p.Versions = append(p.Versions, link{v.Version, href, v.Root == r.Root})
	}
	for _, c := range p.Crumbs[2:] {
		p.Title = strings.TrimPrefix(p.Title+" / "+c.Text, " / ")
	}
}

// addParents adds the paths above one that is not known, as far as they may be those of discovery,
// such as /apis/GROUP/VERSION.
func (p *page) addParents() {
	segments := strings.FieldsFunc(p.place.Path, func(r rune) bool { return r == '/' })
	if len(segments) == 0 {
		return
	}
	href := ""
	for _, segment := range segments[:min(len(segments)-1, 3)] {
		if segment == "namespaces" {
			break
		}
		href += "/" + segment
		p.crumb(segment, href)
	}
}

func (p *page) crumb(text, href string) { p.Crumbs = append(p.Crumbs, link{Text: text, Href: href}) }

// maxRepeated is the length of the longest query that the links of a page repeat. With a longer one
// there are no links to other representations and of columns, and those of labels omit it.
const maxRepeated = 2 << 10

// addForms adds links to the other representations of the object.
func (p *page) addForms() {
	if len(p.place.Query) > maxRepeated {
		return
	}
	for _, form := range p.place.Forms {
		if form != "text/html" {
			p.Forms = append(p.Forms, link{Text: form, Href: p.with("accept", form)})
		}
	}
}

// with returns the address of the page with other parameters, given as names and values in turn. A
// parameter with a blank value is omitted, and so is the continue token of a list, which belongs to
// its original query.
func (p *page) with(parameters ...string) string {
	out := url.Values{}
	for name, values := range p.query {
		if name != "continue" {
			out[name] = values
		}
	}
	for i := 0; i < len(parameters); i += 2 {
		if out.Set(parameters[i], parameters[i+1]); parameters[i+1] == "" {
			out.Del(parameters[i])
		}
	}
	return "?" + out.Encode()
}

// collection returns the path of the objects of a resource below a root, in one namespace unless
// that is blank.
func collection(r *format.ResourcePlace, root, namespace string) string {
	if namespace != "" {
		root += "/namespaces/" + url.PathEscape(namespace)
	}
	return root + "/" + url.PathEscape(r.Resource)
}

// object returns the path of an object.
func object(r *format.ResourcePlace, root, namespace, name string) string {
	return collection(r, root, namespace) + "/" + url.PathEscape(name)
}
