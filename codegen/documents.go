package codegen

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/crd"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
	"github.com/askind/askind/schema"
)

// Documents are files that are made once from the sources of some packages: descriptions of kinds
// for other programs, see [JSONSchemas] and [CustomResourceDefinitions], and sources that people
// edit, see [AddVersion].
type Documents struct {
	// Files maps paths, with slashes, to contents. It is empty if there are errors.
	Files map[string][]byte
	// Diagnostics in order of position, each once.
	Diagnostics []*Diagnostic
}

// JSONSchemas describes the kinds of some packages as JSON Schema 2020-12, for editors: one file
// for each kind, group/kind_version.json in lower case, and all.json, which chooses one of them by
// apiVersion and kind, and has the kind List of v1 with items of these kinds. Unknown fields do not
// validate, as in strict decoding. If base is not blank, every file has an $id that begins with it.
func JSONSchemas(cfg Config, base string) (*Documents, error) {
	return documents(cfg, func(r *run, files map[string][]byte) error {
		all := map[string]map[string]string{}
		for _, p := range r.universe.Packages {
			for _, k := range p.Kinds {
				if k.Struct == nil {
					continue
				}
				path, text, err := jsonSchema(r.universe, p, k, base, files)
				if err != nil {
					return err
				}
				files[path] = text
				apiVersion := schema.GroupVersion{Group: p.Group, Version: p.Version}.String()
				if all[apiVersion] == nil {
					all[apiVersion] = map[string]string{}
				}
				all[apiVersion][k.Name] = path
			}
		}
		if len(all) == 0 {
			return nil
		}
		text, err := json.MarshalIndent(anyKind(all, base), "", "  ")
		files["all.json"] = append(text, '\n')
		return err
	})
}

// anyKind returns the schema of an object of any kind, whose schemas are named by apiVersion and
// kind. It chooses with patterns, because editors take a value for any longer one while they
// complete, such as v1 for v1beta1.
func anyKind(all map[string]map[string]string, base string) jsonMap {
	choose := func(field, value string, then jsonMap) jsonMap {
		is := jsonMap{field: jsonMap{"pattern": "^" + regexp.QuoteMeta(value) + "$"}}
		return jsonMap{"if": jsonMap{"properties": is, "required": []string{field}}, "then": then}
	}
	oneOf := func(values []string) jsonMap { return jsonMap{"type": "string", "enum": values} }
	const core, list = "v1", "List"
	versions := slices.Sorted(maps.Keys(all))
	if all[core] == nil {
		versions = append(versions, core)
	}
	var choices []jsonMap
	for _, apiVersion := range versions {
		kinds := slices.Sorted(maps.Keys(all[apiVersion]))
		var refs []jsonMap
		if apiVersion == core && all[core][list] == "" {
			refs = append(refs, choose("kind", list, anyList()))
		}
		for _, kind := range kinds {
			refs = append(refs, choose("kind", kind, jsonMap{"$ref": all[apiVersion][kind]}))
		}
		if len(refs) > len(kinds) {
			kinds = append(kinds, list)
		}
		choices = append(choices, choose("apiVersion", apiVersion,
			jsonMap{"properties": jsonMap{"kind": oneOf(kinds)}, "allOf": refs}))
	}
	out := jsonMap{
		"$schema": dialect, "type": "object", "required": []string{"apiVersion", "kind"}, "allOf": choices,
		"properties": jsonMap{"apiVersion": oneOf(versions), "kind": jsonMap{"type": "string"}},
	}
	if base != "" {
		out["$id"] = identity(base, "all.json")
	}
	return out
}

// anyList returns the schema of the kind List of v1, whose items are of any kind.
func anyList() jsonMap {
	return jsonMap{
		"type": "object", "additionalProperties": false, "required": []string{"items"},
		"properties": jsonMap{
			"apiVersion": jsonMap{"type": "string"}, "kind": jsonMap{"type": "string"},
			"metadata": jsonMap{"type": "object"},
			"items":    jsonMap{"type": "array", "items": jsonMap{"$ref": "#"}},
		},
	}
}

// jsonMap is an object of JSON.
type jsonMap = map[string]any

// dialect is the URL of JSON Schema 2020-12.
const dialect = "https://json-schema.org/draft/2020-12/schema"

func identity(base, path string) string { return strings.TrimSuffix(base, "/") + "/" + path }

// jsonSchema describes one kind, in a file that is not among those.
func jsonSchema(u *model.Universe, p *model.Package, k *model.Kind, base string, files map[string][]byte) (
	path string, text []byte, err error,
) {
	b := &schemas.Builder{Universe: u}
	name := b.Add(k.Named)
	root := *b.Definition(name).Schema
	apiVersion := schema.GroupVersion{Group: p.Group, Version: p.Version}.String()
	only := func(s *schemas.Schema, value string) *schemas.Schema {
		c := *s
		c.Enum = []string{constraint.Quote(value)}
		return &c
	}
	root.Properties = slices.Clone(root.Properties)
	for i, prop := range root.Properties {
		switch prop.Name {
		case "kind":
			root.Properties[i].Schema = only(prop.Schema, k.Name)
		case "apiVersion":
			root.Properties[i].Schema = only(prop.Schema, apiVersion)
		}
	}
	root.Required = append([]string{"apiVersion", "kind"}, root.Required...)
	stem, end := strings.ToLower(cmp.Or(p.Group, "core")+"/"+k.Name), strings.ToLower("_"+p.Version+".json")
	path = stem + end
	for n := 2; files[path] != nil; n++ { // the names of two kinds may differ in their capitals only
		path = stem + strconv.Itoa(n) + end
	}
	out := []byte(`{"$schema":` + constraint.Quote(dialect) + `,`)
	if base != "" {
		out = append(out, `"$id":`+constraint.Quote(identity(base, path))+`,`...)
	}
	const prefix = "#/$defs/"
	out = append(out, root.Append(nil, schemas.JSONSchema, prefix)[1:]...)
	out = append(out[:len(out)-1], `,"$defs":{`...)
	for i, d := range b.Definitions() {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, constraint.Quote(d.Name)...), ':')
		out = d.Schema.Append(out, schemas.JSONSchema, prefix)
	}
	out = append(out, `}}`...)
	text, err = indent(out)
	return path, text, err
}

func indent(text []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, fmt.Errorf("codegen: BUG: a schema is not JSON: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// CustomResourceDefinitions returns a CustomResourceDefinition in YAML for each kind of some
// packages with all versions that the packages have, called group_resource.yaml.
func CustomResourceDefinitions(cfg Config) (*Documents, error) {
	return documents(cfg, func(r *run, files map[string][]byte) error {
		for path, def := range crd.All(r.universe, &r.diags) {
			text, err := json.Marshal(def)
			if err != nil {
				return err
			}
			if files[path], err = toYAML(text); err != nil {
				return err
			}
		}
		return nil
	})
}

// documents loads packages and produces files about them.
func documents(cfg Config, produce func(r *run, files map[string][]byte) error) (*Documents, error) {
	r, err := loadRun(cfg)
	if err != nil {
		return nil, err
	}
	out := &Documents{Files: map[string][]byte{}}
	if !r.diags.HasErrors() {
		if err := produce(r, out.Files); err != nil {
			return nil, err
		}
		if len(out.Files) == 0 && !r.diags.HasErrors() {
			r.reportNoKinds()
		}
	}
	if r.diags.HasErrors() {
		clear(out.Files)
	}
	out.Diagnostics = r.diags.Sorted()
	return out, nil
}

// reportNoKinds reports that no package has a kind, and where one may have been meant.
func (r *run) reportNoKinds() {
	for _, p := range r.universe.Packages {
		for _, t := range p.Types {
			if t.EmbedsTypeMeta() != nil {
				r.diags.Errorf(r.universe.Position(t.Pos), "nothing-selected",
					"the packages have no kinds; %s embeds TypeMeta, but is not marked as a kind", t.Name).
					Suggest("+kubebuilder:object:root=true")
				return
			}
		}
	}
	r.diags.Errorf(token.Position{}, "nothing-selected", "the packages have no kinds")
}

// toYAML converts JSON to YAML, in the same order.
func toYAML(text []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("codegen: BUG: a definition is not JSON: %w", err)
	}
	plain(&doc)
	var b bytes.Buffer
	b.WriteString("---\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&doc); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// old matches strings that YAML 1.1 parsers may read as another type, and which are therefore
// quoted.
var old = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|~|=|<<)$|^[-+.\d]`)

// plain removes the style of JSON.
func plain(n *yaml.Node) {
	switch {
	case n.Kind != yaml.ScalarNode:
		n.Style = 0
	case n.Tag == "!!str" && !old.MatchString(n.Value):
		n.Style = 0
	}
	for _, c := range n.Content {
		plain(c)
	}
}
