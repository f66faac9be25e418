package openapi

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// definitions are the schemas of generated code by name.
type definitions map[string][]byte

// reference precedes the name of a schema in a reference to it.
const reference = `"$ref":"#/components/schemas/`

// load adds the schemas of a package and of those that it imports. If two packages have a schema of
// the same name, it belongs to the same type, and the first one is kept.
func (d definitions) load(s *runtime.Schemas, seen map[*runtime.Schemas]bool) error {
	if s == nil || seen[s] {
		return nil
	}
	seen[s] = true
	text, err := unpack(s)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		name, schema, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
		if !ok {
			return fmt.Errorf("openapi: malformed line in the schemas of a package: %q; generate its code again", line)
		}
		if _, ok := d[string(name)]; !ok {
			d[string(name)] = schema
		}
	}
	for _, imported := range s.Imports {
		if err := d.load(imported, seen); err != nil {
			return err
		}
	}
	return nil
}

// unpack returns the uncompressed schemas.
func unpack(s *runtime.Schemas) ([]byte, error) {
	text := make([]byte, s.Size)
	r := flate.NewReader(strings.NewReader(s.Text))
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("openapi: read the schemas of a package: %w", err)
	}
	return text, nil
}

// refs yields the names that a schema refers to.
func refs(schema []byte, yield func(name string)) {
	for {
		_, rest, ok := bytes.Cut(schema, []byte(reference))
		if !ok {
			return
		}
		end := bytes.IndexByte(rest, '"')
		yield(string(rest[:end]))
		schema = rest[end:]
	}
}

// source holds the inputs of the documents of a set.
type source struct {
	scheme *runtime.Scheme
	all    definitions
	// kinds holds the kinds of each schema, by the name of the schema.
	kinds map[string][]schema.GroupVersionKind
	names map[*runtime.Kind]string
}

func newSource(scheme *runtime.Scheme, resources []Resource) (*source, error) {
	s := &source{
		scheme: scheme, all: definitions{}, kinds: map[string][]schema.GroupVersionKind{},
		names: map[*runtime.Kind]string{},
	}
	seen := map[*runtime.Schemas]bool{}
	s.all[schemaPatch] = []byte(
		`{"description":"Patch is a change of an object, in the format of its media type.","type":"object"}`,
	)
	if err := s.all.load(&metav1.OpenAPISchemas, seen); err != nil {
		return nil, err
	}
	for k := range scheme.Kinds() {
		info := k.Info()
		if info.Schemas == nil {
			continue
		}
		if err := s.all.load(info.Schemas, seen); err != nil {
			return nil, err
		}
		s.kinds[info.SchemaName] = append(s.kinds[info.SchemaName], k.GroupVersionKind())
	}
	for i := range resources {
		s.nameOf(resources[i].Kind)
	}
	return s, nil
}

// nameOf returns the name of the schema of a kind. It adds a schema for a kind that has none.
func (s *source) nameOf(k *runtime.Kind) string {
	if name, ok := s.names[k]; ok {
		return name
	}
	info := k.Info()
	name := info.SchemaName
	if info.Schemas == nil {
		gvk := k.GroupVersionKind()
		group := strings.Split(gvk.Group, ".")
		slices.Reverse(group)
		name = strings.TrimPrefix(strings.Join(group, ".")+"."+gvk.Version+"."+gvk.Kind, ".")
		if _, ok := s.all[name]; !ok {
			s.all[name] = []byte(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`)
			s.kinds[name] = append(s.kinds[name], gvk)
		}
	}
	s.names[k] = name
	return name
}

// closure returns the names of the schemas that some paths need, sorted.
func (s *source) closure(paths []*path) []string {
	var names []string
	for _, p := range paths {
		for _, o := range p.operations {
			if o.body != nil {
				names = append(names, o.body.ref)
			}
			for _, r := range o.responses {
				for _, c := range r.content {
					names = append(names, c.ref)
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(s.all.closure(names...)))
}

// closure returns the existing ones of some schemas, and all schemas that they need.
func (d definitions) closure(names ...string) definitions {
	out := definitions{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if text, ok := d[name]; ok && out[name] == nil {
			out[name] = text
			refs(text, func(ref string) { names = append(names, ref) })
		}
	}
	return out
}

// Definitions returns the name of the schema of a kind, and all schemas that it needs, including
// itself, by name. References begin with "#/components/schemas/". For a kind without a schema the
// error is [ErrNotServed].
func Definitions(k *runtime.Kind) (name string, all map[string]json.RawMessage, err error) {
	info := k.Info()
	if info.Schemas == nil {
		return "", nil, fmt.Errorf("%w: the kind %s has no schema", ErrNotServed, k)
	}
	loaded := definitions{}
	if err := loaded.load(info.Schemas, map[*runtime.Schemas]bool{}); err != nil {
		return "", nil, err
	}
	all = map[string]json.RawMessage{}
	for name, text := range loaded.closure(info.SchemaName) {
		all[name] = text
	}
	return info.SchemaName, all, nil
}
