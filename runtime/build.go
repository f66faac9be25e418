package runtime

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
	"github.com/askind/askind/wire"
)

// A build processes the registrations in passes. Each relies on the previous one: kinds, then the
// references between kinds (lists, storage versions, resources), then the functions added for Go
// types. Every pass reports its problems and continues, so that one run finds all of them. It also
// removes from the builder what has no effect, so that schemes that are made of each other do not
// keep each repetition of a registration.
type build struct {
	*Builder
	scheme *Scheme
	errs   []error

	versions []version // the well-formed versions
	current  int       // of the last kind
	runs     []run

	forgotten map[reflect.Type]bool // results of forgot
}

// version is a group version that kinds are registered in.
type version struct {
	schema.GroupVersion
	apiVersion string
}

// run is a range of kinds of one version that were registered in sequence.
type run struct {
	version  int
	from, to int
}

// build runs the group functions and builds the scheme.
func (b *Builder) build(groups []func(*Builder)) (*Scheme, error) {
	var missing []error
	for i, add := range groups {
		if add == nil {
			missing = append(missing, &conflictError{
				What: fmt.Sprintf("group function %d of %d", i+1, len(groups)), First: "it is nil; pass the AddTo function of a package",
			})
			continue
		}
		add(b)
	}
	n := len(b.kinds)
	b.keeping = distinct(b.keeping)
	w := &build{
		Builder: b, errs: missing, versions: make([]version, 0, len(groups)), runs: make([]run, 0, len(groups)),
		scheme: &Scheme{
			all:     make([]Kind, 0, n), // never exceeded, so that pointers to kinds stay valid
			kinds:   make(map[schema.GroupVersionKind]*Kind, n),
			types:   make(map[typeID]*Kind, n),
			keeping: b.keeping,
			copying: conversion.NewScope(conversion.ScopeOptions{}),
			sharing: conversion.NewScope(conversion.ScopeOptions{Sharing: true}),
		},
	}
	w.scheme.checks = &[2]checkTerms{{scheme: w.scheme}, {scheme: w.scheme, embedded: true}}
	w.addKinds()
	w.order()
	w.linkLists()
	w.checkItems()
	w.checkTypeMeta()
	w.checkStorage()
	w.addResources()
	w.addConversions()
	w.addAs()
	w.addViews()
	w.addPartials()
	w.addFunctions()
	w.checkRequirements()
	w.forgetRepeated()
	if len(w.errs) > 0 {
		return nil, &buildError{Errs: w.errs}
	}
	w.scheme.registered = w.clone()
	return w.scheme, nil
}

func (w *build) conflict(what, first, second string) {
	w.errs = append(w.errs, &conflictError{What: what, First: first, Second: second})
}

// addKinds creates a Kind for every spec.
func (w *build) addKinds() {
	w.kinds = sorted.Delete(w.kinds, func(e kindEntry) bool { return !w.addKind(e) })
}

// addKind creates a Kind for a spec, and reports whether it did. It does not if the kind exists
// already.
func (w *build) addKind(e kindEntry) (added bool) {
	spec, r := e.Spec, e.spec
	if r == nil {
		w.conflict("the kind added at "+e.site.String(), "its spec is nil", "")
		return false
	}
	if reason := w.wrong(spec); reason != "" {
		w.conflict("the kind "+r.GroupVersionKind.String()+" registered at "+e.source(), reason, "")
		return false
	}
	prior := w.scheme.kinds[r.GroupVersionKind]
	if prior != nil && prior.table == spec {
		return false
	}
	t := spec.structType()
	switch {
	case t.Kind() != reflect.Struct:
		w.conflict("the kind "+r.GroupVersionKind.String()+" registered at "+e.source(), "its Go type "+t.String()+
			" is not a struct", "")
	case prior == nil:
		w.scheme.kinds[r.GroupVersionKind] = w.add(spec, e.complete())
		return true
	case prior.Type() != t:
		w.conflict("the kind "+r.GroupVersionKind.String(), typeName(t)+" registered at "+e.source(),
			typeName(prior.Type())+" registered at "+prior.source)
	case !e.complete().equal(prior.identity) || prior.has != spec.has():
		w.conflict("the kind "+r.GroupVersionKind.String(), "the spec added at "+e.source(),
			"a different one for the same type added at "+prior.source)
	}
	return false
}

// complete returns the identity of a spec with defaults for omitted parts.
func (e kindEntry) complete() *identity {
	r := identityOf(e.spec)
	singular := r.singular == "" && r.resource != ""
	if r.source != "" && !singular {
		return r
	}
	id := *r
	id.source = e.source()
	if singular {
		id.singular = strings.ToLower(id.gvk.Kind)
	}
	return &id
}

// wrong returns the reason why an identity is unusable, or "", and makes its version the current
// one.
func (w *build) wrong(spec Spec) string {
	r := spec.spec
	switch gvk := &r.GroupVersionKind; {
	case gvk.Version == "":
		return "the version is blank"
	case gvk.Kind == "":
		return "the kind is blank"
	case r.ABI != 0 && r.ABI != wire.Kinds:
		return fmt.Sprintf("its code was generated for ABI %d and this module has ABI %d; run the generator again",
			r.ABI, wire.Kinds)
	}
	if reason := w.enter(r.GroupVersionKind.GroupVersion()); reason != "" {
		return reason
	}
	// the group version has been checked already
	if err := (schema.GroupVersionKind{Version: "v1", Kind: r.GroupVersionKind.Kind}).Check(); err != nil {
		return err.Error()
	}
	return ""
}

// enter makes a version the current one. It returns the reason why the version is malformed, or "".
func (w *build) enter(gv schema.GroupVersion) string {
	if len(w.versions) > 0 && w.versions[w.current].GroupVersion == gv { // kinds of one version are usually adjacent
		return ""
	}
	for i := range w.versions {
		if w.versions[i].GroupVersion == gv {
			w.current = i
			return ""
		}
	}
	apiVersion := gv.String()
	if err := gv.Check(); err != nil {
		if parsed, err := schema.ParseGroupVersion(apiVersion); err != nil || parsed != gv {
			return fmt.Sprintf("the group %q and the version %q do not make an apiVersion", gv.Group, gv.Version)
		}
		return err.Error()
	}
	w.current = len(w.versions)
	w.versions = append(w.versions, version{GroupVersion: gv, apiVersion: apiVersion})
	return ""
}

// equal reports whether two identities are equal, apart from where they were declared.
func (id *identity) equal(other *identity) bool {
	return id.resource == other.resource && id.singular == other.singular &&
		slices.Equal(id.shortNames, other.shortNames) &&
		slices.Equal(id.categories, other.categories) && id.scope == other.scope && id.storage == other.storage &&
		id.shared == other.shared &&
		id.status == other.status && id.unserved == other.unserved && id.deprecated == other.deprecated &&
		slices.Equal(id.selectableFields, other.selectableFields) &&
		id.list == other.list && id.item == other.item
}

// add adds a kind of the current version.
func (w *build) add(spec Spec, id *identity) *Kind {
	s := w.scheme
	n := len(s.all)
	s.all = s.all[:n+1]
	k := &s.all[n]
	k.identity, k.table, k.has, k.pointer = id, spec, spec.has(), spec.pointer
	k.apiVersion = w.versions[w.current].apiVersion
	k.added = &noneAdded
	// typed kinds without TypeMeta are rare, so this is rarely evaluated
	k.untyped = !k.has.typeMeta && reflect.PointerTo(spec.structType()).Implements(reflect.TypeFor[Untyped]())
	if last := len(w.runs) - 1; last >= 0 && w.runs[last].version == w.current {
		w.runs[last].to = n + 1
	} else {
		w.runs = append(w.runs, run{version: w.current, from: n, to: n + 1})
	}
	return k
}

// order sorts the versions by preference, and the kinds by version and name.
func (w *build) order() {
	s := w.scheme
	s.ordered = make([]*Kind, len(s.all))

	// Kinds are distributed to their versions and sorted there; packages usually add them in order.
	begin := make([]int, len(w.versions)+1)
	places := w.orderVersions()
	for _, r := range w.runs {
		begin[places[r.version]+1] += r.to - r.from
	}
	for i := range places {
		begin[i+1] += begin[i]
	}
	next := slices.Clone(begin)
	for _, r := range w.runs {
		at := &next[places[r.version]]
		for n := r.from; n < r.to; n++ {
			s.ordered[*at] = &s.all[n]
			*at++
		}
	}
	for i := range places {
		sortByName(s.ordered[begin[i]:begin[i+1]])
	}

	for i, k := range s.ordered {
		k.place = i
		if k.shared && s.shared[k.gvk.Kind] == nil {
			if s.shared == nil {
				s.shared = map[string]*Kind{}
			}
			s.shared[k.gvk.Kind] = k
		}
		switch preferred := s.types[k.pointer]; {
		case k.untyped: // found by the name in each object
		case preferred == nil:
			s.types[k.pointer] = k
		case preferred.added.kinds == nil:
			preferred.adding().kinds = []*Kind{preferred, k}
		default:
			preferred.added.kinds = append(preferred.added.kinds, k)
		}
	}
}

// sortByName sorts the kinds of a version. It uses insertion sort because they are usually in
// order, see order.
func sortByName(kinds []*Kind) {
	for i := 1; i < len(kinds); i++ {
		k, j := kinds[i], i
		for ; j > 0 && kinds[j-1].gvk.Kind > k.gvk.Kind; j-- {
			kinds[j] = kinds[j-1]
		}
		kinds[j] = k
	}
}

// orderVersions sorts groups by name and their versions by preference, and returns the position of
// each version.
func (w *build) orderVersions() []int {
	s := w.scheme
	sorted := w.sortedVersions()
	places := make([]int, len(sorted))
	s.versions = make(map[string][]schema.GroupVersion, len(sorted))
	all := make([]schema.GroupVersion, len(sorted))
	begin := 0
	for i, v := range sorted {
		places[v] = i
		all[i] = w.versions[v].GroupVersion
		if next := i + 1; next == len(sorted) || w.versions[sorted[next]].Group != all[i].Group {
			s.groups = append(s.groups, all[i].Group)
			s.versions[all[i].Group] = all[begin:next:next]
			begin = next
		}
	}
	for _, gv := range w.preferred {
		if !slices.Contains(s.versions[gv.Group], gv) {
			w.conflict("the preferred version "+gv.String(), "no kind is registered in it", "")
		}
	}
	return places
}

// sortedVersions returns the indexes of the versions ordered by group, and within a group by
// preference. It uses insertion sort because programs usually name their packages in order.
func (w *build) sortedVersions() []int {
	compare := compareVersions(w.preferred)
	less := func(a, b *version) bool {
		if a.Group != b.Group {
			return a.Group < b.Group
		}
		return compare(a.GroupVersion, b.GroupVersion) < 0
	}
	sorted := make([]int, len(w.versions))
	for i := range sorted {
		j := i
		for ; j > 0 && less(&w.versions[i], &w.versions[sorted[j-1]]); j-- {
			sorted[j] = sorted[j-1]
		}
		sorted[j] = i
	}
	return sorted
}

// beside returns the kind with a name in the version of another kind, or nil. A list usually comes
// right after its items.
func (w *build) beside(k *Kind, name string) *Kind {
	s := w.scheme
	for _, place := range [...]int{k.place - 1, k.place + 1} {
		if place >= 0 && place < len(s.ordered) {
			if o := s.ordered[place]; o.gvk.Kind == name && o.gvk.Version == k.gvk.Version &&
				o.gvk.Group == k.gvk.Group {
				return o
			}
		}
	}
	return s.kinds[k.GroupVersion().WithKind(name)]
}

// linkLists connects kinds with the kinds of their lists.
func (w *build) linkLists() {
	s := w.scheme
	for _, k := range s.ordered {
		if k.list != "" {
			k.listKind = w.beside(k, k.list)
			wrong := ""
			switch {
			case k.listKind == nil:
				wrong = " is not registered in that group version"
			case k.listKind.item != k.gvk.Kind:
				wrong = " does not name it as Item"
			}
			if wrong != "" {
				w.conflict("the kind "+k.gvk.String()+" registered at "+k.source, "its list kind "+k.list+wrong, "")
			}
		}
		if k.item == "" {
			continue
		}
		item := w.beside(k, k.item)
		switch {
		case item == nil:
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source, "its item kind "+k.item+
				" is not registered in that group version", "")
			continue
		case !k.has.items:
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source, "it has no Items function", "")
			continue
		}
		switch t := itemType(k.table.items(k.table.newObject())); {
		case t == nil:
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source, badItems, "")
			continue
		case t != item.Type():
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source,
				"its items are of type *"+typeName(t)+", those of the kind "+item.gvk.Kind+" of type *"+
					typeName(item.Type()), "")
			continue
		}
		k.itemKind = item
	}
}

// badItems is the message for a kind whose items have no struct type.
const badItems = "its Items function does not return items that are pointers to structs"

// ownPath is the import path of this package.
var ownPath = reflect.TypeFor[Builder]().PkgPath()

// itemType returns the struct type of the items of an empty list, or nil if it has none.
func itemType(items Items) reflect.Type {
	if items == nil {
		return nil
	}
	if t := reflect.TypeOf(items); t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Slice &&
		t.Elem().PkgPath() == ownPath { // a Slice; avoids creating an item
		return t.Elem().Elem()
	}
	items.Resize(1)
	if t := reflect.TypeOf(items.At(0)); t != nil && t.Kind() == reflect.Pointer &&
		t.Elem().Kind() == reflect.Struct {
		return t.Elem()
	}
	return nil
}

// checkItems reports list kinds whose items belong to no kind: the list names no item kind, and the
// Go type of the items is neither registered nor a type for objects of any kind.
func (w *build) checkItems() {
	for _, k := range w.scheme.ordered {
		if !k.has.items || k.item != "" || k.untyped {
			continue
		}
		switch t := itemType(k.table.items(k.table.newObject())); {
		case t == nil:
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source, badItems, "")
		case len(w.scheme.kindsOf(t)) == 0 && !holdsObjects(t):
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source, "its items of type *"+typeName(t)+
				" are objects of no registered kind; register one and name it as Item", "")
		}
	}
}

// holdsObjects reports whether a struct type holds objects of any kind.
func holdsObjects(t reflect.Type) bool {
	raw, p := reflect.TypeFor[RawExtension](), reflect.PointerTo(t)
	if t == raw || p.Implements(reflect.TypeFor[Untyped]()) {
		return true
	}
	// A foreign type with its own JSON methods, such as RawExtension of k8s.io/apimachinery.
	if p.Implements(reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]()) {
		return true
	}
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Anonymous && t.Field(0).Type == raw
}

// checkStorage reports kinds that a group stores in two versions.
func (w *build) checkStorage() {
	storage := map[schema.GroupKind]*Kind{}
	for _, k := range w.scheme.ordered {
		if !k.storage {
			continue
		}
		if prior := storage[k.gvk.GroupKind()]; prior != nil {
			w.conflict("the storage version of "+k.gvk.GroupKind().String(), k.gvk.Version+" registered at "+k.source,
				prior.gvk.Version+" registered at "+prior.source)
			continue
		}
		storage[k.gvk.GroupKind()] = k
	}
}

// addResources adds the kinds to the index of resources.
func (w *build) addResources() {
	s := w.scheme
	n := 0
	for _, k := range s.ordered {
		if k.resource != "" {
			n++
		}
	}
	s.resources = make(map[schema.GroupVersionResource]*Kind, n)
	for _, k := range s.ordered {
		if k.resource == "" {
			continue
		}
		gvr := k.GroupVersionResource()
		if prior := s.resources[gvr]; prior != nil {
			w.conflict("the resource "+gvr.String(), k.gvk.Kind+" registered at "+k.source,
				prior.gvk.Kind+" registered at "+prior.source)
			continue
		}
		s.resources[gvr] = k
		if k.scope == Cluster {
			w.checkScope(k)
		}
	}
}

// checkScope reports the namespaced versions of a cluster kind.
func (w *build) checkScope(k *Kind) {
	for _, gv := range w.scheme.versions[k.gvk.Group] {
		o := w.scheme.kinds[gv.WithKind(k.gvk.Kind)]
		if o != nil && o.resource != "" && o.scope != Cluster {
			w.conflict("the scope of "+k.gvk.GroupKind().String(),
				"Cluster in "+k.gvk.Version+" registered at "+k.source,
				"Namespaced in "+gv.Version+" registered at "+o.source)
		}
	}
}

// addConversions builds the graph on which routes are planned. Functions between types without a
// kind stay unused, because a program need not enable every version that a package converts to.
func (w *build) addConversions() {
	s := w.scheme
	type pair struct{ from, to reflect.Type }
	first := make(map[pair]*conversionEdge, len(w.conversions))
	var edges []conversion.Edge[reflect.Type]
	w.conversions = sorted.Delete(w.conversions, func(e *conversionEdge) bool {
		if e.code() == 0 {
			w.conflict("the conversion added at "+e.site.String(), "its function is nil", "")
			return true
		}
		from, to := e.from(), e.to()
		if prior := first[pair{from, to}]; prior != nil {
			if prior.code() != e.code() {
				w.conflict("the conversion from "+typeName(from)+" to "+typeName(to),
					"the function at "+e.site.String(), "that at "+prior.site.String())
			}
			return true
		}
		first[pair{from, to}] = e
		if len(s.kindsOf(from)) > 0 && len(s.kindsOf(to)) > 0 {
			s.edges = append(s.edges, e)
			edges = append(edges, conversion.Edge[reflect.Type]{From: from, To: to, Losses: e.losses})
		}
		return false
	})
	// Nodes of the graph have kinds; planRouteTo requests no others.
	s.graph = conversion.NewGraph(edges, conversion.GraphOptions[reflect.Type]{
		Rank: func(t reflect.Type) int {
			k := s.kindsOf(t)[0]
			return slices.Index(s.versions[k.gvk.Group], k.GroupVersion())
		},
		Name: func(t reflect.Type) string { return s.kindsOf(t)[0].gvk.String() },
	})
}

// addAs assigns as-kind functions to their source types. A function whose target type has no kind
// is an error if the package of that type has registered other kinds, and so has forgotten this
// one. Otherwise the function stays unused, because a program need not enable every group that its
// kinds can be shown as.
func (w *build) addAs() {
	// the edges of a type are usually adjacent, so that their list can be a slice of this one
	all := make([]*asEdge, 0, len(w.as))
	var last *[]*asEdge
	strays := map[reflect.Type]*[]*asEdge{} // of types without a kind; they stay unused
	w.as = sorted.Delete(w.as, func(e *asEdge) bool {
		if wrong := e.wrong(); wrong != "" {
			w.conflict(e.name()+" added at "+e.site.String(), wrong, "")
			return true
		}
		var list *[]*asEdge
		if k := w.scheme.types[pointerTo(e.from())]; k != nil {
			if w.scheme.types[pointerTo(e.to())] == nil && w.forgot(e.to()) {
				w.conflict(e.name()+" added at "+e.site.String(),
					"no kind of the type "+typeName(e.to())+" is registered; pass AddTo of "+e.to().PkgPath()+
						" to NewScheme, or add the kind with AddKind", "")
			}
			list = &k.as
		} else if list = strays[e.from()]; list == nil {
			list = new([]*asEdge)
			strays[e.from()] = list
		}
		if i := slices.IndexFunc(*list, func(o *asEdge) bool { return o.to() == e.to() }); i >= 0 {
			if prior := (*list)[i]; prior.code() != e.code() {
				w.conflict(e.name(), "the function at "+e.site.String(), "that at "+prior.site.String())
			}
			return true
		}
		if list != last && *list != nil {
			*list = append(*list, e)
			return false
		}
		all, last = append(all, e), list
		*list = all[len(all)-1-len(*list) : len(all) : len(all)]
		return false
	})
}

// forgot reports whether a type is not registered although other types of its package are.
func (w *build) forgot(t reflect.Type) bool {
	found, known := w.forgotten[t]
	if known {
		return found
	}
	pkg := t.PkgPath()
	for i := range w.scheme.all {
		if w.scheme.all[i].Type().PkgPath() == pkg {
			found = true
			break
		}
	}
	if w.forgotten == nil {
		w.forgotten = map[reflect.Type]bool{}
	}
	w.forgotten[t] = found
	return found
}

// name describes the edge for messages.
func (e *asEdge) name() string {
	return "the as-kind edge from " + typeName(e.from()) + " to " + typeName(e.to())
}

// wrong returns the reason why an edge is unusable, or "".
func (e *asEdge) wrong() string {
	if e.code() == 0 {
		return "its function is nil"
	}
	if e.begin != nil && e.begin.of() != e.to() {
		return "its CollectItems function is for " + typeName(e.begin.of())
	}
	if e.finish != nil && !e.collects {
		return "it has a FinishItems function but no CollectItems function"
	}
	if e.finish != nil && e.finish.of() != e.to() {
		return "its FinishItems function is for " + typeName(e.finish.of())
	}
	if e.update.id() != 0 {
		if from, to := structOf(e.update.from), structOf(e.update.to); from != e.to() || to != e.from() {
			return "its UpdateFromView function is from " + typeName(from) + " to " + typeName(to)
		}
	}
	return ""
}

// addFunctions assigns the defaulting and validation functions that were added for Go types to
// kinds.
func (w *build) addFunctions() {
	w.defaults = addTo(w, w.defaults, "default function", func(a *added, f func(Object) error) {
		a.defaults = append(a.defaults, f)
	})
	w.validations = addTo(w, w.validations, "validation function",
		func(a *added, f func(context.Context, Object) FieldErrors) { a.validates = append(a.validates, f) })
}

// addTo adds functions to the kinds of their types, each once, and returns those that it added.
func addTo[F any](w *build, entries []functionEntry[F], what string, add func(*added, F)) []functionEntry[F] {
	type function struct {
		typ  reflect.Type
		code uintptr
	}
	seen := make(map[function]bool, len(entries))
	return sorted.Delete(entries, func(e functionEntry[F]) bool {
		if e.code == 0 {
			w.conflict("the "+what+" added at "+e.site.String(), "it is nil", "")
			return true
		}
		if key := (function{e.typ, e.code}); seen[key] {
			return true
		} else {
			seen[key] = true
		}
		for _, k := range w.kindsOf(e.typ, what, e.site) {
			add(k.adding(), e.f)
		}
		return false
	})
}

// kindsOf returns the kinds of a struct type. It reports a function for a type that has none,
// because nothing could call it.
func (w *build) kindsOf(t reflect.Type, what string, at site) []*Kind {
	if kinds := w.scheme.kindsOf(t); kinds != nil {
		return kinds
	}
	w.conflict("the "+what+" for "+typeName(t)+" added at "+at.String(), "no kind of that type is registered", "")
	return nil
}
