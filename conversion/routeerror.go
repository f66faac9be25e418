package conversion

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// The causes of planning errors, for errors.Is.
var (
	// ErrNoRoute matches every [*NoRouteError].
	ErrNoRoute = errors.New("no conversion route")
	// ErrAmbiguousRoute matches every [*AmbiguousRouteError].
	ErrAmbiguousRoute = errors.New("ambiguous conversion route")
)

// NoRouteError reports that no sequence of conversions leads from one node to another. Find it with
// errors.AsType[*conversion.NoRouteError](err), or test for it with errors.Is(err,
// conversion.ErrNoRoute).
type NoRouteError struct {
	_ struct{} // literals name their fields

	// From and To are the names of the nodes.
	From, To string
	// Reachable lists all nodes that have a route from From, nearest first.
	Reachable []string
	// Unregistered is a package to whose types a conversion leads from one of the nodes, and whose
	// kinds are not registered; blank if there is none.
	Unregistered string
}

// Error names both ends and the reachable nodes, from which a conversion could be added.
func (e *NoRouteError) Error() string {
	const most = 8
	text := "conversion: no route from " + e.From + " to " + e.To + ": "
	switch n := len(e.Reachable); {
	case e.Unregistered != "":
		return text + "conversions lead to " + e.Unregistered + ", whose kinds are not registered; is its AddTo missing " +
			"from the scheme?"
	case n == 0:
		return text + "no conversion from " + e.From + " is registered"
	case n > most:
		text += "it leads only to " + strings.Join(e.Reachable[:most], ", ") + " and " + strconv.Itoa(n-most) + " more"
	default:
		text += "it leads only to " + strings.Join(e.Reachable, ", ")
	}
	return text + "; add a conversion to " + e.To + " from one of these"
}

// Is makes errors.Is(err, ErrNoRoute) true.
func (e *NoRouteError) Is(target error) bool { return target == ErrNoRoute }

// AmbiguousRouteError reports that two sequences of conversions are equally good. Find it with
// errors.AsType[*conversion.AmbiguousRouteError](err), or test for it with errors.Is(err,
// conversion.ErrAmbiguousRoute).
type AmbiguousRouteError struct {
	_ struct{} // literals name their fields

	// From and To are the names of the nodes.
	From, To string
	// Routes holds the two routes as names of nodes, from From to To, in lexical order.
	Routes [2][]string
}

// Error prints both routes and describes how to choose between them.
func (e *AmbiguousRouteError) Error() string {
	first, second := strings.Join(e.Routes[0], " -> "), strings.Join(e.Routes[1], " -> ")
	text := "conversion: ambiguous route from " + e.From + " to " + e.To + ": "
	if slices.Equal(e.Routes[0], e.Routes[1]) {
		return text + "a conversion on " + first + " is registered twice; remove one"
	}
	return text + first + " is as good as " + second + "; add a direct conversion or declare what one of them loses"
}

// Is makes errors.Is(err, ErrAmbiguousRoute) true.
func (e *AmbiguousRouteError) Is(target error) bool { return target == ErrAmbiguousRoute }
