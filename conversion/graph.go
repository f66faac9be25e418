package conversion

import (
	"cmp"
	"fmt"
	"slices"
)

// Edge is a conversion from one node of a [Graph] to another.
type Edge[N comparable] struct {
	From, To N
	// Losses lists the data that the conversion cannot convert.
	Losses []Loss
}

// GraphOptions describe the nodes of a [Graph].
type GraphOptions[N comparable] struct {
	_ struct{} // literals name their fields

	// Rank returns the preference of a node as an intermediate stop; lower ranks are preferred. If
	// nil, all nodes are equal.
	Rank func(N) int
	// Name returns the name of a node for errors; nil prints the node as package fmt does.
	Name func(N) string
}

// Graph finds routes between nodes, which usually represent the versions of a kind. It is
// immutable, and safe for concurrent use if the functions in its options are. The zero value has no
// edges.
type Graph[N comparable] struct {
	options GraphOptions[N]
	edges   []Edge[N]
	out     map[N][]int // outgoing edges of each node, in the order given
}

// NewGraph returns a graph with the given edges. Edges from a node to itself are never part of a
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

// Route is a path through a [Graph].
type Route[N comparable] struct {
	// Nodes are the stops, from the source to the target, both included.
	Nodes []N
	// Edges are the edges between them, as indexes into the list passed to [NewGraph].
	Edges []int
	// Losses lists the losses on the route, in order. Each path refers to the node that the edge
	// leaves.
	Losses []Loss
}

// Plan returns the best route between two nodes. The best one has the fewest losses; of those, the
// fewest hops; of those, the lowest sum of the ranks of the nodes between source and target. A
// direct edge thus beats a detour unless it has more losses. The route from a node to itself is
// empty.
//
// If there is no route, the error is a [*NoRouteError]; if several are equally good, it is an
// [*AmbiguousRouteError] that shows two of them. The order of the edges affects neither the route
// nor the type of the error.
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

// Reachable returns the nodes that have a route from the given node, ambiguous or not, excluding
// that node. The nearest comes first in the order of [Graph.Plan], and equals are in the order in
// which a walk along the edges finds them. The caller owns the slice.
func (g *Graph[N]) Reachable(from N) []N {
	return g.search(from, nil).order[1:]
}

// cost is the measure by which routes are compared.
type cost struct{ losses, hops, rank int }

func (c cost) compare(d cost) int {
	return cmp.Or(cmp.Compare(c.losses, d.losses), cmp.Compare(c.hops, d.hops), cmp.Compare(c.rank, d.rank))
}

// visit is the best known path to a node.
type visit struct {
	cost cost
	// edge is the last edge of the best path, and tie that of another path of the same cost. Each
	// is noEdge if no such path exists.
	edge, tie int
}

const noEdge = -1

// search is the state of a search from a source.
type search[N comparable] struct {
	visits map[N]*visit
	order  []N // the nodes whose best path is final, nearest first
}

// search finds the best paths from a source to all nodes, or stops once the path to target is
// final. It is Dijkstra's algorithm: each edge makes a path strictly more costly, because it adds a
// hop, whatever the sign of the ranks. Graphs have a few dozen nodes, so a linear scan finds the
// nearest open node.
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
		open = slices.Delete(open, nearest, nearest+1) // preserves the order, which breaks ties
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

// trace returns the best path to a node.
func (g *Graph[N]) trace(s search[N], to N) Route[N] {
	return g.traceWith(s, to, to, noEdge)
}

// secondBest returns another path to a node that costs the same as the best one. Any such path
// eventually merges with the best path at some node, where the search has recorded a tie.
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

// traceWith returns the best path to a node, but enters stop over the given edge.
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
