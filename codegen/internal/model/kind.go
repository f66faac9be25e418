package model

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/marker"
)

// Kind is an API type that is registered.
type Kind struct {
	*Type
	// Resource and Singular are the resource names, in lower case.
	Resource, Singular     string
	ShortNames, Categories []string
	// Cluster reports that objects have no namespace.
	Cluster bool
	// Storage marks the storage version; Shared a kind that belongs to every group version.
	Storage, Shared bool
	// Status marks a kind with the subresource status; Unserved a version that servers do not
	// serve.
	Status, Unserved bool
	// Deprecated is the warning for clients of a deprecated version, blank for others.
	Deprecated string
	// Selectable are the markers of the fields by which objects can be selected.
	Selectable []*marker.Marker
	// IsList reports that the type has list metadata and items. Items is the field, Item the named
	// type of an element, or of its pointer target if ItemPointer is set.
	IsList      bool
	Items       *Field
	Item        *types.Named
	ItemPointer bool
	// ItemKind is the kind of the items if it belongs to the same package; List is the list kind of
	// this kind.
	ItemKind, List *Kind
	// Apart reports that AddTo does not add the kind.
	Apart bool
	// TypedItems reports that the items of a list are encoded with kind and apiVersion.
	TypedItems bool
	// TypeMeta is the embedded type meta, with the string fields Kind and APIVersion.
	TypeMeta *Field
	// Metadata is the field with the object or list metadata, or nil.
	Metadata *Field

	foreign bool
}

// IsTypeMetaType reports whether a type is a type meta. It recognizes it by its fields, so that the
// types of other libraries are accepted.
func IsTypeMetaType(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Name() != "TypeMeta" {
		return false
	}
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	found := 0
	for f := range st.Fields() {
		if (f.Name() == "Kind" || f.Name() == "APIVersion") && types.Identical(f.Type(), types.Typ[types.String]) {
			found++
		}
	}
	return found == 2
}

// IsTypeMeta reports whether a field is an embedded type meta.
func IsTypeMeta(f *Field) bool { return f.Embedded && IsTypeMetaType(f.Type) }

// EmbedsTypeMeta returns the embedded type meta of a type, or nil.
func (t *Type) EmbedsTypeMeta() *Field {
	for _, f := range t.Fields {
		if IsTypeMeta(f) {
			return f
		}
	}
	return nil
}

func namedAs(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name
}

// IsMetadata reports whether a field is object or list metadata of any library.
func IsMetadata(f *Field) bool { return namedAs(f.Type, "ObjectMeta") || namedAs(f.Type, "ListMeta") }

// metadata returns the field with the metadata of an object or a list, or nil. Of several fields
// with such a type it is the one that is called metadata in JSON.
func (t *Type) metadata() (found *Field) {
	for _, f := range t.Fields {
		switch {
		case !IsMetadata(f) || !f.Exported():
		case f.JSON.Name == "metadata":
			return f
		case found == nil:
			found = f
		}
	}
	return found
}

// listItems returns the Items field of a type that has the shape of a list: list metadata and a
// slice of structs.
func (t *Type) listItems() (items, metadata *Field) {
	if m := t.metadata(); m != nil && namedAs(m.Type, "ListMeta") {
		metadata = m
	}
	for _, f := range t.Fields {
		if _, ok := f.Type.Underlying().(*types.Slice); ok && f.Name == "Items" {
			items = f
		}
	}
	if items == nil || metadata == nil {
		return nil, metadata
	}
	// For example, a report may have list metadata and items that are not objects.
	if n, _ := elem(items); n == nil || n.Obj().Name() != "RawExtension" && !embedsTypeMeta(n) {
		return nil, metadata
	}
	return items, metadata
}

func embedsTypeMeta(n *types.Named) bool {
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if f.Embedded() && IsTypeMetaType(f.Type()) {
			return true
		}
	}
	return false
}

// elem returns the named type of the elements of a slice field.
func elem(f *Field) (n *types.Named, pointer bool) {
	s, ok := f.Type.Underlying().(*types.Slice)
	if !ok {
		return nil, false
	}
	e := types.Unalias(s.Elem())
	if p, ok := e.(*types.Pointer); ok {
		e, pointer = types.Unalias(p.Elem()), true
	}
	n, _ = e.(*types.Named)
	return n, pointer
}

func isKindMarked(l marker.List) bool {
	if l.Has("kubebuilder:object:root") || l.Has("askind:kind") {
		return true
	}
	m := l.Get("k8s:deepcopy-gen:interfaces")
	return m != nil && strings.HasSuffix(m.Value, "runtime.Object")
}

// marked reports whether a marker makes the type a kind. A type that refers to objects may have
// another generator's marker for the interface of objects; without type meta it is not a kind.
func (t *Type) marked() bool {
	if !isKindMarked(t.Markers) {
		return false
	}
	explicit := t.Markers.Has("kubebuilder:object:root") || t.Markers.Has("askind:kind")
	return explicit || t.EmbedsTypeMeta() != nil || Method(t.Named, "GetObjectKind") == nil
}

// MarksKinds reports whether a type of the package is marked as a kind, whether or not the package
// declares a group.
func (p *Package) MarksKinds() bool {
	return slices.ContainsFunc(p.Declared(), (*Type).marked)
}

// findKinds fills p.Kinds.
func (p *Package) findKinds(e Errors) {
	scope := p.Go.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !obj.IsAlias() {
			continue
		}
		named, _ := types.Unalias(obj.Type()).(*types.Named)
		foreign := named != nil && named.Obj().Pkg() != p.Go && p.Owns(named.Obj())
		if s := p.universe.specs[obj.Pos()]; s != nil && !foreign && isKindMarked(marker.Parse(s.docs...)) {
			e.Errorf(obj.Pos(), "kind-alias", "%s is an alias of a type that may be a kind elsewhere; declare a struct",
				name)
		}
	}
	if !p.HasGroup {
		p.kindsWithoutGroup(e)
		return
	}
	marked := map[*types.TypeName]bool{}
	types_ := p.foreignKinds(e)
	for _, t := range p.Declared() {
		if t.marked() {
			marked[t.Named.Obj()] = true
			types_ = append(types_, t)
		}
	}
	// The list of a kind is a kind even without a marker.
	for _, t := range p.Declared() {
		if marked[t.Named.Obj()] || t.EmbedsTypeMeta() == nil || !t.Exported() {
			continue
		}
		if items, _ := t.listItems(); items != nil {
			if n, _ := elem(items); n != nil && marked[n.Obj()] {
				types_ = append(types_, t)
			}
		}
	}
	for _, t := range types_ {
		if k := p.newKind(t, e); k != nil {
			p.Kinds = append(p.Kinds, k)
		}
	}
	slices.SortFunc(p.Kinds, func(a, b *Kind) int { return cmp.Compare(a.Name, b.Name) })
	p.linkLists(e)
}

// kindsWithoutGroup reports the kinds of a package that declares no group.
func (p *Package) kindsWithoutGroup(e Errors) {
	for _, t := range p.Declared() {
		if m := t.Markers.Get("askind:kind"); m != nil {
			e.Errorf(m.Pos, "kind-group", "%s is a kind, but its package declares no group",
				t.Name).Suggest("// +groupName=example.com\npackage %s", p.Name)
		}
	}
}

func (p *Package) newKind(t *Type, e Errors) *Kind {
	if t.Struct == nil {
		e.Errorf(t.Pos, "kind-struct", "kind %s is not a struct", t.Name)
		return nil
	}
	if !t.Exported() {
		e.Errorf(t.Pos, "kind-exported", "kind %s is not exported", t.Name)
		return nil
	}
	if t.Named.TypeParams().Len() > 0 {
		e.Errorf(t.Pos, "kind-generic", "kind %s has type parameters; declare a struct with concrete types", t.Name)
		return nil
	}
	k := &Kind{Type: t, Singular: strings.ToLower(t.Name), foreign: p.IsForeign(t)}
	k.TypeMeta = t.EmbedsTypeMeta()
	if k.TypeMeta == nil {
		e.Errorf(t.Pos, "kind-typemeta", "kind %s does not embed TypeMeta",
			t.Name).Suggest("metav1.TypeMeta `json:\",inline\"`")
	}
	if k.TypeMeta != nil && (k.TypeMeta.JSON.Name != "" || k.TypeMeta.JSON.Skip) {
		e.Errorf(k.TypeMeta.Pos, "kind-typemeta",
			"the tag on TypeMeta of kind %s moves kind and apiVersion away from the top of the object, where readers look for them",
			t.Name).Suggest("metav1.TypeMeta `json:\",inline\"`")
	}
	items, listMeta := t.listItems()
	p.checkList(t, items, listMeta != nil, e)
	k.Metadata = t.metadata()
	if items != nil {
		k.IsList, k.Items = true, items
		k.Item, k.ItemPointer = elem(items)
		if k.ItemPointer {
			e.Errorf(items.Pos, "kind-items", "the items of list kind %s are pointers; make them values",
				t.Name).Suggest("Items []%s", k.Item.Obj().Name())
		}
	}
	k.Resource = Plural(k.Singular)
	k.readMarkers(e)
	return k
}

// checkList reports a type that is marked as a kind and has the name of the list of another kind,
// but not its shape. The name matters, because a report may have list metadata and items that are
// not objects. It also reports a list kind whose items are objects of the package, but not a kind.
func (p *Package) checkList(t *Type, items *Field, metadata bool, e Errors) {
	item, isList := strings.CutSuffix(t.Name, "List")
	if !isList || p.Find(item) == nil || !p.Find(item).marked() {
		if items == nil {
			return
		}
		if n, _ := elem(items); n.Obj().Pkg() == p.Go && !p.universe.Type(n).marked() {
			e.Errorf(items.Pos, "kind-items", "the items of list kind %s are not a kind: %s has no marker", t.Name,
				n.Obj().Name()).Suggest("// +askind:kind\ntype %s struct", n.Obj().Name())
		}
		return
	}
	i := slices.IndexFunc(t.Fields, func(f *Field) bool { return f.Name == "Items" })
	switch {
	case i < 0 && metadata:
		e.Errorf(t.Pos, "kind-items", "list kind %s has no field Items", t.Name).
			Suggest("Items []%s `json:\"items\"`", item)
	case i >= 0 && (items == nil || elemName(items) != item && elemName(items) != "RawExtension"):
		if f := t.Fields[i]; elemName(f) != item {
			e.Errorf(f.Pos, "kind-items", "the items of list kind %s are %s, not %s, so it cannot list these", t.Name,
				types.TypeString(f.Type, types.RelativeTo(p.Go)), item).Suggest("Items []%s `json:\"items\"`", item)
		} else if !metadata {
			e.Errorf(t.Pos, "kind-items", "list kind %s has no list metadata", t.Name).
				Suggest("metav1.ListMeta `json:\"metadata,omitempty\"`")
		}
	}
}

func elemName(f *Field) string {
	if n, _ := elem(f); n != nil {
		return n.Obj().Name()
	}
	return ""
}

// checkStorage reports kinds with more than one storage version in a group.
func (u *Universe) checkStorage(e Errors) {
	stored := map[string]*Kind{}
	for _, p := range u.Packages {
		for _, k := range p.Kinds {
			if !k.Storage || !p.HasGroup {
				continue
			}
			m := k.Markers.Get("kubebuilder:storageversion")
			name := p.Group + "/" + k.Name
			if other := stored[name]; other != nil && other.Package.Version != p.Version {
				e.Errorf(m.Pos, "kind-storage", "both %s and %s of %s are marked as the stored version; one can be",
					other.Package.Version, p.Version, k.Name).
					Relate(u.Position(other.Markers.Get("kubebuilder:storageversion").Pos), "the other marker")
				continue
			}
			stored[name] = k
		}
	}
}

// checkScopes reports kinds that live in namespaces in one version, but not in another.
func (u *Universe) checkScopes(e Errors) {
	first := map[string]*Kind{}
	for _, p := range u.Packages {
		for _, k := range p.Kinds {
			if k.IsList || k.Metadata == nil || !p.HasGroup {
				continue
			}
			name := p.Group + "/" + k.Name
			other := first[name]
			if other == nil {
				first[name] = k
				continue
			}
			if k.Cluster == other.Cluster || !k.Package.Main() && !other.Package.Main() { // that cannot be edited
				continue
			}
			wide, narrow := k, other
			if other.Cluster {
				wide, narrow = other, k
			}
			e.Errorf(k.Pos, "kind-scope", "%s is cluster-scoped in %s and namespaced in %s, but the scope of its versions "+
				"must be the same", k.Name, wide.Package.Path, narrow.Package.Path).
				Suggest("+kubebuilder:resource:scope=Cluster").
				Relate(u.Position(other.Pos), "the other version")
		}
	}
}

// Exported reports whether the field has an exported name.
func (f *Field) Exported() bool { return token.IsExported(f.Name) }

func (k *Kind) readMarkers(e Errors) {
	var stated, client token.Pos // of the markers that state the scope
	for _, m := range k.Markers {
		switch m.Name {
		case "askind:kind", "kubebuilder:resource":
			for _, a := range m.Args {
				switch a.Name {
				case "resource", "path":
					k.Resource = a.Value
				case "singular":
					k.Singular = a.Value
				case "shortName":
					k.ShortNames = splitList(a.Value)
				case "categories":
					k.Categories = splitList(a.Value)
				case "apart":
					k.Apart = a.Value == "true"
				case "scope":
					cluster := a.Value == "Cluster"
					switch {
					case !cluster && a.Value != "Namespaced":
						e.Errorf(a.ValuePos, "marker-value", "scope %q is neither Cluster nor Namespaced", a.Value)
					case stated.IsValid() && cluster != k.Cluster:
						k.twoScopes(e, a.ValuePos, stated)
					}
					k.Cluster, stated = cluster, a.ValuePos
				}
			}
		case "genclient:nonNamespaced":
			client = m.Pos
		case "kubebuilder:storageversion":
			k.Storage = true
		case "askind:shared":
			k.Shared = true
		case "kubebuilder:subresource:status":
			k.Status = true
		case "kubebuilder:unservedversion":
			k.Unserved = true
		case "kubebuilder:deprecatedversion":
			k.Deprecated, _ = m.Arg("warning")
			if k.Deprecated == "" {
				k.Deprecated = k.Package.APIVersion() + " " + k.Name + " is deprecated"
			}
		case "kubebuilder:selectablefield":
			k.Selectable = append(k.Selectable, m)
		case "askind:list":
			if m.Value != "typed-items" {
				e.Errorf(m.ValuePos, "marker-value", "the only value of +askind:list is typed-items")
			}
			k.TypedItems = true
		}
	}
	switch {
	case !client.IsValid():
	case !stated.IsValid():
		k.Cluster = true
	case !k.Cluster && k.Package.Main(): // in another module, the definition counts more than the clients
		k.twoScopes(e, stated, client)
	}
}

// twoScopes reports markers that contradict each other.
func (k *Kind) twoScopes(e Errors, pos, other token.Pos) {
	e.Errorf(pos, "kind-scope", "kind %s is marked as namespaced and as cluster-scoped", k.Name).
		Relate(e.Universe.Position(other), "the other marker")
}

// splitList reads a list of a marker argument: a;b or {a,b}.
func splitList(s string) []string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
	var out []string
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ';' || r == ',' }) {
		if part = strings.Trim(strings.TrimSpace(part), `"`); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func (p *Package) linkLists(e Errors) {
	for _, l := range p.Kinds {
		if !l.IsList || l.Item == nil {
			continue
		}
		for _, k := range p.Kinds {
			if k.Named.Obj() != l.Item.Obj() {
				continue
			}
			l.ItemKind = k
			if k.List != nil && k.List.Name != k.Name+"List" && l.Name != k.Name+"List" {
				e.Errorf(l.Pos, "kind-lists", "both %s and %s are lists of %s", k.List.Name, l.Name,
					k.Name).Relate(e.Universe.Position(k.List.Pos), "%s", k.List.Name)
			}
			if k.List == nil || l.Name == k.Name+"List" {
				k.List = l
			}
		}
	}
}

// Plural guesses the plural of a resource name like the Kubernetes tools: endpoints stays, -s, -x,
// -ch and -sh take -es, a consonant and -y become -ies, anything else takes -s.
func Plural(singular string) string {
	if strings.HasSuffix(singular, "endpoints") {
		return singular
	}
	for _, end := range []string{"s", "x", "ch", "sh"} {
		if strings.HasSuffix(singular, end) {
			return singular + "es"
		}
	}
	if base, ok := strings.CutSuffix(singular, "y"); ok && base != "" &&
		!strings.ContainsRune("aeiou", rune(base[len(base)-1])) {
		return base + "ies"
	}
	return singular + "s"
}
