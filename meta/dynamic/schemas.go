package dynamic

import (
	"compress/flate"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// pack returns the schemas of a kind and its lists in the form of generated code, and their names.
func pack(o *runtime.KindSpec[Object], l *runtime.KindSpec[List], text []byte, root *node) (s *runtime.Schemas,
	object, list string, err error,
) {
	object, list = schemaName(o.GroupVersionKind), schemaName(l.GroupVersionKind)
	of, err := schemaOf(text, "ObjectMeta")
	if err != nil {
		return nil, "", "", err
	}
	lists, err := schemaOf(fmt.Appendf(nil,
		`{"description":"%s is a list of %s.","type":"object","required":["items"],"properties":{"items":{"type":"array"}}}`,
		l.GroupVersionKind.Kind, o.GroupVersionKind.Kind), "ListMeta")
	if err != nil {
		return nil, "", "", err
	}
	items := strings.Replace(string(lists), `"items":{"type":"array"}`,
		`"items":{"items":{"$ref":"#/components/schemas/`+object+`"},"type":"array"}`, 1)
	lines := []string{object + " " + string(of) + "\n", list + " " + items + "\n"}
	slices.Sort(lines)
	packed, size := deflate(strings.Join(lines, ""))
	return &runtime.Schemas{
		Text: packed, Size: size, Types: mergeTypes(object, root), Imports: []*runtime.Schemas{&metav1.OpenAPISchemas},
	}, object, list, nil
}

// schemaName returns the name of the schema of a kind: the group reversed, the version, the kind.
func schemaName(gvk schema.GroupVersionKind) string {
	parts := strings.Split(gvk.Group, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, gvk.Version, gvk.Kind), ".")
}

// deflaters are pooled because each takes some hundred kilobytes.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return w
}}

// deflate compresses a text. Writing to memory does not fail.
func deflate(text string) (packed string, size int) {
	var b strings.Builder
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String(), len(text)
}
