package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

type unregisteredView struct{ Gadget }

// TestAsUnregistered checks that an as-kind edge to a type whose package has kinds, but not this
// one, is found when the scheme is built, and that groups left out as a whole are not an error.
func TestAsUnregistered(t *testing.T) {
	t.Parallel()
	_, err := runtime.NewScheme(append(all[:len(all):len(all)], func(b *runtime.Builder) {
		runtime.AddAs(b, func(*Gadget, *unregisteredView, *conversion.Scope) error { return nil })
	})...)
	const want = "no kind of the type github.com/askind/askind/runtime_test.unregisteredView is registered; " +
		"pass AddTo of github.com/askind/askind/runtime_test to NewScheme"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "stray_test.go:") {
		t.Errorf("got %v, want %s", err, want)
	}
	s, err := runtime.NewScheme(append(all[:len(all):len(all)], func(b *runtime.Builder) {
		runtime.AddAs(b, func(*Gadget, *metav1.Scale, *conversion.Scope) error { return nil })
	})...)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "meta/v1.Scale is registered") {
		t.Errorf("Check: %v", err)
	}
}

// TestListOfOtherItems checks that a list kind must be that of the kind that names it: its items
// would be written as objects of another Go type.
func TestListOfOtherItems(t *testing.T) {
	t.Parallel()
	for list, groups := range map[string][]func(*runtime.Builder){
		"GadgetList": {addV1Kinds}, // items of another kind
		"Plain":      nil,          // no list
		"Odd":        nil,          // the kind itself
	} {
		_, err := runtime.NewScheme(append(groups, func(b *runtime.Builder) {
			runtime.AddKind(b, &runtime.KindSpec[Toy]{GroupVersionKind: v1.WithKind("Odd"), List: list})
			runtime.AddKind(b, &runtime.KindSpec[Brief]{GroupVersionKind: v1.WithKind("Plain")})
		})...)
		if want := "its list kind " + list + " does not name it as Item"; err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// otherGadgetList is another list type over the same items.
type otherGadgetList struct {
	More [4]int
	ShapeList[Gadget]
}

// TestAsOfListsOverOneItemType checks that a list is not taken for one of another Go type if its
// items need no conversion.
func TestAsOfListsOverOneItemType(t *testing.T) {
	t.Parallel()
	v2 := schema.GroupVersion{Group: v1.Group, Version: "v2"}
	s, err := runtime.NewScheme(addV1Kinds, addViews, func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[Gadget]{
			GroupVersionKind: v2.WithKind("Gadget"), List: "GadgetList", TypeMeta: gadgetSpec.TypeMeta,
		})
		runtime.AddKind(b, &runtime.KindSpec[otherGadgetList]{
			GroupVersionKind: v2.WithKind("GadgetList"), Item: "Gadget",
			TypeMeta: func(o *otherGadgetList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
			Items:    func(o *otherGadgetList) runtime.Items { return (*runtime.Slice[Gadget])(&o.Items) },
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Gadget", "GadgetList"} {
		list := &GadgetList{ShapeList[Gadget]{Items: []Gadget{*sample()}}}
		if out, err := s.As(list, v2.WithKind(kind)); !errors.Is(err, runtime.ErrNoAs) {
			t.Errorf("%s: got %T, %v", kind, out, err)
		}
	}
}

// TestOptionsWithoutFunctions checks that the functions of collecting edges may be nil.
func TestOptionsWithoutFunctions(t *testing.T) {
	t.Parallel()
	s, err := runtime.NewScheme(addV1Kinds, addViews, func(b *runtime.Builder) {
		runtime.AddAs(b, gadgetAsRoll, runtime.CollectItems[Roll](nil), runtime.FinishItems[Roll](nil))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if _, err := s.As(sample(), views.WithKind("Roll")); err != nil {
		t.Error(err)
	}
}

// TestAsWithoutList checks the message for a list whose items can be shown as a kind without lists.
func TestAsWithoutList(t *testing.T) {
	t.Parallel()
	gone := schema.GroupVersionKind{Group: "gone.example.com", Version: "v1", Kind: "Gone"}
	s, err := runtime.NewScheme(addV1Kinds, addViews, func(b *runtime.Builder) {
		runtime.AddKind(b, &runtime.KindSpec[Toy]{GroupVersionKind: gone})
		runtime.AddAs(b, func(*Gadget, *Toy, *conversion.Scope) error { return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "GadgetList cannot be shown as gone.example.com/v1, Kind=Gone, which has no list kind"
	if _, err := s.As(new(GadgetList), gone); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
