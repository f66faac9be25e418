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
	// Path is the field, such as .spec.containers[name="web"].image.
	Path string
}

// with names the manager as messages do.
func (c *Conflict) with() string {
	text := strconv.Quote(c.Manager)
	if c.Subresource != "" {
		text += " with subresource " + strconv.Quote(c.Subresource)
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
	for i := range e.Conflicts {
		c := &e.Conflicts[i]
		if i == 0 || c.with() != e.Conflicts[i-1].with() {
			lines = append(lines, "conflicts with "+c.with()+":")
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
			Field: schema.Shorten(c.Path, maxCause),
		})
	}
	if more := len(e.Conflicts) - len(shown); more > 0 {
		details.Causes = append(details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeFieldManagerConflict, Message: "and " + strconv.Itoa(more) + " more conflicts",
		})
	}
	return s
}

// maxCause bounds the bytes of the message and the field of a cause.
const maxCause = 1 << 10

// conflictError returns the error for the fields of managers that are in conflict.
func conflictError(list managers) *ConflictError {
	sorted.Func(list, func(a, b manager) int { return strings.Compare(a.identifier(), b.identifier()) })
	e := &ConflictError{}
	for i := range list {
		m := &list[i]
		m.fields.paths(nil, func(path string) {
			e.Conflicts = append(e.Conflicts, Conflict{
				Manager: m.name, Operation: m.operation, APIVersion: m.apiVersion, Subresource: m.subresource,
				Path: path,
			})
		})
	}
	return e
}
