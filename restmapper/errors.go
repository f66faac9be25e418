package restmapper

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askind/askind/schema"
)

// ErrNoMatch is wrapped by every [*NoMatchError].
var ErrNoMatch = errors.New("no match")

// ErrAmbiguous is wrapped by every [*AmbiguousError].
var ErrAmbiguous = errors.New("ambiguous")

// NoMatchError reports that a [Mapper] does not know a resource or kind. Find it with errors.As, or
// with errors.Is and [ErrNoMatch]. Its text has the first 20 of the names and problems.
type NoMatchError struct {
	Resource schema.GroupVersionResource // the requested resource, or
	Kind     schema.GroupKind            // the requested kind, with
	Versions []string                    // its versions; none means any

	Others  []string // other places of the same name
	Nearest string   // a similar name, or blank

	// AsOf is the time of the last request of a [Dynamic]; zero for a [Static].
	AsOf time.Time
	// Problems lists the groups whose resources a [Dynamic] could not retrieve, so that the
	// resource may exist after all.
	Problems []GroupProblem
}

// Error implements error.
func (e *NoMatchError) Error() string {
	var b strings.Builder
	if e.Kind.Empty() {
		fmt.Fprintf(&b, "restmapper: no resource matches %q", reference(e.Resource))
	} else {
		fmt.Fprintf(&b, "restmapper: no resource serves the kind %q", schema.Shorten(e.Kind.String(), maxText))
	}
	if len(e.Versions) > 0 {
		fmt.Fprintf(&b, " in %s", list(e.Versions, ", "))
	}
	if len(e.Others) > 0 {
		fmt.Fprintf(&b, "; known: %s", list(e.Others, ", "))
	}
	if e.Nearest != "" {
		fmt.Fprintf(&b, "; did you mean %q?", e.Nearest)
	}
	if !e.AsOf.IsZero() {
		fmt.Fprintf(&b, " (as of %s)", e.AsOf.UTC().Format(time.RFC3339))
	}
	if len(e.Problems) > 0 {
		problems := make([]string, len(e.Problems))
		for i, p := range e.Problems {
			problems[i] = p.Error()
		}
		fmt.Fprintf(&b, "; %s", list(problems, "; "))
	}
	return b.String()
}

// Unwrap returns ErrNoMatch and the problems.
func (e *NoMatchError) Unwrap() []error {
	out := []error{ErrNoMatch}
	for _, p := range e.Problems {
		out = append(out, p)
	}
	return out
}

// Certain reports whether the resources of every group are known, so that the resource does not
// exist. Otherwise it may exist.
func (e *NoMatchError) Certain() bool { return len(e.Problems) == 0 }

// AmbiguousError reports that a name matches resources of several groups. Name the group, or give
// the mapper an order of groups. Find it with errors.As, or with errors.Is and [ErrAmbiguous].
type AmbiguousError struct {
	Resource schema.GroupVersionResource
	Matches  []Mapping
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	names := make([]string, len(e.Matches))
	for i, m := range e.Matches {
		names[i] = reference(m.Resource)
	}
	return fmt.Sprintf("restmapper: %q is ambiguous: %s; name the group", reference(e.Resource),
		list(names, ", "))
}

// What a server calls its resources is shown in errors up to some texts, each up to some bytes.
const (
	maxTexts = 20
	maxText  = 500
)

// list joins texts of a server for an error.
func list(texts []string, separator string) string {
	shown := make([]string, min(len(texts), maxTexts))
	for i := range shown {
		shown[i] = schema.Shorten(texts[i], maxText)
	}
	if more := len(texts) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, separator)
}

// Unwrap returns ErrAmbiguous.
func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// reference returns the textual form of a resource, "deployments.v1.apps", shortened if it is long.
func reference(gvr schema.GroupVersionResource) string {
	out := gvr.Resource
	for _, part := range []string{gvr.Version, gvr.Group} {
		if part != "" {
			out += "." + part
		}
	}
	return schema.Shorten(out, maxText)
}

func sortedKeys[V any](m map[string]V) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(m)))
}
