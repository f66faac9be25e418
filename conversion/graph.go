package conversion

import (
	"cmp"
	"fmt"
	"slices"
)

// Edge is a conversion from one node of a [Graph] to another.
type Edge[N comparable] struct {
	From, To N
	// Losses is what the conversion cannot carry over.
	Losses []Loss
}

// GraphOptions say what a [Graph] cannot know about its nodes.
type GraphOptions[N comparable] struct {
	_ struct{} // literals name their fields

	// Rank tells how much a node is liked as a stop between others: the lower, the more. Nil likes
	// all the same.
	Rank func(N) int
	// Name returns the name of a node for errors; nil prints the node as package fmt does.
	Name func(N) string
}

// Graph finds routes between nodes, which usually stand for the versions of a kind. It is immutable
// and safe for concurrent use, provided that the functions of its options are. The zero value has
// no edges.
type Graph[N comparable] struct {
	options GraphOptions[N]
	edges   []Edge[N]
	out     map[N][]int // for each node the edges that leave it, in the order given
}

// NewGraph returns a graph of the edges given. Edges from a node to itself are never part of a
// route.
func NewGraph[N comparable](edges []Edge[N], o GraphOptions[N]) *Graph[N] {
	g := &Graph[N]{options: o, edges: slices.Clone(edges), out: make(map[N][]int)}
	for i, e := range g.edges {
		if e.From != e.To {
			g.out[e.From] = append(g.out[e.From], i)
		}
	}
	return g
}

// Route is a way through a [Graph].
type Route[N comparable] struct {
	// Nodes are the stops, from the source to the target, both included.
	Nodes []N
	// Edges are the edges between them, as indexes of the list that [NewGraph] was given.
	Edges []int
	// Losses is what gets lost on the way, in order. Each path is one in the node that the edge
	// leaves.
	Losses []Loss
}

// Hops returns the number of conversions.
func (r Route[N]) Hops() int { return len(r.Edges) }

// Plan returns the best route between two nodes. The best one has the fewest losses; of those, the
// fewest hops; of those, the lowest sum of the ranks of the nodes between source and target. A
// direct edge thus beats a way around unless it loses more. From a node to itself the route is
// empty.
//
// Without a route the error is a [*NoRouteError], and with several that are equally good an
// [*AmbiguousRouteError] that shows two of them. The order of the edges makes no difference to the
// route or the sort of error.
func (g *Graph[N]) Plan(from, to N) (Route[N], error) {
	if from == to {
		return Route[N]{Nodes: []N{from}}, nil
	}
	s := g.search(from, &to)
	v := s.visits[to]
	if v == nil {
		return Route[N]{}, &NoRouteError{From: g.name(from), To: g.name(to), Reachable: g.names(s.order[1:])}
	}
	if other, ok := g.secondBest(s, to); ok {
		routes := [2][]string{g.names(g.trace(s, to).Nodes), g.names(other.Nodes)}
		if slices.Compare(routes[0], routes[1]) > 0 {
			routes[0], routes[1] = routes[1], routes[0]
		}
		return Route[N]{}, &AmbiguousRouteError{From: g.name(from), To: g.name(to), Routes: routes}
	}
	return g.trace(s, to), nil
}

// Reachable returns the nodes to which there is a route, ambiguous or not, without the node itself:
// nearest first in the order of [Graph.Plan], and among equals in the order in which a walk along
// the edges comes upon them. The caller owns the slice.
func (g *Graph[N]) Reachable(from N) []N {
	return g.search(from, nil).order[1:]
}

// cost is what routes are compared by.
type cost struct{ losses, hops, rank int }

func (c cost) compare(d cost) int {
	return cmp.Or(cmp.Compare(c.losses, d.losses), cmp.Compare(c.hops, d.hops), cmp.Compare(c.rank, d.rank))
}

// visit is the best way known to a node.
type visit struct {
	cost cost
	// edge is the last edge of the best way, and tie that of another one of the same cost; noEdge
	// if there is none.
	edge, tie int
}

const noEdge = -1

// search is what is known about the nodes in reach of a source.
type search[N comparable] struct {
	visits map[N]*visit
	order  []N // the nodes whose best way is certain, nearest first
}

// search finds the best ways from a source to all nodes, or until that to a target is certain. It
// is Dijkstra's algorithm: each edge makes a way strictly more costly, because it adds a hop,
// whatever the sign of the ranks. Graphs have a few dozen nodes, so the nearest open node is found
// by looking at all.
func (g *Graph[N]) search(from N, to *N) search[N] {
	s := search[N]{visits: map[N]*visit{from: {edge: noEdge, tie: noEdge}}}
	open := []N{from}
	for len(open) > 0 {
		nearest := 0
		for i, n := range open {
			if s.visits[n].cost.compare(s.visits[open[nearest]].cost) < 0 {
				nearest = i
			}
		}
		n := open[nearest]
		open = slices.Delete(open, nearest, nearest+1) // keeps the order, which decides among equals
		s.order = append(s.order, n)
		if to != nil && n == *to {
			break
		}
		here := s.visits[n].cost
		if n != from {
			here.rank += g.rank(n)
		}
		for _, i := range g.out[n] {
			e := g.edges[i]
			next := cost{losses: here.losses + len(e.Losses), hops: here.hops + 1, rank: here.rank}
			known := s.visits[e.To]
			switch {
			case known == nil:
				s.visits[e.To] = &visit{cost: next, edge: i, tie: noEdge}
				open = append(open, e.To)
			case next.compare(known.cost) < 0:
				*known = visit{cost: next, edge: i, tie: noEdge}
			case next == known.cost:
				known.tie = i
			}
		}
	}
	return s
}

// trace returns the best way to a node.
func (g *Graph[N]) trace(s search[N], to N) Route[N] {
	return g.traceWith(s, to, to, noEdge)
}

// secondBest returns another way to a node that costs the same as the best one. If there is any, it
// joins the best way for good at some node, and there the search has seen a tie.
func (g *Graph[N]) secondBest(s search[N], to N) (Route[N], bool) {
	for n := to; ; {
		v := s.visits[n]
		if v.tie != noEdge {
			return g.traceWith(s, to, n, v.tie), true
		}
		if v.edge == noEdge {
			return Route[N]{}, false
		}
		n = g.edges[v.edge].From
	}
}

// traceWith returns the best way to a node, but enters one of its stops over a given edge.
func (g *Graph[N]) traceWith(s search[N], to, stop N, edge int) Route[N] {
	r := Route[N]{Nodes: []N{to}}
	for n := to; ; {
		i := s.visits[n].edge
		if n == stop && edge != noEdge {
			i = edge
		}
		if i == noEdge {
			break
		}
		n = g.edges[i].From
		r.Edges = append(r.Edges, i)
		r.Nodes = append(r.Nodes, n)
	}
	slices.Reverse(r.Edges)
	slices.Reverse(r.Nodes)
	for _, i := range r.Edges {
		r.Losses = append(r.Losses, g.edges[i].Losses...)
	}
	return r
}

func (g *Graph[N]) rank(n N) int {
	if g.options.Rank == nil {
		return 0
	}
	return g.options.Rank(n)
}

func (g *Graph[N]) name(n N) string {
	if g.options.Name == nil {
		return fmt.Sprint(n)
	}
	return g.options.Name(n)
}

func (g *Graph[N]) names(nodes []N) []string {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = g.name(n)
	}
	return names
}
