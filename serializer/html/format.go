package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"
	"sync"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/serializer/format"
	"github.com/askind/askind/serializer/internal/tabular"
)

//go:embed pages
var files embed.FS

// parsed holds the parsed files of this package. It is shared by all formats and immutable.
type parsed struct {
	pages         *template.Template
	style, script string
}

var parse = sync.OnceValue(func() *parsed {
	return &parsed{
		pages: template.Must(template.ParseFS(files, "pages/*.html")),
		style: file("pages/style.css"), script: file("pages/live.js"),
	}
})

// file returns a file of this package.
func file(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(data)
}

// Format returns the format of pages. Its media type is text/html.
func Format() *format.Format {
	p := parse()
	return &format.Format{
		Name: "html", MediaTypes: []string{"text/html"}, Text: true, Tables: true, Links: true,
		Header: map[string]string{
			"Content-Security-Policy": policy(p.style, p.script),
			"Referrer-Policy":         "no-referrer",
			"X-Content-Type-Options":  "nosniff",
			"Cache-Control":           "no-store",
		},
		Shows:  shows,
		Append: p.appendObject,
		List: &format.List{
			Head: p.appendListHead, Items: p.appendListItems, Tail: p.appendListTail,
			Encodes: func(k *runtime.Kind) bool { return tabular.IsTable(k.Type()) },
		},
	}
}

// policy returns the Content-Security-Policy of pages with one style and one script.
func policy(style, script string) string {
	return "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
		"; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
}

// hash returns the CSP source expression that permits a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

var (
	tableKind = metav1.GroupVersion.WithKind("Table")
	indexKind = schema.GroupVersionKind{Group: "apidiscovery.k8s.io", Version: "v2", Kind: "APIGroupDiscoveryList"}
)

// isDiscovery reports whether a kind is one of the given kinds of discovery, and not one of the
// same name in another group.
func isDiscovery(k *runtime.Kind, names ...string) bool {
	groups := []string{"", metav1.GroupVersion.Group, indexKind.Group}
	return slices.Contains(names, k.Name()) && slices.Contains(groups, k.GroupVersion().Group)
}

// shows returns the kind as which lists and the roots of discovery are shown.
func shows(k *runtime.Kind) schema.GroupVersionKind {
	switch {
	case isDiscovery(k, "APIGroupList", "APIVersions"):
		return indexKind
	case k.IsList():
		return tableKind
	}
	return schema.GroupVersionKind{}
}

// appendObject appends the page of an object.
func (p *parsed) appendObject(dst []byte, k *runtime.Kind, obj runtime.Object, o format.Options) ([]byte, error) {
	if tabular.IsTable(k.Type()) {
		return p.appendTable(dst, obj, o)
	}
	if isDiscovery(k, indexKind.Kind, "APIGroup", "APIResourceList") {
		index, err := p.newIndex(k, obj, o)
		if err != nil {
			return dst, err
		}
		return p.append(dst, "index", index)
	}
	if status, ok := obj.(*metav1.Status); ok {
		return p.append(dst, "status", newStatus(status, p.newPage(o)))
	}
	view, err := p.newObject(k, obj, o)
	if err != nil {
		return dst, err
	}
	return p.append(dst, "object", view)
}

// append appends the output of a template for its data.
func (p *parsed) append(dst []byte, name string, data any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	if err := p.pages.ExecuteTemplate(b, name, data); err != nil {
		return dst, fmt.Errorf("html: %w", err)
	}
	return b.Bytes(), nil
}
