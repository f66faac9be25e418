package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

func newScheme(t testing.TB, groups ...func(*runtime.Builder)) *runtime.Scheme {
	t.Helper()
	if len(groups) == 0 {
		groups = all
	}
	s, err := runtime.NewScheme(groups...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchemeOrdersVersionsAndKinds(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	if got, want := s.Versions("toys.example.com"), []schema.GroupVersion{v1, beta, alpha}; !slices.Equal(got, want) {
		t.Errorf("versions: got %v, want %v", got, want)
	}
	var names []string
	for k := range s.Kinds() {
		names = append(names, k.String())
	}
	want := []string{
		"shop.example.com/v1, Kind=Toy", "shop.example.com/v1, Kind=ToyList",
		"toys.example.com/v1, Kind=Gadget", "toys.example.com/v1, Kind=GadgetList",
		"toys.example.com/v1beta1, Kind=Gadget", "toys.example.com/v1beta1, Kind=GadgetList",
		"toys.example.com/v1alpha1, Kind=Gadget", "toys.example.com/v1alpha1, Kind=GadgetList",
		"views.example.com/v1, Kind=Brief", "views.example.com/v1, Kind=BriefList", "views.example.com/v1, Kind=Roll",
	}
	if !slices.Equal(names, want) {
		t.Errorf("kinds:\ngot  %q\nwant %q", names, want)
	}
	if err := s.Check(); err != nil {
		t.Errorf("Check: %v", err)
	}
}

func TestPreferOverridesTheOrderOfVersions(t *testing.T) {
	t.Parallel()
	s := newScheme(t, append(slices.Clone(all), func(b *runtime.Builder) { b.Prefer(beta) })...)
	if got, want := s.Versions("toys.example.com"), []schema.GroupVersion{beta, v1, alpha}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	k, err := s.StorageVersion(schema.GroupKind{Group: "toys.example.com", Kind: "Gadget"})
	if err != nil || k.GroupVersion() != v1 {
		t.Errorf("the storage version is marked, got %v, %v", k, err)
	}
	k, err = s.StorageVersion(schema.GroupKind{Group: "toys.example.com", Kind: "GadgetList"})
	if err != nil || k.GroupVersion() != beta {
		t.Errorf("without a mark the preferred version is it, got %v, %v", k, err)
	}
}

func TestAddingTwiceIsFine(t *testing.T) {
	t.Parallel()
	s := newScheme(t, append(slices.Clone(all), all...)...)
	again, err := s.With(all...)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(slices.Collect(again.Kinds())), len(slices.Collect(newScheme(t).Kinds())); got != want {
		t.Errorf("got %d kinds, want %d", got, want)
	}
}

func TestConflictsComeTogetherAndNameBothSides(t *testing.T) {
	t.Parallel()
	_, err := runtime.NewScheme(append(slices.Clone(all), func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[Toy]{GroupVersionKind: v1.WithKind("Gadget"), Source: "other/types.go:1"})
		runtime.AddKind(b, &runtime.KindSpec[Meta]{GroupVersionKind: v1.WithKind("Clash"), Resource: "gadgets"})
		runtime.AddKind(b, &runtime.KindSpec[TypeMeta]{GroupVersionKind: beta.WithKind("Gadget2"), List: "Missing"})
		runtime.AddKind(b, &runtime.KindSpec[ListMeta]{GroupVersionKind: schema.GroupVersionKind{
			Group:   "a/b",
			Version: "v1", Kind: "K",
		}})
		runtime.AddKind(b, &runtime.KindSpec[struct{ A int }]{GroupVersionKind: schema.GroupVersionKind{
			Group: "a",
			Kind:  "K",
		}})
		runtime.AddKind(b, &runtime.KindSpec[struct{ B int }]{GroupVersionKind: v1.WithKind("Old"), ABI: 99})
		runtime.AddKind(b, &runtime.KindSpec[int]{GroupVersionKind: v1.WithKind("Number")})
		runtime.AddConversion(b, func(*GadgetBeta, *Gadget, *scope) error { return nil })
		runtime.AddDefault(b, func(*unregistered) error { return nil })
		b.Prefer(schema.GroupVersion{Group: "toys.example.com", Version: "v9"})
		runtime.AddKind(b, &runtime.KindSpec[Toy]{GroupVersionKind: shop.WithKind("Toy"), Resource: "playthings"})
		runtime.AddKind(b, (*runtime.KindSpec[Roll])(nil))
		runtime.AddKind(b, &runtime.KindSpec[struct{ C int }]{GroupVersionKind: v1.WithKind("a.b c")})
		runtime.AddDefault[Gadget](b, nil)
		runtime.AddValidation[Gadget](b, nil)
		runtime.AddConversion[Toy, Roll](b, nil)
		runtime.AddAs[Toy, Roll](b, nil)
	})...)
	if !errors.Is(err, runtime.ErrConflict) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{
		"registered at other/types.go:1 conflicts with", "toys/v1/types.go:7", "the resource toys.example.com/v1",
		"its list kind Missing is not registered", `the group "a/b"`, "the version is blank", "generated for ABI 99",
		"its Go type int is not a struct",
		"the conversion from", "scheme_test.go:", "the default function for", "a different one for the same type",
		"its spec is nil", "a.b c", "the default function added at", "the validation function added at",
		"its function is nil", "the preferred version toys.example.com/v9",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	if all, ok := err.(interface{ Unwrap() []error }); !ok || len(all.Unwrap()) != 17 {
		t.Errorf("want 17 errors, got %v", err)
	}
}

type unregistered struct{ Gadget }

func TestKindOfRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	text := "text"
	for name, obj := range map[string]runtime.Object{
		"nil": nil, "typed nil": (*Gadget)(nil), "value": Gadget{}, "string": text, "pointer to string": &text,
		"pointer to pointer": new(*Gadget), "map": map[string]any{},
	} {
		if _, err := s.KindOf(obj); !errors.Is(err, runtime.ErrNotObject) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := s.ConvertTo(obj, v1); !errors.Is(err, runtime.ErrNotObject) {
			t.Errorf("%s: ConvertTo: got %v", name, err)
		}
	}
	_, err := s.KindOf(&unregistered{})
	if !errors.Is(err, runtime.ErrUnknownKind) || !strings.Contains(err.Error(), "runtime_test.unregistered") {
		t.Errorf("got %v", err)
	}
}

func TestUnknownKindNamesWhatIsNear(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	for _, row := range []struct {
		name string
		gvk  schema.GroupVersionKind
		want []string
	}{
		{"misspelt", v1.WithKind("Gadgit"), []string{
			`did you mean "Gadget"?`, "has the versions v1, v1beta1, v1alpha1",
			"if the kind is new",
		}},
		{
			"other version",
			schema.GroupVersionKind{Group: "toys.example.com", Version: "v2", Kind: "Gadget"},
			[]string{"in toys.example.com/v2; toys.example.com has it in v1, v1beta1, v1alpha1; pass the AddTo function"},
		},
		{
			"other group",
			schema.GroupVersionKind{Group: "toys", Version: "v1", Kind: "Gadget"},
			[]string{
				`"Gadget" of toys.example.com/v1`,
				"the groups are shop.example.com, toys.example.com, views.example.com",
			},
		},
		{"nothing near", v1.WithKind("Zebra"), []string{`no kind "Zebra" is registered in toys.example.com/v1`}},
	} {
		_, err := s.Kind(row.gvk)
		if !errors.Is(err, runtime.ErrUnknownKind) {
			t.Errorf("%s: got %v", row.name, err)
			continue
		}
		for _, want := range row.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in %v", row.name, want, err)
			}
		}
	}
}

func TestResourceLookup(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	k, err := s.Resource(beta.WithResource("gadgets"))
	if err != nil || k.GroupVersionKind() != beta.WithKind("Gadget") {
		t.Errorf("got %v, %v", k, err)
	}
	_, err = s.Resource(beta.WithResource("gadget"))
	if !errors.Is(err, runtime.ErrUnknownKind) || !strings.Contains(err.Error(), `did you mean "gadgets"?`) {
		t.Errorf("got %v", err)
	}
	k, _ = s.Kind(v1.WithKind("Gadget"))
	if got := k.Info(); got.Singular != "gadget" || !slices.Equal(got.ShortNames, []string{"gd"}) {
		t.Errorf("names: got %q, %q", got.Singular, got.ShortNames)
	}
}

func TestOneTypeUnderSeveralKinds(t *testing.T) {
	t.Parallel()
	again := func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[Brief]{
			GroupVersionKind: schema.GroupVersionKind{Group: "", Version: "v1", Kind: "Brief"},
			TypeMeta:         func(o *Brief) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		})
	}
	s := newScheme(t, append(slices.Clone(all), again)...)
	var b Brief
	_, err := s.KindOf(&b)
	if !errors.Is(err, runtime.ErrAmbiguousKind) ||
		!strings.Contains(err.Error(), "v1, Kind=Brief and as views.example.com/v1, Kind=Brief") {
		t.Errorf("got %v", err)
	}
	b.Kind, b.APIVersion = "Brief", "views.example.com/v1"
	k, err := s.KindOf(&b)
	if err != nil || k.GroupVersionKind() != views.WithKind("Brief") {
		t.Errorf("got %v, %v", k, err)
	}
	out, err := s.ConvertTo(&b, schema.GroupVersion{Version: "v1"})
	if err != nil || out.(*Brief).APIVersion != "v1" || out == runtime.Object(&b) {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestSharedKindsAreKnownEverywhere(t *testing.T) {
	t.Parallel()
	options := func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[Meta]{GroupVersionKind: views.WithKind("Options"), Shared: true})
	}
	s := newScheme(t, append(slices.Clone(all), options)...)
	k, err := s.Kind(alpha.WithKind("Options"))
	if err != nil || k.GroupVersionKind() != views.WithKind("Options") {
		t.Errorf("got %v, %v", k, err)
	}
	if _, err := s.Kind(schema.GroupVersionKind{Group: "none", Version: "v1", Kind: "Options"}); !errors.Is(err,
		runtime.ErrUnknownKind) {
		t.Errorf("a group version that the scheme does not have: got %v", err)
	}
}

func TestWithoutAndWith(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	fewer, err := s.Without(beta)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fewer.ConvertTo(&GadgetAlpha{}, v1); err == nil {
		t.Error("the hub is gone, and the route over it is still there")
	}
	if _, err := s.ConvertTo(&GadgetAlpha{Shape[string]{Size: "1"}}, v1); err != nil {
		t.Errorf("the first scheme has changed: %v", err)
	}
	back, err := fewer.With(addBeta)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := back.ConvertTo(&GadgetAlpha{Shape[string]{Size: "1"}}, v1); err != nil {
		t.Errorf("with the version again: %v", err)
	}
	none, err := s.Without(schema.GroupVersion{Group: "toys.example.com"})
	if err != nil || len(none.Versions("toys.example.com")) != 0 {
		t.Errorf("a blank version removes the group: got %v, %v", none.Versions("toys.example.com"), err)
	}
	if _, err := s.Without(schema.GroupVersion{Group: "toys.example.com", Version: "v7"}); !errors.Is(err,
		runtime.ErrUnknownKind) {
		t.Errorf("a version that is not there: got %v", err)
	}
}

// TestWithoutForgetsWhatIsGone checks that nothing that was said of a version stands in the way of
// a scheme without it.
func TestWithoutForgetsWhatIsGone(t *testing.T) {
	t.Parallel()
	s := newScheme(t, append(slices.Clone(all), func(b *runtime.Builder) {
		b.Prefer(beta)
		runtime.AddDefault(b, func(*GadgetBeta) error { return nil })
		runtime.AddValidation(b, func(context.Context, *GadgetBeta) runtime.FieldErrors { return nil })
	})...)
	if _, err := s.Without(beta); err != nil {
		t.Error(err)
	}
	if got := s.Versions(beta.Group); len(got) == 0 || got[0] != beta {
		t.Errorf("the first scheme has changed: its versions are %v", got)
	}
}

func TestWithoutKinds(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	gk := v1.WithKind("Gadget").GroupKind()
	fewer, err := s.WithoutKinds(gk)
	if err != nil {
		t.Fatal(err)
	}
	for gv := range slices.Values(s.VersionsOf(gk)) {
		if _, ok := fewer.Lookup(gv.WithKind("Gadget")); ok {
			t.Errorf("%s is still there", gv)
		}
	}
	if _, ok := s.Lookup(v1.WithKind("Gadget")); !ok {
		t.Error("the first scheme has changed")
	}
	if _, err := fewer.WithoutKinds(gk); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("a kind that is not there: got %v", err)
	}
}

func TestDefaultAndValidate(t *testing.T) {
	t.Parallel()
	s := newScheme(t, append(slices.Clone(all), func(b *runtime.Builder) {
		runtime.AddDefault(b, func(g *Gadget) error { g.Tags = append(g.Tags, "second"); return nil })
		runtime.AddValidation(b, func(_ context.Context, g *Gadget) runtime.FieldErrors {
			if g.Meta.Name != "" {
				return nil
			}
			return runtime.FieldErrors{runtime.Required(schema.NewPath("meta", "name"), "")}
		})
	})...)
	list := &GadgetList{ShapeList[Gadget]{Items: []Gadget{{}, {Shape[int64]{Size: -3}}}}}
	if err := s.Default(list); err != nil {
		t.Fatal(err)
	}
	if got := list.Items[0]; got.Size != 1 || !slices.Equal(got.Tags, []string{"second"}) {
		t.Errorf("defaults of items: got %+v", got)
	}
	err := s.Validate(t.Context(), list)
	want := "items[0].meta.name: Required value\nitems[1].size: Invalid value: -3: must not be negative\nitems[1].meta.name: Required value"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %v", err, want)
	}
	if found, ok := errors.AsType[runtime.FieldErrors](err); !ok || len(found) != 3 {
		t.Errorf("got %T", err)
	}
}

// TestConcurrentReads derives schemes from one that a thousand goroutines read. It means something
// under the race detector.
func TestConcurrentReads(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			<-start
			scheme := s
			if i%10 == 0 {
				derived, err := s.Without(shop)
				if err == nil {
					scheme, err = derived.With(addShop)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
			in := &GadgetAlpha{Shape[string]{Size: "12"}}
			out, err := scheme.ConvertTo(in, v1)
			if err != nil || out.(*Gadget).Size != 12 {
				t.Errorf("got %v, %v", out, err)
			}
			if _, err := scheme.As(out, views.WithKind("Roll")); err != nil {
				t.Error(err)
			}
			if _, err := scheme.Kind(v1.WithKind("Gadget")); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
}

// TestLookupStated compares the lookup of what an object states, as strings and in its text, with
// the parser and Lookup make of it. Shared kinds and a core group are among them.
func TestLookupStated(t *testing.T) {
	core := schema.GroupVersion{Version: "v1"}
	s := newScheme(t, append(slices.Clone(all), func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[Meta]{GroupVersionKind: views.WithKind("Options"), Shared: true})
		runtime.AddKind(b, &runtime.KindSpec[Toy]{GroupVersionKind: core.WithKind("Plain")})
	})...)
	found := 0
	for _, apiVersion := range []string{
		"", "v1", "v2", "/", "/v1", "v1/", "toys.example.com", "toys.example.com/", "toys.example.com/v1",
		"toys.example.com/v1beta1", "toys.example.com/v9",
		"toys.example.com/v1/", "toys.example.com//v1", "other.example.com/v1", "views.example.com/v1",
	} {
		for _, kind := range []string{"", "Gadget", "gadget", "GadgetList", "Options", "Plain", "Brief"} {
			var want *runtime.Kind
			if gv, err := schema.ParseGroupVersion(apiVersion); err == nil {
				want, _ = s.Lookup(gv.WithKind(kind))
			}
			if got := s.LookupStated([]byte(apiVersion), []byte(kind)); got != want {
				t.Errorf("%q, %q: %v, want %v", apiVersion, kind, got, want)
			}
			// not read beyond both
			text := fmt.Appendf(nil, `{"spec":{"kind":"Other"},"kind":%q,"apiVersion":%q,`, kind, apiVersion)
			if got := s.LookupText(text); got != want {
				t.Errorf("%s: %v, want %v", text, got, want)
			}
			if want != nil {
				found++
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d were found", found)
	}
	for _, text := range []string{
		"", "[]", "{}", `{"kind":"Gadget"}`, `{"kind":"Gadget","apiVersion":7}`,
		`{"kind":"Gadget",,"apiVersion":"toys.example.com/v1"}`,
	} {
		if got := s.LookupText([]byte(text)); got != nil {
			t.Errorf("%s: %v", text, got)
		}
	}
	if race.Enabled {
		return
	}
	apiVersion, kind := []byte("toys.example.com/v1"), []byte("Gadget")
	text := []byte(`{"kind":"Gadget","apiVersion":"toys.example.com/v1"}`)
	if n := testing.AllocsPerRun(100, func() { s.LookupStated(apiVersion, kind); s.LookupText(text) }); n > 0 {
		t.Errorf("it allocates %.0f times", n)
	}
}

// TestOrderOfRegistrationDoesNotShow adds kinds of many groups and versions in many orders.
func TestOrderOfRegistrationDoesNotShow(t *testing.T) {
	t.Parallel()
	var kinds []schema.GroupVersionKind
	for _, group := range []string{"", "a.example.com", "b.example.com"} {
		for _, version := range []string{"v2", "v1", "v1beta1"} {
			for _, kind := range []string{"Anvil", "Bellows", "Hammer"} {
				kinds = append(kinds, schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
			}
		}
	}
	random := rand.New(rand.NewPCG(3, 5))
	for range 20 {
		order := random.Perm(len(kinds))
		s := newScheme(t, func(b *runtime.Builder) {
			for _, i := range order {
				runtime.AddKind(b, &runtime.KindSpec[Gadget]{
					GroupVersionKind: kinds[i],
					Resource:         strings.ToLower(kinds[i].Kind) + "s", Source: "x.go:1",
				})
			}
		})
		var got []schema.GroupVersionKind
		for k := range s.Kinds() {
			got = append(got, k.GroupVersionKind())
		}
		if !slices.Equal(got, kinds) {
			t.Fatalf("registered in the order %v: got %v, want %v", order, got, kinds)
		}
		for _, gvk := range kinds {
			byName, err := s.Kind(gvk)
			if err != nil {
				t.Fatal(err)
			}
			byResource, err := s.Resource(gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s"))
			if err != nil {
				t.Fatal(err)
			}
			stated := s.LookupStated([]byte(gvk.GroupVersion().String()), []byte(gvk.Kind))
			if byName.GroupVersionKind() != gvk || byResource != byName || stated != byName ||
				byName.Info().Singular != strings.ToLower(gvk.Kind) {
				t.Errorf("%v: got %v by name, %v by resource, %v by what is stated", gvk, byName, byResource, stated)
			}
		}
		if k, err := runtime.KindFor[Gadget](s); err != nil || k.GroupVersionKind() != kinds[0] {
			t.Errorf("the preferred kind of the type is %v, %v", k, err)
		}
	}
}

// TestSchemeThatWasNotBuilt checks that the zero value knows nothing and says so.
func TestSchemeThatWasNotBuilt(t *testing.T) {
	t.Parallel()
	var s runtime.Scheme
	if _, err := s.Kind(v1.WithKind("Gadget")); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("Kind: %v", err)
	}
	if _, err := s.Resource(v1.WithResource("gadgets")); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("Resource: %v", err)
	}
	if _, err := s.KindOf(&Gadget{}); !errors.Is(err, runtime.ErrUnknownKind) {
		t.Errorf("KindOf: %v", err)
	}
	if k := s.LookupStated([]byte("toys.example.com/v1"), []byte("Gadget")); k != nil {
		t.Errorf("LookupStated: %v", k)
	}
}

// TestWithoutLeavesItsParent checks that a scheme is not changed by one that is derived from it.
func TestWithoutLeavesItsParent(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	before := slices.Collect(s.Kinds())
	for _, gv := range s.Versions(before[0].GroupVersionKind().Group) {
		_, _ = s.Without(gv) // which may leave references without an end
	}
	again, err := s.With()
	if err != nil {
		t.Fatal(err)
	}
	after := slices.Collect(again.Kinds())
	if len(after) != len(before) {
		t.Fatalf("%d kinds are left of %d", len(after), len(before))
	}
	for i, k := range after {
		if k.GroupVersionKind() != before[i].GroupVersionKind() {
			t.Errorf("kind %d is %s, was %s", i, k, before[i])
		}
	}
}

func TestNilGroupFunction(t *testing.T) {
	t.Parallel()
	_, err := runtime.NewScheme(addV1, nil)
	if !errors.Is(err, runtime.ErrConflict) || !strings.Contains(err.Error(), "group function 2 of 2: it is nil") {
		t.Errorf("NewScheme: %v", err)
	}
	if _, err := newScheme(t).With(nil); !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("With: %v", err)
	}
}

func TestTwoStorageVersions(t *testing.T) {
	t.Parallel()
	_, err := runtime.NewScheme(func(b *runtime.Builder) {
		for _, gv := range []schema.GroupVersion{v1, beta} {
			k := schema.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: "Toy"}
			runtime.AddKind(b, &runtime.KindSpec[Toy]{
				GroupVersionKind: k, Source: gv.Version + "/types.go:1", Storage: true,
			})
		}
	})
	if !errors.Is(err, runtime.ErrConflict) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"the storage version of", "v1/types.go:1", "v1beta1/types.go:1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

func TestTwoScopes(t *testing.T) {
	t.Parallel()
	add := func(gv schema.GroupVersion, scope runtime.Scope, resource string) func(*runtime.Builder) {
		return func(b *runtime.Builder) {
			runtime.AddKind(b, &runtime.KindSpec[Toy]{
				GroupVersionKind: gv.WithKind("Toy"), Source: gv.Version + "/types.go:1",
				Scope: scope, Resource: resource,
			})
		}
	}
	s, err := runtime.NewScheme(add(v1, runtime.Cluster, "toys"), add(alpha, runtime.Cluster, "toys"),
		add(shop, runtime.Namespaced, "toys"), add(beta, runtime.Namespaced, ""))
	if err != nil {
		t.Fatalf("another group, or a kind that is not served: %v", err)
	}
	s, err = s.Without(beta)
	if err != nil {
		t.Fatal(err)
	}
	const want = "runtime: the scope of Toy.toys.example.com: Cluster in v1 registered at v1/types.go:1 conflicts with " +
		"Namespaced in v1beta1 registered at v1beta1/types.go:1"
	_, err = s.With(add(beta, runtime.Namespaced, "toys"))
	if !errors.Is(err, runtime.ErrConflict) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestListsOfNoKind(t *testing.T) {
	t.Parallel()
	type list struct{ Toys []Toy }
	gvk := shop.WithKind("ToyList")
	for name, c := range map[string]struct {
		items func(*list) runtime.Items
		want  string
	}{
		"unregistered": {
			func(l *list) runtime.Items { return (*runtime.Slice[Toy])(&l.Toys) }, "are objects of no registered kind",
		},
		"nil":     {func(*list) runtime.Items { return nil }, "items that are pointers to structs"},
		"no type": {func(*list) runtime.Items { return bareItems{} }, "items that are pointers to structs"},
	} {
		_, err := runtime.NewScheme(func(b *runtime.Builder) {
			runtime.AddKind(b, &runtime.KindSpec[list]{GroupVersionKind: gvk, Items: c.items})
		})
		if !errors.Is(err, runtime.ErrConflict) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	type raw struct{ Items []runtime.RawExtension }
	type family struct{ Items []runtime.Embedded[any] }
	if _, err := runtime.NewScheme(func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[raw]{
			GroupVersionKind: shop.WithKind("RawList"),
			Items:            func(l *raw) runtime.Items { return (*runtime.Slice[runtime.RawExtension])(&l.Items) },
		})
		runtime.AddKind(b, &runtime.KindSpec[family]{
			GroupVersionKind: shop.WithKind("FamilyList"),
			Items: func(l *family) runtime.Items {
				return (*runtime.Slice[runtime.Embedded[any]])(&l.Items)
			},
		})
	}); err != nil {
		t.Errorf("lists of any kinds: %v", err)
	}
}

// bareItems are items that are not pointers.
type bareItems struct{}

func (bareItems) Len() int              { return 0 }
func (bareItems) At(int) runtime.Object { return 1 }
func (bareItems) Resize(int)            {}
func (bareItems) IsNil() bool           { return false }

// TestWithoutKeepsTheSpecsOfItsParent checks that the kinds of the parent are copied before some
// are taken out: the two schemes share what they were built from.
func TestWithoutKeepsTheSpecsOfItsParent(t *testing.T) {
	t.Parallel()
	parent, err := runtime.NewScheme(func(b *runtime.Builder) {
		for _, gv := range []schema.GroupVersion{shop, views} {
			runtime.AddKind(b, &runtime.KindSpec[Toy]{GroupVersionKind: gv.WithKind("Toy")})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parent.Without(shop); err != nil {
		t.Fatal(err)
	}
	again, err := parent.With()
	if err != nil {
		t.Fatal(err)
	}
	for _, gv := range []schema.GroupVersion{shop, views} {
		if _, err := again.Kind(gv.WithKind("Toy")); err != nil {
			t.Errorf("after Without: %v", err)
		}
	}
}

// TestWithoutKeepsTheFunctionsOfItsParent checks that the functions of the parent are copied before
// those of some types are taken out.
func TestWithoutKeepsTheFunctionsOfItsParent(t *testing.T) {
	t.Parallel()
	var ran []string
	note := func(name string) { ran = append(ran, name) }
	parent := newScheme(t, append(slices.Clone(all), func(b *runtime.Builder) {
		runtime.AddDefault(b, func(*GadgetBeta) error { note("default beta"); return nil })
		runtime.AddDefault(b, func(*Gadget) error { note("default"); return nil })
		runtime.AddValidation(b, func(context.Context, *GadgetBeta) runtime.FieldErrors {
			note("validate beta")
			return nil
		})
		runtime.AddValidation(b, func(context.Context, *Gadget) runtime.FieldErrors { note("validate"); return nil })
		runtime.AddAs(b, func(*Gadget, *GadgetBeta, *conversion.Scope) error { note("as beta"); return nil })
		runtime.AddAs(b, func(*GadgetBeta, *Gadget, *conversion.Scope) error { note("as"); return nil })
	})...)
	if _, err := parent.Without(beta); err != nil {
		t.Fatal(err)
	}
	again, err := parent.With()
	if err != nil {
		t.Fatal(err)
	}
	for _, obj := range []runtime.Object{&GadgetBeta{}, &Gadget{}} {
		if err := again.Default(obj); err != nil {
			t.Error(err)
		}
		if err := again.Validate(t.Context(), obj); err != nil {
			t.Error(err)
		}
	}
	if _, err := again.As(&Gadget{}, beta.WithKind("Gadget")); err != nil {
		t.Error(err)
	}
	if _, err := again.As(&GadgetBeta{}, v1.WithKind("Gadget")); err != nil {
		t.Error(err)
	}
	want := []string{"default beta", "validate beta", "default", "validate", "as beta", "as"}
	if !slices.Equal(ran, want) {
		t.Errorf("of the functions, %q were called, want %q", ran, want)
	}
}

// TestSiblingsShareNothing checks that schemes derived from one parent do not write into each
// other's registrations.
func TestSiblingsShareNothing(t *testing.T) {
	t.Parallel()
	var ran []string
	adds := func(name string) func(*runtime.Builder) {
		return func(b *runtime.Builder) {
			runtime.AddDefault(b, func(*Gadget) error { ran = append(ran, name); return nil })
		}
	}
	// The parent has appended three functions, so that there may be room for a fourth.
	parent := newScheme(t, append(slices.Clone(all), adds("a"), adds("b"), adds("c"))...)
	first, err := parent.With(adds("first"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parent.With(adds("second")); err != nil {
		t.Fatal(err)
	}
	again, err := first.With()
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Default(&Gadget{}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b", "c", "first"}; !slices.Equal(ran, want) {
		t.Errorf("the functions %q ran, want %q", ran, want)
	}
}

// TestZeroScheme checks that the zero Scheme knows no kinds and can be added to.
func TestZeroScheme(t *testing.T) {
	t.Parallel()
	var zero runtime.Scheme
	s, err := zero.With(all...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.KindOf(&Gadget{}); err != nil {
		t.Error(err)
	}
	if _, err := zero.Without(); err != nil {
		t.Error(err)
	}
	_, err = zero.Kind(schema.GroupVersionKind{})
	if err == nil || strings.Contains(err.Error(), " in ;") {
		t.Errorf("got %v", err)
	}
}

// TestRepeatedRegistrationsAreNotKept checks that a scheme does not grow by registrations that its
// parents have, however often they are repeated.
func TestRepeatedRegistrationsAreNotKept(t *testing.T) { // not parallel, because it counts allocated bytes
	setDefaults := func(*Gadget) error { return nil }
	validate := func(context.Context, *Gadget) runtime.FieldErrors { return nil }
	same := append(slices.Clone(all), func(b *runtime.Builder) {
		runtime.AddDefault(b, setDefaults)
		runtime.AddValidation(b, validate)
		b.Requires(v1, beta)
		b.Prefer(beta)
	})
	s := newScheme(t, same...)
	grow := func() uint64 {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		next, err := s.With(same...)
		if err != nil {
			t.Fatal(err)
		}
		goruntime.ReadMemStats(&after)
		s = next
		return after.TotalAlloc - before.TotalAlloc
	}
	first := grow()
	for range 50 {
		grow()
	}
	if last := grow(); last > first+first/4 {
		t.Errorf("repeating all registrations allocates %d bytes once and %d bytes after 50 times", first, last)
	}
}

// TestLongNamesInErrors checks that names of any length are shortened in the errors of lookups.
func TestLongNamesInErrors(t *testing.T) {
	t.Parallel()
	s := planScheme(t)
	long := strings.Repeat("x", 1<<20)
	gv := schema.GroupVersion{Group: long, Version: long}
	_, kind := s.Kind(gv.WithKind(long))
	_, resource := s.Resource(gv.WithResource(long))
	_, version := s.Without(gv)
	for name, err := range map[string]error{"kind": kind, "resource": resource, "version": version} {
		if err == nil || len(err.Error()) > 2000 {
			t.Errorf("%s: got %.3000v", name, err)
		}
	}
}
