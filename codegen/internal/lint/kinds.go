package lint

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
)

// kindRules returns the rules about kinds, their lists, and unions.
func kindRules() []*Rule {
	return []*Rule{
		{
			Name: "group-version", Doc: "The group is not a DNS name in lower case, or the version, which is the name of the package, is not like v1, v1beta1 or v1alpha1.",
			Why:  "Clusters refuse such CustomResourceDefinitions, and clients sort versions by these names.",
			kind: groupVersion,
		},
		{
			Name: "kind-shape", Doc: "The type meta or the metadata of a kind is not where clients expect it: TypeMeta must be embedded first and inlined, and the metadata must be named metadata.",
			Why:  "Programs that handle objects of any kind read apiVersion, kind and metadata at the top level.",
			kind: kindShape,
		},
		{
			Name: "list-shape", Doc: "A type looks like a list kind, by its name or its list metadata, but is not one: its items are missing, are not named items, or are not a kind of the package.",
			Why: "It does not work as a list: lists are converted, represented and streamed by their items.",
			typ: listShape,
		},
		{
			Name: "kind-missing", Doc: "A struct embeds TypeMeta and has object metadata, but is not marked as a kind.",
			Why: "It is not registered, so nothing decodes or serves it.",
			typ: kindMissing,
		},
		{
			Name: "list-missing", Doc: "A kind with object metadata has no list kind.",
			Why:  "Clients that read single objects also list them.",
			kind: listMissing,
		},
		{
			Name: "union-discriminator",
			Doc:  "A struct is a union, by markers or by a comment that one of its pointers is set, but has no discriminator.",
			Why:  "A client that does not know a new member cannot distinguish it from an empty union.",
			typ:  unionDiscriminator,
		},
	}
}

var versionName = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

// groupVersion reports a group or version at the first kind of a package.
func groupVersion(c *context, k *model.Kind) {
	p := c.pkg
	if k != p.Kinds[0] {
		return
	}
	if !model.IsGroup(p.Group) {
		c.report(k.Pos, "the group %q of %s is not a DNS name in lower case", p.Group, c.path).
			Suggest("+groupName=garage.example.com")
	}
	if !versionName.MatchString(p.Version) {
		c.report(k.Pos, "the version of %s is %q, the name of the package", c.path, p.Version).Suggest("package v1")
	}
}

func kindShape(c *context, k *model.Kind) {
	if tm := k.TypeMeta; tm != nil {
		switch {
		case tm.JSON.Name != "" || tm.JSON.Skip:
			c.report(tm.Pos, "%s: kind and apiVersion would not stand at the top", c.path).Suggest("`json:\",inline\"`")
		case k.Fields[0].Var != tm.Var:
			c.report(tm.Pos, "%s: TypeMeta is not embedded first, but kind and apiVersion are written first", c.path)
		}
	}
	if m := k.Metadata; m != nil && m.JSON.Name != "metadata" {
		c.report(m.Pos, "%s: its metadata is not called metadata in JSON",
			c.path).Suggest("`json:\"metadata,omitempty\"`")
	}
}

func listShape(c *context, t *model.Type) {
	if k := c.pkg.Kind(t.Name); k != nil && k.IsList {
		if k.Items.JSON.Name != "items" {
			c.report(k.Items.Pos, "the items of %s are %q in JSON", c.path,
				k.Items.JSONName()).Suggest("`json:\"items\"`")
		}
		return
	}
	if t.EmbedsTypeMeta() == nil {
		return
	}
	var meta, items *model.Field
	for _, f := range t.Fields {
		switch {
		case f.Name == "Items":
			items = f
		case model.IsMetadata(f):
			meta = f
		}
	}
	singular, named := strings.CutSuffix(t.Name, "List")
	isList := meta != nil && isListMeta(meta)
	switch {
	case isList && items == nil && named:
		c.report(c.pos, "%s has list metadata and no items", c.path).Suggest("Items []%s `json:\"items\"`", singular)
	case isList && items != nil && (named || c.pkg.Kind(t.Name) != nil):
		c.report(items.Pos, "%s is not a list kind: its items are %s, and an item is a struct with TypeMeta", c.path,
			c.typeName(items.Type)).Suggest("Items []%s `json:\"items\"`", singular)
	case !isList && named && items != nil && c.pkg.Find(singular) != nil && c.pkg.Kind(t.Name) == nil:
		c.report(c.pos, "%s is not a list kind: it has no list metadata",
			c.path).Suggest("metav1.ListMeta `json:\"metadata,omitempty\"`")
	}
}

func isListMeta(f *model.Field) bool {
	n, ok := types.Unalias(f.Type).(*types.Named)
	return ok && n.Obj().Name() == "ListMeta"
}

func kindMissing(c *context, t *model.Type) {
	if c.pkg.Kind(t.Name) != nil || t.EmbedsTypeMeta() == nil {
		return
	}
	for _, f := range t.Fields {
		if model.IsMetadata(f) && !isListMeta(f) {
			c.report(c.pos, "%s looks like a kind and is not marked as one", c.path).Suggest(
				"// +kubebuilder:object:root=true\ntype %s struct", t.Name)
		}
	}
}

func listMissing(c *context, k *model.Kind) {
	if k.IsList || k.List != nil || k.Metadata == nil || isListMeta(k.Metadata) {
		return
	}
	// An existing but unmarked list is reported by list-shape.
	c.report(c.pos, "kind %s has no list kind", c.path).Suggest("%s", fmt.Sprintf(
		"// %[1]sList is a list of %[1]s.\n//\n// +askind:kind\ntype %[1]sList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\n\tItems []%[1]s `json:\"items\"`\n}", k.Name))
}

// The markers of unions, in the two dialects.
var (
	memberMarkers        = []string{"unionMember", "k8s:unionMember"}
	discriminatorMarkers = []string{"unionDiscriminator", "k8s:unionDiscriminator"}
)

func hasAny(list marker.List, names []string) bool {
	return slices.ContainsFunc(list, func(m *marker.Marker) bool { return slices.Contains(names, m.Name) })
}

// oneOf has phrases by which comments describe unions.
var oneOf = []string{"exactly one of", "only one of", "at most one of", "one of the following", "one and only one"}

func unionDiscriminator(c *context, t *model.Type) {
	if t.Struct == nil {
		return
	}
	var members []string
	pointers, others := 0, 0
	for _, f := range t.Fields {
		if hasAny(f.Markers, discriminatorMarkers) {
			if b, ok := f.Type.Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
				c.report(f.Pos, "the discriminator %s.%s is not text", c.path,
					f.Name).Suggest("a named string type with a constant for each member")
			}
			return
		}
		if hasAny(f.Markers, memberMarkers) {
			members = append(members, f.JSONName())
		}
		if _, ok := f.Type.Underlying().(*types.Pointer); ok {
			pointers++
		} else {
			others++
		}
	}
	marked := t.Markers.Get("union") != nil || len(members) > 0
	if !marked && (others > 0 || pointers < 2 || !saysOneOf(t)) {
		return
	}
	c.report(c.pos, "%s is a union without a discriminator", c.path).
		Suggest("%s", fmt.Sprintf("// +unionDiscriminator\nType %sType `json:\"type\"`", t.Name))
}

func saysOneOf(t *model.Type) bool {
	text := t.Doc
	for _, f := range t.Fields {
		text += "\n" + f.Doc
	}
	return SaysOneOf(text)
}

// SaysOneOf reports whether a text says that one of several values is set.
func SaysOneOf(text string) bool {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return slices.ContainsFunc(oneOf, func(words string) bool { return strings.Contains(text, words) })
}
