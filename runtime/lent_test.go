package runtime_test

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/internal/race"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

// gadgets is a list of so many gadgets, whose names begin with a text.
func gadgets(prefix string, n int) *GadgetList {
	list := &GadgetList{ShapeList[Gadget]{Items: make([]Gadget, n)}}
	for i := range list.Items {
		list.Items[i].Meta.Name = prefix + strconv.Itoa(i)
		if i%2 == 0 {
			list.Items[i].Meta.Labels = map[string]string{prefix: "x"}
		}
	}
	return list
}

// TestAsLent shows lists of growing and shrinking sizes in lent memory, from several goroutines, and compares them with those in memory of their own.
func TestAsLent(t *testing.T) {
	t.Parallel()
	s := newScheme(t)
	scope := conversion.NewScope(conversion.ScopeOptions{Sharing: true})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i, n := range []int{0, 3, 1, 7, 2, 0, 7, 5, 40, 39, 1} {
				list := gadgets(fmt.Sprintf("%d-%d-", g, i), n)
				for _, asked := range []schema.GroupVersionKind{views.WithKind("BriefList"), shop.WithKind("ToyList"), views.WithKind("Roll"), v1.WithKind("GadgetList")} {
					want, err := s.AsWith(list, asked, scope)
					if err != nil {
						t.Errorf("%s: %v", asked, err)
						return
					}
					var lent runtime.Lent
					got, err := s.AsLent(list, asked, scope, &lent)
					if err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("%d items as %s: %v\ngot  %+v\nwant %+v", n, asked, err, got, want)
					}
					lent.Return()
					lent.Return() // there is nothing left to return
				}
				if want := gadgets(fmt.Sprintf("%d-%d-", g, i), n); !reflect.DeepEqual(list, want) {
					t.Errorf("the list has changed:\ngot  %+v\nwant %+v", list, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestAsLentUsesMemoryAgain(t *testing.T) {
	if race.Enabled {
		t.Skip("pools lose values on purpose under the race detector")
	}
	s := newScheme(t)
	scope := conversion.NewScope(conversion.ScopeOptions{Sharing: true, Now: time.Unix(1, 0)})
	list := gadgets("a", 100)
	if n := testing.AllocsPerRun(100, func() {
		var lent runtime.Lent
		if _, err := s.AsLent(list, views.WithKind("BriefList"), scope, &lent); err != nil {
			t.Fatal(err)
		}
		lent.Return()
	}); n > 1 {
		t.Errorf("%v allocations, want one for the list around the items", n)
	}
	var lent runtime.Lent
	out, err := s.AsLent(list, views.WithKind("BriefList"), scope, &lent)
	if err != nil {
		t.Fatal(err)
	}
	items := out.(*BriefList).Items
	lent.Return()
	if !reflect.DeepEqual(items, make([]Brief, 100)) {
		t.Errorf("the memory keeps what it held: %+v", items)
	}
}

// Lists are shown as briefs, one after the other in the same memory.
func ExampleScheme_AsLent() {
	scheme, err := runtime.NewScheme(all...)
	if err != nil {
		fmt.Println(err)
		return
	}
	scope := conversion.NewScope(conversion.ScopeOptions{Sharing: true})
	for _, n := range []int{3, 2} {
		var lent runtime.Lent
		view, err := scheme.AsLent(gadgets("g", n), views.WithKind("BriefList"), scope, &lent)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, item := range view.(*BriefList).Items {
			fmt.Println(item.Meta.Name)
		}
		lent.Return()
	}
	// Output:
	// g0
	// g1
	// g2
	// g0
	// g1
}
