package runtime_test

import (
	"errors"
	"maps"
	"reflect"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

type scope = conversion.Scope

func sample() *Gadget {
	return &Gadget{Shape[int64]{
		TypeMeta: TypeMeta{Kind: "Gadget", APIVersion: "toys.example.com/v1"},
		Meta:     Meta{Name: "robot", Labels: map[string]string{"a": "b"}}, Size: 7, Tags: []string{"x", "y"},
	}}
}

func TestConvertOverTheHub(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	in := sample()
	out, err := s.ConvertTo(in, alpha)
	if err != nil {
		t.Fatal(err)
	}
	got := out.(*GadgetAlpha)
	if got.Size != "7" || got.Kind != "Gadget" || got.APIVersion != "toys.example.com/v1alpha1" ||
		got.Meta.Name != "robot" {
		t.Errorf("got %+v", got)
	}
	got.Meta.Labels["a"], got.Tags[0] = "changed", "changed"
	if !reflect.DeepEqual(in, sample()) {
		t.Errorf("the input shares memory with the output: %+v", in)
	}
	back, err := runtime.ConvertTo[Gadget](s, out)
	if err != nil || back.Size != 7 {
		t.Errorf("back: got %+v, %v", back, err)
	}
	losses, err := s.Losses(v1.WithKind("Gadget"), alpha)
	if err != nil || len(losses) != 1 || losses[0].Path != "size" {
		t.Errorf("losses: got %v, %v", losses, err)
	}
}

func TestConvertToTheSameVersion(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	in := sample()
	out, err := s.ConvertTo(in, v1)
	if err != nil || out == runtime.Object(in) || !reflect.DeepEqual(out, in) {
		t.Errorf("ConvertTo copies: got %+v, %v", out, err)
	}
	out, err = s.ConvertSharing(in, v1)
	if err != nil || out != runtime.Object(in) {
		t.Errorf("ConvertSharing returns the object: got %+v, %v", out, err)
	}
}

func TestConvertSharing(t *testing.T) {
	t.Parallel()
	in := sample()
	out, err := newScheme(t).ConvertSharing(in, alpha)
	if err != nil {
		t.Fatal(err)
	}
	if &out.(*GadgetAlpha).Tags[0] != &in.Tags[0] {
		t.Error("the tags were copied")
	}
}

func TestConvertLists(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	rv := "12"
	list := &GadgetList{ShapeList[Gadget]{Meta: ListMeta{Version: &rv}, Items: []Gadget{*sample(), {}}}}
	out, err := s.ConvertTo(list, beta)
	if err != nil {
		t.Fatal(err)
	}
	got := out.(*GadgetBetaList)
	if got.Kind != "GadgetList" || len(got.Items) != 2 || got.Items[0].Size != 7 ||
		got.Items[1].APIVersion != "toys.example.com/v1beta1" {
		t.Errorf("got %+v", got)
	}
	if got.Meta.Version == nil || *got.Meta.Version != "12" || got.Meta.Version == list.Meta.Version {
		t.Errorf("the list metadata must be copied, got %v", got.Meta.Version)
	}
	for _, row := range []struct {
		name  string
		items []Gadget
		isNil bool
	}{{"nil", nil, true}, {"empty", []Gadget{}, false}} {
		out, err := s.ConvertTo(&GadgetList{ShapeList[Gadget]{Items: row.items}}, alpha)
		if err != nil || (out.(*GadgetAlphaList).Items == nil) != row.isNil {
			t.Errorf("%s items: got %+v, %v", row.name, out, err)
		}
	}
}

func TestConvertErrorsNameTheField(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	list := &GadgetList{ShapeList[Gadget]{Items: []Gadget{{}, {Shape[int64]{Size: 1 << 40}}}}}
	_, err := s.ConvertTo(list, alpha)
	if !errors.Is(err, conversion.ErrOutOfRange) || !strings.Contains(err.Error(), "items[1].size") {
		t.Errorf("got %v", err)
	}
	if e, ok := errors.AsType[*runtime.ConvertError](err); !ok || e.To != alpha.WithKind("GadgetList") {
		t.Errorf("got %#v", err)
	}
	if _, err := s.ConvertTo(sample(), schema.GroupVersion{Group: "toys.example.com", Version: "v3"}); !errors.Is(err,
		runtime.ErrUnknownKind) {
		t.Errorf("unknown version: got %v", err)
	}
	if _, err := s.ConvertTo(sample(), views); err == nil {
		t.Error("there is no route to the views group")
	}
}

func TestConvertToAnotherGroup(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	toy, err := runtime.ConvertTo[Toy](s, &GadgetAlpha{Shape[string]{Size: "3"}})
	if err != nil || toy.Size != 3 || toy.APIVersion != "shop.example.com/v1" || toy.Kind != "Toy" {
		t.Errorf("three hops: got %+v, %v", toy, err)
	}
	list, err := s.ConvertTo(&GadgetList{ShapeList[Gadget]{Items: []Gadget{*sample()}}}, shop)
	if err != nil || list.(*ToyList).Items[0].Meta.Name != "robot" {
		t.Errorf("a list: got %+v, %v", list, err)
	}
	if !s.CanConvert(shop.WithKind("ToyList"), alpha) || s.CanConvert(v1.WithKind("Gadget"), views) {
		t.Error("CanConvert")
	}
}

func TestDirectEdgeBeatsTheHub(t *testing.T) {
	t.Parallel()
	direct := func(b *runtime.Builder) {
		runtime.AddConversion(b, func(_ *GadgetAlpha, out *Gadget,
			_ *conversion.Scope,
		) error {
			out.Size = 99
			return nil
		})
	}
	s := newScheme(t, append(slices.Clone(all), direct)...)
	out, err := s.ConvertTo(&GadgetAlpha{Shape[string]{Size: "1"}}, v1)
	if err != nil || out.(*Gadget).Size != 99 {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestAs(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	brief, err := runtime.As[Brief](s, sample())
	if err != nil || brief.Meta.Name != "robot" || brief.Kind != "Brief" || brief.APIVersion != "views.example.com/v1" {
		t.Errorf("got %+v, %v", brief, err)
	}
	brief, err = runtime.As[Brief](s, &GadgetAlpha{Shape[string]{Size: "4", Meta: Meta{Name: "old"}}})
	if err != nil || brief.Meta.Name != "old" {
		t.Errorf("through another version: got %+v, %v", brief, err)
	}
	toy, err := s.As(sample(), shop.WithKind("Toy"))
	if err != nil || toy.(*Toy).Size != 7 {
		t.Errorf("an equivalent kind: got %+v, %v", toy, err)
	}
	_, err = s.As(sample(), alpha.WithKind("GadgetList"))
	if !errors.Is(err, runtime.ErrNoAs) || !strings.Contains(err.Error(), "Kind=Brief") {
		t.Errorf("got %v", err)
	}
}

func TestAsLiftsLists(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	rv := "5"
	list := &GadgetList{ShapeList[Gadget]{Meta: ListMeta{Version: &rv}, Items: []Gadget{*sample(), *sample()}}}
	for _, asked := range []string{"Brief", "BriefList"} {
		out, err := s.As(list, views.WithKind(asked))
		if err != nil {
			t.Fatalf("%s: %v", asked, err)
		}
		got, ok := out.(*BriefList)
		if !ok || len(got.Items) != 2 || got.Items[1].Kind != "Brief" || got.Kind != "BriefList" ||
			*got.Meta.Version != "5" {
			t.Errorf("%s: got %+v", asked, out)
		}
	}
	if got, ok := s.CanAs(v1.WithKind("GadgetList"), views.WithKind("Brief")); !ok ||
		got != views.WithKind("BriefList") {
		t.Errorf("CanAs: got %v, %v", got, ok)
	}
	if got := s.AsTargets(v1.WithKind("GadgetList")); !slices.Equal(got, []schema.GroupVersionKind{
		shop.WithKind("Toy"),
		views.WithKind("Brief"), views.WithKind("Roll"),
	}) {
		t.Errorf("AsTargets: got %v", got)
	}
}

func TestAsCollects(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	list := &GadgetAlphaList{ShapeList[GadgetAlpha]{Items: []GadgetAlpha{{Shape[string]{
		Size: "1",
		Meta: Meta{Name: "a"},
	}}, {Shape[string]{Size: "2", Meta: Meta{Name: "b"}}}}}}
	out, err := s.AsWith(list, views.WithKind("Roll"), conversion.NewScope(conversion.ScopeOptions{Options: "no. "}))
	if err != nil || !slices.Equal(out.(*Roll).Tags, []string{"no. a=1", "no. b=2"}) || out.(*Roll).Meta.Name != "all" {
		t.Errorf("got %+v, %v", out, err)
	}
	one, err := runtime.As[Roll](s, sample())
	if err != nil || !slices.Equal(one.Tags, []string{"robot=7"}) {
		t.Errorf("a single object: got %+v, %v", one, err)
	}
	none, err := runtime.As[Roll](s, &GadgetList{})
	if err != nil || none.Meta.Name != "all" {
		t.Errorf("an empty list: got %+v, %v", none, err)
	}
}

func TestAsFinishes(t *testing.T) {
	t.Parallel()
	roll := func(tags ...string) func(*runtime.Builder) {
		return func(b *runtime.Builder) {
			runtime.AddAs(b, gadgetAsRoll,
				runtime.CollectItems(func(out *Roll, _ *conversion.Scope) error { out.Meta.Name = "all"; return nil }),
				runtime.FinishItems(func(out *Roll, s *conversion.Scope) error {
					if s.Options() == "fail" {
						return errStale
					}
					if !s.Now().Equal(s.Now()) {
						t.Error("time goes on between the items")
					}
					slices.Reverse(out.Tags)
					out.Tags = append(out.Tags, tags...)
					return nil
				}))
		}
	}
	s, err := runtime.NewScheme(roll("end"), addAlpha, addBeta, addV1Kinds, addShop, addViews)
	if err != nil {
		t.Fatal(err)
	}
	list := &GadgetList{ShapeList[Gadget]{Items: []Gadget{
		{Shape[int64]{Size: 1, Meta: Meta{Name: "a"}}},
		{Shape[int64]{Size: 2, Meta: Meta{Name: "b"}}},
	}}}
	out, err := runtime.As[Roll](s, list)
	if err != nil || !slices.Equal(out.Tags, []string{"b=2", "a=1", "end"}) {
		t.Errorf("got %+v, %v", out, err)
	}
	one, err := runtime.As[Roll](s, sample())
	if err != nil || !slices.Equal(one.Tags, []string{"robot=7", "end"}) {
		t.Errorf("a single object: got %+v, %v", one, err)
	}
	if _, err := s.AsWith(list, views.WithKind("Roll"),
		conversion.NewScope(conversion.ScopeOptions{Options: "fail"})); !errors.Is(err, errStale) {
		t.Errorf("got %v", err)
	}

	for _, c := range []struct {
		name, want string
		options    []runtime.AsOption
	}{
		{
			"alone", "no CollectItems function",
			[]runtime.AsOption{runtime.FinishItems(func(*Roll, *conversion.Scope) error { return nil })},
		},
		{
			"of another type", "its FinishItems function is for github.com/askind/askind/runtime_test.Brief",
			[]runtime.AsOption{
				runtime.CollectItems(
					func(*Roll, *conversion.Scope) error { return nil },
				), runtime.FinishItems(func(*Brief,
					*conversion.Scope,
				) error {
					return nil
				}),
			},
		},
	} {
		_, err := runtime.NewScheme(addAlpha, addBeta, addV1Kinds,
			addViews, func(b *runtime.Builder) { runtime.AddAs(b, gadgetAsRoll, c.options...) })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

func TestUpdateFrom(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	in := sample()
	view := &Brief{Shape[struct{}]{Meta: Meta{Name: "robot", Labels: map[string]string{"new": "label"}}}}
	out, err := s.UpdateFrom(in, view)
	if err != nil || !maps.Equal(out.(*Gadget).Meta.Labels, view.Meta.Labels) || out.(*Gadget).Size != 7 {
		t.Errorf("got %+v, %v", out, err)
	}
	if !reflect.DeepEqual(in, sample()) {
		t.Error("the object was changed")
	}
	old, err := s.UpdateFrom(&GadgetAlpha{Shape[string]{Size: "4", Meta: Meta{Name: "robot"}}}, view)
	if err != nil || !maps.Equal(old.(*GadgetAlpha).Meta.Labels, view.Meta.Labels) {
		t.Errorf("through another version: got %+v, %v", old, err)
	}
	if _, err := s.UpdateFrom(in, &Brief{}); !errors.Is(err, errStale) {
		t.Errorf("got %v", err)
	}
	if _, err := s.UpdateFrom(in, &Roll{}); !errors.Is(err, runtime.ErrNoAs) {
		t.Errorf("got %v", err)
	}
}

// TestUpdateWith checks that the scope reaches every step there and back, and that the result
// shares no memory in spite of it.
func TestUpdateWith(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	lossy := map[string]string{"lossy": "yes"}
	in := &GadgetAlpha{Shape[string]{Size: "4", Tags: []string{"a"}, Meta: Meta{Name: "robot", Labels: lossy}}}
	view := &Brief{Shape[struct{}]{Meta: Meta{Name: "robot", Labels: lossy}}}
	dropped := 0
	out, err := s.UpdateWith(in, view, conversion.NewScope(conversion.ScopeOptions{
		Sharing: true, Dropped: func(conversion.DroppedValue) { dropped++ },
	}))
	if err != nil {
		t.Fatal(err)
	}
	if dropped != 4 { // through v1beta1 to v1, and back
		t.Errorf("the scope learned of %d dropped values", dropped)
	}
	if out.(*GadgetAlpha).Tags[0] = "b"; in.Tags[0] != "a" {
		t.Error("the result shares memory with the object")
	}
}

func TestCanUpdateFrom(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	for _, c := range []struct {
		name       string
		from, view schema.GroupVersionKind
		want       bool
	}{
		{"by an edge of its own", v1.WithKind("Gadget"), views.WithKind("Brief"), true},
		{"by the edge of another version", alpha.WithKind("Gadget"), views.WithKind("Brief"), true},
		{"without a way back", v1.WithKind("Gadget"), views.WithKind("Roll"), false},
		{"an unknown kind", v1.WithKind("Gizmo"), v1.WithKind("Brief"), false},
		{"an unknown view", v1.WithKind("Gadget"), v1.WithKind("Gizmo"), false},
	} {
		if got := s.CanUpdateFrom(c.from, c.view); got != c.want {
			t.Errorf("%s: got %t", c.name, got)
		}
	}
}

// TestUpdateOneWay checks that a view updates an object only through versions that convert back.
func TestUpdateOneWay(t *testing.T) {
	t.Parallel()
	kinds := func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[GadgetAlpha]{GroupVersionKind: alpha.WithKind("Gadget")})
		runtime.AddConversion(b, alphaToBeta)
		runtime.AddAs(b, func(*GadgetBeta, *Roll, *conversion.Scope) error { return nil },
			runtime.UpdateFromView(func(*Roll, *GadgetBeta, *conversion.Scope) error { return nil }))
	}
	s, err := runtime.NewScheme(kinds, addBeta, addViews)
	if err != nil {
		t.Fatal(err)
	}
	if s.CanUpdateFrom(alpha.WithKind("Gadget"), views.WithKind("Roll")) {
		t.Error("the scheme claims to update it")
	}
	if _, err := s.UpdateFrom(&GadgetAlpha{Shape[string]{Size: "1"}}, new(Roll)); !errors.Is(err, runtime.ErrNoAs) {
		t.Errorf("got %v", err)
	}
}

func TestAsItselfWithSharingDoesNotWrite(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	in := sample()
	in.Kind, in.APIVersion = "", ""
	out, err := s.AsWith(in, v1.WithKind("Gadget"), conversion.NewScope(conversion.ScopeOptions{Sharing: true}))
	if err != nil || out != runtime.Object(in) || in.Kind != "" {
		t.Errorf("got %+v, %v", out, err)
	}
}

// box holds toys, and is shown as or converted to a list of them.
type box struct {
	TypeMeta
	Toys []Toy
}

func listOfBox(in *box, out *ToyList, s *conversion.Scope) error {
	if out.Items = in.Toys; !s.Sharing() {
		out.Items = slices.Clone(in.Toys)
	}
	return nil
}

// TestItemsOfTheInputAreNotWritten checks that a list which may share items with its source does
// not give them its kind.
func TestItemsOfTheInputAreNotWritten(t *testing.T) {
	t.Parallel()
	addBox := func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[box]{
			GroupVersionKind: views.WithKind("Box"),
			TypeMeta:         func(o *box) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		})
	}
	sharing := conversion.NewScope(conversion.ScopeOptions{Sharing: true})
	for name, c := range map[string]struct {
		add  func(*runtime.Builder)
		list func(*runtime.Scheme, *box) (runtime.Object, error)
	}{
		"As": {
			func(b *runtime.Builder) { runtime.AddAs(b, listOfBox) },
			func(s *runtime.Scheme, in *box) (runtime.Object, error) {
				return s.AsWith(in, shop.WithKind("ToyList"), sharing)
			},
		},
		"ConvertSharing": {
			func(b *runtime.Builder) { runtime.AddConversion(b, listOfBox) },
			func(s *runtime.Scheme, in *box) (runtime.Object, error) { return s.ConvertSharing(in, shop) },
		},
	} {
		in := &box{Toys: make([]Toy, 1)}
		out, err := c.list(newScheme(t, addV1, addShop, addViews, addBox, c.add), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if list := out.(*ToyList); len(list.Items) != 1 || list.Items[0].Kind != "Toy" || in.Toys[0].Kind != "" {
			t.Errorf("%s: got %+v, the input is %+v afterwards", name, list, in)
		}
	}
}

func TestWithoutDropsEdgesToWhatIsGone(t *testing.T) {
	t.Parallel()
	s, err := newScheme(t).Without(views)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// BenchmarkConvert measures what the scheme adds to a conversion function.
func BenchmarkConvert(b *testing.B) {
	s := newScheme(b)
	in := &GadgetBeta{Shape[int32]{Size: 3}}
	b.Run("function", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := new(Gadget)
			if err := betaToV1(in, out, nil); err != nil {
				b.Fatal(err)
			}
			kept = out
		}
	})
	b.Run("scheme", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, err := s.ConvertTo(in, v1)
			if err != nil {
				b.Fatal(err)
			}
			kept = out
		}
	})
}

var kept any

// TestRoutesToUnknownVersions checks that versions that clients invent are not remembered.
func TestRoutesToUnknownVersions(t *testing.T) { // not parallel, because it measures the heap
	s := newScheme(t)
	heap := func() uint64 {
		var m goruntime.MemStats
		goruntime.GC()
		goruntime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const n = 1000
	before := heap()
	for i := range n {
		gv := schema.GroupVersion{Group: v1.Group, Version: "v1" + strings.Repeat("0", 100) + strconv.Itoa(i)}
		if _, err := s.ConvertTo(sample(), gv); err == nil {
			t.Fatal("a route to a version that does not exist")
		}
	}
	if after := heap(); after > before+100*n {
		t.Errorf("%d versions take %d bytes", n, after-before)
	}
	goruntime.KeepAlive(s)
}
