package runtime_test

import (
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/runtime"
	"github.com/askind/askind/schema"
)

type (
	coin struct{ APIVersion, Kind string }

	coinList struct {
		APIVersion, Kind string
		Items            []coin
	}

	// medal is shown for each coin, and a purse for all.
	medal struct {
		APIVersion, Kind string
		Number           int
	}

	medalList struct {
		APIVersion, Kind string
		Items            []medal
	}

	purse struct {
		APIVersion, Kind string
		Numbers          []int
	}
)

func addCoins(b *runtime.Builder) {
	gv := schema.GroupVersion{Group: "coins", Version: "v1"}
	runtime.AddKind(b, &runtime.KindSpec[coin]{
		GroupVersionKind: gv.WithKind("Coin"), List: "CoinList",
		TypeMeta: func(o *coin) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
	runtime.AddKind(b, &runtime.KindSpec[coinList]{
		GroupVersionKind: gv.WithKind("CoinList"), Item: "Coin",
		TypeMeta: func(o *coinList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Items:    func(o *coinList) runtime.Items { return (*runtime.Slice[coin])(&o.Items) },
	})
	runtime.AddKind(b, &runtime.KindSpec[medal]{
		GroupVersionKind: gv.WithKind("Medal"), List: "MedalList",
		TypeMeta: func(o *medal) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
	runtime.AddKind(b, &runtime.KindSpec[medalList]{
		GroupVersionKind: gv.WithKind("MedalList"), Item: "Medal",
		TypeMeta: func(o *medalList) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
		Items:    func(o *medalList) runtime.Items { return (*runtime.Slice[medal])(&o.Items) },
	})
	runtime.AddKind(b, &runtime.KindSpec[purse]{
		GroupVersionKind: gv.WithKind("Purse"),
		TypeMeta:         func(o *purse) (apiVersion, kind *string) { return &o.APIVersion, &o.Kind },
	})
}

// TestCheckComparesLists shows lists with functions that have another result on each call, so that
// they would differ when they are written item by item.
func TestCheckComparesLists(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		number func(calls int) int
		want   []string // the kinds that differ
	}{
		{"the same each time", func(int) int { return 7 }, nil},
		{"another number each time", func(calls int) int { return calls }, []string{"Kind=Medal", "Kind=Purse"}},
	} {
		calls := 0
		next := func() int {
			calls++
			return tt.number(calls)
		}
		s, err := runtime.NewScheme(addCoins, func(b *runtime.Builder) {
			runtime.AddAs(b, func(_ *coin, out *medal, _ *conversion.Scope) error {
				out.Number = next()
				return nil
			})
			runtime.AddAs(b, func(_ *coin, out *purse, _ *conversion.Scope) error {
				out.Numbers = append(out.Numbers, next())
				return nil
			}, runtime.CollectItems(func(*purse, *conversion.Scope) error { return nil }))
		})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if err := s.Check(); err != nil {
			text = err.Error()
		}
		if strings.Count(text, "differently when its items are shown one by one") != len(tt.want) {
			t.Errorf("%s: got %q", tt.name, text)
		}
		for _, want := range tt.want {
			if !strings.Contains(text, "coins/v1, "+want+" differently") {
				t.Errorf("%s: %q does not name %s", tt.name, text, want)
			}
		}
	}
}
