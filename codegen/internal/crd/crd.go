// Package crd generates CustomResourceDefinitions for kinds.
//
// The schema of a version is that of the API documents in structural form: without references, and
// without constraints that an API server does not evaluate. Names, columns, subresources and
// versions come from the markers that kubebuilder defines.
package crd

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/askind/askind/codegen/internal/constraint"
	"github.com/askind/askind/codegen/internal/diag"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/codegen/internal/schemas"
)

// All returns the definitions of the kinds of a run as JSON, by file name.
func All(u *model.Universe, d *diag.List) map[string][]byte {
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
	out := map[string][]byte{}
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
		w := &writer{}
		first := versions[storage]
		w.open("{")
		w.text("apiVersion", "apiextensions.k8s.io/v1")
		w.text("kind", "CustomResourceDefinition")
		w.metadata(first.pkg, first.kind)
		w.key("spec").open("{")
		w.text("group", first.pkg.Group)
		w.names(first.kind)
		scope := "Namespaced"
		if first.kind.Cluster {
			scope = "Cluster"
		}
		w.text("scope", scope)
		w.key("versions").open("[")
		for i, v := range versions {
			w.version(u, d, v.pkg, v.kind, i == storage)
		}
		w.close("]").close("}").close("}")
		out[name] = w.out
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

// writer appends JSON.
type writer struct{ out []byte }

func (w *writer) comma() {
	if n := len(w.out); n > 0 && w.out[n-1] != '{' && w.out[n-1] != '[' && w.out[n-1] != ':' {
		w.out = append(w.out, ',')
	}
}

func (w *writer) open(bracket string) {
	w.comma()
	w.out = append(w.out, bracket...)
}

func (w *writer) close(bracket string) *writer {
	w.out = append(w.out, bracket...)
	return w
}

func (w *writer) key(name string) *writer {
	w.comma()
	w.out = append(append(w.out, constraint.Quote(name)...), ':')
	return w
}

func (w *writer) raw(name, value string) {
	w.key(name)
	w.out = append(w.out, value...)
}

func (w *writer) text(name, value string) { w.raw(name, constraint.Quote(value)) }

func (w *writer) texts(name string, values []string) {
	if len(values) == 0 {
		return
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = constraint.Quote(v)
	}
	w.raw(name, "["+strings.Join(quoted, ",")+"]")
}

// pairs writes key=value pairs.
func (w *writer) pairs(name string, pairs []string) {
	if len(pairs) == 0 {
		return
	}
	w.key(name).open("{")
	for _, pair := range pairs {
		k, v, _ := strings.Cut(pair, "=")
		w.text(strings.TrimSpace(k), v)
	}
	w.close("}")
}

func (w *writer) metadata(p *model.Package, k *model.Kind) {
	w.key("metadata").open("{")
	w.text("name", k.Resource+"."+p.Group)
	for _, name := range []string{"annotations", "labels"} {
		var pairs []string
		for _, m := range k.Markers.All("kubebuilder:metadata") {
			switch a := m.ArgAt(name); {
			case a == nil:
			case a.List != nil:
				pairs = append(pairs, a.List...)
			default:
				pairs = append(pairs, strings.Split(a.Value, ";")...)
			}
		}
		w.pairs(name, pairs)
	}
	w.close("}")
}

func (w *writer) names(k *model.Kind) {
	w.key("names").open("{")
	w.texts("categories", k.Categories)
	w.text("kind", k.Name)
	list := k.Name + "List"
	if k.List != nil {
		list = k.List.Name
	}
	w.text("listKind", list)
	w.text("plural", k.Resource)
	w.texts("shortNames", k.ShortNames)
	w.text("singular", k.Singular)
	w.close("}")
}

func (w *writer) version(u *model.Universe, d *diag.List, p *model.Package, k *model.Kind, storage bool) {
	w.open("{")
	w.columns(u, d, k)
	if m := k.Markers.Get("kubebuilder:deprecatedversion"); m != nil {
		w.raw("deprecated", "true")
		if warning, ok := m.Arg("warning"); ok {
			w.text("deprecationWarning", warning)
		}
	}
	w.text("name", p.Version)
	w.key("schema").open("{")
	w.raw("openAPIV3Schema", string(structural(u, d, k)))
	w.close("}")
	if fields := k.Markers.All("kubebuilder:selectablefield"); len(fields) > 0 {
		w.key("selectableFields").open("[")
		for _, m := range fields {
			w.open("{")
			path, _ := m.Arg("JSONPath")
			w.text("jsonPath", path)
			w.close("}")
		}
		w.close("]")
	}
	w.raw("served", strconv.FormatBool(!k.Markers.Has("kubebuilder:unservedversion")))
	w.raw("storage", strconv.FormatBool(storage))
	w.subresources(k)
	w.close("}")
}

// structural returns the schema of a kind. An API server describes apiVersion, kind and metadata
// itself.
func structural(u *model.Universe, d *diag.List, k *model.Kind) []byte {
	b := &schemas.Builder{Universe: u, Inline: true}
	name := b.Add(k.Named)
	s, ok := b.Inlined(b.Definition(name).Schema)
	if !ok {
		d.Errorf(u.Position(k.Pos), "crd-size",
			"the definition of %s would have more than %d schemas, and API servers store none of this size", k.Name,
			schemas.MaxParts).Suggest("+kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields at fields " +
			"that lead to the same types many times")
		return []byte("{}")
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

// columns writes the columns with paths that an API server follows. It has no functions, and for
// .length() its cells would stay blank.
func (w *writer) columns(u *model.Universe, d *diag.List, k *model.Kind) {
	columns := slices.DeleteFunc(slices.Clone(k.Markers.All("kubebuilder:printcolumn")), func(m *marker.Marker) bool {
		path, _ := m.Arg("JSONPath")
		return strings.HasSuffix(path, ".length()")
	})
	if len(columns) == 0 {
		return
	}
	w.key("additionalPrinterColumns").open("[")
	for _, m := range columns {
		w.open("{")
		for _, name := range []string{"description", "format", "JSONPath", "name", "priority", "type"} {
			w.column(u, d, m, name)
		}
		w.close("}")
	}
	w.close("]")
}

func (w *writer) column(u *model.Universe, d *diag.List, m *marker.Marker, name string) {
	a := m.ArgAt(name)
	switch {
	case a == nil:
	case name == "priority":
		n, err := strconv.ParseUint(a.Value, 10, 31)
		if err != nil {
			d.Errorf(u.Position(a.ValuePos), "column-priority", "priority %q is not a non-negative integer", a.Value)
		}
		w.raw(name, strconv.FormatUint(n, 10))
	case name == "JSONPath":
		w.text("jsonPath", a.Value)
	default:
		w.text(name, a.Value)
	}
}

func (w *writer) subresources(k *model.Kind) {
	scale, status := k.Markers.Get("kubebuilder:subresource:scale"), k.Markers.Has("kubebuilder:subresource:status")
	if scale == nil && !status {
		return
	}
	w.key("subresources").open("{")
	if scale != nil {
		w.key("scale").open("{")
		for _, a := range []struct{ arg, name string }{
			{"selectorpath", "labelSelectorPath"}, {"specpath", "specReplicasPath"}, {
				"statuspath",
				"statusReplicasPath",
			},
		} {
			if v, ok := scale.Arg(a.arg); ok {
				w.text(a.name, v)
			}
		}
		w.close("}")
	}
	if status {
		w.raw("status", "{}")
	}
	w.close("}")
}
