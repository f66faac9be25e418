package runtime

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
)

// A build goes through the registrations in a few passes, each of which relies on the one before: kinds, then what kinds say about each
// other (lists, storage versions, resources), then the functions that were added for Go types. Every pass reports and goes on, so that one
// run tells everything.
type build struct {
	*Builder
	scheme *Scheme
	errs   []error

	apiVersions map[schema.GroupVersion]string // those that are well formed
	current     schema.GroupVersion            // of the kind looked at last
	apiVersion  string                         // of current
	openings    []byte                         // what the openings of kinds are cut from
	block       []Kind                         // room for the kinds that are left to add
	entries     []typeEntry                    // room for those of their types
}

// build runs the group functions and freezes what has been registered.
func (b *Builder) build(groups []func(*Builder)) (*Scheme, error) {
	for _, add := range groups {
		if add != nil {
			add(b)
		}
	}
	n := len(b.kinds)
	w := &build{
		Builder: b, apiVersions: map[schema.GroupVersion]string{},
		openings: make([]byte, 0, 64*n), block: make([]Kind, n), entries: make([]typeEntry, n),
		scheme: &Scheme{
			registered: b.clone(),
			ordered:    make([]*Kind, 0, n),
			kinds:      make(map[schema.GroupVersionKind]*Kind, n),
			types:      make(map[typeID]*typeEntry, n),
			resources:  make(map[schema.GroupVersionResource]*Kind, n),
			shared:     map[string]*Kind{},
			versions:   map[string][]schema.GroupVersion{},
			keeping:    b.keeping,
			copying:    conversion.NewScope(conversion.ScopeOptions{}),
			sharing:    conversion.NewScope(conversion.ScopeOptions{Sharing: true}),
		},
	}
	w.scheme.checks = &[2]checkTerms{{scheme: w.scheme}, {scheme: w.scheme, embedded: true}}
	w.addKinds()
	w.order()
	w.linkLists()
	w.checkStorage()
	w.addResources()
	w.addConversions()
	w.addAs()
	w.addPartials()
	w.addFunctions()
	if len(w.errs) > 0 {
		return nil, &BuildError{Errs: w.errs}
	}
	return w.scheme, nil
}

func (w *build) conflict(what, first, second string) {
	w.errs = append(w.errs, &ConflictError{What: what, First: first, Second: second})
}

// addKinds makes a Kind of every spec.
func (w *build) addKinds() {
	for _, e := range w.kinds {
		if e.table.isNil() {
			w.conflict("the kind added at "+e.site.String(), "its spec is nil", "")
			continue
		}
		prior := w.scheme.kinds[e.table.kind()]
		if prior != nil && prior.table == e.table {
			continue
		}
		id := e.table.identity()
		if id.source == "" {
			id.source = e.source()
		}
		if id.singular == "" && id.resource != "" {
			id.singular = strings.ToLower(id.gvk.Kind)
		}
		if reason := w.wrong(&id); reason != "" {
			w.conflict("the kind "+id.gvk.String()+" registered at "+e.source(), reason, "")
			continue
		}
		t := e.table.structType()
		switch {
		case t.Kind() != reflect.Struct:
			w.conflict("the kind "+id.gvk.String()+" registered at "+e.source(), "its Go type "+t.String()+" is not a struct", "")
		case prior == nil:
			w.addKind(e.table, &id)
		case prior.Type() != t:
			w.conflict("the kind "+id.gvk.String(), typeName(t)+" registered at "+e.source(), typeName(prior.Type())+" registered at "+prior.source)
		case !id.equal(&prior.identity) || prior.has != e.table.has():
			w.conflict("the kind "+id.gvk.String(), "the spec added at "+e.source(), "a different one for the same type added at "+prior.source)
		}
	}
}

// wrong says what makes an identity unusable.
func (w *build) wrong(id *identity) string {
	switch {
	case id.gvk.Version == "":
		return "the version is blank"
	case id.gvk.Kind == "":
		return "the kind is blank"
	case id.abi != 0 && id.abi != ABI:
		return fmt.Sprintf("its code was generated for ABI %d and this module has ABI %d; run the generator again", id.abi, ABI)
	}
	if gv := id.gvk.GroupVersion(); gv != w.current { // kinds of one version come together mostly
		apiVersion := w.apiVersions[gv]
		if apiVersion == "" {
			apiVersion = gv.String()
			if parsed, err := schema.ParseGroupVersion(apiVersion); err != nil || parsed != gv {
				return fmt.Sprintf("the group %q and the version %q do not make an apiVersion", id.gvk.Group, id.gvk.Version)
			}
			if err := gv.Check(); err != nil {
				return err.Error()
			}
			w.apiVersions[gv] = apiVersion
		}
		w.current, w.apiVersion = gv, apiVersion
	}
	if err := (schema.GroupVersionKind{Version: "v1", Kind: id.gvk.Kind}).Check(); err != nil { // the group version is known to be fine
		return err.Error()
	}
	return ""
}

// equal reports whether two identities say the same. Where they were written does not matter.
func (id *identity) equal(other *identity) bool {
	return id.resource == other.resource && id.singular == other.singular && slices.Equal(id.shortNames, other.shortNames) &&
		slices.Equal(id.categories, other.categories) && id.scope == other.scope && id.storage == other.storage && id.shared == other.shared &&
		id.list == other.list && id.item == other.item
}

func (w *build) addKind(t table, id *identity) {
	s := w.scheme
	k := &w.block[0]
	w.block = w.block[1:]
	k.identity, k.table, k.has, k.apiVersion = *id, t, t.has(), w.apiVersion
	if k.has.typeMeta {
		start := len(w.openings)
		w.openings = appendType(w.openings, k.gvk)
		k.opening = slices.Clip(w.openings[start:])
	}
	s.kinds[k.gvk] = k
	s.ordered = append(s.ordered, k)
	if pointer := pointerTo(t.structType()); s.types[pointer] == nil {
		s.types[pointer] = &w.entries[0] // order fills it
		w.entries = w.entries[1:]
	}
}

// order sorts versions by preference, and by it the kinds.
func (w *build) order() {
	s := w.scheme
	places := w.orderVersions()

	// Kinds are put where those of their version begin, and sorted there; packages add them in order mostly.
	next := make([]int, len(places)+1)
	var gv schema.GroupVersion
	var place int
	each := func(do func(k *Kind, place int)) {
		for _, k := range s.ordered {
			if k.GroupVersion() != gv {
				gv = k.GroupVersion()
				place = places[gv]
			}
			do(k, place)
		}
	}
	each(func(_ *Kind, place int) { next[place+1]++ })
	for i := range len(places) {
		next[i+1] += next[i]
	}
	sorted := make([]*Kind, len(s.ordered))
	begin := slices.Clone(next)
	each(func(k *Kind, place int) {
		sorted[next[place]] = k
		next[place]++
	})
	for i := range len(places) {
		sortByName(sorted[begin[i]:begin[i+1]])
	}
	s.ordered = sorted

	for i, k := range s.ordered {
		if k.shared && s.shared[k.gvk.Kind] == nil {
			s.shared[k.gvk.Kind] = k
		}
		e := s.types[pointerTo(k.Type())]
		if e.kinds == nil {
			e.kinds = s.ordered[i : i+1 : i+1] // most types have one kind
			continue
		}
		e.kinds = append(e.kinds, k)
	}
}

// sortByName sorts the kinds of a version by insertion: they are in order mostly, see order.
func sortByName(kinds []*Kind) {
	for i := 1; i < len(kinds); i++ {
		k, j := kinds[i], i
		for ; j > 0 && kinds[j-1].gvk.Kind > k.gvk.Kind; j-- {
			kinds[j] = kinds[j-1]
		}
		kinds[j] = k
	}
}

// orderVersions sorts groups by name and their versions by preference, and returns the place of each version among all.
func (w *build) orderVersions() map[schema.GroupVersion]int {
	s := w.scheme
	for gv := range w.apiVersions {
		s.versions[gv.Group] = append(s.versions[gv.Group], gv)
	}
	for _, gv := range w.preferred {
		if !slices.Contains(s.versions[gv.Group], gv) {
			w.conflict("the preferred version "+gv.String(), "no kind is registered in it", "")
		}
	}
	s.groups = sortedKeys(s.versions)
	compare := compareVersions(w.preferred)
	places := make(map[schema.GroupVersion]int, len(w.apiVersions))
	for _, group := range s.groups {
		sort.Stable(byPreference{s.versions[group], compare})
		for _, gv := range s.versions[group] {
			places[gv] = len(places)
		}
	}
	return places
}

// byPreference sorts versions. It is no function of package slices, whose code would be in every program once more for this type.
type byPreference struct {
	versions []schema.GroupVersion
	compare  func(a, b schema.GroupVersion) int
}

func (p byPreference) Len() int           { return len(p.versions) }
func (p byPreference) Less(i, j int) bool { return p.compare(p.versions[i], p.versions[j]) < 0 }
func (p byPreference) Swap(i, j int)      { p.versions[i], p.versions[j] = p.versions[j], p.versions[i] }

// linkLists connects kinds with the kinds of their lists.
func (w *build) linkLists() {
	s := w.scheme
	for _, k := range s.ordered {
		if k.list != "" {
			k.listKind = s.kinds[k.GroupVersion().WithKind(k.list)]
			if k.listKind == nil {
				w.conflict("the kind "+k.gvk.String()+" registered at "+k.source, "its list kind "+k.list+" is not registered in that group version", "")
			}
		}
		if k.item == "" {
			continue
		}
		item := s.kinds[k.GroupVersion().WithKind(k.item)]
		switch {
		case item == nil:
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source, "its item kind "+k.item+" is not registered in that group version", "")
			continue
		case !k.has.items:
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source, "it has no Items function", "")
			continue
		}
		if t := itemType(k.table.items(k.table.newObject())); t != item.Type() {
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source,
				"its items are of type *"+typeName(t)+", those of the kind "+item.gvk.Kind+" of type *"+typeName(item.Type()), "")
			continue
		}
		k.itemKind = item
	}
}

// itemType returns the struct type of the items of a list without any.
func itemType(items Items) reflect.Type {
	if s, ok := items.(interface{ itemType() reflect.Type }); ok { // without making an item
		return s.itemType()
	}
	items.Resize(1)
	return reflect.TypeOf(items.At(0)).Elem()
}

// checkStorage finds groups that keep a kind in two versions.
func (w *build) checkStorage() {
	storage := map[schema.GroupKind]*Kind{}
	for _, k := range w.scheme.ordered {
		if !k.storage {
			continue
		}
		if prior := storage[k.gvk.GroupKind()]; prior != nil {
			w.conflict("the storage version of "+k.gvk.GroupKind().String(), k.gvk.Version+" registered at "+k.source, prior.gvk.Version+" registered at "+prior.source)
			continue
		}
		storage[k.gvk.GroupKind()] = k
	}
}

// addResources makes kinds reachable by resource.
func (w *build) addResources() {
	for _, k := range w.scheme.ordered {
		if k.resource == "" {
			continue
		}
		gvr := k.GroupVersionResource()
		if prior := w.scheme.resources[gvr]; prior != nil {
			w.conflict("the resource "+gvr.String(), k.gvk.Kind+" registered at "+k.source, prior.gvk.Kind+" registered at "+prior.source)
			continue
		}
		w.scheme.resources[gvr] = k
	}
}

// addConversions makes the graph on which routes are planned. Functions between types without a kind stay unused: a program need not
// enable every version that a package converts to.
func (w *build) addConversions() {
	s := w.scheme
	type pair struct{ from, to reflect.Type }
	first := make(map[pair]*conversionEdge, len(w.conversions))
	var edges []conversion.Edge[reflect.Type]
	for _, e := range w.conversions {
		if e.code == 0 {
			w.conflict("the conversion added at "+e.site.String(), "its function is nil", "")
			continue
		}
		prior := first[pair{e.from, e.to}]
		switch {
		case prior != nil && prior.code != e.code:
			w.conflict("the conversion from "+typeName(e.from)+" to "+typeName(e.to), "the function at "+e.site.String(), "that at "+prior.site.String())
		case prior == nil:
			first[pair{e.from, e.to}] = e
			if len(s.kindsOf(e.from)) > 0 && len(s.kindsOf(e.to)) > 0 {
				s.edges = append(s.edges, e)
				edges = append(edges, conversion.Edge[reflect.Type]{From: e.from, To: e.to, Losses: e.losses})
			}
		}
	}
	s.graph = conversion.NewGraph(edges, conversion.GraphOptions[reflect.Type]{
		Rank: func(t reflect.Type) int {
			k := s.kindsOf(t)[0]
			return slices.Index(s.versions[k.gvk.Group], k.GroupVersion())
		},
		Name: func(t reflect.Type) string { return s.kindsOf(t)[0].gvk.String() },
	})
}

// addAs gives as-kind functions to their source types.
func (w *build) addAs() {
	all := make([]*asEdge, 0, len(w.as)) // the edges of a type come together mostly, so that its list can be a part of this one
	var last *typeEntry
	strays := map[reflect.Type]*typeEntry{} // types without a kind, whose edges stay unused
	for _, e := range w.as {
		if wrong := e.wrong(); wrong != "" {
			w.conflict(e.name()+" added at "+e.site.String(), wrong, "")
			continue
		}
		entry := w.scheme.types[pointerTo(e.from)]
		if entry == nil {
			if entry = strays[e.from]; entry == nil {
				entry = new(typeEntry)
				strays[e.from] = entry
			}
		}
		if i := slices.IndexFunc(entry.as, func(o *asEdge) bool { return o.to == e.to }); i >= 0 {
			if entry.as[i].code != e.code {
				w.conflict(e.name(), "the function at "+e.site.String(), "that at "+entry.as[i].site.String())
			}
			continue
		}
		if entry != last && entry.as != nil {
			entry.as = append(entry.as, e)
			continue
		}
		all, last = append(all, e), entry
		entry.as = all[len(all)-1-len(entry.as) : len(all) : len(all)]
	}
}

// name says what is registered, for messages.
func (e *asEdge) name() string {
	return "the as-kind edge from " + typeName(e.from) + " to " + typeName(e.to)
}

// wrong says what makes an edge unusable.
func (e *asEdge) wrong() string {
	if e.code == 0 {
		return "its function is nil"
	}
	if e.begin != nil && e.begin.of() != e.to {
		return "its Collect function is for " + typeName(e.begin.of())
	}
	if e.finish != nil && !e.collects {
		return "it has a Finish function but no Collect function"
	}
	if e.finish != nil && e.finish.of() != e.to {
		return "its Finish function is for " + typeName(e.finish.of())
	}
	if e.update != nil {
		if from, to := e.update.types(); from != e.to || to != e.from {
			return "its Update function is from " + typeName(from) + " to " + typeName(to)
		}
	}
	return ""
}

// addFunctions gives kinds the default and validation functions that were added for their Go types.
func (w *build) addFunctions() {
	for i, e := range w.defaults {
		if e.code == 0 {
			w.conflict("the default function added at "+e.site.String(), "it is nil", "")
			continue
		}
		if slices.ContainsFunc(w.defaults[:i], func(o defaultEntry) bool { return o.typ == e.typ && o.code == e.code }) {
			continue
		}
		for _, k := range w.kindsOf(e.typ, "default function", e.site) {
			k.defaults = append(k.defaults, e.f)
		}
	}
	for i, e := range w.validations {
		if e.code == 0 {
			w.conflict("the validation function added at "+e.site.String(), "it is nil", "")
			continue
		}
		if slices.ContainsFunc(w.validations[:i], func(o validationEntry) bool { return o.typ == e.typ && o.code == e.code }) {
			continue
		}
		for _, k := range w.kindsOf(e.typ, "validation function", e.site) {
			k.validates = append(k.validates, e.f)
		}
	}
}

// kindsOf returns the kinds of a struct type, and reports a function for a type that has none: nothing could ever call it.
func (w *build) kindsOf(t reflect.Type, what string, at site) []*Kind {
	if e := w.scheme.types[pointerTo(t)]; e != nil {
		return e.kinds
	}
	w.conflict("the "+what+" for "+typeName(t)+" added at "+at.String(), "no kind of that type is registered", "")
	return nil
}
