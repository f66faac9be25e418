package runtime

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
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
			types:      make(map[reflect.Type]*typeEntry, n),
			resources:  make(map[schema.GroupVersionResource]*Kind, n),
			shared:     map[string]*Kind{},
			versions:   map[string][]schema.GroupVersion{},
			as:         map[reflect.Type][]*asEdge{},
			keeping:    b.keeping,
			partials:   b.partials,
			copying:    conversion.NewScope(conversion.ScopeOptions{}),
			sharing:    conversion.NewScope(conversion.ScopeOptions{Sharing: true}),
		},
	}
	w.addKinds()
	w.order()
	w.linkLists()
	w.checkStorage()
	w.addResources()
	w.addConversions()
	w.addAs()
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
	tables := make(map[schema.GroupVersionKind]kindEntry, len(w.kinds))
	for _, e := range w.kinds {
		if e.table.isNil() {
			w.conflict("the kind added at "+e.site.String(), "its spec is nil", "")
			continue
		}
		id := e.table.identity()
		if prior, ok := tables[id.gvk]; ok {
			switch {
			case prior.table == e.table:
			case prior.table.structType() != e.table.structType():
				w.conflict("the kind "+id.gvk.String(), typeName(e.table.structType())+" registered at "+e.source(),
					typeName(prior.table.structType())+" registered at "+prior.source())
			case !id.equal(prior.table.identity()) || prior.table.has() != e.table.has():
				w.conflict("the kind "+id.gvk.String(), "the spec added at "+e.source(), "a different one for the same type added at "+prior.source())
			}
			continue
		}
		if reason := w.wrong(&id); reason != "" {
			w.conflict("the kind "+id.gvk.String()+" registered at "+e.source(), reason, "")
			continue
		}
		if t := e.table.structType(); t.Kind() != reflect.Struct {
			w.conflict("the kind "+id.gvk.String()+" registered at "+e.source(), "its Go type "+t.String()+" is not a struct", "")
			continue
		}
		tables[id.gvk] = e
		w.addKind(e, id)
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
	if gv := id.gvk.GroupVersion(); w.apiVersions[gv] == "" {
		apiVersion := gv.String()
		if parsed, err := schema.ParseGroupVersion(apiVersion); err != nil || parsed != gv {
			return fmt.Sprintf("the group %q and the version %q do not make an apiVersion", id.gvk.Group, id.gvk.Version)
		}
		if err := gv.Check(); err != nil {
			return err.Error()
		}
		w.apiVersions[gv] = apiVersion
	}
	if err := (schema.GroupVersionKind{Version: "v1", Kind: id.gvk.Kind}).Check(); err != nil { // the group version is known to be fine
		return err.Error()
	}
	return ""
}

// equal reports whether two identities say the same. Where they were written does not matter.
func (id *identity) equal(other identity) bool {
	return id.resource == other.resource && id.singular == other.singular && slices.Equal(id.shortNames, other.shortNames) &&
		slices.Equal(id.categories, other.categories) && id.scope == other.scope && id.storage == other.storage && id.shared == other.shared &&
		id.list == other.list && id.item == other.item
}

func (w *build) addKind(e kindEntry, id identity) {
	s := w.scheme
	if id.source == "" {
		id.source = e.source()
	}
	if id.singular == "" && id.resource != "" {
		id.singular = strings.ToLower(id.gvk.Kind)
	}
	has := e.table.has()
	k := &w.block[0]
	w.block = w.block[1:]
	k.identity, k.table, k.has = id, e.table, has
	k.apiVersion = w.apiVersions[id.gvk.GroupVersion()]
	if has.typeMeta {
		start := len(w.openings)
		w.openings = appendType(w.openings, id.gvk)
		k.opening = slices.Clip(w.openings[start:])
	}
	s.kinds[id.gvk] = k
	s.ordered = append(s.ordered, k)
	if pointer := reflect.PointerTo(e.table.structType()); s.types[pointer] == nil {
		s.types[pointer] = &w.entries[0] // order fills it
		w.entries = w.entries[1:]
	}
}

// placed is a kind with the place of its group version among all.
type placed struct {
	*Kind
	place int
}

// order sorts versions by preference, and by it the kinds.
func (w *build) order() {
	s := w.scheme
	for _, k := range s.ordered {
		gv := k.GroupVersion()
		if !slices.Contains(s.versions[gv.Group], gv) {
			s.versions[gv.Group] = append(s.versions[gv.Group], gv)
		}
	}
	for _, gv := range w.preferred {
		if !slices.Contains(s.versions[gv.Group], gv) {
			w.conflict("the preferred version "+gv.String(), "no kind is registered in it", "")
		}
	}
	s.groups = sortedKeys(s.versions)
	byPreference := compareVersions(w.preferred)
	for _, versions := range s.versions {
		slices.SortFunc(versions, byPreference)
	}
	place := make(map[schema.GroupVersion]int, len(w.apiVersions))
	for _, group := range s.groups {
		for _, gv := range s.versions[group] {
			place[gv] = len(place)
		}
	}
	compare := func(a, b placed) int { return cmp.Or(a.place-b.place, strings.Compare(a.gvk.Kind, b.gvk.Kind)) }
	all := make([]placed, len(s.ordered))
	for i, k := range s.ordered {
		all[i] = placed{k, place[k.GroupVersion()]}
	}
	slices.SortFunc(all, compare)
	for i, p := range all {
		s.ordered[i] = p.Kind
		e := s.types[reflect.PointerTo(p.table.structType())]
		if e.kinds == nil {
			e.kinds = s.ordered[i : i+1 : i+1] // most types have one kind
			continue
		}
		e.kinds = append(e.kinds, p.Kind)
	}
	for _, k := range s.ordered {
		if k.shared && s.shared[k.gvk.Kind] == nil {
			s.shared[k.gvk.Kind] = k
		}
	}
}

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
		view := k.table.items(k.table.newObject())
		view.Resize(1)
		if !item.table.holds(view.At(0)) {
			w.conflict("the list kind "+k.gvk.String()+" registered at "+k.source,
				fmt.Sprintf("its items are of type %T, those of the kind %s of type *%s", view.At(0), item.gvk.Kind, typeName(item.Type())), "")
			continue
		}
		k.itemKind = item
	}
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

// addAs sorts as-kind functions by their source type.
func (w *build) addAs() {
	for _, e := range w.as {
		what := func() string { return "the as-kind edge from " + typeName(e.from) + " to " + typeName(e.to) }
		if e.code == 0 {
			w.conflict(what()+" added at "+e.site.String(), "its function is nil", "")
			continue
		}
		if e.begin != nil && e.beginType != e.to {
			w.conflict(what()+" added at "+e.site.String(), "its Collect function is for "+typeName(e.beginType), "")
			continue
		}
		if e.finish != nil && (!e.collects || e.finishType != e.to) {
			reason := "its Finish function is for " + typeName(e.finishType)
			if !e.collects {
				reason = "it has a Finish function but no Collect function"
			}
			w.conflict(what()+" added at "+e.site.String(), reason, "")
			continue
		}
		if e.update != nil && (e.updateFrom != e.to || e.updateTo != e.from) {
			w.conflict(what()+" added at "+e.site.String(), "its Update function is from "+typeName(e.updateFrom)+" to "+typeName(e.updateTo), "")
			continue
		}
		edges := w.scheme.as[e.from]
		if i := slices.IndexFunc(edges, func(o *asEdge) bool { return o.to == e.to }); i >= 0 {
			if edges[i].code != e.code {
				w.conflict(what(), "the function at "+e.site.String(), "that at "+edges[i].site.String())
			}
			continue
		}
		w.scheme.as[e.from] = append(edges, e)
	}
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
	if e := w.scheme.types[reflect.PointerTo(t)]; e != nil {
		return e.kinds
	}
	w.conflict("the "+what+" for "+typeName(t)+" added at "+at.String(), "no kind of that type is registered", "")
	return nil
}
