package conversion_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askind/askind/conversion"
	"github.com/askind/askind/schema"
)

// edges reads "a>b" and, with two losses, "a>b!!", and both ways "a-b".
func edges(text string) []conversion.Edge[string] {
	var out []conversion.Edge[string]
	for _, word := range strings.Fields(text) {
		plain := strings.TrimRight(word, "!")
		losses := make([]conversion.Loss, len(word)-len(plain))
		for i := range losses {
			losses[i].Path = plain
		}
		if from, to, ok := strings.Cut(plain, ">"); ok {
			out = append(out, conversion.Edge[string]{From: from, To: to, Losses: losses})
		} else if a, b, ok := strings.Cut(plain, "-"); ok {
			out = append(out, conversion.Edge[string]{From: a, To: b, Losses: losses},
				conversion.Edge[string]{From: b, To: a, Losses: losses})
		}
	}
	return out
}

// byVersion ranks nodes as versions are preferred.
func byVersion(n string) int {
	order := []string{"v3", "v2", "v1", "v1beta1", "v1alpha1"}
	return slices.Index(order, n)
}

var plans = []struct {
	name, edges, from, to string
	want                  string // the stops, or blank
	err                   error
	text                  string // of the error
}{
	{name: "direct", edges: "v1>v2", from: "v1", to: "v2", want: "v1 v2"},
	{name: "itself", edges: "v1>v2", from: "v1", to: "v1", want: "v1"},
	{name: "itself, not in the graph", edges: "", from: "v1", to: "v1", want: "v1"},
	{name: "itself, with a loop", edges: "v1>v1", from: "v1", to: "v1", want: "v1"},
	{name: "over the hub", edges: "v1-v2 v1alpha1-v2", from: "v1alpha1", to: "v1", want: "v1alpha1 v2 v1"},
	{
		name: "direct beats the hub", edges: "v1-v2 v1alpha1-v2 v1alpha1-v1", from: "v1alpha1", to: "v1",
		want: "v1alpha1 v1",
	},
	{
		name: "fewer losses beat direct", edges: "v1-v2 v1alpha1-v2 v1alpha1-v1!", from: "v1alpha1", to: "v1",
		want: "v1alpha1 v2 v1",
	},
	{
		name: "as many losses do not", edges: "v1-v2! v1alpha1-v2 v1alpha1-v1!", from: "v1alpha1", to: "v1",
		want: "v1alpha1 v1",
	},
	{name: "losses add up", edges: "a>b! b>d! a>c!! c>d!!", from: "a", to: "d", want: "a b d"},
	{
		name: "preferred stop", edges: "v1alpha1>v2 v2>v1beta1 v1alpha1>v1 v1>v1beta1 v1alpha1>v3 v3>v1beta1",
		from: "v1alpha1", to: "v1beta1", want: "v1alpha1 v3 v1beta1",
	},
	{
		name: "losses before preferences", edges: "v1alpha1>v2 v2>v1beta1 v1alpha1>v3 v3>v1beta1!", from: "v1alpha1",
		to: "v1beta1", want: "v1alpha1 v2 v1beta1",
	},
	{
		name: "hops before preferences", edges: "v1>v3 v3>v2 v2>v1beta1 v1>v1alpha1 v1alpha1>v1beta1", from: "v1",
		to: "v1beta1", want: "v1 v1alpha1 v1beta1",
	},
	{name: "several hops", edges: "a-b b-c c-d d-e", from: "a", to: "e", want: "a b c d e"},
	{name: "cycles", edges: "a-b b-c c-a c-d", from: "a", to: "d", want: "a c d"},
	{
		name: "one way only", edges: "v1>v2", from: "v2", to: "v1", err: conversion.ErrNoRoute,
		text: "conversion: no route from v2 to v1: no conversion from v2 is registered",
	},
	{
		name: "apart", edges: "v1-v2 v1alpha1-v1beta1", from: "v1", to: "v1beta1", err: conversion.ErrNoRoute,
		text: "conversion: no route from v1 to v1beta1: it leads only to v2; add a conversion to v1beta1 from one of these",
	},
	{
		name: "unknown target", edges: "a>b b>c a>d!", from: "a", to: "x", err: conversion.ErrNoRoute,
		text: "conversion: no route from a to x: it leads only to b, c, d; add a conversion to x from one of these",
	},
	{
		name: "many in reach", edges: "a>b a>c a>d a>e a>f a>g a>h a>i a>j a>k", from: "a", to: "x",
		err:  conversion.ErrNoRoute,
		text: "conversion: no route from a to x: it leads only to b, c, d, e, f, g, h, i and 2 more; add a conversion to x from one of these",
	},
	{
		name: "tie", edges: "s>y y>t s>x x>t", from: "s", to: "t", err: conversion.ErrAmbiguousRoute,
		text: "conversion: ambiguous route from s to t: s -> x -> t is as good as s -> y -> t; add a direct conversion or declare what one of them loses",
	},
	{
		name: "tie in the middle", edges: "s>a a>x a>y x>b y>b b>t", from: "s", to: "t",
		err:  conversion.ErrAmbiguousRoute,
		text: "conversion: ambiguous route from s to t: s -> a -> x -> b -> t is as good as s -> a -> y -> b -> t; add a direct conversion or declare what one of them loses",
	},
	{
		name: "twice the same", edges: "s>t s>t", from: "s", to: "t", err: conversion.ErrAmbiguousRoute,
		text: "conversion: ambiguous route from s to t: a conversion on s -> t is registered twice; remove one",
	},
	{name: "twice, but one loses more", edges: "s>t! s>t", from: "s", to: "t", want: "s t"},
	{name: "a tie elsewhere does no harm", edges: "s>x s>y x>u y>u s>t", from: "s", to: "t", want: "s t"},
	{name: "a tie on a worse route does no harm", edges: "s>x s>y x>t y>t s>t", from: "s", to: "t", want: "s t"},
	{
		name: "a tie that a better route replaces", edges: "s>x! s>y! x>t y>t s>a a>b b>t", from: "s", to: "t",
		want: "s a b t",
	},
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for _, tt := range plans {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := conversion.NewGraph(edges(tt.edges), conversion.GraphOptions[string]{Rank: byVersion})
			r, err := g.Plan(tt.from, tt.to)
			if got := strings.Join(r.Nodes, " "); got != tt.want || !errors.Is(err, tt.err) {
				t.Fatalf("Plan = %q, %v, want %q, %v", got, err, tt.want, tt.err)
			}
			if err != nil && err.Error() != tt.text {
				t.Errorf("error:\ngot  %s\nwant %s", err, tt.text)
			}
		})
	}
}

func TestPlanEdgesAndLosses(t *testing.T) {
	t.Parallel()
	list := []conversion.Edge[string]{
		{From: "b", To: "c", Losses: []conversion.Loss{{Path: "spec.y"}, {Path: "spec.z"}}},
		{From: "a", To: "a"},
		{From: "a", To: "b", Losses: []conversion.Loss{{Path: "spec.x"}}},
	}
	g := conversion.NewGraph(list, conversion.GraphOptions[string]{})
	list[0], list[2] = list[2], list[0] // the graph keeps its own
	r, err := g.Plan("a", "c")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Edges, []int{2, 0}) {
		t.Errorf("Edges = %v", r.Edges)
	}
	if want := []conversion.Loss{{Path: "spec.x"}, {Path: "spec.y"}, {Path: "spec.z"}}; !slices.Equal(r.Losses, want) {
		t.Errorf("Losses = %v, want %v", r.Losses, want)
	}
}

func TestZeroGraph(t *testing.T) {
	t.Parallel()
	var g conversion.Graph[int]
	if _, err := g.Plan(1, 2); !errors.Is(err, conversion.ErrNoRoute) {
		t.Errorf("error = %v", err)
	}
	if got := g.Reachable(1); len(got) != 0 {
		t.Errorf("Reachable = %v", got)
	}
}

func TestGraphNames(t *testing.T) {
	t.Parallel()
	v1, v2 := schema.GroupVersion{Group: "a", Version: "v1"}, schema.GroupVersion{Group: "a", Version: "v2"}
	none := []conversion.Edge[schema.GroupVersion]{}
	_, err := conversion.NewGraph(none, conversion.GraphOptions[schema.GroupVersion]{}).Plan(v1, v2)
	if e, ok := errors.AsType[*conversion.NoRouteError](err); !ok || e.From != "a/v1" || e.To != "a/v2" {
		t.Errorf("with String: %v", err)
	}
	_, err = conversion.NewGraph(none, conversion.GraphOptions[schema.GroupVersion]{
		Name: func(gv schema.GroupVersion) string { return gv.Version },
	}).Plan(v1, v2)
	if e, ok := errors.AsType[*conversion.NoRouteError](err); !ok || e.From != "v1" || e.To != "v2" {
		t.Errorf("with Name: %v", err)
	}
}

func TestReachable(t *testing.T) {
	t.Parallel()
	g := conversion.NewGraph(edges("a>b! a>c c>d d>b a>e x>a e>a"), conversion.GraphOptions[string]{})
	if got, want := g.Reachable("a"), []string{"c", "e", "d", "b"}; !slices.Equal(got, want) {
		t.Errorf("Reachable = %v, want %v", got, want)
	}
	if got := g.Reachable("b"); len(got) != 0 {
		t.Errorf("Reachable from a dead end = %v", got)
	}
}

// weight is the cost of a route, recomputed from the definition.
type weight [3]int

// allRoutes lists all simple routes as indexes of edges. The best route is simple, because a detour
// adds hops.
func allRoutes(list []conversion.Edge[int], from, to int) [][]int {
	var routes [][]int
	var walk func(at int, seen []int, route []int)
	walk = func(at int, seen []int, route []int) {
		if at == to {
			routes = append(routes, slices.Clone(route))
			return
		}
		for i, e := range list {
			if e.From == at && !slices.Contains(seen, e.To) {
				walk(e.To, append(slices.Clone(seen), e.To), append(slices.Clone(route), i))
			}
		}
	}
	walk(from, []int{from}, nil)
	return routes
}

func TestPlanEqualsSlow(t *testing.T) {
	t.Parallel()
	const seed = 5
	r := rand.New(rand.NewPCG(seed, seed))
	ambiguous, none := 0, 0
	for range 3000 {
		nodes := 2 + r.IntN(5)
		ranks := make([]int, nodes)
		for i := range ranks {
			ranks[i] = r.IntN(6) - 2 // negative ones too
		}
		list := make([]conversion.Edge[int], r.IntN(3*nodes))
		for i := range list {
			list[i] = conversion.Edge[int]{
				From: r.IntN(nodes), To: r.IntN(nodes),
				Losses: make([]conversion.Loss, r.IntN(3)),
			}
		}
		weigh := func(route []int) weight {
			w := weight{1: len(route)}
			for i, e := range route {
				w[0] += len(list[e].Losses)
				if i > 0 {
					w[2] += ranks[list[e].From]
				}
			}
			return w
		}
		var best []int
		ties := 0
		for _, route := range allRoutes(list, 0, 1) {
			c := -1
			if best != nil {
				a, b := weigh(route), weigh(best)
				c = slices.Compare(a[:], b[:])
			}
			switch {
			case c < 0:
				best, ties = route, 1
			case c == 0:
				ties++
			}
		}
		got, err := conversion.NewGraph(list,
			conversion.GraphOptions[int]{Rank: func(n int) int { return ranks[n] }}).Plan(0, 1)
		switch {
		case ties == 0:
			none++
			if !errors.Is(err, conversion.ErrNoRoute) {
				t.Fatalf("seed %d: %v: no route, but Plan = %v, %v", seed, list, got, err)
			}
		case ties == 1:
			if err != nil || !slices.Equal(got.Edges, best) {
				t.Fatalf("seed %d: %v, ranks %v: Plan = %v, %v, want %v", seed, list, ranks, got.Edges, err, best)
			}
		default:
			ambiguous++
			if e, ok := errors.AsType[*conversion.AmbiguousRouteError](err); !ok ||
				len(e.Routes[0]) != len(e.Routes[1]) || len(e.Routes[0]) != len(best)+1 {
				t.Fatalf("seed %d: %v, ranks %v: %d ties, but Plan = %v, %v", seed, list, ranks, ties, got.Edges, err)
			}
		}
	}
	if ambiguous < 50 || none < 50 {
		t.Errorf("only %d ambiguous graphs and %d without a route: the test tests little", ambiguous, none)
	}
}

func TestPlanDoesNotDependOnTheOrderOfEdges(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	for _, tt := range plans {
		list := edges(tt.edges)
		for range 10 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			got, err := conversion.NewGraph(list, conversion.GraphOptions[string]{Rank: byVersion}).Plan(tt.from, tt.to)
			if text := strings.Join(got.Nodes, " "); text != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%s: Plan = %q, %v, want %q, %v", tt.name, text, err, tt.want, tt.err)
			}
		}
	}
}

// ladder is a graph with an exponential number of routes, all equally good.
func ladder(rungs int) []conversion.Edge[int] {
	var list []conversion.Edge[int]
	for i := range rungs {
		for _, side := range []int{1, 2} {
			list = append(list, conversion.Edge[int]{From: 3 * i, To: 3*i + side},
				conversion.Edge[int]{From: 3*i + side, To: 3*i + 3})
		}
	}
	return list
}

func TestPlanDoesNotTryAllRoutes(t *testing.T) {
	t.Parallel()
	const rungs = 60 // 2^60 routes
	_, err := conversion.NewGraph(ladder(rungs), conversion.GraphOptions[int]{}).Plan(0, 3*rungs)
	if !errors.Is(err, conversion.ErrAmbiguousRoute) {
		t.Errorf("all the same: error = %v", err)
	}
	r, err := conversion.NewGraph(ladder(rungs),
		conversion.GraphOptions[int]{Rank: func(n int) int { return n }}).Plan(0, 3*rungs)
	if err != nil || len(r.Edges) != 2*rungs {
		t.Errorf("ranked: %v, %v", r.Nodes, err)
	}
}

func BenchmarkPlan(b *testing.B) {
	var list []conversion.Edge[int]
	for spoke := 1; spoke < 30; spoke++ {
		list = append(list, conversion.Edge[int]{From: spoke}, conversion.Edge[int]{To: spoke})
	}
	g := conversion.NewGraph(list, conversion.GraphOptions[int]{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Plan(7, 29); err != nil {
			b.Fatal(err)
		}
	}
}
