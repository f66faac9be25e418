package apply

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/askind/askind/internal/sorted"
	metav1 "github.com/askind/askind/meta/v1"
	"github.com/askind/askind/schema"
)

// Conflict is a field that a configuration would change although another manager has set it.
type Conflict struct {
	_ struct{} // literals name their fields

	// Manager, Operation, APIVersion and Subresource are those of the entry in managedFields.
	Manager, Operation, APIVersion, Subresource string
	// Path is the field, such as .spec.containers[name="web"].image. A path of more than 1 KiB is
	// shortened, and where the paths of many are long, the last ones have none.
	Path string
}

// with names the manager as messages do.
func (c *Conflict) with() string {
	text := schema.Quote(c.Manager)
	if c.Subresource != "" {
		text += " with subresource " + schema.Quote(c.Subresource)
	}
	if c.Operation == opUpdate {
		text += " using " + c.APIVersion
	}
	return text
}

// ConflictError reports that a configuration would change fields of other managers. Find it with
// errors.AsType[*apply.ConflictError](err).
type ConflictError struct {
	_ struct{} // literals name their fields

	// Conflicts are sorted by manager, and those of one manager in the order of its fields. There
	// is at least one.
	Conflicts []Conflict
}

// Error lists the conflicts as Kubernetes does.
func (e *ConflictError) Error() string {
	if len(e.Conflicts) == 1 {
		c := &e.Conflicts[0]
		return "Apply failed with 1 conflict: conflict with " + c.with() + ": " + c.Path
	}
	var lines []string
	last := ""
	for i := range e.Conflicts {
		c := &e.Conflicts[i]
		if c.Path == "" {
			lines = append(lines, "- and "+strconv.Itoa(len(e.Conflicts)-i)+" more")
			break
		}
		if with := c.with(); with != last {
			lines = append(lines, "conflicts with "+with+":")
			last = with
		}
		lines = append(lines, "- "+c.Path)
	}
	return fmt.Sprintf("Apply failed with %d conflicts: %s", len(e.Conflicts), strings.Join(lines, "\n"))
}

// Status returns the answer of a server: 409, with a cause for each conflict. If there are more
// than the default of [schema.Limits].Problems, the first are listed, and the last cause states how
// many remain.
func (e *ConflictError) Status() *metav1.StatusError {
	s := metav1.Failure(metav1.StatusReasonConflict, e.Error())
	s.Err = e
	details := &metav1.StatusDetails{}
	s.Status.Details = details
	shown := e.Conflicts[:min(len(e.Conflicts), schema.Limits{}.OrDefaults().Problems)]
	for i := range shown {
		c := &shown[i]
		details.Causes = append(details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Message: schema.Shorten("conflict with "+c.with(), maxCause),
			Field: c.Path,
		})
	}
	if more := len(e.Conflicts) - len(shown); more > 0 {
		details.Causes = append(details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Message: "and " + strconv.Itoa(more) + " more conflicts",
		})
	}
	return s
}

const (
	// maxCause bounds the bytes of the message and the field of a cause.
	maxCause = 1 << 10
	// maxPaths bounds the bytes of the paths of all conflicts. Below a long name they are thousands
	// of times as long as the object.
	maxPaths = 1 << 20
)

// conflictError returns the error for the fields of managers that are in conflict.
func conflictError(list managers) *ConflictError {
	sorted.Func(list, func(a, b manager) int { return strings.Compare(a.key(), b.key()) })
	e := &ConflictError{}
	size := 0 // of the paths
	for i := range list {
		m := &list[i]
		m.fields.paths(nil, func(path []byte) {
			c := Conflict{Manager: m.name, Operation: m.operation, APIVersion: m.apiVersion, Subresource: m.subresource}
			if size += min(len(path), maxCause); size <= maxPaths {
				c.Path = schema.Shorten(string(path[:min(len(path), maxCause+1)]), maxCause)
			}
			e.Conflicts = append(e.Conflicts, c)
		})
	}
	return e
}
