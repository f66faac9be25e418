package store

import (
	"fmt"
	"strconv"

	metav1 "github.com/askind/askind/meta/v1"
)

// expired says that a revision has left the history.
func expired(what string, revision, floor uint64) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonExpired,
		fmt.Sprintf("too old resource version: %s begins at %d, but what came after %d is kept; list the objects again",
			what, revision, floor))
	e.Err = ErrCompacted
	return e
}

// tooLarge says that a revision has not come within the time that it was waited for.
func tooLarge(revision, current uint64) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonTimeout, fmt.Sprintf("Too large resource version: %d, current: %d",
		revision, current))
	e.Status.Details = &metav1.StatusDetails{
		Causes: []metav1.StatusCause{{
			Type:    metav1.CauseTypeResourceVersionTooLarge,
			Message: "Too large resource version",
		}},
		RetryAfterSeconds: 1,
	}
	e.Err = ErrFuture
	return e
}

// oversized says that the engine does not take an object for its size.
func oversized(bytes int, err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonRequestEntityTooLarge,
		fmt.Sprintf("the object takes %d bytes as it is stored, which is more than the storage accepts", bytes))
	e.Err = err
	return e
}

// unreadable is the error for an object that cannot be decoded.
func unreadable(err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonStoreReadError, err.Error())
	e.Err = err
	return e
}

// invalidOption is the error for a parameter of a list or watch.
func invalidOption(name, detail string) *metav1.StatusError {
	return metav1.BadRequest(name + ": " + detail)
}

// parseRevision reads a resourceVersion that is neither blank nor 0.
func parseRevision(text string) (uint64, error) {
	revision, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, invalidOption("resourceVersion",
			fmt.Sprintf("%.64q is not a version that this server has stated", text))
	}
	return revision, nil
}
