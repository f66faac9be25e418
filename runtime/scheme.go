package runtime

import (
	"cmp"
	"context"
	"iter"
	"reflect"
	"slices"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/sorted"
	"github.com/askind/askind/schema"
)

// Scheme is what a program knows about its kinds: their identities, their Go types, and the
// functions that decode, default, validate, convert, show and encode them. It is built once and
// immutable; all methods are safe for concurrent use and take no lock. [Scheme.With] and
// [Scheme.Without] derive other schemes from it. The zero value is not usable; use [NewScheme].
type Scheme struct {
	registered *Builder // the registrations of the scheme; never modified

	all       []Kind // in order of registration
	ordered   []*Kind
	kinds     map[schema.GroupVersionKind]*Kind
	types     map[typeID]*Kind // the preferred kinds of pointers to Go types
	resources map[schema.GroupVersionResource]*Kind
	shared    map[string]*Kind
	versions  map[string][]schema.GroupVersion
	groups    []string

	edges []*conversionEdge               // between registered types
	graph *conversion.Graph[reflect.Type] // of the edges

	keeping  []uintptr // functions of the conversions that keep metadata
	partials []claim   // what as-kind functions read of whole objects or converted parts

	secrets secrets

	copying, sharing *conversion.Scope

	checks *[2]checkTerms // without and with decoding of embedded objects
}

// NewScheme runs the functions of group packages on one builder and freezes the result. The error
// joins all conflicts, one per line, each naming both sides and where they were registered;
// errors.Is finds [ErrConflict]. A function may be passed twice; a nil one is a conflict.
func NewScheme(groups ...func(*Builder)) (*Scheme, error) {
	const usual = 16 // spares most programs growing the lists several times
	b := &Builder{kinds: make([]kindEntry, 0, usual), as: make([]*asEdge, 0, usual), partials: make([]claim, 0, usual)}
	return b.build(groups)
}

// With returns a scheme with the kinds of s and the additional registrations of the functions.
func (s *Scheme) With(groups ...func(*Builder)) (*Scheme, error) {
	return s.registered.clone().build(groups)
}

// Without returns a scheme that does not know the kinds of the given group versions; a blank
// version stands for all versions of its group. Routes do not use conversions of those kinds. It is
// an error if the scheme does not have one of them.
func (s *Scheme) Without(remove ...schema.GroupVersion) (*Scheme, error) {
	removed := func(gv schema.GroupVersion) bool {
		return slices.ContainsFunc(remove, func(r schema.GroupVersion) bool {
			return r == gv || r.Version == "" && r.Group == gv.Group
		})
	}
	for _, r := range remove {
		known := len(s.versions[r.Group]) > 0
		if r.Version != "" {
			known = slices.Contains(s.versions[r.Group], r)
		}
		if !known {
			return nil, s.unknownVersion(r)
		}
	}
	return s.without(func(gvk schema.GroupVersionKind) bool { return removed(gvk.GroupVersion()) }, removed)
}

// WithoutKinds returns a scheme that does not know some kinds, with their lists, in any version. It
// is an error if the scheme does not have one of them.
func (s *Scheme) WithoutKinds(remove ...schema.GroupKind) (*Scheme, error) {
	gone := map[schema.GroupVersionKind]bool{}
	for _, gk := range remove {
		versions := s.VersionsOf(gk)
		if len(versions) == 0 {
			return nil, s.unknownKind(gk.WithVersion(""))
		}
		for _, gv := range versions {
			k := s.kinds[gv.WithKind(gk.Kind)]
			gone[k.gvk] = true
			if k.listKind != nil {
				gone[k.listKind.gvk] = true
			}
		}
	}
	left := map[schema.GroupVersion]bool{}
	for _, k := range s.ordered {
		left[k.GroupVersion()] = left[k.GroupVersion()] || !gone[k.gvk]
	}
	return s.without(func(gvk schema.GroupVersionKind) bool { return gone[gvk] },
		func(gv schema.GroupVersion) bool { return !left[gv] })
}

// without returns a scheme without some kinds. It also removes other declarations about versions
// that have no kinds left.
func (s *Scheme) without(kind func(schema.GroupVersionKind) bool, version func(schema.GroupVersion) bool) (
	*Scheme, error,
) {
	b := s.registered.clone()
	left := map[reflect.Type]bool{}
	b.kinds = sorted.Delete(slices.Clone(b.kinds), func(e kindEntry) bool { return kind(e.spec.GroupVersionKind) })
	for _, e := range b.kinds {
		left[e.structType()] = true
	}
	b.preferred = sorted.Delete(slices.Clone(b.preferred), version)
	b.as = sorted.Delete(slices.Clone(b.as), func(e *asEdge) bool {
		return !left[e.to()] &&
			len(s.kindsOf(e.to())) > 0
	})
	b.views = sorted.Delete(slices.Clone(b.views), func(e viewEntry) bool { return kind(e.gvk) })
	b.defaults, b.validations = ofTypes(b.defaults, left), ofTypes(b.validations, left)
	return b.build(nil)
}

// ofTypes returns the functions for some types.
func ofTypes[F any](entries []functionEntry[F], types map[reflect.Type]bool) (out []functionEntry[F]) {
	for _, e := range entries {
		if types[e.typ] {
			out = append(out, e)
		}
	}
	return out
}

// Kind returns the kind of that name. Shared kinds are found in every group version of the scheme.
// The error is an [*UnknownKindError] with suggestions.
func (s *Scheme) Kind(gvk schema.GroupVersionKind) (*Kind, error) {
	if k, ok := s.Lookup(gvk); ok {
		return k, nil
	}
	return nil, s.unknownKind(gvk)
}

// KindOf returns the kind of an object. If its Go type is registered as several kinds, the kind and
// apiVersion in the object decide; without them the error is [ErrAmbiguousKind]. An [Untyped]
// object has the kind that it states, whether or not the scheme knows it.
func (s *Scheme) KindOf(obj Object) (*Kind, error) {
	k := s.types[typeOf(obj)]
	if k == nil {
		if err := checkObject(obj); err != nil {
			return nil, err
		}
		if u, ok := obj.(Untyped); ok {
			return s.untypedKind(u)
		}
		if _, ok := obj.(holder); ok {
			return nil, &ObjectError{
				Object: reflect.TypeOf(obj).String(),
				Reason: "it holds an object; pass the result of its method Object",
			}
		}
		return nil, s.unknownType(reflect.TypeOf(obj).Elem())
	}
	if isNil(obj) {
		return nil, checkObject(obj)
	}
	if k.added.kinds == nil {
		return k, nil
	}
	apiVersion, kind := k.TypeOf(obj)
	for _, k := range k.added.kinds {
		if k.apiVersion == apiVersion && k.gvk.Kind == kind {
			return k, nil
		}
	}
	err := &ambiguousKindError{Type: k.Type().String()}
	for _, k := range k.added.kinds {
		err.Kinds = append(err.Kinds, k.gvk)
	}
	return nil, err
}

// KindFor returns the kind whose objects have type T. If T is registered as several kinds, it is
// the preferred one.
func KindFor[T any](s *Scheme) (*Kind, error) { return s.kindFor(typeOf((*T)(nil))) }

func (s *Scheme) kindFor(pointer typeID) (*Kind, error) {
	if k := s.types[pointer]; k != nil {
		return k, nil
	}
	t := structOf(pointer)
	if t.Kind() != reflect.Struct {
		return nil, &ObjectError{Object: t.String(), Reason: "the type of an object is a struct, named without a star"}
	}
	return nil, s.unknownType(t)
}

// holder is implemented by values that hold an object without being one, such as a cached encoded
// object.
type holder interface{ Object() (Object, error) }

// Resource returns the kind that is served as a resource, given its plural.
func (s *Scheme) Resource(gvr schema.GroupVersionResource) (*Kind, error) {
	if k := s.resources[gvr]; k != nil {
		return k, nil
	}
	err := &unknownResourceError{GroupVersionResource: gvr, Versions: s.versions[gvr.Group], Groups: s.groups}
	var names []string
	for _, k := range s.ordered {
		if k.GroupVersion() == gvr.GroupVersion() && k.resource != "" {
			names = append(names, k.resource)
		}
	}
	err.Nearest, _ = schema.Nearest(gvr.Resource, names)
	return nil, err
}

// Kinds yields all kinds ordered by group, then by preference of version, then by name.
func (s *Scheme) Kinds() iter.Seq[*Kind] { return slices.Values(s.ordered) }

// Versions returns the versions of a group in order of preference.
func (s *Scheme) Versions(group string) []schema.GroupVersion { return slices.Clone(s.versions[group]) }

// VersionsOf returns the versions in which a group has the kind, in order of preference.
func (s *Scheme) VersionsOf(gk schema.GroupKind) []schema.GroupVersion {
	var out []schema.GroupVersion
	all := s.versions[gk.Group]
	for i, gv := range all {
		if s.kinds[gv.WithKind(gk.Kind)] == nil {
			continue
		}
		if out == nil {
			out = make([]schema.GroupVersion, 0, len(all)-i)
		}
		out = append(out, gv)
	}
	return out
}

// StorageVersion returns the kind in the version in which objects of that group and kind are
// stored: the one whose spec sets Storage, or else the preferred one.
func (s *Scheme) StorageVersion(gk schema.GroupKind) (*Kind, error) {
	var preferred *Kind
	for _, gv := range s.versions[gk.Group] {
		k := s.kinds[gv.WithKind(gk.Kind)]
		if k != nil && k.storage {
			return k, nil
		}
		preferred = cmp.Or(preferred, k)
	}
	if preferred == nil {
		return nil, s.unknownKind(schema.GroupVersionKind{Group: gk.Group, Kind: gk.Kind})
	}
	return preferred, nil
}

// DeepCopy returns a copy of the object that shares no memory with it.
func (s *Scheme) DeepCopy(obj Object) (Object, error) {
	k, err := s.KindOf(obj)
	if err != nil {
		return nil, err
	}
	return k.table.deepCopy(obj)
}

// Default sets the defaults of the object in place.
func (s *Scheme) Default(obj Object) error {
	k, err := s.KindOf(obj)
	if err != nil {
		return err
	}
	return k.setDefaults(obj)
}

// Validate runs the validation functions of the object's kind. The error is a [FieldErrors] unless
// the object has no kind. An [Untyped] object whose kind is registered with a Go type is first
// decoded into that type.
func (s *Scheme) Validate(ctx context.Context, obj Object) error {
	k, obj, err := s.typed(obj)
	if err != nil {
		return err
	}
	return k.Validate(ctx, obj).Err()
}

// unknownKind returns the error for a kind that is not registered.
func (s *Scheme) unknownKind(gvk schema.GroupVersionKind) error {
	err := &UnknownKindError{GroupVersionKind: gvk, Versions: s.Versions(gvk.Group)}
	if len(err.Versions) == 0 {
		err.Groups = slices.Clone(s.groups)
	}
	add := func(near schema.GroupVersionKind) {
		if !slices.Contains(err.Near, near) && len(err.Near) < 3 {
			err.Near = append(err.Near, near)
		}
	}
	var here, anywhere []string
	for _, k := range s.ordered {
		anywhere = append(anywhere, k.gvk.Kind)
		if k.GroupVersion() == gvk.GroupVersion() {
			here = append(here, k.gvk.Kind)
		}
	}
	if name, ok := schema.Nearest(gvk.Kind, here); ok {
		add(gvk.GroupVersion().WithKind(name))
	}
	for _, k := range s.ordered { // the same name elsewhere, in the same group first
		if k.gvk.Kind == gvk.Kind && k.gvk.Group == gvk.Group {
			add(k.gvk)
		}
	}
	for _, k := range s.ordered {
		if k.gvk.Kind == gvk.Kind {
			add(k.gvk)
		}
	}
	if len(err.Near) == 0 {
		if name, ok := schema.Nearest(gvk.Kind, anywhere); ok {
			for _, k := range s.ordered {
				if k.gvk.Kind == name {
					add(k.gvk)
				}
			}
		}
	}
	return err
}

// unknownType returns the error for a Go type that is not registered.
func (s *Scheme) unknownType(t reflect.Type) error {
	err := &UnknownKindError{Type: typeName(t)}
	for _, k := range s.ordered {
		if k.Type().Name() == t.Name() {
			err.SameName = append(err.SameName, typeName(k.Type())+" as "+k.gvk.String())
		}
	}
	return err
}

// typeName returns a type with its import path.
func typeName(t reflect.Type) string {
	if t.PkgPath() == "" || t.Name() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}

// unknownVersionError reports that a scheme does not have a group version. errors.Is finds
// [ErrUnknownKind].
type unknownVersionError struct {
	GroupVersion schema.GroupVersion
	Versions     []schema.GroupVersion // of that group
	Groups       []string
}

// Error implements error.
func (e *unknownVersionError) Error() string {
	return "runtime: the scheme has no version " + versionName(e.GroupVersion) + known(e.GroupVersion.Group,
		e.Versions, e.Groups)
}

// Unwrap returns [ErrUnknownKind].
func (e *unknownVersionError) Unwrap() error { return ErrUnknownKind }

// unknownVersion returns the error for a version that the scheme does not have.
func (s *Scheme) unknownVersion(gv schema.GroupVersion) error {
	return &unknownVersionError{GroupVersion: gv, Versions: s.versions[gv.Group], Groups: s.groups}
}

// unknownResourceError reports that no kind is served as a resource. errors.Is finds
// [ErrUnknownKind].
type unknownResourceError struct {
	GroupVersionResource schema.GroupVersionResource
	Nearest              string // a resource of the group version that was probably meant
	Versions             []schema.GroupVersion
	Groups               []string
}

// Error implements error.
func (e *unknownResourceError) Error() string {
	msg := "runtime: no resource " + schema.Quote(e.GroupVersionResource.Resource) + " in " +
		versionName(e.GroupVersionResource.GroupVersion())
	if e.Nearest != "" {
		msg += " (did you mean \"" + e.Nearest + "\"?)"
	}
	return msg + known(e.GroupVersionResource.Group, e.Versions, e.Groups)
}

// Unwrap returns [ErrUnknownKind].
func (e *unknownResourceError) Unwrap() error { return ErrUnknownKind }

// known lists the known alternatives.
func known(group string, versions []schema.GroupVersion, groups []string) string {
	if len(versions) == 0 {
		return "; the groups are " + joined(groups, ", ", groupName)
	}
	return "; " + groupName(group) + " has the versions " +
		joined(versions, ", ", func(gv schema.GroupVersion) string { return gv.Version })
}

// compareVersions orders the versions of a group by preference.
func compareVersions(preferred []schema.GroupVersion) func(a, b schema.GroupVersion) int {
	rank := func(gv schema.GroupVersion) int {
		if i := slices.Index(preferred, gv); i >= 0 {
			return i
		}
		return len(preferred)
	}
	return func(a, b schema.GroupVersion) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), schema.CompareVersions(a.Version, b.Version))
	}
}
