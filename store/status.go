package store

import (
	"fmt"
	"strconv"

	metav1 "github.com/askind/askind/meta/v1"
)

// expired returns the error for a revision that has left the history.
func expired(what string, revision, floor uint64) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonExpired,
		fmt.Sprintf("too old resource version: %s begins at %d, but only changes after %d are kept; list the objects "+
			"again", what, revision, floor))
	e.Err = ErrCompacted
	return e
}

// tooLarge returns the error for a revision that was not reached in time.
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

// oversized returns the error for an object that is too large for the engine.
func oversized(bytes int, err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonRequestEntityTooLarge,
		fmt.Sprintf("the object has %d bytes in its stored form, more than the storage accepts; "+
			"make it smaller or split it", bytes))
	e.Err = err
	return e
}

// uncertain returns the error for a write whose outcome is unknown.
func uncertain(err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonTimeout, "the storage has not confirmed the write, which may or may not "+
		"have taken effect; read the object before you try again")
	e.Err = err
	return e
}

// unavailable returns the error for an operation that the engine cannot carry out now. Nothing was
// written, so clients may try again without a look at the object.
func unavailable(err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonServiceUnavailable, "the storage does not answer; try again later")
	e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	e.Err = err
	return e
}

// full returns the error for a write to an engine without space: 507, which a proxy does not send
// to another replica.
func full(err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonServiceUnavailable,
		"the storage has no space left, so nothing was written; objects can be read and deleted")
	e.Status.Code = 507 // Insufficient Storage
	e.Err = err
	return e
}

// readOnly returns the error for a write to an engine that takes none.
func readOnly(err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonMethodNotAllowed,
		"the storage is read-only; objects can be read, but not written or deleted")
	e.Err = err
	return e
}

// unreadable returns the error for an object that cannot be decoded.
func unreadable(err error) *metav1.StatusError {
	e := metav1.Failure(metav1.StatusReasonStoreReadError, err.Error())
	e.Err = err
	return e
}

// invalidOption returns the error for a parameter of a list or watch.
func invalidOption(name, detail string) *metav1.StatusError {
	return metav1.BadRequest(name + ": " + detail)
}

// parseRevision reads a resourceVersion that is neither blank nor 0.
func parseRevision(text string) (uint64, error) {
	revision, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, invalidOption("resourceVersion",
			fmt.Sprintf("%.64q is not a resourceVersion of this server; use that of an object or a list, or none", text))
	}
	return revision, nil
}
