// Package crd generates CustomResourceDefinitions for kinds.
//
// The schema of a version is that of the API documents in structural form: without references, and
// without constraints that an API server does not evaluate. Names, columns, subresources and
// versions come from the markers that kubebuilder defines.
package crd

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// object is a value to marshal as JSON, whose members are then in order of name.
type object = map[string]any

// All returns the definitions of the kinds of a run, to marshal as JSON, by file name.
func All(u *model.Universe, d *diag.List) map[string]map[string]any {
	type versioned struct {
		pkg  *model.Package
		kind *model.Kind
	}
	byName := map[string][]versioned{}
	first := map[string]*model.Kind{} // of each group and kind
	var left *model.Kind              // the first kind without a definition
	why := ""
	for _, p := range u.Packages {
		for _, k := range p.Kinds {
			if k.IsList || k.Struct == nil || k.Shared {
				continue
			}
			if reason := leftOut(p, k); reason != "" {
				if left == nil {
					left, why = k, reason
				}
				continue
			}
			if other := first[p.Group+"/"+k.Name]; other == nil {
				first[p.Group+"/"+k.Name] = k
			} else if other.Resource != k.Resource {
				d.Errorf(u.Position(k.Pos), "crd-names", "the resource of %s is called %s here and %s in another version, "+
					"but a definition has one name for all", k.Name, k.Resource, other.Resource).
					Relate(u.Position(other.Pos), "the other version").
					Suggest("+kubebuilder:resource:path=%s", other.Resource)
			}
			name := p.Group + "_" + k.Resource + ".yaml"
			byName[name] = append(byName[name], versioned{p, k})
		}
	}
	if len(byName) == 0 && left != nil {
		d.Errorf(u.Position(left.Pos), "crd-none", "no definition would be written: %s %s", left.Name, why)
	}
	out := map[string]object{}
	for name, versions := range byName {
		slices.SortFunc(versions, func(a, b versioned) int { return cmp.Compare(a.pkg.Version, b.pkg.Version) })
		storage := slices.IndexFunc(versions, func(v versioned) bool { return v.kind.Storage })
		if storage < 0 {
			if len(versions) > 1 {
				d.Errorf(u.Position(versions[0].kind.Pos), "crd-storage",
					"no version of %s is marked as the storage version; mark one", versions[0].kind.Name).
					Suggest("+kubebuilder:storageversion")
				continue
			}
			storage = 0
		}
		first := versions[storage]
		var list []object
		for i, v := range versions {
			list = append(list, version(u, d, v.pkg, v.kind, i == storage))
		}
		out[name] = definition(first.pkg, first.kind, list)
	}
	return out
}

// leftOut returns why a kind has no definition, or "".
func leftOut(p *model.Package, k *model.Kind) string {
	switch {
	case k.Markers.Has("kubebuilder:skipversion"):
		return "is marked with +kubebuilder:skipversion"
	case k.Metadata == nil:
		return "has no metadata"
	case p.Group == "":
		return "is in the core group, to which API servers add no kinds"
	}
	return ""
}

// definition returns a definition with the names of a kind.
func definition(p *model.Package, k *model.Kind, versions []object) object {
	names := object{"kind": k.Name, "listKind": k.Name + "List", "plural": k.Resource, "singular": k.Singular}
	if k.List != nil {
		names["listKind"] = k.List.Name
	}
	if len(k.Categories) > 0 {
		names["categories"] = k.Categories
	}
	if len(k.ShortNames) > 0 {
		names["shortNames"] = k.ShortNames
	}
	scope := "Namespaced"
	if k.Cluster {
		scope = "Cluster"
	}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": metadata{k.Resource + "." + p.Group, pairsOf(k, "annotations"), pairsOf(k, "labels")},
		"spec":     object{"group": p.Group, "names": names, "scope": scope, "versions": versions},
	}
}

// metadata is the metadata of a definition, with the name in front.
type metadata struct {
	Name        string `json:"name"`
	Annotations pairs  `json:"annotations,omitempty"`
	Labels      pairs  `json:"labels,omitempty"`
}

// pairs are texts of the form key=value, in the order of the markers.
type pairs []string

// MarshalJSON returns an object.
func (p pairs) MarshalJSON() ([]byte, error) {
	members := make([]string, len(p))
	for i, pair := range p {
		k, v, _ := strings.Cut(pair, "=")
		members[i] = constraint.Quote(strings.TrimSpace(k)) + ":" + constraint.Quote(v)
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}

// pairsOf returns the pairs in an argument of the markers about metadata.
func pairsOf(k *model.Kind, arg string) (out pairs) {
	for _, m := range k.Markers.All("kubebuilder:metadata") {
		switch a := m.ArgAt(arg); {
		case a == nil:
		case a.List != nil:
			out = append(out, a.List...)
		default:
			out = append(out, strings.Split(a.Value, ";")...)
		}
	}
	return out
}

func version(u *model.Universe, d *diag.List, p *model.Package, k *model.Kind, storage bool) object {
	out := object{
		"name": p.Version, "served": !k.Markers.Has("kubebuilder:unservedversion"), "storage": storage,
		"schema": object{"openAPIV3Schema": structural(u, d, k)},
	}
	if list := columns(u, d, k); len(list) > 0 {
		out["additionalPrinterColumns"] = list
	}
	if m := k.Markers.Get("kubebuilder:deprecatedversion"); m != nil {
		out["deprecated"] = true
		maps.Copy(out, arguments(m, map[string]string{"warning": "deprecationWarning"}))
	}
	var selectable []object
	for _, m := range k.Markers.All("kubebuilder:selectablefield") {
		path, _ := m.Arg("JSONPath")
		selectable = append(selectable, object{"jsonPath": path})
	}
	if selectable != nil {
		out["selectableFields"] = selectable
	}
	subresources := object{}
	if m := k.Markers.Get("kubebuilder:subresource:scale"); m != nil {
		subresources["scale"] = arguments(m, map[string]string{
			"selectorpath": "labelSelectorPath", "specpath": "specReplicasPath", "statuspath": "statusReplicasPath",
		})
	}
	if k.Markers.Has("kubebuilder:subresource:status") {
		subresources["status"] = object{}
	}
	if len(subresources) > 0 {
		out["subresources"] = subresources
	}
	return out
}

// arguments returns the arguments of a marker that have a name in the definition.
func arguments(m *marker.Marker, names map[string]string) object {
	out := object{}
	for arg, name := range names {
		if v, ok := m.Arg(arg); ok {
			out[name] = v
		}
	}
	return out
}

// structural returns the schema of a kind. An API server describes apiVersion, kind and metadata
// itself.
func structural(u *model.Universe, d *diag.List, k *model.Kind) json.RawMessage {
	b := &schemas.Builder{Universe: u, Inline: true}
	name := b.Add(k.Named)
	s, ok := b.Inlined(b.Definition(name).Schema)
	if !ok {
		d.Errorf(u.Position(k.Pos), "crd-size",
			"the definition of %s would have more than %d schemas, and API servers store none of this size", k.Name,
			schemas.MaxParts).Suggest("+kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields at fields " +
			"that lead to the same types many times")
		return json.RawMessage("{}")
	}
	for i, p := range s.Properties {
		if p.Name == "metadata" {
			s.Properties[i].Schema = &schemas.Schema{Type: "object"}
		}
	}
	for _, m := range b.Malformed {
		d.Errorf(u.Position(m.ValuePos), "default-value", "the default %s cannot be read, so the definition would have none",
			strings.TrimSpace(m.Raw))
	}
	optionalKeys(u, d, k, s, "")
	return s.Append(nil, schemas.Structural, "")
}

// optionalKeys reports keys of lists that may be missing, with which API servers refuse a
// definition.
func optionalKeys(u *model.Universe, d *diag.List, k *model.Kind, s *schemas.Schema, path string) {
	if s == nil {
		return
	}
	if s.Items != nil && s.ListType == "map" {
		for _, name := range s.ListMapKeys {
			p := s.Items.Property(name)
			if p != nil && p.Default == "" && !slices.Contains(s.Items.Required, name) {
				d.Errorf(u.Position(s.ListMapPos), "crd-key",
					"elements of %s%s may lack the key %s, so an API server would refuse the definition", k.Name, path, name).
					Suggest("mark %s with +required or give it a +default; if its type cannot be changed, "+
						"mark the list with +listType=atomic", name)
			}
		}
	}
	optionalKeys(u, d, k, s.Items, path+"[]")
	optionalKeys(u, d, k, s.Values, path+"{}")
	for _, p := range s.Properties {
		optionalKeys(u, d, k, p.Schema, path+"."+p.Name)
	}
}

// columns returns the columns with paths that an API server follows. It has no functions, and for
// .length() its cells would stay blank.
func columns(u *model.Universe, d *diag.List, k *model.Kind) (out []object) {
	for _, m := range k.Markers.All("kubebuilder:printcolumn") {
		if path, _ := m.Arg("JSONPath"); strings.HasSuffix(path, ".length()") {
			continue
		}
		c := arguments(m, map[string]string{
			"name": "name", "type": "type", "JSONPath": "jsonPath", "description": "description", "format": "format",
		})
		if a := m.ArgAt("priority"); a != nil {
			n, err := strconv.ParseUint(a.Value, 10, 31)
			if err != nil {
				d.Errorf(u.Position(a.ValuePos), "column-priority", "priority %q is not a non-negative integer", a.Value)
			}
			c["priority"] = n
		}
		out = append(out, c)
	}
	return out
}
