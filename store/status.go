package store

import (
	"errors"
	"fmt"
	"strconv"

	metav1 "github.com/askind/askind/meta/v1"
)

// failure returns an error for clients with its cause.
func failure(reason metav1.StatusReason, message string, cause error) *metav1.StatusError {
	e := metav1.Failure(reason, message)
	e.Err = cause
	return e
}

// expired returns the error for a revision that has left the history.
func expired(what string, revision, floor uint64) *metav1.StatusError {
	return failure(metav1.StatusReasonExpired,
		fmt.Sprintf("too old resource version: %s begins at %d, but only changes after %d are kept; list the objects "+
			"again", what, revision, floor), ErrCompacted)
}

// tooLarge returns the error for a revision that was not reached in time.
func tooLarge(revision, current uint64) *metav1.StatusError {
	e := failure(metav1.StatusReasonTimeout, fmt.Sprintf("Too large resource version: %d, current: %d",
		revision, current), ErrFuture)
	e.Status.Details = &metav1.StatusDetails{
		Causes: []metav1.StatusCause{{
			Type:    metav1.CauseTypeResourceVersionTooLarge,
			Message: "Too large resource version",
		}},
		RetryAfterSeconds: 1,
	}
	return e
}

// engineError returns the error of the engine, which is that of the store if it has been closed.
func (s *Store) engineError(err error) error {
	if err == nil {
		return nil
	}
	if st := s.state.Load(); st.err != nil {
		return st.err
	}
	switch {
	case errors.Is(err, ErrUncertain):
		return failure(metav1.StatusReasonTimeout, "the storage has not confirmed the write, which may or may not "+
			"have taken effect; read the object before you try again", err)
	case errors.Is(err, ErrUnavailable): // nothing was written, so clients need not look at the object
		e := failure(metav1.StatusReasonServiceUnavailable, "the storage does not answer; try again later", err)
		e.Status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
		return e
	case errors.Is(err, ErrNoSpace):
		e := failure(metav1.StatusReasonServiceUnavailable,
			"the storage has no space left, so nothing was written; objects can be read and deleted", err)
		e.Status.Code = 507 // Insufficient Storage, which a proxy does not send to another replica
		return e
	case errors.Is(err, ErrReadOnly):
		return failure(metav1.StatusReasonMethodNotAllowed,
			"the storage is read-only; objects can be read, but not written or deleted", err)
	}
	return fmt.Errorf("store: %w", err)
}

// unreadable returns the error for an object that cannot be decoded.
func unreadable(err error) *metav1.StatusError {
	return failure(metav1.StatusReasonStoreReadError, err.Error(), err)
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
