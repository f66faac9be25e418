package schema

// PathError is an error at a field of an object. Find it with
// errors.AsType[*schema.PathError](err); errors.Is and errors.As reach its cause.
type PathError struct {
	_ struct{} // literals name their fields

	// Path leads to the field from the object that was passed to the function that returned the
	// error.
	Path *Path
	// Err is the cause.
	Err error
}

// Error returns "path: cause", or the cause alone at the root.
func (e *PathError) Error() string {
	cause := "unknown error"
	if e.Err != nil {
		cause = MessageOf(e.Err)
	}
	if path := e.Path.String(); path != "" {
		return path + ": " + cause
	}
	return cause
}

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }

// AtField adds a named field to the path of an error. Call it while returning, from the innermost
// field to the outermost: the calls build one [*PathError] with the whole path. A nil error stays
// nil, so the call costs nothing when there is no error.
//
//	if err := convertSpec(&in.Spec, &out.Spec); err != nil {
//		return schema.AtField(err, "spec")
//	}
//
// AtField does not modify err, which may be shared.
func AtField(err error, name string) error {
	if err == nil {
		return nil
	}
	return AtPath(err, NewPath(name))
}

// AtIndex is [AtField] for an element of a list.
func AtIndex(err error, i int) error {
	if err == nil {
		return nil
	}
	return AtPath(err, (*Path)(nil).Index(i))
}

// AtKey is [AtField] for an entry of a map.
func AtKey(err error, k string) error {
	if err == nil {
		return nil
	}
	return AtPath(err, (*Path)(nil).Key(k))
}

// AtPath is [AtField] for any number of steps at once. A nil error stays nil, and the root adds
// nothing.
func AtPath(err error, p *Path) error {
	if err == nil || p.isRoot() {
		return err
	}
	// Only the outermost error is examined: an error that wraps a PathError has a text of its own,
	// which must not get lost.
	if inner, ok := err.(*PathError); ok && inner != nil {
		return &PathError{Path: p.Join(inner.Path), Err: inner.Err}
	}
	return &PathError{Path: p, Err: err}
}
