package conversion

import (
	"go/token"
	"go/types"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askind/askind/codegen/internal/emit"
	"github.com/askind/askind/codegen/internal/feature"
	"github.com/askind/askind/codegen/internal/marker"
	"github.com/askind/askind/codegen/internal/model"
	"github.com/askind/askind/schema"
)

// planner plans the conversions of one package. It processes a list of struct pairs, which grows as
// fields are matched: kinds come first, structs in their fields follow.
type planner struct {
	c     *feature.Context
	u     *model.Universe
	pkg   *model.Package
	hands *hands

	pairs  []*pair
	byType map[pairKey]*pair
	kinds  []*pair
	// moves holds the fields whose marker has a path relative to the kind, by the pair whose
	// function moves them. anchored is the set of those fields, and leads records which types have
	// fields with such markers in or below them.
	moves    map[pairKey][]*link
	anchored map[*types.Var]bool
	leads    map[*types.Named]bool
	// absents records, for each marker, whether any hub has the field it names.
	absents map[*marker.Marker]*absentUse
	// said records the errors that are reported only once.
	said map[string]bool
	// elsewhere holds the functions of other packages.
	elsewhere map[*model.Package]*hands
	// carriers holds the positions of the markers that selected carried fields, because the fields
	// of a struct are read more than once.
	carriers map[token.Pos]bool
}

type pairKey struct {
	spoke, hub string
}

// peer is a package or group on the other side.
type peer struct {
	pkg *model.Package
	// label is its name in function names: V1, or FleetV1 across groups.
	label string
}

// pair is a struct of this package and the struct of a peer with the same data.
type pair struct {
	spoke, hub *model.Type
	// pkg is the package that has the functions.
	pkg   *model.Package
	peer  *peer
	kind  *model.Kind
	sites []site

	links []*link
	// losses holds the declared losses of each direction.
	losses [2][]loss
	// anchored holds the fields of the spoke with a path relative to the kind: this pair or one
	// around it moves them.
	anchored []place
	// loose holds fields that nothing in the pair covers; finish checks whether something outside
	// does.
	looseHub []place
	// missing holds the source fields of each direction without a known conversion. leftPlaces
	// holds those that hand-written functions handle.
	missing, leftPlaces [2][]place
	// whole means that a Go conversion converts one struct to the other.
	whole bool
	// ways are the two directions.
	ways [2]way
	// external holds the ids of the hub paths that every caller fills; nil if not yet known.
	external map[string]bool
	root     bool
	// walks means that a walker function handles the carried fields in or below the pair.
	walks bool
	// walkers are the names of these functions.
	walkers [2]string
	// guards holds the guards of carried fields.
	guards []*guard
}

// way is one direction of a pair.
type way struct {
	// name is the name of the function; hand is the hand-written one, if any.
	name string
	hand *hand
	// keeps means that the hand-written function is declared to keep the metadata.
	keeps bool
	// fields means that the field-wise function is generated next to the hand-written one.
	fields bool
	// left holds the paths that the field-wise function leaves to its caller.
	left []string
}

// generated reports whether a function is generated for the direction.
func (w *way) generated() bool { return w.hand == nil || w.fields }

// called returns the name of the function that converts in the direction.
func (w *way) called() string {
	if w.hand != nil {
		return w.hand.fn.Name()
	}
	return w.name
}

// function returns the name of the generated function.
func (w *way) function() string {
	if w.fields {
		return emit.LowerFirst(w.name) + "Fields"
	}
	return w.name
}

// link is a field of the spoke and the field of the hub that holds the same value.
type link struct {
	spoke, hub place
	// moved means that a marker made the link.
	moved bool
	// rules holds the rules for the two directions; nil if the field is left to a hand-written
	// function, or if no rule exists: see misfit.
	rules  [2]*rule
	misfit [2]bool
}

// loss is a field that one direction cannot carry.
type loss struct {
	at     place
	reason string
	// pos is the position of the marker.
	pos token.Pos
	// carried means that the value is carried in an annotation instead of being lost.
	carried *carried
}

// site is a call site of the functions of a pair.
type site struct {
	pair   *pair
	link   *link
	inside bool
}

type absentUse struct {
	known []string
	found bool
}

func newPlanner(c *feature.Context) *planner {
	return &planner{
		c: c, u: c.Universe, pkg: c.Package, hands: findHands(c.Package),
		byType: map[pairKey]*pair{}, moves: map[pairKey][]*link{}, anchored: map[*types.Var]bool{},
		leads:   map[*types.Named]bool{},
		absents: map[*marker.Marker]*absentUse{}, said: map[string]bool{}, carriers: map[token.Pos]bool{},
		elsewhere: map[*model.Package]*hands{},
	}
}

// plan runs all planning steps.
func (p *planner) plan() {
	p.reserveHands()
	p.findRoots()
	if len(p.pairs) == 0 {
		p.unusedCarriers()
		p.takeClaims()
		return
	}
	for _, pr := range slices.Clone(p.pairs) {
		p.anchor(pr)
	}
	done := p.matchFrom(0)
	p.findCalled()
	p.matchFrom(done)
	p.finish()
	p.planCarrying()
	p.takeClaims()
	p.checkSignatures()
	p.checkLedger()
}

// matchFrom plans the pairs from one on, and those that they need.
func (p *planner) matchFrom(i int) int {
	for ; i < len(p.pairs); i++ {
		p.name(p.pairs[i])
		p.match(p.pairs[i])
	}
	return i
}

// findCalled creates the pairs of structs with the same name that no other pair needs and whose
// functions hand-written code calls, such as one that converts a list to a map.
func (p *planner) findCalled() {
	var peers []*peer
	for _, pr := range p.pairs {
		if !slices.Contains(peers, pr.peer) {
			peers = append(peers, pr.peer)
		}
	}
	for _, pe := range peers {
		for _, t := range p.pkg.Types {
			other := pe.pkg.Find(t.Name)
			if t.Struct == nil || other == nil || other.Struct == nil || p.byType[keyOf(t.Named, other.Named)] != nil {
				continue
			}
			for _, word := range []string{"To", "From"} {
				name := convertName(t.Name, word, pe.label)
				if p.calls(name) || p.calls(emit.LowerFirst(name)+"Fields") {
					p.pairOf(t.Named, other.Named, pe).root = true
				}
			}
		}
	}
}

// calls reports whether hand-written code mentions a function that the package does not declare.
func (p *planner) calls(name string) bool {
	return p.pkg.Go.Scope().Lookup(name) == nil && p.hands.mentions(name) > 0
}

// findRoots creates the pairs of kinds, or of all structs with the same name if the package has no
// kinds.
func (p *planner) findRoots() {
	labels := map[string]*peer{}
	for _, h := range p.pkg.Hubs() {
		pr := p.newPeer(h.Package, h.Path, h.Marker, labels)
		if pr == nil {
			continue
		}
		p.rootsOf(pr, h)
	}
	for _, k := range p.pkg.Kinds {
		for _, m := range k.Markers.All("askind:equivalent") {
			p.equivalent(k, m, labels)
		}
	}
}

// serves reports whether a package is the planned one, or one whose types it serves.
func (p *planner) serves(pkg *model.Package) bool {
	return pkg == p.pkg || slices.ContainsFunc(p.pkg.Foreign, func(f *model.Foreign) bool { return f.Package == pkg })
}

// nearHub returns the package that the path of a hub probably means: the one in that directory, one
// whose path ends like it, or one with a similar path. Packages that take part come first.
func (p *planner) nearHub(path string, m *marker.Marker) (string, bool) {
	if strings.HasPrefix(path, ".") {
		if info, err := os.Stat(filepath.Join(p.pkg.Dir, path)); err == nil && info.IsDir() {
			return pathpkg.Join(p.pkg.Path, path), true
		}
		path = pathpkg.Join(p.pkg.Path, path)
	}
	var served []string
	for _, other := range p.u.Packages {
		served = append(served, other.Path)
	}
	named := func(other string) bool { return other == p.pkg.Path || strings.Contains(m.Raw, other) }
	for _, paths := range [][]string{served, p.u.Paths()} {
		paths = slices.DeleteFunc(paths, named)
		if i := slices.IndexFunc(paths, func(other string) bool { return strings.HasSuffix(other, "/"+path) }); i >= 0 {
			return paths[i], true
		}
		if near, ok := schema.Nearest(path, paths); ok {
			return near, true
		}
	}
	return "", false
}

func (p *planner) newPeer(pkg *model.Package, path string, m *marker.Marker, labels map[string]*peer) *peer {
	pos := m.ValuePos + token.Pos(max(0, strings.Index(m.Raw, path)))
	switch {
	case pkg == nil:
		d := p.c.Errorf(pos, "convert-hub", "package %q cannot be loaded", path)
		if near, ok := p.nearHub(path, m); ok {
			d.Suggest("// %s", strings.Replace(m.Line, path, near, 1))
		}
		return nil
	case !pkg.HasGroup && len(p.pkg.Kinds) > 0 && pkg.MarksKinds():
		p.c.Errorf(pos, "convert-hub", "hub %s has no +groupName, so its types are not kinds and have no conversions",
			path).
			Relate(p.u.Position(pkg.Pos), "package %s", pkg.Name).
			Suggest("// +groupName=%s\npackage %s", p.pkg.Group, pkg.Name)
		return nil
	case p.serves(pkg):
		p.c.Errorf(pos, "convert-hub", "package %s is its own hub", path)
		return nil
	}
	if m.Name == "askind:hub" {
		for _, back := range p.u.HubsFrom(pkg) {
			if p.serves(back.Package) {
				p.c.Errorf(pos, "convert-hub",
					"%s and %s are each other's hub, so every conversion would be generated twice; remove one of "+
						"the markers", p.pkg.Path, pkg.Path).
					Relate(p.u.Position(back.Marker.Pos), "the other marker")
				return nil
			}
		}
	}
	label := emit.UpperFirst(pkg.Version)
	if pkg.Version == "" {
		label = emit.UpperFirst(pkg.Name)
	}
	if pkg.Group != p.pkg.Group {
		first, _, _ := strings.Cut(pkg.Group, ".")
		label = emit.UpperFirst(strings.ReplaceAll(first, "-", "")) + label
	}
	if old := labels[label]; old != nil {
		if old.pkg == pkg {
			return old
		}
		p.c.Errorf(pos, "convert-hub",
			"the hubs %s and %s would both be named %s in function names; give one of them a +versionName",
			old.pkg.Path, pkg.Path, label)
		return nil
	}
	labels[label] = &peer{pkg: pkg, label: label}
	return labels[label]
}

func (p *planner) rootsOf(pe *peer, hub model.Hub) {
	found := false
	if len(p.pkg.Kinds) == 0 {
		for _, t := range p.pkg.Types {
			if other := pe.pkg.Find(t.Name); t.Struct != nil && other != nil && other.Struct != nil && t.Exported() {
				p.pairOf(t.Named, other.Named, pe).root = true
				found = true
			}
		}
	}
	for _, k := range p.pkg.Kinds {
		if k.IsList || k.Shared {
			found = found || k.IsList
			continue
		}
		if other := pe.pkg.Kind(k.Name); other != nil && !other.IsList {
			p.rootKind(k, other, pe)
			found = true
		} else if near, ok := schema.Nearest(k.Name, kindNames(pe.pkg)); ok && p.pkg.Kind(near) == nil &&
			!k.Markers.Has("askind:equivalent") {
			p.c.Warnf(k.Pos, "convert-kind", "hub %s has no kind %s, so %s does not convert to it", pe.pkg.Path,
				k.Name, k.Name).
				Suggest("// +askind:equivalent=%s.%s", pe.pkg.Path, near)
			found = true
		}
	}
	if !found {
		p.c.Warnf(hub.Marker.ValuePos+token.Pos(max(0, strings.Index(hub.Marker.Raw, hub.Path))), "convert-hub",
			"hub %s has no kind in common with this package", pe.pkg.Path)
	}
}

func (p *planner) equivalent(k *model.Kind, m *marker.Marker, labels map[string]*peer) {
	i := strings.LastIndexByte(m.Value, '.')
	if i < 0 {
		p.c.Errorf(m.ValuePos, "convert-hub",
			"+askind:equivalent needs an import path and a kind").Suggest("// +askind:equivalent=example.com/api/v1.%s",
			k.Name)
		return
	}
	path, name := m.Value[:i], m.Value[i+1:]
	pe := p.newPeer(p.u.Package(path), path, m, labels)
	if pe == nil {
		return
	}
	other := pe.pkg.Kind(name)
	if other == nil || other.IsList {
		d := p.c.Errorf(m.ValuePos, "convert-hub", "package %s has no kind %s", path, name)
		if near, ok := schema.Nearest(name, kindNames(pe.pkg)); ok {
			d.Suggest("// +askind:equivalent=%s.%s", path, near)
		}
		return
	}
	for _, back := range other.Markers.All("askind:equivalent") {
		if back.Value == p.pkg.Path+"."+k.Name {
			p.c.Errorf(m.ValuePos, "convert-hub",
				"%s.%s also names this kind as its equivalent, so every conversion would be generated twice; remove one of "+
					"the markers", pe.pkg.Name, name).
				Relate(p.u.Position(back.Pos), "the other marker")
			return
		}
	}
	p.rootKind(k, other, pe)
}

func (p *planner) rootKind(k, other *model.Kind, pe *peer) {
	pr := p.pairOf(k.Named, other.Named, pe)
	if pr.kind != nil {
		return
	}
	pr.kind, pr.root = k, true
	p.kinds = append(p.kinds, pr)
}

func kindNames(p *model.Package) []string {
	var out []string
	for _, k := range p.Kinds {
		if !k.IsList {
			out = append(out, k.Name)
		}
	}
	return out
}

// pairOf returns the pair of two structs, and plans it on first use.
func (p *planner) pairOf(spoke, hub *types.Named, pe *peer) *pair {
	key := keyOf(spoke, hub)
	if pr := p.byType[key]; pr != nil {
		return pr
	}
	pr := &pair{spoke: p.u.Type(spoke), hub: p.u.Type(hub), pkg: p.pkg, peer: pe}
	p.byType[key] = pr
	p.pairs = append(p.pairs, pr)
	return pr
}

func keyOf(spoke, hub types.Type) pairKey {
	return pairKey{types.TypeString(spoke, nil), types.TypeString(hub, nil)}
}

func (pr *pair) addSite(s site) {
	if !slices.Contains(pr.sites, s) {
		pr.sites = append(pr.sites, s)
	}
}

// types returns source and target of a direction.
func (pr *pair) types(d direction) (in, out *model.Type) {
	if d == toHub {
		return pr.spoke, pr.hub
	}
	return pr.hub, pr.spoke
}

// ends returns source and target of a link in a direction.
func (l *link) ends(d direction) (src, dst place) {
	if d == toHub {
		return l.spoke, l.hub
	}
	return l.hub, l.spoke
}

func (p *planner) use(h *hand) {
	if h.used {
		return
	}
	h.used = true
	p.c.Log("conversion: hand-written " + h.fn.Name() + " converts " + p.typeName(h.in) + " to " + p.typeName(h.out))
}

func (p *planner) typeName(t types.Type) string { return p.pkg.TypeName(t) }

// signatureOf returns the declaration of a conversion function for a file of this package: with the
// names by which its files import other packages, and with names that differ for the others.
func (p *planner) signatureOf(name string, in, out types.Type) string {
	names, taken := p.pkg.ImportNames(), map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	write := func(t types.Type) string {
		return types.TypeString(t, func(other *types.Package) string {
			if other == p.pkg.Go {
				return ""
			}
			if names[other.Path()] == "" {
				name := other.Name()
				if taken[name] {
					name = emit.Qualifier(other)
				}
				names[other.Path()], taken[name] = name, true
			}
			return names[other.Path()]
		})
	}
	return "func " + name + "(in *" + write(in) + ", out *" + write(out) + ", s *conversion.Scope) error"
}

// once reports whether a message has not been reported yet.
func (p *planner) once(key string) bool {
	if p.said[key] {
		return false
	}
	p.said[key] = true
	return true
}

// checkSignatures reports functions whose names look like conversions but whose signatures do not.
func (p *planner) checkSignatures() {
	for _, fn := range p.pkg.Functions() {
		if !strings.HasPrefix(strings.ToLower(fn.Name()), "convert") {
			continue
		}
		if _, _, ok := converts(fn.Signature()); ok {
			continue
		}
		for v := range fn.Signature().Params().Variables() {
			t := v.Type()
			if (isScope(t) || isScope(types.NewPointer(t))) && p.once("signature "+fn.Name()) {
				p.c.Errorf(fn.Pos(), "convert-signature",
					"%s does not have the signature of a conversion, so it would not be used", fn.Name()).
					Suggest("func %s(in *A, out *B, s *conversion.Scope) error", fn.Name())
			}
		}
	}
}

// reserveHands reserves the functions that +askind:via names.
func (p *planner) reserveHands() {
	for _, t := range p.pkg.Served() {
		for _, f := range t.Fields {
			if m := f.Markers.Get("askind:via"); m != nil {
				for _, h := range p.viaNames(m, nil) {
					h.reserved = true
				}
			}
		}
	}
}

// viaNames returns the functions that a marker names. If the link with the marker is given, unknown
// names are reported.
func (p *planner) viaNames(m *marker.Marker, l *link) []*hand {
	var out []*hand
	names := strings.FieldsFunc(m.Value, func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
	for i, name := range names {
		if h := p.hands.named(name); h != nil {
			out = append(out, h)
			continue
		}
		if l == nil || !p.once("via "+name+p.u.Position(m.Pos).String()) {
			continue
		}
		src, dst := l.ends(direction(min(i, 1)))
		from, to := pointedTo(src.typ()), pointedTo(dst.typ())
		if types.Identical(from, to) {
			p.c.Errorf(m.ValuePos, "convert-marker",
				"%s is %s on both sides, so the types of %s do not tell its direction; give one side a type of its own",
				l.spoke.last().Name, p.typeName(from), name)
			continue
		}
		d := p.c.Errorf(m.ValuePos, "convert-marker", "this package has no conversion function %s", name)
		var known []string
		for _, h := range p.hands.all {
			known = append(known, h.fn.Name())
		}
		if near, ok := schema.Nearest(name, known); ok {
			d.Suggest("// +askind:via=%s", strings.Join(slices.Replace(slices.Clone(names), i, i+1, near), ","))
			continue
		}
		d.Suggest("%s", p.signatureOf(name, from, to))
	}
	return out
}

// pointedTo returns the element type of a pointer, and any other type itself.
func pointedTo(t types.Type) types.Type {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}
